"""What was planted, and what was told of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.demo.told import Match, Told, match, match_all
from focuscrawl.demo.truth import ChangeTruth

URL = "http://a.example/1"
KINDS = ("new", "minor", "major", "gone", "back")


def planted(*changes: tuple[float, str]) -> list[ChangeTruth]:
    return [ChangeTruth(URL, day, kind) for day, kind in changes]


def told(*rows: tuple[float, str]) -> list[Told]:
    return [Told(day, URL, kind, "article", {}) for day, kind in rows]


def matched(changes: list[ChangeTruth], rows: list[Told]) -> Match:
    return match(changes, rows, lambda change: change.day <= 14)


def test_each_change_is_told_by_the_first_row_of_its_kind_since() -> None:
    found = matched(
        planted((0, "new"), (2, "major"), (5, "major")), told((0.1, "new"), (3, "major"), (6, "major"))
    )  # fmt: skip
    assert [(pair.planted.day, pair.told.day) for pair in found.right] == [(0, 0.1), (2, 3), (5, 6)]
    assert found == Match(right=found.right)


def test_a_change_told_before_it_happened_is_made_up() -> None:
    found = matched(planted((3, "gone")), told((2, "gone")))
    assert [change.kind for change in found.missed] == ["gone"]
    assert len(found.odd) == 1


def test_a_large_edit_told_as_a_small_one_is_wrong_and_not_missed() -> None:
    found = matched(planted((2, "major")), told((2.5, "minor")))
    assert [(pair.planted.kind, pair.told.kind) for pair in found.wrong] == [("major", "minor")]
    assert found == Match(wrong=found.wrong)


def test_an_edit_in_its_own_class_is_not_taken_for_an_earlier_one_in_another() -> None:
    found = matched(planted((1, "major"), (4, "minor")), told((5, "minor")))
    assert [change.day for change in found.missed] == [1]
    assert [pair.planted.day for pair in found.right] == [4]


def test_what_is_told_twice_is_no_other_change() -> None:
    found = matched(planted((1, "gone")), told((3, "gone"), (4, "gone"), (5, "back")))
    assert [row.day for row in found.again] == [4]
    assert [row.kind for row in found.odd] == ["back"]


def test_what_comes_too_late_to_be_told_may_be_told() -> None:
    late = planted((14.25, "minor"))
    assert not matched(late, []).missed
    assert matched(late, told((15, "minor"))).right


def test_addresses_do_not_mix() -> None:
    row = Told(2.0, "http://a.example/2", "gone", "article", {})
    found = match_all(planted((1, "gone")), [row], lambda _: True)
    assert (len(found.missed), found.odd) == (1, [row])


@given(
    st.lists(st.tuples(st.integers(0, 14), st.sampled_from(KINDS)), max_size=6),
    st.lists(st.tuples(st.integers(0, 14), st.sampled_from(KINDS)), max_size=6),
)
def test_every_change_and_every_row_is_counted_once(
    changes: list[tuple[int, str]], rows: list[tuple[int, str]]
) -> None:
    wanted = planted(*sorted(set(changes)))
    found = matched(wanted, told(*sorted(rows)))
    pairs = [*found.right, *found.wrong]
    assert sorted([*(pair.planted for pair in pairs), *found.missed]) == sorted(wanted)
    known = [*(pair.told for pair in pairs), *found.again, *found.odd]
    assert sorted((row.day, row.kind) for row in known) == sorted(rows)
    assert all(pair.told.day >= pair.planted.day for pair in pairs)
