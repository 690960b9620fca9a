"""What goes out of a whole crawl: files, messages, pings; and a kill between an answer and its commit."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import feedparser
import openpyxl
import pytest

from tests.crawls.days import article, run_on
from tests.output.notify.conftest import hook, mailbox
from tests.output.notify.receivers import Hook, Mailbox, body_of, served_hook, served_mailbox

if TYPE_CHECKING:
    from collections.abc import Callable
    from email.message import EmailMessage

    from tests.in_process import Ended
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


class Days(NamedTuple):
    """Three days over news: three articles, two more, and none."""

    first: Ended
    once: Project
    first_mails: int
    pings: list[str]
    second: Ended
    twice: Project
    mails: list[EmailMessage]
    third: Ended
    project: Project
    third_mails: int
    tried: Ended
    tried_mails: int


@pytest.fixture(scope="module")
def days(new_project: Callable[[], Project]) -> Days:
    project = new_project()
    project.web.news(3)
    with served_mailbox() as mailbox, served_hook() as hook:
        address = hook.url.partition("?")[0]
        ping = f'[[notify]]\nping = "{address}/ping"\n'
        project.topic(f'[[notify]]\nto = "mailto:a@b.cn"\nlang = "en"\n{ping}{EXPORTS}')
        server: dict[str, Any] = {"FOCUSCRAWL_SMTP": mailbox.url, "no_proxy": "127.0.0.1"}
        first = run_on(project, 0, **server)
        once, first_mails, pings = project.as_it_is(), len(mailbox.taken), [*hook.asked]
        project.web.news(5)
        second = run_on(project, 1.1, **server)
        twice, mails = project.as_it_is(), [*mailbox.taken]
        third = run_on(project, 2.2, **server)
        third_mails = len(mailbox.taken)
        tried = project.run("topic", "notify", "news", "--test", **server)
        return Days(
            first, once, first_mails, pings, second, twice, mails, third, project, third_mails,
            tried, len(mailbox.taken),
        )  # fmt: skip


def entries(project: Project) -> int:
    """Return how many entries the Atom file has."""
    return len(feedparser.parse(str(project.folder / "out/news.atom")).entries)


def lines(project: Project) -> int:
    """Return how many lines the file of what is new has."""
    return len((project.folder / "out/new.csv").read_text("utf-8-sig").splitlines())


def test_what_was_there_is_told_by_no_mail_and_no_entry(days: Days) -> None:
    assert days.first_mails == 0
    assert entries(days.once) == 0


def test_a_ping_is_sent_at_the_start_and_at_the_end(days: Days) -> None:
    assert days.pings == ["/hook/ping/start", "/hook/ping"]


def test_a_crawl_writes_a_workbook_of_what_it_has(days: Days) -> None:
    book = openpyxl.load_workbook(days.once.folder / "out/news.xlsx")
    assert book["文章"].max_row == 4
    assert book["来源"].max_row == 2


def test_a_file_that_cannot_be_written_is_told_and_the_crawl_ends_well(days: Days) -> None:
    assert "export" in days.first.said
    assert "/proc/never/there.csv not written" in days.first.said
    assert [one.status for one in (days.first, days.second, days.third)] == [0, 0, 0]


def test_a_feed_in_batches_is_a_file_for_each(days: Days) -> None:
    said = days.first.said.splitlines()
    feeds = [line.split()[-1] for line in said if line.startswith("  feed")]
    names = [f"news-{number}.csv" for number in (1, 2)]
    assert feeds == [str(days.project.folder / "feeds" / name) for name in names]
    assert all((days.once.folder / "feeds" / name).exists() for name in names)


def test_what_is_new_is_told_by_one_mail(days: Days) -> None:
    (mail,) = days.mails
    told = {one.rstrip() for one in body_of(mail, "plain").split() if one.startswith("http://")}
    assert told == {article(4), article(5)}
    assert "2 entries to mailto:a@b.cn" in days.second.said
    assert days.third_mails == 1, "and once"


def test_a_mail_names_each_site_that_tells_a_story(project: Project, web: Web) -> None:
    homes = [f"http://{name}.test/" for name in "abc"]
    for home in homes:
        web.board(home)
    project.topic('[[notify]]\nto = "mailto:a@b.cn"\nlang = "en"\n', sources=" ".join(homes))
    with served_mailbox() as mailbox:
        server = {"FOCUSCRAWL_SMTP": mailbox.url, "no_proxy": "127.0.0.1"}
        run_on(project, 0, **server)
        for home in homes:
            web.article(f"{home}news/7.html", 7, date="2026-11-21")
            web.board(home, f"{home}news/7.html")
        run_on(project, 1, **server)
        (mail,) = mailbox.taken
    told, _, others = body_of(mail, "plain").partition("the same story elsewhere:")
    assert "on 3 sites" in told
    assert {home for home in homes if f"{home}news/7.html" in told + others} == {*homes}
    assert others.count("http://") == 2


def test_what_is_new_is_an_entry_of_the_atom_file(days: Days) -> None:
    assert entries(days.twice) == 2


def test_a_file_since_the_last_export_has_what_came_since(days: Days) -> None:
    assert [lines(one) for one in (days.once, days.twice, days.project)] == [4, 3, 1]


def test_a_message_is_sent_when_a_person_tries_it(days: Days) -> None:
    assert days.tried.status == 0
    assert "mailto:a@b.cn: sent" in days.tried.said
    assert days.tried_mails == 2


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


class Refused(NamedTuple):
    """Days over news whose receiver refuses the first message; a ping finds nobody."""

    refused: Ended
    again: Ended
    told: dict[str, int]


@pytest.fixture(scope="module")
def refused(new_project: Callable[[], Project]) -> Refused:
    project = new_project()
    project.web.news(2)
    with served_hook() as hook:
        ping = '[[notify]]\nping = "http://127.0.0.1:9/ping"\n'
        project.topic(f'[[notify]]\nto = "env:NEWS_HOOK"\nevery = "1s"\n{ping}')
        server: dict[str, Any] = {"NEWS_HOOK": hook.url, "no_proxy": "127.0.0.1"}
        assert run_on(project, 0, **server).status == 0
        project.web.news(3)
        hook.answers = [500] * 9
        first = run_on(project, 1.1, **server)
        hook.answers = []
        again = run_on(project, 2.2, **server)
        return Refused(first, again, hook.told)


def test_a_message_that_cannot_be_sent_is_told_and_is_no_failure_of_the_run(
    refused: Refused,
) -> None:
    assert refused.refused.status == 0, refused.refused.said
    assert "Not sent to http://127.0.0.1/…: http://127.0.0.1/… answered 500" in refused.refused.said
    assert "answered 500; tried again later" in refused.refused.said


def test_the_summary_says_what_waits_for_its_time(refused: Refused) -> None:
    told = "1 changes not sent yet: the next crawl sends them, or scrapy topic notify news"
    assert told in refused.refused.said
    assert "wait for their time" not in refused.again.said


def test_what_could_not_be_sent_is_sent_once_by_a_later_run(refused: Refused) -> None:
    assert refused.again.status == 0, refused.again.said
    assert refused.told == {article(3): 1}


def test_a_ping_that_nobody_answers_is_told_and_is_no_failure_of_the_run(
    refused: Refused,
) -> None:
    assert "The ping failed: " in refused.again.said
    assert refused.again.status == 0


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
    (path,) = project.data.glob("both-*.xlsx")
    sheet = openpyxl.load_workbook(path)["文章"]
    topics = Counter(row[0] for row in sheet.iter_rows(min_row=2, values_only=True))
    assert topics == {"news": 3, "food": 3}
    said = project.run("topic", "export", "news", "-o", "-", "--columns", "url", "--where", "title contains 第1批")  # fmt: skip
    assert said.said.replace("\ufeff", "").splitlines()[:2] == ["url", article(1)]
    wrong = project.run("topic", "export", "news", "-o", "a.csv", "--where", "colour = red")
    assert (wrong.status, "no column 'colour'" in wrong.said) == (2, True)
    nobody = project.run("topic", "notify", "news", "--test")
    assert (nobody.status, "names no receiver" in nobody.said) == (2, True)
