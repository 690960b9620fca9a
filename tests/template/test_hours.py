"""Time windows."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.template.kinds.times import Hours, HoursError, parse_window
from tests.tables import each_row

SHANGHAI = ZoneInfo("Asia/Shanghai")
PARIS = ZoneInfo("Europe/Paris")


def hours(*windows: str, zone: ZoneInfo = SHANGHAI) -> Hours:
    return Hours([parse_window(window) for window in windows], zone)


def at(text: str, zone: ZoneInfo = SHANGHAI) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


@each_row(
    ("window", "moment", "is_open"),
    [
        ("22:00-06:00", "2026-11-20 23:00", True),
        ("22:00-06:00", "2026-11-20 05:59", True),
        ("22:00-06:00", "2026-11-20 06:00", False),
        ("Fri 20:00-07:00", "2026-11-21 06:59", True),  # Saturday belongs to Friday's window
        ("Fri 20:00-07:00", "2026-11-20 06:59", False),
        ("Sat-Sun", "2026-11-22 23:59", True),
        ("Sat-Sun", "2026-11-23 00:00", False),
        ("Sun-Mon 08:00-09:00", "2026-11-23 08:30", True),
        ("sat-Mon 08:00-09:00", "2026-11-24 08:30", False),
        ("00:00-24:00", "2026-11-24 08:30", True),
        ("08:00-08:00", "2026-11-24 07:59", True),
    ],
)
def test_a_window_is_open_in_the_topics_timezone(window: str, moment: str, is_open: bool) -> None:
    assert hours(window).open_at(at(moment)) is is_open


def test_without_windows_it_is_always_open() -> None:
    always = hours()
    assert not always
    assert always.open_at(0.0)
    assert always.next_opening(5.0) == 5.0
    assert always.closing(5.0) is None


def test_the_next_opening_and_closing_are_found() -> None:
    night = hours("Mon-Fri 20:00-07:00", "Sat-Sun")
    friday_noon = at("2026-11-20 12:00")
    opening = night.next_opening(friday_noon)
    assert opening == at("2026-11-20 20:00")
    assert night.closing(friday_noon) is None
    # Friday night runs into the weekend, which ends on Monday at midnight.
    assert night.closing(opening) == at("2026-11-23 00:00")
    assert hours("00:00-24:00").closing(friday_noon) is None


def test_a_week_may_pass_before_it_opens() -> None:
    assert hours("Fri 08:00-09:00").next_opening(at("2026-11-20 09:00")) == at("2026-11-27 08:00")


def test_clocks_that_change_do_not_move_a_window() -> None:
    early = hours("06:00-07:00", zone=PARIS)
    assert early.open_at(at("2026-10-24 06:30", PARIS))
    assert early.open_at(at("2026-10-25 06:30", PARIS))
    assert not early.open_at(at("2026-10-25 05:59", PARIS))


@each_row("text", ["", "22-6", "25:00-26:00", "22:60-23:00", "Mo 22:00-23:00", "Mon-", "always"])  # fmt: skip
def test_other_texts_are_no_windows(text: str) -> None:
    with pytest.raises(HoursError, match="22:00-06:00"):
        parse_window(text)


@given(
    st.sampled_from(["22:00-06:00", "Mon-Fri 20:00-07:00", "Sat-Sun", "Wed 00:00-01:00"]),
    st.integers(1_750_000_000, 1_850_000_000),
)
def test_openings_are_open_and_nothing_before_them_is(window: str, moment: int) -> None:
    one = hours(window)
    opening = one.next_opening(moment)
    assert opening >= moment
    assert one.open_at(opening)
    if opening > moment:
        assert not one.open_at(moment)
        assert not one.open_at(opening - 1)
        assert not one.open_at((moment + opening) / 2)
    closing = one.closing(opening)
    assert closing is not None
    assert one.open_at(closing - 1)
    assert not one.open_at(closing)
