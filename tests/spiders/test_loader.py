"""Every topic is a spider."""

import logging
from pathlib import Path

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from focuscrawl.spiders.loader import TopicLoader, UnusableTopic
from focuscrawl.spiders.topic import TopicSpider

GOOD = '[[source]]\nurl = "https://a.example.cn/"\n'
SPIDER = """
from scrapy import Spider

class Quotes(Spider):
    name = "quotes"
    allowed_domains = ["quotes.example.com"]

class Tram(Spider):
    name = "tram"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with scrapy.cfg, from below which commands are called."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\n")
    (tmp_path / "topics").mkdir()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    monkeypatch.delenv("FOCUSCRAWL_TOPICS", raising=False)
    return tmp_path


def loader(**settings: object) -> TopicLoader:
    values = {"SPIDER_LOADER_CLASS": "focuscrawl.spiders.loader.TopicLoader", **settings}
    found = get_spider_loader(Settings(values))
    assert isinstance(found, TopicLoader)
    return found


def test_topics_beside_scrapy_cfg_are_spiders(project: Path) -> None:
    (project / "topics/city-metro.toml").write_text(GOOD)
    assert sorted(loader().list()) == ["city-metro", "topic"]
    spider = loader().load("city-metro")
    assert issubclass(spider, TopicSpider)
    assert spider.name == "city-metro"
    assert spider.template_path == str(project / "topics/city-metro.toml")
    assert loader().load("topic") is TopicSpider


def test_spiders_of_the_project_stand_beside_topics_and_win_their_name(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "metro_spiders.py").write_text(SPIDER)
    monkeypatch.syspath_prepend(str(project))
    (project / "topics/metro.toml").write_text(GOOD)
    (project / "topics/tram.toml").write_text(GOOD)
    found = loader(SPIDER_MODULES=["metro_spiders"])
    assert sorted(found.list()) == ["metro", "quotes", "topic", "tram"]
    assert not issubclass(found.load("tram"), TopicSpider)


def test_a_bad_topic_is_told_and_hides_no_other(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "topics/good.toml").write_text(GOOD)
    (project / "topics/bad.toml").write_text("[topic]\nkeyword = 'x'\n")
    (project / "topics/worse.toml").write_bytes(b"\xff\xfe\x00")
    (project / "topics/topic.toml").write_text(GOOD)
    assert sorted(loader().list()) == ["good", "topic"]
    told = capsys.readouterr()
    assert "bad.toml: 1 problem\n  line 2  [topic] keyword: unknown key" in told.err
    assert "worse.toml: 1 problem" in told.err
    assert 'the name "topic" is taken' in told.err
    assert told.out == ""


def test_loading_a_bad_topic_is_a_key_error_that_tells_its_problems(project: Path) -> None:
    (project / "topics/bad.toml").write_text("[topic]\nkeyword = 'x'\n")
    with pytest.raises(KeyError) as caught:
        loader().load("bad")
    assert str(caught.value).endswith("unknown key; nearest: keywords")


def test_two_files_with_one_name_are_not_loaded(project: Path) -> None:
    (project / "topics/metro.toml").write_text(GOOD)
    (project / "topics/tram.toml").write_text(f"topic.name = 'metro'\n{GOOD}")
    assert loader().list() == ["topic"]
    with pytest.raises(UnusableTopic, match=r"tram\.toml"):
        loader().load("metro")


def test_an_unknown_spider_is_answered_with_the_nearest_name(project: Path) -> None:
    (project / "topics/metro.toml").write_text(GOOD)
    with pytest.raises(UnusableTopic, match=r"no topic 'metor' .*; nearest: metro"):
        loader().load("metor")


def test_missing_secrets_hide_no_topic(project: Path) -> None:
    (project / "topics/metro.toml").write_text(f"[request]\nproxy = 'env:METRO_NONE'\n{GOOD}")
    assert "metro" in loader().list()
    assert loader().load("metro").name == "metro"


def test_other_folders_come_from_the_environment_or_the_settings(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, name in (("a", "bus"), ("b", "ferry")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.toml").write_text(GOOD)
    assert sorted(loader(FOCUSCRAWL_TOPICS=["a", "b"]).list()) == ["bus", "ferry", "topic"]
    monkeypatch.setenv("FOCUSCRAWL_TOPICS", str(tmp_path / "b"))
    assert sorted(loader(FOCUSCRAWL_TOPICS=["a", "b"]).list()) == ["ferry", "topic"]


def test_without_a_folder_of_topics_there_is_the_one_spider(project: Path) -> None:
    (project / "topics").rmdir()
    assert loader().list() == ["topic"]


def test_signs_that_a_terminal_obeys_are_shown_in_lines_of_the_log(project: Path) -> None:
    before = logging.getLogRecordFactory()
    try:
        logging.setLogRecordFactory(logging.LogRecord)
        loader()
        make = logging.getLogRecordFactory()
        title = "抽检\x1b[2J\u202egnp.exe\r\x9b1m\u2067"
        record = make("name", logging.INFO, "file", 1, "two\nlines: %s", (title,), None)
        assert record.getMessage() == ("two\nlines: 抽检\\x1b[2J\\u202egnp.exe\\r\\x9b1m\\u2067")
    finally:
        logging.setLogRecordFactory(before)
