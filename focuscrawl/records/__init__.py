"""What pages hold besides text: fields by their labels, as blocks, pages or whole sites (C7)."""
