"""Groups of waiting URLs: those of one folder of one site, what is known of them, and of banned ones.

Everything of a group is a number in an array, and its URLs are 64-bit codes in one array: a
million waiting URLs in a hundred thousand folders must fit beside a crawl.

A waiting URL is one number of 64 bits, eight bytes in an array where an object of a list takes forty:

    code = (1023 − score) · 2^53 | place · 2^6 | step          the smaller the better

where place is the sequence number, turned so that links of one score come as ``ties`` has them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from heapq import heappop, heappush

from focuscrawl.values import MOST_STEPS

# 10 bits of score, 47 of place and 6 of step: 63, so that a code in an array "q" is never negative.
SEQUENCE_BITS = 47
_SEQUENCE_MASK = (1 << SEQUENCE_BITS) - 1
STEP_BITS = 6
BEHIND_SCORE = (1 << SEQUENCE_BITS + STEP_BITS) - 1

MOST_SCORE = 1023
"""Scores are whole numbers 0 … 1023."""

LATE_FIRST = (0, 0, *(_SEQUENCE_MASK,) * (MOST_STEPS - 1))
"""How links of one score come, by step: sequence numbers are turned (xor) by these, and the smaller
comes first. Here links of relevant pages and of the pages these link to come in the order they were
found; beyond, the last found is first. What every page of a site links to is found with its first
page; what is found late few pages link to, and the next page of a tunnel is one of those."""

NEAREST_FIRST = tuple(step << SEQUENCE_BITS - STEP_BITS for step in range(MOST_STEPS + 1))
"""The nearer to a relevant page comes first, then first come, first served. It leaves 41 bits for
sequence numbers, seventy years of a thousand links a second."""


def code_of(sequence: int, score: int, step: int, ties: tuple[int, ...] = LATE_FIRST) -> int:
    """Return the code of a URL, the smaller the better.

    The higher score comes first; most links say nothing for themselves, and among equals
    ``ties`` decide, one of ``LATE_FIRST`` and ``NEAREST_FIRST``.
    """
    step = min(step, MOST_STEPS)
    place = (MOST_SCORE - score) << SEQUENCE_BITS | (sequence ^ ties[step])
    return place << STEP_BITS | step


def codes_of(promises: list[int], ties: tuple[int, ...]) -> list[int]:
    """Return the codes of URLs that come as ``values.Lane.promise`` has them, sorted.

    As ``code_of`` makes them, without a call for each: at a start there may be a million.
    """
    score = SEQUENCE_BITS + STEP_BITS
    return sorted(
        [
            (MOST_SCORE - (promise >> score)) << score
            | (promise & _SEQUENCE_MASK ^ ties[step := promise >> SEQUENCE_BITS & MOST_STEPS])
            << STEP_BITS
            | step
            for promise in promises
        ]
    )


def sequence_in(code: int, ties: tuple[int, ...]) -> int:
    """Return the sequence number inside a code that was made with the same ``ties``."""
    return code >> STEP_BITS & _SEQUENCE_MASK ^ ties[code & MOST_STEPS]


def score_in(code: int) -> int:
    """Return the score inside a code."""
    return MOST_SCORE - (code >> SEQUENCE_BITS + STEP_BITS)


def step_in(code: int) -> int:
    """Return the step inside a code."""
    return code & MOST_STEPS


def push(heap: array[int], number: int) -> bool:
    """Add a number; True when it is the smallest now."""
    position = len(heap)
    heap.append(number)
    while position:
        parent = (position - 1) >> 1
        above = heap[parent]
        if above <= number:
            heap[position] = number
            return False
        heap[position] = above
        position = parent
    heap[0] = number
    return True


def pop(heap: array[int]) -> int:
    """Take the smallest number out. Raises IndexError when there is none."""
    last = heap.pop()
    if not heap:
        return last
    smallest = heap[0]
    position, child, length = 0, 1, len(heap)
    while child < length:
        number = heap[child]
        if child + 1 < length and heap[child + 1] < number:
            child += 1
            number = heap[child]
        if last <= number:
            break
        heap[position] = number
        position = child
        child = 2 * position + 1
    heap[position] = last
    return smallest


VALUE_STEPS = 1 << 20  # a key is a whole number: values that differ by a millionth are one
VALUE_BITS = 22  # HIGHEST_VALUE · VALUE_STEPS is 2^21
HIGHEST_VALUE = 2.0
"""Above any value there is: 0.7 · 1.3 + 0.3 + 0.3."""

# What a folder gave says more than what its best link promises.
SUCCESS_WEIGHT = 0.7
SCORE_WEIGHT = 0.3
NEWCOMER = 0.3
"""The share of relevant pages a group is trusted with before one was judged."""

CURIOSITY = 0.3
"""The published bonus is 0.1 · √(ln N ÷ (n + 1)); √ln N is 2.6 … 3.2 for N = 1,000 … 20,000 pages.
Taken as 3, a group's value changes only with the group, as a lazily kept heap needs it."""


NEAR_FIRST = tuple(1 / (step + 1) for step in range(MOST_STEPS + 1))
"""What a group that was looked into is trusted with by the least step at which one of its URLs was
found. A tunnel may lie in one folder that a relevant page links to, and gives nothing before its
end: were all folders tried alike, a page of each in turn, a crawl that finds nothing would come to
the end of none. A folder of which nothing was read yet has full trust wherever it lies: a tunnel may
as well go from folder to folder, and the next one is always new and farther away."""

RATHER_NEAR = tuple((step + 1) ** -0.5 for step in range(MOST_STEPS + 1))
"""The same, half as strong: by it links of one score are ranked, whatever order they are taken in."""

ALL_ALIKE = (1.0,) * (MOST_STEPS + 1)
"""No group is trusted more than another for being near."""

NOT_LISTED = -1
"""The entry of a group that stands in no list; real ones are not negative."""

KEYS = 3
"""A group is listed by its best link, by its value, and by its value when near ones are preferred."""

Keys = tuple[int, int, int]


def value_key(pages: int, relevant: int, score: int, trust: float = 1.0) -> int:
    """Return the value of a group as a key, the smaller the better.

    The value is 0.7 · (relevant + 0.3 · trust) ÷ (pages + 1) + 0.3 · best link score + a bonus for
    groups of which little is known; ``score`` is that of the best link, ``trust`` one of
    ``NEAR_FIRST`` or ``RATHER_NEAR``.
    """
    known = pages + 1
    value = (
        SUCCESS_WEIGHT * (relevant + NEWCOMER * trust) / known
        + SCORE_WEIGHT * score / MOST_SCORE
        + CURIOSITY * trust / known**0.5
    )
    return int((HIGHEST_VALUE - value) * VALUE_STEPS)


class Groups:
    """All groups, by number. ``blocked`` groups keep their URLs but offer none.

    ``steps`` are the least at which one of a group's URLs was ever found; ``trust`` is what groups
    are trusted with by them where links of one score are ranked. ``listed`` are the entries under
    which each group stands in its site's lists now (see offers), NOT_LISTED where it offers nothing.
    """

    def __init__(self, trust: tuple[float, ...]) -> None:
        self.trust = trust
        self.sites = array("i")
        self.folders = array("I")
        self.pages = array("i")
        self.relevant = array("i")
        self.blocked = bytearray()
        self.steps = bytearray()
        self.listed: tuple[list[int], ...] = tuple([] for _ in range(KEYS))
        self._codes: list[array[int] | None] = []

    def add(self, site: int, folder: int, pages: int, relevant: int, step: int) -> int:
        """Make a group and return its number."""
        self.sites.append(site)
        self.folders.append(folder)
        self.pages.append(pages)
        self.relevant.append(relevant)
        self.blocked.append(0)
        self.steps.append(step)
        for entries in self.listed:
            entries.append(NOT_LISTED)
        self._codes.append(None)
        return len(self._codes) - 1

    def push(self, group: int, code: int) -> bool:
        """Add a URL; True when it is the best of its group now, or brings it nearer."""
        codes, step = self._codes[group], code & MOST_STEPS
        is_nearer = step < self.steps[group]
        if is_nearer:
            self.steps[group] = step
        if codes is None:
            self._codes[group] = array("q", (code,))
            return True
        return push(codes, code) or is_nearer

    def extend(self, group: int, codes: list[int]) -> None:
        """Add sorted URLs to a group that is empty: sorted numbers are a heap."""
        self._codes[group] = array("q", codes)
        self.steps[group] = min(self.steps[group], *map(step_in, codes))

    def pop(self, group: int) -> int:
        """Take the best URL out and return its code."""
        codes = self._codes[group]
        if codes is None:
            raise IndexError(f"no URL waits in group {group}")
        code = pop(codes)
        if not codes:
            self._codes[group] = None
        return code

    def empty(self, group: int) -> None:
        """Empty a group: nothing waits in it or is blocked any more."""
        self._codes[group] = None
        self.blocked[group] = 0
        self.unlist(group)

    def length(self, group: int) -> int:
        """Return how many URLs wait in a group."""
        codes = self._codes[group]
        return len(codes) if codes else 0

    def top(self, group: int) -> int:
        """Return the best code that waits in a group, blocked or not. Raises IndexError."""
        codes = self._codes[group]
        if codes is None:
            raise IndexError(f"no URL waits in group {group}")
        return codes[0]

    def best(self, group: int) -> int | None:
        """Return the best code a group offers; None when it is empty or blocked."""
        codes = self._codes[group]
        return codes[0] if codes and not self.blocked[group] else None

    def unlist(self, group: int) -> None:
        """Let no entry of a group hold any more: it offers nothing."""
        for entries in self.listed:
            entries[group] = NOT_LISTED

    def keys(self, group: int) -> Keys | None:
        """Return a group's keys in the three lists; None when it offers nothing.

        The best link's is by score, the value of its folder, then as in its folder: most links
        score nothing, and among those the better folder decides. Among near folders of one value, as
        all are of which nothing was read, the best link decides: where every page has a folder of its
        own that is the whole order, and taken by their numbers it found half (decision 0049).
        """
        code = self.best(group)
        if code is None:
            return None
        turned = code >> SEQUENCE_BITS + STEP_BITS
        score, step = MOST_SCORE - turned, self.steps[group]
        pages, relevant = self.pages[group], self.relevant[group]
        value = tie = near = value_key(pages, relevant, score)
        if pages and step:
            tie = value_key(pages, relevant, score, self.trust[step])
            near = value_key(pages, relevant, score, NEAR_FIRST[step])
        rank = (turned << VALUE_BITS | tie) << SEQUENCE_BITS + STEP_BITS | code & BEHIND_SCORE
        near = near << SEQUENCE_BITS + STEP_BITS | code & BEHIND_SCORE
        return rank, value, near


# What a banned group may still give ----------------------------------------------------------------

# A ban by rate says what a folder's pages were worth so far; these exceptions keep it from being a
# verdict on each of its links: probes, links that name the topic, the rest of a small one. A probe is a
# try of a banned folder, at most one pick in fifty: its first comes 50 picks after its ban, and each that
# fails doubles the wait, so that a trap costs a handful of pages however long the crawl.


SPACING = 50
"""One pick in so many may be a probe: 2 %."""


PROMISING = 410
"""A link with this score (of 1023) is taken though its folder is banned, …"""

MOST_TRIES = 5
"""… until so many such links of it in a row misled."""

SMALL = 20
"""A banned folder with at most so many links is read to its end before a crawl ends: that costs no
more than finding out that it is to be banned."""


class Probes:
    """When which banned group may be tried."""

    def __init__(self) -> None:
        self._picks = 0
        self._latest = -SPACING
        self._waits: dict[int, int] = {}
        self._line: list[tuple[int, int]] = []

    def block(self, group: int) -> None:
        """Plan the first probe of a banned group."""
        if group not in self._waits:  # else its next probe is planned
            self._waits[group] = SPACING
            heappush(self._line, (self._picks + SPACING, group))

    def unblock(self, group: int) -> None:
        """Plan no more probes of a group."""
        self._waits.pop(group, None)

    def groups(self) -> list[int]:
        """Return the banned groups that may be tried."""
        return list(self._waits)

    def picked(self) -> None:
        """Count a pick that was no probe: a crawl that has nothing else makes no probes."""
        self._picks += 1

    def due(self, may: Callable[[int], bool]) -> int | None:
        """Return the group to try with this pick, mostly None; ``may`` says whether it can be."""
        line = self._line
        if not line or line[0][0] > self._picks or self._picks - self._latest < SPACING:
            return None
        _, group = heappop(line)
        if group not in self._waits:
            return None
        if not may(group):
            heappush(line, (self._picks + SPACING, group))
            return None
        self._latest = self._picks
        return group

    def judged(self, group: int, relevant: bool) -> None:
        """Plan the next probe by what one gave: a failure doubles the wait."""
        if group in self._waits:
            self._waits[group] = SPACING if relevant else 2 * self._waits[group]
            heappush(self._line, (self._picks + self._waits[group], group))


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
        return score_in(code) >= PROMISING and self._misled.get(group, 0) < MOST_TRIES

    def finishes(self, group: int, waiting: int) -> bool:
        """Whether the rest of a group, so many URLs, is to be read now; once for each group."""
        if group in self._rest or not 0 < waiting <= SMALL:
            return False
        self._rest[group] = waiting
        return True

    def taken(self, group: int, sequence: int, code: int) -> None:
        """Count a URL that was taken."""
        if score_in(code) >= PROMISING:
            self._promised.add(sequence)
        if self._rest.get(group):
            self._rest[group] -= 1

    def judged(self, group: int, sequence: int, relevant: bool) -> None:
        """Count how many promising URLs in a row misled."""
        if sequence in self._promised:
            self._promised.discard(sequence)
            self._misled[group] = 0 if relevant else self._misled.get(group, 0) + 1

    def ended(self, sequence: int) -> None:
        """Forget a URL that is no longer in flight, judged or not."""
        self._promised.discard(sequence)
