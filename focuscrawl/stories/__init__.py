"""Method D: which articles are copies of each other, and which tell one event."""

from focuscrawl.stories.scores import copy_similarity, count_documents, event_similarity

__all__ = ["copy_similarity", "count_documents", "event_similarity"]
