import sys
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.seen import SeenSet

pytestmark = pytest.mark.A8

NUMBERS = st.integers(0, 2**64 - 1) | st.integers(0, 600)


@given(st.lists(st.tuples(st.booleans(), NUMBERS), max_size=300))
def test_a_seen_set_behaves_like_a_set(steps: list[tuple[bool, int]]) -> None:
    seen = SeenSet()
    model: set[int] = set()
    for adding, number in steps:
        if adding:
            assert seen.add(number) == (number not in model)
            model.add(number)
        else:
            seen.discard(number)
            model.discard(number)
        assert (number in seen) == (number in model)
        assert len(seen) == len(model)


@given(st.lists(st.lists(NUMBERS)), st.lists(NUMBERS))
def test_loading_joins_packed_numbers_with_what_is_known(
    blobs: list[list[int]], before: list[int]
) -> None:
    seen = SeenSet()
    for number in before:
        seen.add(number)
    seen.load(array("Q", numbers).tobytes() for numbers in blobs)
    expected = set(before).union(*blobs)
    assert len(seen) == len(expected)
    assert all(number in seen for number in expected)


def test_many_numbers_are_merged_and_none_is_lost() -> None:
    seen = SeenSet()
    numbers = [number * 0x9E3779B97F4A7C15 % 2**64 for number in range(60_000)]
    assert all(seen.add(number) for number in numbers)
    assert not any(seen.add(number) for number in numbers)
    assert 1 not in seen
    arrays = sum(sys.getsizeof(part) for part in seen._sorted)
    assert arrays < 12 * len(numbers)
