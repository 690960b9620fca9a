"""Compare what was read with what a page looked like at its last counted version (B)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import deepcopy
from typing import TYPE_CHECKING

from focuscrawl.pages.document import Document
from focuscrawl.pages.paragraphs import paragraphs
from focuscrawl.pages.selectors import find
from focuscrawl.revisit.change.comparison import (
    Verdict,
    compare_fields,
    compare_links,
    compare_strictly,
    compare_text,
    fields_mark,
    links_mark,
    text_mark,
)
from focuscrawl.revisit.change.volatile import TextRules
from focuscrawl.text.simhash import simhash_words
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Article, Link, LinkBatch, PageState, Record

if TYPE_CHECKING:
    from focuscrawl.topic.admission_rules import AdmissionRules
    from focuscrawl.topic.template import Template


def text_rules(template: Template, site: str, shapes: frozenset[int]) -> TextRules:
    """Return what of the texts of a site is compared."""
    ignore = template.site(host_of(site)).ignore
    return TextRules(ignore.expressions, ignore.built_in, shapes)


def ignored_in(document: Document, template: Template, site: str) -> tuple[str, ...]:
    """Return the lines of a page inside elements that never count as a change."""
    found: dict[str, None] = {}
    for selector in template.site(host_of(site)).ignore.selectors:
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
) -> Verdict:
    """Compare an article with what its last counted version looked like."""
    text = article.text
    for line in ignored:
        text = text.replace(line, "")

    def simhash() -> int:
        return simhash_words(Counter(template.splitter.cut(text)))

    if template.revisit.strict:
        return compare_strictly(state, simhash())
    mark = text_mark(article.title, text, None, text_rules(template, article.host, shapes))
    verdict = compare_text(state, mark)
    is_same = verdict.mark.digest == state.digest and not verdict.learnt
    if is_same and state.simhash is not None:
        return verdict  # most visits end here, and no words are cut for them
    return compare_text(state, mark._replace(simhash=simhash()))


def compare_records(state: PageState, records: Iterable[Record], template: Template) -> Verdict:
    """Compare all records of a page with those of its last counted version, field by field.

    When the template asks for other fields than before there is nothing to compare.
    """
    found = {f"{one.record_type}/{one.record_id}": one.data for one in records}
    asked = {
        f"{name}.{field.name}": None
        for name, table in template.record.items()
        for field in table.fields
    }
    return compare_fields(state, fields_mark({**asked, "": found}, ignore=()))


def compare_list(state: PageState, batch: LinkBatch, rules: AdmissionRules) -> Verdict:
    """Compare a list: only links to pages that may be fetched count."""
    return compare_links(state, links_mark(_keys(batch.links, rules)))


def _keys(links: Iterable[Link], rules: AdmissionRules) -> Iterable[bytes]:
    for link in links:
        look = rules.look(link.url)
        if look.refused_page is None:
            yield look.address.key
