"""Lines that differ at every visit stop counting wherever they stand; those around them count on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.change.volatile import (
    VISITS_NEEDED,
    Lesson,
    TextRules,
    learn_lines,
    lines_of,
    unpacked,
    without_learnt,
)
from tests.tables import each_row

pytestmark = pytest.mark.volatile

STAYS = ["要闻", "首页", "评论", "图片", "专题", "关于我们"]
VARIES = ["东风", "西山", "南海", "北国", "中原", "长河"]
RULES = TextRules()


def learnt(pages: list[list[str]]) -> Lesson:
    lesson = unpacked(b"")
    for page in pages:
        lesson = unpacked(learn_lines(lesson, lines_of("\n".join(page), RULES)).packed())
    return lesson


def left(page: list[str], lesson: Lesson) -> list[str]:
    """Return the lines of a page that count."""
    return [line.text for line in without_learnt(lines_of("\n".join(page), RULES), lesson.learnt)]


def pages(place: int, varies: list[str]) -> list[list[str]]:
    return [[*STAYS[:place], one, *STAYS[place:]] for one in varies]


@given(st.integers(0, len(STAYS)))
def test_a_line_between_two_that_stay_is_learnt_at_its_third_difference(place: int) -> None:
    seen = pages(place, VARIES)
    for visits in range(1, VISITS_NEEDED + 1):
        assert left(seen[visits], learnt(seen[:visits])) == seen[visits]
    assert left(seen[-1], learnt(seen[: VISITS_NEEDED + 1])) == STAYS


@given(st.integers(0, len(STAYS)))
def test_a_line_whose_numbers_differ_is_learnt_wherever_it_comes_to_stand(place: int) -> None:
    seen = pages(place, [f"点数{number}" for number in range(VISITS_NEEDED + 1)])
    elsewhere = [*STAYS, "点数99"]
    assert left(elsewhere, learnt(seen)) == STAYS


@given(st.integers(0, len(STAYS)))
def test_a_line_that_stood_still_once_begins_anew(place: int) -> None:
    words = [VARIES[0], VARIES[1], VARIES[2], VARIES[2], VARIES[3], VARIES[4]]
    seen = pages(place, words)
    assert left(seen[-1], learnt(seen)) == seen[-1]


@given(st.integers(0, len(STAYS)))
def test_a_sentence_and_lines_that_are_added_always_count(place: int) -> None:
    sentences = pages(place, [f"{word}的食品今天已经全部下架。" for word in VARIES])
    assert left(sentences[-1], learnt(sentences)) == [*sentences[-1]]
    growing = [[*STAYS[:place], *VARIES[:more], *STAYS[place:]] for more in range(6)]
    assert left(growing[-1], learnt(growing)) == growing[-1]


@each_row(
    "sentence",
    [
        "本页生成于 2026-11-2{0} 0{0}:15:33，累计访问 {0}234 次，编号 {0}7a9f{0}e。",
        "本文已被阅读 {0}12 次。",
        "截至目前，本站累计访问量达 {0},345,678 人次。",
        "您是第 {0}3456 位访客，欢迎您！",
        "页面更新于 2026年11月2{0}日，用时 0.{0}3 秒。",
        "This page was generated in 0.{0}7 seconds.",
        "This article has been viewed {0},204 times.",
    ],
)
def test_a_sentence_in_which_a_page_counts_itself_counts_by_its_words_alone(sentence: str) -> None:
    before, after = (lines_of(sentence.format(number), TextRules()) for number in (1, 7))
    assert [one.text for one in before] == [one.text for one in after]
    changed = lines_of(sentence.format(1) + "停止更新", TextRules())
    assert [one.text for one in before] != [one.text for one in changed]


@each_row(
    "sentence",
    [
        "本市{0}个区县昨天恢复供水，抢修人员在现场值守。",
        "本站公交线路调整后增加{0}个班次，末班车推迟到夜里。",
        "截至目前，全市已有{0}200户恢复供电。",
        "本页公布的招聘岗位共有{0}个，报名从明天开始。",
        "博物馆昨天接待了{0}345位访客，比前天多。",
    ],
)
def test_a_number_in_a_sentence_about_something_else_is_news(sentence: str) -> None:
    before, after = (lines_of(sentence.format(number), TextRules()) for number in (1, 7))
    assert [one.text for one in before] != [one.text for one in after]
