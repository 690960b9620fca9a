"""Articles as they are stored: the latest version of each, paging joined, and what it leaves behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import BigInteger, Boolean, ColumnElement, Index, and_, case, literal_column, select

from focuscrawl.results.columns import (
    JSON_COLUMN,
    KEY_COLUMN,
    SMALL_COUNT,
    Figure,
    LineColumn,
    TextColumn,
    Time,
    clean_text,
    cut,
    key_column,
    may,
    must,
    table,
    text_md5,
    time_or_none,
)
from focuscrawl.results.kind import (
    HistoryKept,
    Orphans,
    RowContext,
    RowKind,
    RowOutcome,
    RowValues,
    WriteWindow,
)
from focuscrawl.results.kinds.article_search import without_words
from focuscrawl.results.kinds.versions import (
    ARTICLE,
    DIFFERENCE,
    VERSIONS,
    WHOLE_TEXT,
    Version,
    pack,
    unpack_text,
    versions_before,
)
from focuscrawl.results.upsert import Columns, last
from focuscrawl.results.views import views
from focuscrawl.values import Article

if TYPE_CHECKING:
    from sqlalchemy import Connection

_AT_A_TIME = 200
_ZERO: ColumnElement[int] = literal_column("0")
_ONE: ColumnElement[int] = literal_column("1")

_LEAD = 300
"""Characters of an article's beginning in their own column."""

ARTICLES = table(
    "articles",
    key_column("url_key", KEY_COLUMN),
    must("url", TextColumn),
    must("host", LineColumn(255)),
    may("title", LineColumn(500)),
    may("text", TextColumn),
    may("lead", LineColumn(300)),
    may("published", Time),
    may("published_raw", LineColumn(80)),
    may("published_by", LineColumn(16)),
    may("source_name", LineColumn(120)),
    may("author", LineColumn(200)),
    may("language", LineColumn(8)),
    may("tags", JSON_COLUMN),
    may("keywords", JSON_COLUMN),
    may("hits", JSON_COLUMN),
    may("score", Figure),
    may("images", JSON_COLUMN),
    may("files", JSON_COLUMN),
    must("page_count", SMALL_COUNT),
    must("complete", Boolean),
    may("length", SMALL_COUNT),
    may("text_md5", KEY_COLUMN),
    may("simhash", BigInteger),
    may("story_id", KEY_COLUMN),
    must("is_copy", Boolean),
    must("version", SMALL_COUNT),
    must("fetched", Time),
    must("found", Time),
    must("updated", Time),
    may("gone_at", Time),
    may("label", LineColumn(10)),
    may("source_id", LineColumn(64)),
    may("run_id", LineColumn(40)),
    may("extra", JSON_COLUMN),
    Index("articles_found", "topic", "found"),
    Index("articles_host", "topic", "host", "found"),
    Index("articles_published", "topic", "published"),
    Index("articles_story", "topic", "story_id"),
    Index("articles_updated", "topic", "updated"),
    about="One row per article (paging joined). The latest version; earlier ones in `versions`.",
)

TODAY = """
SELECT a.topic, {local:a.found} AS time, a.host AS site, a.source_name, a.title, a.score, a.hits,
       coalesce(s.articles, 1) AS story_size, a.url
FROM articles a
LEFT JOIN stories s ON s.topic = a.topic AND s.story_id = a.story_id
WHERE a.found >= {midnight} AND a.is_copy = {false}
ORDER BY a.found DESC
"""


def article_row(article: Article, context: RowContext) -> RowValues:
    """Return the row of an article as if it were new; the database keeps ``found`` and counts."""
    body = clean_text(article.text)
    fetched = article.fetched or context.now
    return {
        "topic": context.topic,
        "url_key": article.url_key,
        "url": article.url,
        "host": article.host,
        "title": article.title,
        "text": body if context.text == "full" else None,
        "lead": None if context.text == "none" else cut(body, _LEAD),
        "published": time_or_none(article.published),
        "published_raw": article.published_raw or None,
        "published_by": article.published_by or None,
        "source_name": article.source_name or None,
        "author": article.author or None,
        "language": article.language or None,
        "tags": article.tags,
        "keywords": article.keywords,
        "hits": article.hits,
        "score": article.score,
        "images": article.images,
        "files": article.files,
        "page_count": article.page_count,
        "complete": article.complete,
        "length": len(body),
        "text_md5": text_md5(body),
        "story_id": article.story_id or None,
        "is_copy": article.is_copy,
        "version": 1,
        "fetched": fetched,
        "found": fetched,
        "updated": fetched,
        "source_id": article.source_id or None,
        "run_id": context.run_id,
        "extra": article.extra or None,
    }


def _changed(old: Columns, new: Columns) -> ColumnElement[bool]:
    """Another text is a change; a part that was missing and is there now is none."""
    return and_(old.complete, old.text_md5.is_distinct_from(new.text_md5))


def _version(old: Columns, new: Columns) -> ColumnElement[Any]:
    version: ColumnElement[Any] = old.version
    return version + case((_changed(old, new), _ONE), else_=_ZERO)


def _updated(old: Columns, new: Columns) -> ColumnElement[Any]:
    return case((_changed(old, new), new.fetched), else_=old.updated)


def _write(window: WriteWindow, articles: list[RowValues]) -> RowOutcome:
    """Write articles, the versions they leave behind, and their words into the index.

    One that misses a part never replaces one that is complete.
    """
    outcome, kept = _compare(window, articles)
    left = article_versions(window.connection, kept, window.history, outcome.new)
    window.put(VERSIONS.name, left)
    window.put(ARTICLES.name, kept)
    if window.index is not None:
        window.index.write(window.connection, kept)
    return outcome


def _compare(window: WriteWindow, articles: list[RowValues]) -> tuple[RowOutcome, list[RowValues]]:
    """Return what the articles are to those that are stored, and which are to be written."""
    keys = {str(row["url_key"]) for row in articles}
    found = window.connection.execute(
        select(ARTICLES.c.url_key, ARTICLES.c.text_md5, ARTICLES.c.complete).where(
            ARTICLES.c.topic == window.topic, ARTICLES.c.url_key.in_(keys)
        )
    )
    stored = {row.url_key: row for row in found}
    whole = {key for key, row in stored.items() if row.complete}
    kept = [row for row in articles if row["complete"] or row["url_key"] not in whole]
    fresh = {str(row["url_key"]): row for row in kept}
    known = fresh.keys() & stored.keys()
    different = {key for key in known if fresh[key]["text_md5"] != stored[key].text_md5}
    outcome = RowOutcome(
        new=frozenset(fresh.keys() - stored.keys()),
        changed=frozenset(different & whole),
        completed=frozenset(key for key in known - whole if fresh[key]["complete"]),
    )
    return outcome, kept


def _is_told(change: RowValues, window: WriteWindow) -> bool:
    outcome = window.outcome(ARTICLES.name)
    if change["kind"] == "new":
        return change["url_key"] in outcome.new
    if change["kind"] == "completed":
        return change["url_key"] in outcome.completed | outcome.new
    return True


ARTICLE_ROWS = RowKind(
    ARTICLES,
    article_row,
    item=Article,
    feed="article",
    needs={"url_key": str},
    keep={"found", "is_copy"},
    merge={"version": _version, "updated": _updated, "story_id": last("story_id")},
    besides={"simhash", "gone_at", "label"},
    write=_write,
    counters=("new", "changed"),
    what=ARTICLE,
    is_told=_is_told,
    views=views(today=TODAY),
    address="url_key",
    seen="fetched",
    forgetting=without_words,
    orphans=(
        Orphans(
            "articles name a story that is not there",
            "url",
            "story_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM stories s"
            " WHERE s.topic = articles.topic AND s.story_id = articles.story_id)",
        ),
    ),
)


# What is stored ---------------------------------------------------------------------------------


class StoredArticle(NamedTuple):
    """What is compared of an article that is stored; ``text`` is "" when none is, ``length`` that of
    the whole text, whatever is stored of it.
    """

    title: str
    text: str
    complete: bool
    length: int


def stored_article(connection: Connection, topic: str, key: str) -> StoredArticle | None:
    """Return an article as it is stored; None when it is not."""
    table = ARTICLES.c
    query = select(table.title, table.text, table.complete, table.length).where(
        table.topic == topic, table.url_key == key
    )
    row = connection.execute(query).first()
    if row is None:
        return None
    text, length = row.text or "", row.length
    length = len(text) if length is None else int(length)  # other programs may write none
    return StoredArticle(row.title or "", text, bool(row.complete), length)


def is_complete(connection: Connection, topic: str, key: str) -> bool | None:
    """Return whether no part of an article that is stored is missing; None when it is not stored."""
    query = select(ARTICLES.c.complete).where(ARTICLES.c.topic == topic, ARTICLES.c.url_key == key)
    found = connection.execute(query).scalar()
    return None if found is None else bool(found)


# Versions -------------------------------------------------------------------------------------


def article_versions(
    connection: Connection,
    rows: Sequence[Mapping[str, Any]],
    mode: HistoryKept,
    new: Container[str] = (),
) -> list[RowValues]:
    """Return the rows of versions that articles about to be written (in order) leave behind.

    ``rows`` are of one topic, and say the text as it will be stored; ``new`` are keys that are not
    stored. Nothing is returned when all are as they were; a row may replace one that is stored.
    """
    counts = Counter(str(row["url_key"]) for row in rows)
    rows = [row for row in rows if row["url_key"] not in new or counts[row["url_key"]] > 1]
    if not rows:
        return []
    keys = list(dict.fromkeys(str(row["url_key"]) for row in rows))
    topic = str(rows[0]["topic"])
    now = {key: dict(row) for key, row in _articles(connection, topic, keys).items()}
    before = _latest(connection, topic, [row for row in now.values() if row["version"] > 1])
    left: dict[tuple[str, int], RowValues] = {}
    for row in rows:
        key = str(row["url_key"])
        old = now.get(key)
        now[key] = _follows(old, row)
        moved = old is not None and now[key]["version"] != old["version"]
        if old is None or (old["text"] == row["text"] and not moved):
            continue
        start = old["version"] - 1
        earlier = left.get((key, start)) or before.get((key, start))
        if moved and mode != "none":
            made = _left_behind(old, topic, row["text"] if mode == "diff" else None)
            left[key, old["version"]] = made
        elif earlier is not None and earlier["encoding"] == DIFFERENCE:
            base = row["text"] if mode == "diff" and not moved else None
            left[key, start] = _based_anew(earlier, old["text"], base)
    return list(left.values())


def _follows(old: Mapping[str, Any] | None, row: Mapping[str, Any]) -> RowValues:
    """Return what is to be known of an article after it is written (see ARTICLE_ROWS)."""
    if old is None:
        return {**row, "version": 1}
    changed = bool(old["complete"]) and old["text_md5"] != row["text_md5"]
    updated = row["fetched"] if changed else old["updated"]
    return {**row, "version": old["version"] + changed, "updated": updated}


def _left_behind(old: Mapping[str, Any], topic: str, newer: str | None) -> RowValues:
    text = old["text"] if old["text"] is not None else old["lead"]
    body, encoding = (
        (None, WHOLE_TEXT) if text is None else pack(text, newer if old["text"] else None)
    )
    return {
        "topic": topic,
        "url_key": old["url_key"],
        "version": old["version"],
        "kind": ARTICLE,
        "title": old["title"],
        "body": body,
        "encoding": encoding,
        "text_md5": old["text_md5"],
        "at": old["updated"],
    }


def _based_anew(earlier: RowValues, was: str | None, newer: str | None) -> RowValues:
    try:
        text = unpack_text(earlier["body"], earlier["encoding"], was)
    except ValueError:  # damaged before: scrapy topic check-data says so
        return earlier
    body, encoding = pack(text, newer)
    return {**earlier, "body": body, "encoding": encoding}


def _articles(
    connection: Connection, topic: str, keys: Sequence[str]
) -> dict[str, Mapping[Any, Any]]:
    columns = [
        ARTICLES.c[name]
        for name in (
            "url_key", "title", "text", "lead", "text_md5", "complete", "version", "updated",
        )
    ]  # fmt: skip
    found: dict[str, Mapping[Any, Any]] = {}
    for start in range(0, len(keys), _AT_A_TIME):
        some = keys[start : start + _AT_A_TIME]
        query = select(*columns).where(ARTICLES.c.topic == topic, ARTICLES.c.url_key.in_(some))
        found |= {row["url_key"]: row for row in connection.execute(query).mappings()}
    return found


def _latest(
    connection: Connection, topic: str, articles: Iterable[Mapping[str, Any]]
) -> dict[tuple[str, int], RowValues]:
    """Return the version before the newest of some articles."""
    found = {}
    for article in articles:
        key, version = article["url_key"], article["version"] - 1
        query = select(VERSIONS).where(
            VERSIONS.c.topic == topic,
            VERSIONS.c.url_key == key,
            VERSIONS.c.kind == ARTICLE,
            VERSIONS.c.version == version,
        )
        for row in connection.execute(query).mappings():
            found[key, version] = dict(row)
    return found


def read_versions(connection: Connection, topic: str, key: str, kind: str) -> list[Version]:
    """Return the earlier versions of an article or of a kind of record, newest first.

    Raises ResultsError when one of them cannot be read.
    """
    if kind != ARTICLE:
        return versions_before(connection, topic, key, kind)
    query = select(ARTICLES.c.version, ARTICLES.c.text).where(
        ARTICLES.c.topic == topic, ARTICLES.c.url_key == key
    )
    version, text = connection.execute(query).one_or_none() or (0, None)
    return versions_before(connection, topic, key, kind, version, text)
