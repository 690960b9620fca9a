"""A good guest: what edits, logs in, replies or is not to be followed is never asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Answer, Asked, Web

pytestmark = pytest.mark.refused_links

HOME = "http://a.test/"
FREE = "[follow]\nrefuse = []\n"
TEXT = "<p>成都市场监管部门昨日公布第{}批食品安全抽检结果,共抽检粮食加工品等样品一百二十批次,其中{}批次不合格,已经责令下架。</p>"


def text(number: int) -> str:
    return "".join(TEXT.format(number, number * 7 + part) for part in range(4))


def refused(project: Project) -> dict[str, int]:
    counters = json.loads(project.last_run()["counters"])
    return {name.partition("/")[2]: n for name, n in counters.items() if "refused/" in name}


# A wiki as DokuWiki is --------------------------------------------------------------------------

PAGES = 6
TOOLS = ("edit", "revisions", "backlink", "login&sectok=", "media", "recent")

YOUNG = '<meta name="generator" content="DokuWiki"><meta name="robots" content="noindex,nofollow">'
"""What DokuWiki says in every page that was edited within five days."""


class Wiki:
    """A wiki whose pages lock themselves when somebody asks to edit them."""

    def __init__(self, web: Web, host: str = "a.test", *, marked: bool = True) -> None:
        self.locks: set[str] = set()
        self._web = web
        self._rel = ' rel="nofollow"' if marked else ""
        web.anything[host] = self.answer

    def answer(self, asked: Asked) -> Answer:
        fields = parse_qs(urlsplit(asked.url).query, keep_blank_values=True)
        name, do = fields.get("id", ["start"])[0], fields.get("do", ["show"])[0]
        if do == "edit":
            self.locks.add(name)
            return self._web.say(f"<form><textarea>{text(1)}</textarea></form>{self._tools(name)}")
        pages = "".join(f'<li><a href="/doku.php?id=page{n}">条目{n}</a></li>' for n in range(1, PAGES + 1))  # fmt: skip
        if do == "revisions":
            old = "".join(
                f'<li><a href="/doku.php?id={name}&rev=17000000{n}0"{self._rel}>旧版</a>'
                f'<a href="/doku.php?id={name}&rev2%5B0%5D=17000000{n}0&do=diff"{self._rel}>比较</a></li>'
                for n in range(5)
            )
            return self._web.say(f"<ul>{old}</ul>{self._tools(name)}")
        if do != "show" or name == "start":
            return self._web.say(f"{YOUNG}<h1>{do}</h1><ul>{pages}</ul>{self._tools(name)}")
        number = int(name.removeprefix("page"))
        return self._web.say(
            f"<html><head>{YOUNG}<title>条目{number}</title></head><body><h1>第{number}批食品抽检结果</h1>"
            f"<p>发布时间:2026-11-18 08:00</p><div>{text(number)}</div>{self._tools(name)}</body></html>"
        )

    def _tools(self, name: str) -> str:
        return "".join(f'<a href="/doku.php?id={name}&do={do}"{self._rel}>{do}</a>' for do in TOOLS)


@pytest.mark.parametrize("marked", [True, False])
def test_a_wiki_is_read_and_none_of_its_pages_locked(
    project: Project, web: Web, marked: bool
) -> None:
    wiki = Wiki(web, marked=marked)
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert len(project.articles()) == PAGES
    assert wiki.locks == set()
    asked = [one.url for one in web.asked()]
    assert not [url for url in asked if "do=edit" in url or "do=login" in url or "rev" in url]
    kinds = refused(project)
    if marked:
        assert len(asked) == 1 + PAGES
        assert "action:edit" in kinds
        assert kinds["nofollow"] > 0
    assert kinds["action:edit"] == kinds["action:revisions"] == kinds["action:login"]
    assert "action:edit" in ended.line("  refused")


def test_one_key_of_the_topic_lets_all_of_it_be_followed(project: Project, web: Web) -> None:
    wiki = Wiki(web)
    project.topic(FREE + "depth = 2\n")
    assert project.crawl().status == 0
    assert len(wiki.locks) == PAGES + 1
    assert len(web.asked()) > 5 * PAGES
    assert refused(project).keys().isdisjoint(("nofollow", "action:edit"))


def test_a_site_may_be_an_exception(project: Project, web: Web) -> None:
    ours, theirs = Wiki(web), Wiki(web, "b.test")
    project.topic(
        '[site."b.test".follow]\nrefuse = []\n[follow]\ndepth = 1\n',
        sources=f"{HOME} http://b.test/",
    )
    assert project.crawl().status == 0
    assert (ours.locks, theirs.locks) == (set(), {"start"})


def test_what_waits_since_it_was_allowed_is_not_asked_for_any_more(
    project: Project, web: Web
) -> None:
    wiki = Wiki(web, marked=False)
    project.topic(FREE)
    project.crawl("-a", "limits.pages=2")
    assert project.stored_rows() > 10
    locked = set(wiki.locks)
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert wiki.locks == locked
    assert len(project.articles()) == PAGES
    assert ("parked", "rule:action:edit") in project.outcomes().values()


def test_what_was_asked_for_once_is_not_visited_again(project: Project, web: Web) -> None:
    Wiki(web, marked=False)
    project.topic(FREE)
    assert project.crawl("-a", "follow.depth=1").status == 0
    before = len(web.asked())
    project.topic()
    assert project.crawl("-a", "revisit.policy=fixed", FOCUSCRAWL_SHIFT="864000").status == 0
    again = [one.url for one in web.asked()[before:]]
    assert len(again) >= PAGES
    assert not [url for url in again if "do=edit" in url or "do=login" in url]


# A blog and a forum -----------------------------------------------------------------------------


def test_a_comment_form_for_each_comment_is_no_page(project: Project, web: Web) -> None:
    posts = [f"{HOME}archives/{number}/" for number in range(1, 9)]
    comments = 6

    def post(asked: Asked) -> Answer:
        number = int(urlsplit(asked.url).path.split("/")[2])
        replies = "".join(
            f'<li>评论{n}<a href="/archives/{number}/?replytocom={number}{n}#respond">回复</a></li>'
            for n in range(comments)
        )
        return web.say(
            f"<html><head><title>第{number}批食品抽检结果公布</title></head><body>"
            f"<h1>第{number}批食品抽检结果公布</h1><p>发布时间:2026-11-18 08:00</p>{text(number)}"
            f'<ol>{replies}</ol><a href="/archives/{number}/print/">打印</a>'
            f'<a href="/wp-login.php?redirect_to=%2Farchives%2F{number}%2F">登录</a>'
            f'<a href="/archives/{number}/?share=twitter">分享</a></body></html>'
        )

    web.board(HOME, *posts)
    web.anything["a.test"] = post
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == set(posts)
    assert len(web.asked()) == 1 + len(posts)
    assert not project.rows("SELECT * FROM articles WHERE is_copy"), "nothing is told twice"
    kinds = refused(project)
    assert kinds["action:reply"] == len(posts) * comments
    assert kinds["action:print"] == kinds["action:share"] == kinds["action:login"] == len(posts)


class Forum:
    """A forum where whoever is no member is sent to a login page, which names where it comes from."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self.logins = 0
        web.anything["a.test"] = self.answer

    def answer(self, asked: Asked) -> Answer:
        parts = urlsplit(asked.url)
        here = quote(asked.url.removeprefix("http://a.test"), safe="")
        menu = (
            f'<a href="/login?next={here}">登录</a><a href="/register?next={here}">注册</a>'
            f'<a href="/t/1/answer">回帖</a>'
        )
        if parts.path in ("/login", "/register"):
            self.logins += 1
            return self._web.say(f"<h1>登录</h1><form></form>{menu}")
        if parts.path.endswith("/answer"):
            return type(self._web.say(""))(status=302, headers={"Location": f"/login?next={here}"})
        if parts.path == "/":
            items = "".join(f'<li><a href="/t/{n}">食品话题{n}</a></li>' for n in range(1, 11))
            return self._web.say(f"<ul>{items}</ul>{menu}")
        number = int(parts.path.split("/")[2])
        return self._web.say(
            f"<title>食品话题{number}</title><h1>食品话题{number}</h1>"
            f"<p>2026-11-18 08:00</p>{text(number)}{menu}"
        )


def test_a_login_page_that_names_where_it_was_found_is_not_asked_for(
    project: Project, web: Web
) -> None:
    forum = Forum(web)
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert forum.logins == 0
    assert len(project.articles()) == 10
    assert len(web.asked()) == 1 + 10 + 1, "the redirect is as far as it goes"
    assert project.outcomes()[f"{HOME}t/1/answer"] == ("refused", "action:login")
    assert refused(project)["action:register"] > 0


# nofollow ---------------------------------------------------------------------------------------


def test_what_a_page_asks_not_to_follow_is_left_and_what_leads_away_is_not(
    project: Project, web: Web
) -> None:
    web.news(2)
    web.article(f"{HOME}hidden.html", 5)
    web.article("http://b.test/cited.html", 6)
    for name, number in (("meta", 11), ("header", 13), ("other", 15)):
        web.article(f"{HOME}{name}-1.html", number)
        web.article(f"{HOME}{name}-2.html", number + 1)
        web.board(f"{HOME}{name}.html", f"{HOME}{name}-1.html", f"{HOME}{name}-2.html")
    meta = web.answers[f"{HOME}meta.html"]
    assert not callable(meta)
    web.answers[f"{HOME}meta.html"] = web.page(
        str(meta.body).replace("<head>", '<head><meta name="Robots" content="NOINDEX, NOFOLLOW">')
    )
    web.name(f"{HOME}header.html", {"X-Robots-Tag": "noindex, nofollow"})
    web.name(f"{HOME}other.html", {"X-Robots-Tag": "otherbot: nofollow"})
    web.board(
        HOME,
        *(f"{HOME}{name}.html" for name in ("news/1", "news/2", "meta", "header", "other")),
        more='<a rel="nofollow" href="/hidden.html">内</a>'
        '<a rel="ugc nofollow" href="http://b.test/cited.html">外</a>'
        '<a rel="nofollow" href="/news/1.html">又</a>',
    )
    project.topic('[follow]\nsites = ["b.test"]\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {
        f"{HOME}news/1.html",
        f"{HOME}news/2.html",
        f"{HOME}other-1.html",
        f"{HOME}other-2.html",
        "http://b.test/cited.html",
    }
    assert refused(project)["nofollow"] == 1 + 1 + 2 + 2


def test_feeds_and_sitemaps_are_never_nofollow(project: Project, web: Web) -> None:
    for number in range(1, 4):
        web.article(f"{HOME}news/{number}.html", number)
    headers = {"X-Robots-Tag": "nofollow"}
    web.xml(f"{HOME}sitemap.xml", f"<urlset><url><loc>{HOME}news/1.html</loc></url></urlset>")
    web.xml(
        f"{HOME}rss.xml",
        f"<rss><channel><item><link>{HOME}news/2.html</link></item></channel></rss>",
    )
    web.name(f"{HOME}sitemap.xml", headers)
    web.name(f"{HOME}rss.xml", headers)
    web.answers[f"{HOME}moved.html"] = web.page(
        '<html><head><meta name="robots" content="nofollow">'
        '<meta http-equiv="refresh" content="0; url=/news/3.html"></head><body></body></html>'
    )
    project.topic(sources=f"{HOME}sitemap.xml {HOME}rss.xml {HOME}moved.html")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {f"{HOME}news/{number}.html" for number in range(1, 4)}


def test_a_crawl_that_finds_nothing_says_that_nofollow_kept_it_empty(
    project: Project, web: Web
) -> None:
    web.news(3)
    web.name(HOME, {"X-Robots-Tag": "none"})
    project.topic()
    ended = project.crawl()
    assert "3 links refused by nofollow" in ended.said
    assert "follow.refuse" in ended.said


def test_the_text_that_a_page_was_made_from_is_not_asked_for(project: Project, web: Web) -> None:
    urls = [f"{HOME}posts/{number}/" for number in range(1, 4)]
    for number, url in enumerate(urls, start=1):
        web.article(url, number, more='<a href="index.rst">源文件</a>')
        web.file(f"{url}index.rst", b"Title\n=====\n")
    web.board(HOME, *urls)
    project.topic()
    assert project.crawl().status == 0
    assert project.articles() == {*urls}
    assert len(web.asked()) == 4
    assert refused(project)["suffix"] == 3
