"""What admission asks of exploration: link texts that say something new."""

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.explore.explorer import Novelty


def test_what_was_said_before_is_not_new() -> None:
    novelty = Novelty()
    assert novelty.of("体育图集") == 1.0
    assert novelty.of("体育图集") == 0.0


def test_known_words_put_together_anew_are_newer_than_the_same_and_older_than_others() -> None:
    novelty = Novelty()
    for text in ("体育图集", "财经深度", "旅行百科"):
        novelty.of(text)
    mixed, other = novelty.of("体育百科"), novelty.of("舌尖守望")
    assert 0.0 < mixed < other == 1.0


def test_digits_and_signs_say_nothing() -> None:
    novelty = Novelty()
    assert [novelty.of(text) for text in ("", "23", "2026-06", "»", "下")] == [0.0] * 5


@given(st.lists(st.text(max_size=80), max_size=20))
def test_novelty_is_a_share_and_never_comes_twice(texts: list[str]) -> None:
    novelty = Novelty()
    assert all(0.0 <= novelty.of(text) <= 1.0 for text in texts)
    assert all(novelty.of(text) == 0.0 for text in texts)
