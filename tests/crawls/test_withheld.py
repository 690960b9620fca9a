"""Pages in front of which something stands: nothing is told of them, and they are tried later."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import HOME, article, run_on
from tests.crawls.test_returning import told

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Asked, Web

pytestmark = [pytest.mark.B1, pytest.mark.usefixtures("all_is_news")]

FAST = '[revisit]\npolicy = "fixed"\ngone_after = 2\ngone_within = "1d"\n[revisit.article]\nfirst = "1d"\n'
WALL = (
    "<html><head><title>Just a moment...</title></head><body><h1>a.test</h1><h2>Verifying you are human."
    " This may take a few seconds.</h2><div>a.test needs to review the security of your connection before"
    " proceeding.</div><div>Ray ID: {:x}</div></body></html>"
)
STRANGE = "<html><head><title>您好</title></head><body><h1>您好</h1><p>{}</p></body></html>".format(
    "本页由网关提供,编号与时间已经记录,如有疑问请与值班室联系,电话在首页的下方可以找到。" * 3
)


@pytest.mark.both_stores
def test_a_challenge_in_front_of_every_page_is_told_and_stored_nowhere(
    project: Project, web: Web
) -> None:
    web.news(4)
    project.topic(FAST)
    run_on(project, 0)
    before, pages = project.rows("SELECT * FROM articles ORDER BY url"), dict(web.answers)

    def wall(asked: Asked) -> object:
        return web.say(WALL.format(len(web.log)))

    web.answers = {"http://a.test/robots.txt": web.say("", status=404)}
    web.anything["a.test"] = wall  # type: ignore[assignment]
    for day in (2, 4, 6):
        assert "withheld" in run_on(project, day).said
    assert project.outcomes()[article(1)] == ("error", "withheld: cloudflare")
    web.anything.clear()
    web.answers = pages
    run_on(project, 8)
    assert len(told(project)) == 4, "that they are new"
    assert [row["text"] for row in project.rows("SELECT * FROM articles ORDER BY url")] == [
        row["text"] for row in before
    ]
    assert project.outcomes()[article(1)] == ("unchanged", "")


def test_what_answers_at_every_address_and_at_the_front_page_too_withholds_them(
    project: Project, web: Web
) -> None:
    """A text that says nothing of itself: no site has deleted all of its pages and its front page, too."""
    web.news(12)
    project.topic(FAST)
    run_on(project, 0)
    pages = dict(web.answers)
    web.answers = {"http://a.test/robots.txt": web.say("", status=404)}
    web.anything["a.test"] = web.page(STRANGE)
    for day in (2, 4, 6):
        run_on(project, day)
    assert list(project.outcomes().values()).count(("error", "withheld: site")) >= 12
    web.anything.clear()
    web.answers = pages
    run_on(project, 9)
    assert len(told(project)) == 12, "that they are new"


def test_one_text_at_all_new_addresses_of_a_site_is_never_an_article(
    project: Project, web: Web
) -> None:
    """In the first crawl, in words that are not known: the list says nine titles, no page shows any."""
    urls = [article(number) for number in range(1, 10)]
    web.board(HOME, *((url, f"第{number}批抽检结果已经公布") for number, url in enumerate(urls)))
    web.anything["a.test"] = web.page(STRANGE.replace("网关", "食品网关"))
    web.answers["http://a.test/robots.txt"] = web.say("", status=404)
    project.topic()
    run_on(project, 0)
    assert project.articles() == set()


def test_a_notice_of_maintenance_is_an_article_where_its_link_says_so(
    project: Project, web: Web
) -> None:
    title = "系统维护公告:系统正在升级维护"
    page = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>市民服务系统正在升级维护,请大家稍后访问,食品企业的备案也会顺延。</p></body></html>"
    web.news(2)
    web.answers[article(3)] = web.page(page)
    web.board(HOME, article(1), article(2), (article(3), title))
    project.topic('[follow]\narticles = ["/news/*"]\n')
    run_on(project, 0)
    assert "withheld" not in project.outcomes()[article(3)][1]


def test_the_beginning_of_an_article_is_stored_as_that(project: Project, web: Web) -> None:
    web.news(2)
    text = "食堂的后厨装上了摄像头,家长在手机上就能看到食品怎样切配、几点出锅,学校说这个学期以来投诉少了一半,下一步还要公开进货的票据。"
    web.answers[article(3)] = web.page(
        f"<html><head><title>食堂后厨的三个细节</title></head><body><h1>食堂后厨的三个细节</h1>"
        f"<p>发布时间:2026-11-18 08:00 来源:四川日报</p><div><p>{text}</p><p>登录后阅读全文</p></div></body></html>"
    )
    web.board(HOME, *map(article, (1, 2, 3)))
    project.topic()
    run_on(project, 0)
    rows = {row["url"]: row["complete"] for row in project.rows("SELECT * FROM articles")}
    assert rows == {article(1): 1, article(2): 1, article(3): 0}


@pytest.mark.parametrize("wall", [WALL.format(7), STRANGE.replace("网关", "食品网关")])
def test_new_pages_that_were_withheld_are_articles_when_they_are_there(
    project: Project, web: Web, wall: str
) -> None:
    """In the first crawl nothing but a text stands at all addresses but the list's, in words that are known or not."""
    web.news(6)
    web.board(HOME, *((article(number), f"第{number}批抽检的结果") for number in range(1, 7)))
    pages = {article(number): web.answers.pop(article(number)) for number in range(1, 7)}
    web.anything["a.test"] = web.page(wall)
    project.topic(FAST)
    for day in (0, 1.1, 2.3):
        assert ("withheld" in run_on(project, day).said) is (day < 2)
        if day == 1.1:
            web.anything.clear()
            web.answers |= pages
    assert project.articles() == {*pages}
    assert {kind for kind, _, _ in told(project)} == {"new"}


def test_links_of_a_list_that_lead_nowhere_are_gone_where_others_lead_to_pages(
    project: Project, web: Web
) -> None:
    web.news(3)
    dead = [(article(number), f"第{number}批抽检的结果") for number in range(71, 77)]
    web.board(HOME, *dead, *map(article, (1, 2, 3)))
    web.anything["a.test"] = web.page(STRANGE.replace("网关", "食品网关"))
    project.topic(FAST)
    for day in (
        0,
        1.1,
    ):  # those that come first are asked for once more: nothing else was seen of the site
        run_on(project, day)
    assert {project.outcomes()[url] for url, _ in dead} == {("gone", "soft-404")}
    assert project.articles() == {*map(article, (1, 2, 3))}
