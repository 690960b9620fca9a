"""A page that sends who asks for it to another host, for a cookie, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import HOME, article

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Answer, Asked, Web

SIGN_ON = "http://sso.test/sign?back=http%3A%2F%2Fa.test%2Fset"


def signed_on(web: Web) -> None:
    """Let an article be shown to those alone who have been elsewhere."""
    web.news(2)
    whole = web.answers[article(1)]
    assert not callable(whole)

    def page(asked: Asked) -> Answer:
        if "w=1" in asked.headers.get("cookie", ""):
            return whole
        return replace(web.say("", 302), headers={"Location": SIGN_ON})

    web.answers[article(1)] = page
    web.answers[f"{HOME}set"] = replace(
        web.say("", 302), headers={"Location": article(1), "Set-Cookie": "w=1; Path=/"}
    )


@pytest.mark.both_stores
def test_a_page_that_fetches_a_cookie_elsewhere_and_comes_back_is_read(
    project: Project, web: Web
) -> None:
    signed_on(web)
    web.redirect(SIGN_ON, f"{HOME}set")
    project.topic()
    assert project.crawl().status == 0
    assert project.articles() == {article(1), article(2)}
    assert project.outcomes()[article(1)] == ("stored", "")


def test_one_that_is_kept_elsewhere_is_not_read(project: Project, web: Web) -> None:
    signed_on(web)
    web.article(SIGN_ON, 7)
    project.topic()
    assert project.crawl().status == 0
    assert project.articles() == {article(2)}
    assert project.outcomes()[article(1)] == ("refused", "scope")
    assert len(web.asked("sso.test")) == 1


def test_one_that_is_sent_round_for_ever_ends(project: Project, web: Web) -> None:
    signed_on(web)
    web.redirect(SIGN_ON, f"{SIGN_ON}&again=1")
    web.redirect(f"{SIGN_ON}&again=1", SIGN_ON)
    project.topic()
    assert project.crawl().status == 0
    assert project.articles() == {article(2)}
    assert len(web.asked("sso.test")) == 3


def test_a_redirect_that_names_no_way_back_is_out_of_scope(project: Project, web: Web) -> None:
    web.news(2)
    web.redirect(article(1), "http://b.test/news/1.html")
    project.topic()
    assert project.crawl().status == 0
    assert not web.asked("b.test")
