"""Values as spreadsheets and XML take them."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from focuscrawl.output.summary.cells import cell, limited, xml_name, xml_text
from tests.tables import each_row

CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(CELLS)
def test_any_value_is_one_line_that_computes_nothing(value: object) -> None:
    text = cell(value)
    assert not set(text) & set("\n\r\t\x00\x1b")
    if isinstance(value, str):
        assert not text.lstrip().startswith(("=", "+", "-", "@"))
    stream = io.StringIO(newline="")
    csv.writer(stream).writerow(["a", text])
    assert next(csv.reader(io.StringIO(stream.getvalue(), newline=""))) == ["a", text]


@each_row(
    ("value", "expected"),
    [
        (None, ""),
        (True, "true"),
        (-0.5, "-0.5"),
        (3, "3"),
        (["a", "b"], "a|b"),
        ([("食品", 0.5), ["抽检", 1]], "食品:0.5|抽检:1"),
        ({"食品": [1]}, '{"食品":[1]}'),
        ([{"a": 1}], '{"a":1}'),
        ([], ""),
        (["=1", "b"], "'=1|b"),
    ],
)
def test_values_are_readable_in_a_cell(value: object, expected: str) -> None:
    assert cell(value) == expected


@given(st.text(min_size=1, alphabet=st.characters(codec="utf-8")), st.integers(20_000, 70_000))
def test_a_limited_text_fits_and_begins_as_it_did(seed: str, length: int) -> None:
    text = (seed * (length // len(seed) + 1))[:length]
    short = limited(text)
    assert len(short.encode("utf-16-le")) // 2 <= 32_766
    if short != text:
        kept, _, mark = short.rpartition(" …[cut, ")
        assert mark == f"{length} characters]"
        assert text.startswith(kept)
        assert len(kept) > 16_000


@given(st.text(min_size=1), st.text())
def test_any_text_makes_well_formed_xml(name: str, text: str) -> None:
    element = etree.Element(xml_name(name))
    element.text = xml_text(text)
    assert etree.fromstring(etree.tostring(element, encoding="utf-8")).tag == xml_name(name)


def test_good_names_stay() -> None:
    assert [xml_name(name) for name in ("title", "标题", "a-b.c", "1a")] == [
        "title",
        "标题",
        "a-b.c",
        "_1a",
    ]
