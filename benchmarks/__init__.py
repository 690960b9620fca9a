"""One script per claim; the last line of each is one JSON object."""
