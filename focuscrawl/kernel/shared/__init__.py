"""What a run does about the other processes on its crawl: which partitions are its own, and what all count together.

A run of an embedded store is the only one: all partitions are its own from its beginning to its end.
"""
