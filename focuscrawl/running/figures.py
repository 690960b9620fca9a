"""How a run is doing, in numbers: for the minute line, the results and the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from focuscrawl.kernel.commit import LEFT_OUT
from focuscrawl.report.lines import Progress
from focuscrawl.report.summary import FoundRows, SiteLine, Summary
from focuscrawl.results.kinds.runs import SERIES
from focuscrawl.results.kinds.sites import SiteRow
from focuscrawl.running.reasons import ever_found

if TYPE_CHECKING:
    from focuscrawl.running.run import Run


def _by_name(counters: Mapping[str, int], beginning: str) -> dict[str, int]:
    """Return counters of one kind, by what comes behind ``beginning``."""
    return {
        name.removeprefix(beginning): count
        for name, count in counters.items()
        if name.startswith(beginning)
    }


class Figures:
    """Reads a run and its frontier; changes nothing but the rows of the next commit."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def summary(self, feeds: Sequence[str]) -> Summary:
        """Return what is said at the end; ``feeds`` are where items went."""
        run = self._run
        counts = run.frontier.counts()
        counters = run.tally.counters
        return Summary(
            topic=run.name,
            end_reason=run.ending.reason,
            end_detail=run.ending.detail,
            title=run.template.topic.title if run.template else "",
            seconds=run.clock.wall() - run.started,
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
            told=[line for lines in run.hooks.summary for line in lines()],
            errors=counters["errors"],
            bytes=counters["bytes"],
            waiting=counts.waiting,
            parked=counts.parked,
            failed=counts.failed,
            outcomes=run.tally.outcomes,
            page_reasons=run.tally.page_reasons,
            refused=run.tally.refused,
            failures=run.tally.failures,
            left_out=_by_name(counters, LEFT_OUT),
            failed_urls=list(run.tally.failed_urls.items()),
            sites=[self._site_line(host) for host in run.tally.sites],
            results=run.commits.results.place if run.commits.results else "",
            feeds=feeds,
            ever_found=ever_found(run),
            unrecognised=run.hooks.found(),
        )

    def note(self, now: Progress) -> None:
        """Put the numbers of this minute into the next commit: the table series."""
        run = self._run
        moment = run.clock.wall()
        figures = {
            "pages": now.pages,
            "relevant": run.tally.counters["relevant"],
            "articles": now.articles,
            "waiting": now.waiting,
            "in_flight": now.in_flight,
            "errors": now.errors,
        }
        for figures_of in run.hooks.figures:
            figures |= figures_of()
        figures |= {
            f"level_{number}_len": length
            for number, length in enumerate(run.frontier.lengths(), start=1)
        }
        run.commits.pending.rows[SERIES.name] += [
            (moment, name, float(value)) for name, value in figures.items()
        ]

    def progress(self, rate: float) -> Progress:
        """Return how the run is doing; ``rate`` is pages a minute of late."""
        run = self._run
        counts = run.frontier.counts()
        pages = run.tally.counters["pages"]
        return Progress(
            topic=run.name,
            seconds=run.clock.wall() - run.started,
            pages=pages,
            articles=run.tally.counters["articles_new"],
            waiting=counts.waiting,
            in_flight=counts.in_flight,
            failed=counts.failed,
            errors=run.tally.counters["errors"],
            refused=run.tally.refused.total(),
            sites=len(run.tally.sites),
            rate=rate,
            most_pages=run.page_limit,
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
        run = self._run
        counts = run.tally.sites[host]
        if counts["errors"] and not counts["pages"]:
            return "unreachable"
        if host in run.source_sites:
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
