"""SimHash values are those of the package simhash wherever it can compute them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.text.keywords import simhash_words
from focuscrawl.readers.text.words import quietly

pytestmark = pytest.mark.simhash

with quietly():
    from simhash import Simhash

WORDS = st.text(min_size=1, max_size=6)


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


def test_half_a_character_is_nothing() -> None:
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
