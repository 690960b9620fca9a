"""Kinds of values: how a TOML value is read and checked (``read``), and what code gets (``build``).

A kind takes nothing it does not understand: it raises Invalid with what is allowed, in the words
of the template's author. What is read is plain JSON and reads as itself again.
"""
