"""Markup put right before any reader looks: what lies over a page goes, what is hidden is shown."""
