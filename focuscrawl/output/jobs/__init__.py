"""Many topics as one job: whose turn is next, and how each is doing. It knows no Scrapy and starts nothing."""
