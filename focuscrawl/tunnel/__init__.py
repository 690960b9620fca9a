"""How far through irrelevant pages: sparse tunnelling (method E). Its room is kept for the Finding work."""
