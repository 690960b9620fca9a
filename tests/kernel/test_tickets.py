"""Tickets of articles: never more than there may be, whatever becomes of those that are under way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.kernel.tickets import TICKETS_AHEAD, ArticleTickets


class Run:
    """A run that stores articles; of those with an even number it knew none."""

    def __init__(self, limit: int, *, is_shared: bool = False) -> None:
        self.new: set[int] = set()
        self.is_sure = True
        self.tickets = ArticleTickets(
            limit, lambda: len(self.new), lambda: self.is_sure, is_shared=is_shared
        )
        self._kept: set[int] = set()
        self._written: set[int] = set()

    def keep(self, number: int) -> None:
        self.tickets.keep(str(number))
        self._kept.add(number)

    def write(self) -> None:
        self.tickets.write()
        self._written, self._kept = self._kept, set()

    def count(self) -> None:
        self.new |= {number for number in self._written if number % 2 == 0}
        self._written = set()
        self.tickets.counted_anew()


STEPS = st.lists(st.tuples(st.sampled_from(["draw", "keep", "lose", "window"]), st.integers(0, 9)))


@given(STEPS, st.integers(1, 5))
def test_no_more_new_articles_are_stored_than_may_be(
    steps: list[tuple[str, int]], limit: int
) -> None:
    run, drawn = Run(limit), set[int]()
    for step, number in steps:
        if step == "draw" and number not in drawn and run.tickets.draw_now(str(number)):
            drawn.add(number)
        elif step == "keep" and number in drawn:
            drawn.remove(number)
            run.keep(number)
        elif step == "lose" and number in drawn:
            drawn.remove(number)
            run.tickets.lose(str(number))
        elif step == "window":
            run.write()
            run.count()
        assert len(run.new) + run.tickets.pending <= limit
        assert run.tickets.may_go_on == (len(run.new) + run.tickets.pending < limit)
    for number in drawn:
        run.tickets.lose(str(number))
    for _ in range(2):
        run.write()
        run.count()
    assert run.tickets.pending == 0
    assert run.tickets.left == limit - len(run.new)


def drawn_at_last(run: Run, meanwhile: Callable[[], Any], limit: int = 2) -> list[bool]:
    """Draw for two articles and two more, which wait; returns what became of these after something."""

    async def draw() -> list[bool]:
        assert [await run.tickets.draw(str(number)) for number in range(limit)] == [True] * limit
        late = [asyncio.ensure_future(run.tickets.draw(str(number))) for number in (12, 14)]
        await asyncio.sleep(0)
        assert not any(one.done() for one in late)
        assert not run.tickets.may_go_on
        meanwhile()
        await asyncio.sleep(0)
        return [one.result() if one.done() else None for one in late]  # type: ignore[misc]

    return asyncio.run(draw())


def test_an_article_waits_until_it_is_known_whether_those_before_it_are_new() -> None:
    run = Run(2)

    def stored() -> None:
        for number in (0, 1):
            run.keep(number)
        run.write()
        run.count()

    assert drawn_at_last(run, stored) == [True, None], "article 1 was known"
    run = Run(2)
    assert drawn_at_last(run, lambda: run.tickets.lose("1")) == [True, None], "it was a copy"
    run = Run(1)

    def last_one() -> None:
        run.keep(0)
        run.write()
        run.count()

    assert drawn_at_last(run, last_one, limit=1) == [False, False], "there will be no more"
    run = Run(2)
    assert drawn_at_last(run, run.tickets.give_up) == [False, False], "the run is about to end"


def test_an_article_that_has_a_ticket_needs_no_second_one() -> None:
    run = Run(1)
    assert run.tickets.draw_now("0")
    assert run.tickets.draw_now("0")
    run.keep(0)
    assert run.tickets.draw_now("0")
    run.write()
    assert run.tickets.draw_now("0")
    assert not run.tickets.draw_now("2")
    run.count()
    assert not run.tickets.draw_now("2")
    assert run.tickets.are_used_up


def test_who_shares_a_crawl_has_what_it_was_granted_and_asks_for_more_when_it_uses_some() -> None:
    run = Run(100, is_shared=True)
    assert run.tickets.wanted(ahead=True).number == 0, "no article has come yet"
    assert run.tickets.may_go_on
    assert not run.tickets.draw_now("0")

    async def wait() -> bool:
        waiting = asyncio.ensure_future(run.tickets.draw("0"))
        await asyncio.sleep(0)
        assert not run.tickets.may_go_on
        wanted = run.tickets.wanted(ahead=False)
        assert (wanted.limit, wanted.number) == (100, TICKETS_AHEAD)
        run.tickets.grant(2)
        return await waiting

    assert asyncio.run(wait())
    assert run.tickets.draw_now("2")
    assert not run.tickets.draw_now("4"), "others have the rest"
    run.tickets.grant(3)
    run.is_sure = False
    assert not run.tickets.draw_now("4"), "it stood still, and others may take it for dead"
    run.is_sure = True
    assert run.tickets.draw_now("4")
    assert run.tickets.wanted(ahead=False).number == 3 + TICKETS_AHEAD
    assert run.tickets.wanted(ahead=False).number == 3, "none was used since: others may have them"


def test_of_one_that_was_taken_for_gone_nothing_is_stored_before_it_has_tickets_again() -> None:
    run = Run(9, is_shared=True)
    tickets = run.tickets
    tickets.wanted(ahead=True)
    tickets.grant(9)
    assert all(tickets.draw_now(key) for key in ("drawn", "kept", "written"))
    tickets.keep("written")
    tickets.write()
    tickets.keep("kept")
    tickets.void()
    assert tickets.voided == {"drawn", "kept", "written"}
    assert not tickets.keep("drawn"), "it was in the pipelines"
    assert tickets.pending == 0
    assert not tickets.draw_now("kept")
    tickets.wanted(ahead=True)
    tickets.grant(1)
    assert tickets.draw_now("kept"), "its page was fetched again"
    assert not tickets.draw_now("other")
    assert tickets.voided == {"drawn", "written"}
