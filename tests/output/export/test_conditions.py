"""What may be written as a condition, and that nothing written there becomes SQL."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine
from sqlalchemy.dialects import sqlite

from focuscrawl.output.export.conditions import (
    Comparison,
    ConditionError,
    comparisons,
    condition_of,
)
from focuscrawl.output.export.sheets import (
    ARTICLE_SHEET,
    SHEETS,
    ResultTables,
    Sheet,
    query_of,
)
from focuscrawl.output.export.table import EXPORTED
from tests.kinds import KINDS
from tests.tables import each_row

RESULTS = ResultTables("metro", KINDS.tables, ["name"])
COLUMNS = [one.name for one in ARTICLE_SHEET.columns]
SIGNS = ["=", "!=", "<", ">=", "contains", "not contains"]


@each_row(
    ("text", "read"),
    [
        ("score>=0.5", [Comparison("score", ">=", "0.5")]),
        ("标题 contains 地铁 and host = a.cn", [Comparison("标题", "contains", "地铁"), Comparison("host", "=", "a.cn")]),
        ("title = 'and and' AND score < 1", [Comparison("title", "=", "and and"), Comparison("score", "<", "1")]),
        ("author is  not Empty", [Comparison("author", "is not empty", "")]),
        ("title NOT CONTAINS a b", [Comparison("title", "not contains", "a b")]),
        ("score ==1 and title==x", [Comparison("score", "==", "1"), Comparison("title", "==", "x")]),
        (f"title = a{' ' * 20_000}b", [Comparison("title", "=", f"a{' ' * 20_000}b")]),
    ],
)  # fmt: skip
def test_comparisons_are_read(text: str, read: list[Comparison]) -> None:
    assert list(comparisons(text)) == read


@given(st.sampled_from(COLUMNS), st.sampled_from(SIGNS), st.text(max_size=40))
def test_a_value_is_bound_and_never_a_part_of_the_question(
    name: str, sign: str, value: str
) -> None:
    with suppress(ConditionError):
        condition = condition_of(f"{name} {sign} {value}", RESULTS, ARTICLE_SHEET)
        compiled = condition.compile(dialect=sqlite.dialect())
        said = str(compiled)
        for mark in (";", "--", "DROP"):
            assert mark not in said


@each_row("start", ["", "a", "a = 1", "a is", "a not", "a = 'x'", "a is empty"])
@pytest.mark.parametrize("end", ["'", "b'", "and '"])
def test_what_is_no_comparison_is_refused_however_many_blanks_it_has(start: str, end: str) -> None:
    """By the third power of their number it would take hours."""
    with pytest.raises(ConditionError):
        list(comparisons(f"{start}{' ' * 20_000}{end}"))


@given(st.text(max_size=60))
def test_anything_else_is_a_condition_error(text: str) -> None:
    with suppress(ConditionError):
        condition_of(text, RESULTS, ARTICLE_SHEET)


def test_a_template_may_name_every_sheet() -> None:
    assert {*EXPORTED} == {sheet.name for sheet in SHEETS}


@each_row("sheet", SHEETS, ids=lambda one: str(one.name))
def test_every_column_of_every_sheet_is_in_the_database(sheet: Sheet) -> None:
    """So that a column that is renamed is not silently empty."""
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        for table in KINDS.tables.values():
            table.create(connection)
        rows = connection.execute(query_of(RESULTS, sheet, sheet.columns, 0.0))
        assert list(rows.keys()) == [one.name for one in sheet.columns]
    engine.dispose()
    nothing = [
        one.name for one in sheet.columns if str(RESULTS.expression(sheet, one.name)) == "NULL"
    ]
    assert nothing == []
