"""The sentences that say why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.locale.messages import IN_CHINESE, IN_ENGLISH, set_message_language
from focuscrawl.output.explain.facts import Fact, LinkNow, Verdict
from focuscrawl.output.explain.reasons import (
    CLASS_NAMES,
    REFUSALS,
    answer_words,
    outcome_name,
    why_in_words,
)
from focuscrawl.output.explain.scores import missed_line, score_lines
from focuscrawl.output.explain.verdict import find_verdict
from focuscrawl.output.explain.words import NEXT_VISIT, VERDICTS, Sentences
from focuscrawl.readers.text.characters import HAN
from focuscrawl.values import PageClass
from focuscrawl.verbs.explain.plan import end_of_plan, plan_line
from focuscrawl.verbs.explain.template_effect import MovedPage, TemplateEffect, effect_lines
from tests.output.explain.test_verdict import FATES, NOW
from tests.tables import each_row

SAY = Sentences(ZoneInfo("Asia/Shanghai"), NOW)
SCORE = {
    "score": 0.21,
    "relevant": False,
    "reason": "score",
    "threshold": 0.3,
    "parts": [{"words": "食品", "in_title": 0, "in_text": 1, "weight": 1.0, "contribution": 0.21}],
    "hits": {"食品": 1},
    "missed": ["召回|下架"],
}


@each_row("fate", FATES)
def test_the_answer_comes_first_and_leaves_no_place_unfilled(fate: str) -> None:
    known = FATES[fate]
    address, answer, *evidence = SAY.address(known, find_verdict(known))
    assert address == known.question.url
    assert re.match(r"(Stored|Read|Not in the table)", answer)
    assert answer.endswith(".")
    assert not re.search(r"[{}]|None", " ".join([answer, *evidence]))


@pytest.fixture
def in_chinese() -> Iterator[None]:
    set_message_language(IN_CHINESE)
    yield
    set_message_language(IN_ENGLISH)


@each_row("fate", FATES)
def test_all_of_it_is_said_in_chinese_too(fate: str, in_chinese: None) -> None:
    known = FATES[fate]
    _, answer, *evidence = SAY.address(known, find_verdict(known))
    assert answer.endswith("。")
    for line in evidence:
        assert HAN.search(line), line


def test_times_are_in_the_topics_zone() -> None:
    assert SAY.moment(0.0) == "1970-01-01 08:00"
    assert SAY.moment(None) == "never"


def test_a_score_says_what_hit_what_did_not_and_what_is_missing() -> None:
    said = "\n".join(score_lines(SCORE))
    assert "score 0.210, not relevant (relevance.threshold 0.3)" in said
    assert "+ 0.210 食品: 1 in the text" in said
    assert "not hit: 召回|下架" in said
    assert "it would need 0.090 more, or relevance.threshold = 0.210" in said


def test_a_missing_word_is_named_as_what_is_missing() -> None:
    said = "\n".join(score_lines({**SCORE, "reason": "require:成都"}))
    assert "not stored because 成都 (topic.require) does not occur" in said


@each_row("reason", [*REFUSALS, "action:login", "language:en", "exclude:招聘", "x"])
def test_every_reason_has_words(reason: str) -> None:
    said = why_in_words(reason, {"because": "/x/", "step": 1, "steps": 2})
    assert said
    assert "{" not in said


@given(st.text(max_size=40))
def test_a_reason_of_anybodys_is_told_and_never_taken_for_a_place_to_fill(reason: str) -> None:
    assert isinstance(why_in_words(reason, {}), str)


@each_row("why", NEXT_VISIT)
def test_every_next_visit_has_its_reason(why: str) -> None:
    values = {"at": NOW + 60, "why": why, "every": None, "failures": 0}
    (said,) = SAY.fact(Fact("next_visit", values))
    assert said.startswith("next visit: ")


def test_a_visit_whose_date_has_come_is_due() -> None:
    values = {"at": NOW - 60, "why": "policy", "every": None, "failures": 0}
    assert next(iter(SAY.fact(Fact("next_visit", values)))).endswith("(due now)")


def test_a_fact_of_somebodys_own_feature_is_told_as_it_is() -> None:
    assert [*SAY.fact(Fact("price", {"amount": 3, "unit": "元"}))] == ["price: amount 3, unit 元"]


def test_every_class_of_pages_has_a_name() -> None:
    assert CLASS_NAMES.keys() == {*PageClass}


def test_what_came_of_a_fetch_is_told_with_its_status_where_it_is_no_page() -> None:
    assert answer_words("stored", "", 200) == "stored"
    assert answer_words("error", "http 404", 404) == "error (http 404), status 404"
    assert answer_words("error", "timeout", 0) == "error (timeout), no answer"


def test_a_ban_comes_with_its_evidence() -> None:
    ban = {
        "why": "rate",
        "until": NOW,
        "pages": 25,
        "irrelevant": 24,
        "evidence": ["http://a.cn/1"],
    }
    first, second = SAY.fact(Fact("ban", ban))
    assert "24 of 25 pages irrelevant" in first
    assert "http://a.cn/1" in second


def test_matches_are_cut_and_say_how_to_go_on() -> None:
    first, *listed, last = SAY.matches(
        "食品", {f"http://a.cn/{n}": f"食品{n}\n" + "长" * 90 * n for n in range(9)}, 5, "news"
    )
    assert listed[:2] == ["  食品0", "    http://a.cn/0"]
    assert len(listed) == 10
    assert max(map(len, listed)) < 90
    assert "the first 5" in first
    assert "scrapy explain news" in last


def test_an_unknown_verdict_value_is_left_out() -> None:
    assert SAY.answer(Verdict("gone", {})) == VERDICTS["gone"].replace("{status}", "")


def test_lists_read_now_say_whether_they_link() -> None:
    assert "asks not to follow" in SAY.list_now(LinkNow("http://a.cn/", True, nofollow=True))
    assert "does not link" in SAY.list_now(LinkNow("http://a.cn/", False))
    assert "could not be read" in SAY.list_now(LinkNow("http://a.cn/", None))


def test_a_plan_says_when_and_how_it_ends() -> None:
    assert "now" in plan_line(1, 0.0, "http://a.cn/", "source; level 4 of 5")
    assert "+1.5 s" in plan_line(2, 1.5, "http://a.cn/", "source")
    assert "+2 min" in plan_line(2, 120, "http://a.cn/", "source")
    assert "would end at once" in end_of_plan("news", 0, 50, runs=False)
    assert "in flight" in end_of_plan("news", 50, 50, runs=True)


def test_keyword_groups_that_hit_nothing_are_named() -> None:
    assert "流计祘" in missed_line(["流计祘"], 3, 5)
    assert missed_line([], 3, 5).startswith("every keyword group")
    assert "nothing is weighed" in missed_line([], 0, 5)


def test_what_a_template_would_change_is_counted_with_examples() -> None:
    found = TemplateEffect(articles=3, refused=2, dropped=[MovedPage("u", "t", "w", "score")] * 2)
    said = [*effect_lines("news", found, 1)]
    assert "2 would not be" in said[0]
    assert said.count("  t u") == 1
    assert any("--against-stored --list" in line for line in said)


def test_an_address_that_has_led_elsewhere_names_no_empty_host() -> None:
    assert "its host b.cn is" in why_in_words("scope", {"because": "b.cn"})
    for values in ({}, {"because": ""}):
        assert why_in_words("scope", values).startswith("it leads to a host that is not among")


STORY = {"title": "抽检", "articles": 3, "sites": 2, "like": "http://b/1", "similarity": 0.46, "because": "", "relation": "event"}  # fmt: skip


@each_row(
    ("relation", "because", "english", "chinese"),
    [
        ("copy", "100% of its text in both", "a copy of http://b/1, 100% of its text stands there, too", "转载自同一篇文字：http://b/1，其正文的 100% 也在那里"),
        ("copy", "93% of the other text in both", "a copy of http://b/1, 93% of the text there stands in it, too", "转载自同一篇文字：http://b/1，那里正文的 93% 也在其中"),
        ("event", "both tell of 凉糕, 超标", "tells the same event as http://b/1 (similarity 0.46 of 1, both have the words 凉糕, 超标)", "与 http://b/1 报道同一事件（相似度 0.46，满分 1，共有的词：凉糕, 超标）"),
        ("event", "contains 40% of it, and is 3.1 times as long", "tells the same event as http://b/1 (similarity 0.46 of 1, it has 40% of the text there, and is 3.1 times as long)", "与 http://b/1 报道同一事件（相似度 0.46，满分 1，含有那里正文的 40%，篇幅是它的 3.1 倍）"),
    ],
)  # fmt: skip
def test_what_a_text_is_to_another_is_a_sentence_in_each_language(
    relation: str, because: str, english: str, chinese: str
) -> None:
    fact = Fact("story", {**STORY, "relation": relation, "because": because})
    assert list(SAY.fact(fact))[-1] == english
    set_message_language(IN_CHINESE)
    try:
        assert list(SAY.fact(fact))[-1] == chinese
    finally:
        set_message_language(IN_ENGLISH)


def test_a_copy_says_how_much_of_which_text_stands_in_both() -> None:
    told = outcome_name("copy", "100% of its text in both")
    assert told == "copy (100% of its text stands there, too)"
    assert outcome_name("error", "http 503") == "error (http 503)"


def test_a_story_names_the_other_sites_that_tell_it() -> None:
    fact = Fact("story", {**STORY, "like": "", "tellers": [("川北在线", "http://c/1")]})
    assert list(SAY.fact(fact)) == [
        "story '抽检': 3 articles of 2 sites",
        "  also 川北在线: http://c/1",
    ]


LEARNT = {
    "layouts": [
        {
            "pages": 15,
            "classes": {"article": 14, "thread": 1},
            "url": "http://a.test/1.html",
            "boilerplate": [
                {"example": "\x1b[2J归在地铁\u202e", "pages": 14, "of": 15},
                {"example": "", "pages": 9, "of": 15},
            ],
            "pages_moved": 3,
            "is_told": True,
            "told_at": None,
            "texts_open": 1,
        }
    ],
    "redesigns": [NOW],
    "withheld": {"cloudflare": 12, "log-in": 3},
}
NOTHING_LEARNT: dict[str, object] = {"layouts": [], "redesigns": [], "withheld": {}}


def test_what_a_site_has_taught_is_said_and_nothing_of_its_lines_moves_a_cursor() -> None:
    said = [*SAY.site(LEARNT)]
    assert all(line.isprintable() for line in said)
    assert said[0] == (
        "layout 1: 15 pages, read as article 14, thread 1; such as http://a.test/1.html"
    )
    assert "  a new design of the site, reported" in said
    assert "    on 14 of 15 pages of its layout, such as '[2J归在地铁\\u202e'" in said
    assert "    at 1 place without an example" in said
    assert said[-1] == "withheld: cloudflare 12, log-in 3"


@each_row("learnt", [LEARNT, NOTHING_LEARNT])
def test_what_a_site_has_taught_is_said_in_chinese_too(
    learnt: dict[str, object], in_chinese: None
) -> None:
    for line in SAY.site(learnt):
        assert HAN.search(line), line


@each_row("at", [None, NOW])
def test_what_a_pages_site_has_decided_is_said(at: float | None) -> None:
    (said,) = SAY.fact(Fact("site_design", {"at": at}))
    assert said.startswith("it is built otherwise than before: a new design of its site")
    assert "None" not in said
    lines = [{"example": "归在地铁", "pages": 14, "of": 15}]
    first, second = SAY.fact(Fact("site_lines", {"places": 1, "lines": lines}))
    assert first.startswith("what stood at 1 place at the ends of its text is its site's")
    assert second == "  on 14 of 15 pages of its layout, such as '归在地铁'"
