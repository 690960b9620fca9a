"""What the tables [follow], [url] and [explore] become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from focuscrawl.template.kinds.addresses import Hosts, Matches
from focuscrawl.template.kinds.words import Words
from focuscrawl.urls.canonical import UrlRules


@dataclass(frozen=True, slots=True)
class Follow:
    """[follow]: which links. An empty ``allow`` allows everything, empty ``layers`` every link.

    ``refuse`` holds "nofollow" and "actions", or one of them, or nothing.
    """

    scope: Literal["sources", "listed", "web"]
    sites: Hosts
    allow: Matches
    deny: Matches
    boards: Matches
    articles: Matches
    refuse: frozenset[str]
    depth: int
    paging: Literal["until-known", "all", "none"]
    pages: int
    layers: Words


@dataclass(frozen=True, slots=True)
class Url:
    """[url]: when two addresses are one page; see ``urls.canonical.UrlRules``."""

    drop: tuple[str, ...]
    keep: tuple[str, ...]
    scheme: Literal["same", "distinct"]
    slash: Literal["same", "distinct"]
    rewrite: tuple[tuple[str, str], ...]
    max_length: int

    @property
    def rules(self) -> UrlRules:
        """The same in the words of the room urls."""
        return UrlRules(
            self.drop, self.keep, self.scheme == "same", self.slash == "same", self.rewrite
        )


@dataclass(frozen=True, slots=True)
class Explore:
    """[explore]: new sites, through irrelevant pages.

    ``ban_for`` is inf for ever; ``trusted`` are those given, the sources are trusted besides.
    """

    enabled: bool
    share: float
    steps: int
    site_quota: int
    ban_after: int
    ban_rate: float
    ban_for: float
    banned: Hosts
    trusted: Hosts
    order: Literal["portfolio", "best-first", "breadth-first"]
    strict: bool
