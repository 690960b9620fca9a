"""What is compared when words are cut by another engine than at the visit before."""

from __future__ import annotations

import pytest

from focuscrawl.features.revisit.change.comparison import ChangeKind, change_of, remembered
from focuscrawl.features.revisit.change.visit_comparison import (
    comparable_state,
    compare_article,
    with_engine,
)
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.values import Article, PageClass, PageState

pytestmark = pytest.mark.other_engine

KEY = b"k" * 16
SENTENCES = [
    f"成都市场监管部门公布第{n}批食品安全抽检结果,不合格样品已下架召回。" for n in range(12)
]
TEXT = "\n".join(SENTENCES)
NAMES = 'topic.dictionary = ["食品安全抽检结果", "不合格样品", "下架召回"]'
STATE = PageState(KEY, "http://a.cn/1", "a.cn", PageClass.ARTICLE, 3, 0.0, 0.0, 0.0, 1)


def topic(text: str = "") -> Template:
    given = f'topic.name = "x"\n{text}\n[[source]]\nurl = "http://a.cn/"\nname = "a"\n'
    return load(given, {}, {}).template


def article(text: str) -> Article:
    return Article(KEY.hex(), "http://a.cn/1", "a.cn", "食品抽检结果", text)


def read(template: Template, state: PageState = STATE, text: str = TEXT) -> PageState:
    """Return the state after a visit that found a text."""
    return remembered(state, compare_article(state, article(text), template, frozenset()))


def test_only_hashes_of_one_engine_are_compared() -> None:
    state = read(topic())
    assert comparable_state(state, 0) == state, "a state without a number is of the first engine"
    assert comparable_state(state, 1) == state._replace(simhash=None)
    numbered = state._replace(facts=with_engine(state.facts, 1))
    assert comparable_state(numbered, 1) == numbered
    assert comparable_state(numbered, 0).simhash is None
    assert with_engine(numbered.facts, 0) == state.facts, "the first engine costs no bytes"
    board = STATE._replace(page_class=PageClass.BOARD, digest=b"x")
    assert comparable_state(board, 1) == board, "a page without a hash has nothing to lose"


@pytest.mark.parametrize(("before", "after"), [("", NAMES), (NAMES, "")])
def test_an_unchanged_text_gets_the_hash_of_the_new_engine_and_is_no_change(
    before: str, after: str
) -> None:
    state = read(topic(before))
    known = comparable_state(state, 1)
    verdict = compare_article(known, article(TEXT), topic(after), frozenset())
    assert verdict.kind is ChangeKind.SAME
    again = remembered(known, verdict)
    assert again.digest == state.digest
    assert again.simhash == read(topic(after)).simhash != state.simhash


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (TEXT.replace("第3批", "第三批"), ChangeKind.MINOR),
        (f"{TEXT}\n周末的比赛推迟到下个月举行，门票仍然有效。\n雨停以后球场还要翻修两周，看台也一样。", ChangeKind.MAJOR),
    ],
)  # fmt: skip
def test_how_much_a_text_has_changed_is_then_told_by_its_sentences(
    text: str, kind: ChangeKind
) -> None:
    known = comparable_state(read(topic()), 1)
    verdict = compare_article(known, article(text), topic(NAMES), frozenset())
    assert verdict.changed
    assert verdict.distance is None
    change = change_of(article(text), verdict, 2, ("食品抽检结果", TEXT), 1.0)
    assert (change.kind, change.distance) == (kind.value, None)


def test_the_published_form_starts_from_the_new_hash() -> None:
    strict, other = (topic(f"revisit.strict = true\n{text}") for text in ("", NAMES))
    known = comparable_state(read(strict), 1)
    verdict = compare_article(known, article(TEXT), other, frozenset())
    assert verdict.kind is ChangeKind.SAME
    assert verdict.mark.simhash == read(other).simhash
