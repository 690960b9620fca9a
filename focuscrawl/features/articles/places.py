"""Where the parts of articles stand on the pages of one site, as its pages teach it.

A place is a selector of names that last. It is proposed where a part was found out, and counts on every
later page of the site on which the part is found out: right when the same stands there, else wrong. One
that is right on most of them is looked at where a page does not tell the part in another way. It never
counts for itself, for what is compared with it is what was read without it; so it is forgotten when the
site changes its design. Where the two differ the page is right: of 40 parts of 300 pages of five blogs
that a place would have changed all were better as they were found out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from focuscrawl.features.articles.article import ArticleText, read_selected
from focuscrawl.features.articles.statements import cleaned_name
from focuscrawl.readers.pages.selectors import (
    FOUND_OUT,
    PageSelectors,
    elements_with,
    find,
    selector_for,
)
from focuscrawl.readers.text.dates import DateReader, FoundDate, in_zone
from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.values import Selector

if TYPE_CHECKING:
    from focuscrawl.readers.pages.document import Document
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Json

FIELD_PLACES = "places"
"""The part of a site's record that says where its articles have their parts."""

PLACED_FIELDS = MappingProxyType(
    {"title": "title", "published": "published", "author": "author", "source": "source_name"}
)
"""Keys of [site."HOST".select] whose places are learnt, and the fields of what is read."""

FEWEST_RIGHT, SHARE = 5, 0.8
"""Pages on which a place was right, and their share of those that tell, for it to be looked at."""

FEWEST_TURNS = 2  # how often what it gives was another than on the page before
MOST_OF_FIELD = 3  # places of one part that are tried on a site
MOST_TAUGHT = 20_000  # sites of which places are kept in memory
PROPOSED_BY = 12  # articles of a site that propose places for a part, while none is good
_LETTERS_COUNTED = 60  # pages that count: twice as many are halved, so that a new design shows soon
NOTED_EVERY = 10  # pages after which counts are noted that change nothing
_LONGEST_LABEL = 30  # characters around a value in its element: 文章来源：, a weekday, a clock
_LONGEST_PLACE = 200  # characters of a selector that people can still read
_LARGEST_PAGE = (
    500_000  # bytes of a page that teaches: looking through one of 4 MB again takes a second
)
_MOST_TRIED = 5  # elements of a page that are looked at for a part
_LONGEST_TITLE, _LONGEST_NAME = 300, 60
_MOST_SAID = 40  # characters of a value that are compared with others


class PlacedPage(NamedTuple):
    """A page with what was found out of its article, by the names of the fields."""

    document: Document
    dates: DateReader
    article: Mapping[str, Any]

    def value(self, part: str) -> str | float:
        """Return what was found out, "" when nothing was."""
        return self.article[PLACED_FIELDS[part]] or ""

    def value_at(self, part: str, place: Selector) -> str | float:
        """Return what a place gives, as the site's selector for a part would; "" when nothing."""
        selectors = FOUND_OUT._replace(**{part: place})
        found = read_selected(self.document, selectors, self.dates).parts
        return found.get(PLACED_FIELDS[part]) or ""

    def places(self, part: str) -> Iterator[Selector]:
        """Go through the places of elements that hold a part and next to nothing else."""
        value = self.value(part)
        words, is_it = self._date(float(value)) if part == "published" and value else _words(value)
        longest = len(str(value)) + _LONGEST_LABEL
        for word in words:
            near = elements_with(self.document.root, word, longest)
            for element, text in islice(near, _MOST_TRIED):
                place = selector_for(element) if is_it(text) else None
                if place and len(place.expression) <= _LONGEST_PLACE:
                    yield place

    def _date(self, seconds: float) -> tuple[list[str], Callable[[str], bool]]:
        """Return what a date may be printed with, and what tells whether a text is it."""

        def is_it(text: str) -> bool:
            found = self.dates.read(text)
            return bool(found and found.seconds == seconds)

        day = in_zone(FoundDate(seconds, "", "day"), self.dates.timezone).day
        return [self.article["published_raw"] or "", day[:4]], is_it


def _words(value: str | float) -> tuple[list[str], Callable[[str], bool]]:
    return [str(value)], lambda text: text.endswith(str(value))  # labels stand before


class Place(msgspec.Struct, array_like=True):
    """A selector, the pages on which it could be told, and those on which it was right.

    ``said`` is the value it was right about last, ``turns`` counts how often that differed from the
    one before. What is the same on nearly all pages, the masthead of a blog, says nothing of one.
    """

    language: str
    expression: str
    said: str = ""
    turns: int = 0
    told: float = 0.0
    right: float = 0.0

    @property
    def is_good(self) -> bool:
        """Whether it is right on most pages, and on enough of them."""
        return self.turns >= FEWEST_TURNS and self.right >= max(FEWEST_RIGHT, SHARE * self.told)

    def count(self, value: str | float, *, is_right: bool) -> None:
        """Count a page on which it gives a value."""
        said = str(value)[:_MOST_SAID]
        if is_right and said != self.said:
            self.said, self.turns = said, self.turns + 1
        self.told += 1
        self.right += is_right
        if self.told >= 2 * _LETTERS_COUNTED:
            self.told /= 2
            self.right /= 2


class SitePlace(msgspec.Struct, array_like=True):
    """The places of one part on a site; ``proposed`` counts the articles that proposed some."""

    places: list[Place] = []
    proposed: int = 0

    def best(self) -> Place | None:
        """Return the place to be looked at."""
        good = (place for place in self.places if place.is_good)
        return max(good, key=lambda place: place.right / place.told, default=None)


def _places_from(stored: Json) -> dict[str, SitePlace]:
    return msgspec.convert(stored, dict[str, SitePlace])


class SitePlaces(SiteValues[dict[str, SitePlace]]):
    """The places of all sites of one run. Counts alone are written now and then."""

    def __init__(self) -> None:
        super().__init__(FIELD_PLACES, _places_from, msgspec.to_builtins)
        self._since: dict[str, int] = {}

    def release(self, partitions: Partitions) -> None:
        """Forget the sites of some partitions."""
        super().release(partitions)
        partitions.take_from(self._since)

    def places_of(self, site: str) -> PageSelectors:
        """Return where parts are looked for that a page does not tell."""
        best = {part: one.best() for part, one in (self.get(site) or {}).items()}
        return FOUND_OUT._replace(
            **{part: Selector(one.language, one.expression) for part, one in best.items() if one}
        )

    def read(
        self,
        site: str,
        document: Document,
        found: ArticleText,
        dates: DateReader,
        given: PageSelectors = FOUND_OUT,
    ) -> ArticleText:
        """Return an article with what stands at the places of its site, and learn from what was found.

        ``given`` are the places the template names: they are neither learnt nor looked at.
        """
        page = PlacedPage(document, dates, found._asdict())
        own = [part for part in PLACED_FIELDS if not getattr(given, part)]
        if len(document.markup) <= _LARGEST_PAGE:
            self._learn(site, page, own)
        missing = {part for part in own if not page.value(part)}
        placed = FOUND_OUT._replace(
            **{
                part: place
                for part in missing
                if (place := getattr(self.places_of(site), part))
                and len(find(document.root, place)) == 1  # a list has it once for each entry
            }
        )
        if not any(placed):
            return found
        return found._replace(**_valid(read_selected(document, placed, dates).parts))

    def _learn(self, site: str, page: PlacedPage, parts: list[str]) -> None:
        known = self.get(site)
        if known is None:
            if len(self) >= MOST_TAUGHT:
                return
            known = self.add(site, {})
        before = self.places_of(site)
        for part in parts:
            if page.value(part):
                _count(known.setdefault(part, SitePlace()), part, page)
        since = self._since[site] = self._since.get(site, 0) + 1
        is_due = before != self.places_of(site) or since >= NOTED_EVERY
        self.touch(site, can_wait=not is_due)
        if is_due:
            del self._since[site]


def _count(known: SitePlace, part: str, page: PlacedPage) -> None:
    """Count a page for the places of a part, and try others while none is good."""
    value = page.value(part)
    for place in known.places:
        given = page.value_at(part, Selector(place.language, place.expression))
        place.count(given, is_right=given == value)
    known.places = [one for one in known.places if one.told < FEWEST_RIGHT or 2 * one.right > one.told]  # fmt: skip
    if known.best() is not None:
        known.proposed = 0
    elif known.proposed < PROPOSED_BY:
        known.proposed += 1
        tried = {(one.language, one.expression) for one in known.places}
        for selector in page.places(part):
            new = (selector.language, selector.expression)
            is_new = new not in tried and len(known.places) < MOST_OF_FIELD
            if is_new and page.value_at(part, selector) == value:
                tried.add(new)
                known.places.append(Place(*new, str(value)[:_MOST_SAID], told=1.0, right=1.0))


def _valid(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return of what stands at places what may be a title, a date, a person and an outlet."""
    valid = dict(parts)
    author = cleaned_name(valid.pop("author", ""))
    if 0 < len(author) <= _LONGEST_NAME:
        valid["author"] = author
    for name, longest in (("title", _LONGEST_TITLE), ("source_name", _LONGEST_NAME)):
        if len(valid.get(name, "")) > longest:
            del valid[name]
    return valid
