"""Sites that show the same pages under ever new addresses: a trap known by what it shows.

An address alone cannot tell an endless row of copies from a large site. What tells is that page after
page shows a text which several other addresses of the site have shown before. A printed or a mobile
version makes two or three of a page, never five; and where new pages come again, it opens again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

from focuscrawl.urls.forms import Form
from focuscrawl.values import Json

PART = "copies"
"""The part of a site's record in the store that is written here."""

OTHERS = 4
"""Other addresses of a site that have shown a page's text, for it to be a copy. A page, its printed
and its mobile version and one more spelling are still four addresses of a real page."""

FEWEST_OF_FORM, FEWEST_OF_SITE = 20, 60
"""Pages that are looked at before a form of address, or all of a site, is held to be a trap."""

SHARE = 0.9
"""The share of copies among them."""

WINDOW = 2
"""Counts are halved at so many times the fewest: what was long ago counts less."""

FIRST_OPEN, OPEN_AFTER = 10, 4
"""One link in ten of a trap is tried, and half as many after each four that were copies, too: what
a trap may cost grows with the logarithm of its links."""

MOST_DOUBLINGS = 20
TEXTS_KEPT, COUNTS_KEPT = 200_000, 20_000
WHOLE = ""
"""Stands for all forms of a site."""


@dataclass(slots=True)
class _Count:
    """Pages that were looked at, and how many of them were copies; ``tried`` ones since it is a trap."""

    pages: int = 0
    copies: int = 0
    tried: int = -1

    @property
    def is_trap(self) -> bool:
        return self.tried >= 0

    def add(self, *, is_copy: bool, fewest: int) -> bool:
        """Count a page; True when this makes a trap of it."""
        self.pages += 1
        self.copies += is_copy
        was_trap = self.is_trap
        if self.pages < fewest or self.copies < SHARE * self.pages:
            self.tried = -1
        else:
            self.tried = self.tried + 1 if is_copy else max(0, self.tried - OPEN_AFTER)
        if self.pages >= WINDOW * fewest:
            self.pages //= 2
            self.copies //= 2
        return self.is_trap and not was_trap

    def refuses(self, url: str) -> bool:
        """Whether an address is not one of those that are tried."""
        every = FIRST_OPEN << min(self.tried // OPEN_AFTER, MOST_DOUBLINGS)
        return crc32(url.encode()) % every != 0


class Copies:
    """What the sites of one run have shown. ``traps`` are sites with one; memory is bounded."""

    def __init__(self) -> None:
        self.traps: set[str] = set()
        self.before: frozenset[str] = frozenset()
        """Sites of which an earlier run has set addresses aside."""
        self._texts: dict[int, int] = {}
        self._counts: dict[tuple[str, str], _Count] = {}
        self._traps: dict[str, int] = {}
        self._changed: set[str] = set()

    def load(self, records: Mapping[str, Json]) -> None:
        """Take the sites that were traps in the last run; in this one they have to show it again."""
        self.before = frozenset(site for site, parts in records.items() if parts.get(PART))
        self._changed = set(self.before)

    def changed(self) -> dict[str, Json]:
        """Return what is to be stored of the sites that have become traps, or are none any more."""
        changed, self._changed = self._changed, set()
        return {site: {"trap": True} if site in self.traps else {} for site in changed}

    def note(self, url: str, site: str, text: bytes) -> str:
        """Count a page that was fetched for the first time; ``text`` is a digest of what it shows.

        Returns a sentence for people when this tells a trap, else "".
        """
        if len(self._texts) >= TEXTS_KEPT:
            self._texts.clear()
        number = hash((site, text))
        shown = self._texts.get(number, 0)
        self._texts[number] = shown + 1
        form = Form.of(url)
        told = ""
        for name in (WHOLE, form.expression if form else None):
            if name is None:
                continue
            if len(self._counts) >= COUNTS_KEPT:
                self._counts = {key: one for key, one in self._counts.items() if one.is_trap}
            count = self._counts.get((site, name))
            if count is None:
                count = self._counts[site, name] = _Count()
            fewest = FEWEST_OF_SITE if name == WHOLE else FEWEST_OF_FORM
            was_trap = count.is_trap
            if count.add(is_copy=shown >= OTHERS, fewest=fewest):
                told = (
                    f"{site}{name}: {count.copies} of {count.pages} new pages show what"
                    f" {OTHERS} other addresses have shown, as {url} does; most links like it are"
                    " refused from now on (trap:copies)"
                )
            if count.is_trap != was_trap:
                self._conclude(site, 1 if count.is_trap else -1)
        return told

    def refuses(self, url: str, site: str) -> bool:
        """Whether a link is not followed, since its address is one of a trap."""
        if site not in self.traps:
            return False
        form = Form.of(url)
        own = self._counts.get((site, form.expression)) if form else None
        if own is not None and own.is_trap:
            return own.refuses(url)
        whole = self._counts.get((site, WHOLE))
        if whole is None or not whole.is_trap:
            return False
        shows_news = own is not None and own.pages > OTHERS and own.copies * 2 < own.pages
        return not shows_news and whole.refuses(url)

    def _conclude(self, site: str, change: int) -> None:
        """Count the traps of a site; ``change``: one more, or one that is open again."""
        traps = self._traps[site] = self._traps.get(site, 0) + change
        if bool(traps) != (site in self.traps):
            (self.traps.add if traps else self.traps.discard)(site)
            self._changed.add(site)
