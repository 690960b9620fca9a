"""What finds expressions that take time with the square of a text; ``python -m tests.expressions`` looks at all of ours."""

from __future__ import annotations

import re

import pytest

from tests.expressions import STEEP, TOO_STEEP, Expression, expressions, steepness

pytestmark = pytest.mark.timed


def test_the_list_of_steep_expressions_names_no_other() -> None:
    assert {one.place for one in expressions()} >= STEEP


@pytest.mark.parametrize(
    ("written", "is_steep"),
    [
        (r"a\s*,?\s*b", True),
        (r"a\s*+,?\s*+b", False),
        (r"<a[^>]*>", True),
        (r"<a[^<>]{0,200}>", False),
        (r"(?:x+)+y", True),
        (r"日期\s*[:：]?\s*\d", True),
    ],
)
def test_what_grows_with_the_square_is_found(written: str, *, is_steep: bool) -> None:
    one = Expression("here", re.compile(written), frozenset({"search"}))
    assert (steepness(one)[0] > TOO_STEEP) == is_steep
