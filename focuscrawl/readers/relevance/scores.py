"""How much a page belongs to the topic, and how likely a link leads to one that does, 0 to 1 (C4, E1).

**A page**, by weighted words.

A group of keywords of weight w that is found n times gives the evidence

    w · m / (m + 1.2)    where m = 3 · (times in the title) + (times in the text) / L

so that repetition soon brings nothing more. L is 1 for a text of 1,000 Han characters, a quarter
for a very short one, and grows with three quarters of the length: a word counts for what share of
the text it is about. The evidence e of all groups gives the score e / (e + 1). From this follows,
for groups of weight 1 and the threshold 0.3, at which e = 0.43:

- a word in the title is enough (0.42), in a text of any length;
- one mention is enough in a text of up to some 1,100 characters, and a mention in passing in a
  longer one is not, but four mentions in 5,000 characters, or one each of three groups, are;
- one group alone never gives more than 0.5, however often it is repeated: breadth counts, and
  then weight;
- a group of weight 3 is enough when it is found once in 6,000 characters.

A threshold of 0 is the plain test: one keyword anywhere. Required and excluded words decide as in
the plain test; a page that fails by them scores below the threshold, so that ``relevant`` is
always ``score >= threshold``.

**A link**, before it is fetched.
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

from collections.abc import Mapping
from typing import NamedTuple, Protocol
from urllib.parse import unquote

from focuscrawl.readers.relevance.model import PageModel
from focuscrawl.readers.relevance.table import RelevanceTable
from focuscrawl.template.kinds.words import Hit, Words
from focuscrawl.template.table import Topic, topic_of
from focuscrawl.template.template import Template
from focuscrawl.values import Json

SATURATION = 1.2
"""So many mentions give half of what a group can give (the k of BM25)."""

_TITLE_WEIGHT = 3.0
"""So many times a word in the title counts: one there is enough at the usual threshold."""

LENGTH_SHARE = 0.75
"""How far the length of a text counts (the b of BM25)."""

USUAL_LENGTH = 1_000.0
"""Han characters of an ordinary article."""

LONGEST_SCORED = 200_000
"""Characters of a text that are looked at; what no article has is a dump or an attack."""

NO_WORD = "keywords"
"""Why a page is not relevant that has no keyword at all."""

BELOW = 0.9
"""A page that fails by required words scores at most this share of the threshold."""


class ScorePart(NamedTuple):
    """What one group gave: the words found, where, and how much of the score is theirs."""

    words: str
    in_title: int
    in_text: int
    weight: float
    contribution: float


class PageScore(NamedTuple):
    """How much a page belongs to the topic.

    ``reason`` says why it is not relevant: "keywords" (none found), "score" (too little found),
    "require:四川" (the first synonym of the missing group) or "exclude:招聘"; "" for a relevant
    page. ``hits`` are keywords and required words found in title and text, with their counts;
    ``parts`` explain the score by keyword groups, largest first (their contributions add up to
    the score before required and excluded words count). ``groups`` are the numbers of the
    groups found: of keywords, then of required, then of excluded words.
    """

    score: float
    relevant: bool
    reason: str
    hits: dict[str, int]
    parts: tuple[ScorePart, ...]
    groups: frozenset[int] = frozenset()


class JudgeOfPages(Protocol):
    """A trained judge of pages (``relevance.model``)."""

    def score(self, title: str, text: str) -> float:
        """Return how likely a page is relevant, 0 to 1."""


class PageScorer:
    """The words of a topic compiled into one scan; with a ``model`` that gives the evidence.

    About 40 µs for a page of 6,000 characters.
    """

    __slots__ = ("_all", "_excluded", "_keywords", "_model", "_required", "_threshold")

    def __init__(
        self, topic: Topic, relevance: RelevanceTable, model: JudgeOfPages | None = None
    ) -> None:
        self._keywords = len(topic.keywords.groups)
        self._required = self._keywords + len(topic.require.groups)
        self._all = Words((*topic.keywords.groups, *topic.require.groups, *topic.exclude.groups))
        self._threshold = relevance.threshold
        self._model = model

    @classmethod
    def of(cls, template: Template) -> PageScorer:
        """Return what scores pages; raises ModelError when relevance.model cannot be used."""
        relevance = template.of(RelevanceTable)
        model = PageModel.read(relevance.model) if relevance.model is not None else None
        return cls(template.topic, relevance, model)

    def score(self, title: str, text: str) -> PageScore:
        """Score a page by its title and main text."""
        text = text[:LONGEST_SCORED]
        in_title = self._all.hits(title)
        in_text = self._all.hits(text)
        hits = self._counts(in_title)
        for word, times in self._counts(in_text).items():
            hits[word] = hits.get(word, 0) + times
        parts = self._parts(in_title, in_text, text)
        groups = frozenset([hit.group for place in (in_title, in_text) for hit in place])
        if self._model is not None:
            found = round(self._model.score(title, text), 4)
            parts = (ScorePart("model", 0, 0, 1.0, found),)
        elif not self._keywords:
            found = 1.0
        else:
            found = round(sum(part.contribution for part in parts), 4)
        if not found:
            return PageScore(0.0, False, NO_WORD, hits, parts, groups)
        missing, share = self._missing(groups)
        if missing:
            score = min(found * share, BELOW * self._threshold)
            return PageScore(round(score, 4), False, f"require:{missing}", hits, parts, groups)
        excluded = self._against(in_title, in_text)
        if excluded:
            return PageScore(0.0, False, f"exclude:{excluded}", hits, parts, groups)
        relevant = found >= self._threshold
        return PageScore(found, relevant, "" if relevant else "score", hits, parts, groups)

    def _counts(self, found: Mapping[Hit, int]) -> dict[str, int]:
        """Count keywords and required words; one word in two groups is one word of the text."""
        counts: dict[str, int] = {}
        for (written, group), times in found.items():
            if group < self._required:
                counts[written] = max(times, counts.get(written, 0))
        return counts

    def _parts(
        self, in_title: Mapping[Hit, int], in_text: Mapping[Hit, int], text: str
    ) -> tuple[ScorePart, ...]:
        """Explain the score: what each keyword group gives of it."""
        words: dict[int, dict[str, tuple[int, int]]] = {}
        for place, found in enumerate((in_title, in_text)):
            for (written, group), times in found.items():
                if group < self._keywords:
                    before = words.setdefault(group, {}).get(written, (0, 0))
                    words[group][written] = (
                        (before[0] + times, before[1]) if place == 0 else (before[0], times)
                    )
        length = relative_length(text) if words else 1.0
        parts = []
        for group, counts in words.items():
            weight = self._all.groups[group].weight
            title_times = sum(times for times, _ in counts.values())
            text_times = sum(times for _, times in counts.values())
            mentions = _TITLE_WEIGHT * title_times + text_times / length
            given = weight * mentions / (mentions + SATURATION)
            parts.append(ScorePart("|".join(counts), title_times, text_times, weight, given))
        total = 1.0 + sum(part.contribution for part in parts)
        parts.sort(key=lambda part: -part.contribution)
        return tuple(part._replace(contribution=part.contribution / total) for part in parts)

    def _missing(self, there: frozenset[int]) -> tuple[str, float]:
        """Return the name of a required group that is not found, or "", and the share found."""
        asked = range(self._keywords, self._required)
        if not asked:
            return "", 1.0
        missing = [group for group in asked if group not in there]
        name = self._all.groups[missing[0]].name if missing else ""
        return name, 1.0 - len(missing) / len(asked)

    def _against(self, in_title: Mapping[Hit, int], in_text: Mapping[Hit, int]) -> str:
        """Return the word that excludes a page, or ""."""
        for written, group in in_title:
            if group >= self._required:
                return written
        by_group: dict[int, int] = {}
        first: dict[int, str] = {}
        keywords: dict[str, int] = {}
        for (written, group), times in in_text.items():
            if group >= self._required:
                by_group[group] = by_group.get(group, 0) + times
                first.setdefault(group, written)
            elif group < self._keywords:
                keywords[written] = max(times, keywords.get(written, 0))
        enough = sum(keywords.values())
        return next((first[group] for group, times in by_group.items() if times >= enough), "")


def relative_length(text: str) -> float:
    """Return L of the score: 1 for 1,000 Han characters, which say as much as 500 Latin words.

    A space stands for a Latin word of some five letters, that is for two Han characters.
    """
    spaces = text.count(" ")
    length = max(len(text) - 4 * spaces, 2 * spaces)
    return 1.0 - LENGTH_SHARE + LENGTH_SHARE * length / USUAL_LENGTH


PARENT_SHARE = 0.5
HALF_AT = 0.5
"""Evidence at which a link's own half is half full."""

ELSEWHERE = 0.5
"""What a word counts outside the text of the link."""

EXCLUDED_SHARE = 0.1
"""What is left of the parent's half when the text has an excluded word."""

ANCHORS_KEPT = 20_000
"""Anchor texts whose evidence is remembered: menus come again on every page."""

_LONGEST_LINK_TEXT = 300
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
            found = self._anchors[anchor] = self._found(anchor[:_LONGEST_LINK_TEXT])
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
            elsewhere |= self._words.hits(around[:_LONGEST_LINK_TEXT])
        for group in {hit.group for hit in elsewhere}:
            if group < self._required and group not in weights:
                evidence += ELSEWHERE * self._values[group]
        return evidence
