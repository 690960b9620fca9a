"""What counts as a change of a page, and what of it is reported.

A page has a mark; each visit makes a new one and compares it. The result is SAME, MINOR or MAJOR, and the
mark stored moves only when a change was counted, so that slow drift adds up: distance of two SimHashes
over 5 bits is major. Clocks, counters and what always differs never count.
"""
