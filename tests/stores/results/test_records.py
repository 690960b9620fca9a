"""Records in the results: one row for what several pages know, the same however often it is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.records.rows import merged_record, record_row
from focuscrawl.stores.results.kind import RowContext
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import Record
from tests.kinds import KINDS

if TYPE_CHECKING:
    from tests.databases import Database

pytestmark = pytest.mark.C7

NOON = 1_795_147_200.0
FIELDS = {"company": ["name", "phone", "fax"]}


def record(page: str = "a", at: float = NOON, missing: Sequence[str] = (), **data: Any) -> Record:
    """A record as a page says it; lists are fields with several values."""
    url = f"http://a.cn/{page}"
    evidence = {}
    for name, value in data.items():
        said = [
            {"value": one, "raw": str(one), "label": name, "url": url, "at": at}
            for one in (value if isinstance(value, list) else [value])
        ]
        evidence[name] = {**said[0], **({"others": said[1:]} if said[1:] else {})}
    return Record(
        "company", "1" * 32, "a.cn", page * 32, url, data, evidence, list(missing), not missing, at
    )


def open_results(database: Database) -> Results:
    return Results.open(database.url, "food", kinds=KINDS, clock=database.clock, records=FIELDS)


def row(database: Database) -> dict[str, Any]:
    names = "url, data, evidence, missing, complete, version, found, updated"
    ((url, data, evidence, missing, complete, version, found, updated),) = database.ask(
        f"SELECT {names} FROM records"
    )
    return {
        "url": url, "data": data, "evidence": evidence, "missing": missing,
        "complete": bool(complete), "version": version, "found": found, "updated": updated,
    }  # fmt: skip


@pytest.mark.of_views
def test_a_new_record_is_a_row_and_a_line_of_its_view(database: Database) -> None:
    said = record(name="云杉", phone=["028-1", "028-2"])
    with open_results(database) as results:
        written = results.write(ResultBatch(records=[said]))
    assert written.of("records").new == {("company", "1" * 32)}
    stored = row(database)
    assert stored["data"] == {"name": "云杉", "phone": ["028-1", "028-2"]}
    assert (stored["complete"], stored["version"], stored["found"]) == (True, 1, NOON)
    assert database.ask("SELECT name, phone, fax, url FROM record_company") == [
        ("云杉", "028-1、028-2", None, "http://a.cn/a")
    ]


def test_saying_it_again_changes_nothing(database: Database) -> None:
    said = record(name="云杉", phone=["028-1"])
    with open_results(database) as results:
        results.write(ResultBatch(records=[said]))
        before = row(database)
        written = results.write(ResultBatch(records=[said]))
        assert row(database) == before
        assert not written.of("records").new | written.of("records").changed
        later = record(at=NOON + 86_400, name="云杉", phone=["028-1"])
        results.write(ResultBatch(records=[later]))
    assert row(database)["updated"] == NOON
    assert row(database)["version"] == 1


def test_another_page_fills_gaps_and_contradicts_in_the_evidence(database: Database) -> None:
    first = record(name="云杉", fax="028-9", missing=["phone"])
    second = record("b", name="云杉", phone=["028-1"], fax="028-8")
    with open_results(database) as results:
        results.write(ResultBatch(records=[first]))
        written = results.write(ResultBatch(records=[second]))
    assert written.of("records").changed == {("company", "1" * 32)}
    stored = row(database)
    assert stored["data"] == {"name": "云杉", "fax": "028-9", "phone": ["028-1"]}
    assert (stored["missing"], stored["complete"], stored["version"]) == ([], True, 2)
    assert stored["url"] == "http://a.cn/b"
    assert [one["value"] for one in stored["evidence"]["fax"]["others"]] == ["028-8"]


def test_a_page_may_change_its_mind(database: Database) -> None:
    with open_results(database) as results:
        results.write(ResultBatch(records=[record(name="云杉", phone=["028-1"], fax="028-9")]))
        results.write(ResultBatch(records=[record(at=NOON + 60, name="云杉", phone=["028-2"])]))
    stored = row(database)
    assert stored["data"] == {"name": "云杉", "phone": ["028-2"]}
    assert (stored["version"], stored["found"], stored["updated"]) == (2, NOON, NOON + 60)


def test_several_pages_of_one_commit_are_one_row(database: Database) -> None:
    batch = [record(name="云杉"), record("b", name="云杉", fax="028-9"), record("c", fax="028-8")]
    with open_results(database) as results:
        results.write(ResultBatch(records=batch))
    assert row(database)["data"] == {"name": "云杉", "fax": "028-9"}


@pytest.mark.of_views
def test_views_follow_the_fields_of_the_template(tmp_path: Path, database: Database) -> None:
    with open_results(database) as results:
        results.write(ResultBatch(records=[record(name="云杉", 负责人="乙")]))
    Results.open(
        database.url,
        "food",
        kinds=KINDS,
        clock=database.clock,
        records={"company": ["负责人", "name"]},
    ).close()
    assert database.ask('SELECT "负责人", name FROM record_company') == [("乙", "云杉")]


def test_a_record_counts_as_found(database: Database) -> None:
    with open_results(database) as results:
        assert not results.ever_found()
        results.write(ResultBatch(records=[record(name="云杉")]))
        assert results.ever_found()


VALUES = st.dictionaries(
    st.sampled_from(["name", "fax", "zip"]), st.sampled_from(["甲", "乙", "丙"]), max_size=3
)
SAID = st.lists(st.tuples(st.sampled_from("abc"), VALUES), min_size=1, max_size=8)


def told(pages: list[tuple[str, dict[str, str]]]) -> dict[str, Any]:
    rows = [
        record_row(record(page, NOON, (), **data), RowContext("t", "r", NOON, "full"))
        for page, data in pages
    ]
    stored = rows[0]
    for fresh in rows[1:]:
        stored = merged_record(stored, fresh)
    return stored


@given(SAID)
def test_what_was_said_last_is_not_new_when_said_again(
    pages: list[tuple[str, dict[str, str]]],
) -> None:
    once = told(pages)
    assert told([*pages, pages[-1]]) == once


@given(SAID)
def test_no_page_is_believed_after_it_says_otherwise(
    pages: list[tuple[str, dict[str, str]]],
) -> None:
    last = dict(pages)
    stored = told(pages)
    for name, value in stored["data"].items():
        said = [stored["evidence"][name], *stored["evidence"][name].get("others", ())]
        assert said[0]["value"] == value
        for one in said:
            page = one["url"].removeprefix("http://a.cn/")
            assert last[page].get(name) == one["value"]
    assert {name for data in last.values() for name in data} == set(stored["data"])


def test_a_row_keeps_what_a_user_added() -> None:
    first = replace(record(name="云杉"), extra={"seen": True})
    stored = record_row(first, RowContext("t", "r", NOON, "full"))
    again = merged_record(
        stored, record_row(record("b", name="云杉"), RowContext("t", "s", NOON, "full"))
    )
    assert again["extra"] == {"seen": True}


@pytest.mark.parametrize("count", [1, 450])
def test_many_records_are_written_at_once(database: Database, count: int) -> None:
    batch = [replace(record(name="云杉"), record_id=f"{number:032d}") for number in range(count)]
    with open_results(database) as results:
        assert len(results.write(ResultBatch(records=batch)).of("records").new) == count
        assert not results.write(ResultBatch(records=batch)).of("records").new
