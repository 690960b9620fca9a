"""What a page scores, as plain values and in words: what was hit, what was not, what it would need to pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from focuscrawl.locale.messages import _
from focuscrawl.output.explain.facts import Fact, Question
from focuscrawl.output.explain.reasons import why_in_words
from focuscrawl.output.summary.lines import counted, listed_words
from focuscrawl.readers.relevance.scores import PageScore, PageScorer
from focuscrawl.readers.relevance.table import RelevanceTable
from focuscrawl.values import Json

if TYPE_CHECKING:
    from focuscrawl.template.template import Template

_INDENT = "  "
MOST_SHOWN = 8
"""Words, parts and changes that are named."""

JUDGED_BY_WORDS = frozenset({"keywords", "score"})
"""Reasons of pages that the words of a topic refused, beside ``require:`` and ``exclude:``."""


def stored_score(template: Template, question: Question) -> Fact | None:
    """Return what a page scores: by the words of today where its text is stored, else as it was read."""
    if article := next(iter(question.stored.get("articles", ())), None):
        if article.get("text"):
            return text_score(template, article["title"] or "", article["text"])
        return row_score(template, article, "")
    page = question.page
    if page and page.get("score") is not None:
        return row_score(template, page, page.get("reason") or "")
    return None


def text_score(template: Template, title: str, text: str) -> Fact:
    """Return what a text scores by the words of a topic."""
    score = template.once(PageScorer.of).score(title, text)
    return Fact("score", {**values_of(score, template), "characters": len(text)})


def values_of(score: PageScore, template: Template) -> Json:
    """Return a score as plain values; ``missed`` are the keyword groups of which no word is there."""
    parts = [part._asdict() for part in score.parts]
    return {
        "score": score.score,
        "relevant": score.relevant,
        "reason": score.reason,
        "threshold": template.of(RelevanceTable).threshold,
        "parts": parts,
        "hits": dict(score.hits),
        "missed": groups_missed(template, score.hits),
    }


def row_score(template: Template, row: Mapping[str, Any], reason: str) -> Fact:
    """Return the score of a page whose text is not stored, as its row has it."""
    by_words = reason in JUDGED_BY_WORDS or reason.startswith(("require:", "exclude:"))
    threshold = template.of(RelevanceTable).threshold
    return Fact(
        "score",
        {
            "score": row["score"] or 0.0,
            "relevant": (row["score"] or 0.0) >= threshold and not by_words,
            "reason": reason if by_words else "",
            "threshold": threshold,
            "parts": [],
            "hits": dict(row.get("hits") or {}),
            "missed": [],
        },
    )


def groups_missed(template: Template, hits: Iterable[str]) -> list[str]:
    """Return the keyword groups that hit nothing, each by its words as the template has them."""
    found = {*hits}
    return [
        group.written
        for group in template.topic.keywords.groups
        if not found & {group.written, group.name, *(one.written for one in group.synonyms)}
    ]


# In words -------------------------------------------------------------------------------------------


def outcome_text(stored: bool) -> str:
    """Say what a crawl would make of a page."""
    return _("would be stored") if stored else _("would not be stored")


def score_lines(values: Json) -> Iterator[str]:
    """Say what a page scores, by which words, and what it would need to pass."""
    score, threshold, reason = values["score"], values["threshold"], values["reason"]
    told = _("score {score:.3f}, not relevant (relevance.threshold {threshold:g})")
    if values["relevant"]:
        told = _("score {score:.3f}, relevant (relevance.threshold {threshold:g})")
    yield told.format(score=score, threshold=threshold)
    for part in values["parts"][:MOST_SHOWN]:
        in_title, in_text = _("{number} in the title"), _("{number} in the text")
        places = listed_words(
            said.format(number=part[key])
            for key, said in (("in_title", in_title), ("in_text", in_text))
            if part[key]
        )
        told = f"{part['contribution']:.3f} {part['words']}"
        yield f"{_INDENT}+ {told}: {places}" if places else f"{_INDENT}+ {told}"
    if not values["parts"] and values["hits"]:
        hits = (f"{word} {times}" for word, times in [*values["hits"].items()][:MOST_SHOWN])
        yield _INDENT + _("hit: {words}").format(words=listed_words(hits))
    if values["missed"]:
        missed = listed_words(values["missed"][:MOST_SHOWN])
        yield _INDENT + _("not hit: {words}").format(words=missed)
    if not values["relevant"]:
        yield _INDENT + _needs(score, threshold, reason)


def missed_line(missed: Sequence[str], groups: int, articles: int) -> str:
    """Say which keyword groups hit nothing in what was tried."""
    told = _("keyword groups that hit nothing in the {articles} read: {words}")
    if not groups:
        told = _("{articles} read; topic.keywords is empty: nothing is weighed")
    elif not missed:
        told = _("every keyword group hit something in the {articles} read")
    return told.format(articles=counted(articles, "article"), words=listed_words(missed))


def _needs(score: float, threshold: float, reason: str) -> str:
    """Say what a page would need to pass."""
    if reason.startswith(("require:", "exclude:")) or reason == "keywords":
        return _("not stored because {why}").format(why=why_in_words(reason, {}))
    told = _("it would need {more:.3f} more, or relevance.threshold = {score:.3f}")
    return told.format(more=max(threshold - score, 0.0), score=score)
