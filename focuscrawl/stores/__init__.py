"""What is kept: the crawl's own state, in a file or on Redis, and the results that people query."""
