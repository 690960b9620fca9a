"""Pages whose addresses lead to a log-in now: those that are gone, and those that are for members."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.crawls.days import HOME, article, run_on
from tests.crawls.test_returning import told
from tests.web import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Asked, Web

pytestmark = [pytest.mark.soft_404, pytest.mark.usefixtures("all_is_news")]

FAST = '[revisit]\ngone_after = 2\ngone_within = "1d"\n'
DAYS = (1.1, 2.3, 3.5)
LOG_IN = (
    "<html><head><title>登录</title></head><body><h1>登录</h1><p>请先登录后继续访问。</p><form><p>用户名</p>"
    "<input name=a><p>密码</p><input type=password name=b></form><p><a href='/sign-up/'>注册</a></p></body></html>"
)


def leads(url: str) -> Answer:
    return Answer("", status=302, headers={"Location": url})


LOG_INS = ("accounts/login/?next=", "enter.html?to=")
"""The second is nothing but a page by its address: it is asked for, and read."""


class Forms:
    """A site that leads to a log-in at one of two addresses."""

    def __init__(self, place: str) -> None:
        self.place = place

    def log_in(self, asked: Asked) -> Answer | None:
        return Answer(LOG_IN) if asked.url.startswith(HOME + self.place.partition("?")[0]) else None

    def leads_there(self, url: str) -> Answer:
        return leads(HOME + self.place + quote(url.removeprefix(HOME.rstrip("/"))))

    def of_a_wiki(self, asked: Asked) -> Answer:
        """Who asks for what is not there may write it, after a log-in."""
        is_form = asked.url.endswith("/_create/")
        led = self.leads_there(asked.url) if is_form else leads(asked.url.rstrip("/") + "/_create/")
        return self.log_in(asked) or led

    def of_a_wiki_of_sections(self, asked: Asked) -> Answer:
        """The form stands beside the page, and has its name in its address."""
        place, _, name = asked.url.rstrip("/").rpartition("/")
        is_form = "/_create/?slug=" in asked.url
        led = self.leads_there(asked.url) if is_form else leads(f"{place}/_create/?slug={name}")
        return self.log_in(asked) or led

    def of_members(self, asked: Asked) -> Answer:
        """What is not there answers 404; what is for members leads to the log-in."""
        to_form = self.leads_there(asked.url) if asked.url == article(1) else None
        return self.log_in(asked) or to_form or Answer("没有", status=404)

    def of_a_wiki_with_members(self, asked: Asked) -> Answer:
        """The wiki where one page is for members, which leads to the log-in at once."""
        return self.leads_there(asked.url) if asked.url == article(1) else self.of_a_wiki(asked)

    def of_a_closed_site(self, asked: Asked) -> Answer:
        """Whatever is asked for, there or not, leads to the log-in."""
        return self.log_in(asked) or self.leads_there(asked.url)


@pytest.mark.parametrize("place", LOG_INS)
@pytest.mark.parametrize(
    ("site", "is_gone"),
    [
        (Forms.of_a_wiki, True),
        (Forms.of_a_wiki_of_sections, True),
        (Forms.of_members, False),
        (Forms.of_a_wiki_with_members, False),
    ],
)
def test_a_page_that_leads_to_a_log_in_is_gone_where_one_that_never_was_leads_there_too(
    project: Project,
    web: Web,
    place: str,
    site: Callable[[Forms, Asked], Answer],
    is_gone: bool,
) -> None:
    web.news(3)
    web.anything["a.test"] = partial(site, Forms(place))
    project.topic(FAST)
    run_on(project, 0)
    del web.answers[article(1)]
    for day in DAYS:
        run_on(project, day)
    gone = [("gone", "article", article(1))] * is_gone
    assert [one for one in told(project) if one[0] != "new"] == gone
    assert len(project.articles()) == 3
    assert project.states()[article(1)].failures == (2 if is_gone else 0)


@pytest.mark.parametrize("place", LOG_INS)
def test_pages_of_a_site_that_has_closed_its_doors_are_withheld(
    project: Project, web: Web, place: str
) -> None:
    web.news(3)
    web.anything["a.test"] = Forms(place).of_a_closed_site
    project.topic(FAST)
    run_on(project, 0)
    for number in (1, 2, 3):
        del web.answers[article(number)]
    said = "".join(run_on(project, day).said for day in DAYS)
    assert {kind for kind, _, _ in told(project)} == {"new"}
    assert {project.states()[article(number)].failures for number in (1, 2, 3)} == {0}
    assert "a.test (log-in): something stands in front of 3 pages" in said


def test_an_article_whose_old_address_leads_to_a_form_has_moved_to_where_its_copy_stands(
    project: Project, web: Web
) -> None:
    web.news(3)
    web.anything["a.test"] = Forms(LOG_INS[0]).of_a_wiki_of_sections
    project.topic(FAST)
    run_on(project, 0)
    new = f"{HOME}news/renamed.html"
    web.answers[new] = web.answers.pop(article(1))
    web.board(HOME, new, article(2), article(3))
    for day in DAYS:
        run_on(project, day)
    assert [one for one in told(project) if one[0] != "new"] == [("moved", "article", new)]
    assert project.articles() == {new, article(2), article(3)}
