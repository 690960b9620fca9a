"""What a banned folder may still give: probes, links that name the topic, the rest of a small one.

A ban by rate says what a folder's pages were worth so far; these exceptions keep it from being a
verdict on each of its links.
"""

from __future__ import annotations

from focuscrawl.explore.groups import score_of
from focuscrawl.explore.probes import Probes

PROMISING = 410
"""A link with this score (of 1023) is taken though its folder is banned, …"""

MOST_TRIES = 5
"""… until so many such links of it in a row misled."""

SMALL = 20
"""A banned folder with at most so many links is read to its end before a crawl ends: that costs no
more than finding out that it is to be banned."""


class Chances:
    """Of which banned groups URLs are taken all the same; ``probes`` says when one is tried out."""

    def __init__(self) -> None:
        self.probes = Probes()
        self._rest: dict[int, int] = {}
        self._misled: dict[int, int] = {}
        self._promised: set[int] = set()

    def has(self, group: int, best: int) -> bool:
        """Whether the ``best`` code of a banned group is to be taken."""
        return bool(self._rest.get(group)) or self.is_promising(group, best)

    def is_promising(self, group: int, code: int) -> bool:
        """Whether a link names the topic, and others of its group did not mislead."""
        return score_of(code) >= PROMISING and self._misled.get(group, 0) < MOST_TRIES

    def finishes(self, group: int, waiting: int) -> bool:
        """Whether the rest of a group, so many URLs, is to be read now; once for each group."""
        if group in self._rest or not 0 < waiting <= SMALL:
            return False
        self._rest[group] = waiting
        return True

    def taken(self, group: int, sequence: int, code: int) -> None:
        """Hear that a URL was taken."""
        if score_of(code) >= PROMISING:
            self._promised.add(sequence)
        if self._rest.get(group):
            self._rest[group] -= 1

    def judged(self, group: int, sequence: int, relevant: bool) -> None:
        """Hear what became of a URL that was taken."""
        if sequence in self._promised:
            self._promised.discard(sequence)
            self._misled[group] = 0 if relevant else self._misled.get(group, 0) + 1

    def ended(self, sequence: int) -> None:
        """Hear that a URL that was taken is no longer in flight, judged or not."""
        self._promised.discard(sequence)
