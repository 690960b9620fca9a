"""Differences as people read them."""

from __future__ import annotations

from difflib import unified_diff

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.output.report.contents import Edit
from focuscrawl.output.report.edits import LONGEST_LINE, MOST_EDITS, compare_lines, difference_of


def test_within_an_edited_sentence_only_what_differs_is_told() -> None:
    said = "@@ -1 +1 @@\n-合格率为百分之九十五。\n+合格率为百分之九十三。"
    assert difference_of(said).lines == (
        (Edit("=", "合格率为百分之九十"), Edit("-", "五"), Edit("+", "三"), Edit("=", "。")),
    )


def test_words_of_languages_with_blanks_stay_whole() -> None:
    assert compare_lines("the metro opens today", "the metro opened today") == (
        Edit("=", "the metro "),
        Edit("-", "opens"),
        Edit("+", "opened"),
        Edit("=", " today"),
    )


def test_sentences_that_have_little_in_common_are_one_that_went_and_one_that_came() -> None:
    found = difference_of("@@\n-今天下雨。\n+一百二十批次样品不合格，已责令下架。")
    assert found.lines == (
        (Edit("-", "今天下雨。"),),
        (Edit("+", "一百二十批次样品不合格，已责令下架。"),),
    )


def test_a_long_difference_is_cut_and_says_how_much_is_missing() -> None:
    found = difference_of("\n".join(f"+{number}{'长' * 1000}" for number in range(30)))
    assert (len(found.lines), found.more) == (MOST_EDITS, 30 - MOST_EDITS)
    assert all(len(line[0].words) <= LONGEST_LINE for line in found.lines)


@given(
    st.lists(st.text("ab甲乙 .", max_size=12), max_size=6),
    st.lists(st.text("ab甲乙 .", max_size=12), max_size=6),
)
def test_what_went_and_what_came_is_all_there(before: list[str], after: list[str]) -> None:
    diff = "\n".join(list(unified_diff(before, after, n=0, lineterm=""))[2:])
    lines = difference_of(diff)
    if lines.more:
        return
    went = sorted(one[1:].strip() for one in diff.split("\n") if one[:1] == "-" and one[1:].strip())
    told = sorted(
        text
        for line in lines.lines
        if any(sign != "+" for sign, _ in line)
        if (text := "".join(words for sign, words in line if sign != "+").strip())
    )
    assert told == [one for one in went if one]


@given(st.text())
def test_any_text_can_be_read_as_a_difference(said: str) -> None:
    difference_of(said)
