"""Topic templates that topic new copies and extends names."""
