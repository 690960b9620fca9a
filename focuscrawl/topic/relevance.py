"""When a page belongs to the topic: the plain test by words, a score with the threshold 0."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from focuscrawl.relevance.table import Relevance
from focuscrawl.topic.scoring import PageScorer
from focuscrawl.topic.table import Topic

_PLAIN = Relevance(threshold=0.0, title_weight=1.0, hints=(), model=None)


class Verdict(NamedTuple):
    """Whether a page belongs to the topic.

    ``reason`` says why not: "keywords", "require:四川" (the first synonym of the missing group) or
    "exclude:招聘"; "" for a relevant page. ``hits`` are the keywords and required words found in
    title and text, with their counts.
    """

    relevant: bool
    reason: str
    hits: dict[str, int]


def judge(topic: Topic, title: str, text: str) -> Verdict:
    """Judge a page by its title and main text.

    It is relevant when a keyword group is found or none is asked, each ``require`` group is found
    in title or text, no ``exclude`` word is in the title, and none is in the text at least as
    often as all keywords together.
    """
    found = _scorer(topic).score(title, text)
    return Verdict(found.relevant, found.reason, found.hits)


@lru_cache(maxsize=16)
def _scorer(topic: Topic) -> PageScorer:
    return PageScorer(topic, _PLAIN)
