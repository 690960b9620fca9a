"""The golden numbers of method B: intervals in hours, first interval 24 h."""

from collections.abc import Iterable
from math import inf, log

import pytest

from focuscrawl.features.revisit.table import CLASS_TIMES, RevisitRules, RevisitTimes
from focuscrawl.features.revisit.visits import Visits
from focuscrawl.values import PageClass, PageState
from tests.tables import each_row

pytestmark = pytest.mark.B3

HOUR = 3600.0
FREE = dict.fromkeys(CLASS_TIMES, RevisitTimes(first=24 * HOUR, min=0.0, max=inf, until=inf))


def first(visits: Visits, page_class: PageClass = PageClass.ARTICLE) -> PageState:
    return visits.first_seen(b"k" * 16, "http://a.example/", "a.example", page_class, 1000.0)


def intervals(visits: Visits, story: Iterable[bool]) -> list[float]:
    """Visit a page exactly when it is due; return its intervals in hours."""
    state = first(visits)
    found = [planned(state)]
    for changed in story:
        assert state.next_visit is not None
        state = visits.visited(state, state.visits, state.next_visit, changed)
        found.append(planned(state))
    return found


def planned(state: PageState) -> float:
    assert state.next_visit is not None
    return (state.next_visit - state.last_fetched) / HOUR


@each_row("strict", [True, False])
@each_row(
    ("story", "expected"),
    [
        ([True] * 4, [24, 12, 12, 12, 12]),
        ([False] * 4, [24, 24, 48, 96, 192]),
        ([True, False, False, True], [24, 12, 18, 27, 27]),
    ],
)
def test_tx_waits_t_over_x_exactly(strict: bool, story: list[bool], expected: list[int]) -> None:
    visits = Visits(RevisitRules(policy="tx", classes=FREE, strict=strict))
    assert intervals(visits, story) == expected


@pytest.mark.index_policy
@pytest.mark.parametrize(
    ("price", "changes", "expected"),
    [
        (1, True, [7.610, 6.144, 5.491, 5.101]),
        (1, False, [7.610, 8.631, 9.635]),
        (4, True, [16.642, 14.906, 14.125]),
        (4, False, [16.642, 20.791, 24.786]),
    ],
)
def test_index_waits_until_a_visit_is_worth_its_price(
    price: float, changes: bool, expected: list[float]
) -> None:
    visits = Visits(RevisitRules(classes=FREE), price=price * HOUR)
    found = intervals(visits, [changes] * (len(expected) - 1))
    assert [round(one, 3) for one in found] == expected


def test_a_page_that_always_changes_is_visited_ever_sooner_by_index() -> None:
    found = intervals(Visits(RevisitRules(classes=FREE), price=HOUR), [True] * 60)
    assert found == sorted(found, reverse=True)
    assert 2.72 < found[-1] < 3.3  # towards e times the price


def test_a_page_that_never_changes_waits_ever_longer_but_is_never_given_up() -> None:
    found = intervals(Visits(RevisitRules(classes=FREE), price=4 * HOUR), [False] * 30)
    assert found == sorted(found)
    assert 65 < found[-1] < 85


def test_the_price_starts_where_every_class_waits_its_first_interval() -> None:
    rules = RevisitRules()
    visits = Visits(rules)
    for page_class, times in rules.classes.items():
        assert planned(first(visits, page_class)) * HOUR == pytest.approx(times.first, rel=1e-9)
    assert visits.price == pytest.approx(24 * HOUR * (1 - log(2)))


def test_fixed_always_waits_the_first_interval_and_off_comes_never_again() -> None:
    fixed = Visits(RevisitRules(policy="fixed"))
    assert intervals(fixed, [True, False, True]) == [24] * 4
    assert first(Visits(RevisitRules(policy="off"))).next_visit is None


@pytest.mark.policies
def test_a_topic_may_change_its_policy_at_any_visit() -> None:
    published = Visits(RevisitRules(policy="tx", classes=FREE))
    index = Visits(RevisitRules(classes=FREE), price=HOUR)
    state = first(published)
    assert state == first(published)._replace(next_visit=state.next_visit)
    for visits, expected in ((published, 12), (index, 6.144), (published, None), (index, None)):
        state = visits.visited(state, state.visits, state.last_fetched + 24 * HOUR, True)
        if expected == 12:
            assert planned(state) == 12
        assert planned(state) > 0
    assert state.visits == 5
    assert state.times_changed == 4
    # The other way round: dates are worked out anew from what is stored.
    again = published.replanned(state, state.last_fetched)
    assert planned(again) * HOUR == pytest.approx(state.observed / state.changes)
    assert index.replanned(again, state.last_fetched) == state
