"""What a person reads at the end of a crawl: what came out, what did not, and why it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from focuscrawl.relevance.groups import GroupPages
from focuscrawl.report.advice import Finding, likely_reasons, unrecognised_lines
from focuscrawl.report.lines import counted, duration_text, most_frequent, size_text
from focuscrawl.template.files import masked

END_SENTENCES = {
    "finished": "Finished: every page it knows of was dealt with.",
    "nothing_due": "Nothing was due: no page is waiting and none is to be visited again yet.",
    "limit_pages": "Stopped at limits.pages.",
    "limit_articles": "Stopped at limits.articles.",
    "limit_errors": "Stopped at limits.errors: too many fetches failed.",
    "limit_time": "Stopped at limits.time.",
    "outside_hours": "Stopped because politeness.hours ended.",
    "shutdown": "Stopped by a signal or Ctrl-C; what was in flight is fetched again.",
    "empty": "Ended without a single article, record or thread.",
    "search_blocked": "Ended because the search engines refused to answer.",
    "sites_unreachable": "Ended because no site answered.",
    "only_errors": "Ended because every answer was an error.",
    "store_error": "Ended because the store or the results could not be written.",
    "crashed": "Crashed.",
}
"""By ``end_reason`` of the results table crawl_runs."""

_MOST_SITES = 10
_MOST_REASONS = 8
MOST_FAILED = 5
HOST_WIDTH = 32
BUT_NOT_RECOGNISED = "Finished, but not all it has read was recognised; see below."


@dataclass(frozen=True, slots=True)
class SiteLine:
    """One site of this run; ``state`` as in the results table sites, ``delay`` in seconds."""

    host: str
    pages: int = 0
    articles: int = 0
    errors: int = 0
    state: str = ""
    delay: float | None = None


class FoundRows(NamedTuple):
    """What a run has made of the rows of one kind, by word: new, changed; ``always``: told with zeros."""

    what: str
    counts: Mapping[str, int]
    always: bool = False

    @property
    def lines(self) -> list[str]:
        """The line of the summary, where there is something to tell."""
        if not (self.always or any(self.counts.values())):
            return []
        counts = (f"{count:,} {word}" for word, count in self.counts.items())
        return [f"  {self.what:<10} {', '.join(counts)}"]


@dataclass(frozen=True, slots=True)
class Summary:
    """A run that ended.

    ``found`` is what it is for; ``told`` are further lines, each with the word it begins with.
    ``outcomes`` counts pages by their outcome and ``page_reasons`` by reason (``robots``, ``ban``),
    ``refused`` counts links by the rule that refused them, ``failures`` failed fetches by reason.
    ``left_out`` counts rows by the table that could not take them.
    ``failed`` URLs wait for the next run; ``failed_urls`` are some of them with their reason.
    ``results`` is where the results are, ``feeds`` are the files beside them. ``ever_found``:
    this run or an earlier one stored something. ``unrecognised`` is what was read and
    not made out. ``irrelevant`` counts pages by why they were judged so, ``groups`` are the topic's
    words with the pages that have them.
    """

    topic: str
    end_reason: str
    end_detail: str = ""
    title: str = ""
    seconds: float = 0.0
    requests: int = 0
    pages: int = 0
    found: Sequence[FoundRows] = ()
    told: Sequence[tuple[str, str]] = ()
    errors: int = 0
    bytes: int = 0
    waiting: int = 0
    parked: int = 0
    failed: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    page_reasons: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    failed_urls: Sequence[tuple[str, str]] = ()
    sites: Sequence[SiteLine] = ()
    results: str = ""
    feeds: Sequence[str] = ()
    ever_found: bool = True
    unrecognised: Sequence[Finding] = ()
    irrelevant: Mapping[str, int] = field(default_factory=dict)
    groups: Sequence[GroupPages] = ()


def summary_text(run: Summary) -> str:
    """Return the summary, lines separated by line feeds, for a terminal or the end of a log."""
    blocks = [
        _head(run),
        _figures(run),
        unrecognised_lines(run.unrecognised, run.topic),
        _empty(run),
        _sites(run.sites),
        _failed(run),
        places(run),
    ]
    return "\n".join(line for block in blocks for line in block)


def end_sentence(reason: str, detail: str = "") -> str:
    """Return why a crawl ended as a sentence; Scrapy's own reasons are told as they are."""
    if reason == "finished" and detail:
        return f"Finished for now: {detail}"
    sentence = END_SENTENCES.get(reason, f"Scrapy closed the crawl: {reason}.")
    return f"{sentence} {detail}".rstrip()


def _head(run: Summary) -> list[str]:
    name = f"{run.title} ({run.topic})" if run.title and run.title != run.topic else run.topic
    work = f"{counted(run.pages, 'page')} from {counted(run.requests, 'request')}"
    sentence = end_sentence(run.end_reason, run.end_detail)
    if run.unrecognised and sentence == END_SENTENCES["finished"]:
        sentence = BUT_NOT_RECOGNISED
    return [
        f"{name}: {sentence}",
        f"  {work} in {duration_text(run.seconds)}, {size_text(run.bytes)}",
    ]


def _figures(run: Summary) -> list[str]:
    lines = [line for rows in run.found for line in rows.lines]
    lines += [f"  {word:<10} {line}" for word, line in run.told]
    for title, counts in (
        ("pages", run.outcomes),
        ("not fetched", run.page_reasons),
        ("refused", run.refused),
        ("failures", run.failures),
        ("left out", run.left_out),
    ):
        if any(counts.values()):
            lines.append(f"  {title:<10} {most_frequent(counts, _MOST_REASONS)}")
    return lines + _left(run)


def _left(run: Summary) -> list[str]:
    waits = (
        (run.waiting, "waiting"),
        (run.failed, "failed, to be tried again"),
        (run.parked, "parked by a rule of the topic"),
    )
    left = ", ".join(f"{count:,} {words}" for count, words in waits if count)
    return [f"  left       {left}: the next run goes on with them"] if left else []


def _empty(run: Summary) -> list[str]:
    if any(any(rows.counts.values()) for rows in run.found):
        return []
    if run.ever_found:
        return ["  Nothing new this time; earlier runs did find something."]
    reasons = likely_reasons(run)
    return ["  Nothing was found. Likely reasons:", *(f"    - {reason}" for reason in reasons)]


def _sites(sites: Sequence[SiteLine]) -> list[str]:
    if not sites:
        return []
    busiest = sorted(sites, key=lambda site: (-site.articles, -site.pages, site.host))
    width = min(HOST_WIDTH, max(len(site.host) for site in busiest[:_MOST_SITES]))
    lines = [f"  sites      {len(sites):,}"]
    for site in busiest[:_MOST_SITES]:
        words = [counted(site.pages, "page"), counted(site.articles, "article")]
        if site.errors:
            words.append(counted(site.errors, "error"))
        if site.state in {"banned", "blocked", "unreachable"}:
            words.append(site.state)
        if site.delay is not None:
            words.append(f"every {site.delay:g} s")
        lines.append(f"    {site.host:<{width}}  {', '.join(words)}")
    if len(sites) > _MOST_SITES:
        lines.append(f"    and {len(sites) - _MOST_SITES:,} more")
    return lines


def _failed(run: Summary) -> list[str]:
    if not run.failed_urls:
        return []
    lines = ["  to be tried again, for example:"]
    lines += [f"    {url}  ({reason})" for url, reason in run.failed_urls[:MOST_FAILED]]
    return lines


def places(run: Summary) -> list[str]:
    """Return the lines that say where everything is."""
    places = [("results", run.results)] if run.results else []
    places += [("feed", masked(feed)) for feed in run.feeds]
    return [f"  {title:<10} {place}" for title, place in places]


# A spider of a user's own has no topic: no key of one is named, nor a page class, but what Scrapy's users
# know: classes of items, callbacks, status codes and settings.

_MOST_NAMES = 8
"""Classes, callbacks, codes and reasons that are told each; the others are counted together."""

_SENTENCES = {
    "limit_pages": "Stopped at CLOSESPIDER_PAGECOUNT.",
    "limit_articles": "Stopped at CLOSESPIDER_ITEMCOUNT.",
    "limit_errors": "Stopped at CLOSESPIDER_ERRORCOUNT.",
    "limit_time": "Stopped at CLOSESPIDER_TIMEOUT.",
}
"""By ``end_reason``, where a topic has a key of its own for it."""


@dataclass(slots=True)
class SpiderCounts:
    """What a spider did: items by class (``dropped`` by pipelines), pages by callback, answers by
    status, what failed inside the spider and the pipelines by exception. Mutable."""

    items: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    callbacks: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)


def spider_summary_text(run: Summary, counts: SpiderCounts) -> str:
    """Return the summary, lines separated by line feeds; of ``run`` what a spider without a topic has."""
    sentence = _SENTENCES.get(run.end_reason) or end_sentence(run.end_reason, run.end_detail)
    answers = f"{counted(run.pages, 'page')} from {counted(run.requests, 'request')}"
    lines = [
        f"{run.topic}: {sentence}",
        f"  {answers} in {duration_text(run.seconds)}, {size_text(run.bytes)}",
    ]
    for title, found in (
        ("items", counts.items),
        ("dropped", counts.dropped),
        ("callbacks", counts.callbacks),
        ("statuses", counts.statuses),
        ("exceptions", counts.raised),
        ("failures", run.failures),
        ("not asked", run.page_reasons),
    ):
        if any(found.values()) or found is counts.items:
            lines.append(
                f"  {title:<10} {most_frequent(found, _MOST_NAMES, 'of others') or 'none'}"
            )
    return "\n".join([*lines, *_left(run), *_failed(run)[1:], *places(run)])
