"""What has happened: the feed of changes, and earlier versions of articles and records (``output.history``).

A change is never changed: one that comes again, after a crash, has the same id and adds nothing. The
crawl reports them all, before it writes what they are about; what it calls new, completed or changed is a
row only when writing it has made it so (``RowKind.tell``).

The newest text is the row's own; a version is stored as what leads back to it from the version after it
(``diff+zlib``), or whole (``zlib``). Whenever the text that a difference starts from is written anew, the
difference is made anew in the same transaction, so that all versions can be read.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import Any, NamedTuple

from sqlalchemy import Connection, Index, Table, select

from focuscrawl.stores.results.columns import (
    BYTES_COLUMN,
    JSON_COLUMN,
    KEY_COLUMN,
    SMALL_COUNT,
    LineColumn,
    TextColumn,
    Time,
    json_text,
    key_column,
    may,
    must,
    table,
)
from focuscrawl.stores.results.database import ResultsError
from focuscrawl.stores.results.kind import RowContext, RowKind, RowValues, WriteWindow, row_by_names
from focuscrawl.stores.results.schema import LOCAL, View, views
from focuscrawl.stores.results.upsert import as_it_was
from focuscrawl.values import PageChange

ARTICLE = "article"
"""The kind of versions that are an article's; others are the NAME of [record.NAME]."""

DIFFERENCE, WHOLE_TEXT = "diff+zlib", "zlib"

MOST_COMPARED_LINES = 2_000
"""Paragraphs of a text up to which differences are looked for: it costs their square at worst."""

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


class Version(NamedTuple):
    """An earlier version as it was; ``text`` is JSON for a record, "" when no text was stored."""

    version: int
    title: str
    text: str
    at: float


# Versions: one text ---------------------------------------------------------------------------------------


def pack(text: str, newer: str | None) -> tuple[bytes, str]:
    """Return a text as it is stored, and how: as the way back from ``newer`` where that is shorter."""
    whole = zlib.compress(text.encode(), 6)
    if newer is None:
        return whole, WHOLE_TEXT
    before, after = newer.split("\n"), text.split("\n")
    if max(len(before), len(after)) > MOST_COMPARED_LINES:
        return whole, WHOLE_TEXT
    lines = list(unified_diff(before, after, n=0, lineterm=""))[2:]
    packed = zlib.compress("\n".join(lines).encode(), 6)
    return (packed, DIFFERENCE) if len(packed) < len(whole) else (whole, WHOLE_TEXT)


def unpack_text(body: bytes, encoding: str, newer: str | None) -> str:
    """Return what was packed. Raises ValueError when it does not fit to ``newer``."""
    try:
        said = zlib.decompress(body).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"cannot be unpacked ({error})") from error
    if encoding == WHOLE_TEXT:
        return said
    if encoding != DIFFERENCE:
        raise ValueError(f"unknown encoding {encoding!r}")
    if newer is None:
        raise ValueError("the version after it has no text")
    return "\n".join(_applied(newer.split("\n"), said.split("\n") if said else []))


def _applied(lines: Sequence[str], difference: Sequence[str]) -> list[str]:
    """Apply a unified difference without context to lines."""
    found: list[str] = []
    at = read = 0
    while read < len(difference):
        hunk = HUNK.fullmatch(difference[read])
        if hunk is None:
            raise ValueError("the difference is damaged")
        start, gone, come = int(hunk[1]), int(hunk[2] or 1), int(hunk[3] or 1)
        begin = start if hunk[2] == "0" else start - 1  # nothing goes: it comes behind that line
        found += lines[at:begin]
        at = begin + gone
        read += 1
        if [f"-{line}" for line in lines[begin:at]] != list(difference[read : read + gone]):
            raise ValueError("the difference does not fit to the version after it")
        read += gone
        found += [line[1:] for line in difference[read : read + come]]
        read += come
    return found + list(lines[at:])


# Rows ------------------------------------------------------------------------------------------


VERSIONS = table(
    "versions",
    key_column("url_key", KEY_COLUMN, "The article's key, or the record's id."),
    key_column("version", SMALL_COUNT, "The version that this is."),
    key_column("kind", LineColumn(40), "article, or the NAME of its [record.NAME]."),
    may("title", LineColumn(500), "The title it had."),
    may(
        "body",
        BYTES_COLUMN,
        "The text it had, or JSON, packed as encoding says.",
    ),
    must(
        "encoding",
        LineColumn(12),
        "How: zlib, or diff+zlib, the way back from the version after it.",
    ),
    may("text_md5", KEY_COLUMN, "MD5 of that text."),
    must("at", Time, "Since when it was so.", "UTC"),
    about="Earlier versions of articles and records.",
)

NO_VERSIONS = "earlier versions are of nothing that is stored"
"""What check-data calls versions whose kind has no row with a later one."""

VERSION_ROWS = RowKind(VERSIONS, address="url_key")


def record_version(stored: Mapping[str, Any]) -> RowValues:
    """Return the row of a record's version that is about to be replaced.

    It is always whole: a record is hardly longer than a difference, and a database may reorder JSON.
    """
    text = json_text(stored["data"])
    return {
        "topic": stored["topic"],
        "url_key": stored["record_id"],
        "version": stored["version"],
        "kind": stored["record_type"],
        "title": None,
        "body": pack(text, None)[0],
        "encoding": WHOLE_TEXT,
        "text_md5": None,
        "at": stored["updated"],
    }


def read_versions(
    connection: Connection, topic: str, key: str, kind: str, current: Table | None = None
) -> list[Version]:
    """Return the earlier versions of something, newest first; ``current`` is the table of its row where
    that is a text that the newest of them may lead back from.

    Raises ResultsError when one of them cannot be read.
    """
    following, newer = 0, None
    if current is not None:
        latest = select(current.c.version, current.c.text).where(
            current.c.topic == topic, current.c.url_key == key
        )
        following, newer = connection.execute(latest).one_or_none() or (0, None)
    of_it = (VERSIONS.c.topic == topic, VERSIONS.c.url_key == key, VERSIONS.c.kind == kind)
    found = []
    for row in connection.execute(
        select(VERSIONS).where(*of_it).order_by(VERSIONS.c.version.desc())
    ):
        if row.version != following - 1:
            newer = None  # history was off in between: what follows is whole
        try:
            text = unpack_text(row.body, row.encoding, newer) if row.body is not None else ""
        except ValueError as error:
            raise ResultsError(f"version {row.version} of {kind} {key}: {error}") from error
        found.append(Version(row.version, row.title or "", text, row.at))
        following, newer = row.version, text
    return found


# Changes ---------------------------------------------------------------------------------------

CHANGES = table(
    "changes",
    key_column("change_id", KEY_COLUMN, "The change's key: the same when it is reported again."),
    must("at", Time, "When it was seen.", "UTC"),
    must("url_key", KEY_COLUMN, "The key of what has changed: of a page, or a record's id."),
    must("url", TextColumn, "Its address."),
    must(
        "kind",
        LineColumn(12),
        "new, minor, major, completed, moved, gone, back, reply, redesign. Nothing is new that was known.",
    ),
    must("what", LineColumn(12), "article, record or thread."),
    may("fields", JSON_COLUMN, "The fields that changed: {name: [old, new]}."),
    may("diff", TextColumn, "The sentences that went (-) and came (+)."),
    may("distance", SMALL_COUNT, "How far the SimHashes of both texts are apart.", "bits"),
    may("title", LineColumn(500), "Its title."),
    may("version", SMALL_COUNT, "The version it has since then."),
    may("run_id", LineColumn(40), "The run that saw it."),
    Index("changes_at", "topic", "at"),
    Index("changes_kind", "topic", "kind", "at"),
    Index("changes_url", "topic", "url_key", "at"),
    about="Append-only feed: what happened, in order. Source of Atom, webhooks and the daily view.",
)

# Changes of earlier versions are there, too: they called things new that are not called so now.
WHAT_CHANGED = """
SELECT c.topic, {local:c.at} AS time, c.kind, c.what, c.title, c.url, c.fields, c.diff, c.version
FROM changes c
WHERE c.at >= {week_ago} AND NOT (c.kind = 'new' AND (
      EXISTS (SELECT 1 FROM articles a WHERE a.topic = c.topic AND a.url_key = c.url_key
              AND a.known IS NOT {false})
   OR EXISTS (SELECT 1 FROM threads t WHERE t.topic = c.topic AND t.url_key = c.url_key
              AND t.known IS NOT {false})
   OR EXISTS (SELECT 1 FROM records r WHERE r.topic = c.topic AND r.record_id = c.url_key
              AND r.known IS NOT {false})))
ORDER BY c.at DESC
"""


_by_names = row_by_names(CHANGES, besides=["run_id"], empty_is_null=("fields", "diff", "title"))


def change_row(change: PageChange, context: RowContext) -> RowValues:
    """Return the row of a change."""
    return {**_by_names(change, context), "run_id": context.run_id}


def _write(window: WriteWindow, rows: list[RowValues]) -> None:
    """Write those changes that have become so: an article or a record may have been stored before."""
    told: defaultdict[str, list[RowValues]] = defaultdict(list)
    for row in rows:
        told[row["what"]].append(row)
    for kind in window.kinds:
        if kind.tell is not None and kind.what in told:
            told[kind.what] = list(kind.tell(told[kind.what], window))
    window.put(CHANGES.name, [row for some in told.values() for row in some])


CHANGE_ROWS = RowKind(
    CHANGES,
    change_row,
    item=PageChange,
    needs={"url_key": str, "change_id": str, "kind": str, "what": str},
    keep=[one.name for one in CHANGES.columns],
    merge={"at": as_it_was("at")},
    write=_write,
    views=views(
        what_changed=View(
            WHAT_CHANGED,
            "What happened in the last seven days; nothing is new that was known.",
            {
                "topic": ("The name of the topic.", ""),
                "time": ("When it was seen.", LOCAL),
                "kind": ("new, minor, major, completed, moved, gone, back, reply, redesign.", ""),
                "what": ("article, record or thread.", ""),
                "title": ("Its title.", ""),
                "url": ("Its address.", ""),
                "fields": ("The fields that changed: {name: [old, new]}.", ""),
                "diff": ("The sentences that went (-) and came (+).", ""),
                "version": ("The version it has since then.", ""),
            },
        )
    ),
    address="url_key",
    ages="at",
)


def has_change(connection: Connection, topic: str, number: str) -> bool:
    """Whether a change is stored."""
    of_it = (CHANGES.c.topic == topic, CHANGES.c.change_id == number)
    return connection.execute(select(CHANGES.c.change_id).where(*of_it)).first() is not None
