"""Groups of waiting URLs: those of one folder of one site, and what is known of them.

Everything of a group is a number in an array, and its URLs are 64-bit codes in one array: a
million waiting URLs in a hundred thousand folders must fit beside a crawl.
"""

from __future__ import annotations

from array import array

from focuscrawl.tunnel.heap import pop, push

SEQUENCE_BITS = 47
SEQUENCE_MASK = (1 << SEQUENCE_BITS) - 1
STEP_BITS = 6
BEHIND_SCORE = (1 << SEQUENCE_BITS + STEP_BITS) - 1
MOST_STEP = (1 << STEP_BITS) - 1
MOST_SCORE = 1023
"""Scores are whole numbers 0 … 1023."""

TURNED = MOST_SCORE << SEQUENCE_BITS + STEP_BITS
"""A code is a promise with the score upside down: the higher, the smaller."""

VALUE_STEPS = 1 << 20
VALUE_BITS = 22
HIGHEST_VALUE = 2.0
"""Above any value there is: 0.7 · 1.3 + 0.3 + 0.3."""

SUCCESS_WEIGHT = 0.7
SCORE_WEIGHT = 0.3
NEWCOMER = 0.3
"""The share of relevant pages a group is trusted with before one was judged."""

CURIOSITY = 0.3
"""The published bonus is 0.1 · √(ln N ÷ (n + 1)); √ln N is 2.6 … 3.2 for N = 1,000 … 20,000 pages.
Taken as 3, a group's value changes only with the group, as a lazily kept heap needs it."""


def code_of(sequence: int, score: int, step: int) -> int:
    """Return the code of a URL, the smaller the better.

    The higher score comes first; among equals the one found nearer to a relevant page, for most
    links say nothing for themselves; then first come, first served.
    """
    nearness = (MOST_SCORE - score) << STEP_BITS | min(step, MOST_STEP)
    return nearness << SEQUENCE_BITS | sequence


def codes_of(promises: list[int]) -> list[int]:
    """Return the codes of URLs that come as ``values.Lane.promise`` has them, sorted."""
    return sorted([promise ^ TURNED for promise in promises])


def score_of(code: int) -> int:
    """Return the score inside a code."""
    return MOST_SCORE - (code >> SEQUENCE_BITS + STEP_BITS)


def value_key(pages: int, relevant: int, score: int) -> int:
    """Return the value of a group as a key, the smaller the better.

    The value is 0.7 · (relevant + 0.3) ÷ (pages + 1) + 0.3 · best link score + a bonus for groups
    of which little is known; ``score`` is that of the best link.
    """
    known = pages + 1
    value = (
        SUCCESS_WEIGHT * (relevant + NEWCOMER) / known
        + SCORE_WEIGHT * score / MOST_SCORE
        + CURIOSITY / known**0.5
    )
    return int((HIGHEST_VALUE - value) * VALUE_STEPS)


class Groups:
    """All groups, by number. ``blocked`` groups keep their URLs but offer none."""

    def __init__(self) -> None:
        self.sites = array("i")
        self.folders = array("I")
        self.pages = array("i")
        self.relevant = array("i")
        self.blocked = bytearray()
        self._codes: list[array[int] | None] = []

    def add(self, site: int, folder: int, pages: int, relevant: int) -> int:
        """Make a group and return its number."""
        self.sites.append(site)
        self.folders.append(folder)
        self.pages.append(pages)
        self.relevant.append(relevant)
        self.blocked.append(0)
        self._codes.append(None)
        return len(self._codes) - 1

    def push(self, group: int, code: int) -> bool:
        """Add a URL; True when it is the best of its group now."""
        codes = self._codes[group]
        if codes is None:
            self._codes[group] = array("q", (code,))
            return True
        return push(codes, code)

    def extend(self, group: int, codes: list[int]) -> None:
        """Add sorted URLs to a group that is empty: sorted numbers are a heap."""
        self._codes[group] = array("q", codes)

    def pop(self, group: int) -> int:
        """Take the best URL out and return its code."""
        codes = self._codes[group]
        if codes is None:
            raise IndexError(f"nobody waits in group {group}")
        code = pop(codes)
        if not codes:
            self._codes[group] = None
        return code

    def length(self, group: int) -> int:
        """Return how many URLs wait in a group."""
        codes = self._codes[group]
        return len(codes) if codes else 0

    def top(self, group: int) -> int:
        """Return the best code that waits in a group, blocked or not. Raises IndexError."""
        codes = self._codes[group]
        if codes is None:
            raise IndexError(f"nobody waits in group {group}")
        return codes[0]

    def best(self, group: int) -> int | None:
        """Return the best code a group offers; None when it is empty or blocked."""
        codes = self._codes[group]
        return codes[0] if codes and not self.blocked[group] else None

    def key(self, group: int) -> int | None:
        """Return the key of a group's value; None when it offers nothing."""
        code = self.best(group)
        if code is None:
            return None
        return value_key(self.pages[group], self.relevant[group], score_of(code))

    def rank(self, group: int) -> int | None:
        """Return the key of a group's best link: by score, the value of its folder, nearness, age.

        Most links score nothing: among those the better folder decides.
        """
        keys = self.rank_and_key(group)
        return keys[0] if keys else None

    def rank_and_key(self, group: int) -> tuple[int, int] | None:
        """Return both keys of a group; None when it offers nothing."""
        code = self.best(group)
        if code is None:
            return None
        turned = code >> SEQUENCE_BITS + STEP_BITS
        key = value_key(self.pages[group], self.relevant[group], MOST_SCORE - turned)
        behind = code & BEHIND_SCORE
        return (turned << VALUE_BITS | key) << SEQUENCE_BITS + STEP_BITS | behind, key
