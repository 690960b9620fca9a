"""The report of topics: what is new, then how it went, as a page, a text or JSON.

    questions → contents → page | text | JSON

What is asked of the databases (news, course, diagnostics, topics) becomes plain values (contents): sections of
listings, each a number with its first rows and the command that shows all. How they look is decided behind
that. The invariant: whatever stands in a page on the web is text here, and the file stays below 300 KB.
"""
