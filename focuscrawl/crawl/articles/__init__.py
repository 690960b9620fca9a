"""Articles put on a crawl: a content page is judged, and what is kept of it made into rows."""
