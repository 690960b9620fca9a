"""Telephone numbers are found as people write them, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.records.field_values import find_phones
from tests.tables import each_row

pytestmark = pytest.mark.C7


def numbers(text: str, *, labelled: bool = True) -> list[str]:
    return [phone.number for phone in find_phones(text, labelled=labelled)]


@each_row(
    ("text", "expected"),
    [
        ("028-55501234", ["028-55501234"]),
        ("(028)55501234", ["028-55501234"]),
        ("０２８－５５５０１２３４", ["028-55501234"]),
        ("028—5550 1234", ["028-55501234"]),
        ("+86-28-55501234", ["028-55501234"]),
        ("028-55501234转801", ["028-55501234-801"]),
        ("028-55501234-801", ["028-55501234-801"]),
        ("028-55501234 分机：801", ["028-55501234-801"]),
        ("010-55501234/55501235", ["010-55501234", "010-55501235"]),
        ("010-55501234/35", ["010-55501234", "010-55501235"]),
        ("0310-5550500 5551299 5551296", ["0310-5550500", "0310-5551299", "0310-5551296"]),
        ("199 1234 5678", ["19912345678"]),
        ("19912345678（张）19987654321（李）", ["19912345678", "19987654321"]),
        ("029-55540531199-1234-5678", ["029-55540531", "19912345678"]),
        ("0532 55582453　4000-005-359　400-000-7425", ["0532-55582453", "400-000-5359", "400-000-7425"]),
        ("400 000 7929", ["400-000-7929"]),
        ("1-416-330-3117", ["+1 416-330-3117"]),
        ("+49 (0) 7031 / 22 41 50", ["+49 7031 224150"]),
        ("03 88 36 22 17", ["03-88-36-22-17"]),
        ("8 (495) 789-11-22", ["8-495-789-11-22"]),
        ("02-862-4410", ["02-862-4410"]),
        ("(04)2350-1122 分機 15", ["04-2350-1122-15"]),
        ("2024-03-01 - 2024-05-01", []),
        ("9.00 - 17.30", []),
        ("55501234", ["55501234"]),
        ("95533", ["95533"]),
        ("未提供", []),
        ("2401 9401 04000 4896", []),
    ],
)  # fmt: skip
def test_numbers_behind_a_label_have_one_spelling(text: str, expected: list[str]) -> None:
    assert numbers(text) == expected


@each_row(
    "text",
    ["2026000590号", "蜀ICP备2026000590号-1", "20250611083422", "55501234", "95533", "2026-11-20 08:00:00", "610000"],
)  # fmt: skip
def test_without_a_label_other_numbers_are_left_alone(text: str) -> None:
    assert numbers(text, labelled=False) == []


def test_without_a_label_plain_numbers_are_taken() -> None:
    assert numbers("销售 028-55501234 或 19912345678", labelled=False) == [
        "028-55501234",
        "19912345678",
    ]


def test_without_a_label_a_second_number_follows_the_first() -> None:
    assert numbers("0316-5550123 / 5550124", labelled=False) == ["0316-5550123", "0316-5550124"]


def test_mobiles_are_told_from_others() -> None:
    assert [one.mobile for one in find_phones("028-55501234 19912345678", labelled=True)] == [
        False,
        True,
    ]


@given(st.text(alphabet="0123456789-/() 、转+86", max_size=60), st.booleans())
def test_any_text_gives_numbers_in_their_order(text: str, labelled: bool) -> None:
    found = find_phones(text, labelled=labelled)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(sum(map(str.isdigit, one.number)) >= 3 for one in found)
