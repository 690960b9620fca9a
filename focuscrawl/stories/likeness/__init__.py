"""How alike two articles are: a copy, another text of an event, another issue of a series, or neither.

An article is compared as a sketch: the hashes of its overlapping fours (copies), its heaviest words
(events), its numbers with the letters around them (series), or its ranked keywords (the published form).
Each of these is a number of 0 … 1, or a yes, of two sketches; nothing here knows a store.
"""
