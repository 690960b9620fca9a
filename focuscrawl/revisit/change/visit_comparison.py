"""Compare what was read with what a page looked like at its last counted version (B).

SimHashes are compared when their words were cut by the same engine. An engine is what ``Splitter.engine``
names: jieba or rjieba, their version, our rules, and the topic's dictionary, since other names make other
words. The store lists those a crawl has used; a page's state has the number of the one its hash was made by
(none: the first).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from copy import deepcopy
from typing import TYPE_CHECKING

from focuscrawl.pages.document import Document
from focuscrawl.pages.selectors import find
from focuscrawl.pages.texts import paragraphs
from focuscrawl.records.table import RecordTable
from focuscrawl.revisit.change.comparison import (
    VisitVerdict,
    compare_fields,
    compare_links,
    compare_strictly,
    compare_text,
    fields_mark,
    links_mark,
    text_mark,
)
from focuscrawl.revisit.change.volatile import TextRules
from focuscrawl.revisit.table import RevisitTable
from focuscrawl.text.keywords import simhash_words
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Article, Link, LinkBatch, PageState, Record

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.template import Template
    from focuscrawl.values import Json

logger = logging.getLogger(__name__)

_FACT, _ENGINES = "words", "engines"
"""Kind and key of the fact that lists the engines, in order of their first use."""

MADE_BY = "words"
"""Fact of a page's state: the number of the engine its SimHash was made by."""


def text_rules(template: Template, site: str, shapes: frozenset[int]) -> TextRules:
    """Return what of the texts of a site is compared."""
    ignore = template.site(host_of(site)).of(RevisitTable).ignore
    return TextRules(ignore.expressions, ignore.built_in, shapes)


def ignored_in(document: Document, template: Template, site: str) -> tuple[str, ...]:
    """Return the lines of a page inside elements that never count as a change."""
    found: dict[str, None] = {}
    for selector in template.site(host_of(site)).of(RevisitTable).ignore.selectors:
        for one in find(document.root, selector):
            text = one if isinstance(one, str) else paragraphs(deepcopy(one))
            found.update(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    return tuple(sorted(found, key=len, reverse=True))


def compare_article(
    state: PageState,
    article: Article,
    template: Template,
    shapes: frozenset[int],
    ignored: Iterable[str] = (),
) -> VisitVerdict:
    """Compare an article with what its last counted version looked like."""
    text = article.text
    for line in ignored:
        text = text.replace(line, "")

    def simhash() -> int:
        return simhash_words(Counter(template.splitter.cut(text)))

    if template.of(RevisitTable).strict:
        return compare_strictly(state, simhash())
    mark = text_mark(article.title, text, None, text_rules(template, article.host, shapes))
    verdict = compare_text(state, mark)
    is_same = verdict.mark.digest == state.digest and not verdict.learnt
    if is_same and state.simhash is not None:
        return verdict  # most visits end here, and no words are cut for them
    return compare_text(state, mark._replace(simhash=simhash()))


def compare_records(
    state: PageState, records: Iterable[Record], template: Template
) -> VisitVerdict:
    """Compare all records of a page with those of its last counted version, field by field.

    When the template asks for other fields than before there is nothing to compare.
    """
    found = {f"{one.record_type}/{one.record_id}": one.data for one in records}
    asked = {
        f"{name}.{field.name}": None
        for name, table in template.named(RecordTable).items()
        for field in table.fields
    }
    return compare_fields(state, fields_mark({**asked, "": found}, ignore=()))


def compare_list(state: PageState, batch: LinkBatch, rules: AdmissionRules) -> VisitVerdict:
    """Compare a list: only links to pages that may be fetched count."""
    return compare_links(state, links_mark(_keys(batch.links, rules)))


def _keys(links: Iterable[Link], rules: AdmissionRules) -> Iterable[bytes]:
    for link in links:
        look = rules.look(link.url)
        if look.refused_page is None:
            yield look.address.key


async def number_of_engine(store: Store, frontier: Frontier, name: str) -> int:
    """Return the number of an engine in this crawl; a new one is noted with the next commit."""
    known = [str(one) for one in (await store.facts(_FACT)).get(_ENGINES, ())]
    if name not in known:
        if known:
            logger.info(
                "words are cut by %s, before by %s: SimHashes are made anew, each at its page's"
                " next visit, and stories of both know each other by the words both have",
                name,
                known[-1],
            )
        known.append(name)
        frontier.note_fact(_FACT, _ENGINES, known)
    return known.index(name)


def comparable_state(state: PageState, engine: int) -> PageState:
    """Return a state without its SimHash when another engine made that."""
    if state.simhash is None or state.facts.get(MADE_BY, 0) == engine:
        return state
    return state._replace(simhash=None)


def with_engine(facts: Json, engine: int) -> Json:
    """Return the facts of a state whose SimHash is of this engine."""
    others = {name: value for name, value in facts.items() if name != MADE_BY}
    return others | {MADE_BY: engine} if engine else others
