"""Links beyond the limit of steps: kept aside, and given back the best first."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from focuscrawl.explore.heap import pop, push


class Parking:
    """Codes of parked links, by group."""

    def __init__(self) -> None:
        self._codes: dict[int, array[int]] = {}
        self._count = 0

    def __len__(self) -> int:
        """Return how many links are parked."""
        return self._count

    def add(self, group: int, code: int) -> None:
        """Park a link."""
        codes = self._codes.get(group)
        if codes is None:
            codes = self._codes[group] = array("q")
        push(codes, code)
        self._count += 1

    def extend(self, group: int, codes: list[int]) -> None:
        """Park links of one group that are sorted, as a heap is."""
        if group in self._codes:
            for code in codes:
                self.add(group, code)
            return
        self._codes[group] = array("q", codes)
        self._count += len(codes)

    def release(self, most: int) -> Iterator[tuple[int, int]]:
        """Give back the groups with the best links, until ``most`` links have come (group, code)."""
        for group in sorted(self._codes, key=lambda group: self._codes[group][0]):
            codes = self._codes[group]
            while codes and most > 0:
                most -= 1
                self._count -= 1
                yield group, pop(codes)
            if not codes:
                del self._codes[group]
            if most <= 0:
                return
