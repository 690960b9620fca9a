"""A focused crawler on Scrapy: one topic template in, articles out, no URL ever lost."""

__version__ = "0.1.0"
