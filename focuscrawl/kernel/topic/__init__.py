"""What a topic does to a crawl under way: its sources are queued, its changes are applied."""
