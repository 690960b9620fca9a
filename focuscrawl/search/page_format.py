"""What is asked of a search engine's description, and what an answer is."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from focuscrawl.values import Selector


class _Words(Protocol):
    """Compiled words."""

    def count(self, text: str, /) -> dict[str, int]:
        """Return the words found, with how often."""


class EngineFormat(Protocol):
    """How an engine's answers look: [search.engine.NAME] of a template."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def host(self) -> str:
        """The host its result pages are on."""

    @property
    def format(self) -> Literal["html", "json"]:
        """What it answers with."""

    @property
    def results(self) -> Selector:
        """One element for each result."""

    @property
    def link(self) -> Selector:
        """The link, inside a result."""

    @property
    def target(self) -> Selector | None:
        """Where the address behind the link is named, inside a result."""

    @property
    def title(self) -> Selector:
        """The title, inside a result."""

    @property
    def snippet(self) -> Selector | None:
        """The lines below, inside a result."""

    @property
    def date(self) -> Selector | None:
        """The date, inside a result."""

    @property
    def ads(self) -> Selector | None:
        """What makes a result an advertisement, inside it."""

    @property
    def blocked(self) -> _Words:
        """Words of a captcha or refusal."""

    @property
    def empty(self) -> _Words:
        """Words by which it says that it knows nothing."""


class Answered(NamedTuple):
    """A response: ``url`` is where it came from after redirects, ``now`` when (wall time)."""

    body: bytes
    url: str
    status_code: int = 200
    content_type: str = ""
    query: str = ""
    timezone: str = "Asia/Shanghai"
    now: float | None = None
