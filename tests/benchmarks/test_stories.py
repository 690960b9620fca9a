"""The articles that the benchmark of stories makes up are the same everywhere."""

from random import Random

from benchmarks.parts.articles_alike import COPIES, article


def test_the_same_number_is_the_same_article_and_copies_have_their_kind() -> None:
    made = article(7)
    assert made == article(7) != article(8)
    lengths = {kind: len(copy(made, Random(1)).text) for kind, copy in COPIES.items()}
    assert lengths["lead"] < lengths["trim"] < len(made.text) < lengths["light"]
