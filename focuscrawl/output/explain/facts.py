"""What is asked, and what is known of it, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from focuscrawl.stores.state.protocol import QueuePlace, Row
from focuscrawl.values import Json, PageClass, PageState

Stored = Mapping[str, Sequence[Mapping[str, Any]]]
"""The rows that the results have of an address, by table."""


class Fact(NamedTuple):
    """One thing that is known: ``kind`` names its sentence in ``words``, ``values`` are plain.

    ``stops``: as long as it holds, the address is not asked for.
    """

    kind: str
    values: Json
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """An address that is asked about, canonical, and what is stored of it.

    ``key`` is its MD5 key, ``row`` the URL that waits, has failed or is parked, ``state`` what is remembered
    between visits, ``stored`` what the results have; ``is_source``: the template names it. ``place`` is
    where its row waits. ``now`` is wall time.
    """

    url: str
    key: bytes
    number: int
    site: str
    now: float
    row: Row | None = None
    state: PageState | None = None
    stored: Stored = field(default_factory=dict)
    is_source: bool = False
    place: QueuePlace | None = None

    @property
    def page(self) -> Mapping[str, Any]:
        """Its row of the log book; {}: it was never asked for."""
        return next(iter(self.stored.get("pages", ())), {})

    @property
    def page_class(self) -> PageClass | None:
        """What it was found to be, or was queued as; None: unknown."""
        if self.page:
            return PageClass(self.page["page_class"])
        return self.row.waiting.page_class if self.row else None


class ListSeen(NamedTuple):
    """A list of a site: when it was read last (wall time, None: never), and whether it linked to the
    address then (None: unknown)."""

    url: str
    page_class: str
    outcome: str
    read_at: float | None
    next_visit: float | None
    links: bool | None = None


class LinkNow(NamedTuple):
    """Whether a list that was just read links to an address (None: it could not be read), and asks not to
    follow that link."""

    url: str
    links: bool | None
    nofollow: bool = False


@dataclass(slots=True)
class KnownAddress:
    """All that is known of an address.

    ``has_seen``: it was queued once. ``is_sent``: it is on its way to the process that holds its site.
    ``runs``: a crawl runs just now. ``lists`` are those that should have
    shown it, the likeliest first. ``linked_from`` is the page it was found on.
    """

    question: Question
    facts: list[Fact] = field(default_factory=list)
    has_seen: bool = False
    is_sent: bool = False
    runs: bool = False
    lists: Sequence[ListSeen] = ()
    linked_from: Mapping[str, Any] = field(default_factory=dict)

    def fact(self, kind: str) -> Fact | None:
        """Return what is known of a kind."""
        return next((one for one in self.facts if one.kind == kind), None)

    @property
    def stops(self) -> Fact | None:
        """Why it is not asked for, if anything keeps it from being."""
        return next((one for one in self.facts if one.stops), None)


class Verdict(NamedTuple):
    """The answer: what has become of an address, in a word, with the values of its sentence."""

    fate: str
    values: Json
