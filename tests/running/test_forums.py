"""What is known of a forum's threads between a board and the admission of its links."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.politeness import Politeness
from focuscrawl.frontier.weights import Factor, LevelRules
from focuscrawl.running.forums import Forums
from focuscrawl.stores.sqlite import SQLiteStore
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.topic.load import load
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import BoardThread, LinkBatch, PageClass

NOON = 1_795_147_200.0
TOPIC = """
[topic]
name = "x"
keywords = ["食品"]
[[source]]
url = "http://bbs.test/"
kind = "forum"
name = "bbs"
[follow]
deny = ["/secret/"]
"""


class Clock:
    def wall(self) -> float:
        return NOON

    def steady(self) -> float:
        return 0.0


def test_threads_that_are_refused_are_not_kept(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    rules = AdmissionRules.from_template(load(TOPIC).template, NOON)
    frontier = Frontier(
        LevelRules(),
        factor=Factor(),
        politeness=lambda _: Politeness(0.0, 0.0, 1),
        partition_of=partition_of,
        stored=store.read,
        luck=lambda: 0.0,
    )
    forums = Forums(rules, frontier, store, Clock(), Counter())
    for folder, kept in (("secret", 0), ("open", 3)):
        urls = [f"http://bbs.test/{folder}/{number}.html" for number in range(3)]
        threads = tuple(BoardThread(url, "食品", 3) for url in urls)
        asyncio.run(forums.prepare(LinkBatch(PageClass.BOARD, (), threads=threads)))
        assert len(forums._told) == kept
    store.release()
