"""How much a page belongs to the topic, and why."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.relevance.scores import (
    LONGEST_SCORED,
    JudgeOfPages,
    PageScore,
    PageScorer,
    ScorePart,
    relative_length,
)
from focuscrawl.readers.relevance.table import RelevanceTable
from focuscrawl.template.kinds import words as words_module
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from tests.readers.relevance.plain_test import judge
from tests.tables import each_row

pytestmark = pytest.mark.page_score

NOISE = "今天天气很好，我们去公园散步，看见许多花。"
"""Text about something else, 21 characters."""


def template(*lines: str, **words: str) -> Template:
    """A template with these words, as TOML lists, and these lines of [relevance]."""
    rows = [f"{key} = {value}" for key, value in words.items()]
    rows = ["[topic]", 'name = "x"', *rows, "[relevance]", *lines]
    return load("\n".join([*rows, "[[source]]", 'url = "https://a.cn/"'])).template


METRO = template(keywords="['地铁', '轨道交通|城轨', '盾构^3']")
STRICT = template(
    keywords="['地铁', '轨道交通|城轨']",
    require="['成都|天府', '开通|动工']",
    exclude="['招聘', '楼盘|户型']",
)


def long(characters: int, *words: str) -> str:
    """A text of about so many characters in which these words stand."""
    noise = NOISE * (characters // len(NOISE) + 1)
    return "。".join([*words, noise[: characters - sum(map(len, words))]])


def score(title: str, text: str, topic: Template = METRO) -> PageScore:
    return topic.once(PageScorer.of).score(title, text)


# What ordinary pages score


@each_row(
    ("title", "text", "relevant"),
    [
        ("地铁开通", "", True),
        ("地铁开通", long(20_000), True),
        ("", long(1_000, "地铁"), True),
        ("", long(3_000, "地铁"), False),
        ("", long(5_000, "地铁", "地铁", "地铁"), False),
        ("", long(5_000, "地铁", "地铁", "地铁", "地铁"), True),
        ("", long(3_000, "地铁", "城轨"), True),
        ("", long(6_000, "盾构"), True),
        ("", long(50_000, "盾构"), False),
        ("", long(1_000), False),
        ("", "", False),
    ],
)
def test_a_word_in_the_title_is_enough_and_one_in_passing_is_not(
    title: str, text: str, relevant: bool
) -> None:
    found = score(title, text)
    assert (found.relevant, found.score >= 0.3) == (relevant, relevant)


def test_what_is_found_but_too_seldom_is_told_from_what_is_not_found() -> None:
    assert score("", long(3_000, "地铁")).reason == "score"
    assert score("", long(3_000)).reason == "keywords"
    assert score("地铁", "").reason == ""


def test_breadth_counts_more_than_repetition() -> None:
    repeated = score("地铁" * 20, "地铁" * 2_000).score
    assert repeated <= 0.5
    assert score("地铁，城轨", "").score > repeated


def test_synonyms_are_one_word() -> None:
    assert score("轨道交通", "").score == score("城轨", "").score
    both = score("", long(2_000, "轨道交通", "城轨"))
    assert both.score == score("", long(2_000, "城轨", "城轨")).score
    assert both.parts[0].words in {"轨道交通|城轨", "城轨|轨道交通"}


def test_a_text_of_latin_words_is_as_long_as_what_it_says() -> None:
    latin = relative_length("every word is of five letters " * 100)
    assert latin == pytest.approx(relative_length("字" * 1_200), rel=0.05)
    assert relative_length("联 系 我 们 " * 100) == pytest.approx(relative_length("字" * 800))


def test_the_threshold_is_the_templates() -> None:
    text = long(3_000)
    assert not score("地铁", text, template("threshold = 0.6", keywords="'地铁'")).relevant


# The score explains itself


def test_the_parts_add_up_to_the_score_largest_first() -> None:
    found = score("盾构", long(800, "地铁", "地铁", "城轨"))
    assert [part.words for part in found.parts] == ["盾构", "地铁", "城轨"]
    assert found.parts[0][:4] == ("盾构", 1, 0, 3.0)
    assert found.parts[1][:4] == ("地铁", 0, 2, 1.0)
    assert sum(part.contribution for part in found.parts) == pytest.approx(found.score, abs=1e-4)


def test_hits_count_keywords_and_required_words_in_title_and_text() -> None:
    found = score("成都地铁", "地铁开通，楼盘", STRICT)
    assert found.hits == {"成都": 1, "地铁": 2, "开通": 1}


@each_row(
    ("threshold", "keywords", "told"),
    [
        (0.3, "'地铁'", False),
        (0.5, "'地铁'", True),
        (0.7, "['地铁', '城轨^2']", False),
        (0.8, "['地铁', '城轨^2']", True),
        (0.3, "'地铁^0.3'", True),
        (0.9, "[]", False),
    ],
)
def test_a_threshold_that_no_page_can_reach_is_worth_a_warning(
    threshold: float, keywords: str, told: bool
) -> None:
    text = f'[topic]\nname = "x"\nkeywords = {keywords}\n[relevance]\nthreshold = {threshold}\n'
    warnings = load(f'{text}[[source]]\nurl = "https://a.cn/"').warnings
    assert any("no page can be relevant" in warning.text for warning in warnings) is told
    if told:
        words = template(f"threshold = {threshold}", keywords=keywords)
        assert not score("地铁城轨" * 50, "地铁城轨" * 500, words).relevant


# Required and excluded words


def test_a_page_that_lacks_a_required_word_scores_below_the_threshold_but_not_nothing() -> None:
    lacking = score("成都地铁", "", STRICT)
    assert (lacking.relevant, lacking.reason) == (False, "require:开通")
    assert 0 < lacking.score < 0.3
    assert score("地铁", "", STRICT).score < lacking.score


def test_an_excluded_word_takes_everything() -> None:
    assert score("成都地铁开通招聘", "", STRICT)[:3] == (0.0, False, "exclude:招聘")
    assert score("", "成都地铁开通，楼盘", STRICT).reason == "exclude:楼盘"
    assert score("", "成都地铁，地铁开通，楼盘", STRICT).relevant


def test_without_keywords_required_words_decide_alone() -> None:
    only = template(require="['成都']")
    assert score("", long(9_000, "成都"), only)[:3] == (1.0, True, "")
    assert score("", "", only)[:3] == (0.0, False, "require:成都")
    assert score("", "", template())[:3] == (1.0, True, "")


WORDS = st.sampled_from(["地铁", "城轨", "盾构", "成都", "开通", "招聘", "楼盘", NOISE, "公园"])
TEXTS = st.lists(WORDS, max_size=30).map("，".join)


@pytest.mark.plain_threshold
@given(TEXTS, TEXTS)
def test_a_threshold_of_nothing_is_the_plain_test(title: str, text: str) -> None:
    plain = template(
        "threshold = 0", keywords="['地铁', '城轨']", require="'成都'", exclude="['招聘', '楼盘']"
    )
    found = score(title, text, plain)
    assert (found.relevant, found.reason, found.hits) == judge(plain.topic, title, text)


@given(TEXTS, TEXTS, st.sampled_from([METRO, STRICT]))
def test_relevant_is_a_score_at_or_above_the_threshold(
    title: str, text: str, topic: Template
) -> None:
    found = score(title, text, topic)
    assert 0 <= found.score < 1
    assert found.relevant == (found.score >= 0.3) == (not found.reason)


@given(TEXTS, TEXTS, st.sampled_from(["地铁", "城轨", "盾构"]))
def test_a_keyword_more_in_the_title_never_lowers_the_score(
    title: str, text: str, word: str
) -> None:
    assert score(f"{title}，{word}", text).score >= score(title, text).score


# A trained model in the place of the keywords


class Certain:
    """A judge that is always as sure."""

    def __init__(self, answer: float) -> None:
        self.answer = answer

    def score(self, title: str, text: str) -> float:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "title", "expected"),
    [
        (0.8, "成都公交开通", (0.8, True, "")),
        (0.1, "成都地铁开通", (0.1, False, "score")),
        (0.8, "成都公交", (0.27, False, "require:开通")),
        (0.8, "成都公交开通招聘", (0.0, False, "exclude:招聘")),
    ],
)
def test_a_model_weighs_and_required_and_excluded_words_still_hold(
    answer: float, title: str, expected: tuple[float, bool, str]
) -> None:
    model: JudgeOfPages = Certain(answer)
    found = PageScorer(STRICT.topic, STRICT.of(RelevanceTable), model).score(title, "")
    assert found[:3] == expected
    assert found.parts == (ScorePart("model", 0, 0, 1.0, answer),)


# Hostile pages and topics


def best_of(times: int, topic: Template, text: str) -> float:
    """CPU seconds for one text."""
    scorer = topic.once(PageScorer.of)
    taken = []
    for _ in range(times):
        start = time.process_time()
        scorer.score("成都地铁", text)
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.timed
def test_a_page_of_6000_characters_takes_microseconds() -> None:
    assert best_of(20, STRICT, long(6_000, "地铁", "成都", "动工")) < 0.000_5


@pytest.mark.timed
@pytest.mark.parametrize(
    "text", ["地铁" * 500_000, "地" * 1_000_000, long(1_000_000, "地铁"), "地 " * 500_000]
)
def test_a_megabyte_of_anything_is_scored_in_time(text: str) -> None:
    assert best_of(1, METRO, text) < 1


def test_what_is_beyond_the_longest_text_is_not_looked_at() -> None:
    assert score("", "公" * LONGEST_SCORED + "盾构" * 9).hits == {}


@pytest.mark.timed
def test_a_thousand_keywords_are_scored_in_time() -> None:
    draw = random.Random(7)
    words = ["".join(chr(draw.randint(0x4E00, 0x9FA0)) for _ in range(3)) for _ in range(1_000)]
    many = template(keywords=str(words))
    text = long(6_000, *words[:20])
    assert best_of(5, many, text) < 0.05
    found = score("", text, many)
    assert found.relevant
    assert len(found.parts) == 20


def test_a_page_of_nothing_but_keywords_scores_less_than_one() -> None:
    words = [f"词语{chr(0x4E00 + number)}" for number in range(300)]
    assert 0.9 < score("", "，".join(words) * 50, template(keywords=str(words))).score < 1


def test_a_keyword_of_one_character_counts_by_its_share_of_the_text() -> None:
    tea = template(keywords="'茶'")
    assert score("", long(800, "茶", "茶", "茶"), tea).relevant
    assert not score("", long(20_000, "茶", "茶", "茶"), tea).relevant


def test_a_regular_expression_that_takes_too_long_is_switched_off_and_the_rest_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(words_module, "TIME_LIMIT", 0.05)
    bomb = template(keywords="['re:(a|aa)+$', '地铁']")
    text = "a" * 40 + "!"
    assert "re:(a|aa)+$" in score("地铁", "aaa", bomb).hits
    first = score("地铁", text, bomb)
    again = score("地铁", text, bomb)
    assert first.relevant
    assert first == again
    assert score("地铁", "aaa", bomb).hits == {"地铁": 1}, "it is not looked for again"
