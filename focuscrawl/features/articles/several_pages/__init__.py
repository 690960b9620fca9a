"""Articles of several pages: their parts, how these become one text, and which next pages are no parts."""
