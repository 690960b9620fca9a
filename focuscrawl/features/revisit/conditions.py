"""Conditional requests: the names servers give to versions of a page, and whom to believe them.

A 304 says "the version you have". It is believed until a visit without conditions, one in ten of
each page at first and one in fifty of a site that has proved right, finds that a page has changed
under the same name. Then the site is asked without conditions until its names have held often enough
again: each such visit tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.values import PageState

CONDITIONS = "conditions"
"""The part of a site's record that holds its Honesty."""

LONGEST_HEADER = 1_000
"""Characters of a header that is kept; a longer one is garbage."""

ETAG = re.compile(r'(?:W/)?"[ !#-~]+"|[!#-)+\--~]+')
"""A quoted name, or a bare one as some servers write it; not *, which every version has."""

PRINTED = re.compile(r"[ -~]+")

AUDIT_EVERY, PROVEN_EVERY = 10, 50
"""One in so many visits of a page asks for it whatever its version, on a new and a proven site."""

TIMES_HELD = 20.0
"""Names of a site must hold so many times for each time that one did not, and to be proven."""

_FORGET_ABOVE = 1_000.0
"""Counts are halved here, so that a site that mends its ways is believed again."""


class PageVersion(NamedTuple):
    """What a server calls a version of a page: its ETag and Last-Modified, "" for none."""

    etag: str = ""
    modified: str = ""

    @classmethod
    def read(cls, etag: bytes, modified: bytes) -> PageVersion:
        """Read the two headers; what is no name and no date is left out."""
        return cls(_etag(etag), _modified(modified))

    @classmethod
    def of(cls, headers: Any) -> PageVersion:
        """Read it from the headers of an answer."""
        return cls.read(headers.get("ETag") or b"", headers.get("Last-Modified") or b"")

    def is_same(self, other: PageVersion) -> bool:
        """Whether a server that names these two would have answered 304."""
        if self.etag and other.etag:
            return self.etag.removeprefix("W/") == other.etag.removeprefix("W/")
        return bool(self.modified) and self.modified == other.modified

    def headers(self) -> dict[str, str]:
        """Return the headers that ask for another version only."""
        pairs = (("If-None-Match", self.etag), ("If-Modified-Since", self.modified))
        return {name: text for name, text in pairs if text}

    def updated(self, by: PageVersion) -> PageVersion:
        """Return the version as a 304 names it, which may leave out what it named before."""
        return PageVersion(by.etag or self.etag, by.modified or self.modified)


NO_VERSION = PageVersion()


def version_of(state: PageState) -> PageVersion:
    """Return the version of a page that is stored."""
    return PageVersion(state.etag, state.modified)


def _etag(header: bytes) -> str:
    text = header[: LONGEST_HEADER + 1].decode("latin-1").strip()
    return text if len(text) <= LONGEST_HEADER and ETAG.fullmatch(text) else ""


def _modified(header: bytes) -> str:
    text = header[: LONGEST_HEADER + 1].decode("latin-1").strip()
    if len(text) > LONGEST_HEADER or not PRINTED.fullmatch(text):
        return ""
    try:
        parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
    return text


@dataclass(slots=True)
class Honesty:
    """How often a site's pages were the same (``held``) or not (``lied``) under the same name."""

    held: float = 0.0
    lied: float = 0.0

    @property
    def is_believed(self) -> bool:
        """Whether a 304 of the site is worth asking for."""
        return self.held >= self.lied * TIMES_HELD

    def learn(self, changed: bool) -> None:
        """Count a page that came whole under the same name as before."""
        self.held += not changed
        self.lied += changed
        if self.held + self.lied > _FORGET_ABOVE:
            self.held /= 2
            self.lied /= 2

    def to_json(self) -> list[float]:
        """Return both as plain JSON."""
        return [self.held, self.lied]

    @classmethod
    def from_json(cls, kept: list[float]) -> Honesty:
        """Read what ``to_json`` wrote."""
        return cls(float(kept[0]), float(kept[1]))


class Conditions(SiteValues[Honesty]):
    """On what conditions pages are asked for again, site by site.

    ``since`` is since when pages are read as they are now (wall time): one that was read before
    comes whole.
    """

    def __init__(self) -> None:
        super().__init__(CONDITIONS, Honesty.from_json, Honesty.to_json)
        self.since = 0.0

    def headers(self, state: PageState) -> dict[str, str]:
        """Return the headers to ask for a page with; none when it is to come whole."""
        was_read_otherwise = state.last_fetched < self.since
        if was_read_otherwise or not self.believes(state.site) or self._is_audit(state):
            return {}
        return version_of(state).headers()

    def believes(self, site: str) -> bool:
        """Whether a site's 304 is taken for true."""
        honesty = self.get(site)
        return honesty is None or honesty.is_believed

    def came_whole(self, before: PageState, version: PageVersion, changed: bool) -> None:
        """Learn from a page that was asked for without conditions."""
        if version.is_same(version_of(before)):
            honesty = self.get(before.site) or self.add(before.site, Honesty())
            honesty.learn(changed)
            self.touch(before.site)

    def _is_audit(self, state: PageState) -> bool:
        """Whether a visit tries the server's word; never the second visit, spread over the pages."""
        honesty = self.get(state.site)
        is_proven = honesty is not None and honesty.held >= TIMES_HELD
        every = PROVEN_EVERY if is_proven else AUDIT_EVERY
        return state.visits >= 2 and (state.visits + state.key[-1]) % every == 0
