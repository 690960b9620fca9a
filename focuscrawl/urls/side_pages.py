"""Pages beside pages: views that a program has of each page of its own, learnt site by site.

A wiki may have ``X/_source/``, ``X/_history/`` and ``X/_dir/`` of every page X, or ``X?view=attachments``: of 70 pages of
one 350 such were read, and told nothing. An address says of which page it is a view: it is that page's own, and a *tail*
behind it. What a tail gives is found out beside the first pages that have it. Where it was nothing each time, the
others are not asked for, but for a few, by which a site may show that it is otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from focuscrawl.urls.actions import FILES_OF_PAGES
from focuscrawl.values import Json

if TYPE_CHECKING:
    from focuscrawl.urls.sites import Partitions

SIDE_PAGES = "side_pages"
"""The part of a site's record in the store that is written here."""

FEWEST_PAGES = 4
"""Pages whose views have given nothing, from which others of the same tail are left."""

FEWEST_ALIKE, NOTHING_BESIDE = 2, 4
"""So many are enough where other views (or lists of other forms) of a site have given nothing so many times: a wiki with five views of a page showed
them all of its four sections, and of 70 pages 55 views were read."""

FIRST_TRIED, TRIED_AFTER, _MOST_DOUBLINGS = 16, 4, 12
"""One in sixteen is still asked for, and half as many after each four more that have given nothing."""

LONGEST_TAIL, MOST_FOLDERS = 48, 2
"""A tail has so many characters at most, and so many folders: ``_plugin/attachments``."""

FEWEST_LISTS = 3
"""Lists of one form that have shown nothing new, from which others of that form wait for later runs. They are not lost,
as views are: of 26 lists of tags, categories and months of a blog of 70 posts none led to a post that its front page
and the pages behind that did not show."""

LIKE = "like "
"""How the name of a form of lists begins, which no tail has: these begin with a number."""

FEWEST_FOLDERS, LONGEST_LIST = 2, 500
"""An address of a list's form has a folder before its name, and so many characters at most: ``/about/`` and ``/shop/``
say nothing of each other."""

_DIGIT = re.compile(r"\d")
TAILS_KEPT = 20_000
"""Tails of all sites that are remembered; what is forgotten is learnt anew."""


@dataclass(slots=True)
class _Given:
    """How many views of a tail have given ``nothing``, since they were ``copies`` or for another reason; one that has
    given ``something`` ends it, unless the others are copies: then it was what the program says of each page.
    """

    nothing: int = 0
    copies: int = 0
    something: int = 0
    fewest: int = FEWEST_PAGES

    @property
    def is_left(self) -> bool:
        is_first = self.something == 1 and self.copies >= FEWEST_PAGES
        return self.nothing >= self.fewest and (not self.something or is_first)


class SidePages:
    """What was learnt of the tails of all sites; ``sites`` are those with one that is left."""

    part, of_crawled = SIDE_PAGES, False

    def __init__(self) -> None:
        self.sites: dict[str, set[str]] = {}
        self._given: dict[tuple[str, str], _Given] = {}
        self._changed: set[str] = set()
        self._met: set[tuple[str, str]] = set()
        self._views: dict[str, int] = {}  # by site: how many views have given nothing
        self._lists: dict[str, int] = {}  # and how many lists of one form

    def load(self, records: Mapping[str, Json]) -> None:
        """Take what earlier runs have learnt."""
        for site, parts in records.items():
            for tail in parts.get(SIDE_PAGES, {}).get("tails", ()):
                self._given[site, tail] = _Given(FEWEST_PAGES, fewest=fewest_of(tail))
                if not tail.startswith(LIKE):
                    self._views[site] = self._views.get(site, 0) + FEWEST_PAGES
                self.sites.setdefault(site, set()).add(tail)

    def release(self, partitions: Partitions) -> None:
        """Forget the sites of some partitions."""
        partitions.take_from(self.sites)
        self._given = {key: one for key, one in self._given.items() if not partitions.has(key[0])}
        self._met = {one for one in self._met if not partitions.has(one[0])}
        partitions.take_from(self._views)
        partitions.take_from(self._lists)

    def changed(self, *, all_of_it: bool = False) -> dict[str, Json]:
        """Return what is to be stored of sites of which something was learnt since the last call."""
        changed, self._changed = self._changed, set()
        return {site: {"tails": sorted(self.sites.get(site, ()))} for site in changed}

    def note(self, tail: str, site: str, *, has_given: bool, is_copy: bool = False) -> None:
        """Learn what the view of a page has given; ``is_copy``: a text that another address has shown."""
        if len(self._given) >= TAILS_KEPT:
            self._given = {key: one for key, one in self._given.items() if one.is_left}
            self._views.clear()
            self._lists.clear()
        given = self._given.setdefault((site, tail), _Given(fewest=fewest_of(tail)))
        given.something += has_given
        given.copies += is_copy
        given.nothing += not has_given
        beside = self._lists if tail.startswith(LIKE) else self._views
        beside[site] = beside.get(site, 0) + (not has_given)
        if beside[site] - given.nothing >= NOTHING_BESIDE:
            given.fewest = FEWEST_ALIKE
        known = self.sites.setdefault(site, set())
        if given.is_left != (tail in known):
            (known.add if given.is_left else known.discard)(tail)
            self._changed.add(site)
        if not known:
            del self.sites[site]

    def recurs(self, tail: str, site: str) -> bool:
        """Whether a tail was met before on a site, and remember it."""
        if (site, tail) in self._met:
            return True
        if len(self._met) >= TAILS_KEPT:
            self._met.clear()
        self._met.add((site, tail))
        return False

    def _is_left(self, given: _Given, tail: str, site: str) -> bool:
        """Whether a tail is left: by what it has given, or by that once, and what the same name has elsewhere."""
        if given.is_left or given.something or not given.nothing:
            return given.is_left
        name = name_of(tail)
        return any(name_of(one) == name for one in self.sites.get(site, ()))

    def puts_off(self, site: str) -> bool:
        """Whether lists of a site may wait for later, since like ones have shown nothing new."""
        return any(tail.startswith(LIKE) for tail in self.sites.get(site, ()))

    def refuses(self, url: str, site: str) -> bool:
        """Whether an address is that of a view which is left, from any page, and none of those that are tried."""
        tails = self.sites.get(site)
        if tails is None:
            return False
        names = {*map(name_of, tails)}
        found = (tail for page in pages_above(url) if (tail := tail_behind(url, page)))
        known = (tail for tail in found if name_of(tail) in names)
        return any(self.leaves(tail, url, site) for tail in known)

    def leaves(self, tail: str, url: str, site: str) -> bool:
        """Whether an address of a tail is left, and none of those that are tried."""
        given = self._given.get((site, tail))
        if given is None or not self._is_left(given, tail, site):
            return False
        beside = 0 if tail.startswith(LIKE) else self._views.get(site, 0)
        nothing = max(given.nothing, beside)
        doublings = min(nothing // TRIED_AFTER, _MOST_DOUBLINGS)
        return crc32(url.encode()) % (FIRST_TRIED << doublings) != 0


def name_of(tail: str) -> str:
    """Return a tail without how deep it lies."""
    return tail.partition(" ")[2]


def fewest_of(tail: str) -> int:
    """Return how many must have given nothing before others of a tail, or of a form of lists, are left."""
    return FEWEST_LISTS if tail.startswith(LIKE) else FEWEST_PAGES


def tail_behind(url: str, page: str) -> str:
    """Return what stands behind a page's own address in another one, and how deep that lies: ``2 _source``; "" where it
    is no view of it.

    A front page has no views: all of a site stands behind it. A tail with a digit is a number, of a page or of a month.
    """
    base = page.rstrip("/")
    if not url.startswith(base):
        return ""  # most links of a page
    rest = url[len(base) :]
    is_behind = rest[:1] in {"/", "?", "."} and base.count("/") > 2
    tail = rest.strip("/?")
    if not is_behind or not tail or len(tail) > LONGEST_TAIL or _DIGIT.search(tail):
        return ""
    if rest.startswith(("?", "/?")):
        is_view = "&" not in tail and "?" not in base
    else:
        is_view = tail.count("/") < MOST_FOLDERS and "?" not in tail
    # The pages of one kind lie in folders of one depth: the index of a folder's pages is another view than a page's.
    return f"{base.count('/') - 2} {tail}" if is_view else ""


def form_of_list(url: str) -> str:
    """Return what the addresses of like lists have in common: ``like blog/tag/*``, ``like archive/#/*``; "" for none.

    What tells one from the other stands last, and may have a year before it. A front page is like no other.
    """
    path, mark, _ = url.partition("?")
    folders = path.split("/")[3:]
    while folders and not folders[-1]:
        folders.pop()
    if mark or len(folders) < FEWEST_FOLDERS or len(path) > LONGEST_LIST:
        return ""
    before = ("#" if one.isdecimal() else one for one in folders[:-1])
    return f"{LIKE}{'/'.join(before)}/*"


def tail_of_view(url: str, parent_key: bytes, key_of: Callable[[str], bytes | None]) -> str:
    """Return the tail of an address of which only the key of the page is known on which it was found."""
    for page in pages_above(url):
        if (tail := tail_behind(url, page)) and key_of(page) == parent_key:
            return tail
    return ""


def pages_above(url: str) -> Iterator[str]:
    """Go through the addresses of the pages of which one may be a view."""
    above, mark, _ = url.partition("?")
    if mark:
        yield above
        return
    above = above.rstrip("/")
    name, dot, ending = above.rpartition(".")
    # tags/alpha.xml is the feed of tags/alpha/; most pages' own addresses end in .html, and are asked about once each.
    if dot and ending.isalpha() and ending not in FILES_OF_PAGES and name.count("/") > 2:
        yield f"{name}/"
        yield name
    for _ in range(MOST_FOLDERS):
        above = above.rpartition("/")[0]
        yield f"{above}/"
        yield above
