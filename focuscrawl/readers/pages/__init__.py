"""Reading any page: its document and encoding, its kind, links, paging, feeds and sitemaps, selectors.

Bytes become a Document once (encoding decided, markup cut to what a parser survives), and everything
else is a function of it: nothing here keeps anything, knows a template, or changes the shared tree.
Kind: signs speak for article or for list, each with a weight; the sum decides.
"""
