"""The published form (D2, D3): the same keyword at the same rank, in the title, else in the text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from focuscrawl.text.keywords import weigh


class RankRules(NamedTuple):
    """How many keywords are ranked, and how many at the same rank make a duplicate.

    None of the four numbers is published; these find 72 % of copies in five degrees of rewriting
    (benchmarks/results.md).
    """

    # One word more or less shifts all later ranks: of trimmed copies a third is found, of leads a tenth.
    title_words: int = 5
    title_threshold: int = 2
    content_words: int = 10
    content_threshold: int = 3


class Ranks(NamedTuple):
    """The keywords of an article, the heaviest first."""

    title: tuple[str, ...]
    content: tuple[str, ...]


class SameRanks(NamedTuple):
    """Why two articles are duplicates: ``same`` of ``ranked`` keywords at the same rank."""

    same: int
    ranked: int
    in_title: bool


def ranked(
    weights: Mapping[str, float] | Iterable[tuple[str, float]], most: int
) -> tuple[str, ...]:
    """Return the words of most weight, the heaviest first; of equal ones the first to appear."""
    pairs = weights.items() if isinstance(weights, Mapping) else weights
    return tuple(word for word, _ in sorted(pairs, key=lambda pair: -pair[1])[:most])


def rank_words(title: Sequence[str], content: Sequence[str], rules: RankRules) -> Ranks:
    """Rank the words of a title and of a text by TF-IDF."""
    return Ranks(
        ranked(weigh(title), rules.title_words), ranked(weigh(content), rules.content_words)
    )


def same_rank(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many keywords stand at the same rank in both."""
    return sum(first == second for first, second in zip(one, other, strict=False))


def duplicate(one: Ranks, other: Ranks, rules: RankRules) -> SameRanks | None:
    """Return why two articles are duplicates: by their titles first, else by their texts (D3)."""
    same = same_rank(one.title, other.title)
    if same >= rules.title_threshold:
        return SameRanks(same, rules.title_words, in_title=True)
    same = same_rank(one.content, other.content)
    if same >= rules.content_threshold:
        return SameRanks(same, rules.content_words, in_title=False)
    return None
