"""Hosts that do not answer are left alone as long as one of their URLs waits for its next try."""

from __future__ import annotations

from focuscrawl.politeness.silence import ANSWERED, SilentHosts

WAITS = (60.0, 600.0, 3_600.0)
NOW = 1_000.0


def test_one_url_without_an_answer_says_it_for_all_of_a_host_that_has_never_answered() -> None:
    hosts = SilentHosts(WAITS)
    assert hosts.left("a.test", NOW) == 0
    hosts.failed("a.test", NOW)
    assert hosts.left("a.test", NOW) == 60, "no other host has answered: it may be this machine"
    assert hosts.left("a.test", NOW + 60) == 0
    hosts.failed("a.test", NOW + 60)
    assert hosts.left("a.test", NOW + 60) == 600
    assert hosts.left("b.test", NOW) == 0


def test_where_others_answer_a_run_need_not_stay_for_it() -> None:
    hosts = SilentHosts(WAITS)
    hosts.answered("b.test")
    hosts.failed("a.test", NOW)
    assert hosts.left("a.test", NOW) == 600
    for _ in range(5):
        hosts.failed("a.test", NOW)
    assert hosts.left("a.test", NOW) == 3600, "the longest wait there is"


def test_a_host_that_has_answered_may_miss_some() -> None:
    hosts = SilentHosts(WAITS)
    hosts.answered("a.test")
    for _ in range(ANSWERED - 1):
        hosts.failed("a.test", NOW)
    assert hosts.left("a.test", NOW) == 0
    hosts.failed("a.test", NOW)
    assert hosts.left("a.test", NOW) == 600
    hosts.answered("a.test")
    assert hosts.left("a.test", NOW) == 0
