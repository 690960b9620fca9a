"""What becomes of a page between visits: bounds, reservations, late answers, clocks, failures."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.table import CLASS_TIMES, RevisitRules, RevisitTimes
from focuscrawl.features.revisit.visits import Visits
from focuscrawl.stores.state.protocol import unseen_since
from focuscrawl.values import PageClass, PageState
from tests.tables import each_row

pytestmark = [pytest.mark.A9, pytest.mark.visit_bounds]

HOUR, DAY = 3600.0, 86400.0
BEGAN = 1_790_000_000.0
POLICIES = ["index", "tx", "fixed", "off"]


def seen(
    visits: Visits, page_class: PageClass = PageClass.ARTICLE, every: float | None = None
) -> PageState:
    return visits.first_seen(
        b"k" * 16, "http://a.example/", "a.example", page_class, BEGAN, every=every
    )


def wait_of(state: PageState) -> float:
    assert state.next_visit is not None
    return state.next_visit - state.last_fetched


@each_row("page_class", list(PageClass))
@each_row("changes", [True, False])
def test_intervals_stay_between_the_bounds_of_their_class(
    page_class: PageClass, changes: bool
) -> None:
    rules = RevisitRules()
    times = rules.times(page_class)
    visits = Visits(rules, price=1.0 if changes else 30 * DAY)
    state = seen(visits, page_class)
    while state.next_visit is not None and state.visits < 40:
        assert times.min <= wait_of(state) <= times.max
        state = visits.visited(state, state.visits, state.next_visit, changes)
    assert state.visits > 1


def test_pages_without_a_table_go_by_one_that_has() -> None:
    rules = RevisitRules()
    assert rules.times(PageClass.SITEMAP) == CLASS_TIMES[PageClass.FEED]
    assert rules.times(PageClass.OTHER) == CLASS_TIMES[PageClass.ARTICLE]


def test_no_visit_is_planned_beyond_the_age_of_the_class() -> None:
    visits = Visits(RevisitRules())
    state = seen(visits)
    while state.next_visit is not None:
        state = visits.visited(state, state.visits, state.next_visit, False)
    assert 15 * DAY < state.last_fetched - BEGAN <= 30 * DAY
    old = visits.first_seen(
        b"o" * 16, "http://a.example/", "a.example", PageClass.ARTICLE, BEGAN, born=BEGAN - 60 * DAY
    )
    assert old.next_visit is None
    longer = {
        **CLASS_TIMES,
        PageClass.ARTICLE: RevisitTimes(first=DAY, min=HOUR, max=14 * DAY, until=inf),
    }
    assert Visits(RevisitRules(classes=longer)).replanned(old, BEGAN).next_visit is not None


def test_a_fixed_interval_stands_above_policy_and_bounds() -> None:
    for policy in POLICIES:
        visits = Visits(RevisitRules(policy=policy))  # type: ignore[arg-type]
        state = seen(visits, PageClass.BOARD, every=60.0)
        assert wait_of(state) == 60.0
        assert wait_of(visits.visited(state, state.visits, BEGAN + 100, False)) == 60.0
        assert visits.value(state, BEGAN + 100) == inf
        assert not visits.may_visit(state, BEGAN + 59)


def test_a_queued_page_comes_back_when_its_lease_runs_out() -> None:
    visits = Visits(RevisitRules(reservation=2 * HOUR))
    queued = visits.taken(seen(visits), BEGAN + DAY)
    assert queued.next_visit == BEGAN + DAY + 2 * HOUR
    assert visits.is_reserved(queued, BEGAN + DAY + HOUR)
    assert not visits.may_visit(queued, BEGAN + DAY + HOUR)
    assert visits.may_visit(queued, BEGAN + DAY + 2 * HOUR)


@pytest.mark.reservations
@pytest.mark.parametrize("policy", ["index", "tx"])
def test_a_late_answer_after_its_lease_counts_once(policy: str) -> None:
    visits = Visits(RevisitRules(policy=policy))  # type: ignore[arg-type]
    first = visits.taken(seen(visits), BEGAN + DAY)
    second = visits.taken(first, BEGAN + DAY + 3 * HOUR)
    late = visits.visited(second, first.visits, BEGAN + DAY + 4 * HOUR, True)
    assert (late.visits, late.times_changed, late.reserved) == (2, 1, None)
    assert visits.visited(late, second.visits, BEGAN + DAY + 5 * HOUR, True) == late
    assert visits.failed(late, second.visits, BEGAN + DAY + 5 * HOUR, "timeout") == late


def test_a_clock_that_jumps_back_makes_no_negative_interval() -> None:
    for policy in ("index", "tx", "fixed"):
        visits = Visits(RevisitRules(policy=policy))
        state = seen(visits)
        back = visits.visited(state, state.visits, BEGAN - 900 * DAY, True)
        assert back.observed >= 0
        assert back.last_fetched == BEGAN - 900 * DAY
        assert wait_of(back) > 0


def test_a_clock_that_ran_ahead_leaves_no_page_out_of_reach() -> None:
    visits = Visits(RevisitRules())
    ahead = BEGAN + 5000 * DAY
    queued = visits.taken(seen(visits), ahead)
    assert not visits.is_reserved(queued, BEGAN)  # its reservation is one of a clock that was wrong
    again = visits.replanned(queued, BEGAN)
    assert again.next_visit is not None
    assert again.next_visit <= BEGAN + 14 * DAY
    assert visits.may_visit(again, BEGAN + HOUR)


def test_a_clock_that_jumps_forth_does_not_make_a_page_look_static() -> None:
    visits = Visits(RevisitRules())
    state = seen(visits)
    for _ in range(5):
        state = visits.visited(state, state.visits, state.last_fetched + HOUR, True)
    jumped = visits.visited(state, state.visits, state.last_fetched + 9000 * DAY, True)
    state = jumped._replace(first_fetched=jumped.last_fetched)
    for _ in range(3):
        state = visits.visited(state, state.visits, state.last_fetched + HOUR, True)
    assert state.observed < 15 * DAY


moments = st.lists(
    st.tuples(st.floats(-1e9, 1e9), st.booleans(), st.sampled_from(["fetch", "take", "replan"])),
    max_size=12,
)


@pytest.mark.clock_jumps
@given(st.sampled_from(["index", "tx", "fixed"]), moments)
def test_whatever_the_clock_does_a_page_stays_within_reach(
    policy: str, story: list[tuple[float, bool, str]]
) -> None:
    free = dict.fromkeys(CLASS_TIMES, RevisitTimes(first=DAY, min=HOUR, max=14 * DAY, until=inf))
    visits = Visits(RevisitRules(policy=policy, classes=free))  # type: ignore[arg-type]
    state = seen(visits)
    now = BEGAN
    for jump, changed, what in story:
        now += jump
        if what == "fetch":
            state = visits.visited(state, state.visits, now, changed)
        elif what == "take":
            state = visits.taken(state, now)
        else:
            state = visits.replanned(state, now)
        assert state.observed >= 0
        assert state.changes >= 1
    state = visits.replanned(state, now)
    assert state.next_visit is not None
    assert now - 14 * DAY - 1e10 <= state.next_visit <= now + visits.rules.horizon


def test_a_failed_fetch_teaches_nothing_and_is_tried_again_ever_later() -> None:
    visits = Visits(RevisitRules())
    state = seen(visits)
    now, waits = BEGAN + DAY, []
    for _ in range(8):
        failed = visits.failed(state, state.visits, now, "timeout")
        assert (failed.observed, failed.changes, failed.failures) == (0, 1, 0)
        assert failed.next_visit is not None
        waits.append(failed.next_visit - now)
        assert not visits.may_visit(failed, failed.next_visit - 1)
        assert visits.may_visit(failed, failed.next_visit)
        state, now = failed, failed.next_visit
    assert waits == sorted(waits)
    assert waits[0] >= HOUR
    assert waits[-1] == DAY


def test_a_page_past_until_that_does_not_answer_is_left_to_the_next_look_back() -> None:
    visits = Visits(RevisitRules())
    age = visits.rules.times(PageClass.ARTICLE).until
    now = BEGAN + age + 30 * DAY
    for old in (
        seen(visits)._replace(next_visit=None),  # a look back has come to it
        seen(visits)._replace(next_visit=BEGAN + age),  # its last visit was not answered for long
    ):
        queued = visits.taken(old, now)
        failed = visits.failed(queued, queued.visits, now, "timeout")
        assert (failed.next_visit, failed.reserved, failed.last_fetched) == (None, None, BEGAN)
        assert unseen_since(failed) == now, "it does not stand before all others"
        assert unseen_since(visits.visited(failed, failed.visits, now + DAY, False)) == now + DAY
        missing = visits.failed(queued, queued.visits, now, "http 404", says_gone=True)
        assert missing.next_visit is not None, "that is to be made sure soon"
        doubted = visits.failed(queued, queued.visits, now, "withheld: log-in", is_doubted=True)
        assert doubted.next_visit is not None, (
            "its site has answered by then what it shows for others"
        )
        again = visits.failed(
            doubted, doubted.visits, now + DAY, "withheld: log-in", is_doubted=True
        )
        assert again.next_visit is None
    fixed = seen(visits, every=DAY)
    assert visits.failed(fixed, fixed.visits, now, "timeout").next_visit is not None


@each_row(
    "mistake",
    [
        {"reservation": 0.0},
        {"candidates": 0},
        {"gone_after": 0},
        {"memory": 0.0},
        {"half_life": -1.0},
        {"classes": {}},
        {
            "classes": {
                **CLASS_TIMES,
                PageClass.BOARD: RevisitTimes(first=HOUR, min=DAY, max=HOUR, until=inf),
            }
        },
        {
            "classes": {
                **CLASS_TIMES,
                PageClass.BOARD: RevisitTimes(first=0.0, min=0.0, max=HOUR, until=inf),
            }
        },
    ],
)
def test_rules_that_make_no_sense_are_refused(mistake: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="revisit"):
        RevisitRules(**mistake)  # type: ignore[arg-type]


@given(
    st.integers(0, 30),
    st.floats(0.0, 40 * DAY),
    st.booleans(),
    st.sampled_from([PageClass.THREAD, PageClass.ARTICLE]),
)
def test_what_its_list_counts_is_left_alone_but_not_beyond_its_longest_interval(
    visited: int, later: float, changes: bool, page_class: PageClass
) -> None:
    visits = Visits(RevisitRules())
    times = visits.rules.times(page_class)
    state = seen(visits, page_class)
    for _ in range(visited):
        if state.next_visit is not None:
            state = visits.visited(state, state.visits, state.next_visit, changes)
    now = state.last_fetched + later
    left = visits.left_alone(state, now)
    assert left._replace(next_visit=None) == state._replace(next_visit=None)
    if left != state:
        assert left.next_visit is not None
        assert state.next_visit is not None
        assert max(now, state.next_visit) < left.next_visit <= now + times.max
        assert left.next_visit <= state.last_fetched + times.max
    assert visits.left_alone(left, now) == left


def test_a_page_that_is_queued_gone_failing_or_told_of_is_not_left_alone() -> None:
    visits = Visits(RevisitRules())
    state = seen(visits, PageClass.THREAD)
    now = state.next_visit or 0.0
    assert visits.left_alone(state, now) != state
    for other in (
        visits.taken(state, now),
        visits.gone(state, now, "http 404"),
        visits.failed(state, state.visits, now, "timeout"),
        state._replace(signalled=now),
        seen(visits, PageClass.THREAD, every=HOUR),
    ):
        assert visits.left_alone(other, now) == other


@pytest.mark.parametrize(
    "rules", [RevisitRules(strict=True), RevisitRules(signals=False), RevisitRules(policy="off")]
)
def test_published_forms_and_those_without_signals_leave_nothing_alone(rules: RevisitRules) -> None:
    visits = Visits(rules)
    state = seen(visits, PageClass.THREAD)
    assert visits.left_alone(state, BEGAN + DAY) == state
