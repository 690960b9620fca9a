"""How our reading of feeds, sitemaps, addresses and encodings agrees with the tests of other projects.

Method. ``--data DIR`` holds checkouts of their repositories or unpacked sdists; nothing of them is here, and what is
missing is named:

- ``feedparser``: tests/wellformed, illformed and encoding. Each file is read by us and by feedparser itself, with the
  headers that it names. It agrees when both find the same entries that have an address on the web, with the same
  titles without markup; ``dates`` is the share of dated entries whose date is one of those that feedparser finds.
- ``crawler-commons``: its sitemaps (a file agrees when every ``loc`` of an address on the web is found, and nothing
  else), and its table of weird addresses: pairs of which each becomes the same canonical address with us.
- ``urltestdata.json`` (or ``wpt/url/resources/urltestdata.json``): references on the web, joined to their base.
- ``html5lib-tests``: encoding/*.dat (its ``scripted`` cases run scripts), by the names of the WHATWG; the default of a
  page in ASCII that says nothing is UTF-8 here, and windows-1252 there.

The last line has a share of each, and how many there were. ``--misses`` prints each that differs.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from calendar import timegm
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import feedparser
from lxml import etree

from benchmarks.parts.children import arguments, finish, table
from focuscrawl.readers.pages.document import Joiner
from focuscrawl.readers.pages.encodings import codec_name, find_encoding
from focuscrawl.readers.pages.feeds.feeds import read_feed, unpack
from focuscrawl.readers.pages.feeds.sitemaps import read_sitemap
from focuscrawl.urls.canonical import Canonicalizer

SERVED = "http://127.0.0.1:8097/tests/"
"""Where feedparser's tests serve their files: some expect addresses there."""

HEADER = re.compile(r"^Header:\s*([\w-]+):\s*(.*?)\s*$", re.MULTILINE)
NO_BASE = "https://a.test/"
"""The base of references that have none: absolute ones of its scheme alone would be read by it."""

MARKUP = re.compile(r"<[^>]{0,2000}>")
ON_THE_WEB = ("http://", "https://")
ABSOLUTE = ("http:", "https://")


class Case(NamedTuple):
    """One case: what it is called, what others make of it, and what we do."""

    name: str
    wanted: Any
    found: Any

    @property
    def agrees(self) -> bool:
        return bool(self.wanted == self.found)


def plain(text: str) -> str:
    """Return a title without markup and doubled blanks."""
    return " ".join(html.unescape(MARKUP.sub(" ", html.unescape(text or ""))).split())


def on_the_web(url: str) -> bool:
    return url.startswith(ON_THE_WEB)


def feeds(folder: Path, dated: list[Case]) -> Iterator[Case]:
    """Read each file of a folder of feedparser's tests; its dates are added to ``dated``."""
    for path in sorted(folder.rglob("*.xml")):
        body = path.read_bytes()
        url = SERVED + path.relative_to(folder.parent).as_posix()
        headers = {"content-type": "application/xml", "content-location": url}
        headers |= {name.lower(): value for name, value in HEADER.findall(body.decode("latin-1"))}
        location = Joiner(url).join(headers["content-location"]) or url
        theirs = feedparser.parse(
            io.BytesIO(body), response_headers={**headers, "content-location": location}
        )
        wanted = {}
        for entry in theirs.entries:
            link = Joiner(location).join(entry.get("link", ""))
            if entry.get("link") and link and on_the_web(link):
                wanted[link] = entry
        read = read_feed(body, location, content_type=headers["content-type"])
        name = path.relative_to(folder.parent).as_posix()
        found = {entry.url: entry for entry in read.entries}
        yield Case(
            name,
            {link: plain(entry.get("title", "")) for link, entry in wanted.items()},
            {link: plain(entry.title) for link, entry in found.items()},
        )
        for link in wanted.keys() & found.keys():
            moments = {
                float(timegm(moment))
                for key in ("published_parsed", "updated_parsed", "created_parsed")
                if (moment := wanted[link].get(key))
            }
            if moments:
                date = found[link].published
                dated.append(Case(f"{name} {link}", True, date in moments))


def sitemaps(folder: Path) -> Iterator[Case]:
    """Read each sitemap of crawler-commons; what it names is taken by an XML parser that knows nothing of ours."""
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        body, _ = unpack(path.read_bytes())
        url = f"http://www.example.com/{path.name}"
        root = etree.fromstring(body, etree.XMLParser(recover=True, resolve_entities=False))
        kind = "" if root is None else etree.QName(root).localname
        if kind in {"urlset", "sitemapindex"}:
            locations = root.xpath("//*[local-name()='url' or local-name()='sitemap']/*[local-name()='loc']/text()")  # fmt: skip
        elif body[:1] != b"<":
            locations = body.decode("utf-8", "replace").split()
        else:
            continue
        joined = (Joiner(url).join(one.strip()) for one in locations)
        read = read_sitemap(path.read_bytes(), url)
        found = {entry.url for entry in read.pages} | {*read.sitemaps}
        yield Case(path.name, {one for one in joined if one and on_the_web(one)}, found)


def weird_addresses(path: Path) -> Iterator[Case]:
    """Make both sides of each line of a table canonical."""
    address = Canonicalizer().address
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader((line for line in lines if line.strip() and line[0] != "#"), skipinitialspace=True)  # fmt: skip
        for row in rows:
            if len(row) == 2 and all(map(on_the_web, row)):
                one, other = address(row[0]), address(row[1])
                yield Case(row[0], other and other.key, one and one.key)


def references(path: Path) -> Iterator[Case]:
    """Join the references of the web platform's tests to their bases."""
    for case in json.loads(path.read_text("utf-8")):
        if isinstance(case, str) or not on_the_web(base := case.get("base") or NO_BASE):
            continue
        wanted = case.get("href", "").partition("#")[0]
        reference = case["input"]
        if not case.get("base") and not reference.lower().startswith(ABSOLUTE):
            continue  # without a base it is refused, and a crawler has one
        if case.get("failure"):
            wanted = None
        elif not on_the_web(wanted) or reference[:1] == "#":
            continue  # nothing that a crawler fetches
        yield Case(f"{reference!r} at {base}", wanted, Joiner(base).join(reference))


def encodings(folder: Path) -> Iterator[Case]:
    """Find the encodings of html5lib's cases."""
    for path in sorted(folder.glob("*.dat")):
        for number, part in enumerate(path.read_bytes().split(b"#data\n")[1:]):
            data, _, wanted = part.partition(b"\n#encoding\n")
            name = wanted.strip().decode("ascii").lower()
            yield Case(
                f"{path.name} {number} {data[:60]!r}",
                _read(data, codec_name(name) or name),
                _read(data, find_encoding(data).name),
            )


def _read(data: bytes, name: str) -> str:
    """Return the name of an encoding; those that read these bytes alike are one, and so are the defaults."""
    return "default" if name in {"utf-8", "cp1252"} and data.isascii() else name


def main() -> None:
    """Read what is there, print a table and the figures."""
    given = arguments(__doc__, "data", "misses")
    data = Path(given.data or "peers")
    addresses = data / "urltestdata.json"
    if not addresses.exists():
        addresses = data / "wpt/url/resources/urltestdata.json"
    resources = data / "crawler-commons/src/test/resources"
    dated: list[Case] = []
    sets = {
        "wellformed": (data / "feedparser/tests/wellformed", lambda one: feeds(one, dated)),
        "illformed": (data / "feedparser/tests/illformed", lambda one: feeds(one, dated)),
        "encoding": (data / "feedparser/tests/encoding", lambda one: feeds(one, dated)),
        "sitemaps": (resources / "sitemaps", sitemaps),
        "weird_addresses": (resources / "normalizer/weirdToNormalizedUrls.csv", weird_addresses),
        "references": (addresses, references),
        "html5lib": (data / "html5lib-tests/encoding", encodings),
    }
    results: dict[str, list[Case]] = {}
    for name, (place, read) in sets.items():
        if place.exists():
            results[name] = [*read(place)]
        else:
            print(f"{name}: {place} is not there: not read")
    if dated:
        results["dates"] = dated
    rows = []
    figures: dict[str, Any] = {}
    for name, cases in results.items():
        agreeing = sum(one.agrees for one in cases)
        figures[name] = round(agreeing / len(cases), 4) if cases else None
        rows.append((name, len(cases), agreeing, figures[name]))
        for one in cases if given.misses else ():
            if not one.agrees:
                print(f"{name}: {one.name}\n  theirs {one.wanted}\n  ours   {one.found}")
    table(("set", "cases", "agree", "share"), rows)
    finish(figures | {"cases": sum(map(len, results.values()))})


if __name__ == "__main__":
    main()
