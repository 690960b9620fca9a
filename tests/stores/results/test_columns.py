"""How hostile text, times and JSON are made fit for every database."""

from __future__ import annotations

import json
import math
import unicodedata
from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import Dialect, make_url
from sqlalchemy.dialects import sqlite

from focuscrawl.stores.results.columns import (
    LineColumn,
    Time,
    clean_line,
    clean_text,
    cut,
    json_text,
    text_md5,
    time_or_none,
    time_text,
)
from tests.tables import each_row

ANY_TEXT = st.text(st.characters())  # surrogates too
SECONDS = st.floats(-62_135_596_800 + 86_400, 253_402_214_400 - 86_400)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=8,
)


@given(ANY_TEXT)
@example("a\x00b\r\nc\rd\x85\ud800")
def test_clean_text_has_nothing_a_database_refuses(text: str) -> None:
    clean = clean_text(text)
    clean.encode()
    assert not [c for c in clean if unicodedata.category(c) in {"Cc", "Cs"} and c not in "\n\t"]
    assert clean_text(clean) == clean


@given(ANY_TEXT)
def test_clean_lines_are_one_line(text: str) -> None:
    assert not set(clean_line(text)) & set("\n\r\t")
    assert clean_line(clean_line(text)) == clean_line(text)


@given(st.text(st.sampled_from("四川a\u0301\u200d👩🍳\ufe0f")), st.integers(0, 12))
def test_a_cut_text_ends_between_characters(text: str, length: int) -> None:
    short = cut(text, length)
    assert len(short) <= length
    assert text.startswith(short)
    if 0 < len(short) < len(text):
        following = text[len(short)]
        assert not unicodedata.combining(following)
        assert following not in "\u200d\ufe0f"
        assert short[-1] != "\u200d"


def test_a_text_of_nothing_but_accents_is_cut_all_the_same() -> None:
    assert len(cut("\u0301" * 1000, 300)) == 300 - 32


@given(SECONDS)
def test_times_come_back_to_the_millisecond(seconds: float) -> None:
    kind = Time()
    dialects: list[Dialect] = [sqlite.dialect(), make_url("postgresql+psycopg://").get_dialect()()]
    for dialect in dialects:
        stored = kind.bind_processor(dialect)(seconds)
        back = kind.process_result_value(stored, dialect)
        assert back is not None
        assert math.isclose(back, seconds, abs_tol=0.0011, rel_tol=1e-12)


@given(SECONDS, SECONDS)
def test_times_as_text_sort_as_times(one: float, other: float) -> None:
    if one <= other:
        assert time_text(one) <= time_text(other)
    assert len(time_text(one)) == 24


def test_a_time_may_be_a_datetime() -> None:
    moment = datetime(2026, 11, 20, 1, 30, tzinfo=UTC)
    assert Time().bind_processor(sqlite.dialect())(moment) == "2026-11-20T01:30:00.000Z"


@each_row("seconds", [math.nan, math.inf, -1e18, 1e20, None])
def test_a_time_no_calendar_has_is_none(seconds: float | None) -> None:
    assert time_or_none(seconds) is None


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_time_that_is_kept_can_be_written(seconds: float) -> None:
    kept = time_or_none(seconds)
    if kept is not None:
        time_text(kept)


@given(JSONS)
def test_any_value_becomes_json_postgresql_takes(value: object) -> None:
    text = json_text(value)
    text.encode()
    assert "\\u0000" not in text.replace("\\\\", "")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(text, parse_constant=refuse)


def test_json_keeps_chinese_and_says_what_json_cannot() -> None:
    assert json_text({"词": ["食品"], 1: (1, 2), "集": {3}}) == '{"词":["食品"],"1":[1,2],"集":[3]}'
    assert json_text({"物": complex(1, 2), "日": datetime(2026, 1, 2, tzinfo=UTC)}) == (
        '{"物":"(1+2j)","日":"2026-01-02T00:00:00Z"}'
    )


def test_a_line_fits_its_column() -> None:
    process = LineColumn(5).bind_processor(sqlite.dialect())
    assert [process(text) for text in (None, "四川\n成都市", "a\x00b")] == [None, "四川 成都", "ab"]


def test_the_hash_of_a_text_knows_neither_width_nor_layout() -> None:
    assert text_md5("ABC 123\n四川") == text_md5("ＡＢＣ１２３　四 川") != text_md5("ABC124四川")
