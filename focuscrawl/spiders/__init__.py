"""The one spider; every topic template is a name for it."""
