"""Seeds from search engines: which are asked for what, and how their answers are read (C)."""
