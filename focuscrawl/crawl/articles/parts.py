"""The parts of an article: which of them a page names, of what article it is itself a later one, and what the article is by all that is there of it (A2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.articles.assembly import Outcome
from focuscrawl.articles.parts import Gathered
from focuscrawl.articles.table import ArticleTable
from focuscrawl.links.admission_rules import AdmissionRules, is_unwanted, refusal
from focuscrawl.links.continuations import beyond, page_number
from focuscrawl.links.criteria import Criteria
from focuscrawl.links.verdict import Content, verdict_of
from focuscrawl.pages.document import Document
from focuscrawl.pages.links import FoundLink
from focuscrawl.pages.paging import WHOLE, find_first_page
from focuscrawl.values import Link, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template

_LONGEST_REASON = 40  # characters of the column pages.reason


def parts_named(
    links: Sequence[Link], parent: Waiting, rules: AdmissionRules
) -> tuple[dict[bytes, int], bool]:
    """Return which further parts of an article a page names: their numbers by key (0: all on one
    page), and whether it names others that are not fetched (article.pages, a rule of [follow]).
    """
    found: dict[bytes, int] = {}
    left_out = False
    for link in links:
        look = rules.look(link.url)
        page = page_number(link, PageClass.ARTICLE_PAGING, parent)
        if look.address.key in {parent.key, parent.first_key}:
            continue
        if (
            refusal(look, PageClass.ARTICLE_PAGING)
            or is_unwanted(link, look, parent.site)
            or beyond(look, PageClass.ARTICLE_PAGING, page)
        ):
            left_out = True
        else:
            found.setdefault(look.address.key, page)
    if WHOLE in found.values() and not parent.first_walk:  # then nothing else is fetched again
        found = {key: page for key, page in found.items() if page == WHOLE}
    return found, left_out


def later_page_of(
    document: Document, links: Sequence[FoundLink], waiting: Waiting, criteria: Criteria
) -> tuple[Waiting, Link] | None:
    """Return a page that came as an article of its own as the later part it is, and a link to the
    first; None when it is no later part, or the first may not be fetched.
    """
    first = None if waiting.first_key else find_first_page(document, links)
    look = criteria.rules.look(first.url) if first is not None else None
    if first is None or look is None or refusal(look, PageClass.ARTICLE):
        return None
    part = waiting._replace(
        page_class=PageClass.ARTICLE_PAGING,
        first_key=look.address.key,
        page_number=first.page_number or 2,
    )
    level = min(waiting.passed_level + 1, criteria.rules.top)
    return part, Link(first.url, "1", PageClass.ARTICLE, level=level)


def put_together(gathered: Gathered, template: Template, source: Source | None) -> Outcome | None:
    """Return what the article is by all that is there of it now; None without its first page.

    A first page that is good enough alone stays so; else the whole text is judged.
    """
    first = gathered.first
    if first is None or first.article is None or first.page is None:
        return None
    joined, pages = gathered.joined()
    article = replace(
        first.article,
        text=joined.text,
        images=list(joined.images) if template.of(ArticleTable).images == "urls" else [],
        page_count=pages,
        complete=not (why := gathered.why_incomplete()),
        fetched=max(piece.at for piece in gathered.pieces.values()),
    )
    page = first.page
    content = Content(
        article.title,
        article.text,
        article.published,
        article.language,
        bool(joined.images),
        first.layer,
    )
    verdict = verdict_of(content, template, source, page.host, page.last_fetched or 0.0)
    page.score = article.score = verdict.score.score
    article.hits = verdict.score.hits
    if page.outcome != "stored":
        page.relevant, page.outcome, page.reason = verdict.score.relevant, *verdict[1:]
    if page.outcome != "stored":
        return Outcome(page, None)
    page.reason = why[:_LONGEST_REASON]
    return Outcome(page, article)
