"""The work of commands about many topics: one job for all, and how each is doing."""
