"""What a run queues once more: old pages beside those that are due."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from focuscrawl.revisit.crawl_agenda import OLD_PAGES
from focuscrawl.revisit.feature import Revisit
from focuscrawl.store.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.values import PageClass, PageState
from tests.clock import StandingClock
from tests.kernel.kernels import kernel_over

HOUR, DAY = 3_600.0, 86_400.0
BEGAN = 1.79e9
TOPIC = """
topic.name = "x"
topic.keywords = ["食品"]
[[source]]
url = "http://a.cn/"
"""


class Agenda:
    """A run that only queues; what it queues waits for ever, unless it is ``answered``."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self.clock = clock = StandingClock(BEGAN)
        self.closed: set[str] = set()
        template = load(TOPIC + more, {}, {}).template
        self.store = SQLiteStore(folder / "x.crawl.db")
        self.store.own()
        kernel = kernel_over(
            *(self.store, template, clock),
            closed_for=lambda site, _: DAY if site in self.closed else 0.0,
        )
        self.frontier, self.states = kernel.frontier, kernel.pages
        kernel.commits.written = self.written  # type: ignore[method-assign]
        self.canonicalizer = kernel.rules.canonicalizer
        self.frontier.note_fact(OLD_PAGES, "", {"at": BEGAN, "left": 0.0})
        self.commit()
        revisit = Revisit(kernel)
        self.visits, self.returning = revisit.visits, revisit.agenda

    async def written(self) -> None:
        self.commit()

    def commit(self) -> None:
        self.store.commit(self.frontier.drain())
        self.frontier.committed()

    def know(self, url: str, *, fetched: float, born: float) -> PageState:
        """Know an article since its first fetch."""
        address = self.canonicalizer.address(url)
        assert address is not None
        state = self.visits.first_seen(
            *(address.key, address.url, address.site, PageClass.ARTICLE, fetched), born=born
        )
        self.frontier.remember(state)
        return state

    def begin(self) -> int:
        return asyncio.run(self.returning.begin(BEGAN, rules_changed=False))

    def look(self) -> set[str]:
        """Look at what is due; returns the addresses that are queued by that."""
        before = {*self.states.visited}
        asyncio.run(self.returning.look())
        visited = self.states.visited
        return {state.url for key, state in visited.items() if key not in before}

    def answer(self) -> None:
        """Let all that is queued be as it was."""
        for state in [*self.states.visited.values()]:
            after = self.visits.visited(state, state.visits, self.clock.now, changed=False)
            self.frontier.remember(after)
        self.states.visited.clear()
        self.commit()


@pytest.fixture
def agenda(tmp_path: Path) -> Iterator[Callable[[str], Agenda]]:
    made: list[Agenda] = []

    def make(more: str = "") -> Agenda:
        made.append(Agenda(tmp_path, more))
        return made[-1]

    yield make
    for one in made:
        one.store.release()


def test_a_budget_that_pages_use_up_leaves_old_pages_their_share(
    agenda: Callable[[str], Agenda],
) -> None:
    run = agenda('[revisit]\ncontinuous = true\nbudget = "100/h"\n[politeness]\ndelay = "0s"\n')
    old = {
        run.know(f"http://b.cn/{n}.html", fetched=BEGAN - 30 * DAY, born=BEGAN - 900 * DAY).url
        for n in range(200)
    }
    for number in range(2_000):
        run.know(f"http://c.cn/{number}.html", fetched=BEGAN - DAY, born=BEGAN - 2 * DAY)
    run.begin()
    seen: Counter[bool] = Counter()
    for _ in range(5 * 60):
        run.clock.now += 60.0
        seen.update(url in old for url in run.look())
        run.answer()
    assert seen.total() == pytest.approx(500, rel=0.02)
    assert seen[True] == pytest.approx(50, rel=0.1), "a tenth, by default"


def test_old_pages_of_a_site_that_is_closed_stand_in_nobodys_way(
    agenda: Callable[[str], Agenda],
) -> None:
    run = agenda('[politeness]\ndelay = "0s"\n')
    for site, pages, fetched in (("b", 100, BEGAN - 90 * DAY), ("c", 10, BEGAN - 30 * DAY)):
        for number in range(pages):
            url = f"http://{site}.cn/{number}.html"
            run.know(url, fetched=fetched, born=BEGAN - 900 * DAY)
    run.closed.add("b.cn")
    run.commit()
    run.clock.now += DAY
    assert run.begin() == 10, "of a tenth of 110, all that can be asked"
    assert {state.site for state in run.states.visited.values()} == {"c.cn"}
