"""Seeds from search engines: which are asked for what, and how their answers are read (C).

An answer has results, or says that there are none, or is refused, or cannot be read: only a page that
says so counts as "nothing known".
"""
