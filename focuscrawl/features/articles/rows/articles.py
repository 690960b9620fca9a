"""Articles as they are stored: the latest version of each, paging joined, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    CHAR,
    BigInteger,
    Boolean,
    ColumnElement,
    Index,
    and_,
    case,
    func,
    literal_column,
    select,
    update,
)

from focuscrawl.features.articles.rows.history import article_versions
from focuscrawl.features.articles.rows.text_index import open_index, without_words
from focuscrawl.readers.text.lines import line_number
from focuscrawl.stores.results.columns import (
    JSON_COLUMN,
    KEY_COLUMN,
    LARGE_COUNT,
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
from focuscrawl.stores.results.kind import (
    Orphans,
    RowContext,
    RowKind,
    RowOutcome,
    RowValues,
    WriteWindow,
    row_by_names,
)
from focuscrawl.stores.results.kinds.history import ARTICLE, CHANGES, NO_VERSIONS, VERSIONS
from focuscrawl.stores.results.kinds.pages import PAGES, refused_by_words
from focuscrawl.stores.results.kinds.runs import CRAWL_RUNS, call_gone
from focuscrawl.stores.results.kinds.story_roots import STORY_OF_ARTICLE
from focuscrawl.stores.results.schema import LOCAL, View, views
from focuscrawl.stores.results.upsert import Columns, last
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import Article, CutLines, File

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

_AT_A_TIME = 200
_ZERO: ColumnElement[int] = literal_column("0")
_ONE: ColumnElement[int] = literal_column("1")
COMPARED = (
    *(
        "url_key",
        "url",
        "aliases",
        "title",
        "text",
        "lead",
        "text_md5",
        "complete",
        "version",
        "updated",
    ),
)
OF_A_VERSION = frozenset({"minor", "major", "completed"})
"""Changes that have made the version that is stored."""

_LEAD_LETTERS = 300  # characters of an article's beginning in their own column

ARTICLES = table(
    "articles",
    key_column(
        "url_key",
        KEY_COLUMN,
        "The article's key: MD5 of the address at which its first page was found first.",
    ),
    must("url", TextColumn, "The address of its first page, where it stands now."),
    must("host", LineColumn(255), "The host it is from."),
    may("title", LineColumn(500), "Its title."),
    may(
        "text",
        TextColumn,
        "Its whole text, lists among its paragraphs included, captions of images not (but in a story told in pictures); paragraphs are separated by a line feed. Empty by output.text.",
    ),
    may("lead", LineColumn(300), "How it begins: 300 characters."),
    may(
        "published",
        Time,
        "When it says it was published; empty where it does not say so, never guessed.",
        "UTC",
    ),
    may("published_raw", LineColumn(80), "The words that say so, as printed."),
    may("published_by", LineColumn(16), "Where they stand: json-ld, meta, rule, url …"),
    may(
        "published_date",
        LineColumn(32),
        "The same by ISO 8601, in its own zone and no more precise than it is printed: a day without a time is that day.",
    ),
    may("source_name", LineColumn(120), "来源 as printed: who it was taken from."),
    may(
        "medium",
        LineColumn(120),
        "Who publishes it, for people: 来源, else the name of its source in the template, else what the site calls itself; empty: its host.",
    ),
    may("author", LineColumn(200), "Its author, as printed."),
    may("language", LineColumn(8), "The language of its text."),
    may("tags", JSON_COLUMN, "The tags of the topic, the source and the site."),
    may("keywords", JSON_COLUMN, "What it is about: its 20 weightiest words, [word, weight]."),
    may("hits", JSON_COLUMN, "The topic's words that it has: {word: how often}.", "times"),
    may("score", Figure, "How much it belongs to the topic.", "0 to 1"),
    may("images", JSON_COLUMN, "The addresses of its images."),
    may("files", JSON_COLUMN, "The keys of its files, as in the table files."),
    must("page_count", SMALL_COUNT, "The pages it was put together from.", "pages"),
    must("complete", Boolean, "Whether none of its pages is missing."),
    may("length", SMALL_COUNT, "The length of its text.", "characters"),
    may("text_md5", KEY_COLUMN, "MD5 of its text without white space."),
    may("simhash", BigInteger, "SimHash of its text, signed.", "64 bits"),
    may("story_id", KEY_COLUMN, "The story it tells."),
    must("is_copy", Boolean, "Whether an earlier article has the same text."),
    may(
        "known",
        Boolean,
        "Whether it stood there when the topic, or its source, was read for the first time. False: it came later and is news; empty, in rows of earlier versions: known.",
    ),
    must(
        "version",
        SMALL_COUNT,
        "1, and one more with each counted change of its text.",
        "changes + 1",
    ),
    must("fetched", Time, "When it was read last.", "UTC"),
    must("found", Time, "When it was stored first.", "UTC"),
    must("updated", Time, "When its text changed last, else when it was found.", "UTC"),
    may("gone_at", Time, "Since when it is gone for sure; empty: it is there.", "UTC"),
    may("label", LineColumn(10), "What a person said of it: relevant, irrelevant, read, starred."),
    may(
        "source_id",
        LineColumn(64),
        "The source it was found through: its name, else host and path of its first address.",
    ),
    may("run_id", LineColumn(40), "The run that wrote it last."),
    may("extra", JSON_COLUMN, "What a user's own pipeline added."),
    may(
        "aliases",
        JSON_COLUMN,
        "The addresses at which it stood before it moved, the first one first.",
    ),
    Index("articles_found", "topic", "found"),
    Index("articles_host", "topic", "host", "found"),
    Index("articles_published", "topic", "published"),
    Index("articles_story", "topic", "story_id"),
    Index("articles_updated", "topic", "updated"),
    about="One row per article (paging joined). The latest version; earlier ones in `versions`.",
)

FILES = table(
    "files",
    key_column("file_key", KEY_COLUMN, "The file's key: MD5 of its address."),
    must("url", TextColumn, "Its address."),
    may("parent_key", KEY_COLUMN, "The article that it belongs to."),
    may("path", TextColumn, "Where its content lies below the folder of files; empty: nowhere."),
    may("warc", TextColumn, "The archive it lies in; empty: in none."),
    may("warc_offset", LARGE_COUNT, "Where it begins there.", "bytes"),
    may("sha256", CHAR(64), "SHA-256 of its content: equal files have the same."),
    may("content_type", LineColumn(80), "What its server calls it."),
    may("bytes", LARGE_COUNT, "Its length.", "bytes"),
    must("fetched", Time, "When it was fetched.", "UTC"),
    Index("files_parent", "topic", "parent_key"),
    Index("files_sha", "sha256"),
    about="Attachments and archived pages.",
)

TODAY = f"""
SELECT a.topic, {{local:a.found}} AS time, a.host AS site, a.source_name, a.title, a.score, a.hits,
       coalesce(s.articles, 1) AS story_size, a.url
FROM articles a {STORY_OF_ARTICLE}
WHERE a.found >= {{midnight}} AND a.is_copy = {{false}} AND a.known = {{false}}
ORDER BY a.found DESC
"""  # noqa: S608 - of constants alone

NEWS = f"""
SELECT a.topic, {{local:a.found}} AS time, a.title, coalesce(a.medium, a.source_name, a.host) AS medium,
       a.url AS address, s.title AS story, coalesce(s.hosts, 1) AS sites, {{words:a.hits}} AS words
FROM articles a {STORY_OF_ARTICLE}
WHERE a.known = {{false}} AND a.is_copy = {{false}} AND a.gone_at IS NULL
ORDER BY a.found DESC
"""  # noqa: S608 - of constants alone

_OF_AN_ARTICLE = {
    "topic": ("The name of the topic.", ""),
    "time": ("When it was found.", LOCAL),
    "title": ("Its title.", ""),
}


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
        "lead": None if context.text == "none" else cut(body, _LEAD_LETTERS),
        "published": time_or_none(article.published),
        "published_raw": article.published_raw or None,
        "published_by": article.published_by or None,
        "published_date": article.published_date or None,
        "source_name": article.source_name or None,
        "medium": article.medium or None,
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
        "known": article.known,
        "version": 1,
        "fetched": fetched,
        "found": fetched,
        "updated": fetched,
        "source_id": article.source_id or None,
        "run_id": context.run_id,
        "extra": article.extra or None,
        "aliases": None,
    }


MOST_ALIASES, LONGEST_ALIAS = 20, 2_083
"""The latest addresses of an article that are kept, and their characters: a site may move it every day."""


def _places(row: RowValues, stored: RowMapping | None) -> list[str] | None:
    """Return the addresses at which an article stood before the one that is written; None: at none.

    http and https are one address.
    """
    if stored is None or not isinstance(row["url"], str):  # as a user's pipeline has left it
        return None
    known = [*(stored["aliases"] or ()), stored["url"]]
    now = row["url"].partition("://")[2]
    places = [
        one
        for one in dict.fromkeys(known)
        if len(one) <= LONGEST_ALIAS and one.partition("://")[2] != now
    ]
    return places[-MOST_ALIASES:] or None


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
    topic, connection = window.topic, window.connection
    keys = {str(row["url_key"]) for row in articles}
    found = select(*(ARTICLES.c[name] for name in COMPARED)).where(
        ARTICLES.c.topic == topic, ARTICLES.c.url_key.in_(keys)
    )
    stored = {row["url_key"]: row for row in connection.execute(found).mappings()}
    whole = {key for key, row in stored.items() if row["complete"]}
    kept = [row for row in articles if row["complete"] or row["url_key"] not in whole]
    fresh = {str(row["url_key"]): row for row in kept}
    known = fresh.keys() & stored.keys()
    for row in kept:
        row["aliases"] = _places(row, stored.get(row["url_key"]))
    window.put(VERSIONS.name, article_versions(connection, topic, kept, stored, window.history))
    window.put(ARTICLES.name, kept)
    if index := window.indexes.get(ARTICLES.name):
        index.write(connection, kept)
    return RowOutcome(
        new=frozenset(fresh.keys() - stored.keys()),
        changed=frozenset(
            key for key in known & whole if fresh[key]["text_md5"] != stored[key]["text_md5"]
        ),
        completed=frozenset(key for key in known - whole if fresh[key]["complete"]),
    )


def cut_ends(text: str, ends: CutLines) -> str:
    """Return a text without lines at its ends, as long as they are those that are to be cut; one line stays."""
    lines = text.split("\n")
    before, behind = ends
    for number in before:
        if len(lines) > 1 and line_number(lines[0]) == number:
            del lines[0]
    for number in behind:
        if len(lines) > 1 and line_number(lines[-1]) == number:
            del lines[-1]
    return "\n".join(lines)


def _cut(window: WriteWindow, ends: Mapping[str, CutLines]) -> None:
    """Correct the texts of articles that are stored; the version stays, and nothing is told.

    Not of those with earlier versions, which are stored as what leads back from the text.
    """
    connection, topic = window.connection, window.topic
    columns = (ARTICLES.c[name] for name in ("topic", "url_key", "title", "text", "lead"))
    of_them = and_(
        ARTICLES.c.topic == topic, ARTICLES.c.url_key.in_([*ends]), ARTICLES.c.version == 1
    )
    for row in connection.execute(select(*columns).where(of_them)).mappings().all():
        body = cut_ends(row["text"] or "", ends[row["url_key"]])
        if not row["text"] or body == row["text"]:
            continue
        new = {"text": body, "length": len(body), "text_md5": text_md5(body)}
        new |= {"lead": row["lead"] and cut(body, _LEAD_LETTERS)}
        one = and_(ARTICLES.c.topic == topic, ARTICLES.c.url_key == row["url_key"])
        connection.execute(update(ARTICLES).where(one).values(**new))
        if index := window.indexes.get(ARTICLES.name):
            index.write(connection, [{**row, **new}])


def _tell(changes: Sequence[RowValues], window: WriteWindow) -> Iterator[RowValues]:
    """Go through the changes that have become so, those of a version with the number it has now."""
    outcome = window.outcome(ARTICLES.name)
    so_now = {"new": outcome.new, "completed": outcome.completed | outcome.new}
    of_them = ARTICLES.c.url_key.in_([row["url_key"] for row in changes])
    query = select(ARTICLES.c.url_key, ARTICLES.c.version)
    versions: dict[str, int] | None = None
    for row in changes:
        if row["kind"] in so_now and row["url_key"] not in so_now[row["kind"]]:
            continue
        if row["kind"] in OF_A_VERSION and row["version"] is None:
            if versions is None:
                found = window.connection.execute(
                    query.where(ARTICLES.c.topic == window.topic, of_them)
                )
                versions = {one.url_key: one.version for one in found}
            row["version"] = versions.get(row["url_key"])
        yield row


ARTICLE_ROWS = RowKind(
    ARTICLES,
    article_row,
    item=Article,
    needs={"url_key": str},
    keep={"found", "is_copy", "known"},
    merge={"version": _version, "updated": _updated, "story_id": last("story_id")},
    besides={"simhash", "gone_at", "label"},
    write=_write,
    cut=_cut,
    counters=("new", "changed"),
    always_said=True,
    what=ARTICLE,
    tell=_tell,
    views=views(
        news=View(
            NEWS,
            "Articles that are new, the latest first: for people, to read or to filter.",
            _OF_AN_ARTICLE
            | {
                "medium": (
                    "Who publishes it: 来源, its source, what the site calls itself, or its host.",
                    "",
                ),
                "address": ("Its address.", ""),
                "story": ("The title of the story that it tells; empty: it tells one alone.", ""),
                "sites": ("The sites that tell that story.", "sites"),
                "words": ("The topic's words that it has.", ""),
            },
        ),
        today=View(
            TODAY,
            "Articles that are new since local midnight, without copies.",
            _OF_AN_ARTICLE
            | {
                "site": ("The host it is from.", ""),
                "source_name": ("来源 as printed.", ""),
                "score": ("How much it belongs to the topic.", "0 to 1"),
                "hits": ("The topic's words that it has: {word: how often}.", "times"),
                "story_size": ("The articles that tell its story, itself among them.", "articles"),
                "url": ("Its address.", ""),
            },
        ),
    ),
    address="url_key",
    seen="fetched",
    index=open_index,
    forgetting=without_words,
    orphans=(
        Orphans(
            "articles name a story that is not there",
            "url",
            "story_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM stories s"
            " WHERE s.topic = articles.topic AND s.story_id = articles.story_id)",
        ),
        Orphans(
            NO_VERSIONS,
            "url_key",
            "kind = 'article' AND NOT EXISTS (SELECT 1 FROM articles a WHERE a.topic = versions.topic"
            " AND a.url_key = versions.url_key AND a.version > versions.version)",
            "versions",
        ),
    ),
)


_NO_FIELDS = ("path", "warc", "warc_offset")

FILE_ROWS = RowKind(
    FILES,
    row_by_names(FILES, besides=_NO_FIELDS, empty_is_null=["content_type"]),
    item=File,
    keep={"parent_key"},
    besides=_NO_FIELDS,
    address="parent_key",
)


# What is stored ---------------------------------------------------------------------------------


# Judging anew ----------------------------------------------------------------------------------


class ArticleToJudge(NamedTuple):
    """An article as it is stored; ``text`` is None when no text is, ``relevant`` its page's."""

    url_key: str
    url: str
    host: str
    source_id: str
    title: str
    text: str | None
    score: float | None
    relevant: bool | None
    hits: Mapping[str, int]


class Judgement(NamedTuple):
    """What is written of an article that was judged anew."""

    url_key: str
    score: float
    relevant: bool
    hits: Mapping[str, int]


def count_texts(connection: Connection, topic: str) -> int:
    """Count the articles that can be judged anew: those with a text."""
    has_text = and_(ARTICLES.c.topic == topic, ARTICLES.c.text.is_not(None))
    return connection.execute(
        select(func.count()).select_from(ARTICLES).where(has_text)
    ).scalar_one()


def count_refused(connection: Connection, topic: str) -> int:
    """Count the pages that were refused by words."""
    query = (
        select(func.count()).select_from(PAGES).where(PAGES.c.topic == topic, refused_by_words())
    )
    return connection.execute(query).scalar_one()


def stored_articles(connection: Connection, topic: str, after: str = "") -> list[ArticleToJudge]:
    """Return the next articles behind a key."""
    page = and_(PAGES.c.topic == topic, PAGES.c.url_key == ARTICLES.c.url_key)
    query = (
        select(ARTICLES, PAGES.c.relevant)
        .select_from(ARTICLES.outerjoin(PAGES, page))
        .where(ARTICLES.c.topic == topic, ARTICLES.c.url_key > after)
        .order_by(ARTICLES.c.url_key)
        .limit(_AT_A_TIME)
    )
    return [
        ArticleToJudge(
            row.url_key,
            row.url,
            row.host,
            row.source_id or "",
            row.title or "",
            row.text,
            row.score,
            row.relevant,
            row.hits or {},
        )
        for row in connection.execute(query)
    ]


def write_judgements(connection: Connection, topic: str, judged: Sequence[Judgement]) -> None:
    """Write scores, hits and relevance; a person's ``label`` stays beside them."""
    for one in judged:
        article = and_(ARTICLES.c.topic == topic, ARTICLES.c.url_key == one.url_key)
        page = and_(PAGES.c.topic == topic, PAGES.c.url_key == one.url_key)
        connection.execute(
            update(ARTICLES).where(article).values(score=one.score, hits=dict(one.hits))
        )
        connection.execute(update(PAGES).where(page).values(score=one.score, relevant=one.relevant))


def all_articles(connection: Connection, topic: str) -> Iterator[list[ArticleToJudge]]:
    """Go through all articles, a few at a time."""
    after = ""
    while some := stored_articles(connection, topic, after):
        yield some
        after = some[-1].url_key


def count_stored_by(connection: Connection, topic: str, worker: str) -> int:
    """Return how many articles a process has stored first in its last run, by its name in logs."""
    runs = CRAWL_RUNS.c
    last_run = connection.execute(
        select(runs.run_id, runs.started)
        .where(runs.topic == topic, runs.worker == worker)
        .order_by(runs.started.desc())
        .limit(1)
    ).first()
    if last_run is None:
        return 0
    of_it = (ARTICLES.c.run_id == last_run.run_id, ARTICLES.c.found >= last_run.started)
    count = select(func.count()).select_from(ARTICLES).where(ARTICLES.c.topic == topic, *of_it)
    return connection.scalar(count) or 0


def stored_by_gone(worker: str, connection: Connection, topic: str) -> tuple[int, ResultBatch]:
    """Return how many articles a process that is gone has stored, as ``count_stored_by``, with nothing to write.

    If it only stood still, it stores none of those under way any more (``ResultBatch.unless_gone``).
    """
    call_gone(connection, topic, worker)
    return count_stored_by(connection, topic, worker), ResultBatch()


def leave_out_articles(batch: ResultBatch, keys: Collection[str]) -> bool:
    """Leave articles and their changes out of a batch, by their keys; returns whether any article is left."""
    for part in (ARTICLES.name, CHANGES.name) if keys else ():
        batch.rows[part] = [one for one in batch.rows[part] if one.url_key not in keys]
    return bool(batch.rows[ARTICLES.name])
