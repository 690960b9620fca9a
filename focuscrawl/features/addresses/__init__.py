"""What pages teach about addresses: patterns, same pages, traps, schemes (D5, A8)."""
