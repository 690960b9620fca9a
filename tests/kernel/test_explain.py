"""What features say of an address for those who ask why, over a crawl that is only looked at."""

from __future__ import annotations

import asyncio
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from focuscrawl.config import read_config
from focuscrawl.features.explore.ledger import BAN, BanRules, Ledger
from focuscrawl.features.politeness.feature import PAGES_PART
from focuscrawl.features.politeness.sites import PART, ROBOTS_KEPT
from focuscrawl.kernel.opening import open_to_look
from focuscrawl.kernel.run import Run
from focuscrawl.output.explain.facts import Fact, Question
from focuscrawl.stores.state.protocol import Changes, QueuePlace, Row
from focuscrawl.stores.state.snapshot import Snapshot
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, PageState, Waiting

NOW = 1_790_000_000.0
TOPIC = """
[topic]
name = "news"
keywords = ["食品"]
[[source]]
url = "http://a.cn/"
[follow]
scope = "web"
depth = 3
deny = ["/x/"]
[explore]
banned = ["evil.cn"]
[site."b.cn"]
quota = 5
"""


@pytest.fixture
def facts(tmp_path: Path) -> Any:
    """Return what all features say of an address of a site whose record and facts a test gives."""

    def ask(
        url: str,
        record: dict[str, Any] | None = None,
        robots: str = "",
        **question: Any,
    ) -> dict[str, Fact]:
        site = url.split("/")[2]
        path = tmp_path / "news.crawl.db"
        store = SQLiteStore(path)
        store.own()
        changes = Changes(sites={site: record or {}})
        if robots:
            changes.facts[ROBOTS_KEPT, site] = ["", "", robots]
        store.commit({partition_of(site): changes})
        store.release()
        crawler = get_crawler(settings_dict={"FOCUSCRAWL_DATA_DIR": str(tmp_path)})
        config = read_config(crawler.settings, {}, tmp_path)
        look = Snapshot(path)
        look.own()
        try:
            run = Run(crawler, config, "news", load(TOPIC).template, look)
            asyncio.run(open_to_look(run, [site]))
            key = md5(url.encode()).digest()
            asked = Question(url, key, 1, site, NOW, **question)
            said = [fact for hook in run.hooks.explain for fact in asyncio.run(_asked(hook, asked))]
        finally:
            look.release()
        return {fact.kind: fact for fact in said}

    return ask


async def _asked(hook: Any, question: Question) -> list[Fact]:
    return [*await hook(question)]


def test_a_site_says_how_often_it_is_asked(facts: Any) -> None:
    assert facts("http://a.cn/1.html")["delay"].values["from"] == "template"
    asked = facts("http://c.cn/1.html", {PART: {"delay": 9.0, "origin": "robots"}})["delay"]
    assert (asked.values["seconds"], asked.values["from"]) == (9.0, "robots")


def test_a_site_that_asked_to_be_left_alone_says_until_when(facts: Any) -> None:
    left = facts("http://c.cn/1.html", {PART: {"until": NOW + 1e9, "said_at": 0.0}})["retry_after"]
    assert left.values["until"] == NOW + 1e9
    assert not left.stops


def test_a_quota_that_is_used_up_stops_what_was_not_asked_for_yet(facts: Any) -> None:
    record = {PAGES_PART: 5}
    assert facts("http://b.cn/1.html", record)["quota"].stops
    known = {"pages": [{"page_class": "article", "outcome": "stored", "score": None}]}
    assert not facts("http://b.cn/1.html", record, stored=known)["quota"].stops
    assert not facts("http://b.cn/1.html", {PAGES_PART: 4})["quota"].stops


def test_a_robots_txt_that_was_read_is_held_against_what_was_never_seen(facts: Any) -> None:
    robots = "User-agent: *\nDisallow: /vip/\n"
    assert facts("http://c.cn/vip/1.html", robots=robots)["robots"].stops
    assert "robots" not in facts("http://c.cn/1.html", robots=robots)


def test_a_ban_comes_with_what_speaks_for_it_and_a_source_stands_above_it(facts: Any) -> None:
    ledger = Ledger(BanRules(lasting=1e9))
    for number in range(9):
        ledger.judged(f"http://good.cn/{number}", "good.cn", relevant=True, wall=NOW)
    for number in range(25):
        ledger.judged(f"http://bad.cn/ads/{number}", "bad.cn", relevant=False, wall=NOW)
    record = {BAN: ledger.changed()["bad.cn"]}
    ban = facts("http://bad.cn/ads/99", record)["ban"]
    assert ban.stops
    assert (ban.values["why"], ban.values["irrelevant"]) == ("rate", ban.values["pages"])
    assert all(url.startswith("http://bad.cn/ads/") for url in ban.values["evidence"])
    assert not facts("http://bad.cn/ads/99", record, is_source=True)["ban"].stops
    other = facts("http://bad.cn/news/1", record)
    assert "ban" not in other
    assert other["explored"].values == {"pages": 25, "relevant": 0}


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://a.cn/x/1.html", "deny"),
        ("http://evil.cn/1.html", "banned"),
        ("http://a.cn/login", "action:login"),
        ("http://192.168.0.1/1.html", "private"),
        ("http://a.cn/1.zip", "suffix"),
    ],
)
def test_the_rule_that_refuses_an_address_is_named(url: str, reason: str, facts: Any) -> None:
    rule = facts(url)["rule"]
    assert rule.stops
    assert rule.values["reason"] == reason
    assert "rule" not in facts(url, is_source=True)


def test_a_link_too_deep_is_refused_by_its_depth(facts: Any) -> None:
    url = "http://a.cn/1.html"
    deep = Waiting(url, md5(url.encode()).digest(), "a.cn", 3, 3, depth=9)
    assert facts(url, row=Row(1, deep))["rule"].values == {"reason": "depth", "because": "3"}


@pytest.mark.parametrize(
    ("step", "ahead", "kinds"),
    [(2, 3, {"lane"}), (11, 3, {"parked_lane"}), (2, 15, {"lane", "site_quota"})],
)
def test_a_link_that_explores_says_whether_it_is_parked(
    step: int, ahead: int, kinds: set[str], facts: Any
) -> None:
    url = "http://new.cn/1.html"
    key = md5(url.encode()).digest()
    row = Row(1, Waiting(url, key, "new.cn", 3, 3, explore=True, step=step, score=0.4))
    said = facts(url, row=row, place=QueuePlace(20, 0, ahead))
    assert {"lane", "parked_lane", "site_quota"} & said.keys() == kinds


DAY = 86400.0
STATE = PageState(
    md5(b"x").digest(), "http://a.cn/1.html", "a.cn", PageClass.ARTICLE, 3,
    NOW - 9 * DAY, NOW - DAY, NOW + DAY, 5, observed=8 * DAY, changes=2.0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (STATE, {"policy", "shortest", "longest"}),
        (STATE._replace(visits=1), {"first"}),
        (STATE._replace(every=60.0), {"source"}),
        (STATE._replace(signalled=NOW), {"signal"}),
        (STATE._replace(failing_since=NOW, failures=1), {"failing"}),
        (STATE._replace(reserved=NOW + 60), {"queued"}),
        (STATE._replace(next_visit=None), {"old"}),
    ],
)
def test_the_next_visit_comes_with_its_reason(state: PageState, why: set[str], facts: Any) -> None:
    said = facts(state.url, state=state)
    assert said["next_visit"].values["why"] in why
    assert said["visits"].values["visits"] == state.visits


def test_a_page_that_is_gone_has_no_next_visit(facts: Any) -> None:
    said = facts(STATE.url, state=STATE._replace(gone=NOW, reason="http 404"))
    assert "next_visit" not in said
    assert said["visits"].values["reason"] == "http 404"


def test_nothing_is_written_and_nothing_waits(facts: Any, tmp_path: Path) -> None:
    facts("http://a.cn/1.html")
    assert not (tmp_path / "news.db").exists()
