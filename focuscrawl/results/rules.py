"""How a row that exists takes a new one: first things stay, visits and versions are counted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, case, func, literal_column, or_

from focuscrawl.results.batch import (
    ARTICLE_COLUMNS,
    FILE_COLUMNS,
    PAGE_COLUMNS,
    SEED_COLUMNS,
    SERIES_COLUMNS,
    SITE_COLUMNS,
)
from focuscrawl.results.changes import CHANGE_COLUMNS
from focuscrawl.results.records import RECORD_COLUMNS
from focuscrawl.results.schema import (
    ARTICLES,
    CHANGES,
    FILES,
    PAGES,
    POSTS,
    RECORDS,
    SEEDS,
    SERIES,
    SITES,
    STORIES,
    STORY_MEMBERS,
    THREADS,
    VERSIONS,
)
from focuscrawl.results.stories import MEMBER_COLUMNS, STORY_COLUMNS
from focuscrawl.results.threads import POST_COLUMNS, THREAD_COLUMNS, THREAD_RULES
from focuscrawl.results.upsert import Columns, Merge, Upsert
from focuscrawl.results.versions import VERSION_COLUMNS

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

ZERO: ColumnElement[int] = literal_column("0")
ONE: ColumnElement[int] = literal_column("1")
NOT_MODIFIED: ColumnElement[int] = literal_column("304")


def _first(name: str) -> Merge:
    return lambda old, new: func.coalesce(old[name], new[name])


def _last(name: str) -> Merge:
    return lambda old, new: func.coalesce(new[name], old[name])


def _as_it_was(name: str) -> Merge:
    """A row is never changed; some databases want to hear of one column at least."""
    return lambda old, new: old[name]


def _visits(old: Columns, new: Columns) -> ColumnElement[Any]:
    """A visit is known by its run and its moment: written twice, it counts once."""
    another = or_(
        old.last_fetched.is_distinct_from(new.last_fetched),
        old.run_id.is_distinct_from(new.run_id),
    )
    fetched = new.last_fetched.is_not(None)
    visits: ColumnElement[Any] = old.visits
    return visits + case((and_(fetched, another), ONE), else_=ZERO)


def _run_id(old: Columns, new: Columns) -> ColumnElement[Any]:
    return case((new.last_fetched.is_not(None), new.run_id), else_=old.run_id)


def _changed(old: Columns, new: Columns) -> ColumnElement[bool]:
    """Another text is a change; a part that was missing and is there now is none."""
    return and_(old.complete, old.text_md5.is_distinct_from(new.text_md5))


def _version(old: Columns, new: Columns) -> ColumnElement[Any]:
    version: ColumnElement[Any] = old.version
    return version + case((_changed(old, new), ONE), else_=ZERO)


def _updated(old: Columns, new: Columns) -> ColumnElement[Any]:
    return case((_changed(old, new), new.fetched), else_=old.updated)


def _of_what_was_read(name: str) -> Merge:
    """A 304 brings no page: what was read of it before holds."""
    return lambda old, new: case((new.status == NOT_MODIFIED, old[name]), else_=new[name])


READ_OF_A_PAGE = ("score", "relevant", "step", "content_type", "bytes", "encoding")


def _most(name: str) -> Merge:
    return lambda old, new: case((new[name] > old[name], new[name]), else_=old[name])


PAGE_RULES: dict[str, Merge] = {
    **{name: _of_what_was_read(name) for name in READ_OF_A_PAGE},
    "visits": _visits,  # before what it reads: MySQL assigns from left to right
    "run_id": _run_id,
    "last_fetched": _last("last_fetched"),
    "first_fetched": _first("first_fetched"),
    "parent_key": _first("parent_key"),
    "anchor": _first("anchor"),
    "title": _last("title"),
    "changes": _most("changes"),
    "last_changed": _last("last_changed"),
}
ARTICLE_RULES: dict[str, Merge] = {
    "version": _version,
    "updated": _updated,
    "story_id": _last("story_id"),
}
SITE_RULES: dict[str, Merge] = {
    name: _last(name) for name in SITE_COLUMNS if name not in {"topic", "host", "state", "until"}
}


@dataclass(frozen=True, slots=True)
class Upserts:
    """The statements of every batch, compiled for one database."""

    pages: Upsert
    articles: Upsert
    sites: Upsert
    series: Upsert
    seeds: Upsert
    records: Upsert
    stories: Upsert
    members: Upsert
    threads: Upsert
    posts: Upsert
    files: Upsert
    versions: Upsert
    changes: Upsert


def upserts(dialect: Dialect) -> Upserts:
    """Compile the statements for ``dialect``."""
    return Upserts(
        pages=Upsert(PAGES, PAGE_COLUMNS, dialect, keep={"first_seen"}, merge=PAGE_RULES),
        articles=Upsert(
            ARTICLES, ARTICLE_COLUMNS, dialect, keep={"found", "is_copy"}, merge=ARTICLE_RULES
        ),
        sites=Upsert(SITES, SITE_COLUMNS, dialect, merge=SITE_RULES),
        series=Upsert(SERIES, SERIES_COLUMNS, dialect),
        seeds=Upsert(SEEDS, SEED_COLUMNS, dialect, keep={"first_found"}),
        records=Upsert(RECORDS, RECORD_COLUMNS, dialect),
        stories=Upsert(STORIES, STORY_COLUMNS, dialect),
        members=Upsert(STORY_MEMBERS, MEMBER_COLUMNS, dialect),
        threads=Upsert(THREADS, THREAD_COLUMNS, dialect, keep={"found"}, merge=THREAD_RULES),
        posts=Upsert(POSTS, POST_COLUMNS, dialect, keep={"found"}),
        files=Upsert(FILES, FILE_COLUMNS, dialect, keep={"parent_key"}),
        versions=Upsert(VERSIONS, VERSION_COLUMNS, dialect),
        changes=Upsert(
            CHANGES, CHANGE_COLUMNS, dialect, keep=CHANGE_COLUMNS, merge={"at": _as_it_was("at")}
        ),
    )
