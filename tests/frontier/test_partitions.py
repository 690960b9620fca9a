"""A frontier that holds some of the partitions: what is others' is sent, what is let go of leaves no trace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.stores.state.protocol import Changes, InboxBatch, Loaded, SentLink
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import Partitions, partition_of
from focuscrawl.values import Waiting
from tests.frontiers import frontier_over
from tests.opened import closed_at_end

pytestmark = pytest.mark.B1

OWN, OTHER = "a.example", "b.example"
HERE, THERE = partition_of(OWN), partition_of(OTHER)
OTHERS = Partitions({THERE})


def waiting(site: str, number: int) -> Waiting:
    return Waiting(f"http://{site}/{number}", number.to_bytes(16, "big"), site, 3, 3)


def number_of(one: Waiting) -> int:
    return key_number(one.key, partition_of(one.site))


def add(frontier: Frontier, one: Waiting) -> bool:
    return frontier.add(one, number_of(one))


def nothing(**more: object) -> Loaded:
    empty: dict[str, object] = {"sites": [], "runs": [], "folders": [], "places": [], "aside": []}
    return Loaded(**empty, seen=[], records={}, next_sequence=1, **more)  # type: ignore[arg-type]


@pytest.fixture
def frontier(tmp_path: Path) -> Frontier:
    return frontier_over(closed_at_end(SQLiteStore(tmp_path / "x.crawl.db")))


def test_urls_of_others_are_sent_once_and_what_is_wanted_anyway_again(frontier: Frontier) -> None:
    frontier.release(OTHERS)
    link = waiting(OTHER, 1)
    assert not frontier.holds(OTHER)
    assert add(frontier, link)
    assert not add(frontier, link), "it was sent before"
    assert frontier.add_again(link) == 0
    assert add(frontier, waiting(OWN, 2))
    changes = frontier.drain()
    assert changes[THERE] == Changes(sent=[SentLink(link, number_of(link)), SentLink(link, 0)])
    assert [row.waiting.site for row in changes[HERE].added] == [OWN]
    assert frontier.counts().waiting == 1
    assert not frontier.drain()


def test_links_that_were_gathered_for_a_partition_that_is_let_go_of_are_sent_on(
    frontier: Frontier,
) -> None:
    new, asked = waiting(OTHER, 1), waiting(OTHER, 2)._replace(request={"method": "POST"})
    visit = waiting(OTHER, 3)._replace(first_walk=False)
    add(frontier, new)
    for one in (asked, visit):
        frontier.add_again(one)
    frontier.note_site(OTHER, "part", 1)
    frontier.note_fact("kind", "key", 1, THERE)
    frontier.release(OTHERS)
    frontier.note_site(OTHER, "part", 2)
    changes = frontier.drain()
    assert changes == {THERE: Changes(sent=[SentLink(new, number_of(new)), SentLink(asked, 0)])}
    assert number_of(new) not in frontier.seen
    assert frontier.take(1.0, 1.0) is None


@pytest.mark.parametrize("ends", ["acknowledge", "put_back", "fail", "park"])
def test_a_url_in_flight_of_a_partition_that_is_lost_ends_without_a_trace(
    frontier: Frontier, ends: str
) -> None:
    add(frontier, waiting(OTHER, 1))
    add(frontier, waiting(OTHER, 2))
    row = frontier.take(1.0, 1.0)
    assert row is not None
    frontier.drain()
    frontier.committed()
    assert frontier.claim(row.sequence, number_of(waiting(OTHER, 9)))
    frontier.release(OTHERS)
    ways: dict[str, Callable[[], object]] = {
        "acknowledge": lambda: frontier.acknowledge(row.sequence, 2.0),
        "put_back": lambda: frontier.put_back(row.sequence, 2.0),
        "fail": lambda: frontier.fail(row.sequence, "503", 2.0, 2.0),
        "park": lambda: frontier.park(row.sequence, "deny", 2.0),
    }
    ways[ends]()
    assert not frontier.drain()
    assert frontier.counts() == (0, 0, 0, 0, 0)


def test_what_others_have_sent_is_added_when_a_partition_is_loaded_and_later(
    frontier: Frontier,
) -> None:
    frontier.release(OTHERS)
    first, second, third = (waiting(OTHER, number) for number in (1, 2, 3))
    sent = [SentLink(one, number_of(one)) for one in (first, second, third)]
    assert not frontier.take_in(THERE, InboxBatch(4, sent)), "it is not held"
    inbox = {THERE: [InboxBatch(4, sent[:2]), InboxBatch(6, sent[:1])]}
    frontier.load(nothing(inbox=inbox), 1.0, partitions=OTHERS)
    assert frontier.take_in(THERE, InboxBatch(7, sent))
    changes = frontier.drain()[THERE]
    assert [row.waiting for row in changes.added] == [first, second, third]
    assert changes.taken_in == 7


def test_a_link_that_was_sent_is_new_to_who_sent_it_when_its_partition_comes(
    frontier: Frontier,
) -> None:
    frontier.release(OTHERS)
    link = waiting(OTHER, 1)
    assert add(frontier, link)
    (sent,) = frontier.drain()[THERE].sent
    frontier.load(nothing(inbox={THERE: [InboxBatch(1, [sent])]}), 1.0, partitions=OTHERS)
    assert [row.waiting for row in frontier.drain()[THERE].added] == [link]


def test_links_into_a_partition_that_is_being_taken_wait_for_it(frontier: Frontier) -> None:
    frontier.release(OTHERS)
    link = waiting(OTHER, 1)
    frontier.expect(OTHERS, hears_inboxes=False)
    add(frontier, link)
    assert not frontier.drain(), "it would lie in an inbox that was read already"
    frontier.load(nothing(), 1.0, partitions=OTHERS)
    (row,) = frontier.drain()[THERE].added
    assert row.waiting == link


def test_links_into_a_partition_that_is_being_taken_are_stored_with_what_is_done(
    frontier: Frontier,
) -> None:
    frontier.release(OTHERS)
    add(frontier, waiting(OWN, 1))
    page = frontier.take(1.0, 1.0)
    assert page is not None
    frontier.drain()
    frontier.expect(OTHERS, hears_inboxes=True)
    link = waiting(OTHER, 1)
    add(frontier, link)
    frontier.acknowledge(page.sequence, 1.0)
    sent = [SentLink(link, number_of(link))]
    stored = frontier.drain()
    assert page.sequence in stored[partition_of(OWN)].removed
    assert stored[THERE].sent == sent, "a kill may come before the partition is loaded"
    frontier.load(nothing(), 1.0, partitions=OTHERS)
    assert THERE not in frontier.drain(), "it comes from the inbox"
    assert frontier.take_in(THERE, InboxBatch(1, sent))
    (row,) = frontier.drain()[THERE].added
    assert row.waiting == link


def test_links_that_waited_for_a_partition_go_to_whoever_has_it_when_it_is_lost(
    frontier: Frontier,
) -> None:
    frontier.release(OTHERS)
    link = waiting(OTHER, 1)
    frontier.expect(OTHERS, hears_inboxes=False)
    add(frontier, link)
    frontier.release(OTHERS)
    assert frontier.drain()[THERE].sent == [SentLink(link, number_of(link))]


def test_a_url_that_is_in_flight_since_before_its_partition_was_lost_waits_for_that_flights_end(
    tmp_path: Path,
) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    frontier = frontier_over(store)
    frontier.load(asyncio.run(store.load(store.own())), 1.0)
    add(frontier, waiting(OTHER, 1))
    store.commit(frontier.drain())
    frontier.committed()
    row = frontier.take(1.0, 1.0)
    assert row is not None
    frontier.release(OTHERS)
    frontier.load(asyncio.run(store.load(OTHERS)), 1.0, now=1.0, partitions=OTHERS)
    assert frontier.counts()[:2] == (0, 1)
    assert frontier.take(99.0, 99.0) is None
    frontier.acknowledge(row.sequence, 99.0)
    assert frontier.take(199.0, 199.0) == row, "its links may be lost"
    assert not frontier.is_lost(row.sequence)
    frontier.acknowledge(row.sequence, 200.0)
    assert frontier.drain()[THERE].removed == [row.sequence]


def test_a_partition_that_drains_takes_in_nothing_more_and_ends_what_is_in_flight(
    frontier: Frontier,
) -> None:
    add(frontier, waiting(OTHER, 1))
    row = frontier.take(1.0, 1.0)
    assert row is not None
    frontier.close(OTHERS)
    assert frontier.is_busy(OTHERS)
    add(frontier, waiting(OTHER, 2))
    frontier.acknowledge(row.sequence, 2.0)
    assert not frontier.is_busy(OTHERS)
    changes = frontier.drain()[THERE]
    assert changes.removed == [row.sequence]
    assert [link.waiting.url for link in changes.sent] == ["http://b.example/2"]


def test_who_holds_a_page_hears_of_links_to_it_once_more_each_day(frontier: Frontier) -> None:
    frontier.release(OTHERS)
    link = waiting(OTHER, 1)
    assert add(frontier, link)
    frontier.drain()
    assert not add(frontier, link)
    frontier.send_again()
    assert add(frontier, link)
    (sent,) = frontier.drain()[THERE].sent
    heard = []

    def arrived(one: Waiting, number: int) -> bool:
        heard.append(one.url)
        return frontier.add(one, number)

    frontier.load(nothing(), 1.0, partitions=OTHERS)
    frontier.arrived = arrived
    frontier.take_in(THERE, InboxBatch(1, [sent]))
    frontier.take_in(THERE, InboxBatch(2, [sent]))
    assert heard == [link.url] * 2, "one that is known may lead to a page that is gone"
    assert frontier.counts().waiting == 1
