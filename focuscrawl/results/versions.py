"""Earlier versions of articles and records (``output.history``), each a way back from the next one.

The newest text is the row's own; a version is stored as what leads back to it from the version
after it (``diff+zlib``), or whole (``zlib``). Whenever the text that a difference starts from is
written anew, the difference is made anew in the same transaction, so that all versions can be read.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from difflib import unified_diff
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, select

from focuscrawl.results.columns import json_text
from focuscrawl.results.errors import ResultsError
from focuscrawl.results.schema import ARTICLES, VERSIONS
from focuscrawl.values import Json

HistoryKept = Literal["diff", "full", "none"]
"""``output.history`` of the template."""

ARTICLE = "article"
"""The kind of versions that are an article's; others are the NAME of [record.NAME]."""

DIFFERENCE, WHOLE_TEXT = "diff+zlib", "zlib"

MOST_COMPARED_LINES = 2_000
"""Paragraphs of a text up to which differences are looked for: it costs their square at worst."""

VERSION_COLUMNS = (
    "topic",
    "url_key",
    "version",
    "kind",
    "title",
    "body",
    "encoding",
    "text_md5",
    "at",
)
_AT_A_TIME = 200
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


class Version(NamedTuple):
    """An earlier version as it was; ``text`` is JSON for a record, "" when no text was stored."""

    version: int
    title: str
    text: str
    at: float


# One text ---------------------------------------------------------------------------------------


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


# What a batch leaves behind ---------------------------------------------------------------------


def article_versions(
    connection: Connection,
    rows: Sequence[Mapping[str, Any]],
    mode: HistoryKept,
    new: Container[str] = (),
) -> list[Json]:
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
    left: dict[tuple[str, int], Json] = {}
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
            made = _version(old, topic, row["text"] if mode == "diff" else None)
            left[key, old["version"]] = made
        elif earlier is not None and earlier["encoding"] == DIFFERENCE:
            base = row["text"] if mode == "diff" and not moved else None
            left[key, start] = _based_anew(earlier, old["text"], base)
    return list(left.values())


def _follows(old: Mapping[str, Any] | None, row: Mapping[str, Any]) -> Json:
    """Return what is to be known of an article after it is written (see results_rules)."""
    if old is None:
        return {**row, "version": 1}
    changed = bool(old["complete"]) and old["text_md5"] != row["text_md5"]
    updated = row["fetched"] if changed else old["updated"]
    return {**row, "version": old["version"] + changed, "updated": updated}


def _version(old: Mapping[str, Any], topic: str, newer: str | None) -> Json:
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


def _based_anew(earlier: Json, was: str | None, newer: str | None) -> Json:
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
) -> dict[tuple[str, int], Json]:
    """Return the version before the newest of some articles."""
    found = {}
    for article in articles:
        key, version = article["url_key"], article["version"] - 1
        query = select(VERSIONS).where(*_of(topic, key, ARTICLE), VERSIONS.c.version == version)
        for row in connection.execute(query).mappings():
            found[key, version] = dict(row)
    return found


def _of(topic: str, key: str, kind: str) -> tuple[Any, ...]:
    return VERSIONS.c.topic == topic, VERSIONS.c.url_key == key, VERSIONS.c.kind == kind


def record_version(stored: Mapping[str, Any]) -> Json:
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


# Reading ----------------------------------------------------------------------------------------


def read_versions(connection: Connection, topic: str, key: str, kind: str) -> list[Version]:
    """Return the earlier versions of an article or record, newest first.

    Raises ResultsError when one of them cannot be read.
    """
    newer: str | None = None
    following = 0
    if kind == ARTICLE:
        query = select(ARTICLES.c.version, ARTICLES.c.text).where(
            ARTICLES.c.topic == topic, ARTICLES.c.url_key == key
        )
        following, newer = connection.execute(query).one_or_none() or (0, None)
    found = []
    order = select(VERSIONS).where(*_of(topic, key, kind)).order_by(VERSIONS.c.version.desc())
    for row in connection.execute(order):
        if row.version != following - 1:
            newer = None  # history was off in between: what follows is whole
        try:
            text = unpack_text(row.body, row.encoding, newer) if row.body is not None else ""
        except ValueError as error:
            raise ResultsError(f"version {row.version} of {kind} {key}: {error}") from error
        found.append(Version(row.version, row.title or "", text, row.at))
        following, newer = row.version, text
    return found
