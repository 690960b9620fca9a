"""``scrapy topic try NAME --sites``: a look at each source: does it work, is its date read, what is its first article."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import RowMapping, select

from focuscrawl.features.articles.rows.articles import ARTICLES
from focuscrawl.features.silent_sources.reasons import NO_TEXT, SourcePage, why_silent
from focuscrawl.frontier.levels import CONTENT_CLASSES
from focuscrawl.locale.messages import N_, _, ngettext
from focuscrawl.output.explain.reasons import answer_words, why_in_words
from focuscrawl.output.summary.advice import kept_findings
from focuscrawl.readers.text.characters import padded, width_of
from focuscrawl.readers.text.moments import day_only, moment_text
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.stores.results.kinds.runs import CRAWL_RUNS
from focuscrawl.urls.sites import host_of, site_of
from focuscrawl.verbs.call import CannotDo
from focuscrawl.verbs.explain.trial_rounds import ChosenLink, TrialRounds

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.verbs.explain.list_links import ListLink

MOST_SOURCES = 500
"""Sources that are looked at: each takes up to five requests, at its own pause."""

_ROUNDS = 2
"""Rounds behind the first: what is likeliest an article is one of the first four links, or a person should look."""

_LINKS_A_ROUND = 2

_IN_SHORT = {
    "files": N_("its links lead to files"),
    "scripts": N_("its text comes by JavaScript"),
    "empty": N_("no link on its page"),
    NO_TEXT: N_("no article behind its likeliest links"),
}
"""Why a source is silent, as short as a column of a table takes it."""

_WIDEST, _NARROWEST = 100, 30
"""Columns of a line, where titles are cut, and of what is left of each in any case."""


class SourceRow(NamedTuple):
    """What a look at a source gave: ``state`` in words ("" : it works), the date and title of its first article."""

    url: str
    state: str = ""
    date: str = ""
    title: str = ""


class _Seen(NamedTuple):
    """The pages of all rounds so far by address, texts among them; hosts whose pages scripts fill."""

    pages: Mapping[str, RowMapping]
    articles: Mapping[str, RowMapping]
    scripted: frozenset[str]


def sources_text(trial: TrialRounds) -> str:
    """Look at each source, and return a line for each; what does not work comes first. Raises CannotDo."""
    rows = source_rows(trial)
    well = sum(not row.state for row in rows)
    rows.sort(key=lambda row: not row.state)
    table = [(row.url, row.state or _("works"), row.date, row.title) for row in rows]
    widths = [max(width_of(cell) for cell in column) for column in [*zip(*table, strict=True)][:3]]
    lines = []
    for *cells, title in table:
        line = "  ".join(padded(cell, width) for cell, width in zip(cells, widths, strict=True))
        lines.append(f"{line}  {_cut(title, max(_WIDEST - width_of(line), _NARROWEST))}".rstrip())
    told = ngettext(
        "{well:,} of {number:,} source works", "{well:,} of {number:,} sources work", len(rows)
    )
    return "\n".join([*lines, told.format(well=well, number=len(rows))])


def _cut(title: str, width: int) -> str:
    """Return the beginning of a title that has so many columns."""
    if width_of(title) <= width:
        return title
    while width_of(title) >= width:
        title = title[:-1]
    return f"{title}…"


def source_rows(trial: TrialRounds) -> list[SourceRow]:
    """Read each source, then the likeliest articles of those that have given none. Raises CannotDo."""
    rules = trial.rules()
    sources = [
        ChosenLink(rules.look(url).address.url, number)
        for number, source in enumerate(trial.loaded.template.sources)
        for url in source.urls
    ][:MOST_SOURCES]
    if not sources:
        raise CannotDo(_("this topic names no source"))
    status = trial.crawl(sources, as_named=True)
    if not trial.database.exists():
        told = _("the trial crawl did not begin (exit status {status})")
        raise CannotDo(told.format(status=status))
    led = {one.url: [one.url] for one in sources}
    links = trial.links_on([one.url for one in sources])
    for _round in range(_ROUNDS):
        seen, chosen = _look(trial.database), []
        for one in sources:
            if not _first_text(led[one.url], seen):
                some = [
                    *islice(trial.ranked(links.get(one.url, ()), one.source, rules), _LINKS_A_ROUND)
                ]
                led[one.url] += [link.url for link in some]
                chosen += some
        if not chosen:
            break
        trial.crawl([*dict.fromkeys(chosen)], as_named=False)
    seen = _look(trial.database)
    zone = trial.loaded.template.topic.timezone
    rows = []
    for one in sources:
        text = _first_text(led[one.url], seen)
        if text is None:
            rows.append(SourceRow(one.url, _why_not(one.url, seen, links.get(one.url, ()), rules)))
            continue
        date = ""
        if text.get("published") is not None:
            date = day_only(text["published_date"] or "") or moment_text(text["published"], zone)
        rows.append(SourceRow(one.url, "", date or _("no date"), text["title"] or text["url"]))
    return rows


def _look(database: Path) -> _Seen:
    with results_to_read(database) as connection:
        pages = {row["url"]: row for row in connection.execute(select(PAGES)).mappings()}
        articles = {row["url"]: row for row in connection.execute(select(ARTICLES)).mappings()}
        runs = [*connection.scalars(select(CRAWL_RUNS.c.counters))]
    found = (one for counters in runs for one in kept_findings(counters or {}))
    return _Seen(pages, articles, frozenset(one.where for one in found if one.kind == "scripts"))


def _first_text(urls: Sequence[str], seen: _Seen) -> Mapping[Any, Any] | None:
    """Return the first article, record or thread among some pages."""
    for url in urls:
        page = seen.pages.get(url)
        if url in seen.articles:
            return seen.articles[url]
        if page and page["page_class"] in CONTENT_CLASSES and page["outcome"] in ("stored", "short", "old", "copy"):  # fmt: skip
            return page
    return None


def _why_not(url: str, seen: _Seen, links: Sequence[ListLink], rules: AdmissionRules) -> str:
    """Say why a source gives nothing that is read."""
    page = seen.pages.get(url)
    if page is None:
        return _("no answer")
    outcome, reason = page["outcome"], page["reason"] or ""
    if reason.startswith("withheld: "):
        return _("something stands in front: {what}").format(what=reason.partition(": ")[2])
    if outcome == "refused":
        return why_in_words(reason, {})
    if outcome in ("error", "gone"):
        return answer_words(outcome, reason, page["status"] or 0)
    looks = [rules.look(link.url).refused_page for link in links]
    refused = Counter(filter(None, looks))
    is_scripted = host_of(site_of(url)) in seen.scripted
    why = why_silent(SourcePage(True, is_scripted, len(looks) - refused.total(), refused))
    if why in _IN_SHORT:
        return _(_IN_SHORT[why])
    return _("all links refused: {why}").format(why=why_in_words(why, {}))
