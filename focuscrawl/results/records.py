"""Records in the results (C7): a record that several pages know is one row, with all its evidence.

What comes later fills gaps. A value stands until the page it is from says otherwise; what another
page says instead is kept beside it. So the order of pages decides only who was first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select, tuple_

from focuscrawl.results.columns import json_text
from focuscrawl.results.schema import RECORDS
from focuscrawl.results.versions import record_version
from focuscrawl.values import Json, Record

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_OTHERS = 20
"""Further values of one field that are kept."""

_AT_A_TIME = 200
"""Keys of one query."""

RECORD_COLUMNS = (
    "topic",
    "record_type",
    "record_id",
    "host",
    "url_key",
    "url",
    "data",
    "evidence",
    "missing",
    "complete",
    "version",
    "found",
    "updated",
    "gone_at",
    "run_id",
    "extra",
)
RecordKey = tuple[str, str]
"""Type and id of a record."""


def record_row(topic: str, record: Record, *, run_id: str | None, now: float) -> Json:
    """Return the row of a record as if it were new."""
    at = record.fetched or now
    return {
        "topic": topic,
        "record_type": record.record_type,
        "record_id": record.record_id,
        "host": record.host,
        "url_key": record.url_key,
        "url": record.url,
        "data": record.data,
        "evidence": record.evidence,
        "missing": record.missing,
        "complete": record.complete,
        "version": 1,
        "found": at,
        "updated": at,
        "gone_at": None,
        "run_id": run_id,
        "extra": record.extra or None,
    }


def merged_record(stored: Mapping[str, Any], fresh: Json) -> Json:
    """Return the row after a page has said ``fresh``; saying it again changes nothing.

    ``version`` and ``updated`` move only when a value did.
    """
    names = list(dict.fromkeys([*stored["data"], *fresh["data"]]))
    names += [name for name in stored["evidence"] or {} if name not in names]
    data: Json = {}
    evidence: Json = {}
    for name in names:
        before = _said((stored["evidence"] or {}).get(name))
        said = _said((fresh["evidence"] or {}).get(name))
        others = [one for one in before if one.get("url") != fresh["url"]]
        stands = bool(others) and others[0] is before[0]
        kept = _distinct([*others, *said] if stands else [*said, *others])
        if not kept:
            continue
        many = any(isinstance(row["data"].get(name), list) for row in (stored, fresh))
        data[name] = _values(kept) if many else kept[0]["value"]
        evidence[name] = {**kept[0], **({"others": kept[1:]} if kept[1:] else {})}
    wanted = [*stored["missing"], *fresh["missing"]] if stored["missing"] else fresh["missing"]
    missing = [name for name in dict.fromkeys(wanted) if name not in data]
    changed = json_text(data) != json_text(stored["data"])
    row = {**fresh, "data": data, "evidence": evidence, "missing": missing}
    row |= {"complete": not missing, "found": stored["found"], "version": stored["version"]}
    if changed:
        row["version"] += 1
    else:
        row |= {"updated": stored["updated"], "url": stored["url"], "url_key": stored["url_key"]}
    row["extra"] = fresh["extra"] or stored["extra"]
    return row


def _said(evidence: Json | None) -> list[Json]:
    """Return what pages say of a field, the value that holds first."""
    if not evidence:
        return []
    first = {key: value for key, value in evidence.items() if key != "others"}
    return [first, *evidence.get("others", ())]


def _distinct(said: Iterable[Json]) -> list[Json]:
    """Leave out what a page says twice."""
    kept: dict[tuple[str, object], Json] = {}
    for one in said:
        kept.setdefault((_norm(one), one.get("url")), one)
    return list(kept.values())[: MOST_OTHERS + 1]


def _values(said: Iterable[Json]) -> list[Any]:
    """Return what is said, each value once, however it is spelled."""
    kept: dict[str, Any] = {}
    for one in said:
        kept.setdefault(_norm(one), one["value"])
    return list(kept.values())


def _norm(said: Json) -> str:
    text = str(said["value"]).lower()
    return re.sub(r"[\W_]+", "", text) or text


def merge_records(
    connection: Connection,
    rows: Sequence[Json],
    write: Callable[[Connection, list[Json]], None],
    leave: Callable[[Connection, list[Json]], None],
) -> tuple[frozenset[RecordKey], frozenset[RecordKey]]:
    """Write records into what is stored; returns the keys of new ones and of changed ones.

    ``leave`` takes the versions they leave behind (rows of the table versions).
    """
    if not rows:
        return frozenset(), frozenset()
    keys = [(row["record_type"], row["record_id"]) for row in rows]
    stored = stored_records(connection, rows[0]["topic"], keys)
    now: dict[RecordKey, Json] = {}
    left = []
    for key, row in zip(keys, rows, strict=True):
        before = now.get(key) or stored.get(key)
        now[key] = merged_record(before, row) if before is not None else row
        if before is not None and now[key]["version"] != before["version"]:
            left.append(record_version(before))
    write(connection, list(now.values()))
    leave(connection, left)
    changed = {key for key, row in now.items() if key in stored and row["version"] != stored[key]["version"]}  # fmt: skip
    return frozenset(now.keys() - stored.keys()), frozenset(changed)


def stored_records(
    connection: Connection, topic: str, keys: Iterable[RecordKey]
) -> dict[RecordKey, Json]:
    """Return the rows of records that are stored, by type and id."""
    asked = list(dict.fromkeys(keys))
    found: dict[RecordKey, Json] = {}
    for start in range(0, len(asked), _AT_A_TIME):
        query = select(RECORDS).where(
            RECORDS.c.topic == topic,
            tuple_(RECORDS.c.record_type, RECORDS.c.record_id).in_(
                asked[start : start + _AT_A_TIME]
            ),
        )
        for row in connection.execute(query).mappings():
            found[row["record_type"], row["record_id"]] = dict(row)
    return found
