"""Lines of a log: how a run begins, how it is doing each minute; and numbers, sizes, times and reasons as words."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from focuscrawl.features.politeness.table import PolitenessTable
from focuscrawl.features.revisit.table import RevisitTable
from focuscrawl.locale.messages import NN_, _, ngettext
from focuscrawl.template.files import masked

if TYPE_CHECKING:
    from focuscrawl.template.template import Template


MOST_PROXIES = 3
"""Proxies that the first line names; a topic may have hundreds."""


class WorkerName(logging.Filter):
    """Puts the name of one of several workers before its lines: their logs are often read as one."""

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
    if is_new:
        line = _(
            "topic {name}: data {place}{by}, new, due {due}, waiting {waiting}, failed {failed}; ends {ends}"
        )
    else:
        line = _(
            "topic {name}: data {place}{by}, continued, due {due}, waiting {waiting}, failed {failed};"
            " ends {ends}"
        )
    return line.format(
        name=template.name,
        place=place,
        by=_(", by proxy {proxy}").format(proxy=proxy) if proxy else "",
        due=due,
        waiting=waiting,
        failed=failed,
        ends=ends_when(template, now),
    )


def proxy_of(template: Template, environment: Mapping[str, str], *, is_on: bool) -> str:
    """Return which proxies are asked, as the user wrote them: a secret by its name, no password.

    ``environment`` are the proxies of the environment by scheme (urllib's getproxies); ``is_on``: Scrapy
    heeds them.
    """
    given = template.resolved.get("request", {}).get("proxy") or []
    found = [given] if isinstance(given, str) else [*given]
    if not found and is_on:
        found = [environment[scheme] for scheme in ("http", "https") if environment.get(scheme)]
    shown = [masked(one) for one in dict.fromkeys(found)]
    told = listed_words(shown[:MOST_PROXIES])
    more = len(shown) - MOST_PROXIES
    return _("{proxies} and {more} more").format(proxies=told, more=more) if more > 0 else told


def results_missing(place: str, crawl: str) -> str:
    """Return the text for results at ``place`` that do not go with the file ``crawl``."""
    return _(
        "results in {place}: the last run of this crawl is not in them, or not all of it, so they were removed,"
        " replaced or put back from an older copy, or the machine lost power. Pages whose visits are planned come"
        " again with this run; others are known and not fetched again by themselves. To have what is missing: put the"
        " results back and run again; or move {crawl} away, and the next run fetches everything anew and loses none of"
        " what the results have now"
    ).format(place=place, crawl=crawl)


def ends_when(template: Template, now: float) -> str:
    """Say when a run ends."""
    limits, hours = template.limits, template.of(PolitenessTable).hours
    whens = [
        words.format(number=value)
        for words, value in (
            (_("at page {number:g}"), limits.pages),
            (_("at article {number:g}"), limits.articles),
            (_("at error {number:g}"), limits.errors),
            (_("after seconds {number:g}"), limits.time),
        )
        if value
    ]
    stays = template.of(RevisitTable).continuous  # through the night
    if hours and not stays and (closing := hours.closing(now)) is not None:
        moment = datetime.fromtimestamp(closing, template.topic.timezone)
        whens.append(_("at {moment:%H:%M}").format(moment=moment))
    last = _("when it is stopped") if stays else _("when nothing is left to do")
    return _(" or ").join([*whens, last])


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


NOUNS = {
    "address": NN_("{number:,} address", "{number:,} addresses"),
    "article": NN_("{number:,} article", "{number:,} articles"),
    "change": NN_("{number:,} change", "{number:,} changes"),
    "character": NN_("{number:,} character", "{number:,} characters"),
    "error": NN_("{number:,} error", "{number:,} errors"),
    "host": NN_("{number:,} host", "{number:,} hosts"),
    "keyword group": NN_("{number:,} keyword group", "{number:,} keyword groups"),
    "labelled page": NN_("{number:,} labelled page", "{number:,} labelled pages"),
    "link": NN_("{number:,} link", "{number:,} links"),
    "more group": NN_("{number:,} more group", "{number:,} more groups"),
    "name": NN_("{number:,} name", "{number:,} names"),
    "page": NN_("{number:,} page", "{number:,} pages"),
    "post": NN_("{number:,} post", "{number:,} posts"),
    "request": NN_("{number:,} request", "{number:,} requests"),
    "round": NN_("{number:,} round", "{number:,} rounds"),
    "search": NN_("{number:,} search", "{number:,} searches"),
    "site": NN_("{number:,} site", "{number:,} sites"),
    "source": NN_("{number:,} source", "{number:,} sources"),
    "time": NN_("{number:,} time", "{number:,} times"),
    "topic": NN_("{number:,} topic", "{number:,} topics"),
    "URL": NN_("{number:,} URL", "{number:,} URLs"),
    "view": NN_("{number:,} view", "{number:,} views"),
    "worker": NN_("{number:,} worker", "{number:,} workers"),
}
"""What is counted, in both forms."""


def counted(number: int, noun: str, ending: str = "s") -> str:
    """Return ``1 page``, ``2 pages``; ``noun`` is one of NOUNS, else it stays English."""
    several = "{number:,} " + noun
    return ngettext(*NOUNS.get(noun, (several, several + ending)), number).format(number=number)


def most_frequent(counts: Mapping[str, int], most: int, others: str = "") -> str:
    """Return ``stored 30, list 12, … and 3 for other reasons``, largest first."""
    found = sorted(((-n, name) for name, n in counts.items() if n), key=lambda pair: pair)
    words = [f"{_(name)} {-n:,}" for n, name in found[:most]]
    if len(found) > most:
        rest = sum(-pair[0] for pair in found[most:])
        words.append((others or _("and {rest:,} for other reasons")).format(rest=rest))
    return listed_words(words)


def listed_words(words: Iterable[str]) -> str:
    """Return words one after the other, separated as the language separates them."""
    return _(", ").join(words)


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
    """Return ``45 s``, ``12 min 5 s`` or ``3 h 20 min``; a smaller part that is nought is left out: ``30 min``."""
    whole = max(0, round(seconds))
    hours, minutes, rest = whole // _HOUR, whole % _HOUR // _MINUTE, whole % _MINUTE
    if whole < _MINUTE:
        return _("{seconds} s").format(seconds=whole)
    if whole < _HOUR:
        told = _("{minutes} min {seconds} s") if rest else _("{minutes} min")
        return told.format(minutes=minutes, seconds=rest)
    told = _("{hours} h {minutes} min") if minutes else _("{hours} h")
    return told.format(hours=hours, minutes=minutes)
