"""Whether a text is about the topic, and whether it is kept: the tables [relevance] and [article]."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.articles.table import ArticleTable
from focuscrawl.links.admission_rules import is_last
from focuscrawl.links.table import FollowTable
from focuscrawl.relevance.page_score import PageScore, PageScorer

if TYPE_CHECKING:
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template


class Content(NamedTuple):
    """What is judged of an article: ``layer`` as in Waiting, ``published`` in seconds since 1970."""

    title: str
    text: str
    published: float | None
    language: str
    has_images: bool
    layer: int


class PageVerdict(NamedTuple):
    """The score, and what the log book says: ``outcome`` "stored" and no reason, or why not."""

    score: PageScore
    outcome: str
    reason: str


def verdict_of(
    content: Content, template: Template, source: Source | None, site: str, now: float
) -> PageVerdict:
    """Judge an article of a site that came through a source; ``now`` is when it was fetched."""
    score = template.once(PageScorer.of).score(content.title, content.text)
    everything = (source is not None and source.relevant == "all") or (
        template.site(site).relevant == "all"
    )
    if everything:
        score = score._replace(relevant=True, reason="")
    return PageVerdict(score, *_kept(template, score, content, now))


def _kept(template: Template, score: PageScore, content: Content, now: float) -> tuple[str, str]:
    rules = template.of(ArticleTable)
    if rules.keep == "none":
        return "irrelevant", "article.keep"
    if not is_last(content.layer, template.of(FollowTable).layers):
        return "irrelevant", "layer"
    if not score.relevant and rules.keep != "all":
        return "irrelevant", score.reason
    oldest = rules.oldest(now)
    if oldest is not None and content.published is not None and content.published < oldest:
        return "old", "article.since"
    if len(content.text) < rules.min_length and not content.has_images:
        return "short", "article.min_length"
    if rules.languages and content.language and content.language not in rules.languages:
        return "irrelevant", f"language:{content.language}"
    return "stored", ""


def may_change(verdict: PageVerdict) -> bool:
    """Whether more text of the same article could lead to another verdict, or is to be kept."""
    is_irrelevant = verdict.outcome == "irrelevant" and verdict.reason == verdict.score.reason
    return verdict.outcome in {"stored", "short"} or is_irrelevant
