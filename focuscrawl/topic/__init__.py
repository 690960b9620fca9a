"""What we look for: topic templates (method C)."""
