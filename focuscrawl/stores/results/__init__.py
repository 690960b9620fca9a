"""What people query: one database for many topics (SQLite, PostgreSQL, MySQL) through SQLAlchemy.

A row is new, or it exists and takes what is written by the rule of its kind. The invariant: every key
is computed from what is written, so a window that is written twice, after a kill, changes nothing; and
it is written before the URLs that gave it are acknowledged. A kind of rows is one ``RowKind`` (kind.py)
in the ``rows.py`` of a feature, or in kinds/ until it has a folder; features/__init__.py lists the modules. The
results import none of them but kinds/.
"""
