"""Columns explain themselves: beside their declaration, in the database and in the docs, from one source."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from sqlalchemy import inspect

from focuscrawl.stores.results.columns import UNIT_INFO, Figure, Time
from focuscrawl.stores.results.meanings import MEANINGS
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.schema import META, results_page
from tests.databases import Database
from tests.kinds import KINDS

FIELDS: Mapping[str, list[str]] = {"company": ["电话", "name"]}


def open_with_records(database: Database) -> None:
    Results.open(
        database.url, "food", kinds=KINDS, clock=database.clock, timezone="UTC", records=FIELDS
    ).close()


def test_every_column_has_a_meaning_and_every_time_and_figure_a_unit() -> None:
    for table in (META, MEANINGS, *KINDS.tables.values()):
        assert table.comment
        for column in table.columns:
            name = f"{table.name}.{column.name}"
            assert column.doc, name
            assert column.doc.endswith((".", "…")), name
            if isinstance(column.type, Time):
                assert column.info[UNIT_INFO] == "UTC", name
            elif isinstance(column.type, Figure) and name != "series.value":
                assert column.info[UNIT_INFO], name


def test_all_that_stands_in_a_database_is_explained_there(database: Database) -> None:
    open_with_records(database)
    rows = database.ask(
        "SELECT * FROM columns"
    )  # its names are words of SQL, quoted in each in another way
    assert all(meaning for _, _, meaning, _ in rows)
    told = {(table, column) for table, column, _, _ in rows}
    engine = database.engine()
    looked_at = inspect(engine)
    ours = [META.name, MEANINGS.name, *KINDS.tables, *looked_at.get_view_names()]
    there = {(name, column["name"]) for name in ours for column in looked_at.get_columns(name)}
    engine.dispose()
    assert told == there | {(name, "") for name in ours}


def test_a_meaning_that_has_changed_is_written_anew_and_others_stay(database: Database) -> None:
    open_with_records(database)
    database.tell("UPDATE columns SET meaning = '?' WHERE meaning LIKE '%known%'")
    database.tell("INSERT INTO columns VALUES ('record_other', 'x', 'Of another topic.', NULL)")
    before = database.ask("SELECT count(*) FROM columns")
    open_with_records(database)
    assert database.ask("SELECT count(*) FROM columns") == before
    assert database.ask("SELECT count(*) FROM columns WHERE meaning = '?'") == [(0,)]
    units = {
        (table, column): unit for table, column, _, unit in database.ask("SELECT * FROM columns")
    }
    assert units["sites", "delay_s"] == "seconds"


def test_the_page_of_the_docs_is_that_of_the_columns(pytestconfig: pytest.Config) -> None:
    page = (pytestconfig.rootpath / "docs" / "results.md").read_text("utf-8")
    assert page == results_page(KINDS), "make columns > docs/results.md"
