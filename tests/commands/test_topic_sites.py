"""``scrapy topic sites|ban|unban``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from focuscrawl.features.explore.ledger import BAN, BanRules, Ledger
from focuscrawl.stores.state.protocol import Changes
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import partition_of
from tests.project import made_project
from tests.web import Web

TOPIC = '[topic]\nkeywords = ["食品"]\n[search]\nengines = ["bing"]\n'
Said = tuple[int, str]


@pytest.fixture
def topic(tmp_path: Path, pytestconfig: pytest.Config) -> Callable[..., Said]:
    """A project with a topic; runs ``scrapy topic`` in it."""
    project = made_project(tmp_path, Web(), pytestconfig.rootpath)
    project.write("topics/news.toml", TOPIC)

    def run(*arguments: str) -> Said:
        ended = project.run("topic", *arguments)
        return ended.status, ended.said

    return run


@pytest.fixture
def crawled(tmp_path: Path) -> None:
    """Let a crawl have judged pages: 25 bad ones in a folder, nine good ones elsewhere."""
    ledger = Ledger(BanRules())
    for number in range(9):
        ledger.judged(f"http://good.cn/{number}", "good.cn", relevant=True, wall=2e9)
    for number in range(25):
        ledger.judged(f"http://bad.cn/ads/{number}", "bad.cn", relevant=False, wall=2e9)
    changes = {}
    for site, record in ledger.changed().items():
        changes[partition_of(site)] = Changes()
        changes[partition_of(site)].sites[site] = {BAN: record}
    (tmp_path / "crawls").mkdir()
    store = SQLiteStore(tmp_path / "crawls" / "news.crawl.db")
    store.own()
    store.commit(changes)
    store.release()


def test_a_topic_that_was_never_crawled_has_no_sites(topic: Callable[..., Said]) -> None:
    status, said = topic("sites", "news")
    assert status == 2
    assert "never crawled" in said


@pytest.mark.usefixtures("crawled")
def test_sites_are_listed_with_their_bans_and_what_speaks_for_them(
    topic: Callable[..., Said],
) -> None:
    status, said = topic("sites", "news")
    assert status == 0, said
    assert "25 pages, 0 relevant" in said
    assert "banned by rate until" in said
    assert "http://bad.cn/ads/" in said
    assert said.index("bad.cn") < said.index("good.cn")


@pytest.mark.usefixtures("crawled")
def test_sites_are_listed_for_programs_and_one_host_is_said_alone(
    topic: Callable[..., Said],
) -> None:
    status, said = topic("sites", "news", "--json")
    assert status == 0, said
    bad, good = json.loads(said)
    assert (bad["site"], good["site"]) == ("bad.cn", "good.cn")
    assert bad["judged"]["banned_folders"]["/ads"]["ban"]["why"] == "rate"
    assert good["judged"] == {"pages": 9, "relevant": 9, "ban": None, "banned_folders": {}}
    status, said = topic("sites", "news", "http://Bad.cn/")
    assert status == 0, said
    assert "25 pages, 0 relevant" in said
    assert "good.cn" not in said
    assert "layouts: none was learnt yet" in said
    assert topic("sites", "news", "never.cn") == (
        2,
        "news knows no site never.cn: it has asked for no page yet\n",
    )


@pytest.mark.usefixtures("crawled")
def test_where_nobody_looks_at_bans_none_is_made(
    topic: Callable[..., Said], tmp_path: Path
) -> None:
    with (tmp_path / "topics" / "news.toml").open("a") as file:
        file.write("\n[explore]\nenabled = false\n")
    status, said = topic("ban", "news", "good.cn")
    assert status == 2
    assert "bans belong to exploration" in said
    assert "[follow] deny" in said


@pytest.mark.usefixtures("crawled")
def test_bans_by_hand_hold_until_they_are_lifted(topic: Callable[..., Said]) -> None:
    status, said = topic("ban", "news", "Good.cn", "http://other.cn/path")
    assert status == 0, said
    listed = topic("sites", "news")[1]
    assert listed.count("banned by hand until it is unbanned") == 2
    said = topic("unban", "news", "good.cn", "bad.cn", "never.cn")[1]
    assert "good.cn: no longer banned" in said
    assert "bad.cn: no longer banned" in said
    assert "never.cn: was not banned" in said
    listed = topic("sites", "news")[1]
    assert "other.cn" in listed
    assert listed.count("banned by") == 1


@pytest.mark.usefixtures("crawled")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("ban", "news"), "name the topic and the hosts"), (("ban", "news", "http://"), "is no host")],
)
def test_what_is_no_host_is_refused(
    topic: Callable[..., Said], arguments: tuple[str, ...], words: str
) -> None:
    status, said = topic(*arguments)
    assert status == 2
    assert words in said
