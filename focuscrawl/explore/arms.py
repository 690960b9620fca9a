"""Which of several orders chooses next: the first leads until another has measurably paid more.

All orders draw from one set of URLs, so that what one of them finds the others fetch, too: in a good
stretch all pay alike, in a drought none pays. What tells them apart in the end, where they look next,
hardly shows in what they pay, and who draws among equals follows none of them to the end of
anything. So one order leads, each other is tried now and then, and takes over while its lead is
more than chance (decision 0049).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

# .995 did as well in simulated crawls of seven kinds and seven topics of an archive.
DISCOUNT = 0.998
"""What every page judged so far counts after one more was judged, whoever chose it: the last five
hundred decide, and what an order gave in better times does not stand for it in a drought."""

# .1 cost up to 8 % of the area under recall there, where a page has a folder of its own.
RANDOM_SHARE = 0.05
"""Share of draws in which every arm has the same chance."""

# 1 cost a sixth where a page has a folder of its own.
CLEAR_LEAD = 2.0
"""By how many standard deviations of their difference another arm must have paid more to lead."""


class Arms:
    """Arms with the discounted numbers of their relevant and irrelevant pages; number 0 leads.

    ``random`` is the only source of chance, so a seeded one makes a crawl repeatable.
    """

    def __init__(self, count: int, random: Random) -> None:
        self._random = random
        self._seen = [[0.0, 0.0] for _ in range(count)]

    def draw(self) -> int:
        """Return the number of the arm to follow now."""
        if len(self._seen) == 1:
            return 0
        if self._random.random() < RANDOM_SHARE:
            return self._random.randrange(len(self._seen))
        (mean, variance), *others = map(_share, self._seen)
        best, most = 0, CLEAR_LEAD
        for arm, (its_mean, its_variance) in enumerate(others, 1):
            lead = (its_mean - mean) / (its_variance + variance) ** 0.5
            if lead > most:
                best, most = arm, lead
        return best

    def judged(self, arm: int, relevant: bool) -> None:
        """Count a page that this arm had chosen."""
        for seen in self._seen:
            seen[0] *= DISCOUNT
            seen[1] *= DISCOUNT
        self._seen[arm][0 if relevant else 1] += 1.0

    def to_json(self) -> list[list[float]]:
        """Return the counts as plain JSON."""
        return [[round(count, 4) for count in pair] for pair in self._seen]

    def restore(self, counts: Sequence[Sequence[float]]) -> None:
        """Take the counts of an earlier run; those of another number of arms are ignored."""
        if len(counts) == len(self._seen):
            self._seen = [[float(relevant), float(other)] for relevant, other in counts]


def _share(seen: Sequence[float]) -> tuple[float, float]:
    """Return mean and variance of the share of relevant pages (Beta, all shares alike before)."""
    relevant, irrelevant = seen[0] + 1.0, seen[1] + 1.0
    pages = relevant + irrelevant
    return relevant / pages, relevant * irrelevant / (pages * pages * (pages + 1.0))
