"""Which articles are copies of each other, and which tell one event (method D).

An article is first, a copy of an earlier one, or another text of an event that an earlier one tells;
a story is all of them. Copies are found by containment, the share of the shorter text's overlapping
fours that stands in the longer one; events by the cosine of words weighted by strength × IDF, inside a
window of time. An article is compared as a sketch: the hashes of its fours (copies), its heaviest words
(events), its numbers with the letters around them (series of one form), or its ranked keywords.
Nothing is compared with everything: all find their candidates by terms in one inverted index, at most 8
and 12 are looked at. Nothing gets lost by joining: a text that says much more than the one it contains
is no copy, nor is another issue of a series. ``strict`` is the published form: the same keyword at the
same rank (``readers.text.keywords``, where keyword sets are made and compared).
"""
