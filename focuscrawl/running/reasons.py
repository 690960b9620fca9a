"""Why a run ended, found from what it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.kernel.ending import EXIT_EMPTY, EXIT_NO_ANSWER
from focuscrawl.politeness.table import PolitenessTable
from focuscrawl.report.advice import NO_PAGE
from focuscrawl.store.protocol import StoreError

if TYPE_CHECKING:
    from focuscrawl.kernel.counters import Tally
    from focuscrawl.running.run import Run

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


def say_why(run: Run, reason: str) -> None:
    """Find why a run ended, and what the process returns; ``reason`` is Scrapy's for closing."""
    found = _END_REASONS.get(reason, reason)
    if found != "finished":
        run.ending.say(found)
        return
    counters = run.tally.counters
    counts = run.frontier.counts()
    template = run.template
    if run.page_limit and counters["pages"] >= run.page_limit and counts.waiting:
        run.ending.say("limit_pages")
    elif template and not template.of(PolitenessTable).hours.open_at(run.clock.wall()):
        run.ending.say("outside_hours")
    elif not counters["requests"]:
        run.ending.say("nothing_due")
    elif counters["errors"] and not counters["answers"] | run.tally.page_reasons["robots"]:
        errors = ", ".join(
            f"{host}: {why}" for host, why in list(run.tally.last_errors.items())[:3]
        )
        run.ending.say("sites_unreachable", errors, EXIT_NO_ANSWER)
    elif (told := [why for tell in run.hooks.reason if (why := tell())]) and not ever_found(run):
        run.ending.say(*max(told, key=lambda why: why[2]))
    elif template and gave_only_errors(run.tally) and not ever_found(run):
        last = run.tally.last_errors | run.tally.last_gone
        errors = ", ".join(f"{host}: {why}" for host, why in list(last.items())[:3])
        run.ending.say("only_errors", errors, EXIT_NO_ANSWER)
    elif template and not ever_found(run):
        run.ending.say("empty", exit_code=EXIT_EMPTY)
    else:
        left = f"{counts.waiting:,} URLs wait for their sites" if counts.waiting else ""
        reasons = ", ".join(sorted({hold.by for hold in run.holds() if hold.by}))
        why = f" ({reasons} beyond FOCUSCRAWL_LINGER)" if left and reasons else ""
        run.ending.say("finished", left + why)


def gave_only_errors(tally: Tally) -> bool:
    """Whether sites have answered, none of them with a page."""
    outcomes = {name for name, count in tally.outcomes.items() if count}
    return bool(outcomes & {"error", "gone"}) and outcomes <= NO_PAGE


def ever_found(run: Run) -> bool:
    """Whether this run or an earlier one has stored an article, a record or a thread."""
    try:
        return run.commits.results is None or run.commits.results.ever_found()
    except StoreError as error:
        run.commits.break_off(error)
        return True
