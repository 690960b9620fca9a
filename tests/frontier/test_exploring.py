"""The lane of exploration: its share, its politeness, and what survives a restart."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest

from focuscrawl.features.explore.ledger import BAN, BanRules, Ledger
from focuscrawl.features.explore.portfolio import Arms, Portfolio, PortfolioRules
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules, Turns
from focuscrawl.frontier.lines import Politeness
from focuscrawl.stores.state.protocol import Row
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import folder_number, folder_of
from focuscrawl.values import Waiting

SHARE = 0.3
TOP, SOURCES, ARTICLES = 5, 4, 3


def order_of_its_own() -> Portfolio:
    rules = PortfolioRules()
    return Portfolio(rules, Ledger(BanRules()), Arms(len(rules.orders), random.Random(1)))


def frontier_with(
    order: Portfolio | None, store: SQLiteStore | None = None, delay: float = 0.0
) -> Frontier:
    frontier = Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=lambda site: Politeness(delay),
        partition_of=lambda site: 0,
        stored=store.read if store else lambda sequence, level: None,
        random=lambda: 0.5,
    )
    if order is not None:
        frontier.explore_by(order, SHARE)
    return frontier


def known(number: int, level: int = ARTICLES) -> Waiting:
    site = f"known{number}.example"
    return Waiting(f"http://{site}/{number}", b"", site, level, level)


def unknown(number: int, site: int | None = None, score: float = 0.0, step: int = 1) -> Waiting:
    name = f"unknown{number if site is None else site}.example"
    url = f"http://{name}/part/{number}"
    folder = folder_number(folder_of(url))
    return Waiting(
        url, b"", name, 1, 1, explore=True, score=score, step=step, folder=folder
    )  # fmt: skip


def take(frontier: Frontier, now: float = 0.0) -> Row:
    row = frontier.take(now, now)
    assert row is not None
    return row


def test_exploration_has_its_share_while_others_are_ready_and_then_everything() -> None:
    frontier = frontier_with(order_of_its_own())
    for number in range(400):
        frontier.add(known(number), number)
        frontier.add(unknown(number), 1000 + number)
    first = Counter(take(frontier).waiting.explore for _ in range(400))
    assert first[True] == pytest.approx(SHARE * 400, abs=2)
    rest = [take(frontier).waiting.explore for _ in range(400)]
    assert frontier.take(0.0, 0.0) is None
    assert sum(rest) == 400 - first[True]


@pytest.mark.parametrize("level", [TOP, SOURCES])
def test_returned_pages_and_known_sources_never_wait_behind_exploration(level: int) -> None:
    frontier = frontier_with(order_of_its_own())
    for number in range(100):
        frontier.add(known(number, level), number)
        frontier.add(unknown(number, score=1.0), 1000 + number)
    assert not any(take(frontier).waiting.explore for _ in range(100))
    assert all(take(frontier).waiting.explore for _ in range(100))


def test_a_share_of_nothing_explores_only_what_others_leave() -> None:
    turns = Turns(0.0)
    for _ in range(1000):
        turns.taken(exploring=False)
    assert not turns.is_due


def test_a_site_is_asked_by_one_lane_at_a_time_and_after_its_pause() -> None:
    frontier = frontier_with(order_of_its_own(), delay=2.0)
    site = "both.example"
    frontier.add(known(1)._replace(site=site), 1)
    frontier.add(unknown(2)._replace(site=site), 2)
    frontier.add(unknown(3)._replace(site=site), 3)
    now = 0.0
    for _ in range(3):
        row = take(frontier, now)
        assert frontier.take(now, now) is None
        frontier.acknowledge(row.sequence, now + 1)
        assert frontier.take(now + 2.9, now) is None
        wait = frontier.next_wakeup(now + 1, now)
        now += 3.0
        # Who has nothing more to be asked for is not waited for.
        assert wait == (pytest.approx(2.0) if frontier.counts().waiting else float("inf"))
    assert frontier.next_wakeup(now, now) == float("inf")


def test_without_an_order_exploring_urls_wait_in_their_level() -> None:
    frontier = frontier_with(None)
    frontier.add(unknown(1), 1)
    assert frontier.lengths() == [1, 0, 0, 0, 0]
    assert take(frontier).waiting.url == unknown(1).url


def test_rows_that_explored_wait_in_their_level_when_the_topic_explores_no_more(
    tmp_path: Path,
) -> None:
    store = SQLiteStore(tmp_path / "topic.crawl.db")
    store.own()
    frontier = frontier_with(order_of_its_own(), store)
    luck = random.Random(4)
    for number in range(30):
        frontier.add(unknown(number, number % 2, luck.random()), number)
    store.commit(frontier.drain())
    again = frontier_with(None, store)
    again.load(asyncio.run(store.load(range(64))), 0.0)
    assert again.lengths() == [30, 0, 0, 0, 0]
    assert [take(again).sequence for _ in range(2)] == [1, 2]
    store.release()


def test_what_an_order_keeps_back_counts_as_parked() -> None:
    frontier = frontier_with(order_of_its_own())
    for number in range(3):
        frontier.add(unknown(number), number)
        frontier.add(unknown(number, step=11), 10 + number)
    counts = frontier.counts()
    assert (counts.waiting, counts.parked) == (3, 3)


def test_a_retry_goes_back_to_its_order_and_a_failure_waits_for_its_time() -> None:
    frontier = frontier_with(order_of_its_own())
    frontier.add(unknown(1), 1)
    row = take(frontier)
    frontier.put_back(row.sequence, 0.0)
    assert frontier.lengths() == [0] * 5
    assert take(frontier) == row
    assert frontier.fail(row.sequence, "503", 0.0, 0.0)
    assert frontier.take(59.0, 59.0) is None
    failed = take(frontier, 61.0)
    assert (failed.waiting, failed.tries) == (row.waiting, 1)
    assert frontier.lengths() == [0] * 5


def test_a_killed_crawl_goes_on_with_lane_step_score_bans_and_bandit(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "topic.crawl.db")
    store.own()
    order = order_of_its_own()
    frontier = frontier_with(order, store)
    luck = random.Random(2)
    for number in range(300):
        url = unknown(number, number % 20, luck.random(), luck.randrange(14))
        frontier.add(url, number)
        frontier.add(known(number), 1000 + number)
    for _ in range(200):
        row = take(frontier)
        if row.waiting.explore:
            order.judged(row.sequence, row.waiting.url, luck.random() < 0.2, 0.0)
        frontier.acknowledge(row.sequence, 0.0)
    order.ledger.ban("unknown3.example")
    for site, record in order.ledger.changed().items():
        frontier.note_site(site, BAN, record)
    for key, value in order.facts().items():
        frontier.note_fact("bandit", key, value)
    flying = take(frontier)
    store.commit(frontier.drain())
    frontier.committed()
    before = frontier.counts()
    store.release()  # and nothing more is said: the process is gone

    store = SQLiteStore(tmp_path / "topic.crawl.db")
    loaded = asyncio.run(store.load(store.own()))
    again = order_of_its_own()
    again.ledger.load(loaded.records)
    again.restore(asyncio.run(store.facts("bandit")))
    reborn = frontier_with(again, store)
    reborn.load(loaded, 0.0)
    after = reborn.counts()
    assert after.waiting + after.parked == before.waiting + before.parked + 1  # the one in flight
    assert again.facts() == order.facts()
    assert again.ledger.why_not("http://unknown3.example/", "unknown3.example", 0.0) == "ban:hand"
    rows = []
    while (row_or_none := reborn.take(0.0, 0.0)) is not None:
        rows.append(row_or_none)
        if row_or_none.waiting.explore:
            again.judged(row_or_none.sequence, row_or_none.waiting.url, False, 0.0)
        reborn.acknowledge(row_or_none.sequence, 0.0)
    assert flying in rows
    assert len(rows) == len({row.sequence for row in rows})
    assert len(rows) + reborn.counts().parked == after.waiting + after.parked
    assert not any(row.waiting.site == "unknown3.example" for row in rows)
    store.release()
