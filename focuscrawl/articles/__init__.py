"""Reading articles: what is kept of them, their text, titles, bylines and dates."""
