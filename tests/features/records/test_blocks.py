"""Values are joined to one record as long as nothing says that they are two."""

from __future__ import annotations

import pytest

from tests.features.records.test_reader import ADDRESS, NAME, PHONE, read

pytestmark = pytest.mark.C7

SHOWN = f"<div><p>{NAME}</p><p>地址：{ADDRESS}</p><p>电话：{PHONE}</p></div>"


def test_a_line_about_somebody_else_is_no_part_of_the_record_before() -> None:
    shown = f"<p>地址：{ADDRESS}</p><p>电话：{PHONE}</p>"
    records = read(f"{shown}<p>承办：成都石榴展览公司 电话：028-55509999</p>")
    assert records[0] == {"address": [ADDRESS], "phone": [PHONE]}


def test_a_second_address_beside_a_record_is_its_own() -> None:
    (record,) = read(f"{SHOWN}<hr><p>地址：成都市图纸街7号</p>")
    assert record["address"] == [ADDRESS, "成都市图纸街7号"]


@pytest.mark.parametrize("again", ["四川成都样例路12号", "成都市样例路12号", ADDRESS])
def test_a_foot_that_writes_the_address_shorter_is_the_same_record(again: str) -> None:
    assert len(read(f"{SHOWN}<div><p>地址：{again} 邮编：610000</p></div>")) == 1


def test_a_link_that_says_a_number_counts_beside_a_value_only() -> None:
    link = "<p><a href='mailto:info@a.com'>给我们写信</a></p>"
    assert read(SHOWN + link)[0]["email"] == ["info@a.com"]
    assert "email" not in read(SHOWN + "<p>一</p><p>二</p><p>三</p>" + link)[0]
