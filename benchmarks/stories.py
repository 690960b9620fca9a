"""What a decision costs when many articles are known: the index of stories against planted copies.

Method. Made-up articles of one topic (300 themes that share words, names of their own) fill the
index in a real crawl file: drawn and written as a crawl writes them, by commits of 500, without
looking each of them up. Then come copies of articles in the index, four kinds in turn (an agency's
head and tail; half of the sentences; the first third; half rewritten), and as many new articles;
each is told as a crawl tells it, and not written.

*lookup_ms* is the CPU time of finding and comparing (median over both sorts), *wall_ms* the same
by the clock, *draw_ms* that of cutting words and hashing, which does not grow. *candidates* is how
many articles were looked at. *recall* is the share of copies that joined the story of their
original, *copied* the share told as copies (the rest says much more than the original and is
kept), *wrong* the share of new articles told as copies. *write_ms* is what an article costs that is
told and written without being looked for. *strict* is the published form over the same articles.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.parts.articles_alike import COPIES, Made, article
from benchmarks.parts.children import arguments, finish, table
from focuscrawl.features.stories.events import IS_COPY, StoryReading
from focuscrawl.features.stories.index import StoryIndex
from focuscrawl.features.stories.matches import NO_MATCHES, Drawn, StoryMatches
from focuscrawl.features.stories.table import StoryRules
from focuscrawl.readers.text.words import splitter
from focuscrawl.stores.state.protocol import StoryArticle
from focuscrawl.stores.state.sqlite import SQLiteStore

ARTICLES, QUICK_ARTICLES = 100_000, 2_000
COPIED, QUICK_COPIED = 1_000, 200
WINDOW = 500
SPREAD = 60 * 86400.0
"""Seconds over which the articles were published; events lie within 7 days."""

NOW = 1.8e9
RULES = StoryRules(copies="join", events=True, window=7 * 86400.0, strict=False)


class Measured(StoryIndex):
    """The index, which also notes how long looking takes."""

    cpu: list[float]
    wall: list[float]

    async def _matches(self, reading: StoryReading, drawn: Drawn) -> StoryMatches:
        cpu, wall = time.process_time(), time.perf_counter()
        found = await super()._matches(reading, drawn)
        self.cpu.append((time.process_time() - cpu) * 1000)
        self.wall.append((time.perf_counter() - wall) * 1000)
        return found


class Filling(StoryIndex):
    """The index while it is filled: nothing is looked up."""

    async def _matches(self, reading: StoryReading, drawn: Drawn) -> StoryMatches:
        return NO_MATCHES


class Counting(SQLiteStore):
    """The store, which also counts the articles that are read to be compared."""

    looked_at = 0

    async def story_articles(self, numbers: Sequence[int]) -> dict[int, StoryArticle]:
        self.looked_at += len(numbers)
        return await super().story_articles(numbers)


def reading(number: int, made: Made) -> StoryReading:
    at = NOW - SPREAD * Random(number).random()
    host = f"site{number % 40}.example"
    return StoryReading(number.to_bytes(16, "big"), host, "".join(made.title), made.text, at, NOW)


def fill(store: SQLiteStore, rules: StoryRules, articles: int) -> float:
    """Fill the index; returns the milliseconds an article takes."""
    index = Filling(store, rules, splitter().cut)
    asyncio.run(index.load())
    seconds = 0.0
    for number in range(articles):
        made = reading(number, article(number))
        begun = time.process_time()
        asyncio.run(index.tell(made))
        if number % WINDOW == WINDOW - 1:
            store.commit({0: index.drain()})
            index.committed()
        seconds += time.process_time() - begun
    store.commit({0: index.drain(closing=True)})
    return seconds * 1000 / articles


def measure(rules: StoryRules, articles: int, copied: int, folder: Path) -> dict[str, Any]:
    """Fill an index and tell copies and new articles."""
    store = Counting(folder / f"strict-{rules.strict}.crawl.db")
    store.own()
    write_ms = fill(store, rules, articles)
    random = Random(7)
    kinds = list(COPIES)
    joined: dict[str, list[bool]] = {kind: [] for kind in kinds}
    as_copy, wrong, telling = [], [], []
    index = Measured(store, rules, splitter().cut)
    index.cpu, index.wall = [], []
    asyncio.run(index.load())
    store.looked_at = 0
    for n in range(copied):
        kind, original = kinds[n % len(kinds)], random.randrange(articles)
        made = COPIES[kind](article(original), random)
        begun = time.process_time()
        told = asyncio.run(index.tell(reading(articles + 2 * n, made))).article
        telling.append((time.process_time() - begun) * 1000)
        joined[kind].append(told.like_key == original.to_bytes(16, "big").hex())
        as_copy.append(told.relation == IS_COPY)
        fresh = asyncio.run(
            index.tell(reading(articles + 2 * n + 1, article(articles + n)))
        ).article
        wrong.append(fresh.relation == IS_COPY)
    store.release()
    everyone = [one for kind in kinds for one in joined[kind]]
    return {
        "articles": articles,
        "lookup_ms": round(median(index.cpu), 3),
        "lookup_ms_95": round(sorted(index.cpu)[int(len(index.cpu) * 0.95)], 3),
        "wall_ms": round(median(index.wall), 3),
        "draw_ms": round(median(telling) - median(index.cpu), 3),
        "write_ms": round(write_ms, 3),
        "candidates": round(store.looked_at / (2 * copied), 2),
        "recall": round(fmean(everyone), 4),
        **{f"recall_{kind}": round(fmean(joined[kind]), 4) for kind in kinds},
        "copied": round(fmean(as_copy), 4),
        "wrong": round(fmean(wrong), 4),
        "megabytes": round(store.path.stat().st_size / 1e6, 1),
    }


def main() -> None:
    args = arguments(__doc__, "articles", "copied")
    articles = int(args.articles or (QUICK_ARTICLES if args.quick else ARTICLES))
    copied = int(args.copied or (QUICK_COPIED if args.quick else COPIED))
    with TemporaryDirectory() as folder:
        ours = measure(RULES, articles, copied, Path(folder))
        strict = measure(replace(RULES, strict=True), articles, copied, Path(folder))
    rows = [[name, ours[name], strict[name]] for name in ours]
    table(["", "default", "strict"], rows)
    finish({"quick": args.quick, **ours, "strict": strict})


if __name__ == "__main__":
    main()
