"""Search again (C8): the pages one cycle reached against those of the cycle before.

New pages are extracted; of known ones the information is compared (revisit.changes); missing ones
are confirmed by a fetch, strict: deleted at once. A page is not judged when a seed that led to it
last time was skipped, failed, or has not been walked to its end in this cycle: nobody has looked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple


class Cycle(NamedTuple):
    """Pages by what became of them, each in the order of the cycle it stood in."""

    new: list[bytes]
    known: list[bytes]
    missing: list[bytes]
    not_judged: list[bytes]


def compare_cycles(
    before: Mapping[bytes, Collection[str]],
    now: Collection[bytes],
    walked: Collection[str],
    *,
    strict: bool = False,
) -> Cycle:
    """Compare the queues of pages reached (C8).

    ``before`` holds for each page of the last cycle the seeds that led to it, ``now`` the pages of
    this one, ``walked`` the seeds that were walked to their end in it. A page that no seed is
    known for is missing only when strict: then everything not reached is.
    """
    reached, ended = set(now), set(walked)
    cycle = Cycle([page for page in now if page not in before], [], [], [])
    for page, seeds in before.items():
        if page in reached:
            cycle.known.append(page)
        elif strict or (seeds and ended.issuperset(seeds)):
            cycle.missing.append(page)
        else:
            cycle.not_judged.append(page)
    return cycle
