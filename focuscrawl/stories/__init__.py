"""Method D: which articles are copies of each other, and which tell one event."""
