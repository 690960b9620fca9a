"""The posts of a thread, and what became of them since the last visit."""
