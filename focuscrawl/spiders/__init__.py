"""The one spider: every template file is a subclass of it, made by the spider loader.

It asks for what waits, has every answer judged, and yields what the page gives. The invariant: it holds
nothing of a page; what is remembered between two pages belongs to the run and its features.
"""
