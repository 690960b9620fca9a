"""Keyword sets as published: golden numbers, ties, title before content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.text.keywords import Ranks, duplicate, rank_words, ranked, same_rank

pytestmark = pytest.mark.D2

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=10, unique=True)


def test_golden_similarities() -> None:
    one = ranked([("a", 5), ("b", 3), ("c", 2)], 5)
    assert same_rank(one, ranked([("a", 4), ("c", 3), ("b", 1)], 5)) == 1
    assert same_rank(one, ranked([("a", 9), ("b", 8), ("c", 7)], 5)) == 3


def test_keywords_are_ranked_by_weight_however_they_come() -> None:
    assert ranked({"c": 2.0, "a": 5.0, "b": 3.0}, 2) == ("a", "b")


def test_equal_weights_stand_in_order_of_first_appearance() -> None:
    assert ranked([("later", 1.0), ("first", 2.0), ("second", 2.0)], 3) == (
        "first",
        "second",
        "later",
    )


@given(WORDS, WORDS)
def test_similarity_is_the_same_both_ways_and_at_most_the_shorter_list(
    one: list[str], other: list[str]
) -> None:
    same = same_rank(one, other)
    assert same == same_rank(other, one)
    assert 0 <= same <= min(len(one), len(other))
    assert same_rank(one, one) == len(one)


def test_two_words_at_the_same_rank_of_five_make_titles_duplicates() -> None:
    one = Ranks(("成都", "地铁", "开通", "今天", "线路"), ())
    other = Ranks(("成都", "开通", "开工", "今天", "站点"), ())
    why = duplicate(one, other)
    assert why is not None
    assert (why.same, why.ranked, why.in_title) == (2, 5, True)


@pytest.mark.D3
def test_the_content_decides_when_the_titles_do_not() -> None:
    one = Ranks(("甲",), tuple("abcdefghij"))
    near = Ranks(("乙",), tuple("abcxxxxxxx"))
    far = Ranks(("乙",), tuple("abxxxxxxxx"))
    why = duplicate(one, near)
    assert why is not None
    assert (why.same, why.ranked, why.in_title) == (3, 10, False)
    assert duplicate(one, far) is None


def test_an_inserted_keyword_shifts_the_others_and_the_copy_is_missed() -> None:
    """The known weakness of the published form: what the default form is there for."""
    content = tuple("abcdefghij")
    assert duplicate(Ranks((), content), Ranks((), ("x", *content[:9]))) is None


def test_titles_and_texts_give_five_and_ten_keywords() -> None:
    many = [f"词{number}" for number in range(30)]
    ranks = rank_words(many, many + many[:1])
    assert ranks.title == tuple(many[:5])
    assert ranks.content[0] == many[0]
    assert len(ranks.content) == 10
