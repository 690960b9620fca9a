"""What a run queues once more: old pages beside those that are due."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.features.revisit import crawl_agenda
from focuscrawl.features.revisit.crawl_agenda import BACK_EVERY, OLD_PAGES, PERIOD
from focuscrawl.features.revisit.feature import Revisit
from focuscrawl.features.revisit.quiet_lists import NEWEST
from focuscrawl.frontier.lines import Politeness
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.ports import SearchPolicy, SitePolicy
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.urls.sites import partition_of
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


class ClosedSites(SitePolicy):
    """Sites that are ``closed`` may be asked tomorrow."""

    def __init__(self) -> None:
        self.closed: set[str] = set()

    def seconds_closed(self, site: str, wall: float) -> float:
        return DAY if site in self.closed else 0.0


class Agenda:
    """A run that only queues; what it queues waits for ever, unless it is ``answered``."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self.clock = clock = StandingClock(BEGAN)
        template = load(TOPIC + more, {}, {}).template
        self.store = SQLiteStore(folder / "x.crawl.db")
        self.store.own()
        kernel = kernel_over(self.store, template, clock)
        kernel.hooks.sites = sites = ClosedSites()
        self.closed = sites.closed
        self.frontier, self.states = kernel.frontier, kernel.pages
        kernel.commits.written = self.written  # type: ignore[method-assign]
        self.canonicalizer = kernel.rules.canonicalizer
        self.frontier.note_fact(OLD_PAGES, "", {"at": BEGAN, "left": 0.0})
        self.commit()
        self.kernel = kernel
        revisit = Revisit(kernel)
        self.visits, self.returning = revisit.visits, revisit.agenda
        self.linked = revisit.gone.linked

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

    def know_list(self, url: str, *, fetched: float, **more: Any) -> PageState:
        """Know a list since its first fetch."""
        address = self.canonicalizer.address(url)
        assert address is not None
        state = self.visits.first_seen(
            *(address.key, address.url, address.site, PageClass.BOARD, fetched)
        )
        [source] = load(TOPIC, {}, {}).template.sources
        facts = {"parent": b"p" * 16, **more.pop("facts", {})}
        state = state._replace(source_id=source.source_id, facts=facts, **more)
        self.frontier.remember(state)
        return state

    def begin(self, began: float = BEGAN, **how: bool) -> int:
        self.commit()
        queued = asyncio.run(self.returning.begin(began, **({"rules_changed": False} | how)))
        self.commit()
        return queued

    def queued(self) -> set[str]:
        """Return the addresses that are queued."""
        return {state.url for state in self.states.visited.values()}

    def due(self) -> int:
        return self.returning.due()

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


ONE, LIST = "http://c.cn/1.html", "http://a.cn/list/"


@pytest.mark.parametrize("more", ['[revisit]\npolicy = "off"\n', ""])
def test_a_run_looks_at_what_is_due_if_it_revisits_at_all(
    agenda: Callable[[str], Agenda], more: str
) -> None:
    run = agenda(more)
    run.know(ONE, fetched=BEGAN - 9 * DAY, born=BEGAN - 9 * DAY)
    run.clock.now += 1
    assert run.begin() == (not more)
    assert run.due() == (not more)
    run.clock.now += 9 * DAY
    assert run.returning.is_time() is False
    assert run.returning.may_come() is False


def test_a_run_that_stays_looks_when_the_next_page_is_due_and_not_before(
    agenda: Callable[[str], Agenda],
) -> None:
    run = agenda("[revisit]\ncontinuous = true\nold = 0\n")
    run.know(ONE, fetched=BEGAN, born=BEGAN)
    assert run.begin() == 0
    date = run.states.next_due
    assert date is not None
    assert BEGAN + HOUR < date < BEGAN + 2 * DAY
    run.clock.now = date - 1
    assert (run.returning.is_time(), run.returning.has_some()) == (False, False)
    assert run.returning.may_come(), "it stays"
    run.clock.now = date
    assert (run.returning.is_time(), run.returning.has_some()) == (True, True)
    assert run.look() == {ONE}
    run.clock.now += HOUR
    assert not run.returning.is_time(), "it is under way"
    assert run.look() == set()


def test_a_run_that_ends_waits_for_what_becomes_due_while_it_lingers(
    agenda: Callable[[str], Agenda],
) -> None:
    run = agenda("")
    state = run.know(ONE, fetched=BEGAN, born=BEGAN)
    assert state.next_visit is not None
    run.begin()
    assert not run.returning.may_come(), "it lingers for nothing here"
    run.returning._queue.until = state.next_visit
    run.begin()
    assert run.returning.may_come()
    run.returning._queue.until = state.next_visit - 1
    assert not run.returning.may_come()


def test_a_run_with_a_budget_looks_once_a_minute(agenda: Callable[[str], Agenda]) -> None:
    run = agenda('[revisit]\ncontinuous = true\nbudget = "60/h"\n')
    run.begin()
    looks = []
    for _ in range(240):
        run.clock.now += 1
        if run.returning.is_time():
            looks.append(run.clock.now - BEGAN)
            run.look()
    assert looks == [60.0, 120.0, 180.0, 240.0]


@pytest.mark.looks_back
@pytest.mark.parametrize(("old", "looks_back"), [("0.1", True), ("0", False)])
def test_a_run_that_stays_looks_back_at_old_pages_every_ten_minutes(
    agenda: Callable[[str], Agenda], old: str, *, looks_back: bool
) -> None:
    run = agenda(f"[revisit]\ncontinuous = true\nold = {old}\n")
    for number in range(30):
        page = run.know(f"http://c.cn/{number}", fetched=BEGAN - 90 * DAY, born=BEGAN - 900 * DAY)
        run.frontier.remember(page._replace(next_visit=None))
    run.clock.now += 1
    run.begin()
    seen, looks = 0, []
    for _ in range(2_000):
        run.clock.now += 100.0
        if run.returning.is_time():
            looks.append(run.clock.now)
            seen += len(run.look())
            run.commit()
    assert seen == (6 if looks_back else 0), "three a day"
    assert bool(looks) is looks_back
    assert all(later - earlier >= BACK_EVERY for earlier, later in pairwise(looks))


@pytest.mark.clock_ahead
def test_a_clock_that_is_set_back_is_seen_at_once_and_every_date_worked_out_anew(
    agenda: Callable[[str], Agenda],
) -> None:
    run = agenda("[revisit]\ncontinuous = true\nold = 0\n")
    run.clock.now += 900 * DAY
    run.know(ONE, fetched=run.clock.now, born=run.clock.now)
    run.begin()
    assert not run.returning.is_time()
    run.clock.now = BEGAN + 1
    assert run.returning.is_time()
    run.look()
    assert not run.returning.is_time()
    assert run.states.next_due is not None
    assert run.states.next_due < BEGAN + 15 * DAY


# Lists --------------------------------------------------------------------------------------------

SILENT: dict[str, Any] = {"visits": 9, "facts": {NEWEST: BEGAN - 200 * DAY}}


def test_a_run_that_ends_begins_with_every_list_it_has_not_read(
    agenda: Callable[[str], Agenda],
) -> None:
    run = agenda("")
    run.know_list(LIST, fetched=BEGAN - DAY)
    run.know_list("http://a.cn/read/", fetched=BEGAN + 1)
    run.clock.now += 2
    assert run.begin() == 1
    assert run.queued() == {LIST}


@pytest.mark.silent_lists
@pytest.mark.parametrize(
    ("more", "known", "is_read"),
    [
        ("", {}, False),
        ("", {"signalled": BEGAN - HOUR}, True),
        ("", {"failing_since": BEGAN - HOUR}, True),
        ("[revisit]\nsignals = false\n", {}, True),
        ("", {"fetched": BEGAN - 30 * DAY}, True),
    ],
)
def test_a_list_that_has_long_been_silent_is_left_out_unless_there_is_news_of_it(
    agenda: Callable[[str], Agenda], more: str, known: dict[str, Any], is_read: bool
) -> None:
    run = agenda(more)
    run.know_list(LIST, **({"fetched": BEGAN - DAY, **SILENT} | known))
    run.begin()
    assert run.queued() == ({LIST} if is_read else set())


@pytest.mark.silent_lists
@pytest.mark.parametrize("how", ["rules_changed", "clock_ran_ahead"])
def test_lists_that_were_silent_are_read_when_all_dates_are_worked_out_anew(
    agenda: Callable[[str], Agenda], how: str
) -> None:
    run = agenda("")
    run.know_list(LIST, fetched=BEGAN - DAY, **SILENT)
    run.begin(**{how: True})
    assert run.queued() == {LIST}


@pytest.mark.clock_ahead
def test_lists_that_were_read_in_a_time_to_come_are_read_by_the_next_run(
    agenda: Callable[[str], Agenda],
) -> None:
    run = agenda("")
    run.know_list(LIST, fetched=BEGAN + 90 * DAY)
    run.clock.now += 1
    run.begin()
    assert not run.queued(), "nobody has said that the clock ran ahead"
    run.begin(clock_ran_ahead=True)
    assert run.queued() == {LIST}


def test_a_source_that_has_gone_is_looked_at_by_every_run(agenda: Callable[[str], Agenda]) -> None:
    run = agenda("")
    home = run.know_list("http://a.cn/", fetched=BEGAN - DAY, facts={"source": True})
    run.frontier.remember(home._replace(next_visit=None, gone=BEGAN - DAY))
    elsewhere = run.know_list(LIST, fetched=BEGAN - DAY)
    run.frontier.remember(elsewhere._replace(next_visit=None, gone=BEGAN - DAY))
    assert run.begin() == 1
    assert run.queued() == {"http://a.cn/"}


@pytest.mark.new_dates
@pytest.mark.parametrize(
    ("more", "before", "after"), [('every = "2h"\n', None, 2 * HOUR), ("", 2 * HOUR, None)]
)
def test_a_source_goes_by_the_interval_that_its_template_gives_it_now(
    agenda: Callable[[str], Agenda], more: str, before: float | None, after: float | None
) -> None:
    run = agenda(more)
    home = run.know_list("http://a.cn/", fetched=BEGAN + 1, facts={"source": True}, every=before)
    other = run.know_list(LIST, fetched=BEGAN + 1)
    run.clock.now += 2
    run.begin(rules_changed=True)
    states = asyncio.run(run.store.pages([home.key, other.key]))
    assert states[home.key].every == after
    assert states[other.key].every is None
    if after is not None:
        assert states[home.key].next_visit == BEGAN + 1 + after


class Walks(Feature, SearchPolicy):
    """Searches that are not answered yet: until then every list may be left to a walk."""

    name = "walks"
    is_open = True

    def is_asking(self) -> bool:
        return self.is_open

    def reads(self, state: PageState) -> bool:
        return self.is_open


@pytest.mark.C8
def test_lists_that_no_walk_reads_are_queued_as_soon_as_that_is_known(
    agenda: Callable[[str], Agenda],
) -> None:
    run = agenda("")
    walks = Walks(run.kernel)
    run.kernel.hooks.collect([walks])
    run.know_list(LIST, fetched=BEGAN - DAY)
    assert run.begin() == 0
    run.clock.now += 60
    assert not run.returning.is_time()
    assert not run.returning.has_some()
    walks.is_open = False
    assert run.returning.is_time()
    assert run.returning.has_some()
    assert run.look() == {LIST}
    run.clock.now += 60
    assert not run.returning.is_time(), "they are queued once"


# Reservations -------------------------------------------------------------------------------------------


@pytest.mark.reservations
@pytest.mark.parametrize("is_queued", [True, False])
def test_a_page_whose_lease_has_run_out_is_queued_once_more_only_if_its_row_has_ended(
    agenda: Callable[[str], Agenda], *, is_queued: bool
) -> None:
    run = agenda("")
    run.know(ONE, fetched=BEGAN - 9 * DAY, born=BEGAN - 9 * DAY)
    assert run.begin() == 1
    if not is_queued:
        row = run.frontier.take(run.clock.now, run.clock.now)
        assert row is not None
        run.frontier.acknowledge(row.sequence, run.clock.now)
    run.commit()
    run.store.release()
    again = agenda("")
    again.clock.now += 2 * DAY
    assert again.begin(again.clock.now) == (not is_queued)
    [state] = again.states.visited.values()
    assert state.reserved is not None
    assert state.reserved > again.clock.now, "it has another reservation"


# Room ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("delay", "expected"), [("1s", 30), ("20s", 30), ("90s", 20), ("300s", 20)]
)
def test_of_a_site_half_an_hour_of_requests_is_queued_and_twenty_at_least(
    agenda: Callable[[str], Agenda], delay: str, expected: int
) -> None:
    run = agenda("")
    seconds = float(delay.removesuffix("s"))
    run.frontier.set_politeness("c.cn", Politeness(seconds))
    for number in range(30):
        born = BEGAN - 9 * DAY
        run.know(f"http://c.cn/{number}.html", fetched=born, born=born)
    run.clock.now += 3 * DAY  # a run that comes so late takes all young pages
    assert run.begin() == expected
    assert run.returning.may_come() is (expected < 30), "the others are due, too"
    assert run.due() == 30


# Gone ---------------------------------------------------------------------------------------------


def test_where_much_is_queued_a_site_gets_what_it_can_be_asked_until_the_next_look(
    agenda: Callable[[str], Agenda], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawl_agenda, "MOST_TAKEN", 100)
    run = agenda("")
    for host in ("c.cn", "d.cn"):
        run.frontier.set_politeness(host, Politeness(2.0))
        for number in range(400):
            born = BEGAN - 9 * DAY
            run.know(f"http://{host}/{number}.html", fetched=born, born=born)
    run.clock.now += 3 * DAY
    assert run.begin() == 100, "as many as are taken at once"
    for _ in range(9):
        run.clock.now += PERIOD
        run.look()
    waiting = Counter(state.site for state in run.states.visited.values())
    assert sum(waiting.values()) == 100, (
        "nothing was answered, and each site has more than it can be asked"
    )
    for state in [*run.states.visited.values()][:95]:
        run.states.visited.pop(state.key)
    run.clock.now += PERIOD
    run.look()
    assert len(run.states.visited) > 60


@pytest.mark.gone_links
def test_a_page_that_is_gone_is_looked_at_once_when_it_is_linked_to_again(
    agenda: Callable[[str], Agenda],
) -> None:
    run = agenda("")
    gone = run.know(ONE, fetched=BEGAN - 9 * DAY, born=BEGAN - 9 * DAY)
    gone = gone._replace(gone=BEGAN - 2 * DAY, next_visit=None)
    run.frontier.remember(gone)
    assert run.begin() == 0
    run.linked[gone.key] = partition_of(gone.site)
    assert run.returning.has_some()
    assert run.look() == {ONE}
    assert not run.linked
    assert not run.returning.has_some()
    there = run.know("http://c.cn/2.html", fetched=BEGAN, born=BEGAN)
    run.commit()
    run.linked[there.key] = partition_of(there.site)
    assert run.look() == set(), "it is back already"
