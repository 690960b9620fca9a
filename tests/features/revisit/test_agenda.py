"""Periods: which pages are taken, how the price follows, and that none is ever lost."""

import asyncio
from math import inf
from pathlib import Path

import msgspec
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from focuscrawl.features.revisit.agenda import Agenda, Budget, Period, pulled_back, take
from focuscrawl.features.revisit.policies import moved_discount
from focuscrawl.features.revisit.signals.signals import Signal
from focuscrawl.features.revisit.table import CLASS_TIMES, PolicyName, RevisitRules, RevisitTimes
from focuscrawl.features.revisit.visits import Visits
from focuscrawl.stores.state.protocol import Changes
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import PageClass, PageState

pytestmark = [pytest.mark.B4, pytest.mark.restless_pages]

HOUR, DAY = 3600.0, 86400.0
BEGAN = 1_790_000_000.0
LASTING = dict.fromkeys(CLASS_TIMES, RevisitTimes(first=DAY, min=HOUR, max=14 * DAY, until=inf))


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def agenda(pages: int = 20, sites: int = 4, policy: PolicyName = "index", **more: int) -> Agenda:
    made = Agenda(RevisitRules(policy=policy, classes=LASTING, **more))  # type: ignore[arg-type]
    for number in range(pages):
        made.first_seen(key(number), BEGAN + number, site=f"s{number % sites}")
    return made


def numbers(pages: list[PageState]) -> list[int]:
    return [int.from_bytes(page.key, "big") for page in pages]


@pytest.mark.parametrize("policy", ["index", "tx", "fixed"])
def test_without_a_budget_only_what_is_due_is_taken_the_latest_first(policy: PolicyName) -> None:
    pages = agenda(policy=policy)
    assert pages.take(100, BEGAN + DAY - 1) == []
    price = pages.visits.price
    assert numbers(pages.take(3, BEGAN + DAY + 9)) == [0, 1, 2]
    assert numbers(pages.take(100, BEGAN + DAY + 9.5)) == [3, 4, 5, 6, 7, 8, 9]
    assert pages.visits.price == price


def test_with_a_budget_the_best_are_taken_due_or_not_but_never_before_the_minimum() -> None:
    pages = agenda()
    assert pages.take(100, BEGAN + HOUR - 1, by_budget=True) == []
    assert numbers(pages.take(100, BEGAN + HOUR + 4, by_budget=True)) == [0, 1, 2, 3, 4]
    for hour in (4, 6, 8, 10):  # one page changes at every visit
        now = BEGAN + hour * HOUR
        for page in pages.take(100, now, by_budget=True):
            pages.fetched(page, now, changed=page.key == key(17))
    taken = pages.take(1, BEGAN + 13 * HOUR, by_budget=True)
    assert numbers(taken) == [17]


def test_sites_that_must_wait_are_skipped_and_others_taken_instead() -> None:
    pages = agenda(pages=500, sites=2, candidates=10)
    rooms = {"s0": 0, "s1": 3}
    taken = pages.take(8, BEGAN + 2 * DAY, rooms.__getitem__)
    assert [page.site for page in taken] == ["s1"] * 3
    # A thousand pages of a blocked site stand in front of the others: they are read past.
    full = Agenda(RevisitRules(classes=LASTING, candidates=10))
    for number in range(120):
        site = "blocked" if number < 60 else "free"
        full.first_seen(key(number), BEGAN + number, site=site)
    taken = full.take(5, BEGAN + 2 * DAY, lambda site: 0 if site == "blocked" else 100)
    assert numbers(taken) == [60, 61, 62, 63, 64]


def test_a_site_gets_no_more_than_its_room_and_the_best_of_it() -> None:
    pages = agenda(pages=40, sites=2)
    taken = pages.take(30, BEGAN + 2 * DAY, lambda site: 5, by_budget=True)
    assert sorted(numbers(taken)) == list(range(10))


@pytest.mark.price
def test_the_price_follows_the_worst_page_when_the_budget_was_spent() -> None:
    pages = agenda()
    before = pages.visits.price
    pages.take(2, BEGAN + 12 * HOUR, by_budget=True)
    assert pages.visits.price < before  # a visit at half the interval is worth less
    before = pages.visits.price
    pages.take(2, BEGAN + 60 * DAY, by_budget=True)
    assert pages.visits.price > before


@pytest.mark.price
def test_the_price_falls_when_work_runs_out_and_stays_when_sites_were_the_limit() -> None:
    pages = agenda()
    before = pages.visits.price
    pages.take(2, BEGAN + 3 * DAY, lambda site: 0, by_budget=True)
    pages.take(15, BEGAN + 3 * DAY, lambda site: 1, by_budget=True)
    assert pages.visits.price == before
    pages = agenda()
    pages.take(100, BEGAN + 12 * HOUR, by_budget=True)
    assert pages.visits.price < before


def test_nothing_taken_moves_nothing() -> None:
    pages = agenda()
    before = pages.visits.price
    assert pages.take(0, BEGAN + 9 * DAY, by_budget=True) == []
    assert pages.take(9, BEGAN, by_budget=True) == []
    assert pages.visits.price == before


def test_a_lease_that_runs_out_gives_the_page_back_exactly_once() -> None:
    pages = agenda(pages=1)
    (first,) = pages.take(10, BEGAN + DAY, by_budget=True)
    for hour in (0.5, 1, 1.9):
        assert pages.take(10, BEGAN + DAY + hour * HOUR, by_budget=True) == []
    (second,) = pages.take(10, BEGAN + DAY + 2 * HOUR, by_budget=True)
    assert pages.take(10, BEGAN + DAY + 2 * HOUR, by_budget=True) == []
    pages.fetched(second, BEGAN + DAY + 2.1 * HOUR, changed=True)
    pages.fetched(first, BEGAN + DAY + 2.2 * HOUR, changed=True)
    assert pages.pages[key(0)].times_changed == 1


def test_fixed_intervals_go_first_and_only_when_due() -> None:
    pages = agenda()
    state = pages.visits.first_seen(key(99), "", "s0", PageClass.BOARD, BEGAN + 99, every=600.0)
    pages._put(state)
    assert 99 not in numbers(pages.take(100, BEGAN + 698, by_budget=True))
    assert numbers(pages.take(3, BEGAN + 699, by_budget=True))[0] == 99


def test_over_a_store_the_same_pages_are_taken_as_without(tmp_path: Path) -> None:
    pages = agenda(pages=300, sites=3, candidates=20)
    store = SQLiteStore(tmp_path / "topic.crawl.db")
    store.own()
    store.commit({0: Changes(pages=list(pages.pages.values()))})
    visits = Visits(pages.visits.rules)
    rooms = {"s0": 0, "s1": 7, "s2": 100}
    for hour in (30, 31, 35, 36):
        now = BEGAN + hour * HOUR
        period = Period(visits, now, 12, rooms.__getitem__, by_budget=True)
        taken = asyncio.run(take(store, period))
        store.commit({0: Changes(pages=taken.pages)})
        assert taken.pages == pages.take(12, now, rooms.__getitem__, by_budget=True)
        assert taken.skipped > 0
    assert visits.price == pages.visits.price
    store.release()


def test_pages_of_a_clock_that_ran_ahead_are_pulled_back(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "topic.crawl.db")
    store.own()
    visits = Visits(RevisitRules(classes=LASTING))
    ahead = BEGAN + 900 * DAY
    pages = [
        visits.first_seen(key(1), "", "s", PageClass.ARTICLE, BEGAN),
        visits.first_seen(key(2), "", "s", PageClass.ARTICLE, ahead),
        visits.taken(visits.first_seen(key(3), "", "s", PageClass.ARTICLE, BEGAN), ahead),
        visits.first_seen(key(4), "", "s", PageClass.BOARD, BEGAN, every=90 * DAY),
        visits.first_seen(key(5), "", "s", PageClass.BOARD, ahead, every=DAY),
    ]
    store.commit({0: Changes(pages=pages)})

    async def pulled() -> list[PageState]:
        return [page async for page in pulled_back(store, visits, BEGAN)]

    found = asyncio.run(pulled())
    assert sorted(numbers(found)) == [2, 3, 5], "4 comes as seldom as it is told to"
    assert all(BEGAN <= (page.next_visit or 0) <= BEGAN + 14 * DAY for page in found)
    store.commit({0: Changes(pages=found)})
    assert asyncio.run(pulled()) == []
    store.release()


def test_the_price_is_kept_but_not_that_of_another_objective() -> None:
    kept = Visits(RevisitRules(), price=1234.5).price_to_json()
    again = Visits(RevisitRules())
    again.restore_price(kept)
    assert again.price == 1234.5
    again.restore_price({"objective": "delay", "price": 99.0})
    again.restore_price(None)
    assert again.price == 1234.5


def test_a_page_that_must_show_whether_it_is_gone_does_not_wait_behind_better_ones() -> None:
    pages = agenda(pages=40)
    pages.visits.price = HOUR
    for page in pages.take(100, BEGAN + 3 * DAY, by_budget=True):
        if page.key == key(5):
            pages.failed(page, BEGAN + 3 * DAY, says_gone=True)
        else:
            pages.fetched(page, BEGAN + 3 * DAY, changed=False)
    failing = pages.pages[key(5)]
    assert failing.next_visit is not None
    young = pages.visits.value(pages.pages[key(6)], BEGAN + 3 * DAY + HOUR)
    assert pages.visits.value(failing, BEGAN + 3 * DAY + HOUR) >= HOUR > young


def test_a_budget_is_spent_evenly_and_no_pause_makes_a_burst() -> None:
    budget = Budget(rate=0.5, now=0.0)
    assert budget.allowed(0.0) == 0
    assert budget.allowed(10.0) == 5
    budget.spend(3)
    assert budget.allowed(11.0) == 2
    budget.spend(2)
    assert budget.allowed(5.0) == 0  # steady clocks do not jump; were it so, nothing happens
    assert budget.allowed(10 * DAY) == 1800
    slow = Budget(rate=1 / DAY, now=0.0)
    assert slow.allowed(DAY * 0.99) == 0
    assert slow.allowed(DAY * 1.01) == 1


class Revisiting(RuleBasedStateMachine):
    """Pages are taken, answered, lost, late, buried, while clock and policy do what they like."""

    @initialize()
    def start(self) -> None:
        self.now = BEGAN
        self.agenda = agenda(pages=6, sites=2)
        self.flying: list[PageState] = []
        self.counted = dict.fromkeys(self.agenda.pages, 0)

    @rule(seconds=st.floats(0, 40 * DAY))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(seconds=st.floats(0, 900 * DAY))
    def clock_jumps_back(self, seconds: float) -> None:
        self.now -= seconds
        for page in list(self.agenda.pages.values()):
            if page.next_visit is not None and (
                page.next_visit > self.now + self.agenda.visits.rules.horizon
            ):
                self.agenda._put(self.agenda.visits.replanned(page, self.now))

    @rule(policy=st.sampled_from(["index", "tx", "fixed"]))
    def change_policy(self, policy: PolicyName) -> None:
        old = self.agenda.visits
        rules = RevisitRules(policy=policy, classes=LASTING)
        self.agenda.visits = Visits(rules, price=old.price, trusts=old.trusts)

    @rule(most=st.integers(0, 4), room=st.integers(0, 2), by_budget=st.booleans())
    def take(self, most: int, room: int, by_budget: bool) -> None:
        before = dict(self.agenda.pages)
        taken = self.agenda.take(most, self.now, lambda site: room, by_budget=by_budget)
        assert len(taken) <= most
        for page in taken:
            assert not self.agenda.visits.is_reserved(before[page.key], self.now)
            assert before[page.key].gone is None
        self.flying += taken

    @rule(data=st.data(), changed=st.booleans())
    def answer(self, data: st.DataObject, changed: bool) -> None:
        if not self.flying:
            return
        page = self.flying.pop(data.draw(st.integers(0, len(self.flying) - 1)))
        first = self.agenda.pages[page.key].visits == page.visits
        after = self.agenda.fetched(page, self.now, changed=changed)
        self.counted[page.key] += first
        assert after.visits == 1 + self.counted[page.key]

    @rule(data=st.data())
    def lose(self, data: st.DataObject) -> None:
        if self.flying:
            self.flying.pop(data.draw(st.integers(0, len(self.flying) - 1)))

    @rule(data=st.data(), says_gone=st.booleans())
    def fail(self, data: st.DataObject, says_gone: bool) -> None:
        if self.flying:
            page = self.flying.pop(data.draw(st.integers(0, len(self.flying) - 1)))
            self.agenda.failed(page, self.now, says_gone=says_gone)

    @invariant()
    def no_page_is_lost(self) -> None:
        if not hasattr(self, "agenda"):
            return
        horizon = self.now + self.agenda.visits.rules.horizon
        for page in self.agenda.pages.values():
            assert page.observed >= 0
            assert page.changes >= 1
            if page.gone is None:
                assert page.next_visit is not None
                assert page.next_visit <= horizon + 1e-3
            else:
                assert page.next_visit is None
        planned = [page for page in self.agenda.pages.values() if page.next_visit is not None]
        assert len(self.agenda._due(inf, 100)) == len(planned)


TestRevisiting = Revisiting.TestCase


# Pages that change at every visit ----------------------------------------------------------------


def crowded(kind: PageClass = PageClass.ARTICLE) -> Agenda:
    """Return an agenda of forty pages, a third of which change however soon they are visited."""
    made = Agenda(RevisitRules(classes=LASTING, budget=2 / HOUR, candidates=10))
    for number in range(40):
        made.first_seen(key(number), BEGAN, site=f"s{number % 4}", page_class=kind)
    return made


def live(pages: Agenda, days: int, *, ends: int = 10**9) -> list[int]:
    """Visit two pages an hour and return the numbers of the last three days' visits.

    Pages 0 to 12 change always, but page 0 no more after the day ``ends``; the others weekly.
    """
    seen: list[int] = []
    for hour in range(1, days * 24):
        now = BEGAN + hour * HOUR
        for page in pages.take(2, now, by_budget=True):
            (number,) = numbers([page])
            always = 0 < number < 13 or (number == 0 and hour < ends * 24)
            pages.fetched(page, now, changed=always or (now - page.last_fetched) > 5 * DAY)
            if hour >= (days - 3) * 24:
                seen.append(number)
    return seen


def test_pages_that_change_at_every_visit_do_not_take_the_visits_of_all_others() -> None:
    pages = crowded()
    seen = live(pages, 30)
    restless = sum(number < 13 for number in seen)
    assert restless < 0.15 * len(seen)
    assert set(range(13, 40)) <= set(seen)
    assert pages.visits.discount > 2
    assert len(seen) >= 2 * 70, "the budget is spent all the same"


def test_restless_pages_that_are_not_worth_their_price_are_looked_at_besides() -> None:
    pages = crowded()
    live(pages, 30)
    visits, now = pages.visits, BEGAN + 30 * DAY + HOUR
    due = [page for page in pages.pages.values() if visits.may_visit(page, now)]
    restless = [page for page in due if visits.is_restless(page)]
    cheap = [page for page in restless if visits.value(page, now) < visits.price]
    others = [page for page in due if page not in restless]
    assert len(cheap) >= 5, "or the test says nothing"

    def wants_more(offered: list[PageState]) -> bool:
        period = Period(visits, now, 1, by_budget=True)
        return period.offer((offered * period.batch)[: period.batch])

    assert wants_more(cheap), "none of them is what was looked for"
    assert not wants_more(others[:1])
    worth = [page._replace(last_fetched=now - 13 * DAY) for page in restless]
    assert all(visits.value(page, now) >= visits.price for page in worth)
    assert not wants_more(worth)


def test_a_page_that_comes_to_rest_is_visited_like_others_again() -> None:
    pages = crowded()
    live(pages, 60, ends=20)
    found = pages.pages[key(0)]
    assert found.changed_in_row == 0
    assert pages.visits.is_restless(pages.pages[key(1)])
    assert not pages.visits.is_restless(found)


@pytest.mark.parametrize("ever_rested", [False, True])
def test_a_page_that_is_restless_no_more_is_found_out_though_visits_are_far_apart(
    ever_rested: bool,
) -> None:
    visits = Visits(RevisitRules(classes=LASTING, budget=2 / HOUR))
    visits.discount = 1e4
    now = BEGAN
    page = visits.first_seen(key(0), "http://a/", "a", PageClass.ARTICLE, now)
    if ever_rested:
        now += HOUR
        page = visits.visited(page, page.visits, now, changed=False)
    for _ in range(13 if ever_rested else 8):
        assert not visits.is_restless(page)
        now = page.next_visit or 0.0
        page = visits.visited(page, page.visits, now, changed=True)
    assert visits.is_restless(page)
    # From now on it changes every six hours: each visit finds it changed, each look as it was.
    waits = []
    while visits.is_restless(page):
        waits.append((page.next_visit or 0.0) - now)
        assert len(waits) < 5
        now = page.next_visit or 0.0
        page = visits.visited(page, page.visits, now, changed=waits[-1] > 6 * HOUR)
    assert waits[-1] == visits.rules.times(PageClass.ARTICLE).min
    assert max(waits) > DAY


@pytest.mark.parametrize("kind", [PageClass.BOARD, PageClass.PAGING, PageClass.THREAD])
def test_what_is_visited_for_its_changes_is_never_restless(kind: PageClass) -> None:
    pages = crowded(kind=kind)
    live(pages, 10)
    assert pages.visits.discount == 1
    assert not any(pages.visits.is_restless(page) for page in pages.pages.values())


def test_few_pages_that_change_at_every_visit_cost_no_discount() -> None:
    for share in (0.0, 0.1, 0.19):
        assert moved_discount(1.0, share, 0.02) == 1.0
    assert moved_discount(1.0, 0.5, 0.02) > 1.0
    assert moved_discount(100.0, 0.021, 0.02) > 100.0 > moved_discount(100.0, 0.019, 0.02)


def test_the_discount_is_kept_with_the_price_and_older_files_have_none() -> None:
    rules = RevisitRules(budget=1.0)
    visits = Visits(rules, price=1234.5)
    visits.discount = 7.5
    again = Visits(rules)
    again.restore_price(visits.price_to_json())
    assert (again.price, again.discount) == (1234.5, 7.5)
    older = Visits(rules)
    older.restore_price({"objective": "stale", "price": 99.0})
    assert (older.price, older.discount) == (99.0, 1.0)
    other = Visits(rules)
    price = other.price
    other.restore_price({"objective": "delay", "price": 99.0, "discount": 7.5})
    other.restore_price(None)
    assert (other.price, other.discount) == (price, 1.0)


def test_who_has_learnt_no_price_takes_the_mean_of_the_others() -> None:
    rules = RevisitRules(budget=1.0)
    cheap, dear, newcomer = Visits(rules, price=10.0), Visits(rules, price=1000.0), Visits(rules)
    assert (cheap.is_priced, newcomer.is_priced) == (True, False)
    began = newcomer.price
    newcomer.join(0, 0)
    assert newcomer.price == began
    newcomer.join(cheap.price_number + dear.price_number, 2)
    assert newcomer.price == pytest.approx(100.0, rel=0.001)
    assert not newcomer.is_priced, (
        "nothing was learnt here: it follows the others until something is"
    )
    cheap.join(dear.price_number, 1)
    assert cheap.price == 10.0


def test_a_page_of_an_older_crawl_file_has_changed_no_times_in_a_row() -> None:
    state = Visits(RevisitRules()).first_seen(key(1), "http://a/", "a", PageClass.ARTICLE, BEGAN)
    older = msgspec.msgpack.encode(tuple(state)[:-1])
    assert msgspec.msgpack.decode(older, type=PageState) == state


def test_changes_that_signals_told_make_no_page_restless() -> None:
    pages = crowded()
    page = pages.pages[key(0)]
    for day in range(1, 20):
        now = BEGAN + day * DAY
        pages.signalled(page.key, Signal(now), now)
        page = pages.fetched(page, now, changed=True)
    assert page.changed_in_row == 0
