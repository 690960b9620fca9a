"""SimHash values are those of the package simhash wherever it can compute them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.jieba_package import quietly
from focuscrawl.text.simhash import distance, signed, simhash_text, simhash_words, unsigned

with quietly():
    from simhash import Simhash

WORDS = st.text(min_size=1, max_size=6)
VALUES = st.integers(0, 2**64 - 1)


@given(st.dictionaries(WORDS, st.integers(1, 255), min_size=1, max_size=40))
def test_whole_weights_give_the_packages_values(weights: dict[str, int]) -> None:
    assert simhash_words(weights) == Simhash(weights).value


@given(st.dictionaries(WORDS, st.integers(1, 2**20), min_size=1, max_size=40))
def test_fractions_give_the_packages_values(weights: dict[str, int]) -> None:
    shares = {word: weight / 1024 for word, weight in weights.items()}
    assert simhash_words(shares) == Simhash(shares).value


def test_a_heavy_word_is_counted_where_the_package_fails() -> None:
    weights = {"地铁": 633, "成都": 300, "开通": 333}
    with pytest.raises(OverflowError):
        Simhash(weights)
    thirds = {word: weight // 3 for word, weight in weights.items()}  # the same shares, in bytes
    assert simhash_words(weights) == Simhash(thirds).value


def test_a_text_has_the_packages_value() -> None:
    assert simhash_text("中文测试abc") == 1441574439874474073
    for text in ("", "短", "Rain, rain — go AWAY!", "成都地铁18号线今日开通，" * 60):
        assert simhash_text(text) == Simhash(text).value


def test_a_text_of_many_repetitions_has_one_too() -> None:
    text = "成都" * 700
    with pytest.raises(OverflowError):
        Simhash(text)
    # 699 times 成都成都 and 698 times 都成都成: the first outweighs the second in every bit.
    assert simhash_text(text) == Simhash({"成都成都": 1}).value


def test_half_a_character_is_nothing() -> None:
    assert simhash_text("成都\ud83d地铁") == simhash_text("成都地铁")
    assert simhash_words({"a\ud83d": 1}) == simhash_words({"a?": 1})


def test_nothing_has_the_value_nothing() -> None:
    assert simhash_words({}) == 0


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -1.0])
def test_weights_that_mean_nothing_are_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        simhash_words({"甲": 1.0, "乙": weight})


@given(st.dictionaries(WORDS, st.floats(0.0, 1e6), min_size=1), st.randoms())
def test_the_order_of_words_does_not_matter(weights: dict[str, float], chance: object) -> None:
    turned = dict(reversed(weights.items()))
    assert simhash_words(weights) == simhash_words(turned)


@given(VALUES, VALUES)
def test_distance_counts_bits(one: int, other: int) -> None:
    assert distance(one, other) == Simhash(one).distance(Simhash(other))
    assert 0 <= distance(one, other) <= 64


@given(VALUES)
def test_values_go_through_a_signed_column(value: int) -> None:
    assert -(2**63) <= signed(value) < 2**63
    assert unsigned(signed(value)) == value
