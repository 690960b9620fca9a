"""Addresses that lead nowhere: rules that recognise crawler traps, each with a reason.

Only the address is looked at, so the rules are wide: a page lost to a false alarm is worse than a
few pages of a trap, which depth and the site's limits bound anyway.
"""

from __future__ import annotations

import re
from collections import Counter

from focuscrawl.urls.actions import INNER

REPETITION, SESSION, CALENDAR, PARAMETERS, SEGMENTS = (
    "repetition",
    "session",
    "calendar",
    "parameters",
    "segments",
)

MOST_SEGMENTS = 25
MOST_PARAMETERS = 30
MOST_OF_ONE_NAME = 8
MOST_REPEATS = 3
YEARS_AHEAD = 2
FIRST_YEAR = 1800  # newspaper archives go back that far
YEARS_BACK = 30  # months since then are too common to count
MOST_MONTHS = 840
SHAPES_KEPT = 2000

SESSION_SEGMENT = re.compile(
    r"/;?(?:jsession|phpsess|session|sess|s)_?id[-_=/:](?=[0-9a-z]*\d)[0-9a-z]{16,}(?=[/;.?]|$)",
    re.IGNORECASE,
)
MONTH = r"(0[1-9]|1[0-2])"
PATH_MONTH = re.compile(  # with a separator: 203512 alone is rather the number of an article
    rf"/((?:19|20)\d\d)[-_/]{MONTH}(?:[-_/](?:0[1-9]|[12]\d|3[01]))?(?=/|$)"
)
# A short path in which nothing can be a session or a month: trap_in finds nothing there, nor
# action_in but for its TAILS. It is also plain in the sense of urls.canonical.Origin.
HARMLESS = re.compile(
    rf"(?:/(?!19|20|{INNER}|(?i:jsession|phpsess|session|sess|s)_?id)"
    rf"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*){{1,{MOST_REPEATS}}}/?"
)
YEAR = re.compile(r"=[1-9]\d{3}")
QUERY_MONTH = re.compile(
    rf"[?&][a-z_]*(?:date|month|day|cal|ym)[a-z_]*=([1-9]\d{{3}})-?{MONTH}(?:-?\d\d)?(?=&|$)",
    re.IGNORECASE,
)
YEAR_PARAMETER = re.compile(r"[?&](?:year|yr|y)=([1-9]\d{3})(?=&|$)", re.IGNORECASE)
MONTH_PARAMETER = re.compile(r"[?&](?:month|mon|mo|m)=(0?[1-9]|1[0-2])(?=&|$)", re.IGNORECASE)
DIGITS = re.compile(r"\d+")


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
    if "?" not in url and url.count("/") <= MOST_REPEATS + 2 and not _may_name_trap(url):
        return None  # most addresses of most sites
    head, _, query = url.partition("?")
    depth = head.count("/") - 2
    if depth > MOST_SEGMENTS:
        return SEGMENTS
    if depth > MOST_REPEATS and _repeats(head.split("/")[3:]):
        return REPETITION
    if query and _too_many_parameters(query):
        return PARAMETERS
    if "id" in head.lower() and SESSION_SEGMENT.search(head):
        return SESSION
    found = _month(head, query)
    return CALENDAR if found and _endless(url, found, year, months) else None


def _may_name_trap(url: str) -> bool:
    """Whether an address without parameters has what those of sessions or months must have."""
    return "/20" in url or "/19" in url or "id" in url.lower()


def _repeats(segments: list[str]) -> bool:
    """Whether a folder comes too often, or a row of folders again and again (/a/b/a/b/a/b)."""
    if len(set(segments)) == len(segments):
        return False
    for segment, count in Counter(segments).items():
        if count > MOST_REPEATS and len(segment) > 2 and not segment.isdecimal():
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
    return found[0] < FIRST_YEAR or months.count(DIGITS.sub("0", url), *found) > MOST_MONTHS


def _month(head: str, query: str) -> tuple[int, int] | None:
    """Return the year and month an address names."""
    found = PATH_MONTH.search(head)
    if found is None and query and YEAR.search(query):
        query = f"?{query}"
        found = QUERY_MONTH.search(query)
        if found is None:
            year, month = YEAR_PARAMETER.search(query), MONTH_PARAMETER.search(query)
            return (int(year[1]), int(month[1])) if year and month else None
    return (int(found[1]), int(found[2])) if found else None
