"""``scrapy topic check NAME --against-stored``: what the file as it is now would admit or drop of what is stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from focuscrawl.articles.rows.articles import ARTICLES, ArticleToJudge, all_articles
from focuscrawl.articles.table import ArticleTable
from focuscrawl.explain.words import effect_lines, why_in_words
from focuscrawl.links.admission_rules import AdmissionRules, because, refusal
from focuscrawl.links.sources import starts_of
from focuscrawl.relevance.scores import PageScorer
from focuscrawl.results.database import results_to_read
from focuscrawl.results.kinds.pages import PAGES, refused_by_words
from focuscrawl.values import PageClass
from focuscrawl.verbs.call import Call
from focuscrawl.verbs.data import places_of
from focuscrawl.verbs.stored import Rejudged, rejudge

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from focuscrawl.template.load import LoadedTemplate
    from focuscrawl.template.template import Template

MOVED_NAMED = 5
"""Pages of each kind that are named; --list names all."""

_BY_RULES = ("scope", "deny", "allow", "skip", "suffix", "private", "banned")
"""Reasons of pages that were not asked for, by rules that the template has."""


class MovedPage(NamedTuple):
    """A page that the template of today judges otherwise, and why."""

    url: str
    title: str
    why: str
    reason: str


@dataclass(slots=True)
class TemplateEffect:
    """What a template would make of what is stored.

    ``dropped`` are articles that are stored and would not be, ``unjudged`` those without a text to judge by.
    ``admitted`` are pages that words refused, by their titles alone; ``let_in`` addresses that rules kept out.
    """

    articles: int = 0
    unjudged: int = 0
    refused: int = 0
    kept_out: int = 0
    dropped: list[MovedPage] = field(default_factory=list)
    admitted: list[MovedPage] = field(default_factory=list)
    let_in: list[MovedPage] = field(default_factory=list)


def compare_with_stored(call: Call, loaded: LoadedTemplate) -> str:
    """Say what of what is stored would be dropped, and what would be admitted; changes nothing."""
    places = places_of(call, loaded, results=True)
    now = places.config.clock.wall()
    with results_to_read(places.results) as connection:
        found = effect_of(connection, loaded.template, now)
    most = (
        max(map(len, (found.dropped, found.admitted, found.let_in)))
        if call.options.list
        else MOVED_NAMED
    )
    return "\n".join(effect_lines(loaded.template.name, _plainly(found), most))


def _plainly(found: TemplateEffect) -> dict[str, object]:
    return {name: getattr(found, name) for name in TemplateEffect.__slots__}


def effect_of(connection: Connection, template: Template, now: float) -> TemplateEffect:
    """Judge everything that is stored of a topic by its template."""
    rules = AdmissionRules.from_template(template, now)
    starts = starts_of(template.sources, rules)
    found = TemplateEffect()
    kept = _kept_of(connection, template, now)
    for articles in all_articles(connection, template.name):
        found.articles += len(articles)
        judged = {one.article.url_key: one for one in rejudge(articles, template)}
        found.unjudged += len(articles) - len(judged)
        for article in articles:
            is_start = bytes.fromhex(article.url_key) in starts
            why = "" if is_start else _rule_against(article.url, PageClass.ARTICLE, rules)
            reason = why or _words_against(judged.get(article.url_key), template)
            reason = reason or kept.get(article.url_key, "")
            if reason:
                found.dropped.append(_moved(article, reason, rules))
    _of_refused(connection, template, rules, found)
    return found


def _moved(article: ArticleToJudge, reason: str, rules: AdmissionRules) -> MovedPage:
    look = rules.look(article.url)
    told = why_in_words(reason, {"because": because(look, reason)})
    return MovedPage(article.url, article.title, told, reason)


def _rule_against(url: str, page_class: PageClass | None, rules: AdmissionRules) -> str:
    return refusal(rules.look(url), page_class) or ""


def _words_against(judged: Rejudged | None, template: Template) -> str:
    """Return why an article would not be stored any more, by its words; "" when it would."""
    if not judged or judged.judgement.relevant or template.of(ArticleTable).keep == "all":
        return ""
    article = judged.article
    return template.once(PageScorer.of).score(article.title, article.text or "").reason or "score"


def _kept_of(connection: Connection, template: Template, now: float) -> dict[str, str]:
    """Return by key the articles that [article] would not keep: too old, too short."""
    rules = template.of(ArticleTable)
    oldest, shortest = rules.oldest(now), rules.min_length
    columns = (ARTICLES.c.url_key, ARTICLES.c.published, ARTICLES.c.length, ARTICLES.c.images)
    found = {}
    for key, published, length, images in connection.execute(
        select(*columns).where(ARTICLES.c.topic == template.name)
    ):
        if oldest and published and published < oldest:
            found[key] = "article.since"
        elif (length or 0) < shortest and not images:
            found[key] = "article.min_length"
    return found


def _of_refused(
    connection: Connection, template: Template, rules: AdmissionRules, found: TemplateEffect
) -> None:
    """Look at the pages that words refused, by their titles, and at addresses that rules kept out."""
    columns = (PAGES.c.url, PAGES.c.title, PAGES.c.page_class, PAGES.c.reason, PAGES.c.outcome)
    of_topic = select(*columns).where(PAGES.c.topic == template.name).order_by(PAGES.c.url)
    scorer = template.once(PageScorer.of)
    for url, title, page_class, _, _ in connection.execute(of_topic.where(refused_by_words())):
        found.refused += 1
        score = scorer.score(title or "", "")
        if score.relevant and not _rule_against(url, PageClass(page_class), rules):
            hits = ", ".join(score.hits)
            found.admitted.append(MovedPage(url, title or "", f"its title has {hits}", "words"))
    kept_out = PAGES.c.outcome.in_(("refused", "parked"))
    for url, title, page_class, reason, _ in connection.execute(of_topic.where(kept_out)):
        rule = (reason or "").removeprefix("rule:")
        if rule.partition(":")[0] not in _BY_RULES:
            continue
        found.kept_out += 1
        known = None if page_class == PageClass.OTHER else PageClass(page_class)
        if not _rule_against(url, known, rules):
            found.let_in.append(MovedPage(url, title or "", f"{rule} does not hold any more", rule))
