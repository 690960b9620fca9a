"""The text under an element: one line for each block."""

from __future__ import annotations

import pytest
from lxml import html

from focuscrawl.readers.pages.texts import MOST_WALKED, paragraphs, short_text


@pytest.mark.parametrize(
    "unseen",
    [
        "<select><option>一</option><option>二</option></select>",
        "<svg><g><path/></g><text>图</text></svg>",
        "<noscript><p>请打开脚本</p></noscript>",
        "<select><option>一</option></select>",
    ],
)
def test_blocks_behind_elements_that_are_not_seen_have_lines_of_their_own(unseen: str) -> None:
    block = html.fromstring(
        f"<div>前<p>甲</p>{unseen}<p>乙</p><ul><li>丙</li><li>丁</li></ul></div>"
    )
    assert paragraphs(block).splitlines() == ["前", "甲", "乙", "丙", "丁"]


def test_an_element_with_hundreds_inside_is_not_walked_down_to_the_last() -> None:
    """Found by ``make fuzz``: of 1,900 empty ones inside each other each was."""
    for inside, text in ((MOST_WALKED - 1, "更多"), (MOST_WALKED, "")):
        root = html.fromstring(f"<div>{'<b></b>' * inside}更多</div>")
        assert short_text(root, 20) == text
