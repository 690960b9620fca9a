"""How likely a link leads to a page of the topic, 0 to 1, before it is fetched (E1).

Half of the score is the score of the page the link was found on, half is what its text and
address say themselves: evidence e gives e / (e + 0.5).

| found | evidence |
|---|---|
| a keyword group in the text of the link | its weight |
| only in the address or in the words around the link | half its weight |
| a required group | half of that (without keywords: as one) |
| an excluded word in the text of the link | none at all, and the page it was found on counts little |

A page that names every keyword therefore lifts its links by one half at most: on a site where
everything looks relevant, what a link says for itself still decides.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote

from focuscrawl.template.kinds.words import Words
from focuscrawl.template.table import Topic, topic_of
from focuscrawl.template.template import Template
from focuscrawl.values import Json

PARENT_SHARE = 0.5
HALF_AT = 0.5
"""Evidence at which a link's own half is half full."""

ELSEWHERE = 0.5
"""What a word counts outside the text of the link."""

EXCLUDED_SHARE = 0.1
"""What is left of the parent's half when the text has an excluded word."""

ANCHORS_KEPT = 20_000
"""Anchor texts whose evidence is remembered: menus come again on every page."""

_LONGEST_TEXT = 300
LONGEST_ADDRESS = 500
SEPARATORS = str.maketrans(dict.fromkeys("-_/.+?=&,~:;", " "))


class _Found(NamedTuple):
    """Weights by group of what a text holds; ``excluded``: it has an excluded word."""

    weights: dict[int, float]
    excluded: bool


class LinkScorer:
    """The words of a topic compiled for links; a few microseconds a link.

    Chinese words in addresses are found behind their percent signs, words of several Latin parts
    with ``-``, ``_`` or ``/`` between them.
    """

    __slots__ = ("_anchors", "_phrases", "_required", "_values", "_words")

    def __init__(self, topic: Topic) -> None:
        keywords, required = topic.keywords.groups, topic.require.groups
        self._words = Words((*keywords, *required, *topic.exclude.groups))
        self._required = len(keywords) + len(required)
        self._phrases = any(
            " " in synonym.key for group in self._words.groups for synonym in group.synonyms
        )
        share = ELSEWHERE if keywords else 1.0
        self._values = (
            *(group.weight for group in keywords),
            *(group.weight * share for group in required),
        )
        self._anchors: dict[str, _Found] = {}

    @classmethod
    def of(cls, template: Template) -> LinkScorer:
        """Return what scores links by a template's words."""
        return cls(template.topic)

    @classmethod
    def of_stored(cls, resolved: Json) -> LinkScorer | None:
        """Return what scored links in an earlier run; None when its template cannot be read any more."""
        try:
            return cls(topic_of(resolved))
        except (KeyError, TypeError, ValueError):  # of a version with other keys
            return None

    def link_score(
        self, anchor: str, url: str, parent_score: float = 0.0, around: str = ""
    ) -> float:
        """Score a link by its text, its address, the score of its page and the text around it."""
        if not around and self._says_nothing(anchor, url):
            return PARENT_SHARE * parent_score
        found = self._anchors.get(anchor)
        if found is None:
            if len(self._anchors) >= ANCHORS_KEPT:
                self._anchors.clear()
            found = self._anchors[anchor] = self._found(anchor[:_LONGEST_TEXT])
        if found.excluded:
            return PARENT_SHARE * EXCLUDED_SHARE * parent_score
        evidence = self._evidence(found.weights, url, around)
        own = evidence / (evidence + HALF_AT)
        return PARENT_SHARE * parent_score + (1 - PARENT_SHARE) * own

    def _says_nothing(self, anchor: str, url: str) -> bool:
        """Whether neither text nor address can hold a word, as with most links."""
        if "%" in url:
            return False
        text = f"{anchor}\n{url}"
        if self._phrases:
            text = f"{text}\n{url.translate(SEPARATORS)}"
        return not self._words.may_hit(text)

    def _found(self, text: str) -> _Found:
        groups = {hit.group for hit in self._words.hits(text)}
        weights = {group: self._values[group] for group in groups if group < self._required}
        return _Found(weights, len(weights) < len(groups))

    def _evidence(self, weights: dict[int, float], url: str, around: str) -> float:
        evidence = sum(weights.values())
        address = url.partition("://")[2][:LONGEST_ADDRESS]
        if "%" in address:
            address = unquote(address)
        elsewhere = self._words.hits(address)
        if self._phrases:
            elsewhere |= self._words.hits(address.translate(SEPARATORS))
        if around:
            elsewhere |= self._words.hits(around[:_LONGEST_TEXT])
        for group in {hit.group for hit in elsewhere}:
            if group < self._required and group not in weights:
                evidence += ELSEWHERE * self._values[group]
        return evidence
