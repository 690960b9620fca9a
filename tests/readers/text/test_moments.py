"""Moments as people write and read them."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from focuscrawl.readers.text.moments import day_began, moment_text, read_moment, short_moment_text
from tests.clock import NOON
from tests.tables import each_row

SHANGHAI, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")
HOUR = 3600.0


@each_row(
    ("text", "moment"),
    [
        ("2026-11-20", NOON - 12 * HOUR),
        ("2026-11-20 12:00", NOON),
        ("2026-11-20T12:00:30", NOON + 30),
        ("2026-11-20T04:00Z", NOON),
        ("2026-11-20T05:00+01:00", NOON),
    ],
)
def test_what_names_no_zone_is_of_the_one_that_is_given(text: str, moment: float) -> None:
    assert read_moment(text, SHANGHAI) == moment


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "20.11.2026"])
def test_what_is_no_moment_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"isoformat|month"):
        read_moment(text, SHANGHAI)


def test_moments_are_written_by_the_clocks_of_a_zone() -> None:
    assert moment_text(NOON, SHANGHAI) == "2026-11-20 12:00"
    assert short_moment_text(NOON, NEW_YORK) == "11-19 23:00"
    assert moment_text(1e18, SHANGHAI) == "–"


def test_a_day_begins_at_midnight_also_one_of_25_hours() -> None:
    assert day_began(NOON, SHANGHAI) == NOON - 12 * HOUR
    noon = read_moment("2026-11-01 12:00", NEW_YORK)
    assert noon - day_began(noon, NEW_YORK) == 13 * HOUR
