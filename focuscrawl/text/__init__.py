"""Words, SimHash and dates, shared by the ideas."""
