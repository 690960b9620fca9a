"""Is it the same story: news de-duplication (method D). Its room is kept for the Reading work."""
