"""What boards say of their threads, and how long threads wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.forums.quiet_boards import LONGEST_WAIT, QuietBoards, is_by_last_reply
from focuscrawl.features.revisit.table import visit_rules
from focuscrawl.features.revisit.visit_queue import OtherReaders, VisitQueue
from focuscrawl.features.revisit.visits import Visits, VisitScope
from focuscrawl.frontier.rows import PageStates
from focuscrawl.kernel.ports import SearchPolicy
from focuscrawl.readers.links.admission import Admission
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.stores.state.protocol import Changes
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.values import BoardThread, LinkBatch, PageClass, PageState, Waiting
from tests.clock import NOON, StandingClock
from tests.frontiers import frontier_over
from tests.tables import each_row

pytestmark = pytest.mark.A9

TOPIC = """
[topic]
name = "x"
keywords = ["食品"]
[[source]]
url = "http://bbs.test/"
kind = "forum"
name = "bbs"
[revisit]
continuous = true
"""

DATES = st.lists(st.integers(0, 40), min_size=3, max_size=30)


def threads(*dates: float | None) -> list[BoardThread]:
    return [
        BoardThread(f"http://b.cn/{n}", "帖", 1, last_reply=date) for n, date in enumerate(dates)
    ]


@each_row(
    ("dates", "expected"),
    [
        ((9, 8, 7, 7, 3), True),
        ((2, 9, 8, 7, 7, 3), True),  # one is pinned
        ((9, 8, None, 7, 3), True),
        ((9, 8, 7, 8, 3), False),
        ((1, 2, 3, 4), False),
        ((5, 5, 5, 5), False),  # it says nothing
        ((9, None, None, 3), False),
        ((9,), False),
        ((), False),
    ],
)
def test_a_board_by_last_reply_shows_falling_dates(
    dates: tuple[float | None, ...], expected: bool
) -> None:
    assert is_by_last_reply(threads(*dates)) is expected


@given(DATES)
def test_threads_in_order_are_and_in_the_opposite_order_are_not(dates: list[int]) -> None:
    ordered = sorted(map(float, dates), reverse=True)
    assert is_by_last_reply(threads(*ordered)) is (ordered[0] > ordered[-1])
    if all(one > after for one, after in pairwise(ordered)):
        assert not is_by_last_reply(threads(*reversed(ordered)))


async def none_put_off(pages: Sequence[PageState]) -> set[bytes]:
    return set()


def boards_of(clock: StandingClock) -> QuietBoards:
    sources = {source.source_id: source for source in load(TOPIC).template.sources}
    return QuietBoards(sources, clock)


SOURCE = load(TOPIC).template.sources[0].source_id


def page(number: int, page_class: PageClass = PageClass.PAGING) -> Waiting:
    """Return page ``number`` of a board that is read again, named by the page before it."""
    return Waiting(
        f"http://bbs.test/{number}",
        bytes([number]) * 16,
        "bbs.test",
        1,
        1,
        page_class if number > 1 else PageClass.BOARD,
        parent_key=bytes([number - 1]) * 16,
        source_id=SOURCE,
        page_number=number,
        first_walk=False,
    )


def shown(boards: QuietBoards, number: int, *, further: int, count: int = 3) -> None:
    """Let a page of the board show ``count`` threads and name ``further`` pages."""
    listed = tuple(threads(*map(float, range(count, 0, -1))))
    batch = LinkBatch(PageClass.BOARD, threads=listed)
    boards.read(page(number), batch, Admission(0, further, 0, {}))


def test_a_board_is_under_way_until_its_last_page_was_read() -> None:
    boards = boards_of(StandingClock())
    for number in (1, 2, 3):
        shown(boards, number, further=1)
        boards.ended(page(number))
        assert boards.under_way(()) == {SOURCE}
    shown(boards, 4, further=0)
    assert boards.under_way(()) == frozenset()


@pytest.mark.parametrize("number", [2, 3])
def test_a_further_page_that_does_not_come_ends_the_reading_of_its_board(number: int) -> None:
    boards = boards_of(StandingClock())
    for before in range(1, number):
        shown(boards, before, further=1)
        boards.ended(page(before))
    boards.ended(page(number))
    assert boards.under_way(()) == frozenset()


def test_a_further_page_without_threads_ends_the_reading_of_its_board() -> None:
    boards = boards_of(StandingClock())
    shown(boards, 1, further=1)
    shown(boards, 2, further=1, count=0)
    assert boards.under_way(()) == frozenset()


def test_the_later_page_of_a_thread_ends_no_reading_of_its_board() -> None:
    boards = boards_of(StandingClock())
    shown(boards, 1, further=1)
    thread = page(2, PageClass.ARTICLE_PAGING)
    boards.read(thread, LinkBatch(PageClass.THREAD), Admission(0, 0, 0, {}))
    boards.ended(thread)
    assert boards.under_way(()) == {SOURCE}


@pytest.mark.parametrize("continuous", [True, False])
@pytest.mark.parametrize("overdue", [0.0, 9 * LONGEST_WAIT])
def test_threads_wait_for_boards_an_hour_of_a_run_that_goes_on(
    tmp_path: Path, overdue: float, continuous: bool
) -> None:
    template = load(TOPIC.replace("true", str(continuous).lower())).template
    clock, rules = StandingClock(), AdmissionRules.from_template(template, NOON)
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    frontier = frontier_over(store)
    boards = boards_of(clock)
    states = PageStates(frontier, clock)
    states.stays = continuous
    queue = VisitQueue(
        VisitScope(
            Visits(visit_rules(template)), states, template, store, frontier, clock, rules, {}
        ),
        OtherReaders(
            walks=SearchPolicy,
            waits=lambda queued: boards.waiting_for(queued.values(), stays=states.stays),
            put_off=none_put_off,
        ),
        linger=inf,
    )
    thread = PageState(
        b"t" * 16, "http://bbs.test/t", "bbs.test", PageClass.THREAD, 3, 0.0, 0.0, NOON - overdue, 1
    )._replace(source_id=SOURCE)
    store.commit({0: Changes(pages=[thread])})

    def due() -> list[PageState]:
        return asyncio.run(queue.due(clock.wall(), 10))

    shown(boards, 1, further=1)
    clock.now = NOON + LONGEST_WAIT - 1
    assert due() == []
    clock.now = NOON + LONGEST_WAIT
    assert due() == ([thread] if continuous else [])
    store.release()
