"""Addresses of one page, learnt site by site: http and https, index files, empty folders, parameters that change
nothing.

Both schemes address one page, and the one that was found first is asked for (A8). A site that has no
https, or no http any more, answers the other one only: then a page is asked for as other links to this
site are written. No site is asked for an address that no page writes, since behind the other port may be
another owner's pages, or none, which says nothing of these.

``X/`` and ``X/index.html`` are mostly one page, but on some sites they differ; ``?sid=`` is mostly a
visit's number, but on some sites a story's; ``/news//1.html`` is mostly a slash too many, but on some
sites an empty name. So all are learnt from pages that were fetched: what two addresses showed that
differ in nothing else. What is not learnt costs a page twice; what were
learnt wrongly would lose one, so a single page that speaks against it undoes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zlib import crc32

from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.urls.sites import KEY_BITS
from focuscrawl.values import Json

if TYPE_CHECKING:
    from focuscrawl.urls.canonical import Canonicalizer
    from focuscrawl.urls.sites import Partitions

SAME_PAGES = "same_pages"
"""The part of a site's record in the store that is written here."""

FEWEST_FOLDERS = 2
"""Folders of a site that have shown the same as their index file, with different texts: a site
that answers everything alike has shown nothing."""

_EMPTY_FOLDERS = re.compile("/{2,}")

FEWEST_PAGES, FEWEST_TEXTS = 5, 3
"""Pairs of pages that differed in the value of one parameter only, and different texts of them."""

MOST_READ = 500_000
"""Folders and index files that are remembered as read; what is forgotten is asked for twice."""

FIRST_TRIED, TRIED_AFTER, _MOST_DOUBLINGS = 10, 4, 20
"""One address in ten of those with something that changes nothing is still a page of its own, and half
as many after each four pairs that were alike: so what was learnt wrongly is found out, and what was
learnt rightly costs the logarithm of its addresses."""

MOST_FIELDS = 6  # each is compared alone, at the price of an address in memory
PAGES_KEPT = 8_000
"""Pages that wait for another one to be compared with, some 450 bytes each. With 20,000 of them a crawl that stays took 9
MB more, and ever more of it for its first twenty minutes (soak)."""

VISIT_FOLDER = re.compile(r"(?=\d*[a-z_])(?=[a-z_]*\d)[\w.~-]{12,}", re.IGNORECASE)
"""Folders that may be the number of a visit: ``/s/0a1b2c3d4e5f6a7b/list.html``."""

FIRST_FOLDER = 3
"""The place of the first folder in an address that is split at its slashes."""

EMPTY_FOLDERS = "//"
"""What is learnt of a site whose addresses may have a slash too many."""

_ANY = "*"
INDEX = re.compile(r"/((?:index|default)\.(?:s?html?|php|aspx?|jsp|cfm))$", re.IGNORECASE)
OF_A_VISIT = re.compile(r"(?=\d*[a-z_])(?=[a-z_]*\d)[\w.~-]{6,}", re.IGNORECASE)
"""Values that may be the number of a visit. Digits alone may be an article's, and the first of those may
all say "log in to read": sessions that are counted in digits are not learnt. The same page under another
language, month or page number may be one that is not translated, an empty one, the last one: it says
nothing."""


@dataclass(slots=True)
class _Evidence:
    """How many pairs were ``alike``, with which ``texts``, and how many were ``different``."""

    alike: int = 0
    different: int = 0
    texts: set[bytes] = field(default_factory=set)

    def add(self, text: bytes, other: bytes) -> None:
        if text != other:
            self.different += 1
            return
        self.alike += 1
        if len(self.texts) < FEWEST_TEXTS:
            self.texts.add(text)

    def holds(self, pairs: int, texts: int) -> bool:
        return not self.different and self.alike >= pairs and len(self.texts) >= texts


class SamePages:
    """What was learnt of all sites. Everything that waits to be compared may be lost."""

    part, of_crawled = SAME_PAGES, False

    def __init__(self) -> None:
        self.files: dict[str, tuple[str, ...]] = {}
        """Index files that show what their folder shows, by site."""
        self.dropped: dict[str, frozenset[str]] = {}
        """What changes nothing, by site: names of parameters, folders that hold the number of a visit
        (``/2``: the second), and empty ones (``//``)."""
        self._read: set[int] = set()
        self._evidence: dict[tuple[str, str], _Evidence] = {}
        self._shown: dict[tuple[str, str, str], tuple[str, bytes]] = {}
        self._names: dict[str, set[str]] = {}
        self._changed: set[str] = set()

    def load(self, records: Mapping[str, Json]) -> None:
        """Take what earlier runs have learnt: ``Loaded.records``, whose parts PART are read."""
        for site, parts in records.items():
            learnt = parts.get(SAME_PAGES, {})
            names = learnt.get("dropped", ())
            for name in (*learnt.get("files", ()), *(f"{name}=" for name in names)):
                texts = {bytes([number]) for number in range(FEWEST_TEXTS)}
                self._evidence[site, name] = _Evidence(FEWEST_PAGES, texts=texts)
                self._conclude(site, name)
        self._changed -= records.keys()

    def release(self, partitions: Partitions) -> None:
        """Forget the sites of some partitions."""
        for memory in (self.files, self.dropped, self._names):
            partitions.take_from(memory)
        self._evidence = {
            key: one for key, one in self._evidence.items() if not partitions.has(key[0])
        }
        self._shown = {key: one for key, one in self._shown.items() if not partitions.has(key[0])}
        self._read = {number for number in self._read if number >> KEY_BITS not in partitions}

    def changed(self, *, all_of_it: bool = False) -> dict[str, Json]:
        """Return what is to be stored of sites of which something was learnt since the last call."""
        changed, self._changed = self._changed, set()
        return {
            site: {
                "files": list(self.files.get(site, ())),
                "dropped": sorted(self.dropped.get(site, ())),
            }
            for site in changed
        }

    def note(self, url: str, site: str, text: bytes) -> None:
        """Learn from a page that was fetched for the first time; ``text`` is a digest of what it shows."""
        head, mark, query = url.partition("?")
        self._note_slashes(url, site, text)
        folders = head.split("/")
        for place in range(FIRST_FOLDER, len(folders) - 1):
            if VISIT_FOLDER.fullmatch(value := folders[place]):
                others = "/".join([*folders[:place], _ANY, *folders[place + 1 :]])
                name = f"/{place - FIRST_FOLDER + 1}="
                self._compare(site, name, f"{others}{mark}{query}", value, text)
        if not mark:
            found = INDEX.search(head)
            folder = head[: head.rfind("/") + 1]
            if found is not None or folder == head:
                self._note_file(folder, found[1] if found else "", site, text)
            return
        fields = query.split("&")
        if len(fields) > MOST_FIELDS:
            return
        for place, one in enumerate(fields):
            name, _, value = one.partition("=")
            others = "&".join(fields[:place] + fields[place + 1 :])
            self._compare(site, f"{name}=", f"{head}?{others}", value, text)

    def twins(self, url: str, site: str) -> Iterable[str]:
        """Return the other addresses of a page without parameters, by what the site has shown."""
        names = self.files.get(site)
        if names is None or "?" in url:
            return ()
        folder = url[: url.rfind("/") + 1]
        if folder == url:
            return [f"{folder}{name}" for name in names]
        return [folder] if url[len(folder) :] in names else ()

    def may_have_twin(self, url: str) -> bool:
        """Whether an address is that of a folder or of an index file."""
        return "?" not in url and (url.endswith("/") or INDEX.search(url) is not None)

    def note_read(self, number: int) -> None:
        """Note that this run has read the folder or index file with this key number."""
        if len(self._read) >= MOST_READ:
            self._read.clear()
        self._read.add(number)

    def is_read(self, number: int) -> bool:
        """Whether this run has read the folder or index file with this key number."""
        return number in self._read

    def plain(self, url: str, site: str) -> str:
        """Return an address without what changes nothing on its site: only to compare, not to ask for."""
        names = self.dropped.get(site)
        if not names:
            return url
        if EMPTY_FOLDERS in names:
            url = without_empty_folders(url)
        head, mark, query = url.partition("?")
        folders = head.split("/")
        for place in range(FIRST_FOLDER, len(folders) - 1):
            if f"/{place - FIRST_FOLDER + 1}" in names and VISIT_FOLDER.fullmatch(folders[place]):
                folders[place] = _ANY
        head = "/".join(folders)
        if not mark:
            return head
        kept = [one for one in query.split("&") if one.partition("=")[0] not in names]
        return f"{head}?{'&'.join(kept)}" if kept else head

    def is_tried(self, url: str, site: str) -> bool:
        """Whether an address with something that changes nothing is asked for, to see if that holds."""
        query = url.partition("?")[2]
        present = {one.partition("=")[0] for one in query.split("&")}
        known = self.dropped.get(site, frozenset[str]())
        if EMPTY_FOLDERS in known and without_empty_folders(url) == url:
            known = known - {EMPTY_FOLDERS}
        names = [name for name in known if name in present or name[:1] == "/"]
        pairs = [one.alike for name in names if (one := self._evidence.get((site, f"{name}=")))]
        doublings = min(min(pairs, default=0) // TRIED_AFTER, _MOST_DOUBLINGS)
        return crc32(url.encode()) % (FIRST_TRIED << doublings) == 0

    def _note_slashes(self, url: str, site: str, text: bytes) -> None:
        """Compare a page with that whose address has other empty folders."""
        base = without_empty_folders(url)
        shown = self._shown.get((site, EMPTY_FOLDERS, base))
        if shown is None:
            self._keep(site, EMPTY_FOLDERS, base, url, text)
        elif shown[0] != url:
            self._add(site, f"{EMPTY_FOLDERS}=", text, shown[1])

    def _note_file(self, folder: str, name: str, site: str, text: bytes) -> None:
        if name:
            if len(self._names) >= PAGES_KEPT:
                self._names.clear()
            self._names.setdefault(site, set()).add(name)
            self._keep(site, name, folder, name, text)
            shown = self._shown.get((site, "", folder))
            if shown is not None:
                self._add(site, name, text, shown[1])
            return
        self._keep(site, "", folder, "", text)
        for known in self._names.get(site, ()):
            if (site, known, folder) in self._shown:
                self._add(site, known, text, self._shown[site, known, folder][1])

    def _keep(self, site: str, kind: str, base: str, value: str, text: bytes) -> None:
        if len(self._shown) >= PAGES_KEPT:
            self._shown.clear()
        self._shown[site, kind, base] = value, text

    def _compare(self, site: str, name: str, base: str, value: str, text: bytes) -> None:
        shown = self._shown.get((site, name, base))
        if shown is None:
            self._keep(site, name, base, value, text)
        elif shown[0] != value and (
            shown[1] != text or (OF_A_VISIT.fullmatch(value) and OF_A_VISIT.fullmatch(shown[0]))
        ):
            self._add(site, name, text, shown[1])

    def _add(self, site: str, name: str, text: bytes, other: bytes) -> None:
        if len(self._evidence) >= PAGES_KEPT:
            self._evidence = {key: one for key, one in self._evidence.items() if one.alike}
        self._evidence.setdefault((site, name), _Evidence()).add(text, other)
        self._conclude(site, name)

    def _conclude(self, site: str, name: str) -> None:
        evidence = self._evidence[site, name]
        if name.endswith("="):
            names = set(self.dropped.get(site, ())) - {name[:-1]}
            is_slash = name[:-1] == EMPTY_FOLDERS
            fewest = (FEWEST_FOLDERS,) * 2 if is_slash else (FEWEST_PAGES, FEWEST_TEXTS)
            if evidence.holds(*fewest):
                names.add(name[:-1])
            if names != self.dropped.get(site, frozenset()):
                self.dropped[site] = frozenset(names)
                self._changed.add(site)
            return
        files = set(self.files.get(site, ())) - {name}
        if evidence.holds(FEWEST_FOLDERS, FEWEST_FOLDERS):
            files.add(name)
        if files != set(self.files.get(site, ())):
            self.files[site] = tuple(sorted(files))
            self._changed.add(site)


def without_empty_folders(url: str) -> str:
    """Return an http(s) address whose path has no empty folders; what stands behind ``?`` stays."""
    scheme, _, rest = url.partition("://")
    head, mark, query = rest.partition("?")
    return f"{scheme}://{_EMPTY_FOLDERS.sub('/', head)}{mark}{query}" if "//" in head else url


SCHEMES = "schemes"
"""The part of a site's record that says how it can be reached."""

HTTP, HTTPS = "http:", "https:"
WRITTEN, ANSWERED, REFUSED = 1, 2, 4
"""What is known of one scheme of a site; that of https stands three bits higher than that of http."""

HTTPS_BITS = 3  # three facts of each scheme: six bits a site
MOST_SITES = 500_000
"""Sites of which is remembered how links to them are written; those that were asked come on top."""


def other_scheme(url: str) -> str:
    """Return an http(s) address with the other scheme."""
    if url.startswith(HTTPS):
        return HTTP + url[len(HTTPS) :]
    return HTTPS + url[len(HTTP) :]


def other_address(canonicalizer: Canonicalizer, url: str) -> str:
    """Return the address of a page by the other scheme; "" where that is another page, or the same.

    The template may tell http and https apart, or write one as the other. Both spellings are compared
    and not the page's key, which is another's where a parameter was found to change nothing.
    """
    found = canonicalizer.address(other_scheme(url))
    if found is None or found.url == url or found.key != canonicalizer.key(url):
        return ""
    return found.url


class Schemes(SiteValues[int]):
    """Which of http and https the addresses of each site were written with, and which answer."""

    def __init__(self) -> None:
        super().__init__(SCHEMES, int)
        self.of_crawled = True

    def written(self, site: str, url: str) -> None:
        """Note that a page, or a source, has an address of a site."""
        known = self.get(site) or 0
        if not known & WRITTEN << _bits(url) and (known or len(self) < MOST_SITES):
            self.put(site, known | WRITTEN << _bits(url))

    def answered(self, site: str, url: str) -> None:
        """Note that an address of a site got an answer, of any kind."""
        known, bits = (self.get(site) or 0), _bits(url)
        if known >> bits & (ANSWERED | REFUSED) != ANSWERED:
            self.put(site, (known | (WRITTEN | ANSWERED) << bits) & ~(REFUSED << bits))

    def refused(self, site: str, url: str) -> None:
        """Note that a site cannot be reached by an address's scheme, but is by the other."""
        self.put(site, (self.get(site) or 0) | REFUSED << _bits(url))

    def is_refused(self, site: str, url: str) -> bool:
        """Whether a site is known not to be reached by an address's scheme."""
        return bool((self.get(site) or 0) & REFUSED << _bits(url))

    def may_be_other(self, site: str, url: str, *, failed_before: bool) -> bool:
        """Whether an address that could not be reached may be asked for by the other scheme.

        Some page writes it so, and its own scheme has never been answered, or the address
        ``failed_before``: what has answered once is mostly in trouble for an hour.
        """
        known, bits = (self.get(site) or 0), _bits(url)
        is_written = bool(known & WRITTEN << HTTPS_BITS - bits)
        return is_written and (failed_before or not known & ANSWERED << bits)


def _bits(url: str) -> int:
    return HTTPS_BITS if url.startswith(HTTPS) else 0
