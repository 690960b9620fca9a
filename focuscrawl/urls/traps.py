"""Crawler traps: addresses that lead nowhere, by how they are written or by what they show.

By how they are written: the rules are wide, for a page lost to a false alarm is worse than a few pages
of a trap, which depth and the site's limits bound anyway.

By what they show, for an address alone cannot tell an endless row of copies from a large site. What tells is that page after
page shows a text which several other addresses of the site have shown before. A printed or a mobile
version makes two or three of a page, never five; and where new pages come again, it opens again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from focuscrawl.urls.actions import INNER
from focuscrawl.urls.patterns.forms import Form
from focuscrawl.urls.sites import Partitions
from focuscrawl.values import Json

REPETITION, SESSION, _CALENDAR, _PARAMETERS, SEGMENTS = (
    "repetition",
    "session",
    "calendar",
    "parameters",
    "segments",
)

# Wide, all of them: a page lost to a false alarm is worse than some pages of a trap.
MOST_SEGMENTS = 25
MOST_PARAMETERS = 30
MOST_OF_ONE_NAME = 8
MOST_REPEATS = 3
YEARS_AHEAD = 2  # timetables and calls for papers name them
FIRST_YEAR = 1800  # newspaper archives go back that far
YEARS_BACK = 30  # months since then are too common to count
MOST_MONTHS = 840  # seventy years; more months of one shape are made up
SHAPES_KEPT = 2000

SESSION_SEGMENT = re.compile(
    r"/;?(?:jsession|phpsess|session|sess|s)_?id[-_=/:](?=[0-9a-z]*\d)[0-9a-z]{16,}(?=[/;.?]|$)",
    re.IGNORECASE,
)
_MONTH_NUMBER = r"(0[1-9]|1[0-2])"
PATH_MONTH = re.compile(  # with a separator: 203512 alone is rather the number of an article
    rf"/((?:19|20)\d\d)[-_/]{_MONTH_NUMBER}(?:[-_/](?:0[1-9]|[12]\d|3[01]))?(?=/|$)"
)
_YEAR_NUMBER = re.compile(r"=[1-9]\d{3}")
QUERY_MONTH = re.compile(
    rf"[?&][a-z_]*(?:date|month|day|cal|ym)[a-z_]*=([1-9]\d{{3}})-?{_MONTH_NUMBER}(?:-?\d\d)?(?=&|$)",
    re.IGNORECASE,
)
YEAR_PARAMETER = re.compile(r"[?&](?:year|yr|y)=([1-9]\d{3})(?=&|$)", re.IGNORECASE)
MONTH_PARAMETER = re.compile(r"[?&](?:month|mon|mo|m)=(0?[1-9]|1[0-2])(?=&|$)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")

FOLDER_COPIES = "copies"
"""The part of a site's record in the store that is written here."""

_OTHERS = 4
"""Other addresses of a site that have shown a page's text, for it to be a copy. A page, its printed
and its mobile version and one more spelling are still four addresses of a real page."""

FEWEST_OF_FORM, FEWEST_OF_SITE = 20, 60
"""Pages that are looked at before a form of address, or all of a site, is held to be a trap."""

_SHARE_OF_COPIES = 0.9
"""The share of copies among them."""

_WINDOW = 2
"""Counts are halved at so many times the fewest: what was long ago counts less."""

FIRST_OPEN, OPEN_AFTER = 10, 4
"""One link in ten of a trap is tried, and half as many after each four that were copies, too: what
a trap may cost grows with the logarithm of its links."""

_MOST_DOUBLINGS = 20  # one link in ten million: as good as none, and no number grows for ever
TEXTS_KEPT, COUNTS_KEPT = 100_000, 20_000  # what is forgotten has to show itself once more
_CELLS_A_ROW = 1 << 18
"""Of each row of the sketch of texts: half a megabyte in all, where a dict of as many texts as are kept took 8.4."""
_WHOLE_ADDRESS = ""
"""Stands for all forms of a site."""


_HARMFUL = rf"{INNER}|(?i:jsession|phpsess|session|sess|s)_?id"
_SEGMENT = r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*"
# A short path in which nothing can be a session or a month: trap_in finds nothing there, nor
# action_in but for its TAILS. It is also plain in the sense of urls.canonical.PLAIN.
HARMLESS = re.compile(rf"(?:/(?!19|20|{_HARMFUL}){_SEGMENT}){{1,{MOST_REPEATS}}}/?")


@lru_cache
def harmless_in(year: int) -> re.Pattern[str]:
    """Return what other harmless paths look like: dated ones (/2026/11/), and up to five segments.

    ``year`` is the present one. To be asked where HARMLESS has not matched, since it takes twice as
    long; a link looked at closely took 17 µs on a busy machine where one known by this took 3.3.
    """
    usual = "|".join(map(str, range(year - YEARS_BACK + 1, year + YEARS_AHEAD + 1)))
    odd_month = rf"(?:19|20)\d\d(?<!{usual})[-_/]"
    segment = rf"/(?!{odd_month}|{_HARMFUL}){_SEGMENT}"
    # A folder that comes four times in five stands among the first three, and behind them.
    new = rf"(?!(?:\1|\2|\3)(?:/|$)){segment}"
    return re.compile(rf"({segment})(?:({segment})(?:({segment})(?:{new}){{0,2}})?)?/?")


class Months:
    """Which old months each shape of address has shown: what tells an endless calendar.

    Two addresses of a site have one shape when they differ in digits only. At most SHAPES_KEPT
    shapes are remembered, a few hundred bytes each; when full, it starts anew.
    """

    __slots__ = ("_shown",)

    def __init__(self) -> None:
        self._shown: dict[str, int] = {}

    def count(self, shape: str, year: int, month: int) -> int:
        """Note a month of a shape; return how many different ones it has shown."""
        if len(self._shown) >= SHAPES_KEPT and shape not in self._shown:
            self._shown.clear()
        shown = self._shown.get(shape, 0) | 1 << (year - FIRST_YEAR) * 12 + month - 1
        self._shown[shape] = shown
        return shown.bit_count()


def trap_in(url: str, year: int, months: Months) -> str | None:
    """Return why a canonical address looks like a trap, None when it does not.

    ``year`` is the present one, ``months`` is kept from call to call.
    """
    # Without parameters it must have what the addresses of sessions or months have.
    may_name_trap = "?" in url or "/20" in url or "/19" in url or "id" in url.lower()
    if not may_name_trap and url.count("/") <= MOST_REPEATS + 2:
        return None  # most addresses of most sites
    head, _, query = url.partition("?")
    depth = head.count("/") - 2
    if depth > MOST_SEGMENTS:
        return SEGMENTS
    if depth > MOST_REPEATS and _repeats(head.split("/")[3:]):
        return REPETITION
    if query and _too_many_parameters(query):
        return _PARAMETERS
    if "id" in head.lower() and SESSION_SEGMENT.search(head):
        return SESSION
    found = _month(head, query)
    return _CALENDAR if found and _endless(url, found, year, months) else None


def _repeats(segments: list[str]) -> bool:
    """Whether a folder comes too often, or a row of folders again and again (/a/b/a/b/a/b)."""
    if len(set(segments)) == len(segments):
        return False
    for segment, count in Counter(segments).items():
        if count > MOST_REPEATS and not segment.isdecimal():
            return True
    for width in range(2, len(segments) // MOST_REPEATS + 1):
        for begin in range(len(segments) - width * MOST_REPEATS + 1):
            row = segments[begin : begin + width]
            if len(set(row)) > 1 and all(
                segments[begin + width * again : begin + width * (again + 1)] == row
                for again in range(1, MOST_REPEATS)
            ):
                return True
    return False


def _too_many_parameters(query: str) -> bool:
    count = query.count("&") + 1
    if count <= MOST_OF_ONE_NAME:
        return False
    if count > MOST_PARAMETERS:
        return True
    names = Counter(field.partition("=")[0] for field in query.split("&"))
    return any(
        times > MOST_OF_ONE_NAME and not name.endswith(("[]", "%5B%5D", "%5b%5d"))
        for name, times in names.items()
    )


def _endless(url: str, found: tuple[int, int], year: int, months: Months) -> bool:
    if found[0] > year - YEARS_BACK:
        return found[0] > year + YEARS_AHEAD
    return found[0] < FIRST_YEAR or months.count(_DIGITS.sub("0", url), *found) > MOST_MONTHS


def _month(head: str, query: str) -> tuple[int, int] | None:
    """Return the year and month an address names."""
    found = PATH_MONTH.search(head)
    if found is None and query and _YEAR_NUMBER.search(query):
        query = f"?{query}"
        found = QUERY_MONTH.search(query)
        if found is None:
            year, month = YEAR_PARAMETER.search(query), MONTH_PARAMETER.search(query)
            return (int(year[1]), int(month[1])) if year and month else None
    return (int(found[1]), int(found[2])) if found else None


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
        if self.pages < fewest or self.copies < _SHARE_OF_COPIES * self.pages:
            self.tried = -1
        else:
            self.tried = self.tried + 1 if is_copy else max(0, self.tried - OPEN_AFTER)
        if self.pages >= _WINDOW * fewest:
            self.pages //= 2
            self.copies //= 2
        return self.is_trap and not was_trap

    def refuses(self, url: str) -> bool:
        """Whether an address is not one of those that are tried."""
        every = FIRST_OPEN << min(self.tried // OPEN_AFTER, _MOST_DOUBLINGS)
        return crc32(url.encode()) % every != 0


class _Sketch:
    """How often each of many texts was shown: a count-min sketch, which never counts too few.

    With ``TEXTS_KEPT`` texts in it, it took none of a million others for one that ``_OTHERS`` have
    shown. It begins anew when it is full.
    """

    __slots__ = ("_cells", "_noted")

    def __init__(self) -> None:
        self._cells = bytearray(2 * _CELLS_A_ROW)
        self._noted = 0

    def add(self, number: int) -> int:
        """Count a text by a number of 60 bits; return how often it was counted before, at most 255."""
        if self._noted >= TEXTS_KEPT:
            self._cells, self._noted = bytearray(2 * _CELLS_A_ROW), 0
        self._noted += 1
        cells = self._cells
        first = number % _CELLS_A_ROW
        second = _CELLS_A_ROW + (number >> 30) % _CELLS_A_ROW
        shown = min(cells[first], cells[second])
        if shown < 255:
            cells[first] = max(cells[first], shown + 1)
            cells[second] = max(cells[second], shown + 1)
        return shown


class Copies:
    """What the sites of one run have shown. ``traps`` are sites with one; memory is bounded."""

    part, of_crawled = FOLDER_COPIES, False

    def __init__(self) -> None:
        self.traps: set[str] = set()
        self.before: frozenset[str] = frozenset()
        """Sites of which an earlier run has set addresses aside."""
        self._texts = _Sketch()
        self._counts: dict[tuple[str, str], _Count] = {}
        self._traps: dict[str, int] = {}
        self._changed: set[str] = set()

    def load(self, records: Mapping[str, Json]) -> None:
        """Take the sites that were traps in the last run; in this one they have to show it again."""
        before = {site for site, parts in records.items() if parts.get(FOLDER_COPIES)}
        self.before |= before
        self._changed |= before

    def release(self, partitions: Partitions) -> None:
        """Forget the sites of some partitions."""
        self.before = frozenset(site for site in self.before if not partitions.has(site))
        self.traps = {site for site in self.traps if not partitions.has(site)}
        partitions.take_from(self._traps)
        self._counts = {key: one for key, one in self._counts.items() if not partitions.has(key[0])}

    def changed(self, *, all_of_it: bool = False) -> dict[str, Json]:
        """Return what is to be stored of the sites that have become traps, or are none any more."""
        changed, self._changed = self._changed, set()
        return {site: {"trap": True} if site in self.traps else {} for site in changed}

    def note(self, url: str, site: str, text: bytes) -> str:
        """Count a page that was fetched for the first time; ``text`` is a digest of what it shows.

        Returns a sentence for people when this tells a trap, else "".
        """
        shown = self._texts.add(hash((site, text)))
        form = Form.of(url)
        told = ""
        for name in (_WHOLE_ADDRESS, form.expression if form else None):
            if name is None:
                continue
            if len(self._counts) >= COUNTS_KEPT:
                self._counts = {key: one for key, one in self._counts.items() if one.is_trap}
            count = self._counts.get((site, name))
            if count is None:
                count = self._counts[site, name] = _Count()
            fewest = FEWEST_OF_SITE if name == _WHOLE_ADDRESS else FEWEST_OF_FORM
            was_trap = count.is_trap
            if count.add(is_copy=shown >= _OTHERS, fewest=fewest):
                told = (
                    f"{site}{name}: {count.copies} of {count.pages} new pages show what"
                    f" {_OTHERS} other addresses have shown, as {url} does; most links like it are"
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
        whole = self._counts.get((site, _WHOLE_ADDRESS))
        if whole is None or not whole.is_trap:
            return False
        shows_news = own is not None and own.pages > _OTHERS and own.copies * 2 < own.pages
        return not shows_news and whole.refuses(url)

    def _conclude(self, site: str, change: int) -> None:
        """Count the traps of a site; ``change``: one more, or one that is open again."""
        traps = self._traps[site] = self._traps.get(site, 0) + change
        if bool(traps) != (site in self.traps):
            (self.traps.add if traps else self.traps.discard)(site)
            self._changed.add(site)
