"""Keywords are jieba's, in a fixed order."""

import warnings
from math import isclose

import pytest

from focuscrawl.readers.text.keywords import (
    is_keyword,
    keywords,
    weigh,
)
from focuscrawl.readers.text.words import splitter
from tests.tables import each_row

NEWS = """成都地铁三期工程昨日全线贯通。记者从住建局获悉，该工程共设八座车站，预计年底开通试运营。盾构机在复杂的砂卵石
地层中掘进了四百多天，项目负责人表示，施工期间沉降控制在三毫米以内，沿线居民的生活没有受到影响。地铁开通以后，
市民从天府新区到火车南站只要二十分钟。"""


def cut(text: str) -> list[str]:
    return splitter().cut(text)


@pytest.mark.D2
def test_weights_are_those_of_jieba() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
        import jieba.analyse

    jieba.dt.FREQ, jieba.dt.total = jieba.Tokenizer.gen_pfdict(jieba.dt.get_dict_file())
    jieba.dt.initialized = True
    theirs = dict(jieba.analyse.extract_tags(NEWS, topK=None, withWeight=True))
    ours = weigh(cut(NEWS))
    assert ours.keys() == theirs.keys()
    assert all(isclose(ours[word], theirs[word]) for word in ours)
    ranked = [theirs[word] for word, _ in keywords(cut(NEWS), most=30)]
    assert ranked == sorted(theirs.values(), reverse=True)[:30]


def test_equal_words_stand_in_order_of_appearance() -> None:
    assert [word for word, _ in keywords(["乙乙甲", "甲甲乙", "丙丙丁", "甲甲乙"])] == [
        "甲甲乙",
        "乙乙甲",
        "丙丙丁",
    ]


def test_no_more_than_asked_for() -> None:
    assert len(keywords(cut(NEWS), most=3)) == 3
    assert keywords([]) == keywords(["的", "了"]) == []


@each_row("word", ["的", "a", "2026", "3.5%", "1,000", "2026-11-20", "the", "don't"])
def test_numbers_letters_and_little_words_are_none(word: str) -> None:
    assert not is_keyword(word)


@each_row("word", ["地铁", "f-35", "5g", "c++", "москва"])
def test_other_words_are(word: str) -> None:
    assert is_keyword(word)
