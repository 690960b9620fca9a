"""What goes out of a whole crawl: files, messages, pings; and a kill between an answer and its commit."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import feedparser
import openpyxl
import pytest

from tests.crawls.days import article, run_on
from tests.notify.conftest import hook, mailbox
from tests.notify.receivers import Hook, Mailbox, body_of

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

__all__ = ["hook", "mailbox"]

EXPORTS = """
[output.exports."out/{topic}.xlsx"]
[output.exports."out/news.atom"]
[output.exports."out/new.csv"]
since = "last-export"
columns = ["title", "url"]
[output.exports."/proc/never/there.csv"]
table = "articles"
[output.feeds."feeds/%(name)s-%(batch_id)d.csv"]
options = { batch_item_count = 2, overwrite = true }
"""


def test_a_crawl_writes_its_files_and_tells_by_mail_what_is_new_and_not_what_was_there(
    project: Project, web: Web, mailbox: Mailbox, hook: Hook
) -> None:
    web.news(3)
    address = hook.url.partition("?")[0]
    ping = f'[[notify]]\nping = "{address}/ping"\n'
    project.topic(f'[[notify]]\nto = "mailto:a@b.cn"\nlang = "en"\n{ping}{EXPORTS}')
    server: dict[str, Any] = {"FOCUSCRAWL_SMTP": mailbox.url, "no_proxy": "127.0.0.1"}
    first = run_on(project, 0, **server)
    assert first.status == 0
    assert mailbox.taken == []
    assert hook.asked == ["/hook/ping/start", "/hook/ping"]
    out = project.folder / "out"
    book = openpyxl.load_workbook(out / "news.xlsx")
    assert book["文章"].max_row == 4
    assert book["来源"].max_row == 2
    assert len(feedparser.parse(str(out / "news.atom")).entries) == 0
    assert len((out / "new.csv").read_text("utf-8-sig").splitlines()) == 4
    assert "export" in first.said
    assert "/proc/never/there.csv not written" in first.said
    feeds = [line.split()[-1] for line in first.said.splitlines() if line.startswith("  feed")]
    assert feeds == [str(project.folder / "feeds" / f"news-{number}.csv") for number in (1, 2)]
    assert all(Path(feed).exists() for feed in feeds)

    web.news(5)
    second = run_on(project, 1.1, **server)
    assert second.status == 0
    (mail,) = mailbox.taken
    told = {one.rstrip() for one in body_of(mail, "plain").split() if one.startswith("http://")}
    assert told == {article(4), article(5)}
    assert len(feedparser.parse(str(out / "news.atom")).entries) == 2
    assert len((out / "new.csv").read_text("utf-8-sig").splitlines()) == 3
    assert "2 entries to mailto:a@b.cn" in second.said

    third = run_on(project, 2.2, **server)
    assert third.status == 0
    assert len(mailbox.taken) == 1
    assert len((out / "new.csv").read_text("utf-8-sig").splitlines()) == 1
    tried = project.run("topic", "notify", "news", "--test", **server)
    assert tried.status == 0
    assert "mailto:a@b.cn: sent" in tried.said
    assert len(mailbox.taken) == 2


def test_a_crawl_that_takes_minutes_tells_all_that_is_new_in_one_mail_at_its_end(
    project: Project, web: Web, mailbox: Mailbox
) -> None:
    web.news(2)
    project.topic('[politeness]\ndelay = "9s"\n[[notify]]\nto = "mailto:a@b.cn"\nevery = "12h"\n')
    server: dict[str, Any] = {"FOCUSCRAWL_SMTP": mailbox.url}
    assert run_on(project, 0, **server).status == 0
    for day, articles in ((1.1, 20), (1.4, 22)):  # the second ends within twelve hours of the first
        web.news(articles)
        assert run_on(project, day, **server).status == 0
        mail = mailbox.taken.pop()
        assert mailbox.taken == []
        found = {one.rstrip() for one in body_of(mail, "plain").split() if "/news/" in one}
        told = range(3, 21) if articles == 20 else (21, 22)
        assert found == {article(number) for number in told}


@pytest.mark.program
def test_a_crawl_that_is_killed_between_an_answer_and_its_commit_tells_again_under_the_same_id(
    project: Project, web: Web, hook: Hook
) -> None:
    web.news(2)
    project.topic('[[notify]]\nto = "env:NEWS_HOOK"\nevery = "1s"\n')
    server: dict[str, Any] = {"NEWS_HOOK": hook.url, "no_proxy": "127.0.0.1"}
    assert run_on(project, 0, **server).status == 0
    assert hook.taken == []

    web.news(4)
    process = project.start("crawl", "news", FOCUSCRAWL_SHIFT=str(1.1 * 86_400), **server)
    hook.kill = lambda: process.pid
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert len(hook.taken) == 1

    web.news(5)
    hook.answers = [500]
    assert run_on(project, 2.2, **server).status == 0  # refused
    for day in (3.3, 4.4):
        assert run_on(project, day, **server).status == 0
    assert Counter(Counter(hook.keys).values()) == {2: 1, 1: 1}
    again = [one for one in hook.taken if hook.keys.count(one["id"]) == 2]
    assert again[0] == again[1]
    assert hook.told == {article(3): 1, article(4): 1, article(5): 1}
    databases = [one for one in Path(project.data).iterdir() if one.is_file()]
    assert not [one for one in databases if b"s3cret" in one.read_bytes()]
    assert os.environ.get("NEWS_HOOK") is None


@pytest.mark.program
def test_who_is_named_before_a_run_that_is_killed_hears_of_what_it_found(
    project: Project, web: Web, hook: Hook
) -> None:
    web.news(2)
    project.topic()
    assert run_on(project, 0).status == 0

    web.news(4)
    four = web.answers[article(4)]
    assert not callable(four)
    web.answers[article(4)] = replace(four, delay=30.0)
    project.topic('[[notify]]\nto = "env:NEWS_HOOK"\nevery = "1s"\n')
    server: dict[str, Any] = {"NEWS_HOOK": hook.url, "no_proxy": "127.0.0.1"}
    stored = "SELECT url FROM changes"
    killed = run_on(project, 1.1, kill=lambda: bool(project.rows(stored)), **server)
    assert killed.status == -signal.SIGKILL
    assert [row["url"] for row in project.rows(stored)] == [article(3)]
    assert hook.taken == []

    web.news(4)
    assert run_on(project, 1.2, **server).status == 0
    assert hook.told == {article(3): 1, article(4): 1}


def test_what_is_stored_goes_out_by_a_command_of_its_own(project: Project, web: Web) -> None:
    web.news(3)
    project.topic()
    project.topic(name="food")
    assert project.crawl().status == 0
    assert project.crawl(name="food").status == 0
    both = project.run("topic", "export", "news", "food", "-o", "both-{date}.xlsx")
    assert both.status == 0, both.said
    (path,) = project.folder.glob("both-*.xlsx")
    sheet = openpyxl.load_workbook(path)["文章"]
    topics = Counter(row[0] for row in sheet.iter_rows(min_row=2, values_only=True))
    assert topics == {"news": 3, "food": 3}
    said = project.run("topic", "export", "news", "-o", "-", "--columns", "url", "--where", "title contains 第1批")  # fmt: skip
    assert said.said.replace("\ufeff", "").splitlines()[:2] == ["url", article(1)]
    wrong = project.run("topic", "export", "news", "-o", "a.csv", "--where", "colour = red")
    assert (wrong.status, "no column 'colour'" in wrong.said) == (2, True)
    nobody = project.run("topic", "notify", "news", "--test")
    assert (nobody.status, "tells nobody" in nobody.said) == (2, True)
