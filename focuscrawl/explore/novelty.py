"""How much of a link's text is new: a tie-break among links that do not name the topic.

Of links that promise nothing, those that say what many others said (another channel's 图集, the next
day of a calendar) come after those that say something else. A portal's one odd channel is found so
before its folder is banned for the others.
"""

from __future__ import annotations

import re
from itertools import pairwise

MOST_KEPT = 50_000
"""Pairs and runs of letters remembered; all are forgotten when there are more of one kind."""

LONGEST_TEXT = 60
LETTERS = re.compile(r"[^\W\d_]{2,}")


class Novelty:
    """The pairs of letters of all link texts so far; whole runs spare most texts a closer look."""

    __slots__ = ("_pairs", "_runs")

    def __init__(self) -> None:
        self._pairs: set[str] = set()
        self._runs: set[str] = set()

    def of(self, text: str) -> float:
        """Return the share of a text's pairs of letters that are new, and remember them.

        Digits and signs say nothing; a text without a pair of letters is not new.
        """
        runs = LETTERS.findall(text[:LONGEST_TEXT].lower())
        if self._runs.issuperset(runs):
            return 0.0
        pairs = {first + second for run in runs for first, second in pairwise(run)}
        new = pairs - self._pairs
        if len(self._pairs) > MOST_KEPT or len(self._runs) > MOST_KEPT:
            self._pairs.clear()
            self._runs.clear()
        self._pairs |= new
        self._runs.update(runs)
        return len(new) / len(pairs)
