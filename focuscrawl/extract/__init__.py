"""What a page says: encoding, kind, main text, title, date, paging, feeds and sitemaps."""
