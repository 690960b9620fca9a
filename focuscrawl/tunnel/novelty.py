"""How much of a link's text is new: a tie-break among links that do not name the topic.

Of links that promise nothing, those that say what many others said (another channel's 图集, the next
day of a calendar) come after those that say something else. A portal's one odd channel is found so
before its folder is banned for the others.
"""

from __future__ import annotations

from itertools import pairwise

MOST_KEPT = 50_000
"""Pairs of characters remembered; all are forgotten when there are more."""

LONGEST_TEXT = 60


class Novelty:
    """The pairs of characters of all link texts so far."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def of(self, text: str) -> float:
        """Return the share of a text's pairs of letters that are new, and remember them.

        Digits and signs say nothing; a text without a pair of letters is not new.
        """
        text = text[:LONGEST_TEXT].lower()
        pairs = {
            first + second
            for first, second in pairwise(text)
            if first.isalpha() and second.isalpha()
        }
        if not pairs:
            return 0.0
        new = pairs - self._seen
        if len(self._seen) > MOST_KEPT:
            self._seen.clear()
        self._seen |= new
        return len(new) / len(pairs)
