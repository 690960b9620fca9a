"""``scrapy report``: which topics, where to, in which form."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from focuscrawl.commands.report import ReportCommand
from focuscrawl.values import SystemClock
from focuscrawl.verbs.call import Call
from tests.output.report.conftest import TEMPLATE, check_page
from tests.stored_topic import store_queue, store_topic

Said = tuple[int, str]


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Said]:
    """A project with the topics one and two, the first of which was crawled; runs the command in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    (tmp_path / "topics").mkdir()
    (tmp_path / "crawls").mkdir()
    for name in ("one", "two"):
        (tmp_path / "topics" / f"{name}.toml").write_text(TEMPLATE.format(name), "utf-8")
    now = SystemClock().wall()
    store_topic(tmp_path / "crawls" / "one.db", "one", pages=20, articles=60, now=now)
    store_queue(tmp_path / "crawls" / "one.crawl.db", 20, now)

    def run(*words: str) -> Said:
        parser = argparse.ArgumentParser()
        command = ReportCommand()
        command.settings = Settings()
        command.add_options(parser)
        parser.add_argument("names", nargs="*")
        options = parser.parse_args(words)
        call = Call(Settings(), options)
        said = call.answer("focuscrawl.verbs.output.report.report", options.names)
        return call.exit_status, said

    return run


def test_a_page_is_written_beside_the_results_and_named(
    report: Callable[..., Said], tmp_path: Path
) -> None:
    status, said = report("one")
    page = tmp_path / "crawls" / "one.report.html"
    assert status == 0
    assert said.startswith(f"{page} written (")
    assert "About the crawl" in check_page(page.read_text("utf-8")).text
    status, said = report("one", "--lang", "zh", "--output", "here.html")
    assert "新动态" in check_page((tmp_path / "here.html").read_text("utf-8")).text
    assert report("one", "--output", "-")[1].startswith("<!DOCTYPE html>")


def test_all_topics_begin_with_a_table_in_which_a_wrong_file_is_told(
    report: Callable[..., Said], tmp_path: Path
) -> None:
    (tmp_path / "topics" / "three.toml").write_text("[topic]\nkeyword = 3\n")
    status, said = report("--all")
    assert status == 0, said
    assert str(tmp_path / "crawls" / "report.html") in said
    text = check_page((tmp_path / "crawls" / "report.html").read_text("utf-8")).text
    assert "three.toml" in text
    assert "never" in text
    assert "(one)" in text
    said = json.loads(report("--all", "--json")[1])
    assert [topic["topic"] for topic in said["topics"]] == ["one"]
    assert said["overview"][0]["listings"]["topics"]["total"] == 3


def test_damaged_results_of_a_topic_are_told_in_the_table_and_by_the_status(
    report: Callable[..., Said], tmp_path: Path
) -> None:
    damaged = tmp_path / "crawls" / "two.db"
    damaged.write_bytes(b"garbage" * 1000)
    status, said = report("--all")
    assert status == 2
    assert said.startswith(f"{tmp_path / 'crawls' / 'report.html'} written (")
    text = check_page((tmp_path / "crawls" / "report.html").read_text("utf-8")).text
    assert f"{damaged}: cannot be read as a database" in text
    status, said = report("one", "two", "--json")
    assert status == 2
    assert [topic["topic"] for topic in json.loads(said)["topics"]] == ["one"]
    status, said = report("two")
    assert status == 2
    assert said.startswith("no report was made: ")
    assert report("one")[0] == 0


def test_what_cannot_be_done_is_said_with_what_can(report: Callable[..., Said]) -> None:
    for words, reason in (
        (("one", "--list", "nothing"), "no such listing"),
        (("one", "--since", "soon"), "write last, an age as in 24h or 7d, or a date"),
        (("four",), "four"),
        (("one", "--output", "topics/one.toml/x.html"), "cannot be written"),
    ):
        status, said = report(*words)
        assert status == 2
        assert reason in said
    for wrong in (
        (),
        ("one", "--all"),
        ("one", "two", "--list", "articles"),
        ("one", "--text", "--json"),
    ):
        with pytest.raises(UsageError):
            report(*wrong)


def test_a_text_tells_the_numbers_and_the_first_rows(report: Callable[..., Said]) -> None:
    status, said = report("one", "--text", "--lang", "zh")
    assert status == 0
    assert "新文章: 6" in said
    assert "    - " in said
