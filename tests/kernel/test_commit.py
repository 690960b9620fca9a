"""Windows of a run whose results are on a server: they are written in a thread, one at a time."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.kernel.commit import Commits
from focuscrawl.kernel.feature import Hooks
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import Written
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, PageState
from tests.clock import StandingClock
from tests.kinds import KINDS

pytestmark = pytest.mark.unfit_values

KEY = b"k" * 16

LONGEST = 60.0
"""Seconds that a thread waits at most for what the test says."""


class Server:
    """Results that take the time that a test gives them."""

    embedded = False
    run_id = None

    def __init__(self) -> None:
        self.may_write = Event()

    def write(self, batch: Any) -> Written:
        assert self.may_write.wait(LONGEST)
        return Written()


class Failing:
    """Results that fail as nobody has foreseen."""

    place = "nowhere"

    def __init__(self, *, embedded: bool) -> None:
        self.embedded = embedded

    def write(self, batch: Any) -> Written:
        raise ZeroDivisionError("division by zero")


@pytest.mark.parametrize("embedded", [True, False])
def test_whatever_fails_while_a_window_is_written_breaks_off_and_acknowledges_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, embedded: bool
) -> None:
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    frontier = Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=lambda _: Politeness(0.0, 0.0, 1),
        partition_of=partition_of,
        stored=store.read,
        random=random.Random(1).random,
    )
    said: list[str] = []
    commits = Commits(
        store,
        frontier,
        StandingClock(),
        Counter(),
        KINDS,
        hooks=Hooks(),
        broke=said.append,
    )
    commits.results = cast("Results", Failing(embedded=embedded))
    frontier.note_fact("kind", "name", 1)

    async def write() -> None:
        commits.beside()
        await commits.settled()
        await commits.written()

    asyncio.run(write())
    (why,) = said
    assert why == commits.broken
    assert "ZeroDivisionError: division by zero" in why
    assert "Traceback" in caplog.text, "nobody foresaw it, so somebody will want to know where"
    assert asyncio.run(store.facts("kind")) == {}
    store.release()


def test_who_waits_for_a_window_waits_for_the_next_one_too_when_it_has_begun(
    tmp_path: Path,
) -> None:
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    frontier = Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=lambda _: Politeness(0.0, 0.0, 1),
        partition_of=partition_of,
        stored=store.read,
        random=random.Random(1).random,
    )
    commits = Commits(
        store,
        frontier,
        StandingClock(),
        Counter(),
        KINDS,
        hooks=Hooks(),
        broke=pytest.fail,
    )
    server = Server()
    commits.results = cast("Results", server)

    def remember(visits: int) -> None:
        address = ("http://a.cn/1", "a.cn")
        frontier.remember(PageState(KEY, *address, PageClass.ARTICLE, 1, 0.0, 0.0, None, visits))

    async def known() -> PageState:
        await commits.settled()
        return ((await store.pages([KEY])) | frontier.remembered([KEY]))[KEY]

    async def one_after_the_other() -> PageState:
        remember(1)
        commits.beside()
        written = asyncio.ensure_future(commits.written())
        asking = asyncio.ensure_future(known())
        await asyncio.sleep(0)
        remember(2)
        server.may_write.set()
        found = await asking
        await written
        return found

    assert asyncio.run(one_after_the_other()).visits == 2
    store.release()
