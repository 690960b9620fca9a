"""How far to go through irrelevant pages: sparse tunnelling (method E)."""
