"""Runs side by side: how many of the pages that each had fetched were relevant, page by page (harvest).

A reader of results: a curve is the pages of one run in the order in which they came, n of them relevant
after m. Two methods are compared at the same m, since a crawl is paid for by its pages.
"""
