"""Issues of a series are told apart by their numbers, copies are not."""

import pytest

from focuscrawl.features.stories.copies import (
    COUNTERS,
    FEW_ARTICLES,
    NO_NUMBERS,
    PieceCounts,
    grams_of,
    numbers_of,
    other_issue,
    other_numbers,
)
from tests.tables import each_row

TITLE = "关于12批次食品不合格的通告（2026年第7号）"


@each_row(
    ("other", "is_other"),
    [
        ("关于13批次食品不合格的通告（2026年第8号）", True),
        ("关于１２批次食品不合格的通告(2026年第7号)", False),
        ("關於12批次食品不合格的通告 2026年第7號", False),
        ("关于12批次化妆品不合格的通告（2026年第8号）", False),
        ("", False),
    ],
)
def test_titles_that_differ_in_their_numbers_alone_are_other_issues(
    other: str, *, is_other: bool
) -> None:
    assert other_issue(numbers_of(TITLE, ""), numbers_of(other, "")) is is_other


def test_titles_of_numbers_and_titles_without_any_say_nothing() -> None:
    for one, other in (("2026-11-20", "2026-11-21"), ("第1版", "第2版"), ("通告全文", "通告全文")):
        assert not other_issue(numbers_of(one, ""), numbers_of(other, ""))


@pytest.mark.parametrize(
    ("letters", "speaks"), [("通告", False), ("抽检通", False), ("抽检通告", True), ("abcd", True)]
)
def test_a_title_tells_issues_apart_from_four_letters_on(letters: str, *, speaks: bool) -> None:
    one, other = numbers_of(f"{letters}12", ""), numbers_of(f"{letters}13", "")
    assert (one.title != 0) is speaks
    assert other_issue(one, other) is speaks
    assert numbers_of(letters, "").title == numbers_of(letters, "").title_numbers == 0


def test_texts_need_half_of_the_fewer_numbers_in_common() -> None:
    one = numbers_of("", "7300元，15日，1200台，38%，版本2.5")
    assert not other_numbers(one, numbers_of("", "7300元，15日，1200台，41%"))
    assert other_numbers(one, numbers_of("", "7300元，22日，800台，41%"))
    assert not other_numbers(one, numbers_of("", "22日，800台")), "too few to tell"
    assert not other_numbers(NO_NUMBERS, one)


def test_pieces_that_many_articles_have_do_not_count() -> None:
    form, own = "市场监督管理局依法对下列产品开展监督抽查工作", "罗秋平的霉变花生被封存在青川"
    counts = PieceCounts()
    whole = grams_of(form + own)
    for _ in range(FEW_ARTICLES + 1):
        counts.add(grams_of(form))
    counts.add(whole)
    rare = counts.rare(whole)
    assert set(rare.hashes.tolist()).isdisjoint(grams_of(form).hashes.tolist())
    assert set(rare.hashes.tolist()) > set(grams_of(own).hashes.tolist())
    assert rare.size == len(rare.hashes)


def test_counters_are_kept_and_come_back_whole() -> None:
    counts = PieceCounts()
    counts.add(grams_of("青川县霉变花生仓库被封存"))
    again = PieceCounts(counts.articles, counts.packed())
    assert again.articles == 1
    assert again.counts.tolist() == counts.counts.tolist()
    assert len(again.counts) == COUNTERS
    again.add(grams_of("还能继续计数"))
    assert again.counts.sum() > counts.counts.sum()
