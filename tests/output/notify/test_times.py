"""When somebody is told: pure rules under any clock."""

from __future__ import annotations

from datetime import datetime, time
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.output.notify.times import MOST_SENDINGS, WAITS, DigestTimes, wait_after
from focuscrawl.template.kinds.times import Hours, parse_window

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")  # with summer time
NIGHT = Hours([parse_window("22:00-07:00")], SHANGHAI)
ALWAYS = Hours((), SHANGHAI)
MOMENTS = st.floats(1_700_000_000, 1_900_000_000)


def table(
    *at: time, zone: ZoneInfo = SHANGHAI, quiet: Hours = ALWAYS, every: float = 900, most: int = 24
) -> DigestTimes:
    return DigestTimes(sorted(at), every, quiet, most, zone)


@given(MOMENTS, st.lists(st.times(timezones=st.none()), min_size=1, max_size=4), st.sampled_from([SHANGHAI, NEW_YORK]))  # fmt: skip
def test_what_is_found_is_told_at_the_next_time_of_day(
    found: float, at: list[time], zone: ZoneInfo
) -> None:
    whole = [one.replace(second=0, microsecond=0) for one in at]
    due = table(*whole, zone=zone).due(found)
    assert found <= due <= found + 25 * 3_600 + 60
    told = datetime.fromtimestamp(due, zone)
    shifted = {(told.hour * 60 + told.minute - one.hour * 60 - one.minute) % 1440 for one in whole}
    assert shifted & {0, 60}  # an hour that the clock leaps over is the one after it


@given(MOMENTS, st.floats(0, 100_000), st.integers(0, 30))
def test_a_message_is_sent_when_the_pause_is_over_and_the_day_has_room(
    now: float, ago: float, today: int
) -> None:
    times = table(every=3_600, most=10)
    assert times.may_send(now, now - ago, today) == (ago >= 3_600 and today < 10)
    assert times.may_send(now, None, 0)
    assert times.may_send(now, now + ago + 1, 0), "a clock that was set back holds nobody up"


@given(MOMENTS)
def test_nothing_is_sent_in_quiet_hours(now: float) -> None:
    hour = datetime.fromtimestamp(now, SHANGHAI).hour
    assert table(quiet=NIGHT).may_send(now, None, 0) == (7 <= hour < 22)


@given(MOMENTS, st.times(timezones=st.none()))
def test_what_a_day_leaves_over_comes_at_the_first_time_of_the_next(now: float, at: time) -> None:
    at = at.replace(second=0, microsecond=0)
    told = datetime.fromtimestamp(table(at, time(23, 59)).due_tomorrow(now), SHANGHAI)
    assert (told.date() - datetime.fromtimestamp(now, SHANGHAI).date()).days == 1
    assert told.time() == at


def test_waits_grow_and_end() -> None:
    waits = [wait_after(tries) for tries in range(1, MOST_SENDINGS + 1)]
    assert waits == sorted(waits)
    assert waits[0] == WAITS[0] == 60
    assert sum(waits) > 5 * 86_400
    assert wait_after(0) == 0
