"""Reports for people, read from the stores; knows no Scrapy."""
