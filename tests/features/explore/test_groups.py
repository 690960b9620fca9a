"""The heap in an array against sorting."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.explore.groups import pop, push

NUMBERS = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(NUMBERS))
def test_numbers_come_out_smallest_first(numbers: list[int]) -> None:
    heap = array("q")
    for number in numbers:
        push(heap, number)
    assert [pop(heap) for _ in numbers] == sorted(numbers)


@given(st.lists(st.one_of(NUMBERS, st.none())))
def test_pushing_and_popping_may_take_turns(steps: list[int | None]) -> None:
    heap, model = array("q"), list[int]()
    for number in steps:
        if number is not None:
            assert push(heap, number) == (not model or number < min(model))
            model.append(number)
        elif model:
            assert pop(heap) == min(model)
            model.remove(min(model))
        assert len(heap) == len(model)


def test_nothing_comes_out_of_an_empty_heap() -> None:
    with pytest.raises(IndexError):
        pop(array("q"))
