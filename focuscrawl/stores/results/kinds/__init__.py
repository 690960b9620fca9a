"""Kinds of rows that belong to no feature: pages, changes, versions, runs and sites, one file each.

As for all rows: each key is computed from what is written, so that writing twice changes nothing.
"""
