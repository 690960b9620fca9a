"""How pages lay out the values of a record (C7): each layout proposes entries, the groups decide.

Labelled lines; tables, by their heads and by the kind of their columns; siblings, each headed by its name.
An entry says its field, its value, where it stands and what speaks for it. Invariant: entries of one
``row`` are of one record, entries of two rows are of two.
"""
