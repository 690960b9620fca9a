"""Sites that never answer are left alone for longer and longer; one that has answered is not."""

from __future__ import annotations

from focuscrawl.politeness.silent_sites import PAUSES, SilentSites


def test_a_site_that_never_answers_is_left_alone_for_longer_and_longer() -> None:
    sites = SilentSites()
    assert [sites.failed("a.test", "timeout") for _ in range(5)] == [
        *PAUSES,
        PAUSES[-1],
        PAUSES[-1],
    ]
    assert sites.is_silent("a.test")
    assert not sites.is_silent("b.test")
    sites.hear("a.test")
    assert not sites.is_silent("a.test")


def test_one_that_has_answered_is_in_trouble_and_nothing_else() -> None:
    sites = SilentSites()
    sites.hear("a.test")
    assert sites.failed("a.test", "timeout") == 0.0
    assert sites.failed("b.test", "http 503") == 0.0
