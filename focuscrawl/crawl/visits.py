"""Visits put on a crawl (B): the rules of a template, which pages are watched, what has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING

from focuscrawl.crawl.admit import checked_again
from focuscrawl.extract.document import Document
from focuscrawl.extract.paragraphs import paragraphs
from focuscrawl.extract.selectors import find
from focuscrawl.revisit.changes import (
    Kind,
    Verdict,
    compare_fields,
    compare_links,
    compare_strictly,
    compare_text,
    fields_mark,
    links_mark,
    text_mark,
)
from focuscrawl.revisit.diffs import is_much, sentence_diff
from focuscrawl.revisit.settings import ClassTimes, RevisitRules
from focuscrawl.revisit.volatile import TextRules
from focuscrawl.text.simhash import simhash_words
from focuscrawl.urls.sites import host_of
from focuscrawl.values import (
    ONCE,
    Article,
    Link,
    LinkBatch,
    Page,
    PageChange,
    PageClass,
    PageState,
    Record,
    Waiting,
    change_key,
)

if TYPE_CHECKING:
    from focuscrawl.topic.admission_rules import AdmissionRules
    from focuscrawl.topic.template import Source, Template

LISTS = frozenset({PageClass.BOARD, PageClass.FEED, PageClass.SITEMAP})
CONTENT = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.THREAD})
KEPT = frozenset({"stored", "unchanged"})
SEED = "seed:"
"""How the source_id of a page begins that was found through a search."""

SHORTEST_LEASE = 7200.0
TRIES_FACTOR = 4
"""A lease is so many times as long as all tries of a fetch may take."""


def rules_of(template: Template) -> RevisitRules:
    """Return the rules of [revisit]. Of a topic with policy off states are kept as with index, so
    that another policy can go on from them; nothing is visited.
    """
    table, polite = template.revisit, template.politeness
    return RevisitRules(
        policy="index" if table.policy == "off" else table.policy,
        objective=table.objective,
        classes={
            PageClass(name): ClassTimes(times.first, times.min, times.max, times.until)
            for name, times in table.times.items()
        },
        budget=table.budget,
        signals=table.signals,
        gone_after=table.gone_after,
        gone_within=table.gone_within,
        strict=table.strict,
        lease=max(SHORTEST_LEASE, TRIES_FACTOR * polite.timeout * (polite.retries + 1)),
    )


def is_off(template: Template) -> bool:
    """Whether no page is visited twice."""
    return template.revisit.policy == "off" and not template.revisit.strict


def is_source(waiting: Waiting, sources: Mapping[str, Source]) -> bool:
    """Whether a URL is one that the template names as a place to start, not as an article."""
    return (
        not waiting.parent_key
        and waiting.page_class is not PageClass.ARTICLE
        and waiting.source_id in sources
    )


def is_watched(page: Page, waiting: Waiting, sources: Mapping[str, Source]) -> bool:
    """Whether a page that was read is visited again: lists, sources, and what was stored."""
    if page.outcome == "error":
        return False
    if page.page_class in LISTS or is_source(waiting, sources):
        return True
    return page.page_class in CONTENT and page.outcome in KEPT


def is_list(state: PageState) -> bool:
    """Whether a page is read for its links, so that every run begins with it (A6)."""
    return state.page_class in LISTS or bool(state.facts.get("source"))


def facts_of(waiting: Waiting, sources: Mapping[str, Source]) -> dict[str, object]:
    """Return what is needed to queue a page again."""
    return {
        "depth": waiting.depth,
        "parent": waiting.parent_key,
        "layer": waiting.layer,
        "source": is_source(waiting, sources),
    }


def visit_of(state: PageState, sources: Mapping[str, Source], rules: AdmissionRules) -> Waiting:
    """Return a page as it is queued again, at its own level; a source at its template's.

    It goes on under the name its source has now; ``sources`` knows earlier names, too.
    """
    source = sources.get(state.source_id)
    is_first = source is not None and state.facts.get("source")
    level = source.level if source is not None and is_first else min(state.level, rules.top)
    return Waiting(
        url=state.url,
        key=state.key,
        site=state.site,
        level=level,
        passed_level=level,
        page_class=state.page_class,
        depth=state.facts.get("depth", 0),
        parent_key=state.facts.get("parent", b""),
        source_id=source.source_id if source is not None else state.source_id,
        first_walk=False,
        layer=state.facts.get("layer", 0),
    )


def refused_visit(
    state: PageState, waiting: Waiting, sources: Mapping[str, Source], rules: AdmissionRules
) -> str | None:
    """Return why the template does not want a page visited: a rule for links, a source taken out.

    Articles and records of a source that was taken out are still visited until they are too old.
    """
    known = state.source_id in sources or state.source_id.startswith(SEED)
    if is_list(state) and not known:
        return "source"
    return checked_again(waiting, rules)


def with_visits(page: Page, state: PageState | None) -> Page:
    """Return a row of the log book with what is known of the page's visits."""
    if state is not None:
        page.changes, page.last_changed = state.times_changed, state.last_changed
        page.next_visit, page.gone_at = state.next_visit, state.gone
    return page


# What has changed -----------------------------------------------------------------------------------


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


def change_of(
    article: Article, verdict: Verdict, visit: int, earlier: tuple[str, str] | None, now: float
) -> PageChange:
    """Return the change of an article; ``earlier`` are title and text of its version before.

    One that is minor by its SimHash is major when whole sentences came or went; where SimHashes
    could not be compared, that alone tells. Its id goes by the SimHash alone: after a crash the
    version before may be the new one already.
    """
    fields = {}
    diff = ""
    kind = verdict.kind
    if earlier is not None:
        title, text = earlier
        if title != article.title:
            fields["title"] = [title, article.title]
        diff = sentence_diff(text, article.text) if text else ""
        if text and (kind is Kind.MINOR or verdict.distance is None):
            kind = Kind.MAJOR if is_much(text, article.text) else Kind.MINOR
    key = article.url_key
    return PageChange(
        change_key(key, verdict.kind.value, visit),
        *(now, key, article.url, kind.value, "article"),
        *(fields, diff, verdict.distance, article.title),
    )


def begun(article: Article, complete: bool | None, now: float) -> PageChange | None:
    """Return the change that an article is new, or that its missing parts have come, if so.

    ``complete``: none was missing when it was stored last; None: it is not stored.
    """
    if complete or not (complete is None or article.complete):
        return None
    kind, key = "new" if complete is None else "completed", article.url_key
    return PageChange(
        change_key(key, kind, ONCE),
        *(article.fetched or now, key, article.url, kind, "article"),
        title=article.title,
        version=1,
    )


def _keys(links: Iterable[Link], rules: AdmissionRules) -> Iterable[bytes]:
    for link in links:
        look = rules.look(link.url)
        if look.refused_page is None:
            yield look.address.key
