"""Reading any page: its document and encoding, its kind, links, paging, feeds and sitemaps."""
