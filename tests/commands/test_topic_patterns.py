"""``scrapy topic patterns``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from focuscrawl.commands.topic import TopicCommand
from focuscrawl.stores.state.protocol import PARTITIONS, Changes
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.kinds.addresses import Matches
from focuscrawl.urls.patterns.url_patterns import PATTERNS, UrlPatterns
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass

TOPIC = '[topic]\nkeywords = ["食品"]\n[[source]]\nurl = "http://a.cn/"\n'
NEWS = "http://a.cn/news/77123.html"
Said = tuple[int, str]


def known_patterns() -> UrlPatterns:
    return UrlPatterns(lambda written: Matches([written]))


@pytest.fixture
def topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """A project with a topic; runs ``scrapy topic patterns news`` in it, in this process."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "news.toml").write_text(TOPIC, "utf-8")
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("FOCUSCRAWL_")]:
        monkeypatch.delenv(name)

    def run(*arguments: str) -> Said:
        command = TopicCommand()
        command.settings = Settings()
        parser = ScrapyArgumentParser(conflict_handler="resolve")
        command.add_options(parser)
        options, names = parser.parse_known_args(["patterns", "news", *arguments])
        command.run(names, options)
        return command.exitcode, capsys.readouterr().out

    return run


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A crawl that has learnt what articles of one site look like."""
    known = known_patterns()
    for number in range(10_000, 10_030):
        known.judged(f"http://a.cn/news/{number}.html", "a.cn", PageClass.ARTICLE)
    (tmp_path / "crawls").mkdir()
    path = tmp_path / "crawls" / "news.crawl.db"
    store = SQLiteStore(path)
    store.own()
    record = known.changed(all_of_it=True)["a.cn"]
    store.commit({partition_of("a.cn"): Changes(sites={"a.cn": {PATTERNS: record, "delay": {}}})})
    store.release()
    return path


def kept(path: Path) -> UrlPatterns:
    """What the next run will know."""
    store = SQLiteStore(path)
    store.own()
    records = asyncio.run(store.load(range(PARTITIONS))).records
    store.release()
    assert "delay" in records["a.cn"]  # others' parts of a record are left alone
    known = known_patterns()
    known.load(records)
    return known


def test_patterns_are_listed_with_what_they_stand_on(
    topic: Callable[..., Said], crawl: Path
) -> None:
    status, said = topic()
    assert status == 0, said
    assert "a.cn  " in said
    assert r"re:://[^/]+/news/\d{5,}\.html$" in said
    assert "100% right" in said
    assert topic("b.cn") == (0, "news: no pattern was learnt yet\n")


def test_a_person_pins_vetoes_and_forgets(topic: Callable[..., Said], crawl: Path) -> None:
    status, said = topic("a.cn", "--pin", "board=/news/7*.html", "--veto", "/en/")
    assert status == 0, said
    assert "/news/7*.html is board, whatever is learnt" in said
    known = kept(crawl)
    assert known.class_of(NEWS, "a.cn").page_class is PageClass.BOARD
    assert known.class_of("http://a.cn/news/12345.html?/en/", "a.cn").page_class is None
    _, said = topic("http://a.cn/whatever")
    assert "board           /news/7*.html  (pinned)" in said
    assert "vetoed          /en/" in said
    status, said = topic("a.cn", "--forget", "/news/7*.html", "--forget", "/none/")
    assert status == 0
    assert "/none/ was neither pinned nor vetoed" in said
    assert kept(crawl).class_of(NEWS, "a.cn").page_class is PageClass.ARTICLE


def test_a_site_that_was_never_met_can_be_told_about(
    topic: Callable[..., Said], crawl: Path
) -> None:
    topic("b.cn", "--pin", "article=/a/")
    found = kept(crawl).class_of("http://b.cn/a/1", "b.cn")
    assert found.page_class is PageClass.ARTICLE
    assert found.by_hand


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["a.cn", "--pin", "news=/en/"], "a class of article, board, other"),
        (["a.cn", "--pin", "article="], "write CLASS=PATTERN"),
        (["a.cn", "--veto", r"/\d+$"], "looks like a regular expression"),
        (["a.cn", "--veto", "re:("], "re:("),
        (["a b"], "is no host"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    topic: Callable[..., Said], crawl: Path, arguments: list[str], reason: str
) -> None:
    status, said = topic(*arguments)
    assert status == 2
    assert reason in said


def test_a_wish_names_its_hosts(topic: Callable[..., Said], crawl: Path) -> None:
    with pytest.raises(UsageError, match="name the hosts, too"):
        topic("--veto", "/en/")


def test_a_topic_that_was_never_crawled_has_none(topic: Callable[..., Said]) -> None:
    status, said = topic()
    assert status == 2
    assert "never crawled" in said
