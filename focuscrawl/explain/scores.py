"""What a page scores: which words were hit, which groups were not, and what it would need to pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from focuscrawl.explain.facts import Fact, Question
from focuscrawl.relevance.scores import PageScore, PageScorer
from focuscrawl.relevance.table import RelevanceTable
from focuscrawl.values import Json

if TYPE_CHECKING:
    from focuscrawl.template.template import Template

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
        return row_score(template, page, page["reason"] or "")
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
