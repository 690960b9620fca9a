"""Whether the "next page" of a site's articles leads to further pages of them, or to other articles.

Documentation leads from chapter to chapter so, and some news from one article to the next. A page tells it by its title once
it is read; a site that has told it three times is believed: then such a link is one like any other, and when a page is read
again those behind it are not. Without this each look at one page of a manual of 70 read on to the end of its chapter: 38
requests on the second day after a first crawl of 82.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.values import Link

CHAPTERS_PART = "chapters"
"""The part of a site's record that says what its next pages are."""

FEWEST_OTHERS = 3
OTHERS_FOR_A_PART = (
    4  # others for each part there may be: a portal has articles of several pages besides
)
_HALVED_AT = (
    100  # a site that is not believed yet is counted anew; one that is shows no parts any more
)


class NextPages(msgspec.Struct, array_like=True):
    """How many pages behind a "next page" were other articles, and how many were parts of the one that names them."""

    others: float = 0.0
    parts: float = 0.0

    @property
    def are_others(self) -> bool:
        """Whether such pages are articles of their own."""
        return self.others >= FEWEST_OTHERS and self.others >= OTHERS_FOR_A_PART * self.parts


class Chapters(SiteValues[NextPages]):
    """What stands behind the next pages of all sites of one run."""

    def __init__(self) -> None:
        super().__init__(
            CHAPTERS_PART, lambda stored: msgspec.convert(stored, NextPages), msgspec.to_builtins
        )

    def note(self, site: str, *, is_other: bool) -> None:
        """Count a page that only a "next page" led to."""
        known = self.get(site) or self.add(site, NextPages())
        known.others += is_other
        known.parts += not is_other
        if known.others + known.parts > _HALVED_AT:
            known.others /= 2
            known.parts /= 2
        self.touch(site, can_wait=not is_other)  # parts alone change nothing

    def told_apart(
        self, site: str, ordinary: tuple[Link, ...], further: Sequence[Link]
    ) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
        """Return the ordinary links of an article, and its further pages; several, which it names by their numbers, are its own."""
        known = self.get(site)
        if known is None or len(further) != 1 or not known.are_others:
            return ordinary, tuple(further)
        return (*ordinary, further[0]._replace(page_class=None)), ()
