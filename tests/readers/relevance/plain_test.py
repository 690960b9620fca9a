"""When a page belongs to the topic: the plain test by words, a score with the threshold 0."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.readers.relevance.scores import PageScorer
from focuscrawl.readers.relevance.table import RelevanceTable
from focuscrawl.template.table import Topic

PLAIN = RelevanceTable(threshold=0.0, model=None)


class Verdict(NamedTuple):
    """Whether a page belongs to the topic, why not, and the words found with their counts."""

    relevant: bool
    reason: str
    hits: dict[str, int]


def judge(topic: Topic, title: str, text: str) -> Verdict:
    """Judge a page by its title and main text alone."""
    found = PageScorer(topic, PLAIN).score(title, text)
    return Verdict(found.relevant, found.reason, found.hits)
