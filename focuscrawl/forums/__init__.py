"""Forums (A9): what boards count of their threads, and the posts of threads."""
