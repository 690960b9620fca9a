"""Atom for feed readers: an entry for each change, the 200 newest, its id that of the change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from lxml import etree
from sqlalchemy import Select, Text, and_, cast, func, select

from focuscrawl.output.summary.cells import without_direction
from focuscrawl.output.summary.markup import element, is_link
from focuscrawl.readers.text.moments import midnight_of
from focuscrawl.stores.results.columns import clean_line, clean_text, json_text, time_text
from focuscrawl.stores.results.kinds.story_roots import with_story

if TYPE_CHECKING:
    from markupsafe import Markup
    from sqlalchemy import ColumnElement, Connection, FromClause

    from focuscrawl.output.export.sheets import ResultTables

MOST_IN_FEED = 200
LONGEST_CONTENT = 20_000
"""Characters of a difference in one entry: readers keep them all."""

ATOM = "http://www.w3.org/2005/Atom"
TAG_URI = "tag:focuscrawl,2026:"

CHANGE_WORDS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "new": "新",
        "major": "有改动",
        "minor": "小改动",
        "moved": "已移动",
        "gone": "已消失",
        "back": "已恢复",
        "completed": "已补全",
        "reply": "有新回复",
        "redesign": "网站改版",
    },
    "en": {
        "new": "New",
        "major": "Changed",
        "minor": "Slightly changed",
        "moved": "Moved",
        "gone": "Gone",
        "back": "Back",
        "completed": "Completed",
        "reply": "New replies",
        "redesign": "Redesigned",
    },
}


class FeedScope(NamedTuple):
    """What a feed is about: all of some ``topics``, or what has a tag, or one story; ``wanted`` says which of it."""

    title: str
    topics: tuple[str, ...]
    tag: str = ""
    story_id: str = ""
    wanted: str = ""

    @property
    def feed_id(self) -> str:
        """Its id, which is the same whatever is in it: readers take another for another feed."""
        about = f"/tag/{self.tag}" if self.tag else f"/story/{self.story_id}" if self.story_id else ""  # fmt: skip
        which = f"/{hashlib.md5(self.wanted.encode()).hexdigest()[:8]}" if self.wanted else ""
        return f"{TAG_URI}{'+'.join(sorted(self.topics))}{about}{which}"


class AtomEntry(NamedTuple):
    """A change with what is known of the page it has happened to; times in seconds since 1970 UTC."""

    topic: str
    change_id: str
    at: float
    kind: str
    url: str
    title: str
    diff: str
    lead: str
    medium: str
    published: float | None
    published_date: str
    tags: tuple[str, ...]


def entries_of(
    connection: Connection,
    results: ResultTables,
    scope: FeedScope,
    since: float | None,
    wanted: ColumnElement[bool] | None = None,
) -> list[AtomEntry]:
    """Return the newest changes of a topic that belong into a feed, newest first.

    ``wanted`` is a condition on changes.
    """
    query = _query(results, scope, since)
    if wanted is not None:
        query = query.where(wanted)
    rows = connection.execute(query.limit(MOST_IN_FEED)).mappings()
    return [
        AtomEntry(
            results.topic,
            row["change_id"],
            row["at"],
            row["kind"],
            row["url"],
            row["title"] or "",
            row["diff"] or "",
            row["lead"] or "",
            row["medium"] or "",
            row["published"],
            row["published_date"] or "",
            tuple(map(str, row["tags"] or ())),
        )
        for row in rows
    ]


def _query(results: ResultTables, scope: FeedScope, since: float | None) -> Select[Any]:
    changes, articles = results.tables["changes"], results.tables["articles"]
    own = changes.c
    of_it = and_(articles.c.topic == own.topic, articles.c.url_key == own.url_key)
    medium = func.coalesce(articles.c.medium, articles.c.source_name)
    query = select(
        *(own.change_id, own.at, own.kind, own.url, own.title, own.diff),
        *(articles.c.lead, articles.c.published, articles.c.published_date, articles.c.tags),
        medium.label("medium"),
    )
    rows: FromClause = changes.outerjoin(articles, of_it)
    if scope.story_id:
        rows, story_id = with_story(rows, articles, results.tables["stories"])
        query = query.where(story_id == scope.story_id)
    query = query.select_from(rows).where(own.topic == results.topic)
    if scope.tag:
        quoted = json_text(scope.tag)
        query = query.where(cast(articles.c.tags, Text).contains(quoted, autoescape=True))
    if since is not None:
        query = query.where(own.at >= since)
    return query.order_by(own.at.desc(), own.change_id)


def write_atom(
    file: IO[bytes], scope: FeedScope, entries: Sequence[AtomEntry], language: str, now: float
) -> int:
    """Write a feed of the newest of some entries; return how many it has."""
    newest = sorted(entries, key=lambda one: (-one.at, one.change_id))[:MOST_IN_FEED]
    feed = etree.Element(f"{{{ATOM}}}feed", nsmap={None: ATOM})  # type: ignore[dict-item]
    feed.set("{http://www.w3.org/XML/1998/namespace}lang", language)
    _add(feed, "id", scope.feed_id)
    _add(feed, "title", scope.title)
    _add(feed, "updated", time_text(newest[0].at if newest else now))
    _add(_add(feed, "author"), "name", "focuscrawl")
    for entry in newest:
        _add_entry(_add(feed, "entry"), entry, CHANGE_WORDS.get(language, CHANGE_WORDS["en"]))
    etree.ElementTree(feed).write(file, encoding="utf-8", xml_declaration=True)
    return len(newest)


def _add_entry(element: etree._Element, entry: AtomEntry, words: Mapping[str, str]) -> None:
    kind = words.get(entry.kind, entry.kind)
    title = clean_line(entry.title) or entry.url
    _add(element, "id", f"{TAG_URI}{entry.topic}/{entry.change_id}")
    _add(element, "title", title if entry.kind == "new" else f"{kind}: {title}")
    _add(element, "updated", time_text(entry.at))
    if entry.published is not None:
        # A time is what the form asks for: that of a day without one is of its own zone, so that it stays that day.
        day = midnight_of(entry.published_date, entry.published)
        _add(element, "published", day or time_text(entry.published))
    if is_link(entry.url):
        _add(element, "link", href=clean_line(entry.url), rel="alternate")
    if entry.medium:
        _add(_add(element, "author"), "name", entry.medium)
    for term in (entry.kind, *entry.tags):
        _add(element, "category", term=clean_line(term))
    _add(element, "content", "".join(_content(entry, kind)), type="html")


def _add(parent: etree._Element, name: str, text: str = "", **attributes: str) -> etree._Element:
    """Add an element, with a text that is no markup."""
    element = etree.SubElement(parent, f"{{{ATOM}}}{name}", attributes)
    if text:
        element.text = without_direction(clean_text(text))
    return element


def _content(entry: AtomEntry, kind: str) -> Iterator[Markup]:
    """Go through the HTML of an entry: nothing of a page stands in it but as text."""
    yield element("p", " · ".join(filter(None, (kind, entry.medium))))
    if entry.kind == "new" and entry.lead:
        yield element("p", without_direction(entry.lead))
    if entry.diff:
        yield element("pre", without_direction(entry.diff[:LONGEST_CONTENT]))
    if not is_link(entry.url):
        yield element("p", entry.url)
