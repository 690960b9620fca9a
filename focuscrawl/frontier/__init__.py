"""What to fetch next: weighted multi-level URL queues (method A)."""
