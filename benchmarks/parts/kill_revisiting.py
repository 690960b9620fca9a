"""``python -m benchmarks.kill9 --revisit``: what the schedule of visits keeps over a kill.

A topic with default rules (but ``gone_after = 1``) is crawled on several days over a web whose pages
change (benchmarks/parts/changing_web.py); the clock is moved on between. It runs once unkilled, then
with three kills on every day but the first, then with kills aimed inside commits: the first of a day
while what is due is queued, before any answer, the others as in ``in_commit``. Before these, each day is killed when its
first article was answered: what is due has its reservations then.

After every kill, and at the end of a day, a copy of the crawl file is looked at:

- ``states_lost``: pages that had a state at an earlier look, or have been answered by the end of a
  day, and have none.
- ``undated``: states of pages that are not gone, without the date of a next visit.
- ``reservations_alone``: reservations without the row that would end them. ``rows_alone``: visits that wait
  without a reservation, so that they may be queued twice.

At the end of a day:

- ``not_visited``: pages that were due when it began, or were gone and are linked to, and were not asked for.
- ``undue``: visits of pages that were neither due nor changed (the feed tells of changed ones).
- ``reservations_left``: reservations that are still there.

At the end of all, from the results, against what the web answered day by day:

- ``changes_missing``, ``changes_twice``: rows of the table changes (new, changed, gone, back).
- ``items_missing``, ``items_twice``, ``items_old``: articles; old ones do not have the text that was
  answered last. ``versions_off``: articles with another number of versions than were answered.

``fetched_again`` are answers beyond the first of a page and day. ``reservations_seen`` is the most reservations
that a kill met: that there was something to lose.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path

from benchmarks.parts.arms import TopicArm
from benchmarks.parts.changing_web import ChangingWeb
from benchmarks.parts.killing import (
    Trigger,
    at_moments,
    in_commits,
    kills,
    longest_resume,
    served,
    to_its_end,
)
from benchmarks.parts.moved_clock import MOVED
from benchmarks.parts.visit_audit import (
    Schedule,
    compare,
    compare_day,
    compare_results,
    schedule_of,
)
from focuscrawl.values import Json

DAY = 86_400.0
DAYS: Sequence[float] = (0, 2, 5, 9)
QUICK_DAYS: Sequence[float] = (0, 3)
"""The days on which the topic is crawled."""

CHANGED_BEFORE = 60.0
"""Seconds that a day's changes are older than its crawl: a page that is asked for in the very second that
a feed names may have changed after it was asked for, and is rightly asked for again."""

QUEUEING = (2, 3, 4)
"""At which change of the crawl file, from its opening on, the first aimed kill of a day comes (in turn):
while the run is written down, while lists have been queued, while all that is due is."""

TOPIC = """
[topic]
keywords = ["食品"]

[follow]
scope = "listed"
sites = [{hosts}]
articles = ["/news/"]

[article]
keep = "all"

[revisit]
gone_after = 1
gone_within = "0s"

[politeness]
delay = "0s"
robots = false
concurrency = 4

[settings]
RETRY_TIMES = 0
"""
SOURCE = """
[[source]]
url = "{url}"
kind = "{kind}"
relevant = "all"
"""


class Revisits(TopicArm):
    """A topic that is crawled day by day; ``root_url`` is the web as a proxy."""

    name = "days"

    def __init__(self, folder: Path, root_url: str, web: ChangingWeb) -> None:
        self.web = web
        super().__init__(folder, root_url)

    def prepare(self) -> None:
        """Write the topic."""
        hosts = ", ".join(json.dumps(home.split("/")[2]) for home in self.web.homes())
        sources = [(url, "board") for url in self.web.homes()]
        sources += [(url, "feed") for url in self.web.feeds()]
        told = "".join(SOURCE.format(url=url, kind=kind) for url, kind in sources)
        self.topic(TOPIC.format(hosts=hosts) + told)
        self.environment["http_proxy"] = self.root_url
        self.environment["FOCUSCRAWL_CLOCK"] = "benchmarks.parts.moved_clock:clock"

    def begin(self, number: int, day: float) -> float:
        """Let the next day begin, for the web and the crawl; returns its wall time."""
        self.environment[MOVED] = str(day * DAY)
        now = time.time() + day * DAY
        self.web.day = number
        self.web.dates.append(now - CHANGED_BEFORE)
        return now


# Running -----------------------------------------------------------------------------------------


def triggers_of(arm: Revisits, day: int, pages: int, aimed: int | None) -> Sequence[Trigger]:
    """Return the kills of a day on which so many pages will be answered."""
    if aimed is None:
        return at_moments(pages)
    first = Trigger(0, arm.logs()[0], QUEUEING[day % len(QUEUEING)])
    return [first, *in_commits(pages, aimed, arm.logs())]


def crawl(
    sites: int, days: Sequence[float], aimed: int | None, unkilled: Mapping[int, int]
) -> tuple[Json, Mapping[int, int]]:
    """Crawl a web of its own on several days; killed when ``unkilled`` says how many pages are
    answered on each day, three times or ``aimed`` times inside commits. Returns that number, too.
    """
    web = ChangingWeb(sites)
    with served(web) as (folder, root_url):
        arm = Revisits(folder, root_url, web)
        off, killed, reservations = Counter[str](), 0, 0
        pages = {}
        before = Schedule({}, {})
        for number, day in enumerate(days):
            began = arm.begin(number, day)
            known = {*before.states}
            if number and unkilled:
                triggers = triggers_of(arm, number, unkilled[number], aimed)
                under_way = kills(arm, web.visits, [Trigger(1)])  # visits wait for lists and feeds
                for _ in chain(under_way, kills(arm, web.answers, triggers)):
                    killed += 1
                    found = schedule_of(arm.crawl_file, web)
                    compare(found, known, off)
                    known |= found.states.keys()
                    reservations = max(reservations, len(found.reserved()))
            to_its_end(arm)
            after = schedule_of(arm.crawl_file, web)
            compare(after, known, off)
            compare_day(web, before, after, began, time.time() + day * DAY, off)
            pages[number], before = web.answers(), after
        names = (
            "states_lost",
            "undated",
            "reservations_alone",
            "rows_alone",
            "not_visited",
            "undue",
        )
        row: Json = {
            "pages": sum(pages.values()),
            "kills": killed,
            "reservations_seen": reservations,
        }
        row |= {name: off[name] for name in (*names, "reservations_left")}
        row |= compare_results(arm.results, web)
        row |= {"fetched_again": off["fetched_again"], "resume_s": longest_resume(arm)}
        return row, pages


def measure(
    sites: int, days: Sequence[float], aimed: int, arms: Collection[str] = ()
) -> dict[str, Json]:
    """Run all arms, or those named and the unkilled one they are compared with."""
    rows = {}
    rows["unkilled"], pages = crawl(sites, days, None, {})
    print("unkilled", rows["unkilled"], flush=True)
    for name, commits in (("revisit", None), ("revisit_in_commit", aimed)):
        if name in arms or not arms:
            rows[name], _ = crawl(sites, days, commits, pages)
            print(name, rows[name], flush=True)
    return rows
