"""Hosts that do not answer are left alone as long as one of their URLs waits for its next try."""

from __future__ import annotations

from focuscrawl.features.politeness.silence import ANSWERED, HELD, SilentHosts, UnprovenHosts

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


def unproven(*answered: str) -> tuple[SilentHosts, UnprovenHosts]:
    hosts = SilentHosts(WAITS)
    for site in answered:
        hosts.answered(site)
    return hosts, UnprovenHosts(hosts, 16)


def yes(site: str) -> bool:
    return True


def no(site: str) -> bool:
    return False


def test_hosts_that_have_not_answered_share_a_quarter_while_one_that_answers_is_ready() -> None:
    _, waiting = unproven("a.test")
    others = [f"s{number}.test" for number in range(16)]
    assert waiting.hold("new.test", [*others[:3], "a.test"], yes) == 0
    assert waiting.hold("new.test", [*others[:4], "a.test"], yes) == HELD
    assert waiting.hold("new.test", others[:11], no) == 0, "no other could use the place"
    assert waiting.hold("new.test", others[:12], no) == HELD, "a quarter is never theirs"
    assert waiting.hold("a.test", others, yes) == 0


def test_where_no_host_has_answered_none_is_held_back() -> None:
    _, waiting = unproven()
    assert waiting.hold("new.test", [f"s{number}.test" for number in range(16)], yes) == 0


def test_a_host_whose_latest_url_got_no_answer_is_one_of_those_that_do_not() -> None:
    hosts, waiting = unproven("a.test", "b.test")
    hosts.failed("b.test", NOW)
    assert waiting.hold("b.test", ["s.test"] * 4, yes) == HELD
    hosts.answered("b.test")
    assert waiting.hold("b.test", ["s.test"] * 4, yes) == 0


def test_a_host_that_has_answered_for_its_robots_txt_alone_is_not_proven() -> None:
    hosts, waiting = unproven("a.test")
    hosts.answered("b.test", is_page=False)
    assert not hosts.is_unknown("b.test")
    assert waiting.hold("b.test", ["s.test"] * 4, yes) == HELD


def test_those_held_back_longest_are_looked_at_first() -> None:
    _, waiting = unproven("a.test")
    names = [f"new{number}.test" for number in range(9)]
    for name in names:
        waiting.hold(name, ["s.test"] * 4, yes)
    opened: list[str] = []

    def open_again(site: str) -> bool:
        opened.append(site)
        return site != "new0.test"

    waiting.let_come(open_again)
    assert opened == names[:5], "the first is held back by something else by now"
    waiting.let_come(open_again)
    assert opened == names
