"""Our readers as benchmarks and scorers call them, each with the bytes of a page; and the anchors.

An anchor is a plain choice of libraries for the same thing, as their documentation shows it: what
ours must not be worse than. Some are no part of the project's environment; ``ANCHORS`` has those
that are installed, ``MISSING`` says which are not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from lxml import html
from readability import Document as ReadabilityDocument
from resiliparse.extract.html2text import extract_plain_text

from focuscrawl.features import articles
from focuscrawl.features.articles.article import is_dated
from focuscrawl.features.articles.main_text import read_plain_text
from focuscrawl.features.forums.board import read_board
from focuscrawl.features.forums.threads.page import read_thread
from focuscrawl.features.records.entries import FoundRecord
from focuscrawl.features.records.reader import read_records
from focuscrawl.features.records.table import RecordTable
from focuscrawl.features.search.result_page import SearchStatus, read_results
from focuscrawl.features.search.table import EngineTable, SearchTable
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.kind import page_kind
from focuscrawl.readers.pages.links import find_links
from focuscrawl.readers.pages.paging import find_paging
from focuscrawl.template.load import load
from focuscrawl.values import PageClass

ZONE = "Asia/Shanghai"
Found = Mapping[str, str]
"""What is read off an article's page: text, title, date, author, source; "" or no key for none."""


def article(body: bytes, url: str) -> Found:
    """Read an article."""
    found = articles.read(body, url)
    return {
        "text": found.text,
        "title": found.title,
        "date": found.date,
        "author": found.author,
        "source": found.source_name,
    }


@cache
def record_rules() -> RecordTable:
    """Return the rules of the shipped template ``directory``."""
    return load("directory").template.named(RecordTable)["company"]


def records_of(document: Document) -> list[FoundRecord]:
    """Read the records of a page, dates in UTC."""
    dated = partial(is_dated, document, fetched=None, timezone="UTC")
    return read_records(document, record_rules(), is_dated=dated)


def contact_records(body: bytes, url: str) -> list[dict[str, Any]]:
    """Return the records of a page as plain dicts; the field website is called url."""
    found = []
    for record in records_of(Document.read(body, url=url)):
        values = {
            "url" if name == "website" else name: [one.value for one in many]
            if record_rules().by_name[name].many
            else many[0].value
            for name, many in record.items()
        }
        found.append(values)
    return found


_SHIPPED_NAMES = {"360": "so360", "so": "so360", "ddg": "duckduckgo", "ddg-lite": "duckduckgo-lite"}
# Its results are read by their looks alone, as those of any engine without selectors.
_NOT_SHIPPED = """
[search.engine.google]
url = "https://www.google.com/search?q={query}&start={first}"
"""
_STATUS = {SearchStatus.OK: "results", SearchStatus.EMPTY: "empty"}


@cache
def engines() -> dict[str, EngineTable]:
    """Return the engines that are shipped, by name."""
    shipped = (
        files("focuscrawl.features.search").joinpath("engines.toml").read_text(encoding="utf-8")
    )
    names = (name for name, one in tomllib.loads(shipped)["engine"].items() if one.get("url"))
    asked = ", ".join(f'"{name}"' for name in (*names, "google"))
    text = f'[topic]\nname = "serp"\n[search]\nqueries = ["-"]\nengines = [{asked}]\n{_NOT_SHIPPED}'
    return load(text).template.of(SearchTable).engine


def answer(body: bytes, engine: str) -> dict[str, Any]:
    """Read a page of results: ``status`` (results, empty, blocked; a page that cannot be read is
    blocked, it never means "no results") and ``results`` with href as written, url, title, rank.

    Raises KeyError for an engine that is not shipped.
    """
    known = engines()[_SHIPPED_NAMES.get(engine, engine)]
    url = known.url.of("-", 1) if known.url else ""
    read = read_results(Fetched(url, 200, body, "", 0.0), known)
    results = [
        {"href": one.href, "url": one.url, "title": one.title, "rank": one.rank}
        for one in read.results
    ]
    return {"status": _STATUS.get(read.status, "blocked"), "results": results}


def forum_boards(body: bytes, url: str, now: float | None = None) -> list[dict[str, Any]]:
    """Return the threads of a board with their counts as plain dicts; read at ``now``, seconds."""
    found = read_board(Document.read(body, url=url), timezone=ZONE, now=now).threads
    return [{"url": one.url, "replies": one.replies, "views": one.views} for one in found]


def thread_posts(body: bytes, url: str, now: float | None = None) -> list[dict[str, Any]]:
    """Return the posts of a page of a thread as plain dicts; ``posted`` in seconds."""
    found = read_thread(Document.read(body, url=url), timezone=ZONE, now=now)
    posts = found.posts if found else ()
    return [{"author": one.author, "posted": one.posted, "text": one.text} for one in posts]


def page_class(body: bytes, url: str) -> str:
    """Return the class of a page by its own signs."""
    document = Document.read(body, url=url)
    return page_kind(document, find_links(document)).page_class.name


def paging(body: bytes, url: str) -> dict[str, Any]:
    """Return the addresses of a list's links, and of the page that follows it, "" for none."""
    document = Document.read(body, url=url)
    links = find_links(document)
    following = find_paging(document, links, PageClass.BOARD).next
    return {"links": [link.url for link in links], "next": following[0].url if following else ""}


def _decoded(body: bytes) -> str:
    return Document.read(body, url="http://example.com/").markup.decode("utf-8", "replace")


def _plain(body: bytes, url: str) -> Found:
    return {"text": read_plain_text(Document.read(body, url=url))}


def _resiliparse(body: bytes, url: str) -> Found:
    return {"text": str(extract_plain_text(_decoded(body), main_content=True))}


def _readability(body: bytes, url: str) -> Found:
    read = ReadabilityDocument(_decoded(body))
    summary = html.fromstring(read.summary(html_partial=True))
    text = "".join(map(str, summary.itertext()))
    return {"text": text, "title": read.short_title()}


def _trafilatura(body: bytes, url: str) -> Found:
    read = import_module("trafilatura").bare_extraction(_decoded(body), url=url, with_metadata=True)
    found = read.as_dict() if read else {}
    wanted = {"text": "text", "title": "title", "date": "date", "author": "author"}
    return {name: str(found.get(key) or "") for name, key in wanted.items()}


def _gne(body: bytes, url: str) -> Found:
    read = import_module("gne").GeneralNewsExtractor().extract(_decoded(body))
    wanted = {"text": "content", "title": "title", "date": "publish_time", "author": "author"}
    return {name: str(read.get(key) or "") for name, key in wanted.items()}


Reading = Callable[[bytes, str], Found]
_OF_OTHERS: dict[str, Reading] = {"trafilatura": _trafilatura, "gne": _gne}
MISSING = [name for name in _OF_OTHERS if find_spec(name) is None]
ANCHORS: dict[str, Reading] = {
    "first sight": _plain,
    "readability": _readability,
    "resiliparse": _resiliparse,
} | {name: call for name, call in _OF_OTHERS.items() if name not in MISSING}
