"""Numbered steps from one version of the crawl file to the next."""
