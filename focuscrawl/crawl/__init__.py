"""One topic's crawl put together: the only room that knows two ideas. Functions only."""
