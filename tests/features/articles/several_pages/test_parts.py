"""The parts of an article become one text: in order, nothing twice, nothing lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.articles.several_pages.parts import (
    LONGEST_TEXT,
    Part,
    are_unlike,
    is_whole_view,
    stitch,
    title_of_series,
)
from tests.tables import each_row

pytestmark = pytest.mark.A2

TITLE = "四川抽检调查"


def line(number: int) -> str:
    return f"第{number}段讲的是市场监管部门第{number}次到市场抽检食品的经过，结果已经公布。"


def joined(*texts: str, title: str = TITLE) -> list[str]:
    return stitch([Part(n, text) for n, text in enumerate(texts, 1)], title).text.split("\n")


def lines(*numbers: int) -> str:
    return "\n".join(map(line, numbers))


@given(st.permutations([Part(n, lines(2 * n, 2 * n + 1)) for n in range(1, 6)]))
def test_parts_stand_in_the_order_of_their_numbers_however_they_come(parts: list[Part]) -> None:
    assert stitch(parts).text == lines(*range(2, 12))


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=60, unique=True).flatmap(
        lambda numbers: st.tuples(
            st.just(numbers), st.lists(st.integers(0, len(numbers)), max_size=8)
        )
    )
)
def test_a_text_cut_anywhere_is_the_same_text_again(cut: tuple[list[int], list[int]]) -> None:
    numbers, cuts = cut
    places = [0, *sorted(cuts), len(numbers)]
    texts = [lines(*numbers[start:end]) for start, end in pairwise(places)]
    assert joined(*texts) == [line(number) for number in numbers]


def test_what_every_page_repeats_stands_there_once() -> None:
    head, foot = "核心提示：本报记者走访市场。", "责任编辑：李"
    texts = [
        f"{TITLE}\n{head}\n{lines(1, 2)}\n{foot}",
        f"{TITLE}（2）\n{head}\n{lines(3)}\n{foot}",
        f"{TITLE}(3)\n{head}\n{lines(4, 5)}\n{foot}",
    ]
    assert joined(*texts) == [head, *map(line, (1, 2, 3, 4, 5)), foot]


def test_a_paragraph_that_begins_the_next_page_again_stands_there_once() -> None:
    assert joined(lines(1, 2), lines(2, 3)) == [line(1), line(2), line(3)]
    assert joined(lines(1, 2, 3), lines(2, 3, 4)) == [line(1), line(2), line(3), line(4)]
    assert joined(lines(1) + "\n" + line(2)[:20], lines(2, 3)) == [line(1), line(2), line(3)]
    assert joined(lines(1, 2), line(2)[20:] + "\n" + line(3)) == [line(1), line(2), line(3)]


def test_a_sentence_broken_by_the_end_of_a_page_is_whole_again() -> None:
    chinese = "这一句话被第一页的末尾从中间断开，它的后半句要到第二页的开头才能继续读到，而且这一页还有别的话"
    rest = "，读者翻到第二页就能看到它余下的部分，这样两段话合在一起才是编辑写的完整的一段话。"
    assert joined(chinese, rest) == [chinese + rest]
    english = "This sentence does not end where the page ends but goes"
    assert joined(english, "on at the beginning of the next one, as it does in magazines.") == [
        f"{english} on at the beginning of the next one, as it does in magazines."
    ]


def test_a_heading_at_the_end_of_a_page_stays_a_line_of_its_own() -> None:
    assert joined(lines(1) + "\n二、结果", lines(2)) == [line(1), "二、结果", line(2)]


@each_row(
    "mark",
    ["（未完待续）", "第2页", "第 2 页 共 5 页", "（接上页）", "下转第3版", "2/5", "page 2 of 5", "—上接第一页—", "分页阅读"],
)  # fmt: skip
def test_words_about_the_page_itself_are_no_text(mark: str) -> None:
    assert joined(f"{lines(1)}\n{mark}", f"{mark}\n{lines(2)}") == [line(1), line(2)]


def test_pages_that_say_nothing_new_are_left_out() -> None:
    """A number behind the last page shows the first, or the last, on many sites."""
    parts = [Part(1, lines(1, 2)), Part(2, lines(3)), Part(3, lines(1, 2)), Part(4, lines(3)), Part(5, "")]  # fmt: skip
    found = stitch(parts, TITLE)
    assert (found.text, found.parts) == (lines(1, 2, 3), 2)


def test_parts_of_one_number_stand_in_the_order_they_are_named() -> None:
    found = stitch([Part(1, lines(1)), Part(2, lines(2)), Part(2, lines(3)), Part(3, lines(4))])
    assert found.text == lines(1, 2, 3, 4)


def test_images_of_all_parts_are_kept_once() -> None:
    found = stitch([Part(2, lines(2), ("b", "a")), Part(1, lines(1), ("a",))])
    assert found.images == ("a", "b")


def test_short_lines_that_are_alike_inside_a_text_stay() -> None:
    poem = ["啊，长江", "第一节", "啊，长江", "第二节"]
    assert joined("\n".join(poem)) == poem


def test_no_parts_are_an_empty_text_and_a_flood_of_text_is_cut() -> None:
    assert stitch([]) == ("", (), 0)
    flood = [Part(n, f"{n}" + "字" * 400_000) for n in range(1, 5)]
    assert len(stitch(flood).text) == LONGEST_TEXT


@each_row(
    ("whole", "is_it"),
    [
        (lines(1, 2, 3, 4), True),
        (lines(1, 2) + lines(3) + "编者按", True),
        (lines(1, 2), False),
        (lines(7, 8, 9), False),
        ("", False),
    ],
)
def test_a_page_that_shows_all_holds_what_the_parts_say(whole: str, is_it: bool) -> None:
    assert is_whole_view(whole, [lines(1, 2), lines(3)]) is is_it


@each_row(
    ("title", "plain"),
    [("抽检调查(2)", "抽检调查"), ("抽检调查（第3页）", "抽检调查"), ("抽检 [2/5]", "抽检"), ("2020年", "2020年"), ("(2)", "(2)")],
)  # fmt: skip
def test_the_number_of_a_page_is_no_part_of_a_title(title: str, plain: str) -> None:
    assert title_of_series(title) == plain


def test_titles_tell_another_article_only_when_they_have_next_to_nothing_in_common() -> None:
    assert are_unlike("某地食堂后厨的一天", "乳粉召回进展如何")
    assert not are_unlike("某地食堂后厨的一天", "某地食堂后厨的一天(2)")
    assert not are_unlike("某地食堂后厨的一天", "食堂后厨")
    assert not are_unlike("某地食堂后厨的一天", "")
