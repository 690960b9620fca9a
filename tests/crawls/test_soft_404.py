"""Sites that answer 200 for pages that are not there: their error page is learnt, once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.crawls.conftest import tell_all
from tests.crawls.days import DAY, HOME, article, run_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Answer, Asked, Web

pytestmark = [pytest.mark.soft_404, pytest.mark.usefixtures("all_is_news")]

FAST = '[revisit]\ngone_after = 2\ngone_within = "1d"\n'
SORRY = "抱歉,您访问的食品安全抽检结果页面不存在或者已经被删除,请您返回首页重新查找,也可以拨打客服热线反映问题。"


def told(project: Project) -> Counter[str]:
    return Counter(row["kind"] for row in project.rows("SELECT kind FROM changes"))


def sorry(web: Web) -> Answer:
    """Return an error page that looks like an article about the topic."""
    text = "".join(f"<p>第{part}条:{SORRY}</p>" for part in range(5))
    title = "<title>食品安全网</title>"
    return web.page(f"<html><head>{title}</head><body><h1>食品安全网</h1>{text}</body></html>")


def asked_in_vain(web: Web, known: set[str]) -> list[str]:
    """Return the addresses asked for that nobody has named."""
    return [one.url for one in web.asked("a.test") if one.url not in known | {HOME}]


class Sorry(NamedTuple):
    """Days over a site that shows an error page where articles were: all there, two gone, one back."""

    urls: set[str]
    first: Project
    second: Project
    third: Project
    back: Project


@pytest.fixture(scope="module")
def sorry_days(new_project: Callable[[], Project]) -> Sorry:
    project = new_project()
    web = project.web
    tell_all(project)
    urls = web.news(4)
    whole = web.answers[article(1)]
    web.anything["a.test"] = sorry(web)
    project.topic(FAST)
    run_on(project, 0)
    first = project.as_it_is()
    del web.answers[article(1)], web.answers[article(2)]
    run_on(project, 1.1)
    second = project.as_it_is()
    web.board(HOME, *urls, DEAD)
    run_on(project, 2.3)
    third = project.as_it_is()
    web.answers[article(1)] = whole
    run_on(project, 4)
    return Sorry(urls, first, second, third, project.as_it_is())


DEAD = article(51)
"""It was never an article."""


@pytest.mark.both_stores
def test_a_site_is_asked_how_its_error_page_looks_once_and_not_without_a_cause(
    sorry_days: Sorry,
) -> None:
    assert not asked_in_vain(sorry_days.first.web, sorry_days.urls)
    (address,) = asked_in_vain(sorry_days.second.web, sorry_days.urls)
    assert address.startswith(f"{HOME}news/9"), "beside the page, for the whole site"


@pytest.mark.both_stores
def test_a_page_that_became_the_sites_error_page_is_gone_and_no_change_is_told(
    sorry_days: Sorry,
) -> None:
    assert sorry_days.second.outcomes()[article(1)] == ("gone", "soft-404")
    assert told(sorry_days.second) == {"new": 4}
    assert told(sorry_days.third) == {"new": 4, "gone": 2}
    assert sorry_days.third.outcomes()[DEAD] == ("gone", "soft-404"), "a link to one is, too"


@pytest.mark.both_stores
def test_of_an_article_that_became_an_error_page_the_last_version_stays(sorry_days: Sorry) -> None:
    rows = sorry_days.third.rows("SELECT title, gone_at, version FROM articles ORDER BY url")
    assert [bool(row["gone_at"]) for row in rows] == [True, True, False, False]
    assert {row["version"] for row in rows} == {1}
    assert all("批食品" in row["title"] for row in rows)


@pytest.mark.both_stores
def test_an_article_that_is_there_again_is_back(sorry_days: Sorry) -> None:
    assert told(sorry_days.back) == {"new": 4, "gone": 2, "back": 1}


@pytest.mark.program
def test_a_kill_while_a_site_is_asked_and_other_settings_after_it_change_nothing(
    project: Project, web: Web
) -> None:
    urls = web.news(2) | web.news(2, host="b.test")
    web.article("http://b.test/news/1.html", 77)
    web.robots("b.test", "User-agent: *\nDisallow: /news/9")
    project.topic(FAST, sources=f"{HOME} http://b.test/")
    run_on(project, 0)
    web.anything |= {"a.test": sorry(web), "b.test": sorry(web)}
    held = replace(sorry(web), fault="hold")

    def script(asked: Asked) -> Answer:
        is_page = asked.url in urls
        return sorry(web) if is_page or not web.is_holding else held

    web.anything["a.test"] = script
    for host in ("a", "b"):
        del web.answers[f"http://{host}.test/news/1.html"]
    killed = project.crawl(
        kill=lambda: bool(asked_in_vain(web, urls)), FOCUSCRAWL_SHIFT=str(1.1 * DAY)
    )
    assert killed.status < 0
    web.is_holding = False
    ended = run_on(project, 1.1, "-s", "RETRY_TIMES=2", "-s", "HTTPCACHE_ENABLED=1")
    assert ended.status == 0, ended.said
    assert project.outcomes()[article(1)] == ("gone", "soft-404")
    changes = project.rows("SELECT url FROM changes WHERE kind != 'new'")
    forbidden = "http://b.test/news/1.html"
    assert [row["url"] for row in changes] == [forbidden], "robots.txt holds for what we ask, too"
    assert len(asked_in_vain(web, urls)) == 2, "once before the kill, once after it"
    assert not [one.url for one in web.asked("b.test") if "/news/9" in one.url]


def changing(web: Web, day: float) -> None:
    """Let a page be another one at each visit, so that its site is asked."""
    text = (
        f"食品车间{'甲乙丙丁戊己庚辛壬癸子丑寅卯'[int(day)] * 12}已经通过今天的验收,情况良好。" * 9
    )
    web.answers[article(7)] = web.page(f"<html><title>第{day}天</title><p>{text}</p></html>")


def test_a_source_that_answers_for_everything_is_never_gone(project: Project, web: Web) -> None:
    query = f"{HOME}find?word=1"
    web.board(HOME, article(7))
    source = f'[[source]]\nurl = "{query}"\nkind = "{{}}"\n'
    project.topic(FAST + source.format("auto"))
    for day in (0, 1.1, 2.3, 3.5, 8):
        changing(web, day)
        web.article(query, int(day))
        web.anything["a.test"] = web.answers[query]
        assert run_on(project, day).status == 0
    project.topic(FAST + source.format("article"))
    for day in (9.5, 11, 13):
        changing(web, day)
        assert run_on(project, day).status == 0
    assert [one for one in web.asked() if one.url.startswith(f"{HOME}news/9")], "it was asked"
    assert project.site_record("a.test")["soft_404"]["looks"]
    assert not told(project)["gone"]
    assert project.states()[query].gone is None


def test_a_page_that_says_what_it_always_said_is_not_gone_whatever_looks_like_it(
    project: Project, web: Web
) -> None:
    web.news(2)
    web.board(HOME, article(1), article(2), article(7))
    web.anything["a.test"] = web.answers[article(1)]
    for day in (0, 1.1, 2.3, 3.5, 8):
        changing(web, day)
        project.topic(FAST)
        assert run_on(project, day).status == 0
    assert project.site_record("a.test")["soft_404"]["looks"]
    assert not told(project)["gone"]
    assert project.outcomes()[article(1)] == ("unchanged", "")
    assert project.states()[article(1)].visits > 2


WIKI = (
    "<html><head><title>{title}</title></head><body><ul>{menu}</ul><h1>This topic does not exist yet</h1>"
    "<p>You've followed a link to a topic that doesn't exist yet. If permissions allow, you may create"
    " it by clicking on Create this page. 食品安全的内容由志愿者编写,欢迎参与。</p></body></html>"
)
BOARD = (
    "<html><head><title>{title}</title></head><body><ul>{menu}</ul><div><p>抱歉，指定的主题不存在或已被删除或正在被审核</p>"
    "<p>如果您有食品安全方面的疑问,请联系本站的版主,我们会在三个工作日以内答复您的来信。</p>"
    "<p><a href='/'>返回上一页</a></p></div></body></html>"
)


@pytest.mark.notices
def test_a_page_that_turns_into_a_notice_is_gone_and_back_when_its_text_is(
    project: Project, web: Web
) -> None:
    urls = web.news(4)
    whole = {number: web.answers[article(number)] for number in (1, 2)}
    menu = "".join(
        f'<li><a href="{url}">第{n}批食品抽检结果</a></li>' for n, url in enumerate(urls)
    )
    project.topic(FAST)
    run_on(project, 0)
    before = project.rows("SELECT url, title, text FROM articles ORDER BY url")
    for number, form in ((1, WIKI), (2, BOARD)):
        said = form.format(title=f"第{number}批食品抽检结果公布", menu=menu)
        web.answers[article(number)] = web.page(said)
    run_on(project, 1.1)
    assert project.outcomes()[article(1)] == ("gone", "notice")
    assert project.outcomes()[article(2)] == ("gone", "notice")
    run_on(project, 2.3)
    assert told(project) == {"new": 4, "gone": 2}
    assert project.rows("SELECT url, title, text FROM articles ORDER BY url") == before
    run_on(project, 4)
    assert told(project) == {"new": 4, "gone": 2}, (
        "it is listed, looked at once more, and still gone"
    )
    web.answers |= {article(number): page for number, page in whole.items()}
    run_on(project, 6)
    assert told(project) == {"new": 4, "gone": 2, "back": 2}
    assert project.rows("SELECT url, title, text FROM articles ORDER BY url") == before


@pytest.mark.notices
def test_an_article_about_deletions_and_a_short_one_stay_articles(
    project: Project, web: Web
) -> None:
    web.news(2)
    about = (
        "该文章已被作者删除。"
        + "记者调查发现,被删除的食品安全文章原来由三家企业委托发布,平台已经处理。" * 12
    )
    short = "该信息已过期。食品安全抽检的报名工作到本月底为止,请各企业按照通知的要求及时办理相关手续,逾期不再受理。"
    for number, text in ((1, about), (2, short)):
        page = "<html><head><title>{0}</title></head><body><h1>{0}</h1><p>{1}</p></body></html>"
        web.answers[article(number)] = web.page(page.format(f"食品安全通告{number}", text))
    project.topic(FAST)
    run_on(project, 0)
    stored = len(project.articles())
    for day in (1.1, 2.3, 3.5):
        for number, text in ((1, about), (2, short)):
            said = text.replace("食品安全", f"第{int(day)}期食品卫生安全检查监督管理")
            web.answers[article(number)] = web.page(page.format(f"食品安全通告{number}", said))
        run_on(project, day)
    assert stored
    assert not told(project)["gone"]


MENUS = "".join(
    f'<div class="menu"><h3>栏目{n}</h3><ul>'
    + "".join(f'<li><a href="/c/{n}/{m}">食品栏目之{n}的第{m}个专题页面</a></li>' for m in range(9))
    + "</ul></div>"
    for n in range(4)
)
MENU = '<nav><ul><li><a href="/">首页</a></li><li><a href="/news/">新闻</a></li></ul></nav>'


@pytest.mark.parametrize(
    "left",
    [
        "",
        "<html><head><title>食品安全网</title></head><body></body></html>",
        f"<html><head><title>食品安全网</title></head><body>{MENU}<div class='main'>{MENUS}<p>栏目导航</p><p>更多专题请看下面。</p></div>",
        f"<html><head><title>食品安全网</title></head><body>{MENU}<div></div><footer>版权所有</footer></body></html>",
    ],
)
def test_a_page_that_has_nothing_left_but_menus_is_gone(
    project: Project, web: Web, left: str
) -> None:
    web.news(4)
    project.topic(FAST + "[article]\nmin_length = 0\n")
    run_on(project, 0)
    web.answers[article(1)] = web.say(left)
    run_on(project, 1.1)
    assert told(project) == {"new": 4}, "one visit is not enough"
    run_on(project, 2.3)
    assert told(project) == {"new": 4, "gone": 1}
    (row,) = project.rows(f"SELECT text, version FROM articles WHERE url = '{article(1)}'")
    assert row["text"], "the last version stays"
    assert row["version"] == 1


@pytest.mark.parametrize(
    "left",
    [
        "<h1>第1批食品抽检结果公布</h1><img src='/i/1.png'>",
        "<h1>第1批食品抽检结果公布</h1><table>"
        + "".join(f"<tr><td>样品{n}</td><td>合格</td></tr>" for n in range(40))
        + "</table>",
    ],
)
def test_a_page_that_still_shows_its_heading_is_not_gone(
    project: Project, web: Web, left: str
) -> None:
    web.news(4)
    project.topic(FAST)
    run_on(project, 0)
    web.answers[article(1)] = web.say(f"<html><body>{MENU}{left}</body></html>")
    run_on(project, 1.1)
    run_on(project, 2.3)
    assert "gone" not in told(project)
