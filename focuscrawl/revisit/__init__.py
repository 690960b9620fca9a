"""When to come again: revisit policies, what counts as a change, signals, and pages that are gone (B, C8)."""
