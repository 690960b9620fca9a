"""When to come again: revisit periods (method B). Its room is kept for the Returning work."""
