"""The text of an article: two readings that correct each other, and what they must not take."""
