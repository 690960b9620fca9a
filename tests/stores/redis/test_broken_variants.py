"""Every safeguard of a shared crawl, taken out: a test that is there for it must fail.

Clean counts alone do not show that a safeguard is there: most of the time nothing happens that it is for.
Patched from outside; the package has no switch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha1
from typing import TYPE_CHECKING, Any

import pytest

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.rows import GatheredChanges
from focuscrawl.kernel.shared.partitions import HeldPartitions
from focuscrawl.stores.redis import rows, scripts
from focuscrawl.stores.redis import server as server_module
from focuscrawl.stores.redis.store import RedisStore
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import Partitions
from tests.frontier import test_partitions as frontiers
from tests.frontier import test_taken as taken
from tests.frontiers import frontier_over
from tests.kernel import test_deadline as deadline
from tests.kernel import test_partitions as partitions
from tests.kernel.test_deadline import worker
from tests.stores.redis import test_rows as windows
from tests.stores.redis import test_store as stores

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.redis_server import RedisServer
    from tests.stores.conftest import Started

pytestmark = [
    pytest.mark.B1,
    pytest.mark.program,
]  # what breaks is seen when a Redis dies, or leases end

__all__ = ["worker"]  # a fixture

Patch = pytest.MonkeyPatch
Break = Callable[[Patch], None]

FAILURES = (AssertionError, KeyError, TimeoutError)
"""What a test fails with: where something is missing, it is looked for in vain."""


def change_script(patch: Patch, name: str, old: str, new: str) -> None:
    """Let a script be another one, of one change only: changes of two would lose the first."""
    script: scripts.Script = getattr(scripts, name)
    text = script.text.decode()
    assert text.count(old) == 1, f"{name} has no {old!r}"
    other = object.__new__(scripts.Script)
    other.text = text.replace(old, new).encode()
    other.name = sha1(other.text, usedforsecurity=False).hexdigest()
    patch.setattr(scripts, name, other)
    every = tuple(other if one is script else one for one in scripts.ALL)
    patch.setattr(server_module, "ALL", every)


def no_fence(patch: Patch) -> None:
    change_script(patch, "WRITE", "not holds(me, p, epoch)", "false")


def no_deadline(patch: Patch) -> None:
    patch.setattr(RedisStore, "seconds_held", lambda store: 60.0)


def no_deadline_at_the_pick(patch: Patch) -> None:
    patch.setattr(HeldPartitions, "seconds_to_wait", lambda held, site: 0.0)


def no_deadline_before_a_request(patch: Patch) -> None:
    async def is_sure(held: HeldPartitions, request: Any) -> bool:
        return not held._is_lost(request)

    patch.setattr(HeldPartitions, "is_sure", is_sure)


def no_deadline_at_the_socket(patch: Patch) -> None:
    patch.setattr(HeldPartitions, "is_ours", lambda held, request: not held._is_lost(request))


def what_was_lost_is_sent(patch: Patch) -> None:
    patch.setattr(HeldPartitions, "_is_lost", lambda held, request: False)


def a_partition_that_drains_is_worked_on(patch: Patch) -> None:
    wait = HeldPartitions.seconds_to_wait

    def seconds_to_wait(held: HeldPartitions, site: str) -> float:
        draining, held.draining = held.draining, Partitions()
        try:
            return wait(held, site)
        finally:
            held.draining = draining

    patch.setattr(HeldPartitions, "seconds_to_wait", seconds_to_wait)


def deadline_before_the_fate_is_heard(patch: Patch) -> None:
    write = RedisStore._write

    def written(store: RedisStore, window: Any) -> Any:
        done = write(store, window)
        store._sure_until, store._sure_age = done.sure_until, done.age
        return done

    patch.setattr(RedisStore, "_write", written)


def no_floor(patch: Patch) -> None:
    change_script(patch, "JOIN", "taken[#taken + 1] = owner", "taken[#taken + 1] = ''")


def no_timers_handed_over(patch: Patch) -> None:
    give_back = RedisStore._give_back
    patch.setattr(
        RedisStore, "_give_back", lambda store, given, pauses: give_back(store, given, {})
    )


def no_pause_of_the_frontier(patch: Patch) -> None:
    patch.setattr(Frontier, "_pause", lambda frontier, loaded, now: None)


def no_floor_of_the_frontier(patch: Patch) -> None:
    pause = Frontier._pause

    def pause_what_was_said(frontier: Frontier, loaded: Any, now: float) -> None:
        pause(frontier, replace(loaded, unclean={}), now)

    patch.setattr(Frontier, "_pause", pause_what_was_said)


def no_floor_for_sites_that_are_named_later(patch: Patch) -> None:
    patch.setattr(Frontier, "_asked_before", lambda frontier, name, politeness: 0.0)


def no_timers_told(patch: Patch) -> None:
    patch.setattr(Frontier, "pauses_of", lambda frontier, partitions, now: {})


def no_timers_of_what_is_in_flight(patch: Patch) -> None:
    pauses_of = Frontier.pauses_of

    def of_what_is_quiet(
        frontier: Frontier, partitions: Partitions, now: float
    ) -> dict[str, float]:
        busy = {one.site.name for one in frontier._in_flight.values()}
        found = pauses_of(frontier, partitions, now)
        return {name: seconds for name, seconds in found.items() if name not in busy}

    patch.setattr(Frontier, "pauses_of", of_what_is_quiet)


def no_look_at_the_process(patch: Patch) -> None:
    patch.setattr(server_module, "process_of", lambda info: "always the same")


def windows_of_before_a_cut(patch: Patch) -> None:
    write = RedisStore._write
    patch.setattr(
        RedisStore, "_write", lambda store, window: write(store, window._replace(age=store._age))
    )


def no_other_numbers_after_a_cut(patch: Patch) -> None:
    change_script(patch, "JOIN", "redis.call('HINCRBY', K .. 'run', 'numbers', 16777216)", "")


def no_wait_for_who_has_not_heard_of_a_cut(patch: Patch) -> None:
    change_script(patch, "JOIN", "math.max(0, asked_until - at)", "0")


def what_is_done_first(patch: Patch) -> None:
    cut = rows.in_scripts
    patch.setattr(windows, "in_scripts", lambda window: reversed([*cut(window)]))


def a_full_server_takes_a_part(patch: Patch) -> None:
    def some(store: RedisStore, sections: Any) -> Any:
        # Deleting is allowed to who has no room left.
        for one in sections:
            for field in one.parts.get("removed", ()):
                store._server.send([("HDEL", store._server.key("rows", one.partition), field)])
        return write_call(store, sections)

    write_call = RedisStore._write_call
    patch.setattr(RedisStore, "_write_call", some)


def sent_filter_is_the_seen_set(patch: Patch) -> None:
    add = Frontier.add

    def added(frontier: Frontier, waiting: Any, number: int) -> bool:
        is_new = add(frontier, waiting, number)
        frontier.seen.add(number)
        return is_new

    patch.setattr(Frontier, "add", added)


def links_into_a_lost_partition(patch: Patch) -> None:
    def take_in(frontier: Frontier, partition: int, batch: Any) -> bool:
        frontier._add_each(batch.links)
        return True

    patch.setattr(Frontier, "take_in", take_in)


def changes_carried_into_another_epoch(patch: Patch) -> None:
    patch.setattr(GatheredChanges, "release", lambda gathered, partitions: None)


def pages_in_flight_of_a_lost_partition(patch: Patch) -> None:
    def release(frontier: Frontier, partitions: Any) -> None:
        flights, frontier._in_flight = frontier._in_flight, {}
        whole(frontier, partitions)
        frontier._in_flight = flights

    whole = Frontier.release
    patch.setattr(Frontier, "release", release)


def links_of_a_partition_that_is_taken(patch: Patch) -> None:
    patch.setattr(Frontier, "expect", lambda frontier, partitions, **how: None)


def links_of_a_page_that_is_done_are_kept(patch: Patch) -> None:
    expect = Frontier.expect

    def keep(frontier: Frontier, partitions: Partitions, **how: bool) -> None:
        expect(frontier, partitions, hears_inboxes=False)

    patch.setattr(Frontier, "expect", keep)


def admissions_memory_is_kept(patch: Patch) -> None:
    forget = HeldPartitions._forget

    def forget_but_links(held: HeldPartitions, partitions: Partitions) -> None:
        known = {*held._run.rules.known}
        forget(held, partitions)
        held._run.rules.known.update(known)

    patch.setattr(HeldPartitions, "_forget", forget_but_links)


def drains_only_when_quiet(patch: Patch) -> None:
    patch.setattr(Frontier, "is_busy", lambda frontier, partitions: bool(frontier._in_flight))


def pages_in_flight_are_acknowledged_after_a_cut(patch: Patch) -> None:
    release = Frontier.release

    def release_but_flights(frontier: Frontier, partitions: Partitions) -> None:
        release(frontier, partitions)
        for flight in frontier._in_flight.values():
            flight.is_lost = False

    patch.setattr(Frontier, "release", release_but_flights)


def facts_are_the_whole_topics(patch: Patch) -> None:
    note = Frontier.note_fact

    def note_fact(
        frontier: Frontier, kind: str, key: str, value: object, partition: int = 0
    ) -> None:
        note(frontier, kind, key, value)

    patch.setattr(Frontier, "note_fact", note_fact)


BY_SERVER: list[tuple[Break, Callable[..., None]]] = [
    (no_fence, stores.test_of_what_comes_too_late_only_links_are_kept),
    (no_floor, stores.test_of_what_comes_too_late_only_links_are_kept),
    (no_floor, stores.test_what_was_taken_from_the_dead_and_given_on_is_left_in_peace_still),
    (no_timers_handed_over, stores.test_sites_are_left_in_peace_by_whoever_takes_them_next),
    (
        deadline_before_the_fate_is_heard,
        stores.test_who_stood_still_is_sure_of_nothing_before_it_knows_what_others_have,
    ),
]
BY_START: list[tuple[Break, Callable[..., None]]] = [
    (no_look_at_the_process, stores.test_a_redis_that_came_back_voids_what_was_told_before),
    (windows_of_before_a_cut, stores.test_a_redis_that_came_back_voids_what_was_told_before),
    (
        no_other_numbers_after_a_cut,
        stores.test_no_number_is_drawn_twice_whoever_draws_and_whatever_redis_has_lost,
    ),
    (
        no_wait_for_who_has_not_heard_of_a_cut,
        stores.test_after_a_lost_second_sites_are_left_in_peace_whoever_had_them,
    ),
    (
        no_wait_for_who_has_not_heard_of_a_cut,
        stores.test_after_a_lost_second_who_stood_still_is_not_sure_that_nobody_asks_what_it_had,
    ),
    (
        a_full_server_takes_a_part,
        stores.test_a_page_is_done_only_when_its_links_are_stored_wherever_they_go,
    ),
]
BY_FRONTIER: list[tuple[Break, Callable[..., None]]] = [
    (
        sent_filter_is_the_seen_set,
        frontiers.test_a_link_that_was_sent_is_new_to_who_sent_it_when_its_partition_comes,
    ),
    (
        links_into_a_lost_partition,
        frontiers.test_what_others_have_sent_is_added_when_a_partition_is_loaded_and_later,
    ),
    (
        changes_carried_into_another_epoch,
        frontiers.test_links_that_were_gathered_for_a_partition_that_is_let_go_of_are_sent_on,
    ),
    (
        links_of_a_partition_that_is_taken,
        frontiers.test_links_into_a_partition_that_is_being_taken_wait_for_it,
    ),
    (
        links_of_a_page_that_is_done_are_kept,
        frontiers.test_links_into_a_partition_that_is_being_taken_are_stored_with_what_is_done,
    ),
    (
        facts_are_the_whole_topics,
        frontiers.test_links_that_were_gathered_for_a_partition_that_is_let_go_of_are_sent_on,
    ),
]
BY_TAKER: list[tuple[Break, Callable[[Frontier], None]]] = [
    (
        no_pause_of_the_frontier,
        taken.test_what_was_taken_in_order_is_left_for_as_long_as_was_said,
    ),
    (no_floor_of_the_frontier, taken.test_a_site_that_waits_when_it_is_taken_is_left_as_well),
    (
        no_floor_for_sites_that_are_named_later,
        taken.test_a_site_of_who_has_died_is_left_for_its_whole_pause,
    ),
    (
        no_floor_for_sites_that_are_named_later,
        taken.test_a_pause_that_is_heard_of_later_counts_from_when_the_site_was_taken,
    ),
    (
        no_timers_told,
        taken.test_who_gives_a_site_back_that_was_taken_from_the_dead_says_that_it_is_still_left,
    ),
    (
        no_timers_of_what_is_in_flight,
        taken.test_whoever_gives_partitions_back_says_how_long_each_of_their_sites_is_still_left,
    ),
]
BY_WORKER: list[tuple[Break, Callable[..., None]]] = [
    (no_deadline, deadline.test_nothing_is_picked_when_the_lease_is_over_until_it_is_renewed),
    (no_deadline, deadline.test_what_is_sure_ends_before_the_lease_does),
    (
        no_deadline_at_the_pick,
        deadline.test_nothing_is_picked_when_the_lease_is_over_until_it_is_renewed,
    ),
    (
        a_partition_that_drains_is_worked_on,
        deadline.test_of_a_partition_that_drains_nothing_is_picked_and_of_others_it_is,
    ),
]
BY_SENDER: list[tuple[Break, Callable[..., None]]] = [
    (
        no_deadline,
        deadline.test_what_was_picked_before_is_sent_after_only_when_it_is_ours_still,
    ),
    (
        no_deadline_before_a_request,
        deadline.test_what_was_picked_before_is_sent_after_only_when_it_is_ours_still,
    ),
    (
        what_was_lost_is_sent,
        deadline.test_what_was_picked_before_is_sent_after_only_when_it_is_ours_still,
    ),
    (no_deadline, deadline.test_what_stood_still_while_it_connected_writes_nothing_before_it_knows),
    (
        no_deadline_at_the_socket,
        deadline.test_what_stood_still_while_it_connected_writes_nothing_before_it_knows,
    ),
]
BY_FILE: list[tuple[Break, Callable[[Path], None]]] = [
    (
        admissions_memory_is_kept,
        partitions.test_a_link_into_a_partition_that_was_lost_is_sent_though_it_was_known,
    ),
    (
        drains_only_when_quiet,
        partitions.test_a_partition_is_let_go_of_while_urls_of_others_are_in_flight,
    ),
    (
        pages_in_flight_are_acknowledged_after_a_cut,
        frontiers.test_a_url_that_is_in_flight_since_before_its_partition_was_lost_waits_for_that_flights_end,
    ),
]


def names(variants: list[tuple[Break, Callable[..., None]]]) -> list[str]:
    return [one.__name__ for one, _ in variants]


@pytest.mark.parametrize(("broken", "check"), BY_SERVER, ids=names(BY_SERVER))
def test_without_a_safeguard_of_workers_its_test_fails(
    broken: Break,
    check: Callable[..., None],
    monkeypatch: Patch,
    redis_of_tests: RedisServer,
    tmp_path: Path,
) -> None:
    broken(monkeypatch)
    with pytest.raises(FAILURES):
        check(redis_of_tests, tmp_path)


@pytest.mark.program
@pytest.mark.parametrize(("broken", "check"), BY_START, ids=names(BY_START))
def test_without_a_safeguard_against_what_redis_loses_its_test_fails(
    broken: Break, check: Callable[..., None], monkeypatch: Patch, started: Started
) -> None:
    broken(monkeypatch)
    with pytest.raises(FAILURES):
        check(started)


@pytest.mark.parametrize(("broken", "check"), BY_FRONTIER, ids=names(BY_FRONTIER))
def test_without_a_safeguard_of_the_frontier_its_test_fails(
    broken: Break, check: Callable[..., None], monkeypatch: Patch, tmp_path: Path
) -> None:
    broken(monkeypatch)
    with pytest.raises(FAILURES):
        check(frontier_over(SQLiteStore(tmp_path / "x.crawl.db")))


@pytest.mark.parametrize(("broken", "check"), BY_TAKER, ids=names(BY_TAKER))
def test_without_the_pause_of_who_takes_a_site_its_test_fails(
    broken: Break, check: Callable[[Frontier], None], monkeypatch: Patch, tmp_path: Path
) -> None:
    broken(monkeypatch)
    with pytest.raises(FAILURES):
        check(taken.frontier_without_one(tmp_path))


@pytest.mark.parametrize(("broken", "check"), BY_WORKER, ids=names(BY_WORKER))
def test_without_the_deadline_of_a_pick_its_test_fails(
    broken: Break, check: Callable[..., None], monkeypatch: Patch, worker: deadline.Worker
) -> None:
    broken(monkeypatch)
    with pytest.raises(FAILURES):
        check(worker)


@pytest.mark.parametrize(("broken", "check"), BY_SENDER, ids=names(BY_SENDER))
def test_without_the_deadline_of_what_is_sent_its_test_fails(
    broken: Break, check: Callable[..., None], monkeypatch: Patch, worker: deadline.Worker
) -> None:
    broken(monkeypatch)
    with pytest.raises((*FAILURES, pytest.fail.Exception)):
        check(worker, True)


def test_without_timers_that_are_told_who_gives_back_keeps_nobody_from_asking(
    monkeypatch: Patch, worker: deadline.Worker, redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    no_timers_told(monkeypatch)
    check = deadline.test_whoever_lets_go_of_a_partition_tells_the_next_how_long_its_sites_are_left
    with pytest.raises(FAILURES):
        check(worker, redis_of_tests, tmp_path)


@pytest.mark.parametrize("ends", ["fail", "park"])
def test_when_pages_in_flight_of_a_lost_partition_are_acknowledged_their_test_fails(
    monkeypatch: Patch, tmp_path: Path, ends: str
) -> None:
    pages_in_flight_of_a_lost_partition(monkeypatch)
    check = frontiers.test_a_url_in_flight_of_a_partition_that_is_lost_ends_without_a_trace
    with pytest.raises(FAILURES):
        check(frontier_over(SQLiteStore(tmp_path / "x.crawl.db")), ends)


def test_when_a_window_is_cut_the_other_way_round_its_test_fails(monkeypatch: Patch) -> None:
    what_is_done_first(monkeypatch)
    monkeypatch.setattr(rows, "VALUES_IN_SCRIPT", windows.FEW)
    with pytest.raises((*FAILURES, ExceptionGroup)):
        windows.test_what_is_done_comes_last_and_what_is_known_of_pages_before_it()


@pytest.mark.parametrize(("broken", "check"), BY_FILE, ids=names(BY_FILE))
def test_without_a_safeguard_of_who_holds_what_its_test_fails(
    broken: Break, check: Callable[[Path], None], monkeypatch: Patch, tmp_path: Path
) -> None:
    broken(monkeypatch)
    with pytest.raises(FAILURES):
        check(tmp_path)
