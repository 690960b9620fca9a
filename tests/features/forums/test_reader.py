"""Pages of forums are judged: numbers of posts, where a thread goes on, what a board leads to."""

from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.features.forums.walks import Walk
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.links.criteria import Criteria
from focuscrawl.readers.pages.content import Fetched, Judged
from focuscrawl.template.load import load
from focuscrawl.values import PageClass, Waiting
from tests.judging import judge

pytestmark = pytest.mark.A9

NOON = 1_795_147_200.0
HOME = "http://bbs.cn/forum-1-1.html"
THREAD = "http://bbs.cn/thread-7-1-1.html"
SECOND = "http://bbs.cn/thread-7-2-1.html"


def html(body: str) -> str:
    return f"<html><head><title>食品安全的帖子 - 论坛</title></head><body>{body}</body></html>"


def posts(*numbers: int, floors: bool = True, more: str = "") -> str:
    blocks = "".join(
        f'<div class="p"><a href="/space-uid-{n}.html">人{n}</a> <em>2026-11-{n:02} 08:00</em>'
        f"<b>{f'{n}楼' if floors else ''}</b><p class='t_f'>食品安全这件事，第{n}个人这样说。{more}</p></div>"
        for n in numbers
    )
    return html(f"<h1>食品安全的帖子</h1>{blocks}<i class='pg'><a href='{SECOND}'>2</a></i>")


def look(body: str, url: str, walk: Walk | None = None, **waiting: Any) -> Judged:
    template = load(
        f'topic.name = "x"\ntopic.keywords = ["食品安全"]\n[[source]]\nurl = "{HOME}"\nkind = "forum"\nname = "a"',
        {},
        {},
    ).template
    rules = AdmissionRules.from_template(template, NOON)
    address, first = rules.canonicalizer.address(url), rules.canonicalizer.address(THREAD)
    assert address is not None
    assert first is not None
    row = Waiting(address.url, address.key, address.site, 3, 3, source_id="a", parent_key=b"p" * 16)
    criteria = Criteria(template, rules, {one.source_id: one for one in template.sources})
    walks = {first.key: walk} if walk else {}
    if address.key != first.key and walk:
        waiting["first_key"] = first.key
    fetched = Fetched(url, 200, body.encode(), "text/html; charset=utf-8", NOON)
    return judge(fetched, row._replace(**waiting), criteria, walks)


def test_a_board_leads_to_threads_and_not_into_their_rows() -> None:
    rows = "".join(
        f'<tr><td><a href="/thread-{n}-1-1.html">关于火锅的第{n}个帖子</a> <a href="/thread-{n}-2-1.html">2</a>'
        f'</td><td><a href="/space-uid-{n}.html">人{n}</a></td><td>{n} 回复</td></tr>'
        for n in (3, 8, 5)
    )
    other = '<a href="/forum-2-1.html">另一个版块</a>'
    judged = look(html(f"{other}<table>{rows}</table>"), HOME, page_class=PageClass.BOARD)
    assert judged.batch is not None
    assert [(one.title, one.replies) for one in judged.batch.threads] == [
        (f"关于火锅的第{n}个帖子", n) for n in (3, 8, 5)
    ]
    assert [(one.url, one.page_class) for one in judged.batch.links] == [
        ("http://bbs.cn/forum-2-1.html", None),
        *((f"http://bbs.cn/thread-{n}-1-1.html", PageClass.THREAD) for n in (3, 8, 5)),
    ]


@pytest.mark.parametrize("jump", ["?post=9#9", "?page=3#p9", "?c=1#comment_9"])
def test_a_list_of_boards_leads_to_boards_and_not_to_their_last_posts(jump: str) -> None:
    rows = "".join(
        f'<tr><td><a href="/forum-{n}-1.html">第{n}个版块</a></td>'
        f'<td><a href="/thread-{n}{jump}">最后的帖子</a></td></tr>'
        for n in (3, 8, 5)
    )
    others = "<a href='/help?a=1#top'>帮助</a><a href='/t/7#p9'>置顶</a><a href='/t?id=8#p9'>新</a><a href='/t?id=8'>新帖</a>"
    judged = look(html(f"{others}<table>{rows}</table>"), HOME, page_class=PageClass.BOARD)
    assert judged.batch is not None
    assert {link.url.removeprefix("http://bbs.cn") for link in judged.batch.links} == {
        *(f"/forum-{n}-1.html" for n in (3, 8, 5)),
        *("/help?a=1", "/t/7", "/t?id=8"),
    }


def test_the_first_page_goes_on_and_its_thread_is_not_read_to_its_end() -> None:
    judged = look(posts(1, 2, 3), THREAD, page_class=PageClass.THREAD)
    assert (judged.page.page_class, judged.page.outcome) == (PageClass.THREAD, "stored")
    assert judged.batch is not None
    assert [(one.url, one.anchor) for one in judged.batch.continuations] == [(SECOND, "2")]
    read = judged.read
    assert read is not None
    assert not read.ended
    assert read.walk.counted == -1
    assert [post.post_no for post in read.posts] == [1, 2, 3]
    assert read.thread is not None
    assert (read.thread.author, read.thread.title) == ("人1", "食品安全的帖子")
    assert read.changes == ()


def test_what_the_last_page_adds_is_told_once() -> None:
    walk = Walk(
        THREAD, replies=4, counted=2, posts=3, before=3, relevant=True, walks=1, page_posts=3
    )
    judged = look(posts(4, 5), SECOND, walk, page_class=PageClass.ARTICLE_PAGING, page_number=2)
    read = judged.read
    assert read is not None
    assert read.ended
    assert (read.walk.counted, read.walk.posts, read.walk.walks) == (4, 5, 2)
    assert [(one.kind, one.fields) for one in read.changes] == [("reply", {"replies": [2, 4]})]
    assert judged.page.page_class is PageClass.ARTICLE_PAGING
    assert judged.page.outcome == "part"


@pytest.mark.parametrize(("page", "expected"), [(1, [1, 2, 3]), (2, [4, 5, 6])])
def test_posts_without_numbers_are_counted(page: int, expected: list[int]) -> None:
    walk = Walk(THREAD, relevant=True, page_posts=3)
    url = THREAD if page == 1 else SECOND
    judged = look(posts(1, 2, 3, floors=False), url, walk, page_number=page)
    assert judged.read is not None
    assert [post.post_no for post in judged.read.posts] == expected


def test_a_thread_is_known_by_its_looks() -> None:
    assert look(posts(1, 2, 3), THREAD).page.page_class is PageClass.THREAD


def test_links_in_posts_lead_on_and_those_around_them_do_not() -> None:
    body = posts(1, 2, more="<a href='http://bbs.cn/other.html'>通告全文</a>")
    judged = look(body, THREAD, page_class=PageClass.THREAD)
    assert judged.batch is not None
    assert {link.url for link in judged.batch.links} == {"http://bbs.cn/other.html"}


def test_a_page_called_a_thread_that_has_no_posts_is_judged_by_its_looks() -> None:
    judged = look(html("<p>本帖已被删除</p>"), THREAD, Walk(THREAD), page_class=PageClass.THREAD)
    assert judged.read is None
    assert judged.page.page_class is PageClass.OTHER
