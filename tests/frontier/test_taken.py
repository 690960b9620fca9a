"""Sites of partitions that change hands: whoever takes one leaves its sites as long as whoever had it would have.

Delays are longer than any lease here: with shorter ones the lease itself is the pause, and nothing is seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from focuscrawl.frontier.lines import Politeness
from focuscrawl.stores.state.protocol import InboxBatch, SentLink
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import ALL_PARTITIONS, Partitions, partition_of
from tests.frontier.test_partitions import (
    OTHER,
    OTHERS,
    OWN,
    THERE,
    add,
    nothing,
    number_of,
    waiting,
)
from tests.frontiers import frontier_over

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.frontier.frontier import Frontier

pytestmark = pytest.mark.B1

DELAY, JITTER = 60.0, 0.5
WHOLE = DELAY * (1 + JITTER)
"""The longest pause that whoever had a site may have drawn."""

TAKEN = 1000.0
NEIGHBOUR = next(
    site for site in (f"n{n}.example" for n in range(10_000)) if partition_of(site) == THERE
)
"""Another site of the partition of OTHER."""


def frontier_without_one(folder: Path) -> Frontier:
    """Return a frontier that has let go of one partition; its own luck draws the shortest pauses."""
    made = frontier_of_all(folder)
    made.release(OTHERS)
    return made


def frontier_of_all(folder: Path) -> Frontier:
    return frontier_over(
        SQLiteStore(folder / "x.crawl.db"), politeness=lambda site: Politeness(DELAY, JITTER)
    )


@pytest.fixture
def frontier(tmp_path: Path) -> Frontier:
    return frontier_without_one(tmp_path)


def first_asked(frontier: Frontier, since: float) -> float:
    """Return after how many seconds something is handed out, to a tenth."""
    for tenth in range(round(20 * WHOLE)):
        if frontier.take(since + tenth / 10, 0.0) is not None:
            return tenth / 10
    raise AssertionError("nothing is ever handed out")


def test_a_site_of_who_has_died_is_left_for_its_whole_pause(frontier: Frontier) -> None:
    link = waiting(OTHER, 1)
    add(frontier, link)
    (sent,) = frontier.drain()[THERE].sent
    frontier.load(nothing(unclean={THERE: 0.0}), TAKEN, now=TAKEN, partitions=OTHERS)
    add(frontier, sent.waiting)
    assert first_asked(frontier, TAKEN) == WHOLE, "it may have been asked a moment before"


def test_a_site_that_waits_when_it_is_taken_is_left_as_well(frontier: Frontier) -> None:
    frontier.load(nothing(), 0.0, now=0.0, partitions=OTHERS)  # it was known here once
    add(frontier, waiting(OTHER, 1))
    frontier.release(OTHERS)
    sent = waiting(OTHER, 2)
    inbox = {THERE: [InboxBatch(1, [SentLink(sent, number_of(sent))])]}
    frontier.load(nothing(unclean={THERE: 0.0}, inbox=inbox), TAKEN, now=TAKEN, partitions=OTHERS)
    assert first_asked(frontier, TAKEN) == WHOLE


def test_a_site_that_nobody_has_named_yet_is_left_as_well(frontier: Frontier) -> None:
    frontier.load(nothing(unclean={THERE: 0.0}), TAKEN, now=TAKEN, partitions=OTHERS)
    add(frontier, waiting(NEIGHBOUR, 1))
    assert first_asked(frontier, TAKEN + 40.0) == WHOLE - 40.0


def test_a_site_that_others_may_still_ask_is_left_for_its_whole_pause_after_that(
    frontier: Frontier,
) -> None:
    frontier.load(nothing(unclean={THERE: 15.0}), TAKEN, now=TAKEN, partitions=OTHERS)
    add(frontier, waiting(OTHER, 1))
    assert first_asked(frontier, TAKEN) == WHOLE + 15.0


def test_sites_of_partitions_that_were_held_all_the_time_are_not_left(frontier: Frontier) -> None:
    add(frontier, waiting(OWN, 1))
    frontier.load(nothing(unclean={THERE: 0.0}), TAKEN, now=TAKEN, partitions=OTHERS)
    assert frontier.take(TAKEN, 0.0) is not None
    add(frontier, waiting("c.example", 1))
    assert partition_of("c.example") != THERE
    assert frontier.take(TAKEN, 0.0) is not None


def test_a_pause_that_is_heard_of_later_counts_from_when_the_site_was_taken(
    frontier: Frontier,
) -> None:
    frontier.load(nothing(unclean={THERE: 0.0}), TAKEN, now=TAKEN, partitions=OTHERS)
    add(frontier, waiting(OTHER, 1))
    frontier.set_politeness(OTHER, Politeness(2 * DELAY))  # as its robots.txt wants it
    assert first_asked(frontier, TAKEN + 30.0) == 2 * DELAY - 30.0


def test_what_was_taken_in_order_is_left_for_as_long_as_was_said(frontier: Frontier) -> None:
    for number, site in enumerate((OTHER, NEIGHBOUR)):
        add(frontier, waiting(site, number))
    sent = [link.waiting for link in frontier.drain()[THERE].sent]
    frontier.load(nothing(pauses={OTHER: 12.5}), TAKEN, now=TAKEN, partitions=OTHERS)
    for link in sent:
        add(frontier, link)
    first = frontier.take(TAKEN, 0.0)
    assert first is not None
    assert first.waiting.site == NEIGHBOUR, "nothing was said of it"
    assert first_asked(frontier, TAKEN) == 12.5


def test_whoever_gives_partitions_back_says_how_long_each_of_their_sites_is_still_left(
    frontier: Frontier,
) -> None:
    frontier.load(nothing(), TAKEN, now=TAKEN, partitions=OTHERS)
    asked, quiet, named = waiting(OTHER, 1), waiting(OWN, 1), waiting(NEIGHBOUR, 2)
    for one in (asked, quiet):
        add(frontier, one)
    for _ in range(2):
        row = frontier.take(TAKEN, 0.0)
        assert row is not None
        if row.waiting.site == OWN:
            frontier.acknowledge(row.sequence, TAKEN)
    add(frontier, named)
    assert frontier.pauses_of(OTHERS, TAKEN + 10) == {OTHER: WHOLE}, "its answer is on its way"
    home = Partitions({partition_of(OWN)})
    assert frontier.pauses_of(home, TAKEN + 10) == {OWN: DELAY - 10}
    assert frontier.pauses_of(ALL_PARTITIONS, TAKEN + 10) == {OTHER: WHOLE, OWN: DELAY - 10}
    assert frontier.pauses_of(home, TAKEN + DELAY) == {}


def test_who_gives_a_site_back_that_was_taken_from_the_dead_says_that_it_is_still_left(
    frontier: Frontier,
) -> None:
    frontier.load(nothing(unclean={THERE: 0.0}), TAKEN, now=TAKEN, partitions=OTHERS)
    add(frontier, waiting(OTHER, 1))
    assert frontier.pauses_of(OTHERS, TAKEN + 10) == {OTHER: WHOLE - 10}


def test_a_partition_that_is_taken_in_order_after_a_death_long_ago_is_not_left_again(
    frontier: Frontier,
) -> None:
    frontier.load(nothing(unclean={THERE: 0.0}), TAKEN, now=TAKEN, partitions=OTHERS)
    frontier.release(OTHERS)
    later = TAKEN + 10
    frontier.load(nothing(), later, now=later, partitions=OTHERS)
    add(frontier, waiting(NEIGHBOUR, 1))
    assert first_asked(frontier, later) == 0.0
