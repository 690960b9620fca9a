"""What the tables [search] and [search.engine.NAME] become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from focuscrawl.template.kinds.addresses import Hosts, host_of
from focuscrawl.template.kinds.words import Words
from focuscrawl.topic.search_kinds import Address, Within
from focuscrawl.values import Selector


@dataclass(frozen=True, slots=True)
class Engine:
    """One [search.engine.NAME], built in or not.

    With ``urls`` it is a list and is never asked. Else ``url`` and ``results`` are there. Selectors
    that may be missing are None; so is ``within`` when the engine cannot be asked for an age.
    """

    name: str
    url: Address | None
    urls: tuple[str, ...]
    encoding: str
    within: Within | None
    format: Literal["html", "json"]
    results: Selector
    link: Selector
    target: Selector | None
    title: Selector
    snippet: Selector | None
    date: Selector | None
    ads: Selector | None
    blocked: Words
    empty: Words

    @property
    def host(self) -> str:
        """The host its result pages are on; "" for a list."""
        return host_of(self.url.written) if self.url else ""


@dataclass(frozen=True, slots=True)
class Search:
    """[search]: which engines are asked for what. ``engine`` has one for each of ``engines``."""

    engines: tuple[str, ...]
    queries: tuple[str, ...]
    areas: tuple[str, ...]
    results: int
    every: float
    within: float | None
    robots: bool
    delay: float
    sites: Hosts
    strict: bool
    engine: dict[str, Engine]
