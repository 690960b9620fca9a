"""Values of fields in a text, by type: numbers, addresses, names."""
