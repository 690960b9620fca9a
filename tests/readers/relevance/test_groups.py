"""On how many pages each word group of a topic was found, counted while pages are judged."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.word_groups.feature import WordGroups
from focuscrawl.readers.pages.content import Judged
from focuscrawl.readers.relevance.groups import MOST_GROUPS, GroupCounts
from focuscrawl.readers.relevance.scores import PageScorer
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.values import Article


def template(**topic: list[str]) -> Template:
    """Load a topic with some words."""
    lines = "\n".join(f"{name} = {words}" for name, words in topic.items())
    return load(f'[topic]\nname = "x"\n{lines}\n[[source]]\nurl = "https://a.cn/"').template


def test_a_score_names_the_groups_it_found_of_all_three_kinds() -> None:
    words = template(keywords=["地铁|城轨", "盾构"], require=["成都"], exclude=["租房"])
    score = words.once(PageScorer.of).score
    assert score("成都地铁", "城轨开工，附近租房").groups == {0, 2, 3}
    assert score("盾构", "").groups == {1}, "also where a required word is missing"
    assert score("天气", "晴").groups == frozenset()


def test_each_page_counts_once_for_each_group_it_has() -> None:
    counts = GroupCounts(template(keywords=["地铁|城轨", "盾构"], require=["成都"]).topic)
    for found in ({0, 2}, {0}, set()):
        counts.add(frozenset(found))
    assert [str(group) for group in counts.sums()] == [
        "地铁: 2 of 3 pages",
        "盾构: 0 of 3 pages",
        "成都: 1 of 3 pages",
    ]
    counts.others_judged, counts.others[1] = 7, 4
    assert [str(group) for group in counts.sums()][1] == "盾构: 4 of 10 pages"


@given(st.lists(st.frozensets(st.integers(0, 2 * MOST_GROUPS)), max_size=5))
def test_of_more_groups_than_are_told_the_first_are_counted(pages: list[frozenset[int]]) -> None:
    many = template(keywords=[f"词{number}" for number in range(2 * MOST_GROUPS + 1)])
    counts = GroupCounts(many.topic)
    for found in pages:
        counts.add(found)
    sums = [*counts.sums()]
    assert len(sums) == MOST_GROUPS
    assert [group.pages for group in sums] == [
        sum(number in found for found in pages) for number in range(MOST_GROUPS)
    ]


@dataclass
class Around:
    """All that the feature asks its kernel for."""

    template: Template


def test_what_all_workers_have_found_is_added_up() -> None:
    words = template(keywords=["地铁", "盾构"], require=["成都"])
    mine, other = (WordGroups.of(cast(Any, Around(words))) for _ in range(2))
    assert mine is not None
    assert other is not None
    flight, row = cast(Any, object()), cast(Any, None)
    mine.judged(flight, Judged(row, groups=frozenset({0, 2})))
    mine.judged(flight, Judged(row))  # a list: nobody looked for words
    mine.judged(None, Judged(row, groups=frozenset({1})))  # somebody only looks
    for found in ({0}, {1}, {1, 2}):
        other.judged(flight, Judged(row, groups=frozenset(found)))
    others = {number.name: number.own() for number in other.shared_numbers()}
    for number in mine.shared_numbers():
        number.hear(others[number.name])
    assert [str(group) for group in mine.groups()] == [
        "地铁: 2 of 4 pages",
        "盾构: 2 of 4 pages",
        "成都: 2 of 4 pages",
    ]


def test_a_topic_without_words_counts_nothing() -> None:
    assert WordGroups.of(cast(Any, Around(template()))) is None


def article_of(number: int, hits: dict[str, int]) -> Any:
    return Article(f"{number:032x}", f"http://a.cn/{number}", "a.cn", "题", "文", hits=hits)


def test_many_articles_that_rest_on_one_mention_are_told_and_words_of_no_page() -> None:
    words = WordGroups.of(cast(Any, Around(template(keywords=["地铁", "盾构"]))))
    assert words is not None
    row, flight = cast(Any, SimpleNamespace(relevant=True)), cast(Any, object())
    for number in range(60):
        hits = {"地铁": 1 if number < 20 else 3}
        words.judged(flight, Judged(row, article=article_of(number, hits), groups=frozenset({0})))
    told = {one.kind: one for one in words.findings()}
    assert (told["mentions"].number, told["mentions"].of) == (20, 60)
    assert [*told["mentions"].examples] == ["http://a.cn/0", "http://a.cn/1"]
    assert (told["words"].number, told["words"].where) == (60, "盾构 (keywords)")
    for number in range(60, 120):
        words.judged(
            flight, Judged(row, article=article_of(number, {"地铁": 3}), groups=frozenset())
        )
    assert "mentions" not in {one.kind for one in words.findings()}, "a sixth of all"
