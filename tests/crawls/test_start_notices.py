"""A topic that cannot begin tells its people, once for each cause, and once more when it has begun again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.output.notify.receivers import Mailbox, served_mailbox

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

SECRET = "hunter2secret"
NOTIFY = '[[notify]]\nto = "mailto:a@b.cn"\nlang = "en"\n'
MISTAKE = f'[site."a.test".request]\ncookies = "SESSION={SECRET}"\n[topic.colour]\nred = 1\n'


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with served_mailbox() as box:
        yield box


def subjects(mailbox: Mailbox) -> list[str]:
    return [str(one["Subject"]) for one in mailbox.taken]


def test_a_mistake_is_told_once_and_its_end_once_and_no_secret(
    project: Project, web: Web, mailbox: Mailbox
) -> None:
    web.news(1)
    server: dict[str, Any] = {"FOCUSCRAWL_SMTP": mailbox.url}
    project.topic(f"{NOTIFY}{MISTAKE}")
    for _time in range(2):
        assert project.crawl(**server).status == 2
    assert subjects(mailbox) == ["news: the crawl cannot begin"]
    (mail,) = mailbox.taken
    bodies = [mail.get_body((kind,)) for kind in ("plain", "html")]
    texts = [body.get_content() for body in bodies if body is not None]
    assert len(texts) == 2
    assert all("[topic] colour" in one and SECRET not in one for one in texts)
    project.topic(NOTIFY)
    for _time in range(2):
        assert project.crawl(**server).status == 0
    assert subjects(mailbox)[1:] == ["news: the crawl begins again"]


def test_results_that_cannot_be_opened_are_told(
    project: Project, web: Web, mailbox: Mailbox
) -> None:
    web.news(1)
    server: dict[str, Any] = {"FOCUSCRAWL_SMTP": mailbox.url}
    project.topic(NOTIFY)
    project.data.mkdir(exist_ok=True)
    results = project.data / "news.db"
    results.write_bytes(b"garbage" * 1000)
    for _time in range(2):
        assert project.crawl(**server).status == 1
    assert subjects(mailbox) == ["news: the crawl cannot begin"]
    results.unlink()
    assert project.crawl(**server).status == 0
    assert subjects(mailbox)[1:] == ["news: the crawl begins again"]


def test_of_many_topics_each_that_cannot_begin_tells_it(
    project: Project, web: Web, mailbox: Mailbox
) -> None:
    web.news(1)
    project.topic(NOTIFY, name="good")
    project.topic(f"{NOTIFY}[politeness]\ndelay = 5\n", name="broken")
    project.write("crawls/spoilt.crawl.db", b"this is no crawl file" * 100)
    project.topic(NOTIFY, name="spoilt")
    for _time in range(2):
        ended = project.run("run", "--all", FOCUSCRAWL_SMTP=mailbox.url)
        assert ended.status == 1, ended.said
    cannot = [f"{name}: the crawl cannot begin" for name in ("broken", "spoilt")]
    assert sorted(subjects(mailbox)) == cannot


def test_without_receivers_of_its_own_a_topic_tells_that_of_the_project(
    project: Project, web: Web, mailbox: Mailbox
) -> None:
    web.news(1)
    server = {"FOCUSCRAWL_SMTP": mailbox.url}
    project.topic("[topic")
    assert project.crawl(**server).status == 2
    assert subjects(mailbox) == []
    assert project.crawl(**server, FOCUSCRAWL_NOTIFY="mailto:all@b.cn").status == 2
    assert mailbox.receivers == [["all@b.cn"]]


def test_a_mistake_in_a_receiver_is_said_by_status_alone(
    project: Project, web: Web, mailbox: Mailbox
) -> None:
    web.news(1)
    project.topic('[[notify]]\nto = "mailto:nobody"\n')
    assert project.crawl(FOCUSCRAWL_SMTP=mailbox.url).status == 2
    assert subjects(mailbox) == []
    told = project.run("topic", "status")
    assert told.status == 2
    assert "news" in told.said
