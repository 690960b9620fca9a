"""How long a lease holds, for who has it, and how often its holder looks and reports meanwhile."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.stores.redis.lease import COMMAND_LEASE, JOIN_EVERY, LIVES_EVERY, Lease, boot_time

SECONDS = st.floats(1.5, 3600.0)


@given(SECONDS, st.floats(0.0, 1e6))
def test_its_holder_is_sure_of_it_for_less_time_than_redis_keeps_it(
    seconds: float, sent: float
) -> None:
    lease = Lease(seconds)
    assert sent < lease.sure_until(sent) < sent + lease.milliseconds / 1000


@given(SECONDS)
def test_a_worker_looks_three_times_at_least_while_it_lasts_and_every_two_seconds(
    seconds: float,
) -> None:
    lease = Lease(seconds)
    assert lease.is_time_to_look(JOIN_EVERY)
    assert lease.is_time_to_look(seconds / 3)
    assert not lease.is_time_to_look(0.99 * min(JOIN_EVERY, seconds / 3))


@given(SECONDS)
def test_who_loads_reports_before_a_lease_has_ended(seconds: float) -> None:
    lease = Lease(seconds)
    assert lease.is_time_to_report(seconds / LIVES_EVERY)
    assert not lease.is_time_to_report(0.99 * seconds / LIVES_EVERY)


def test_a_command_has_a_minute_or_what_is_set_if_that_is_longer() -> None:
    assert Lease.of_command(15.0).seconds == COMMAND_LEASE
    assert Lease.of_command(90.0).seconds == 90.0


def test_its_clock_goes_on() -> None:
    before = boot_time()
    assert boot_time() >= before
