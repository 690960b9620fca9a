"""What a feature is: one thing a page may hold, or one reason to fetch it, hooked into a URL's life."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

if TYPE_CHECKING:
    from focuscrawl.crawl.links.admission import Add, Admission, Again
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.page_states import PageStates
    from focuscrawl.kernel.stored import StoredLookup
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.pages.content import Judged
    from focuscrawl.report.advice import Finding
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock, Json, LinkBatch, Page, Waiting


@dataclass(frozen=True, slots=True)
class Kernel:
    """What features share of a run. None of it may be missing.

    ``rules`` say which links are admitted, ``sources`` are the template's by id, ``store`` is the crawl
    file, ``commits`` the window that is written next, ``stored`` what the results have,
    ``pages`` what is known of pages that are visited again, ``counters`` those of the summary.
    """

    template: Template
    rules: AdmissionRules
    sources: Mapping[str, Source]
    frontier: Frontier
    store: Store
    commits: Commits
    stored: StoredLookup
    pages: PageStates
    clock: Clock
    random: Random
    counters: Counter[str]


class Links(NamedTuple):
    """The links of a page, the rules for them, and who takes them (see crawl.admit)."""

    batch: LinkBatch
    rules: AdmissionRules
    add: Add
    again: Again


class Feature:
    """One capability of a run. Override the hooks you need; the others cost nothing.

    Hooks are called in the order of a URL's life, and at each moment in the order of the features.
    """

    name: ClassVar[str]
    after: ClassVar[tuple[str, ...]] = ()
    """Names of the features that must have had their turn at each moment."""

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Make it for a run; None: its topic does not want it, and nothing of it runs."""
        raise NotImplementedError

    async def open(self, records: Mapping[str, Json]) -> None:
        """Load what earlier runs remembered, before anything is taken. Raises StoreError.

        ``records`` are those of sites, each with one part a feature.
        """

    def begin(self) -> int:
        """Queue what a run starts with; returns how many URLs are visits of known pages."""
        return 0

    def robots_read(self, site: str, text: str) -> None:
        """Hear what the robots.txt of a site says."""

    async def before_read(self, flight: Flight) -> None:
        """Recall what reading a page needs."""

    def judged(self, flight: Flight | None, judged: Judged) -> Iterable[Any]:
        """Note what a page has shown and give out the items that are this feature's.

        There is no flight where somebody only looks at a page (scrapy shell, scrapy parse).
        """
        return ()

    async def before_links(self, flight: Flight, batch: LinkBatch) -> None:
        """Find out what admitting a page's links needs."""

    def links(self, flight: Flight, links: Links) -> Links:
        """Choose who takes the links of a page."""
        return links

    def admitted(self, flight: Flight, batch: LinkBatch, admission: Admission) -> None:
        """Hear what became of the links of a page."""

    async def after_links(self, flight: Flight, batch: LinkBatch) -> None:
        """Do what is to be done when a page's links are admitted, which may take its time."""

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Move what is remembered, in the commit that ends a URL; ``comes_back``: it is tried again.

        ``queued`` is the URL as it was queued, before redirects; None when its row is gone already.
        ``page`` is its row of the log book.
        """

    def findings(self) -> Iterable[Finding]:
        """Return what the topic's user is to be told of at the end: what was not recognised."""
        return ()


F = TypeVar("F", bound=Feature)


class Hooks:
    """The features of a run, and for each moment the hooks that somebody has overridden.

    Collected once, at start: a moment that nobody waits for is an empty tuple.
    """

    def __init__(self, features: Iterable[Feature]) -> None:
        self.features = tuple(features)
        self.open = self._overriding("open")
        self.begin = self._overriding("begin")
        self.robots_read = self._overriding("robots_read")
        self.before_read = self._overriding("before_read")
        self.judged = self._overriding("judged")
        self.before_links = self._overriding("before_links")
        self.links = self._overriding("links")
        self.admitted = self._overriding("admitted")
        self.after_links = self._overriding("after_links")
        self.ended = self._overriding("ended")
        self.findings = self._overriding("findings")

    def _overriding(self, moment: str) -> tuple[Any, ...]:
        usual = getattr(Feature, moment)
        return tuple(
            getattr(feature, moment)
            for feature in self.features
            if getattr(type(feature), moment) is not usual
        )

    def feature(self, kind: type[F]) -> F:
        """Return the feature of a kind. Raises LookupError when the topic does not have it."""
        for feature in self.features:
            if isinstance(feature, kind):
                return feature
        raise LookupError(f"no feature {kind.name}")

    def found(self) -> list[Finding]:
        """Return what all features have to tell."""
        return [found for find in self.findings for found in find()]

    def order(self) -> Iterator[str]:
        """Say in words who has a turn at which moment, one line a moment."""
        for moment, hooks in vars(self).items():
            if moment != "features" and hooks:
                yield f"{moment}: {', '.join(hook.__self__.name for hook in hooks)}"


def in_order(features: Iterable[type[Feature]]) -> list[type[Feature]]:
    """Sort features so that each stands behind those it names; else they keep their order.

    Raises ValueError when two wait for each other.
    """
    left = [*features]
    found: list[type[Feature]] = []
    names = {feature.name for feature in left}
    while left:
        done = {feature.name for feature in found}
        ready = next(
            (one for one in left if all(name in done or name not in names for name in one.after)),
            None,
        )
        if ready is None:
            waiting = ", ".join(feature.name for feature in left)
            raise ValueError(f"features wait for each other: {waiting}")
        found.append(ready)
        left.remove(ready)
    return found
