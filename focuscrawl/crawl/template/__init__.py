"""What follows from a template: Scrapy's settings, where a crawl starts, what a change of it does."""
