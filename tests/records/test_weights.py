"""The published form of records (C7): tags are weighed, the one block is taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from focuscrawl.pages.document import Document
from focuscrawl.records.lines import read_lines
from focuscrawl.records.reader import read_records
from focuscrawl.records.weights import element_weights, heaviest_element
from tests.records.test_reader import RULES

STRICT = replace(RULES, strict=True)
COMPANY = "<p>公司名称：云杉软件</p><p>地址：四川省成都市样例路12号</p><p>电话：028-55501234</p>"
BRANCH = "<p>地址：四川省绵阳市样例路3号</p><p>电话：0816-5550123</p>"


def document(body: str) -> Document:
    return Document.read(f"<html><body>{body}</body></html>".encode(), url="http://a.cn/")


def block(body: str) -> str:
    """Return the id of the block that is taken, or its tag."""
    page = document(body)
    element = heaviest_element(element_weights(read_lines(page.root), STRICT))
    return "" if element is None else element.get("id", element.tag)


def read(body: str) -> list[dict[str, list[object]]]:
    return [
        {name: [one.value for one in found] for name, found in record.values.items()}
        for record in read_records(document(body), STRICT)
    ]


@pytest.mark.parametrize(
    ("body", "taken"),
    [
        (f"<div id=outer><div id=inner>{COMPANY}</div></div>", "inner"),
        (f"<div id=all><div id=one>{COMPANY}</div><div id=two>{BRANCH}</div></div>", "one"),
        (f"<div id=first>{BRANCH}</div><div id=second>{BRANCH}</div>", "first"),
        ("<div id=a><p>电话：1</p></div><div id=b><p>热线：2</p><p>联系电话：3</p></div>", "p"),
        (f"<div id=main>{COMPANY}</div><div id=foot><p>邮编：610000</p></div>", "body"),
        ("<table id=t><tr id=r><td>地址</td><td>电话</td></tr><tr><td>甲</td><td>乙</td></tr></table>", "r"),
        ("<p>没有标签的一页</p>", ""),
        ("", ""),
    ],
    ids=["inner", "most", "first", "synonyms", "all of it", "row", "none", "empty"],
)  # fmt: skip
def test_the_innermost_tag_with_most_keywords_under_it_is_the_block(body: str, taken: str) -> None:
    assert block(body) == taken


def test_a_page_has_one_record_and_only_what_stands_in_its_block() -> None:
    found = read(f"<div>{COMPANY}</div><div>{BRANCH}</div><p>传达室：99</p>")
    assert found == [
        {"name": ["云杉软件"], "address": ["四川省成都市样例路12号"], "phone": ["028-55501234"]}
    ]
    by_default = read_records(document(f"<div>{COMPANY}</div><div>{BRANCH}</div>"), RULES)
    assert len(by_default) == 2


def test_a_keyword_in_the_foot_widens_the_block_to_the_whole_page() -> None:
    """As published; the default form keeps such a line out when it contradicts the block."""
    (record,) = read(f"<div>{COMPANY}</div><div>{BRANCH}</div><div><p>邮编：610000</p></div>")
    assert record["zip"] == ["610000"]
    assert len(record["phone"]) == 2


@pytest.mark.parametrize("body", ["", "<p>联系电话</p>", "<a href='tel:02855501234'>拨打</a>"])
def test_pages_without_a_value_behind_a_keyword_have_no_record(body: str) -> None:
    assert read(body) == []


def test_the_weight_of_a_tag_is_that_of_all_keywords_under_it() -> None:
    page = document(f"<div id=one>{COMPANY}</div><p>传真：028-55509999</p>")
    by_id = {
        element.get("id", element.tag): names
        for element, names in element_weights(read_lines(page.root), STRICT).items()
    }
    assert by_id["one"] == {"name", "address", "phone"}
    assert by_id["body"] == by_id["html"] == {"name", "address", "phone", "fax"}
