"""What a crawl reports to people: when it begins, each minute, at its end, and of pages they ask about.

Functions from plain values, or from a results file, to text; they know no Scrapy and change nothing.
"""
