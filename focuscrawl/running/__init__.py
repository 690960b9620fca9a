"""What one run shares behind the parts that Scrapy names: one file for each thing it does."""
