"""Signals: what is news, what it is worth, and what liars are worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.agenda import Agenda
from focuscrawl.features.revisit.policies import Watched
from focuscrawl.features.revisit.signals.signals import Signal, Trust, is_news
from focuscrawl.features.revisit.table import RevisitRules
from focuscrawl.features.revisit.visits import Visits
from focuscrawl.values import PageClass, PageState

pytestmark = pytest.mark.signal_value

HOUR, DAY = 3600.0, 86400.0
BEGAN = 1_790_000_000.0
KEY = b"k" * 16


def seen(visits: Visits) -> PageState:
    return visits.first_seen(KEY, "http://a.example/", "a.example", PageClass.ARTICLE, BEGAN)


def test_a_date_after_the_last_visit_is_news_once() -> None:
    visits = Visits(RevisitRules(), price=HOUR)
    now = BEGAN + 2 * HOUR
    signal = Signal(BEGAN + HOUR)
    told = visits.signalled(seen(visits), signal, now)
    assert (told.signalled, told.next_visit) == (now, now)
    visited = visits.visited(told, told.visits, now, True)
    assert visited.signalled is None
    assert visits.signalled(visited, signal, now + HOUR) == visited


def test_a_date_before_the_last_visit_says_nothing_unless_it_is_only_a_day() -> None:
    state = seen(Visits(RevisitRules()))
    assert not is_news(state, Signal(BEGAN - HOUR), BEGAN)
    assert is_news(state, Signal(BEGAN - HOUR, precision=DAY), BEGAN)
    assert not is_news(state, Signal(BEGAN - 2 * DAY, precision=DAY), BEGAN)


def test_a_page_that_changes_soon_after_each_visit_is_known_to_by_its_signals() -> None:
    visits = Visits(RevisitRules(), price=1e9)
    told = silent = seen(visits)
    for day in range(3, 60, 3):
        at = BEGAN + day * DAY
        told = visits.signalled(told, Signal(at - 3 * DAY + HOUR), at - 3 * DAY + HOUR)
        told, silent = (visits.visited(one, one.visits, at, True) for one in (told, silent))
    assert told.changes == silent.changes
    assert told.observed == pytest.approx(silent.observed / 72), "an hour, of three days"
    worth = visits.policy.worth_signalled(Watched(told.observed, told.changes, DAY), 1.0)
    assert worth < 4 * HOUR, "a look at once spares no more than the time to the next change"


def test_what_a_signal_told_that_was_not_so_leaves_the_whole_wait_observed() -> None:
    visits = Visits(RevisitRules(), price=HOUR)
    told = visits.signalled(seen(visits), Signal(BEGAN + HOUR), BEGAN + HOUR)
    assert visits.visited(told, 1, BEGAN + DAY, False).observed == DAY
    assert visits.visited(told, 1, BEGAN + DAY, True).observed == HOUR


def test_the_published_rule_knows_no_signals() -> None:
    visits = Visits(RevisitRules(policy="tx"))
    told = seen(visits)._replace(signalled=BEGAN + HOUR)
    assert visits.visited(told, 1, BEGAN + DAY, True).observed == DAY


def test_a_date_from_before_a_page_was_found_to_be_gone_says_nothing() -> None:
    visits = Visits(RevisitRules(gone_after=1, gone_within=0.0))
    known = seen(visits)
    buried = visits.failed(known, known.visits, BEGAN + 2 * DAY, "http 404", says_gone=True)
    assert buried.gone is not None
    assert not is_news(buried, Signal(BEGAN + DAY), BEGAN + 2 * DAY)
    assert is_news(buried, Signal(BEGAN + 2 * DAY + HOUR), BEGAN + 3 * DAY)
    assert is_news(known, Signal(BEGAN + DAY), BEGAN + 2 * DAY)


def test_a_date_in_the_future_says_nothing_and_is_not_remembered() -> None:
    visits = Visits(RevisitRules())
    state = seen(visits)
    assert visits.signalled(state, Signal(BEGAN + 400 * DAY), BEGAN + HOUR) == state
    later = visits.signalled(state, Signal(BEGAN + HOUR), BEGAN + 2 * HOUR)
    assert later.signalled is not None


def test_a_count_is_news_when_it_has_grown() -> None:
    visits = Visits(RevisitRules(), price=HOUR)
    first = visits.signalled(seen(visits), Signal(12, is_date=False), BEGAN + HOUR)
    assert (first.told, first.signalled) == (12, None)
    assert visits.signalled(first, Signal(11, is_date=False), BEGAN + 2 * HOUR) == first
    grown = visits.signalled(first, Signal(13, is_date=False), BEGAN + 2 * HOUR)
    assert grown.next_visit == BEGAN + 2 * HOUR


def test_a_signal_brings_no_page_sooner_than_its_minimum() -> None:
    visits = Visits(RevisitRules(), price=HOUR)
    told = visits.signalled(seen(visits), Signal(BEGAN + 60), BEGAN + 120)
    assert told.next_visit == BEGAN + HOUR


def test_a_signal_that_is_not_worth_the_price_changes_no_date() -> None:
    visits = Visits(RevisitRules(), price=30 * DAY)
    state = seen(visits)
    told = visits.signalled(state, Signal(BEGAN + HOUR), BEGAN + 2 * HOUR)
    assert told.next_visit == state.next_visit
    assert visits.value(told, BEGAN + 2 * HOUR) == pytest.approx(0.5 * DAY)  # q·b/a


def test_a_queued_page_stays_queued_when_it_is_signalled() -> None:
    visits = Visits(RevisitRules(), price=HOUR)
    queued = visits.taken(seen(visits), BEGAN + DAY)
    told = visits.signalled(queued, Signal(BEGAN + DAY + 60), BEGAN + DAY + 120)
    assert told.next_visit == queued.next_visit


def test_a_buried_page_that_is_listed_anew_is_looked_at() -> None:
    visits = Visits(RevisitRules())
    buried = visits.gone(seen(visits), BEGAN + DAY, "http:404")
    told = visits.signalled(buried, Signal(BEGAN + 2 * DAY), BEGAN + 2 * DAY)
    assert told.next_visit == BEGAN + 2 * DAY


@pytest.mark.parametrize(
    "rules",
    [RevisitRules(signals=False), RevisitRules(strict=True), RevisitRules(policy="off")],
)
def test_signals_can_be_switched_off(rules: RevisitRules) -> None:
    visits = Visits(rules)
    state = seen(visits)
    assert visits.signalled(state, Signal(BEGAN + HOUR), BEGAN + DAY) == state


def test_a_site_that_cries_wolf_is_believed_ever_less_and_an_honest_one_more() -> None:
    liar, honest = Trust(), Trust()
    assert liar.precision == 0.5
    for _ in range(50):
        liar.learn(True, False)
        honest.learn(True, True)
    assert liar.precision < 0.03
    assert honest.precision > 0.97
    assert honest.recall == 0.8


def test_a_silent_page_waits_longer_on_a_site_that_announces_its_changes() -> None:
    agenda = Agenda(RevisitRules())
    for number in range(20):
        key = bytes([number]) * 16
        agenda.first_seen(key, BEGAN, site="told.example")
        trusts = agenda.visits.trusts
        (trusts.get("told.example") or trusts.add("told.example", Trust())).learn(True, True)
    quiet = agenda.visits.first_seen(b"x" * 16, "", "quiet.example", PageClass.ARTICLE, BEGAN)
    silent = agenda.visits.first_seen(b"y" * 16, "", "told.example", PageClass.ARTICLE, BEGAN)
    assert silent.next_visit is not None
    assert quiet.next_visit is not None
    assert silent.next_visit > quiet.next_visit


def test_a_site_that_never_signals_gets_no_record() -> None:
    visits = Visits(RevisitRules())
    visits.visited(seen(visits), 1, BEGAN + DAY, True)
    assert not [*visits.trusts]
    told = visits.signalled(seen(visits), Signal(BEGAN + HOUR), BEGAN + HOUR)
    visits.visited(told, 1, BEGAN + DAY, True)
    trust = visits.trusts.get("a.example")
    assert trust is not None
    assert trust.to_json() == {
        "followed": 1,
        "true": 1,
        "changes": 1,
        "announced": 1,
    }


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=50))
def test_trust_is_a_share_and_survives_being_stored(visits: list[tuple[bool, bool]]) -> None:
    trust = Trust()
    for signalled, changed in visits:
        trust.learn(signalled, changed)
    assert 0 < trust.precision < 1
    assert 0 <= trust.recall <= 0.8
    assert Trust.from_json(trust.to_json()) == trust


def test_habits_of_a_site_are_learnt_anew() -> None:
    trust = Trust()
    for _ in range(5000):
        trust.learn(True, False)
    for _ in range(3000):
        trust.learn(True, True)
    assert trust.precision > 0.8


def test_the_date_of_publication_is_no_news_however_imprecise() -> None:
    published = BEGAN - HOUR
    state = seen(Visits(RevisitRules()))._replace(born=published)
    day = published - published % DAY
    assert not is_news(state, Signal(day, precision=DAY), BEGAN)
    assert is_news(state._replace(born=None), Signal(day, precision=DAY), BEGAN)
    assert is_news(state, Signal(day + DAY, precision=DAY), BEGAN + DAY)
