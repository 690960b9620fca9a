"""States of pages on their way into the store: which date is next, and what is known of a page now."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.frontier.rows import MOST_OPEN, PageStates
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import PageClass, PageState
from tests.clock import NOON, StandingClock
from tests.frontiers import frontier_over

pytestmark = pytest.mark.visit_states

DAY = 86_400.0


class Run:
    """States over a store."""

    def __init__(self, folder: Path) -> None:
        self.store = SQLiteStore(folder / "x.crawl.db")
        self.store.own()
        self.frontier = frontier_over(self.store)
        self.states = PageStates(self.frontier, StandingClock(NOON))

    def commit(self) -> None:
        self.store.commit(self.frontier.drain())
        self.frontier.committed()

    def stored(self, state: PageState) -> PageState:
        self.commit()
        return asyncio.run(self.store.pages([state.key]))[state.key]

    def known(self, state: PageState) -> PageState:
        return asyncio.run(self.states.known(self.store, [state.key]))[state.key]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    made = Run(tmp_path)
    yield made
    made.store.release()


def page(number: int, page_class: PageClass = PageClass.ARTICLE, **more: Any) -> PageState:
    url = f"http://a.cn/{number}"
    made = PageState(bytes([number]) * 16, url, "a.cn", page_class, 3, NOON, NOON, NOON + DAY, 1)
    return made._replace(**more)


def test_the_next_date_is_the_first_of_all_pages_that_are_not_queued(run: Run) -> None:
    assert run.states.next_due is None
    for number, days in enumerate((3, 2, 5)):
        run.states.remember(page(number, next_visit=NOON + days * DAY))
    run.states.remember(page(9, next_visit=None))
    assert run.states.next_due == NOON + 2 * DAY


@pytest.mark.parametrize(
    ("stays", "more", "is_planned"),
    [
        (False, {}, False),
        (True, {}, True),
        (False, {"every": 60.0}, True),
    ],
)
def test_a_list_is_due_with_the_next_run_unless_the_run_stays_or_its_source_has_an_interval(
    run: Run, stays: bool, more: dict[str, Any], is_planned: bool
) -> None:
    run.states.stays = stays
    one = page(1, PageClass.BOARD, **more)
    run.states.remember(one)
    assert run.stored(one).next_visit == (NOON + DAY if is_planned else NOON)
    assert run.states.next_due == (NOON + DAY if is_planned else None)
    source = page(2, PageClass.OTHER, facts={"source": True}, **more)
    run.states.remember(source)
    assert run.stored(source).next_visit == (NOON + DAY if is_planned else NOON)


def test_the_lease_of_a_list_and_a_date_that_has_come_are_not_moved(run: Run) -> None:
    reserved = page(1, PageClass.BOARD, reserved=NOON + DAY)
    run.states.remember(reserved)
    assert run.stored(reserved).next_visit == NOON + DAY
    due = page(2, PageClass.BOARD, next_visit=NOON - DAY)
    run.states.remember(due)
    assert run.stored(due).next_visit == NOON - DAY


def test_a_page_is_known_as_it_is_in_flight_else_as_it_will_be_written_else_as_it_is_stored(
    run: Run,
) -> None:
    one = page(1)
    run.states.remember(one)
    run.commit()
    assert run.known(one) == one
    run.states.remember(one._replace(visits=2))
    assert run.known(one).visits == 2
    run.states.visited[one.key] = one._replace(visits=3)
    assert run.known(one).visits == 3
    run.states.moved(one._replace(visits=4))
    assert run.states.visited[one.key].visits == 4
    assert run.stored(one).visits == 4
    run.states.moved(page(2))
    assert [*run.states.visited] == [one.key], "only what is queued is kept at hand"


def test_the_state_of_an_article_whose_parts_are_to_come_is_at_hand_and_has_no_date_yet(
    run: Run,
) -> None:
    one = page(1)
    run.states.wait_for_rest(one)
    run.states.remember(one._replace(visits=2))
    assert run.states.open[one.key].visits == 2
    assert run.states.next_due is None
    assert run.stored(one).visits == 2


def test_of_very_many_articles_whose_parts_never_come_the_first_are_let_go(run: Run) -> None:
    for number in range(MOST_OPEN + 2):
        run.states.wait_for_rest(page(1)._replace(key=number.to_bytes(16, "big")))
    assert len(run.states.open) == MOST_OPEN
    assert (1).to_bytes(16, "big") not in run.states.open
    assert (2).to_bytes(16, "big") in run.states.open
