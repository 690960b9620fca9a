"""What is counted in a run, how it is doing, and why it ended: for the results, the log, the summary."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import islice
from random import Random, getrandbits
from typing import TYPE_CHECKING, Any

from focuscrawl.kernel.commit import LEFT_OUT
from focuscrawl.kernel.feature import RunFacts
from focuscrawl.locale.messages import _
from focuscrawl.output.summary.advice import NO_PAGE
from focuscrawl.output.summary.lines import Progress
from focuscrawl.output.summary.summary import FoundRows, SiteLine, Summary
from focuscrawl.readers.links.sources import starts
from focuscrawl.stores.results.kinds.runs import SERIES, MinuteFigure, RunRow, SiteRow, new_run_id
from focuscrawl.stores.state.crawl_lock import process_name
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.values import EMPTY_REASONS, UNCLEAR, Json, Page, PageClass

if TYPE_CHECKING:
    from focuscrawl.config import Config
    from focuscrawl.kernel.run import Run

EXIT_DONE, EXIT_STORE, EXIT_USAGE, EXIT_EMPTY, EXIT_NO_ANSWER, EXIT_BUSY = 0, 1, 2, 3, 4, 5
FAILED_KEPT = 5
_COLUMNS = tuple(one.name for one in fields(RunRow) if one.name != "counters")
NO_ARTICLES = frozenset({PageClass.RECORD, PageClass.THREAD})
NOT_FETCHED = frozenset({"refused", "parked"})

_END_REASONS = {
    "finished": "finished",
    "closespider_pagecount": "limit_pages",
    "closespider_itemcount": "limit_articles",
    "closespider_timeout": "limit_time",
    "closespider_errorcount": "limit_errors",
    "limit_articles": "limit_articles",
    "limit_errors": "limit_errors",
    "shutdown": "shutdown",
    "cancelled": "shutdown",
}
"""Scrapy's reason for closing → ours (results table crawl_runs)."""


def run_facts(name: str, config: Config, *, has_topic: bool) -> RunFacts:
    """Return the facts of a run that begins now; without a seed in the settings it draws its own."""
    now = config.clock.wall()
    run_id, seed = new_run_id(now, getrandbits(24)), config.seed or getrandbits(32)
    return RunFacts(run_id, name, now, config.linger, has_topic, Random(seed), seed)


class Tally:
    """Counts of one run. ``counters`` by name, ``refused`` links by rule, ``irrelevant``
    pages by the reason, the rest about pages; ``unrecognised`` is reported at the end, as plain values.
    """

    def __init__(self) -> None:
        self.counters: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.page_reasons: Counter[str] = Counter()
        self.irrelevant: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.failed_urls: dict[str, str] = {}
        self.last_errors: dict[str, str] = {}
        self.last_gone: dict[str, str] = {}
        self.sites: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.last_ok: dict[str, float] = {}
        self.held = 0
        """Pages that have come and end later, with requests that were found on them; none is counted yet."""

        self.unrecognised: list[Json] = []
        self.empty_reasons: list[str] = []

    def count_page(self, page: Page, *, failed: bool, now: float) -> None:
        """Count what became of one URL; ``failed`` ones come back."""
        site = self.sites[page.host]
        self.outcomes[page.outcome] += 1
        if failed or page.outcome == "error":
            self.counters["errors"] += 1
            site["errors"] += 1
            self.failures[page.reason] += 1
            self.last_errors[page.host] = page.reason
        elif page.outcome == "gone":
            self.last_gone[page.host] = page.reason
        elif page.outcome in NOT_FETCHED:
            self.page_reasons[page.reason] += 1
        elif page.outcome == "irrelevant":  # behind a ; stands what was cut of it
            self.irrelevant[page.reason.partition(";")[0]] += 1
        self.failed_urls.pop(page.url, None)
        if failed:
            self.failed_urls[page.url] = page.reason
            if len(self.failed_urls) > FAILED_KEPT:
                del self.failed_urls[next(iter(self.failed_urls))]
        elif page.status:
            self.counters["pages"] += 1
            self.counters["bytes"] += page.bytes
            site["pages"] += 1
            self.last_ok[page.host] = now
        if page.outcome == "stored" and page.page_class not in NO_ARTICLES:
            site["articles"] += 1
        if page.relevant:
            site["relevant"] += 1
            self.counters["relevant"] += 1

    def judged_again(self, page: Page, before: str) -> None:
        """Count a page whose outcome was another one ``before``."""
        if self.outcomes[before]:
            self.outcomes[before] -= 1
        self.outcomes[page.outcome] += 1
        if "stored" in (before, page.outcome) and before != page.outcome:
            site = self.sites[page.host]
            site["articles"] += 1 if page.outcome == "stored" else -1

    def run_row(self) -> RunRow:
        """Return the counters as the results keep them."""
        rest: Json = {n: count for n, count in self.counters.items() if n not in _COLUMNS}
        rest |= {f"outcome/{name}": count for name, count in self.outcomes.items()}
        rest |= {f"refused/{reason}": count for reason, count in self.refused.items()}
        if self.unrecognised:  # each with its examples: a report is made of them
            rest[UNCLEAR] = self.unrecognised
        if self.empty_reasons:
            rest[EMPTY_REASONS] = self.empty_reasons
        return RunRow(
            **{name: self.counters[name] for name in _COLUMNS}, counters=dict(sorted(rest.items()))
        )


class RunEnding:
    """The end of a run. ``reason`` is empty as long as it goes on."""

    def __init__(self) -> None:
        self.reason = ""
        self.detail = ""
        self.exit_code = EXIT_DONE

    def say(self, reason: str, detail: str = "", exit_code: int = EXIT_DONE) -> None:
        """Note why the run ends; the first reason stays."""
        if not self.reason:
            self.reason, self.detail, self.exit_code = reason, detail, exit_code

    def broke(self, why: str) -> None:
        """Note that a store has failed: that is the reason even where the run was about to end."""
        if self.exit_code != EXIT_BUSY:
            self.reason, self.detail, self.exit_code = "store_error", why, EXIT_STORE


class Figures:
    """Reads a run and its frontier; changes nothing but the rows of the next commit."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._source_sites = {
            address.site for address, _ in starts(run.sources.values(), run.rules)
        }

    def summary(self, feeds: Sequence[str]) -> Summary:
        """Return the summary of the end; ``feeds`` are where items went."""
        run = self._run
        counts = run.frontier.counts()
        counters = run.tally.counters
        return Summary(
            topic=run.run.name,
            end_reason=run.ending.reason,
            end_detail=run.ending.detail,
            title=run.template.topic.title,
            seconds=run.clock.wall() - run.run.started,
            requests=counters["requests"],
            pages=counters["pages"],
            found=[
                FoundRows(
                    name := kind.table.name,
                    {word: counters[f"{name}_{word}"] for word in kind.counters},
                    kind.always_said,
                )
                for kind in run.commits.kinds
                if kind.counters
            ],
            told=[
                *(line for lines in run.hooks.summary for line in lines()),
                *_unread(run.run.name, counters["links_unread"]),
            ],
            errors=counters["errors"],
            bytes=counters["bytes"],
            waiting=counts.waiting,
            parked=counts.parked,
            failed=counts.failed,
            outcomes=run.tally.outcomes,
            page_reasons=run.tally.page_reasons,
            refused=run.tally.refused,
            failures=run.tally.failures,
            left_out={
                name.removeprefix(LEFT_OUT): count
                for name, count in counters.items()
                if name.startswith(LEFT_OUT)
            },
            failed_urls=list(run.tally.failed_urls.items()),
            sites=[self._site_line(host) for host in run.tally.sites],
            results=run.commits.results.place if run.commits.results else "",
            feeds=feeds,
            ever_found=ever_found(run),
            unrecognised=run.hooks.found(),
            irrelevant=run.tally.irrelevant,
            groups=[group for groups_of in run.hooks.groups for group in groups_of()],
        )

    def note(self, now: Progress) -> None:
        """Put the numbers of this minute into the next commit: the table series."""
        run = self._run
        moment = run.clock.wall()
        figures: dict[str, float] = {
            "pages": now.pages,
            "relevant": run.tally.counters["relevant"],
            "articles": now.articles,
            "waiting": now.waiting,
            "in_flight": now.in_flight,
            "errors": now.errors,
            "factor": run.frontier.factor.value,
        }
        for figures_of in run.hooks.figures:
            figures |= figures_of()
        for number, length in enumerate(run.frontier.lengths(), start=1):
            figures[f"level_{number}_len"] = length
        worker = process_name() if run.store.is_shared else ""
        run.commits.pending.rows[SERIES.name] += [
            MinuteFigure(moment, name, float(value), worker) for name, value in figures.items()
        ]

    def progress(self, rate: float) -> Progress:
        """Return how the run is doing; ``rate`` is pages a minute of late."""
        run = self._run
        counts = run.frontier.counts()
        return Progress(
            topic=run.run.name,
            seconds=run.clock.wall() - run.run.started,
            pages=run.tally.counters["pages"],
            articles=run.tally.counters["articles_new"],
            waiting=counts.waiting,
            in_flight=counts.in_flight,
            failed=counts.failed,
            errors=run.tally.counters["errors"],
            refused=run.tally.refused.total(),
            sites=len(run.tally.sites),
            rate=rate,
            most_pages=run.template.limits.pages,
        )

    def note_sites(self) -> None:
        """Put what is known of the run's sites into the next commit."""
        run = self._run
        for host, counts in run.tally.sites.items():
            site = SiteRow(
                host=host,
                relevant=counts["relevant"],
                articles=counts["articles"],
                errors=counts["errors"],
                delay_s=run.frontier.politeness_of(host).delay,
                last_ok=run.tally.last_ok.get(host),
                last_error=run.tally.last_errors.get(host),
                **{"state": self._state_of(host), **self._said(host)},
            )
            run.commits.pending.add(site)

    def _said(self, host: str) -> dict[str, Any]:
        """Return the columns of a site that features fill in."""
        return {name: value for tell in self._run.hooks.site for name, value in tell(host).items()}

    def _state_of(self, host: str) -> str:
        counts = self._run.tally.sites[host]
        if counts["errors"] and not counts["pages"]:
            return "unreachable"
        if host in self._source_sites:
            return "source"
        return "relevant" if counts["relevant"] else "unknown"

    def _site_line(self, host: str) -> SiteLine:
        counts = self._run.tally.sites[host]
        return SiteLine(
            host=host,
            pages=counts["pages"],
            articles=counts["articles"],
            errors=counts["errors"],
            state=self._said(host).get("state", self._state_of(host)),
            delay=self._run.frontier.politeness_of(host).delay,
        )


def _unread(name: str, count: int) -> list[tuple[str, str]]:
    """Return the line about links of other workers that cannot be read."""
    if not count:
        return []
    return [
        (
            "unread",
            _(
                "{count:,} links of other workers, kept in Redis: see scrapy topic workers {name}"
            ).format(count=count, name=name),
        )
    ]


def say_why(run: Run, reason: str) -> None:
    """Find why a run ended, and what the process returns; ``reason`` is Scrapy's for closing."""
    found = _END_REASONS.get(reason, reason)
    if found != "finished":
        # A start that failed is a crash: reported as done, the user would not look why there is nothing.
        run.ending.say(found, exit_code=EXIT_STORE if found == "start_error" else EXIT_DONE)
        return
    counters, counts = run.tally.counters, run.frontier.counts()
    if lost := run.store.vanished:
        words = _(
            "Redis has lost {count:,} values of this crawl: this run or the next fetches the pages that it knows again"
        )
        run.ending.say("store_error", words.format(count=lost), EXIT_STORE)
        return
    others_go_on = run.store.is_shared and not run.is_at_end  # what is left may wait with them
    is_left = counts.waiting or run.totals.waiting_elsewhere or others_go_on
    if (reached := run.totals.limit_reached()) and (is_left or reached.ends_at_once):
        run.ending.say(reached.reason)
    elif run.hooks.sites.seconds_closed(
        "", run.clock.wall()
    ):  # no site's own hours, but the topic's
        run.ending.say("outside_hours")
    elif not run.totals["requests"]:
        run.ending.say("nothing_due")
    elif counters["errors"] and not counters["answers"] | run.tally.page_reasons["robots"]:
        run.ending.say("sites_unreachable", _first_three(run.tally.last_errors), EXIT_NO_ANSWER)
    elif (why := run.hooks.search.failure()) and not ever_found(run):
        run.ending.say(*why)
    elif run.run.has_topic and gave_only_errors(run.tally) and not ever_found(run):
        last = run.tally.last_errors | run.tally.last_gone
        run.ending.say("only_errors", _first_three(last), EXIT_NO_ANSWER)
    elif run.run.has_topic and not ever_found(run):
        run.ending.say("empty", exit_code=EXIT_EMPTY)
    else:
        run.ending.say("finished", _waiting_words(run, counts.waiting))


def _waiting_words(run: Run, waiting: int) -> str:
    """Say how many URLs a finished run leaves for their sites, and what holds them; "" for none."""
    reasons = ", ".join(sorted({hold.by for hold in run.holds() if hold.by}))
    if not waiting:
        return ""
    words = _("{count:,} URLs wait for their sites")
    if reasons:
        words = _("{count:,} URLs wait for their sites ({reasons} beyond FOCUSCRAWL_LINGER)")
    return words.format(count=waiting, reasons=reasons)


def rows_new(run: Run) -> int:
    """Return how many rows of a run were not there before, of all kinds that are counted."""
    kinds = (kind.table.name for kind in run.commits.kinds if "new" in kind.counters)
    return sum(run.tally.counters[f"{name}_new"] for name in kinds)


def _first_three(errors: Mapping[str, str]) -> str:
    return ", ".join(f"{host}: {why}" for host, why in islice(errors.items(), 3))


def gave_only_errors(tally: Tally) -> bool:
    """Whether sites have answered, none of them with a page."""
    outcomes = {name for name, count in tally.outcomes.items() if count}
    return bool(outcomes & {"error", "gone"}) and outcomes <= NO_PAGE


def ever_found(run: Run) -> bool:
    """Whether this run or an earlier one has stored an article, a record or a thread."""
    try:
        return not run.commits.results or run.commits.results.ever_found()
    except StoreError as error:
        run.commits.break_off(error)
        return True
