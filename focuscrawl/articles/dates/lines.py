"""Which of the dates printed on a page is its article's: by labels, by place, by what is around.

Dates that look alike are a list and not the article's, unless one of them stands alone at the top. Of the
others the one with the most points is taken.
"""

from __future__ import annotations

from collections import defaultdict

from focuscrawl.articles.dates.places import heading_beside
from focuscrawl.articles.dates.points import points_of
from focuscrawl.articles.dates.stated import Stated, stated_in
from focuscrawl.articles.dates.words import LABELLED
from focuscrawl.articles.statements import Line
from focuscrawl.articles.surroundings import Surroundings, is_elsewhere
from focuscrawl.text.dates import FoundDate, is_midnight, read_date

FEWEST_POINTS = 3
"""Points from which a date in the text is the article's."""

MOST_ALIKE = 3
"""Lines of the same shape (digits aside) above which they are a list, not the article's date."""

_MOST_ABOVE, MOST_BELOW = 150, 50
"""Dates of a page that are looked at, from its top and from its end."""

NEAR_IN_LIST = 8
"""Lines between two that look alike from which on they are no items of one list."""


def date_in_lines(
    lines: list[Line], place_of: Surroundings, fetched: float | None, timezone: str
) -> FoundDate | None:
    """Return the date with the most points; see ``points_of``. Ties go to the earlier line."""
    found = list(stated_in(lines, fetched, timezone))
    if len(found) > _MOST_ABOVE + MOST_BELOW:
        found = found[:_MOST_ABOVE] + found[-MOST_BELOW:]
    shapes: defaultdict[str, list[Stated]] = defaultdict(list)
    for stated in found:
        if not is_elsewhere(stated.line.element, place_of.around):
            shapes[stated.shape].append(stated)
    best: tuple[int, Stated] | None = None
    chosen = [one for alike in shapes.values() for one in _of_article(alike, place_of)]
    for stated in sorted(chosen, key=lambda one: (one.place, one.date.start)):
        points = points_of(stated, lines, place_of)
        if points >= FEWEST_POINTS and (best is None or points > best[0]):
            best = points, stated
    if best is None:
        return None
    return _more_precise(best[1], fetched, timezone)


def _of_article(alike: list[Stated], place_of: Surroundings) -> list[Stated]:
    """Return those of the dates that look alike that may be the article's: of many, which are a list,
    what stands alone at the top, or is the first post's.

    In a list of articles the others stand under headings of the same kind.
    """
    places = {stated.place for stated in alike}
    if len(places) <= MOST_ALIKE:
        return alike
    in_head = {place for place in places if place < place_of.head_ends}
    heading = {stated.place: heading_beside(stated.line.element) for stated in alike}
    chosen = []
    for stated in alike:
        place = stated.place
        near = any(other in places and other != place for other in _around(place))
        alone = place in in_head and (not near or len(in_head) == 1)
        first = stated is alike[0] and LABELLED.search(stated.shape) is not None
        own = heading[place]
        is_listed = own is not None and any(
            other is not None and other is not own and other.tag == own.tag
            for other in heading.values()
        )
        if (alone or first) and not is_listed:
            chosen.append(stated)
    return chosen


def _around(place: int) -> range:
    return range(place - NEAR_IN_LIST, place + NEAR_IN_LIST + 1)


def _more_precise(stated: Stated, fetched: float | None, timezone: str) -> FoundDate:
    """Return a date as its element states it for programs, when that is the same day."""
    date, element = stated.date, stated.line.element
    above = element.getparent()
    for one in (element,) if above is None else (element, above):
        said = one.get("datetime") or one.get("content") or one.get("title") or ""
        exact = read_date(said, timezone=timezone, now=fetched)
        if exact is None or abs(exact.seconds - date.seconds) >= 2 * 86_400:
            continue
        return exact if exact.unit < date.unit and not is_midnight(exact, timezone) else date
    return date
