"""Lists for machines: feeds and sitemaps, as they are met."""
