"""What was learnt of a site's layouts, as values for people: ``scrapy topic sites NAME HOST`` and ``scrapy explain``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from focuscrawl.features.site_layouts.layouts import (
    SAME_LAYOUT,
    Layout,
    LinePlace,
    SiteLayouts,
    short_place,
)
from focuscrawl.output.explain.facts import Fact

LAYOUTS_PART = "layouts"
"""The part of a site's record that says what its pages repeat."""

_BYTES_OF_PAGE = 4  # of its key: they tell the 256 pages of a layout apart


class Boilerplate(NamedTuple):
    """A place whose lines are the site's: they stand on ``pages`` of the pages ``of`` its layout that were looked at.

    ``example`` is one of the lines; "" where none was kept.
    """

    example: str
    pages: int
    of: int


class LearntLayout(NamedTuple):
    """Pages built alike, by their numbers.

    ``pages_moved`` are those that were built otherwise before. ``is_told``: it was told as the site's new design, at
    ``told_at`` (wall time, None: unknown). ``texts_open`` are stored texts whose ends may turn out to be the site's.
    """

    numbers: Collection[int]
    boilerplate: tuple[Boilerplate, ...] = ()
    pages_moved: int = 0
    is_told: bool = False
    told_at: float | None = None
    texts_open: int = 0


def number_of_key(key: bytes) -> int:
    """Return the number by which a layout knows a page."""
    return int.from_bytes(key[:_BYTES_OF_PAGE])


def number_in_hex(number: int) -> str:
    """Return how the keys, in hexadecimal, begin of the pages that have a number."""
    return number.to_bytes(_BYTES_OF_PAGE).hex()


def stored_layouts(parts: Mapping[str, Any]) -> SiteLayouts:
    """Return what a site's record says of its layouts; an empty one where nothing was learnt."""
    stored = parts.get(LAYOUTS_PART)
    return SiteLayouts() if stored is None else read_layouts(stored)


def read_layouts(stored: Any) -> SiteLayouts:
    """Return layouts as they were stored, by this version or an earlier one."""
    return msgspec.convert(stored, SiteLayouts, strict=False)


def layouts_of_articles(known: SiteLayouts) -> Iterator[LearntLayout]:
    """Go through the layouts of a site's articles, the one that was seen last first."""
    for layout in reversed(known.layouts):
        yield LearntLayout(
            layout.pages,
            tuple(_boilerplate(place, layout) for place in _places_of_site(layout)),
            len(layout.came),
            layout.is_told,
            layout.told_at or None,
            len(layout.kept),
        )


def layouts_of_lists(known: SiteLayouts) -> Iterator[LearntLayout]:
    """Go through the layouts of a site's lists, the one with the most lists first."""
    groups: list[tuple[int, list[int]]] = []
    for number, structure in known.lists.items():
        for first, numbers in groups:
            if (first ^ structure).bit_count() <= SAME_LAYOUT:
                numbers.append(number)
                break
        else:
            groups.append((structure, [number]))
    yield from (LearntLayout(one) for _, one in sorted(groups, key=lambda group: -len(group[1])))


def decisions_on(known: SiteLayouts, number: int, cut_at: Iterable[int]) -> Iterator[Fact]:
    """Go through what was decided of a page because of its site's other pages.

    ``cut_at`` are places as CUT_AT has them.
    """
    # Where it moved to first: a page stays with the layout that it left, which others may have shown since.
    shown = [one for one in reversed(known.layouts) if number in one.pages]
    shown.sort(key=lambda one: number not in one.came)
    if places := {*cut_at}:
        lines = {
            short_place(at): _boilerplate(place, layout)._asdict()
            for layout in reversed(shown)
            for at, place in layout.places.items()
            if short_place(at) in places
        }
        yield Fact("site_lines", {"places": len(places), "lines": [*lines.values()]})
    told = next((one for one in shown if one.is_told and number in one.came), None)
    if told is not None:
        yield Fact("site_design", {"at": told.told_at or None})


def _places_of_site(layout: Layout) -> list[LinePlace]:
    """Return the places of the site, those first that most pages show."""
    places = (layout.places[at] for at in layout.places_of_site())
    return sorted(places, key=lambda place: (-place.pages, place.example))


def _boilerplate(place: LinePlace, layout: Layout) -> Boilerplate:
    return Boilerplate(place.example, place.pages, layout.looked)
