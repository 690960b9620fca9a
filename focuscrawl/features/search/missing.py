"""Pages that a cycle of searches reaches no more (C8): a fetch confirms that they are gone.

Strict: what the cycle has not reached is deleted at its end instead. Nothing is judged before the seeds
that led to it have been walked to their ends in this cycle.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focuscrawl.features.search.walks import SOURCE
from focuscrawl.values import PageState, Waiting

if TYPE_CHECKING:
    from collections import Counter

    from focuscrawl.features.search.reached import Cycle, ReachedPage, ReachedPages
    from focuscrawl.features.search.seeds import SeedSequence
    from focuscrawl.features.search.walks import UrlEnd
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.readers.links.admission_rules import AdmissionRules

NO_LONGER = "no longer reached"
"""Why a page is gone though its server was not asked (strict)."""


def deleted(state: PageState, now: float) -> PageState:
    """Return the tombstone of a page whose rows are deleted, since no seed leads to it (strict).

    It remembers nothing to compare with: when it is reached again, it is new.
    """
    return state._replace(
        gone=now,
        reason=NO_LONGER,
        next_visit=None,
        reserved=None,
        digest=b"",
        simhash=None,
        details=b"",
    )


@dataclass(slots=True, eq=False)
class MissingPages:
    """What the cycle under way does not reach.

    ``visits`` knows the keys of pages that are queued for a visit of their own. ``counts`` counts
    pages: missing, gone, confirmed (missing, but there).
    """

    rules: AdmissionRules
    frontier: Frontier
    seeds: SeedSequence
    pages: ReachedPages
    visits: Container[bytes]
    counts: Counter[str]
    strict: bool
    _known: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._known = set(self.seeds.walked)

    def next_cycle(self) -> None:
        """Go on with the next cycle in the middle of a run: no seed has been walked in it."""
        self._known = set()

    # What is missing ----------------------------------------------------------------------------

    def walked(self, seed: str) -> None:
        """Compare where a seed leads with where it led, now that its walk is at its end."""
        start = self.pages.get(bytes.fromhex(seed))
        cycle = self.seeds.cycle
        if start is None or start.walked != cycle or self.seeds.seeds[seed].cycle != cycle:
            return  # only what an earlier cycle has left
        if self.seeds.walk_ended(seed):
            self._known.add(seed)
            if not self.strict:
                self._confirm(self.pages.compare([seed], self._known, cycle))

    def searched(self) -> None:
        """All searches are answered: seeds that none of them shows any more lead nowhere."""
        lost = self.seeds.lost
        self._known.update(lost)
        if lost and not self.strict:
            self._confirm(self.pages.compare(lost, self._known, self.seeds.cycle))

    def unreached(self) -> dict[bytes, bytes]:
        """Return the pages that the cycle has not reached, and the keys they are stored under.

        Those of seeds that the coin has skipped, or whose walks have failed, are not judged.
        """
        missing = self.pages.compare_all(self._known, self.seeds.cycle).missing
        found = ((key, self.pages.get(key)) for key in missing)
        return {key: bytes.fromhex(page.stored) or key for key, page in found if page is not None}

    def close(self, gone: Iterable[bytes]) -> None:
        """Close a cycle that is at its end: take out of the queue what is deleted in this commit."""
        self.seeds.closed = self.seeds.cycle
        for key in gone:
            self.counts["missing"] += 1
            self._gone(key)

    def not_judged(self) -> int:
        """Return how many pages of earlier cycles this one has neither reached nor missed so far."""
        return len(self.pages.compare_all(self._known, self.seeds.cycle).not_judged)

    def _confirm(self, cycle: Cycle) -> None:
        for key in cycle.missing:
            page = self.pages.get(key)
            if page is None or self.rules.look(page.url).refused is not None:
                continue  # the template does not allow it any more
            fetch = self._confirmation(page)
            if not self.frontier.holds(fetch.site):
                continue  # another process asks that site
            self.pages.confirm(key, is_asked=True)
            if fetch.key not in self.visits:  # else the visit will show it
                self.frontier.add_again(fetch)
            self.counts["missing"] += 1

    def _confirmation(self, page: ReachedPage) -> Waiting:
        """Return the fetch that is to confirm that a page is gone: on the lowest level, not urgent."""
        seed = next(iter(page.seeds))
        address = self.rules.look(page.moved_to or page.url).address
        return Waiting(
            url=address.url,
            key=address.key,
            site=address.site,
            level=1,
            passed_level=page.level,
            page_class=page.page_class,
            depth=page.depth,
            parent_key=bytes.fromhex(seed),
            source_id=f"{SOURCE}{seed}",
            first_walk=False,
            layer=page.layer,
        )

    # What the fetches say -----------------------------------------------------------------------

    def confirms(self, key: bytes) -> bool:
        """Whether a URL is fetched to see if a page is gone that no seed leads to any more."""
        return any(page.confirming for page in self.pages.standing_at(key).values())

    def confirmed(self, key: bytes, end: UrlEnd) -> None:
        """Note how the fetch of a page ended that was missing."""
        if end.comes_back:
            return
        if end.gone:
            self._gone(key)
        elif end.answered:
            self.pages.leave(key, gone=False)
            self.counts["confirmed"] += 1
        else:  # given up, or forbidden: it stays as it is, until the next cycle looks again
            self.pages.confirm(key, is_asked=False)

    def _gone(self, key: bytes) -> None:
        self.pages.leave(key, gone=True)
        self.seeds.is_gone(key.hex())
        self.counts["gone"] += 1
