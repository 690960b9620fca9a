"""Kinds of rows that no feature's folder has yet: one file each."""
