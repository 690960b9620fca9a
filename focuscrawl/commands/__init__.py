"""Commands of the scrapy command line: topic, crawl, demo."""
