"""What goes out of the results: exports and notices, each a verb of ``scrapy topic``."""
