"""Which URLs are known: 64-bit numbers, about nine bytes each in memory.

256 sorted arrays, chosen by the low bits, each with a small set of newcomers that is merged in
when it has grown; so no single merge is long, whatever the size of the crawl.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from focuscrawl.urls.sites import KEY_BITS

BUCKETS = 256  # a merge sorts one bucket, a 256th of what is known
# Newcomers take several times the eight bytes of a number in an array: they are a 32nd at most, and a
# number is then copied some twenty times while its bucket doubles.
SMALLEST_MERGE = 128
MERGE_SHARE = 32

_Numbers = NDArray[np.uint64]


class SeenSet:
    """A set of unsigned 64-bit numbers that only grows."""

    def __init__(self) -> None:
        self._sorted = [array("Q") for _ in range(BUCKETS)]
        self._recent: list[set[int]] = [set() for _ in range(BUCKETS)]
        self._count = 0

    def __len__(self) -> int:
        """Return how many numbers are known."""
        return self._count

    def __contains__(self, number: int) -> bool:
        """Whether the number is known."""
        bucket = number & (BUCKETS - 1)
        if number in self._recent[bucket]:
            return True
        known = self._sorted[bucket]
        position = bisect_left(known, number)
        return position < len(known) and known[position] == number

    def add(self, number: int) -> bool:
        """Add a number; False when it was known."""
        bucket = number & (BUCKETS - 1)
        recent, known = self._recent[bucket], self._sorted[bucket]
        if number in recent:
            return False
        if known:
            position = bisect_left(known, number)
            if position < len(known) and known[position] == number:
                return False
        recent.add(number)
        self._count += 1
        if len(recent) >= SMALLEST_MERGE + len(known) // MERGE_SHARE:
            self._merge(bucket)
        return True

    def discard(self, number: int) -> None:
        """Forget a number that was added since its bucket was last merged; else do nothing.

        Only for claims that are taken back (see Frontier.claim), which are always recent or were
        merged: a merged one is taken out of its array.
        """
        bucket = number & (BUCKETS - 1)
        if number in self._recent[bucket]:
            self._recent[bucket].remove(number)
            self._count -= 1
            return
        known = self._sorted[bucket]
        position = bisect_left(known, number)
        if position < len(known) and known[position] == number:
            del known[position]
            self._count -= 1

    def leave(self, partitions: Iterable[int]) -> None:
        """Forget the numbers of some partitions, which stand in their highest bits."""
        ranges = [
            (number << KEY_BITS, (number + 1) << KEY_BITS) for number in sorted(partitions)[::-1]
        ]
        for bucket, known in enumerate(self._sorted):
            for low, high in ranges:
                del known[bisect_left(known, low) : bisect_left(known, high)]
                recent = self._recent[bucket]
                recent -= {number for number in recent if low <= number < high}
        self._count = sum(map(len, self._sorted)) + sum(map(len, self._recent))

    def load(self, blobs: Iterable[bytes]) -> None:
        """Take in packed little-endian numbers, as stores keep them."""
        packed = b"".join(blobs)
        if not packed:
            return
        numbers = _distinct(np.frombuffer(packed, dtype="<u8"))
        buckets = (numbers & np.uint64(BUCKETS - 1)).astype(np.uint8)
        order = np.argsort(buckets, kind="stable")
        grouped = numbers[order]
        ends = np.searchsorted(buckets[order], np.arange(BUCKETS), side="right")
        start = 0
        for bucket, end in enumerate(ends.tolist()):
            part = grouped[start:end]
            if self._sorted[bucket] or self._recent[bucket]:
                self._recent[bucket].update(part.tolist())
                self._merge(bucket)
            else:
                self._sorted[bucket].frombytes(part.tobytes())
            start = end
        self._count = sum(map(len, self._sorted)) + sum(map(len, self._recent))

    def _merge(self, bucket: int) -> None:
        recent = np.fromiter(self._recent[bucket], dtype=np.uint64, count=len(self._recent[bucket]))
        known = np.frombuffer(self._sorted[bucket], dtype=np.uint64)
        merged = _distinct(np.concatenate([known, recent]))
        fresh = array("Q")
        fresh.frombytes(merged.tobytes())
        self._sorted[bucket] = fresh
        self._recent[bucket] = set()


def _distinct(numbers: _Numbers) -> _Numbers:
    """Return the numbers sorted, each once (np.unique hashes, which takes ten times as long)."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
