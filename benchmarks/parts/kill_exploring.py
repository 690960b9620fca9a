"""``python -m benchmarks.kill9 --explore``: what exploration and searches keep over a kill.

A topic without sources asks a search engine for three things and explores from what it shows
(benchmarks/parts/unknown_web.py), with ``explore.steps = 3`` and ``ban_after = 20``: tunnels of
five pages are parked on the way, traps are banned. The crawl runs once unkilled, then with three
kills, then with kills aimed inside commits; compared with the unkilled run:

- ``never_fetched``, ``items_missing``, ``items_twice``: of the relevant articles.
- ``seeds_missing``: results the engine showed without their row (search, address, rank), or whose
  row ends with another number of useful articles than without kills, or in a state that does not
  fit: gone only if it is so without kills; taken, as long as a URL it led to is to do (which of two seeds led to a banned trap is
  chance), else useful or useless.

After every kill, and at the end, copies of crawl file and results are held against each other.
Rows of the crawl file are to do; pages of the results that it has seen and has no row of are done.
(Results are written first: of a page whose crawl file came too late nothing counts.)

- ``urls_lost``: links of pages that are done, and seeds, that are neither done nor to do.
- ``ledger_off``: pages counted for a site or folder more or less than are done there.
- ``bans_off``: bans without more than ``ban_after`` irrelevant pages that are done, and the other
  way round.
- ``arms_off``: picks in the bandit's discounted counts, solved for their number, more than the
  pages of the lane that are done, or fewer by more than the 2 % that probes may be.

``parked_seen`` and ``bans_seen`` are the most parked rows and bans that a kill met: that there was
something to lose.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import closing
from typing import NamedTuple

from benchmarks.parts.arms import TopicArm
from benchmarks.parts.kill_audit import Found, arms_off, bans_off, ledger_off, read, urls_lost
from benchmarks.parts.killing import (
    Trigger,
    at_moments,
    in_commits,
    kills,
    longest_resume,
    served,
    to_its_end,
)
from benchmarks.parts.unknown_web import QUERIES, UnknownWeb
from focuscrawl.features.search.walks import SOURCE
from focuscrawl.values import Json

STEPS, BAN_AFTER = 3, 20
TOPIC = f"""
[topic]
keywords = ["食品"]

[search]
engines = ["own"]
queries = ["{"|".join(QUERIES)}"]
delay = "200ms"

[search.engine.own]
url = "http://engine.example/s?q={{query}}&p={{page}}"
results = "css:.r"
link = "css:a::attr(href)"
title = "css:a"

[follow]
depth = 50

[explore]
steps = {STEPS}
ban_after = {BAN_AFTER}

[politeness]
delay = "0s"
robots = false
concurrency = 4

[settings]
RETRY_TIMES = 0
"""


class Exploring(TopicArm):
    """A topic that begins with a search engine; ``root_url`` is the web as a proxy."""

    name = "unknown"

    def prepare(self) -> None:
        """Write the topic."""
        self.topic(TOPIC)
        self.environment["http_proxy"] = self.root_url


class Seeds(NamedTuple):
    """The rows of the table seeds, what each seed led to, and its state by its source's id.

    ``ends`` says of a seed how much it led to, and whether it is gone.
    """

    rows: set[tuple[str, str, int]]
    ends: set[tuple[str, int, bool]]
    states: dict[str, tuple[str, int]]

    def wrong(self, sources_to_do: set[str]) -> int:
        """Count the seeds whose state does not fit what is to do."""
        return sum(
            state != ("taken" if source in sources_to_do else "useful" if useful else "useless")
            for source, (state, useful) in self.states.items()
            if state != "gone"
        )


def seeds_of(arm: Exploring) -> Seeds:
    """Read the table seeds."""
    with closing(sqlite3.connect(arm.results)) as results:
        read_all = results.execute(
            "SELECT query, url, rank, state, useful, url_key FROM seeds"
        ).fetchall()
    return Seeds(
        {row[:3] for row in read_all},
        {(row[1], row[4], row[3] == "gone") for row in read_all},
        {f"{SOURCE}{row[5]}": (row[3], row[4]) for row in read_all},
    )


def seeds_shown(web: UnknownWeb) -> set[tuple[str, str, int]]:
    """Return the rows there must be."""
    return {
        (text, result.url, rank)
        for number, text in enumerate(QUERIES)
        for rank, result in enumerate(web.shown(number), 1)
    }


# Running -----------------------------------------------------------------------------------------


class Unkilled(NamedTuple):
    """The run that is compared with."""

    fetched: set[str]
    items: set[str]
    seeds: Seeds


def crawl(sites: int, aimed: int | None, unkilled: Unkilled | None) -> tuple[Json, Unkilled]:
    """Crawl a web of its own, killed at the moments, or ``aimed`` times inside commits."""
    web = UnknownWeb(sites)
    with served(web) as (folder, root_url):
        arm = Exploring(folder, root_url)
        triggers: Sequence[Trigger] = ()
        if unkilled is not None:
            pages = len(unkilled.fetched)
            triggers = in_commits(pages, aimed, arm.logs()) if aimed else at_moments(pages)
        row: Json = {"pages": 0, "kills": 0, "parked_seen": 0, "bans_seen": 0}
        off = Counter[str]()
        for _ in kills(arm, web.fetched, triggers):
            row["kills"] += 1
            _compare(web, read(arm.crawl_file, arm.results, STEPS), off, row)
        to_its_end(arm)
        found = read(arm.crawl_file, arm.results, STEPS)
        _compare(web, found, off, row)
        stored = Counter(arm.items())
        seeds = seeds_of(arm)
        row["pages"] = web.fetched()
        truth = unkilled or Unkilled(web.relevant, web.relevant, seeds)
        return {
            **row,
            "never_fetched": len(web.relevant & truth.fetched - web.answered.keys()),
            "items_missing": len(truth.items - stored.keys()),
            "items_twice": stored.total() - len(stored),
            "seeds_missing": len(seeds_shown(web) ^ seeds.rows)
            + len(truth.seeds.ends ^ seeds.ends)
            + seeds.wrong(found.sources_to_do),
            **{name: off[name] for name in ("urls_lost", "ledger_off", "bans_off", "arms_off")},
            "fetched_again": web.answered.total() - web.fetched(),
            "resume_s": longest_resume(arm),
        }, Unkilled({*web.answered}, {*stored}, seeds)


def _compare(web: UnknownWeb, found: Found, off: Counter[str], row: Json) -> None:
    """Add up what does not fit together."""
    bans, banned = bans_off(found, BAN_AFTER)
    off["urls_lost"] += urls_lost(web, found)
    off["ledger_off"] += ledger_off(found)
    off["bans_off"] += bans
    off["arms_off"] += arms_off(web, found)
    row["parked_seen"] = max(row["parked_seen"], found.beyond)
    row["bans_seen"] = max(row["bans_seen"], banned)


def measure(sites: int, aimed: int, arms: Collection[str] = ()) -> dict[str, Json]:
    """Run all arms, or those named and the unkilled one they are compared with."""
    rows = {}
    rows["unkilled"], unkilled = crawl(sites, None, None)
    for name, commits in (("explore", None), ("explore_in_commit", aimed)):
        if name in arms or not arms:
            rows[name], _ = crawl(sites, commits, unkilled)
            print(name, rows[name], flush=True)
    return rows
