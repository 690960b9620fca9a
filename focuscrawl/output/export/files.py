"""One export: which files it becomes, what is in each, and how each gets its name when it is whole."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select

from focuscrawl.config import STANDARD_OUTPUT
from focuscrawl.locale.messages import _, language_about
from focuscrawl.output.export.atom import FeedScope, entries_of, write_atom
from focuscrawl.output.export.conditions import (
    ConditionError,
    comparisons,
    condition_of,
    known_column,
    no_column,
)
from focuscrawl.output.export.forms import write_csv, write_jsonl, write_xlsx
from focuscrawl.output.export.joined import by_shared_value, joined_rows
from focuscrawl.output.export.rows import destination_key, last_export
from focuscrawl.output.export.sheets import (
    RECORD_SHEET,
    SHEETS,
    THREAD_SHEET,
    ResultTables,
    Sheet,
    SheetColumn,
    SheetRows,
    query_of,
    sheet_of,
    stream_rows,
    with_dates,
)
from focuscrawl.stores.results.columns import LAST_MOMENT
from focuscrawl.stores.results.kinds.last_run import last_run_of
from focuscrawl.stores.results.news import SinceError, moment_of
from focuscrawl.stores.state.drafts import draft_of

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Select, Table

    from focuscrawl.template.template import Template

FILE_FORMS = {"csv": "csv", "jsonl": "jsonl", "jl": "jsonl", "xlsx": "xlsx", "atom": "atom", "xml": "atom"}  # fmt: skip
"""Suffixes and what is written into such a file."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
NAME_PARTS = ("topic", "date", "time", "tag", "story")
_NOT_IN_FILE_NAMES = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')
LAST_EXPORT, LAST_RUN = "last-export", "run"
STILL_WRITTEN = 600.0
"""Seconds: so much of what was read while a crawl is under way is read again next time, since what was
fetched before may be stored after it."""

LONGEST_TAG = 80
"""Characters of a tag in a file's name, which may have 255 bytes: one of Chinese takes three."""

_IN_FEEDS = ("articles", "changes")
"""The tables that a condition on the entries of a feed may be about."""

MOST_STORIES = 200
"""Stories that get a feed of their own, the latest."""


class ExportError(ValueError):
    """An export that cannot be made; the message says what is wrong and what is allowed."""


@dataclass(frozen=True)
class ExportOrder:
    """What is asked for. ``path`` is absolute or STANDARD_OUTPUT and may have NAME_PARTS, ``form`` one of FILE_FORMS'
    values; ``sheet`` is "" for what is usual, ``since`` "" for all; ``language`` "" for what is usual. ``one_per``
    is the column whose records of one value are one row, "": each is.
    """

    path: str
    form: str
    sheet: str = ""
    columns: tuple[str, ...] = ()
    where: str = ""
    since: str = ""
    language: str = ""
    one_per: str = ""

    @property
    def destination(self) -> str:
        """The key under which results remember up to when it was written."""
        return destination_key(self.path, self.sheet)


class TopicResults(NamedTuple):
    """The results of one topic, open for reading, and how its people read them."""

    title: str
    language: str
    zone: tzinfo
    tables: ResultTables
    connection: Connection

    @property
    def name(self) -> str:
        """The topic."""
        return self.tables.topic


def topic_results(
    template: Template,
    tables: Mapping[str, Table],
    connection: Connection,
    told: Select[Any] | None = None,
) -> TopicResults:
    """Return the results of a topic as exports take them; ``told``: see ResultTables."""
    records = template.resolved.get("record", {}).values()
    fields = list(dict.fromkeys(name for one in records for name in one["fields"]))
    sources = {one.source_id: one.name for one in template.sources if one.name}
    language = language_about(template.topic.language)
    known = ResultTables(template.name, tables, fields, sources, told)
    return TopicResults(template.topic.title, language, template.topic.timezone, known, connection)


class ExportedFile(NamedTuple):
    """A file that was written: rows by what they are of."""

    path: str
    rows: dict[str, int]

    def in_words(self) -> str:
        """Say what is in it."""
        told = ", ".join(f"{count:,} {name}" for name, count in self.rows.items())
        empty = _("empty")
        return f"{self.path} ({told or empty})"


def file_form(path: str) -> str:
    """Return the form that a file's suffix stands for. Raises ExportError."""
    suffix = path.rpartition(".")[2].lower()
    if suffix not in FILE_FORMS:
        told = _("{path}: unknown file type: use .csv, .jsonl, .xlsx or .atom")
        raise ExportError(told.format(path=path))
    return FILE_FORMS[suffix]


def check_placeholders(path: str) -> None:
    """Raise ExportError for placeholders that are unknown, or are for Atom alone."""
    for name in _PLACEHOLDER.findall(path):
        if name not in NAME_PARTS:
            known = ", ".join(f"{{{one}}}" for one in NAME_PARTS)
            told = _("{path}: {name} is no placeholder; known are {known}")
            raise ExportError(told.format(path=path, name=f"{{{name}}}", known=known))
    if ("{tag}" in path or "{story}" in path) and file_form(path) != "atom":
        told = _("{path}: a file for each tag or story is an Atom feed: name.atom")
        raise ExportError(told.format(path=path))


def check_order(order: ExportOrder, fields: Sequence[str] = ()) -> None:
    """Raise ExportError for columns, conditions and moments that there are not."""
    if order.path != STANDARD_OUTPUT:
        check_placeholders(order.path)
    sheet = sheet_of(_named(order.sheet or "articles"), fields)
    if order.form == "atom" and (order.columns or sheet.name not in _IN_FEEDS):
        told = _("an Atom feed has entries of changes: no columns, and a table of {sheets}")
        raise ExportError(told.format(sheets=", ".join(_IN_FEEDS)))
    columns_of(sheet, order, several=False)
    if order.one_per:
        _check_one_per(order, fields)
    try:
        for one in comparisons(order.where):
            known_column(sheet, one.name)
    except ConditionError as error:
        raise ExportError(f"where: {error}") from None
    if order.since and order.since not in (LAST_EXPORT, LAST_RUN):
        try:
            moment_of(order.since, now=LAST_MOMENT, zone=UTC, last=None)
        except SinceError as error:
            raise _no_moment(error) from None


def _check_one_per(order: ExportOrder, fields: Sequence[str]) -> None:
    if order.form == "atom" or order.sheet not in ("", RECORD_SHEET.name, RECORD_SHEET.zh):
        told = _("one_per = {column}: only records share a row, in csv, jsonl and xlsx")
        raise ExportError(told.format(column=order.one_per))
    known = sheet_of(RECORD_SHEET, fields)
    if known.column(order.one_per) is None:
        raise ExportError(no_column(known, order.one_per))


def write_export(
    order: ExportOrder, topics: Sequence[TopicResults], now: float
) -> list[ExportedFile]:
    """Write the files of an export, each in whole before it gets its name. Raises ExportError, OSError."""
    groups = [[one] for one in topics] if "{topic}" in order.path else [list(topics)]
    return [one for some in groups for one in _written_for(order, some, now)]


def _written_for(
    order: ExportOrder, topics: Sequence[TopicResults], now: float
) -> Iterator[ExportedFile]:
    first = topics[0]
    language = order.language or (first.language if order.form in ("xlsx", "atom") else "")
    path = _filled(order.path, topics, now)
    if order.form == "atom":
        for scope, name in _scopes(
            path, topics, f"{order.sheet}\n{order.where}" if order.where else ""
        ):
            entries = [
                entry
                for one in topics
                for entry in entries_of(
                    one.connection,
                    one.tables,
                    scope,
                    since_of(order, one, now),
                    _wanted(order, one),
                )
            ]
            count = _in_whole(name, lambda file: write_atom(file, scope, entries, language, now))  # noqa: B023 - it is called at once
            yield ExportedFile(name, {"entries": count})
        return
    sheets = _sheets_of(order, topics)
    if order.form == "xlsx":
        tables = [_rows(order, one, topics, now) for one in sheets]
        with ExitStack() as questions, _draft(path) as draft:
            for one in tables:
                questions.enter_context(closing(one.rows))
            counts = write_xlsx(draft, tables, language, first.zone)
        yield ExportedFile(path, counts)
        return
    table = _rows(order, sheets[0], topics, now)
    write = write_csv if order.form == "csv" else write_jsonl
    # Where the reader of stdout has gone or the disk is full, the question is closed before its connection is.
    with closing(table.rows):
        count = _in_whole(path, lambda file: write(file, table, order.language))
    yield ExportedFile(path, {table.sheet.name: count})


# What is in a file ------------------------------------------------------------------------------


def _named(name: str) -> Sheet:
    found = next((one for one in SHEETS if name in (one.name, one.zh)), None)
    if found is None:
        told = _("table {name}: one of {sheets}")
        sheets = ", ".join(one.name for one in SHEETS)
        raise ExportError(told.format(name=name, sheets=sheets))
    return found


def _sheets_of(order: ExportOrder, topics: Sequence[TopicResults]) -> list[Sheet]:
    """Return the tables of a file: the one that is named, else all of a workbook, else the first that
    has a row of those that crawls are for."""
    if order.sheet:
        return [_named(order.sheet)]
    if order.one_per and (order.form != "xlsx" or order.columns or order.where):
        return [RECORD_SHEET]
    if order.columns or order.where:
        return [SHEETS[0]]
    if order.form == "xlsx":
        there = (one for one in SHEETS if any(topic.tables.has(one) for topic in topics))
        return [one for one in there if one is not THREAD_SHEET or _has_rows(one, topics)]
    finds = (SHEETS[0], RECORD_SHEET, THREAD_SHEET)
    return [next((one for one in finds if _has_rows(one, topics)), SHEETS[0])]


def _has_rows(sheet: Sheet, topics: Sequence[TopicResults]) -> bool:
    for one in topics:
        table = one.tables.tables.get(sheet.name)
        if table is not None:
            query = select(table.c.topic).where(table.c.topic == one.name).limit(1)
            if one.connection.execute(query).first() is not None:
                return True
    return False


def columns_of(sheet: Sheet, order: ExportOrder, *, several: bool) -> tuple[SheetColumn, ...]:
    """Return the columns of a sheet; ``several``: of more than one topic. Raises ExportError."""
    if not order.columns:
        return tuple(one for one in sheet.columns if one.usual or (several and one.name == "topic"))
    found = []
    for name in order.columns:
        if (column := sheet.column(name)) is None:
            raise ExportError(no_column(sheet, name))
        found.append(column)
    return tuple(found)


def _rows(
    order: ExportOrder, sheet: Sheet, topics: Sequence[TopicResults], now: float
) -> SheetRows:
    """Return the rows of a table over all topics."""
    fields = list(dict.fromkeys(name for one in topics for name in one.tables.fields))
    shown = sheet_of(sheet, fields)
    columns = columns_of(shown, order, several=len(topics) > 1)
    is_shared = bool(order.one_per) and sheet is RECORD_SHEET
    queries = []
    for one in topics:
        if not one.tables.has(sheet):
            continue
        query = query_of(one.tables, shown, columns, since_of(order, one, now))
        query = with_dates(query, one.tables, shown, columns)
        if order.where:
            query = query.where(_condition(order, one, shown))
        if is_shared:
            query = by_shared_value(query, one.tables, known_column(shown, order.one_per).name)
        queries.append((one.connection, query))
    rows = (row for connection, query in queries for row in stream_rows(connection, query))
    return SheetRows(shown, columns, joined_rows(rows, columns) if is_shared else rows)


def _wanted(order: ExportOrder, topic: TopicResults) -> ColumnElement[bool] | None:
    """Return which changes are wanted as entries of a feed: by themselves, or by their articles."""
    if not order.where:
        return None
    sheet = _named(order.sheet or "articles")
    condition = _condition(order, topic, sheet)
    if sheet is not SHEETS[0]:
        return condition
    key = [known_column(sheet, "url_key")]
    articles = query_of(topic.tables, sheet, key, None).where(condition).order_by(None)
    return topic.tables.tables["changes"].c.url_key.in_(articles.correlate(None))


def _condition(order: ExportOrder, topic: TopicResults, sheet: Sheet) -> ColumnElement[bool]:
    try:
        return condition_of(order.where, topic.tables, sheet, topic.zone)
    except ConditionError as error:
        raise ExportError(f"where: {error}") from None


def since_of(order: ExportOrder, topic: TopicResults, now: float) -> float | None:
    """Return since when rows are asked for, in seconds since 1970 UTC; None: all. Raises ExportError."""
    if not order.since:
        return None
    if order.since == LAST_EXPORT:
        if "exports" not in topic.tables.tables:
            return None
        return last_export(topic.connection, topic.name, order.destination)
    if order.since == LAST_RUN:
        last = last_run_of(topic.connection, topic.name, now)
        return last.started if last.has_begun else None
    try:
        return moment_of(order.since, now=now, zone=topic.zone, last=None)
    except SinceError as error:
        raise _no_moment(error) from None


def _no_moment(error: SinceError) -> ExportError:
    told = _("{error}; or {last_export}, {last_run}")
    return ExportError(told.format(error=error, last_export=LAST_EXPORT, last_run=LAST_RUN))


def complete_until(topic: TopicResults, now: float) -> float:
    """Return up to when all that was fetched is stored: less than now while a crawl is under way."""
    runs = topic.tables.tables["crawl_runs"]
    alive = select(runs.c.run_id).where(
        runs.c.topic == topic.name, runs.c.ended.is_(None), runs.c.end_reason.is_(None)
    )
    is_alive = topic.connection.execute(alive.limit(1)).first() is not None
    return now - STILL_WRITTEN if is_alive else now


# Names ------------------------------------------------------------------------------------------


def _filled(path: str, topics: Sequence[TopicResults], now: float) -> str:
    moment = datetime.fromtimestamp(now, topics[0].zone)
    words = {
        "topic": topics[0].name,
        "date": f"{moment:%Y-%m-%d}",
        "time": f"{moment:%Y%m%dT%H%M%S}",
    }
    return _PLACEHOLDER.sub(lambda found: words.get(found[1], found[0]), path)


def _scopes(
    path: str, topics: Sequence[TopicResults], wanted: str
) -> Iterator[tuple[FeedScope, str]]:
    """Go through the feeds that a name stands for, each with its own."""
    title = " · ".join(one.title for one in topics)
    names = tuple(one.name for one in topics)
    if "{tag}" in path:
        for tag in sorted({tag for one in topics for tag in _tags(one)}):
            name = path.replace("{tag}", in_file_name(tag))
            yield FeedScope(f"{title} · {tag}", names, tag=tag, wanted=wanted), name
    elif "{story}" in path:
        for one in topics:
            for story_id, told in _stories(one):
                scope = FeedScope(
                    f"{title} · {told}", (one.name,), story_id=story_id, wanted=wanted
                )
                yield scope, path.replace("{story}", story_id)
    else:
        yield FeedScope(title, names, wanted=wanted), path


def in_file_name(text: str) -> str:
    """Return a text as a part of a file's name, never of a folder's; no other text has the same."""
    name = _NOT_IN_FILE_NAMES.sub("_", text).strip(". ")[:LONGEST_TAG]
    return name if name == text else f"{name}_{hashlib.md5(text.encode()).hexdigest()[:6]}"


def _tags(topic: TopicResults) -> set[str]:
    articles = topic.tables.tables["articles"]
    found = topic.connection.execute(
        select(articles.c.tags).where(articles.c.topic == topic.name).distinct()
    )
    return {str(tag) for (tags,) in found for tag in tags or ()}


def _stories(topic: TopicResults) -> list[tuple[str, str]]:
    stories = topic.tables.tables.get("stories")
    if stories is None:
        return []
    query = select(stories.c.story_id, stories.c.title).where(
        stories.c.topic == topic.name, stories.c.merged_into.is_(None), stories.c.articles > 1
    )
    newest = query.order_by(stories.c.last_at.desc()).limit(MOST_STORIES)
    return [(row.story_id, row.title or "") for row in topic.connection.execute(newest)]


def _in_whole(path: str, write: Callable[[IO[bytes]], int]) -> int:
    """Let something write into a file that gets its name when it is whole."""
    if path == STANDARD_OUTPUT:
        count = write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return count
    with _draft(path) as draft, draft.open("wb") as file:
        return write(file)


def _draft(path: str) -> AbstractContextManager[Path]:
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    return draft_of(target)


def files_text(files: Iterable[ExportedFile]) -> str:
    """Say which files were written."""
    return "\n".join(one.in_words() for one in files)
