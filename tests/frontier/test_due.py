"""What a run that begins now counts as due."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.retries import MOST_EARLY, comes_now

HOUR, DAY = 3_600.0, 86_400.0


def test_what_is_nearly_due_comes_now_and_what_was_just_done_does_not() -> None:
    now = 10 * DAY
    assert comes_now(now + 20 * 60, now - DAY + 20 * 60, now)
    assert not comes_now(now + 3 * HOUR, now - DAY + 3 * HOUR, now)
    assert not comes_now(now + HOUR, now, now)
    assert not comes_now(now + 4 * HOUR, now - 300 * DAY, now)


@given(
    st.floats(-DAY, 30 * DAY), st.floats(0, 30 * DAY), st.floats(0, 30 * DAY)
)  # fmt: skip
def test_nothing_comes_long_before_its_date_and_everything_due_comes(
    ahead: float, waited: float, now: float
) -> None:
    date, since = now + ahead, now - waited
    if date <= now:
        assert comes_now(date, since, now)
    elif comes_now(date, since, now):
        assert date - now <= MOST_EARLY * 1.001
        assert waited > 8 * (date - now) * 0.999
