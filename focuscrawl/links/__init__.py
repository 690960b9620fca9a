"""May this link be followed: scope, patterns, layers, and which addresses are one page."""
