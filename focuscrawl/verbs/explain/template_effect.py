"""``scrapy topic check NAME --against-stored``: what the file as it is now would admit or drop of what is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from focuscrawl.features.articles.rows.articles import ARTICLES, ArticleToJudge, all_articles
from focuscrawl.features.articles.table import ArticleTable
from focuscrawl.locale.messages import _
from focuscrawl.output.explain.reasons import why_in_words
from focuscrawl.output.explain.scores import MOST_SHOWN
from focuscrawl.output.explain.words import LONGEST_HEADLINE
from focuscrawl.output.summary.lines import counted, listed_words
from focuscrawl.readers.links.admission_rules import AdmissionRules, because, refusal
from focuscrawl.readers.links.sources import starts_of
from focuscrawl.readers.relevance.scores import PageScorer
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.results.kinds.pages import PAGES, refused_by_words
from focuscrawl.values import PageClass
from focuscrawl.verbs.call import Call
from focuscrawl.verbs.data import complete_schema, places_of
from focuscrawl.verbs.stored import Rejudged, rejudge

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from focuscrawl.template.load import LoadedTemplate
    from focuscrawl.template.template import Template

_INDENT = "  "
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
    """Say what of what is stored would be dropped, and what would be admitted; changes none of it."""
    places = places_of(call, loaded, results=True)
    now = places.config.clock.wall()
    complete_schema(places)
    with results_to_read(places.results) as connection:
        found = effect_of(connection, loaded.template, now)
    most = (
        max(map(len, (found.dropped, found.admitted, found.let_in)))
        if call.options.list
        else MOVED_NAMED
    )
    return "\n".join(effect_lines(loaded.template.name, found, most))


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
    for url, title, page_class, *_rest in connection.execute(of_topic.where(refused_by_words())):
        found.refused += 1
        score = scorer.score(title or "", "")
        if score.relevant and not _rule_against(url, _class_of(page_class), rules):
            why = _("its title has {words}").format(words=listed_words(score.hits))
            found.admitted.append(MovedPage(url, title or "", why, "words"))
    kept_out = PAGES.c.outcome.in_(("refused", "parked"))
    for url, title, page_class, reason, _outcome in connection.execute(of_topic.where(kept_out)):
        rule = (reason or "").removeprefix("rule:")
        if rule.partition(":")[0] not in _BY_RULES:
            continue
        found.kept_out += 1
        if not _rule_against(url, _class_of(page_class), rules):
            why = _("{rule} does not hold any more").format(rule=rule)
            found.let_in.append(MovedPage(url, title or "", why, rule))


def _class_of(name: str) -> PageClass | None:
    """Return a class of pages; None: there was no telling, or another version has stored it."""
    known = name != PageClass.OTHER and name in {one.value for one in PageClass}
    return PageClass(name) if known else None


# In words -------------------------------------------------------------------------------------------


def effect_lines(name: str, found: TemplateEffect, most: int) -> Iterator[str]:
    """Say what a template would make of what is stored, with so many examples each."""
    told = _("{name}, judged by its file as it is now: {articles} stored, {dropped:,} would not be")
    articles = counted(found.articles, "article")
    yield told.format(name=name, articles=articles, dropped=len(found.dropped))
    if found.dropped:
        reasons = Counter(one.reason for one in found.dropped).most_common(MOST_SHOWN)
        yield _INDENT + ", ".join(f"{reason} {count:,}" for reason, count in reasons)
    yield from _examples(found.dropped, most)
    if found.unjudged:
        told = _("{articles} without a stored text cannot be judged by words")
        yield told.format(articles=counted(found.unjudged, "article"))
    told = _(
        "{admitted:,} of {pages} that words refused would be stored, by their titles alone (no text of them"
        " is stored)"
    )
    yield told.format(admitted=len(found.admitted), pages=counted(found.refused, "page"))
    yield from _examples(found.admitted, most)
    told = _("{let_in:,} of {addresses} that rules kept out would be asked for")
    yield told.format(let_in=len(found.let_in), addresses=counted(found.kept_out, "address", "es"))
    yield from _examples(found.let_in, most)
    if max(map(len, (found.dropped, found.admitted, found.let_in))) > most:
        yield _("all of them: scrapy topic check {name} --against-stored --list").format(name=name)
    yield _(
        "nothing was changed; scrapy topic rejudge {name} judges what is stored, with --refetch what words"
        " refused, too"
    ).format(name=name)


def _examples(moved: Sequence[MovedPage], most: int) -> Iterator[str]:
    for one in moved[:most]:
        yield f"{_INDENT}{one.title[:LONGEST_HEADLINE]} {one.url}"
        yield f"{_INDENT}{_INDENT}{one.why}"
