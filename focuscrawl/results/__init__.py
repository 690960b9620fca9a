"""What people query: one database for many topics (SQLite, PostgreSQL, MySQL)."""
