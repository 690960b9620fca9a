"""How sites are treated: template, Scrapy's settings, and what sites ask for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from focuscrawl import settings as project_settings
from focuscrawl.features.politeness.sites import PART, PoliteSites, extras_of, has_secrets
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.spiders.settings import scrapy_settings
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.values import Waiting
from tests.clock import NOON, StandingClock

HOUR = 3600.0
SECONDS = st.floats(0.001, 10_000)


def template(text: str = "") -> Template:
    source = '[[source]]\nurl = "https://a.cn/"\n'
    return load(f'topic.name = "x"\n{text}\n{source}', {}, {}).template


def manners(text: str = "", **by_hand: object) -> PoliteSites:
    topic = template(text)
    settings = Settings()
    settings.setmodule(project_settings)
    for name, value in scrapy_settings(topic).items():
        settings.set(name, value, "spider")
    for name, value in by_hand.items():
        settings.set(name, value, "cmdline")
    return PoliteSites(settings, topic)


SITES = """
[politeness]
delay = "3s"
crawl_delay_max = "30s"
[site."b.cn".politeness]
delay = "8s"
concurrency = 2
"""


def test_the_nearest_table_holds_and_the_command_line_beats_it() -> None:
    polite = manners(SITES)
    assert polite.politeness("a.cn") == Politeness(3.0, 0.5, 1)
    assert polite.politeness("www.b.cn") == Politeness(8.0, 0.5, 2)
    assert (polite.delay_from("a.cn"), polite.delay_from("b.cn")) == ("template", "site")
    by_hand = manners(SITES, DOWNLOAD_DELAY="1", CONCURRENT_REQUESTS_PER_DOMAIN="4")
    assert by_hand.politeness("b.cn").delay == 1.0
    assert by_hand.politeness("b.cn").concurrency == 4


def test_without_a_topic_scrapys_settings_hold() -> None:
    settings = Settings(
        {
            "DOWNLOAD_DELAY": 2,
            "DOWNLOAD_DELAY_JITTER": 0.3,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 5,
            "DOWNLOAD_SLOTS": {"b.cn": {"delay": 9, "concurrency": 1}},
        }
    )
    polite = PoliteSites(settings, None)
    assert polite.politeness("a.cn") == Politeness(2.0, 0.3, 5)
    assert polite.politeness("b.cn") == Politeness(9.0, 0.3, 1)
    assert polite.extras("a.cn") is None
    assert polite.closed_for("a.cn", NOON) == 0.0


@given(SECONDS)
def test_a_crawl_delay_is_obeyed_up_to_its_most_and_never_shortens(asked: float) -> None:
    polite = manners(SITES)
    obeyed, was_cut = polite.crawl_delay("b.cn", asked)
    assert obeyed == min(asked, 30.0)
    assert was_cut == (asked > 30.0)
    found = polite.politeness("b.cn")
    assert found.delay == max(8.0, obeyed)
    assert found.concurrency == (1 if obeyed > 8.0 else 2), "one at a time where a delay is asked"
    assert polite.delay_from("b.cn") == ("robots" if obeyed > 8.0 else "site")


@given(st.lists(st.tuples(st.sampled_from(["delay", "alone"]), SECONDS), max_size=8))
def test_what_a_site_asked_for_holds_over_a_restart(asked: list[tuple[str, float]]) -> None:
    before = manners(SITES)
    for verb, seconds in asked:
        if verb == "delay":
            before.crawl_delay("a.cn", seconds)
        else:
            before.leave_alone("a.cn", seconds, NOON)
    after = manners(SITES)
    stored = {site: {PART: part} for site, part in before.asked.changed().items()}
    after.asked.load({**stored, "b.cn": {"ban": {}}})
    assert after.politeness("a.cn") == before.politeness("a.cn")
    alone = [seconds for verb, seconds in asked if verb == "alone"]
    assert after.left_until("a.cn", NOON) == max([NOON + each for each in alone], default=0.0)


def test_what_a_site_said_when_the_clock_ran_ahead_is_forgotten() -> None:
    before, after = manners(SITES), manners(SITES)
    before.leave_alone("a.cn", 60.0, NOON + 5 * 86_400)
    after.asked.load({"a.cn": {PART: before.asked.changed()["a.cn"]}})
    assert after.left_until("a.cn", NOON) <= NOON
    before.leave_alone("a.cn", 30.0, NOON)
    assert before.left_until("a.cn", NOON) == NOON + 30


def test_a_new_frontier_leaves_a_site_alone_until_its_time() -> None:
    polite = manners(SITES)
    polite.leave_alone("a.cn", 40.0, NOON)
    polite.leave_alone("b.cn", -1.0, NOON)
    frontier = Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=polite.politeness,
        partition_of=lambda site: 0,
        stored=lambda sequence, level: None,
        random=lambda: 0.0,
    )
    clock = StandingClock()
    polite.block_sites(frontier, clock, ["a.cn", "b.cn"])
    for host in ("a.cn", "b.cn"):
        address = Canonicalizer().address(f"http://{host}/")
        assert address is not None
        frontier.add(Waiting(address.url, address.key, address.site, 4, 4), address.number)
    first = frontier.take(clock.steady(), clock.wall())
    assert first is not None
    assert first.waiting.site == "b.cn"
    assert frontier.take(clock.steady() + 39.0, clock.wall()) is None
    second = frontier.take(clock.steady() + 40.0, clock.wall())
    assert second is not None
    assert second.waiting.site == "a.cn"


def test_a_site_is_closed_until_its_hours_begin() -> None:
    polite = manners(
        '[politeness]\nhours = "09:00-18:00"\n[site."b.cn".politeness]\nhours = "20:00-22:00"\n'
    )
    assert polite.closed_for("a.cn", NOON) == 0.0
    assert polite.closed_for("b.cn", NOON) == 8 * HOUR
    assert polite.closed_for("a.cn", NOON + 7 * HOUR) == 14 * HOUR


@given(st.floats(0, 60))
def test_only_what_a_site_asks_for_beyond_our_own_pause_holds_it(wait: float) -> None:
    polite = manners(f'{SITES}hours = "09:00-18:00"\n')
    assert polite.hold("a.cn", wait, NOON) == (0.0, "")
    polite.crawl_delay("a.cn", 2.0)
    assert polite.hold("a.cn", wait, NOON) == (0.0, ""), "ours is longer"
    polite.crawl_delay("a.cn", 20.0)
    assert polite.hold("a.cn", wait, NOON) == (max(0.0, wait - 3.0 * 1.5), "Crawl-delay")
    polite.leave_alone("a.cn", 30.0, NOON)
    assert polite.hold("a.cn", wait, NOON + 29) == (wait, "Retry-After")
    assert polite.hold("a.cn", wait, NOON + 30)[1] == "Crawl-delay"
    assert polite.hold("b.cn", wait, NOON + 7 * HOUR) == (wait, "hours")


def test_requests_are_dressed_only_where_a_site_differs() -> None:
    topic = template(
        '[request]\nheaders = { X-All = "all" }\n[politeness]\ncontact = "mailto:me@a.cn"\n'
        '[site."b.cn".politeness]\nrobots = false\nuser_agent = "other"\n'
        '[site."b.cn".request]\nheaders = { X-B = "b" }\ncookies = { who = "me" }\nproxy = ["http://p1:1", "http://p2:1"]\n'
    )
    assert extras_of(topic, "a.cn") is None
    dress = extras_of(topic, "www.b.cn")
    assert dress is not None
    assert dress.meta["dont_obey_robotstxt"] is True
    assert dress.meta["proxy"] in {"http://p1:1", "http://p2:1"}
    assert dress.headers["X-B"] == "b"
    assert "X-All" not in dress.headers, "Scrapy's default headers hold it"
    assert dress.headers["User-Agent"] == "other (+mailto:me@a.cn)" or (
        dress.headers["User-Agent"] == "other"
    )
    (cookie,) = dress.cookies
    assert (cookie["name"], cookie["value"], cookie["path"]) == ("who", "me", "/")


def test_a_host_keeps_its_proxy_and_many_hosts_share_them() -> None:
    topic = template('[request]\nproxy = ["http://p1:1", "http://p2:1", "http://p3:1"]\n')
    chosen = {}
    for number in range(40):
        host = f"h{number}.cn"
        dress = extras_of(topic, host)
        assert dress is not None
        chosen[host] = dress.meta["proxy"]
        assert extras_of(topic, host) == dress
    assert set(chosen.values()) == {"http://p1:1", "http://p2:1", "http://p3:1"}


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ('[request]\nheaders = { X-All = "all" }', set()),
        ('[request]\nheaders = { X-Key = "env:KEY" }', {"a.cn", "b.cn"}),
        ('[request]\nheaders = { authorization = "Basic abc" }', {"a.cn", "b.cn"}),
        ('[request]\ncookies = { who = "me" }', {"a.cn", "b.cn"}),
        ('[site."b.cn".request]\nheaders = { X-Key = "env:KEY", X-B = "b" }', {"b.cn"}),
        ('[site."b.cn".request]\nheaders = { X-Key = "file:key.txt" }', {"b.cn"}),
        ('[site."b.cn".request]\nheaders = { X-B = "b" }', set()),
        ('[site."b.cn".request]\ncookies = { who = "me" }', {"b.cn"}),
        ('[site."b.cn".request]\ncookies = "file:jar.txt"', {"b.cn"}),
        ('[request]\ncookies = "file:jar.txt"', {"b.cn"}),
        ('[request]\nheaders = { X-Key = "env:KEY" }\n[site."b.cn".request]\nheaders = { X-Key = "b" }',
         {"a.cn"}),
    ],
)  # fmt: skip
def test_what_is_secret_to_a_site_is_known(text: str, hosts: set[str], tmp_path: Path) -> None:
    (tmp_path / "key.txt").write_text("k3y\n")
    (tmp_path / "jar.txt").write_text("b.cn\tTRUE\t/\tFALSE\t0\tname\tvalue\n")
    written = f'topic.name = "x"\n{text}\n[[source]]\nurl = "https://a.cn/"\n'
    topic = load(written, {}, {"KEY": "k3y"}, tmp_path).template
    assert {host for host in ("a.cn", "b.cn") if has_secrets(topic, host)} == hosts
    assert {host for host in ("a.cn", "b.cn") if has_secrets(topic, f"www.{host}")} == hosts


@pytest.mark.parametrize("domain", ["b.cn", ".b.cn"])
def test_a_browsers_cookie_goes_to_its_host_and_those_below(domain: str, tmp_path: Path) -> None:
    (tmp_path / "jar.txt").write_text(f"{domain}\tTRUE\t/\tFALSE\t0\tname\tvalue\n")
    text = (
        'topic.name = "x"\n[request]\ncookies = "file:jar.txt"\n[[source]]\nurl = "https://a.cn/"\n'
    )
    topic = load(text, {}, {}, tmp_path).template
    for host in ("b.cn", "www.b.cn"):
        dress = extras_of(topic, host)
        assert dress is not None, host
        assert [cookie["name"] for cookie in dress.cookies] == ["name"]
    assert extras_of(topic, "a.cn") is None
    assert extras_of(topic, "bb.cn") is None


@pytest.mark.parametrize("times", [1, 3])
def test_the_dress_of_a_host_is_made_once(times: int) -> None:
    polite = manners('[site."b.cn".request]\nheaders = { X-B = "b" }\n')
    dresses = [polite.extras("b.cn") for _ in range(times)]
    assert all(dress is dresses[0] for dress in dresses)
    assert polite.extras("a.cn") is None
