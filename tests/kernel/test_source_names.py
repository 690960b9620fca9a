"""What sources are called, and that what an earlier name led to is still known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.kernel.template_changes import renamed
from focuscrawl.template.table import LONGEST_ID, source_ids
from focuscrawl.values import Json
from tests.tables import each_row

pytestmark = pytest.mark.renamed_sources

A, B, C = "http://a.cn/", "http://b.cn/list", "http://c.cn/?id=1"


def source(name: str, *urls: str) -> Json:
    return {"name": name, "urls": list(urls)}


def test_a_source_is_called_by_its_name_else_by_its_first_address() -> None:
    assert source_ids([source("", B, A), source("要闻", A)]) == ["b.cn/list", "要闻"]


@given(st.lists(st.sampled_from([A, B, C, "http://c.cn/?id=2", f"http://d.cn/{'x' * 90}"])))
def test_no_two_sources_have_one_name_and_none_is_too_long(urls: list[str]) -> None:
    sources = [source("", url) for url in dict.fromkeys(urls)]
    names = source_ids(sources)
    assert len(set(names)) == len(sources)
    assert all(len(name) <= LONGEST_ID for name in names)


@each_row(
    ("before", "now", "earlier", "expected"),
    [
        ([source("a", A)], [source("b", A)], {}, {"a": "b"}),
        ([source("b", A)], [source("c", A)], {"a": "b"}, {"a": "c", "b": "c"}),
        ([source("b", A)], [source("a", A)], {"a": "b"}, {"b": "a"}),
        ([source("a", A)], [source("b", B)], {}, {}),
        ([source("", A)], [source("", B, A)], {}, {"a.cn/": "b.cn/list"}),
        ([source("a", A, B)], [source("b", B), source("c", A)], {}, {"a": "c"}),
        ([source("a", A), source("b", B)], [source("b", A, B)], {}, {"a": "b"}),
        ([source("a", A), source("b", B)], [source("a", B), source("b", A)], {}, {}),
        ([source("b", A)], [source("c", C)], {"a": "b"}, {"a": "b"}),
    ],
    ids=["renamed", "twice", "back", "another", "address in front", "split", "joined", "swapped",
         "taken out for a while"],
)  # fmt: skip
def test_an_earlier_name_stands_for_the_source_that_has_its_address_now(
    before: list[Json], now: list[Json], earlier: dict[str, str], expected: dict[str, str]
) -> None:
    assert renamed(before, now, earlier) == expected
