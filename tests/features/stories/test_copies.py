"""Copies are found however they are set; short notices are no copies of what quotes them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.stories.copies import (
    FULL,
    KEPT_AT_MOST,
    KEPT_WHOLE,
    LONGEST_COMPARED,
    containment,
    grams_of,
    shared,
)

HAN = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生"


def chinese(seed: int, letters: int) -> str:
    return "".join(random.Random(seed).choices(HAN, k=letters))


def test_a_text_contains_itself_and_nothing_of_another() -> None:
    one, other = grams_of(chinese(1, 400)), grams_of(chinese(2, 400))
    assert containment(one, one) == 1.0
    assert containment(one, other) < 0.02


@pytest.mark.parametrize(
    "other",
    [
        "市 场 监 管 局 通 报 了 ABC 公 司 抽 检 结 果，共 23 批 次。" * 3,
        "市场监管局通报了ＡＢＣ公司抽检结果；共２３批次！" * 3,
        "市場監管局通報了abc公司抽檢結果共23批次" * 3,
    ],
)
def test_spaces_width_case_punctuation_and_traditional_characters_make_no_difference(
    other: str,
) -> None:
    one = "市场监管局通报了ABC公司抽检结果,共23批次." * 3
    assert containment(grams_of(one), grams_of(other)) == 1.0


def test_a_shortened_copy_with_an_agencys_head_and_tail_is_nearly_all_in_the_original() -> None:
    text = chinese(3, 900)
    copy = f"本报讯（记者 某某）{text[:300]}编辑：某某 免责声明：本文来自网络"
    assert 0.85 < containment(grams_of(text), grams_of(copy)) < 1.0


def test_english_is_compared_by_words_not_letters() -> None:
    words = [f"word{number}" for number in range(200)]
    text, turned = " ".join(words), " ".join(reversed(words))
    assert containment(grams_of(text), grams_of(text.upper())) == 1.0
    assert containment(grams_of(text), grams_of(turned)) == 0.0


def test_a_short_notice_is_no_copy_of_a_long_text_that_quotes_it() -> None:
    notice = chinese(4, 30)
    assert containment(grams_of(notice), grams_of(chinese(5, 600) + notice)) < 0.1
    assert containment(grams_of(notice), grams_of(notice)) == 1.0


@pytest.mark.parametrize("nothing", ["", "。！？ \n", "   "])
def test_texts_without_letters_are_copies_of_nothing(nothing: str) -> None:
    empty = grams_of(nothing)
    assert empty.size == 0
    assert containment(empty, empty) == 0.0
    assert containment(empty, grams_of(chinese(6, 50))) == 0.0


def test_long_texts_keep_a_quarter_and_are_compared_as_well() -> None:
    whole = chinese(7, 8000)
    long, part = grams_of(whole), grams_of(whole[:500])
    assert long.limit < FULL
    assert len(long.hashes) < 0.3 * long.size
    assert part.limit == FULL
    assert containment(long, part) == pytest.approx(1.0, abs=0.01)
    assert containment(long, grams_of(whole[:4000] + chinese(8, 4000))) == pytest.approx(
        0.5, abs=0.06
    )


@pytest.mark.parametrize("letters", [600, 3000, 10_000, 40_000])
def test_what_is_kept_of_a_text_has_its_bounds(letters: int) -> None:
    kept = grams_of(chinese(10, letters))
    assert KEPT_WHOLE / 3 < len(kept.hashes) < 1.1 * KEPT_AT_MOST
    assert kept.size > 0.9 * letters


def test_a_page_of_eight_megabytes_costs_no_more_than_its_beginning() -> None:
    huge = chinese(9, LONGEST_COMPARED) * 40
    assert grams_of(huge).size <= LONGEST_COMPARED


def test_hashes_are_the_same_on_every_machine() -> None:
    """They are stored: another value is another article, and every copy would be missed."""
    assert grams_of("成都地铁18号线abc").hashes.tolist() == [
        12909415, 415261324, 1324004783, 1641871861, 2700345318,
    ]  # fmt: skip


@given(st.text(max_size=80), st.text(max_size=80))
def test_containment_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    first, second = grams_of(one), grams_of(other)
    value = containment(first, second)
    assert 0.0 <= value <= 1.0
    assert value == containment(second, first)
    assert shared(first, first) == len(first.hashes) == first.size <= KEPT_WHOLE
