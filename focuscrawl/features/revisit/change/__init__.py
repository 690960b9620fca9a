"""What counts as a change of a page, and what of it is reported.

A page has a mark; each visit makes a new one and compares it. The result is SAME, MINOR or MAJOR, and the
mark stored moves only when a change was counted, so that slow drift adds up: distance of two SimHashes
over 5 bits is major. Clocks, counters and what always differs never count.
Of an article the mark is the MD5 of what is left (``volatile.digest_of``), of a record its fields', of a list its
links' (``comparison``). Two others stand elsewhere: ``values.change_key`` names a change, and
``stores.results.columns.text_md5`` marks a stored version of a text.
"""
