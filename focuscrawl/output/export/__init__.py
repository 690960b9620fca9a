"""What is stored, as files for people and programs: csv, jsonl, xlsx, Atom (``scrapy topic export``).

``sheets`` says what is shown of each table and asks for its rows, ``conditions`` reads what a person wants
of them, each form writes one file of them as they come, and ``files`` gives it its name when it is whole.
The invariant: an export is the results at one moment, read over a connection that cannot write, in memory
that does not grow with the rows; a reader finds a whole file, the new one or the one before.
"""
