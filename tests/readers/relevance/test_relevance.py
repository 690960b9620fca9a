"""When a page belongs to the topic."""

import pytest

from focuscrawl.template.load import load
from focuscrawl.template.table import Topic
from tests.readers.relevance.plain_test import Verdict, judge
from tests.tables import each_row


def topic(**words: str) -> Topic:
    """A topic with these words, as TOML lists."""
    rows = [f"{key} = {value}" for key, value in words.items()]
    text = "\n".join(["[topic]", 'name = "x"', *rows, "[[source]]", 'url = "https://a.cn/"'])
    return load(text).template.topic


METRO = topic(
    keywords="['地铁', '轨道交通|城轨']",
    require="['成都|天府', '开通|动工']",
    exclude="['招聘', '楼盘|户型']",
)


@each_row(
    ("title", "text", "expected"),
    [
        ("成都地铁开通", "", Verdict(True, "", {"成都": 1, "开通": 1, "地铁": 1})),
        ("开通", "成都城轨，成都地铁", Verdict(True, "", {"开通": 1, "成都": 2, "地铁": 1, "城轨": 1})),
        ("成都公交开通", "", Verdict(False, "keywords", {"成都": 1, "开通": 1})),
        ("地铁开通", "", Verdict(False, "require:成都", {"开通": 1, "地铁": 1})),
        ("成都地铁", "", Verdict(False, "require:开通", {"成都": 1, "地铁": 1})),
        ("成都地铁开通招聘", "", Verdict(False, "exclude:招聘", {"成都": 1, "开通": 1, "地铁": 1})),
        ("", "", Verdict(False, "keywords", {})),
    ],
)  # fmt: skip
def test_a_page_is_judged_by_title_and_text(title: str, text: str, expected: Verdict) -> None:
    assert judge(METRO, title, text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("地铁地铁，楼盘", ""),
        ("地铁，楼盘", "exclude:楼盘"),
        ("地铁地铁，楼盘户型", "exclude:楼盘"),
        ("地铁地铁，楼盘招聘", ""),  # one each, and keywords twice
    ],
)
def test_an_excluded_word_in_the_text_must_be_as_frequent_as_keywords(
    text: str, reason: str
) -> None:
    verdict = judge(METRO, "", f"成都开通{text}")
    assert (verdict.relevant, verdict.reason) == (not reason, reason)


def test_without_words_every_page_is_relevant() -> None:
    assert judge(topic(), "", "") == Verdict(True, "", {})


def test_without_keywords_one_excluded_word_is_enough() -> None:
    assert judge(topic(exclude="'招聘'"), "", "招聘").reason == "exclude:招聘"


def test_required_words_alone_make_a_topic() -> None:
    only = topic(require="['成都', 're:\\d+号线']")
    assert judge(only, "成都", "6号线").relevant
    assert judge(only, "成都", "").reason == "require:re:\\d+号线"
