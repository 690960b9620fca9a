"""The text of an article: two readings that correct each other, and what neither may take with it.

Advertisements, comments and line numbers of listings are taken out of a copy; the page's tree stays.
"""
