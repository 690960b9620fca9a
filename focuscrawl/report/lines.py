"""Lines of a log: how a run begins, how it is doing each minute; and numbers, sizes, times and reasons as words."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from focuscrawl.politeness.table import PolitenessTable
from focuscrawl.revisit.table import RevisitTable
from focuscrawl.template.files import masked

if TYPE_CHECKING:
    from focuscrawl.template.template import Template


MOST_PROXIES = 3
"""Proxies that the first line names; a topic may have hundreds."""


class WorkerName(logging.Filter):
    """Puts the name of one of several workers before what it says: their logs are often read as one."""

    def __init__(self, worker: str) -> None:
        super().__init__()
        self._worker = worker

    def filter(self, record: logging.LogRecord) -> bool:
        """Name the worker in a record that has no name yet."""
        if not hasattr(record, "worker"):
            record.worker = self._worker
            record.msg, record.args = f"{self._worker}: {record.getMessage()}", ()
        return True


def first_line(
    template: Template,
    place: str,
    *,
    is_new: bool,
    due: int,
    waiting: int,
    failed: int,
    now: float,
    proxy: str = "",
) -> str:
    """Return the line; ``place`` is the results database and ``proxy`` what is asked by, both without
    passwords; ``now`` is wall time.
    """
    by = f", by proxy {proxy}" if proxy else ""
    return (
        f"topic {template.name}: data {place}{by}, {'new' if is_new else 'continued'},"
        f" due {due}, waiting {waiting}, failed {failed}; ends {ends_when(template, now)}"
    )


def proxy_of(template: Template, environment: Mapping[str, str], *, is_on: bool) -> str:
    """Return which proxies are asked, as somebody has written it: a secret by its name, no password.

    ``environment`` are the proxies of the environment by scheme (urllib's getproxies); ``is_on``: Scrapy
    heeds them.
    """
    given = template.resolved.get("request", {}).get("proxy") or []
    found = [given] if isinstance(given, str) else [*given]
    if not found and is_on:
        found = [environment[scheme] for scheme in ("http", "https") if environment.get(scheme)]
    shown = [masked(one) for one in dict.fromkeys(found)]
    more = f" and {len(shown) - MOST_PROXIES} more" if len(shown) > MOST_PROXIES else ""
    return ", ".join(shown[:MOST_PROXIES]) + more


def results_missing(place: str, crawl: str) -> str:
    """Return what is said when the results at ``place`` do not go with the file ``crawl``."""
    return (
        f"results in {place}: the last run of this crawl is not in them, so they were removed,"
        " replaced or put back from an older copy. Pages that were fetched before are known and not"
        " fetched again by themselves. To have what is missing: put the results back and run again;"
        f" or move {crawl} away, and the next run fetches everything anew and loses none of what the"
        " results have now"
    )


def ends_when(template: Template, now: float) -> str:
    """Say when a run ends."""
    limits, hours = template.limits, template.of(PolitenessTable).hours
    whens = [
        f"{words} {value:g}"
        for words, value in (
            ("at page", limits.pages),
            ("at article", limits.articles),
            ("at error", limits.errors),
            ("after seconds", limits.time),
        )
        if value
    ]
    stays = template.of(RevisitTable).continuous  # through the night
    if hours and not stays and (closing := hours.closing(now)) is not None:
        whens.append(f"at {datetime.fromtimestamp(closing, template.topic.timezone):%H:%M}")
    last = "when it is stopped" if stays else "when nothing is left to do"
    return " or ".join([*whens, last])


# Each minute -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Progress:
    """A crawl at one moment. ``seconds`` is how long it runs.

    ``failed`` URLs wait for another try, ``errors`` are answers that were none. ``rate`` is pages
    a minute lately, ``most_pages`` the limit of the template (0: none).
    """

    topic: str
    seconds: float = 0.0
    pages: int = 0
    articles: int = 0
    waiting: int = 0
    in_flight: int = 0
    failed: int = 0
    errors: int = 0
    refused: int = 0
    sites: int = 0
    rate: float = 0.0
    most_pages: int = 0


def progress_line(now: Progress) -> str:
    """Return the crawl as ``key=value`` words: for logs, grep and awk; the keys never change."""
    return (
        f"progress topic={now.topic} seconds={now.seconds:.0f} pages={now.pages}"
        f" articles={now.articles} waiting={now.waiting} in_flight={now.in_flight}"
        f" failed={now.failed} errors={now.errors} refused={now.refused} sites={now.sites}"
        f" per_minute={now.rate:.1f}"
    )


def ended_line(topic: str, reason: str, exit_code: int, *, pages: int, new: int) -> str:
    """Return the end of a crawl as ``key=value`` words: for logs, grep and awk; the keys never change."""
    return f"ended topic={topic} reason={reason} exit={exit_code} pages={pages} new={new}"


def share_done(now: Progress) -> float:
    """Return 0..1: pages fetched of those known, or of the limit when that is reached first."""
    known = now.pages + now.waiting + now.in_flight + now.failed
    total = min(known, now.most_pages) if now.most_pages else known
    return min(1.0, now.pages / total) if total else 0.0


# Words -----------------------------------------------------------------------------------------

KILOBYTE = 1000
_MINUTE, _HOUR = 60, 3600


def counted(number: int, noun: str, ending: str = "s") -> str:
    """Return ``1 page``, ``2 pages``."""
    return f"{number:,} {noun}{ending if number != 1 else ''}"


def most_frequent(counts: Mapping[str, int], most: int, others: str = "for other reasons") -> str:
    """Return ``stored 30, list 12, … and 3 more``, largest first."""
    found = sorted(((-n, name) for name, n in counts.items() if n), key=lambda pair: pair)
    words = [f"{name} {-n:,}" for n, name in found[:most]]
    if len(found) > most:
        words.append(f"and {sum(-n for n, _ in found[most:]):,} {others}")
    return ", ".join(words)


def largest(counts: Mapping[str, int]) -> tuple[str, int]:
    """Return the name counted most and its number; ("", 0) without any."""
    return max(counts.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))


def size_text(size: int) -> str:
    """Return ``999 B``, ``1.5 MB``."""
    number = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if number < KILOBYTE or unit == "GB":
            break
        number /= KILOBYTE
    return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"


def duration_text(seconds: float) -> str:
    """Return ``45 s``, ``12 min 5 s`` or ``3 h 20 min``."""
    whole = max(0, round(seconds))
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
