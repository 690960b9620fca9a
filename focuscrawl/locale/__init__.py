"""Messages for people, in their language: English as it stands in the code, or a catalogue beside it.

``zh/LC_MESSAGES/focuscrawl.po`` is the source of the Chinese one, ``focuscrawl.mo`` what programs read:
``make messages`` writes both, and a test says when they are behind the code. Only what people read is a
message: keys, names of columns, ``key=value`` lines and what other programs read never change.
"""
