"""Which of the articles that share terms with a new one are looked at, and which of them it belongs to."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.stories.copies import PieceCounts
from focuscrawl.features.stories.events import (
    IS_COPY,
    SAME_EVENT,
    DocumentCounts,
    StoryWords,
    said_in,
)
from focuscrawl.features.stories.matches import (
    COMMON_TERMS,
    COPIES_LOOKED_AT,
    EVENT,
    EVENTS_LOOKED_AT,
    WORD,
    WORD_TERMS,
    WORDS_NAMED,
    Drawn,
    copy_among,
    draw_words,
    event_among,
    fill_one_form,
    least_share,
    likely_copies,
    likely_events,
)
from focuscrawl.features.stories.table import StoryRules
from focuscrawl.stores.state.protocol import StoryArticle
from tests.features.stories.desk import CUT, NOW, RULES, write

pytestmark = pytest.mark.D4

COUNTS = DocumentCounts()
PIECES = PieceCounts()
TITLE = "关于{}批次食品不合格的通告（2026年第{}号）"
TEXT = write(1, 20)
QUAKE = (
    "今天凌晨3时12分，广元市青川县发生4.2级地震，震源深度12公里。县应急管理局说，"
    "暂无人员伤亡报告，部分乡镇震感明显。"
)
QUAKE_AGAIN = (
    "记者从广元市应急部门了解到，青川县4.2级地震发生后，消防救援队已赶到震中查看房屋，"
    "学校照常上课，居民情绪稳定。震源深度12公里。"
)
FOUND = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 20)), unique=True, max_size=60)


def drawn(title: str, text: str, rules: StoryRules = RULES) -> Drawn:
    return draw_words(title, text, rules, COUNTS, CUT)


def article(number: int, title: str, text: str, rules: StoryRules = RULES) -> StoryArticle:
    sketch = drawn(title, text, rules).sketch.packed()
    return StoryArticle(number, b"", NOW, "", "", "", 0.0, "", sketch)


NEW = drawn(TITLE.format(12, 7), TEXT)


@given(FOUND)
def test_what_shares_most_terms_is_looked_at_first_and_the_earlier_of_equals(
    found: list[tuple[int, int]],
) -> None:
    likely = likely_copies(found, NEW)
    shared = Counter(number for _, number in found)
    assert likely == sorted(likely, key=lambda number: (-shared[number], number))
    enough = [number for number in shared if shared[number] >= COMMON_TERMS]
    assert len(likely) == min(COPIES_LOOKED_AT, len(enough))
    rest = {*enough} - {*likely}
    assert not rest or max(shared[one] for one in rest) <= shared[likely[-1]]


def test_a_text_of_one_piece_is_found_by_that_piece() -> None:
    short = drawn("", "食品")
    assert len(short.copy_terms) == 1
    assert likely_copies([(1, 7)], short) == [7]
    assert likely_copies([(1, 7)], NEW) == []


def test_what_shares_the_heaviest_words_is_looked_at_first_where_it_shares_two() -> None:
    counts = DocumentCounts()
    words = NEW.sketch.words.hashes.tolist()
    weights = counts.weights(NEW.sketch.words).tolist()
    heavy = [word for _, word in sorted(zip(weights, words, strict=True), reverse=True)]
    found = [(WORD | word, 1) for word in heavy[:1]]
    found += [(WORD | word, 2) for word in heavy[-2:]]
    found += [(WORD | word, 4) for word in heavy[:2]]
    found += [(WORD | word, 3) for word in heavy[:2]]
    assert likely_events(found, NEW, counts) == [3, 4, 2]
    many = [(WORD | word, number) for word in heavy[:2] for number in range(30)]
    assert likely_events(many, NEW, counts) == [*range(EVENTS_LOOKED_AT)]


def test_two_strong_words_say_more_than_three_weaker_ones() -> None:
    strength = np.array([8, 8, 6, 6, 6], np.float32)
    words = StoryWords(np.arange(5, dtype=np.uint32), strength, np.full(5, 4, np.float32))
    new = NEW._replace(sketch=NEW.sketch._replace(words=words))
    found = [(WORD | word, 1) for word in (2, 3, 4)] + [(WORD | word, 2) for word in (0, 1)]
    assert likely_events(found, new, COUNTS) == [2, 1]


OTHERS = (
    article(1, TITLE.format(13, 8), TEXT),  # another issue of the series
    article(2, "", write(2, 20)),  # another text
    article(3, "", f"{TEXT}{write(3, 400)}"),
    article(4, "", TEXT[: len(TEXT) // 3]),
)
COPY = article(9, "", f"本报讯{TEXT}")


@given(st.permutations(range(5)))
def test_a_copy_is_found_wherever_it_stands_among_other_articles(order: list[int]) -> None:
    articles = [*OTHERS, COPY]
    found = copy_among(NEW, [articles[place] for place in order], PIECES, RULES)
    assert found is not None
    assert (found.article.number, found.relation) == (9, IS_COPY)
    assert found.similarity > 0.9


def test_a_copy_comes_before_what_is_contained_more_but_says_less() -> None:
    """The whole of the short one stands in the new one, which is no copy of it."""
    short = article(1, "", TEXT[: len(TEXT) // 3])
    found = copy_among(NEW, [short], PIECES, RULES)
    assert found is not None
    assert (found.relation, found.similarity) == (SAME_EVENT, 1.0)
    assert "3.0 times as long" in found.because
    altered = article(2, "", TEXT.replace("。", "。新", 8))
    found = copy_among(NEW, [short, altered], PIECES, RULES)
    assert found is not None
    assert (found.article.number, found.relation) == (2, IS_COPY)
    assert found.similarity < 1.0


def test_nothing_is_a_copy_of_the_next_issue_and_of_other_texts() -> None:
    assert copy_among(NEW, OTHERS[:2], PIECES, RULES) is None


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_more_articles_are_known_the_less_tells_a_copy(one: int, other: int) -> None:
    fewer, more = sorted((one, other))
    assert 0.3 <= least_share(more) <= least_share(fewer) <= 0.65
    assert least_share(50) == pytest.approx(0.3 + 0.35 / 2)


def test_the_most_alike_text_of_an_event_comes_first_and_other_issues_stand_apart() -> None:
    new = drawn("", QUAKE)
    near, less = article(1, "", f"{QUAKE}学校照常上课。"), article(2, "", QUAKE_AGAIN)
    other, unlike = article(3, "", QUAKE.replace("4.2", "5.1").replace("12", "20")), OTHERS[1]
    for articles in ([near, less, other, unlike], [unlike, other, less, near]):
        found = event_among(new, articles, COUNTS)
        assert [match.article.number for match in found.events] == [1, 2]
        assert found.events[0].similarity > found.events[1].similarity >= EVENT
        assert found.others == [other]
        assert not found.is_copy
        named = found.events[0].because.removeprefix("both tell of ").split(", ")
        assert len(named) == WORDS_NAMED == len({*named})


def test_of_strict_duplicates_the_one_with_the_same_title_comes_first() -> None:
    rules = StoryRules(copies="join", events=False, window=NOW, strict=True)
    title, text = "青川 花生 仓库 霉变 封存", "监管 抽检 召回 企业 下架 处罚 通报 批次 样品 公布"
    new = draw_words(title, text, rules, COUNTS, str.split)
    by_title = draw_words(title, "甲 乙 丙", rules, COUNTS, str.split).sketch.packed()
    by_text = draw_words("丁", text, rules, COUNTS, str.split).sketch.packed()
    neither = draw_words("丁", "甲 乙 丙", rules, COUNTS, str.split).sketch.packed()
    articles = [
        StoryArticle(number, b"", NOW, "", "", "", 0.0, "", sketch)
        for number, sketch in enumerate((neither, by_text, by_title))
    ]
    found = copy_among(new, articles, PIECES, rules)
    assert found is not None
    assert (found.article.number, found.similarity) == (2, 1.0)
    assert found.because == "5 of 5 keywords of the title at the same rank"
    found = copy_among(new, articles[:2], PIECES, rules)
    assert found is not None
    assert (found.article.number, found.because) == (1, "10 of 10 keywords at the same rank")
    assert copy_among(new, articles[:1], PIECES, rules) is None


def test_texts_whose_numbers_contradict_fill_one_form_only_when_they_say_the_same() -> None:
    goods = ["白菜", "萝卜", "土豆", "黄瓜", "番茄", "茄子", "豆角", "青椒"]

    def prices(first: int, said: str = "") -> Drawn:
        lines = "。".join(f"{name}价{first + 3 * n}元每斤" for n, name in enumerate(goods))
        return drawn("", said + lines)

    today = prices(101).sketch
    assert fill_one_form(today, prices(202).sketch), "the list of another day"
    assert not fill_one_form(today, prices(101).sketch), "with the same numbers it is the same"
    one, other = prices(101, write(1, 60)).sketch, prices(202, write(2, 60)).sketch
    assert not fill_one_form(one, other), "two texts that name the same goods"


@pytest.mark.D2
def test_an_article_is_found_by_its_heaviest_words() -> None:
    rules = StoryRules(copies="off", events=True, window=1.0, strict=False)
    counts = DocumentCounts()
    often = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
    for _ in range(50):
        counts.add(said_in("", often, str.split).strength)
    rare = [f"seldom{letter}" for letter in "abcdefghijklmnop"[:WORD_TERMS]]
    drawn = draw_words("", f"{often} {' '.join(rare)}", rules, counts, str.split)
    assert {*drawn.event_terms} == {
        WORD | number for number, word in drawn.said.words.items() if word in rare
    }
    assert len(drawn.event_terms) == WORD_TERMS
    assert drawn.copy_terms == ()
