"""What a person reads at the end of a crawl: what came out, what did not, and why it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from focuscrawl.locale.messages import N_, _
from focuscrawl.output.summary.advice import likely_reasons, needs_lines
from focuscrawl.output.summary.lines import (
    counted,
    duration_text,
    listed_words,
    most_frequent,
    size_text,
)
from focuscrawl.readers.relevance.groups import GroupPages
from focuscrawl.readers.text.characters import padded
from focuscrawl.template.files import masked
from focuscrawl.values import Finding

END_SENTENCES = {
    "finished": N_("Finished: nothing was left to fetch."),
    "nothing_due": N_("Nothing was due: no page is waiting and none is to be visited again yet."),
    "limit_pages": N_("Stopped at limits.pages."),
    "limit_articles": N_("Stopped at limits.articles."),
    "limit_errors": N_("Stopped at limits.errors: too many fetches failed."),
    "limit_time": N_("Stopped at limits.time."),
    "outside_hours": N_("Stopped because politeness.hours ended."),
    "shutdown": N_("Stopped by a signal or Ctrl-C; what was in flight is fetched again."),
    "empty": N_("Ended without a single article, record or thread."),
    "search_blocked": N_("Ended because the search engines refused to answer."),
    "sites_unreachable": N_("Ended because no site answered."),
    "only_errors": N_("Ended because every answer was an error."),
    "store_error": N_("Ended because the store or the results could not be written."),
    "crashed": N_("Crashed."),
}
"""By ``end_reason`` of the results table crawl_runs."""

_WORDS = (
    N_("articles"), N_("records"), N_("threads"), N_("new"), N_("changed"), N_("grown"), N_("search"),
    N_("unread"), N_("pages"), N_("not fetched"), N_("refused"), N_("failures"), N_("left out"),
    N_("items"), N_("dropped"), N_("callbacks"), N_("statuses"), N_("exceptions"), N_("not asked"),
    N_("results"), N_("report"), N_("export"), N_("notify"), N_("feed"), N_("sites"), N_("left"), N_("lost"), N_("stored"), N_("irrelevant"), N_("list"),
    N_("old"), N_("short"), N_("unchanged"), N_("error"), N_("gone"), N_("parked"), N_("alias"),
    N_("banned"), N_("blocked"), N_("unreachable"),
    N_("scope"), N_("repeated"), N_("allow"), N_("deny"), N_("depth"), N_("nofollow"), N_("action"), N_("skip"), N_("suffix"),
    N_("length"), N_("scheme"), N_("invalid"), N_("robots"), N_("ban"), N_("quota"), N_("layer"), N_("keywords"),
)  # fmt: skip
"""What a line begins with, what became of pages, and the usual rules; other rules and reasons have the names
of templates and results."""

_MOST_SITES = 10
_MOST_REASONS = 8
MOST_FAILED = 5
HOST_WIDTH = 32
BUT_NEEDED = N_("Finished, but something needs you; see below.")


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
    """What a run has made of the rows of one kind, by word: new, changed; ``always``: shown with zeros."""

    what: str
    counts: Mapping[str, int]
    always: bool = False

    @property
    def lines(self) -> list[str]:
        """The line of the summary, where there is something to tell."""
        if not (self.always or any(self.counts.values())):
            return []
        counts = (
            _("{count:,} {word}").format(count=count, word=_(word))
            for word, count in self.counts.items()
        )
        return [_line(self.what, listed_words(counts))]


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


def _line(word: str, told: str) -> str:
    return f"  {padded(_(word), 10)} {told}"


def summary_text(run: Summary) -> str:
    """Return the summary, lines separated by line feeds, for a terminal or the end of a log."""
    blocks = [
        _head(run),
        needs_lines(run.unrecognised, run.topic),
        _empty(run),
        _figures(run),
        _sites(run.sites),
        _failed(run),
        places(run),
    ]
    return "\n".join(line for block in blocks for line in block)


def end_sentence(reason: str, detail: str = "") -> str:
    """Return why a crawl ended as a sentence; Scrapy's own reasons stay as they are."""
    if reason == "finished" and detail:
        return _("Finished for now: {detail}").format(detail=detail)
    if reason not in END_SENTENCES:
        sentence = _("Scrapy closed the crawl: {reason}.").format(reason=reason)
    else:
        sentence = _(END_SENTENCES[reason])
    return f"{sentence} {detail}".rstrip()


def _head(run: Summary) -> list[str]:
    name = run.topic
    if run.title and run.title != run.topic:
        name = _("{title} ({topic})").format(title=run.title, topic=run.topic)
    sentence = end_sentence(run.end_reason, run.end_detail)
    if run.unrecognised and run.end_reason == "finished" and not run.end_detail:
        sentence = _(BUT_NEEDED)
    return [_("{name}: {sentence}").format(name=name, sentence=sentence), f"  {_work(run)}"]


def _work(run: Summary) -> str:
    return _("{pages} from {requests} in {duration}, {size}").format(
        pages=counted(run.pages, "page"),
        requests=counted(run.requests, "request"),
        duration=duration_text(run.seconds),
        size=size_text(run.bytes),
    )


def _figures(run: Summary) -> list[str]:
    lines = [line for rows in run.found for line in rows.lines]
    lines += [_line(word, line) for word, line in run.told]
    for title, counts in (
        ("pages", run.outcomes),
        ("not fetched", run.page_reasons),
        ("refused", run.refused),
        ("failures", run.failures),
        ("left out", run.left_out),
    ):
        if any(counts.values()):
            lines.append(_line(title, most_frequent(counts, _MOST_REASONS)))
    return lines + _left(run)


def _left(run: Summary) -> list[str]:
    waits = (
        (run.waiting, _("{count:,} waiting")),
        (run.failed, _("{count:,} failed, to be tried again")),
        (run.parked, _("{count:,} parked by a rule of the topic")),
    )
    left = listed_words(words.format(count=count) for count, words in waits if count)
    told = _("{left}: the next run goes on with them").format(left=left)
    return [_line("left", told)] if left else []


def reasons_when_empty(run: Summary) -> list[str]:
    """Return why nothing was ever found; none where something was."""
    is_empty = not any(any(rows.counts.values()) for rows in run.found)
    return likely_reasons(run) if is_empty and not run.ever_found else []


def _empty(run: Summary) -> list[str]:
    if any(any(rows.counts.values()) for rows in run.found):
        return []
    if not (reasons := reasons_when_empty(run)):
        return [_("  Nothing new this time; earlier runs did find something.")]
    return [_("  Nothing was found. Likely reasons:"), *(f"    - {reason}" for reason in reasons)]


def _sites(sites: Sequence[SiteLine]) -> list[str]:
    if not sites:
        return []
    busiest = sorted(sites, key=lambda site: (-site.articles, -site.pages, site.host))
    width = min(HOST_WIDTH, max(len(site.host) for site in busiest[:_MOST_SITES]))
    lines = [_line("sites", f"{len(sites):,}")]
    for site in busiest[:_MOST_SITES]:
        words = [counted(site.pages, "page"), counted(site.articles, "article")]
        if site.errors:
            words.append(counted(site.errors, "error"))
        if site.state in {"banned", "blocked", "unreachable"}:
            words.append(_(site.state))
        if site.delay is not None:
            words.append(_("every {delay:g} s").format(delay=site.delay))
        lines.append(f"    {site.host:<{width}}  {listed_words(words)}")
    if len(sites) > _MOST_SITES:
        lines.append(_("    and {count:,} more").format(count=len(sites) - _MOST_SITES))
    return lines


def _failed(run: Summary) -> list[str]:
    if not run.failed_urls:
        return []
    lines = [_("  to be tried again, for example:")]
    lines += [f"    {url}  ({reason})" for url, reason in run.failed_urls[:MOST_FAILED]]
    return lines


def places(run: Summary) -> list[str]:
    """Return the lines that say where everything is."""
    places = [("results", run.results)] if run.results else []
    places += [("feed", masked(feed)) for feed in run.feeds]
    return [_line(title, place) for title, place in places]


# A spider of a user's own has no topic: no key of one is named, nor a page class, but what Scrapy's users
# know: classes of items, callbacks, status codes and settings.

_MOST_NAMES = 8
"""Classes, callbacks, codes and reasons that are named each; the others are counted together."""

_SENTENCES = {
    "limit_pages": N_("Stopped at CLOSESPIDER_PAGECOUNT."),
    "limit_articles": N_("Stopped at CLOSESPIDER_ITEMCOUNT."),
    "limit_errors": N_("Stopped at CLOSESPIDER_ERRORCOUNT."),
    "limit_time": N_("Stopped at CLOSESPIDER_TIMEOUT."),
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
    told = _(_SENTENCES.get(run.end_reason, ""))
    sentence = told or end_sentence(run.end_reason, run.end_detail)
    lines = [_("{name}: {sentence}").format(name=run.topic, sentence=sentence), f"  {_work(run)}"]
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
            names = most_frequent(found, _MOST_NAMES, _("and {rest:,} of others"))
            lines.append(_line(title, names or _("none")))
    return "\n".join([*lines, *_left(run), *_failed(run)[1:], *places(run)])
