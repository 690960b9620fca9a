"""Records in the results (C7): a record that several pages know is one row, with all its evidence.

What comes later fills gaps. A value stands until the page it is from says otherwise; what another
page says instead is kept beside it. So the order of pages decides only who was first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, Connection, Index, func, select, tuple_

from focuscrawl.stores.results.columns import (
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
from focuscrawl.stores.results.database import parts_of
from focuscrawl.stores.results.kind import (
    Orphans,
    RowContext,
    RowKind,
    RowOutcome,
    RowValues,
    WriteWindow,
    row_by_names,
)
from focuscrawl.stores.results.kinds.history import NO_VERSIONS, VERSIONS, record_version
from focuscrawl.stores.results.schema import LOCAL, Fields, View, ViewWords
from focuscrawl.values import ONCE, Json, PageChange, Record, change_key

MOST_OTHERS = 20  # further values of one field that are kept

MADE = 0
"""The version of a row that was made to be locked, and stands there until its transaction ends."""

RecordKey = tuple[str, str]
"""Type and id of a record."""

RECORDS = table(
    "records",
    key_column("record_type", LineColumn(40), "The NAME of its [record.NAME]."),
    key_column("record_id", KEY_COLUMN, "The record's key: MD5 of its key fields, or of its host."),
    may("host", LineColumn(255), "The host of its page."),
    must("url_key", KEY_COLUMN, "The page that its newest values are from."),
    must("url", TextColumn, "The address of that page."),
    must("data", JSON_COLUMN, "Its fields: {field: value, or list of values}."),
    may(
        "evidence",
        JSON_COLUMN,
        "Where each value stands: {field: {value, raw, label, url, at, others}}.",
    ),
    may("missing", JSON_COLUMN, "The required fields that were not found."),
    must("complete", Boolean, "Whether none is missing."),
    may(
        "known",
        Boolean,
        "Whether it stood there when the topic, or its source, was read for the first time. False: it came later and is news; empty, in rows of earlier versions: known.",
    ),
    must("version", SMALL_COUNT, "1, and one more with each change of a value.", "changes + 1"),
    must("found", Time, "When it was stored first.", "UTC"),
    must("updated", Time, "When a value changed last, else when it was found.", "UTC"),
    may("gone_at", Time, "Since when its page is gone for sure; empty: it is there.", "UTC"),
    may("label", LineColumn(10), "What a person said of it: right, wrong."),
    may("run_id", LineColumn(40), "The run that wrote it last."),
    may("extra", JSON_COLUMN, "What a user's own pipeline added."),
    Index("records_host", "topic", "record_type", "host"),
    Index("records_updated", "topic", "updated"),
    about="Extracted records of all types; a view `record_NAME` shows one type with a column per field.",
)

RECORD = """
SELECT topic, {columns}, url, host, complete, {local:found} AS found, {local:updated} AS updated, {local:gone_at} AS gone_at
FROM records
WHERE record_type = '{name}'
"""


_by_names = row_by_names(
    RECORDS,
    besides=("version", "found", "updated", "gone_at", "label", "run_id"),
    empty_is_null=["extra"],
)


def record_row(record: Record, context: RowContext) -> RowValues:
    """Return the row of a record as if it were new."""
    at = record.fetched or context.now
    row = {"version": 1, "found": at, "updated": at, "gone_at": None, "run_id": context.run_id}
    return {**_by_names(record, context), **row}


def row_to_be(record: Record, now: float) -> RowValues:
    """Return the row of a record before it is stored; ``now`` is wall time."""
    return record_row(record, RowContext("", None, now, "full"))


def _plain_record(record: Record) -> RowValues:
    """Return a record as a feed has it: a column for each field."""
    whole = {"url": record.url, "host": record.host, "complete": record.complete}
    return {**record.data, **whole, "extra": record.extra}


def merged_record(stored: Mapping[str, Any], fresh: RowValues) -> RowValues:
    """Return the row after a page gave ``fresh``; giving it again changes nothing.

    ``version`` and ``updated`` move only when a value did.
    """
    names = list(dict.fromkeys([*stored["data"], *fresh["data"]]))
    names += [name for name in stored["evidence"] or {} if name not in names]
    data: Json = {}
    evidence: Json = {}
    for name in names:
        kept = _merged_evidence(name, stored, fresh)
        if not kept:
            continue
        many = any(isinstance(row["data"].get(name), list) for row in (stored, fresh))
        data[name] = _values(kept) if many else kept[0]["value"]
        evidence[name] = {**kept[0], **({"others": kept[1:]} if kept[1:] else {})}
    wanted = [*stored["missing"], *fresh["missing"]] if stored["missing"] else fresh["missing"]
    missing = [name for name in dict.fromkeys(wanted) if name not in data]
    changed = json_text(data) != json_text(stored["data"])
    row = {**fresh, "data": data, "evidence": evidence, "missing": missing}
    row |= {"complete": not missing}
    row |= {name: stored[name] for name in ("found", "version", "known")}
    has_moved = stored["url_key"] == fresh["url_key"]  # the same page, wherever it stands now
    if changed:
        row["version"] += 1
    elif has_moved:
        row["updated"] = stored["updated"]
    else:
        row |= {"updated": stored["updated"], "url": stored["url"], "url_key": stored["url_key"]}
    row["extra"] = fresh["extra"] or stored["extra"]
    return row


def _merged_evidence(name: str, stored: Mapping[str, Any], fresh: RowValues) -> list[Json]:
    """Return the values of a field with what pages say of them: what a page says replaces its earlier
    values, and comes first unless the first is another page's.
    """
    before = _said((stored["evidence"] or {}).get(name))
    said = _said((fresh["evidence"] or {}).get(name))
    others = [one for one in before if one.get("url") != fresh["url"]]
    stands = bool(others) and others[0] is before[0]
    return _distinct([*others, *said] if stands else [*said, *others])


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
    """Return the values, each once, however it is spelled."""
    kept: dict[str, Any] = {}
    for one in said:
        kept.setdefault(_norm(one), one["value"])
    return list(kept.values())


def _norm(said: Json) -> str:
    text = str(said["value"]).lower()
    return re.sub(r"[\W_]+", "", text) or text


# Writing ----------------------------------------------------------------------------------------


def _write(window: WriteWindow, rows: list[RowValues]) -> RowOutcome:
    """Write records into what is stored, and the versions they leave behind."""
    keys = [(row["record_type"], row["record_id"]) for row in rows]
    stored = _locked(window, dict(zip(keys, rows, strict=True)))
    now: dict[RecordKey, RowValues] = {}
    left = []
    for key, row in zip(keys, rows, strict=True):
        before = now.get(key) or stored.get(key)
        now[key] = merged_record(before, row) if before is not None else row
        if before is not None and now[key]["version"] != before["version"]:
            left.append(record_version(before))
    window.put(RECORDS.name, now.values())
    if window.history != "none":
        window.put(VERSIONS.name, left)
    changed = {key for key in now.keys() & stored.keys() if now[key]["version"] != stored[key]["version"]}  # fmt: skip
    return RowOutcome(frozenset(now.keys() - stored.keys()), frozenset(changed))


def _locked(window: WriteWindow, rows: Mapping[RecordKey, RowValues]) -> dict[RecordKey, RowValues]:
    """Return those of some records that are stored; no other process changes or makes one until the window is written.

    SQLite has locked the whole file.
    """
    connection, topic = window.connection, window.topic
    if connection.dialect.name == "sqlite":
        return stored_records(connection, topic, rows)
    made = [{**row, "version": MADE} for row in rows.values()]
    window.upserts.missing(RECORDS.name).write(connection, made)
    found = stored_records(connection, topic, rows, locked=True)
    return {key: row for key, row in found.items() if row["version"] != MADE}


def count_records(connection: Connection, topic: str) -> int:
    """Count the records of a topic."""
    query = select(func.count()).select_from(RECORDS).where(RECORDS.c.topic == topic)
    return connection.execute(query).scalar_one()


def stored_records(
    connection: Connection, topic: str, keys: Iterable[RecordKey], *, locked: bool = False
) -> dict[RecordKey, RowValues]:
    """Return the rows of records that are stored, by type and id; ``locked`` until the transaction ends."""
    asked = sorted({*keys})
    found: dict[RecordKey, RowValues] = {}
    for some in parts_of(asked):
        query = select(RECORDS).where(
            RECORDS.c.topic == topic, tuple_(RECORDS.c.record_type, RECORDS.c.record_id).in_(some)
        )
        if locked:  # in one order, so that two do not wait for each other
            query = query.order_by(RECORDS.c.record_type, RECORDS.c.record_id).with_for_update()
        for row in connection.execute(query).mappings():
            found[row["record_type"], row["record_id"]] = dict(row)
    return found


# Changes ----------------------------------------------------------------------------------------


def record_change(
    before: Mapping[str, Any] | None, now: Mapping[str, Any], visit: int | None
) -> PageChange | None:
    """Return what becomes of a record by its row before (None: it is new) and after a page.

    ``visit`` is the number of the visit at which its page was found to say something else: only
    then another value is a change. Before that pages of a site complete each other's records. A known
    record that is stored for the first time is no change.
    """
    key, fields = (now["record_type"], now["record_id"]), {}
    if before is None and now["known"]:
        return None
    if before is None:
        change_id, kind, at = record_change_id(key, "new", ONCE), "new", now["found"]
    elif visit is not None and now["version"] != before["version"]:
        change_id, kind, at = record_change_id(key, "major", visit), "major", now["updated"]
        fields = changed_fields(before["data"], now["data"])
    else:
        return None
    name = next((value for value in now["data"].values() if isinstance(value, str)), "")
    return PageChange(
        change_id,
        *(at, now["record_id"], now["url"], kind, "record", fields),
        title=name[:500],
        version=now["version"],
    )


def record_change_id(key: RecordKey, kind: str, visit: int) -> str:
    """Return the id of a record's change."""
    return change_key("/".join(key), kind, visit)


def changed_fields(before: Json, now: Json) -> Json:
    """Return {name: [old, new]} of the fields that differ."""
    return {
        name: [before.get(name), now.get(name)]
        for name in dict.fromkeys([*before, *now])
        if json_text(before.get(name)) != json_text(now.get(name))
    }


def _tell(changes: Sequence[RowValues], window: WriteWindow) -> Iterator[RowValues]:
    """Go through those that writing has made so: only then the change of a value has another id."""
    outcome = window.outcome(RECORDS.name)
    ids = {record_change_id(key, "new", ONCE) for key in outcome.new}
    changed = outcome.new | outcome.changed
    ids |= {
        record_change_id(key, "major", visit)
        for key, visit in window.visits.items()
        if key in changed
    }
    for change in changes:
        if change["kind"] not in ("new", "major") or change["change_id"] in ids:
            yield change


# Views and age ----------------------------------------------------------------------------------


def _views(words: ViewWords, records: Fields) -> dict[str, View]:
    """Return ``record_NAME`` for each kind of record: a column for each field, lists joined by 、."""
    column = _sqlite_field if words.is_sqlite else _postgresql_field
    return {
        f"record_{name}": View(
            words.fill(
                RECORD, name=name, columns=", ".join(f'{column(one)} AS "{one}"' for one in fields)
            ),
            f"Records of [record.{name}]: a column for each field, lists joined by 、.",
            _OF_A_RECORD | dict.fromkeys(fields, ("A field of the template.", "")),
        )
        for name, fields in records.items()
    }


_OF_A_RECORD = {
    "topic": ("The name of the topic.", ""),
    "url": ("The address of the page that its newest values are from.", ""),
    "host": ("The host of that page.", ""),
    "complete": ("Whether no required field is missing.", ""),
    "found": ("When it was stored first.", LOCAL),
    "updated": ("When a value changed last.", LOCAL),
    "gone_at": ("Since when its page is gone for sure.", LOCAL),
}


def _sqlite_field(name: str) -> str:
    inside = f"json_each(data, '$.\"{name}\"')"
    return f"(SELECT group_concat(value, '、') FROM {inside})"  # noqa: S608 - a checked name


def _postgresql_field(name: str) -> str:
    value = f"data->'{name}'"
    elements = f"jsonb_array_elements_text({value}) AS one"
    joined = f"(SELECT string_agg(one, '、') FROM {elements})"  # noqa: S608 - a checked name
    return f"CASE jsonb_typeof({value}) WHEN 'array' THEN {joined} ELSE data->>'{name}' END"


def _confirmed(connection: Connection, topic: str, keys: Sequence[str], before: float) -> set[str]:
    """Return addresses whose record another page has confirmed since: it is not to go with this one."""
    query = select(RECORDS.c.url_key, RECORDS.c.evidence).where(
        RECORDS.c.topic == topic, RECORDS.c.url_key.in_(keys), RECORDS.c.gone_at.is_(None)
    )
    return {
        row.url_key
        for row in connection.execute(query)
        if any(at >= before for at in _said_at(row.evidence or {}))
    }


def _said_at(evidence: dict[str, Any]) -> Iterator[float]:
    for one in evidence.values():
        for said in (one, *one.get("others", ())):
            yield said.get("at") or 0.0


RECORD_ROWS = RowKind(
    RECORDS,
    record_row,
    item=Record,
    plain=_plain_record,
    needs={
        "record_type": str,
        "record_id": str,
        "url": str,
        "data": dict,
        "evidence": dict,
        "missing": list,
    },
    besides={"label"},
    write=_write,
    counters=("new", "changed"),
    what="record",
    tell=_tell,
    views=_views,
    address="url_key",
    own_key="record_id",
    seen="updated",
    confirmed=_confirmed,
    orphans=(
        Orphans(
            NO_VERSIONS,
            "url_key",
            "kind <> 'article' AND NOT EXISTS (SELECT 1 FROM records r"
            " WHERE r.record_type = versions.kind AND r.topic = versions.topic"
            " AND r.record_id = versions.url_key AND r.version > versions.version)",
            "versions",
        ),
    ),
)
