"""``focuscrawl demo``: crawl a bundled web on loopback, be killed once, report what was missed."""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table
from scrapy.exceptions import UsageError

from focuscrawl.demo.days import TOUR_DAYS, days_tour
from focuscrawl.demo.report import Finding
from focuscrawl.demo.running import Outcome
from focuscrawl.demo.tour import search_tour, tour
from focuscrawl.demo.web import SIZES, DemoWeb
from focuscrawl.locale.messages import _

KEPT_FOLDER = "demo-data"
REPORTS = ("days.report.html", "demo.report.html")
"""What the crawls of the tours call their reports."""

MISSES_SHOWN = 5
LOG_LINES_SHOWN = 20


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options, which name what the demo has."""
    parser.add_argument("--seed", type=int, default=1, help="another seed is another web")
    parser.add_argument("--size", choices=sorted(SIZES), default="full")
    parser.add_argument(
        "--days",
        type=int,
        nargs="?",
        const=TOUR_DAYS,
        metavar="DAYS",
        help=f"crawl again and again while so many virtual days pass ({TOUR_DAYS}), and compare what"
        " was told of them",
    )
    parser.add_argument(
        "--keep", action="store_true", help=f"keep data and logs in ./{KEPT_FOLDER}"
    )


def demo(seed: int, size: str, days: int | None, *, keep: bool) -> int:
    """Run the demo and print the report; return the exit status."""
    web, console = DemoWeb(seed, size), Console()
    tell = partial(run_days, days=days) if days else run
    if keep:
        folder = Path.cwd() / KEPT_FOLDER
        if folder.exists():
            raise UsageError(
                _("{folder} is there already: delete it, or leave out --keep").format(folder=folder)
            )
        folder.mkdir()
        outcome = tell(folder, web, console, size)
        console.print(f"Data, topic and logs are in {folder}")
        name_report(report_in(folder), console)
    else:
        with tempfile.TemporaryDirectory(prefix="focuscrawl-demo-") as name:
            outcome = tell(Path(name), web, console, size)
            name_report(copied(report_in(Path(name))), console)
    return 0 if outcome.good else 1


def report_in(folder: Path) -> Path | None:
    """Return the report that the tour's crawl has written."""
    return next((folder / name for name in REPORTS if (folder / name).exists()), None)


def copied(report: Path | None) -> Path | None:
    """Return a copy of a report that stays when the demo's data go."""
    if report is None:
        return None
    with tempfile.NamedTemporaryFile(
        "wb", prefix="focuscrawl-demo-", suffix=".html", delete=False
    ) as kept:
        kept.write(report.read_bytes())
    return Path(kept.name)


def name_report(report: Path | None, console: Console) -> None:
    """Say where the report is, for a browser to open."""
    if report is not None:
        console.print(f"Its report: {report.as_uri()}", soft_wrap=True, highlight=False)


def run(folder: Path, web: DemoWeb, console: Console, size: str) -> Outcome:
    """Run the tour in a folder with a status line, then print the report."""
    console.print(
        f"A small web of {len(web.hosts)} sites (seed {web.seed}) is served on loopback and crawled"
        " for 四川食品安全; the crawl is killed with SIGKILL once and goes on."
    )
    with console.status("starts") as status:
        outcome = tour(
            folder, web, lambda pages, doing: status.update(f"{doing}: {pages} answers"), size=size
        )
    show_tour(outcome, console)
    if outcome.exit_status != 0:
        show_log(folder, console)
        return outcome
    console.print("The same subject once more, now from the web's search engine alone:")
    with console.status("starts") as status:
        searched = search_tour(
            folder, web, lambda pages, doing: status.update(f"{doing}: {pages} answers"), size=size
        )
    show_table("From a search engine alone", searched, console)
    if searched.exit_status:
        console.print(f"That crawl ended with exit status {searched.exit_status}.", style="red")
        return searched
    return outcome


def run_days(folder: Path, web: DemoWeb, console: Console, size: str, days: int) -> Outcome:
    """Run the tour of some virtual days, then print the report."""
    console.print(
        f"A small web of {len(web.hosts)} sites (seed {web.seed}) lives through {days} days in some"
        " minutes: articles appear, are corrected and taken down, threads grow. It is crawled again"
        " and again for 四川食品安全."
    )
    with console.status("starts") as status:
        outcome = days_tour(
            folder,
            web,
            lambda pages, doing: status.update(f"{doing}: {pages} answers"),
            days=days,
            size=size,
        )
    show_table("Told of these days", outcome, console)
    verdict = "everything was told once, and nothing else" if outcome.good else "NOT ALL IS RIGHT"
    if outcome.exit_status:
        verdict = f"a crawl ended with exit status {outcome.exit_status}"
        show_log(folder, console)
    console.print(f"{outcome.seconds:.0f} s: {verdict}.")
    return outcome


def show_tour(outcome: Outcome, console: Console) -> None:
    """Print what was found, each miss as a miss, and the verdict."""
    show_table("Against the truth", outcome, console)
    killed = (
        f"killed after {outcome.requests_before_kill} answers"
        if outcome.killed_at
        else "ended before it could be killed"
    )
    verdict = "nothing was lost" if outcome.good else "SOMETHING WAS LOST"
    if outcome.exit_status:
        verdict = f"the crawl ended with exit status {outcome.exit_status}"
    console.print(f"{outcome.seconds:.0f} s, {killed}: {verdict}.")


def show_table(title: str, outcome: Outcome, console: Console) -> None:
    """Print the findings."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("number", justify="right")
    table.add_column("of", justify="right")
    table.add_column("")
    for finding in outcome.findings:
        table.add_row(finding.name, str(finding.right), str(finding.total), _mark(finding))
    console.print(table)
    for finding in outcome.findings:
        for miss in finding.misses[:MISSES_SHOWN]:
            style = "red" if finding.fatal else "yellow"
            console.print(f"  {finding.name}: {miss}", style=style, markup=False, soft_wrap=True)
        if len(finding.misses) > MISSES_SHOWN:
            console.print(f"  {finding.name}: and {len(finding.misses) - MISSES_SHOWN} more")


def _mark(finding: Finding) -> str:
    if finding.lost:
        return f"[bold red]LOST {len(finding.misses)}[/]"
    if finding.misses:
        return f"[yellow]{len(finding.misses)} wrong[/] {finding.note}".rstrip()
    return finding.note


def show_log(folder: Path, console: Console) -> None:
    """Print the end of the log of the last crawl: the one that failed."""
    log = max(folder.glob("crawl-*.log"), key=lambda path: path.stat().st_mtime_ns)
    said = log.read_text("utf-8", "replace").splitlines()
    console.print(f"The end of {log.name}:")
    for line in said[-LOG_LINES_SHOWN:]:
        console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)
