"""Where things are kept: the crawl own state, and the results people query."""
