"""A focused crawler on Scrapy: one topic template in, articles out, no URL ever lost.

A URL waits, is in flight, failed, is parked or done. The kernel knows this life and nothing of what a page
may hold; a feature is one folder that knows one thing a page may hold, or one reason to fetch it, and hooks
itself into that life. What a page gave is stored before its URL is done, so that a kill at any moment
costs a second fetch and nothing else.
"""

__version__ = "0.1.0"
