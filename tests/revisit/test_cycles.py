"""Search again: what a cycle reached against the one before (C8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit.cycles import compare_cycles

A, B, C, D = b"a", b"b", b"c", b"d"


def test_golden_new_known_and_missing() -> None:
    cycle = compare_cycles({A: ["1"], B: ["1"], C: ["2"]}, [B, D], ["1", "2"])
    assert cycle == ([D], [B], [A, C], [])


@pytest.mark.parametrize(("strict", "missing"), [(False, [A]), (True, [A, B, C])])
def test_a_page_whose_seed_was_not_walked_is_not_judged_unless_strict(
    strict: bool, missing: list[bytes]
) -> None:
    before = {A: ["1"], B: ["2"], C: ["1", "2"]}
    cycle = compare_cycles(before, [], ["1"], strict=strict)
    assert cycle.missing == missing
    assert cycle.not_judged == [page for page in before if page not in missing]


pages = st.binary(max_size=1)


@given(
    st.dictionaries(pages, st.sets(st.sampled_from("123"))),
    st.lists(pages, unique=True),
    st.sets(st.sampled_from("123")),
    st.booleans(),
)
def test_every_page_has_one_verdict(
    before: dict[bytes, set[str]], now: list[bytes], walked: set[str], strict: bool
) -> None:
    cycle = compare_cycles(before, now, walked, strict=strict)
    assert sorted(cycle.new + cycle.known) == sorted(now)
    assert sorted(cycle.known + cycle.missing + cycle.not_judged) == sorted(before)
    assert not (strict and cycle.not_judged)
