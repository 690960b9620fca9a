"""The posts of a page of a thread (A9), found by structure and read by evidence, whatever software wrote it.

An Outline is taken once of a page: its elements in order, and which of them name a person, state a moment
or have a numbered id. Each kind of such marks cuts the page into blocks (PageCut); the cut wins that explains
most: Σ over its blocks of min(text, 300) · (1 if a person is named) · (1 if a moment is stated, less if not).
In the blocks of the winner, what stands at the same place means the same: the place of authors is where
the evidence for names adds up to most, that of times likewise and where times rise or fall from post to
post (days of joining do not), the text is what differs and says most.

Invariant: blocks are disjoint, in the page's order, and each names a person; nothing depends on the name
of a site or of a forum's software.
"""
