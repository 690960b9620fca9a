"""Pages of threads: posts with author, time, text and number, as many kinds of forum print them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from focuscrawl.features.forums.elements import ForumSelectors
from focuscrawl.features.forums.threads.page import (
    ThreadPage,
    is_thread,
    may_be_thread,
    read_thread,
)
from focuscrawl.readers.pages.document import Document
from focuscrawl.values import Selector

pytestmark = pytest.mark.A9

NOW = 1_795_147_200.0
TEXT = "火锅吃出了问题，这是第{}个人说的话。"


def read(body: str, selectors: ForumSelectors = ForumSelectors()) -> ThreadPage | None:  # noqa: B008 - frozen
    return read_thread(document(body), selectors, timezone="UTC", now=NOW)


def document(body: str) -> Document:
    text = f"<html><head><title>火锅店的帖子 - 论坛</title></head><body>{body}</body></html>"
    return Document.read(text.encode(), url="http://bbs.test/thread-1-1-1.html")


def moment(number: int) -> float:
    return datetime(2026, 11, number, 8, 30, tzinfo=UTC).timestamp()


def tables(number: int) -> str:
    """A table for each post: who wrote it and how many posts they have, on the left."""
    floor = "楼主" if number == 1 else f"<em>{number}</em><sup>#</sup>"
    return f"""<div id="post_{number}"><table><tr><td class="pls" rowspan="2">
    <div class="authi"><a href="space-uid-{number}.html" class="xw1">食客{number}</a></div>
    <p>帖子 1{number}</p><p>积分 {number * 321}</p><div class="sign">签名很长很长很长很长很长很长很长很长很长很长</div></td>
    <td class="plc"><div class="pi"><strong><a href="#p{number}">{floor}</a></strong>
    <div class="authi"><em>发表于 2026-11-{number} 08:30</em></div></div>
    <div class="t_fsz"><table><tr><td class="t_f">{TEXT.format(number)}</td></tr></table></div></td></tr></table></div>"""


def flat(number: int) -> str:
    """Everything of a post in a row of its own, its date in an attribute."""
    return f"""<div class="cell"><img src="a.png"> <strong><a href="/member/x{number}">x{number}</a></strong>
    <span class="ago" title="2026-11-{number:02} 08:30:00 +00:00">3 天前</span> <span class="no">{number}</span>
    <div class="reply_content">{TEXT.format(number)}</div></div>"""


def two_rows(number: int) -> str:
    """Head and text of a post are neighbours."""
    return f"""<tr><td><b class="author">joe{number}</b></td><td>#{number} 2026-11-{number:02} 08:30</td></tr>
    <tr><td colspan="2">{TEXT.format(number)}</td></tr>"""


@pytest.mark.parametrize(("kind", "name"), [(tables, "食客"), (two_rows, "joe"), (flat, "x")])
def test_posts_are_found_without_a_rule(kind: Callable[[int], str], name: str) -> None:
    body = "".join(map(kind, (1, 2, 3, 4)))
    page = read(f"<h1>火锅店的帖子</h1><table><tbody>{body}</tbody></table>")
    assert page is not None
    assert page.title == "火锅店的帖子"
    assert [(p.floor, p.author, p.posted, p.text) for p in page.posts] == [
        (n, f"{name}{n}", moment(n), TEXT.format(n)) for n in (1, 2, 3, 4)
    ]


def test_an_opening_post_that_stands_apart_is_the_first() -> None:
    opening = """<div class="box"><h1>火锅店的帖子</h1><small><a href="/member/first">first</a>
    2026-11-01 07:00</small><div class="topic_content">大家吃过这家火锅吗？</div></div>"""
    page = read(opening + f'<div class="box">{"".join(map(flat, (1, 2, 3)))}</div>')
    assert page is not None
    assert page.opening
    assert [post.author for post in page.posts] == ["first", "x1", "x2", "x3"]
    assert page.posts[0].text == "大家吃过这家火锅吗？"


def test_a_page_with_one_post_is_read() -> None:
    page = read(f"<h1>火锅店的帖子</h1>{tables(1)}")
    assert page is not None
    assert [(post.floor, post.author, post.text) for post in page.posts] == [
        (1, "食客1", TEXT.format(1))
    ]


def test_a_badge_of_the_opener_is_no_number() -> None:
    body = "".join(
        flat(n).replace('<span class="no">', '<b>楼主</b> <span class="no">') for n in (2, 3, 5)
    )
    page = read(body)
    assert page is not None
    assert [post.floor for post in page.posts] == [2, 3, 5]


def test_selectors_of_the_site_win_and_those_that_miss_are_named() -> None:
    body = "".join(
        f"<section><q>2026-11-0{n} 08:30</q><s>网友{n}</s><p>{TEXT.format(n)}</p></section>"
        for n in (1, 2)
    )
    chosen = ForumSelectors(
        post=Selector("css", "section"),
        posted=Selector("css", "q"),
        poster=Selector("css", "s"),
    )
    page = read(body, chosen)
    assert page is not None
    assert [(post.author, post.posted) for post in page.posts] == [
        ("网友1", moment(1)),
        ("网友2", moment(2)),
    ]
    missing = read("".join(map(flat, (1, 2))), ForumSelectors(post=Selector("css", "i.none")))
    assert missing is not None
    assert missing.missed == ("post",)
    assert len(missing.posts) == 2


def badges(number: int) -> str:
    """The date stands in the title of an item of a list, and no post is numbered."""
    return f"""<section class="entry"><div class="face">食</div><div class="who"><a href="/user/{number}/eater{number}/"
    class="who-name"><b>食客{number}</b></a><ul class="when"><li title="Nov. {number}, 2026, 8:30 a.m.">5d</li></ul></div>
    <div class="said">{TEXT.format(number)}</div><div class="foot"><a href="#" class="tab">share</a></div></section>"""


def test_dates_in_titles_of_any_element_mark_posts() -> None:
    page = read(f"<h1>火锅店的帖子</h1>{''.join(map(badges, (1, 2, 3)))}")
    assert page is not None
    assert [(p.author, p.posted, p.text) for p in page.posts] == [
        (f"食客{n}", moment(n), TEXT.format(n)) for n in (1, 2, 3)
    ]


def test_the_only_post_needs_no_number_where_the_page_is_called_a_thread() -> None:
    body = f"<p>论坛 · 登录</p><h1>火锅店的帖子</h1><main>{badges(4)}</main><p>版权所有</p>"
    assert read_thread(document(body), now=NOW) is None
    page = read_thread(document(body), now=NOW, called=True)
    assert page is not None
    assert [(p.author, p.posted, p.text) for p in page.posts] == [
        ("食客4", moment(4), TEXT.format(4))
    ]


def test_a_page_that_is_called_a_thread_and_shows_nobody_has_no_posts() -> None:
    body = "<h1>公告</h1><p>论坛将于 2026-11-20 08:30 起维护，期间不能访问，请稍后再来。</p>"
    assert read_thread(document(body), now=NOW, called=True) is None


def test_a_selector_says_which_part_of_a_post_is_its_text() -> None:
    body = "".join(
        flat(n).replace(
            "</div></div>", f"</div><q class='more'>又及：{n}</q><i>收藏 {n * 7}</i></div>"
        )
        for n in (1, 2, 3)
    )
    chosen = ForumSelectors(post_text=Selector("css", ".reply_content, q.more"))
    page = read(body, chosen)
    assert page is not None
    assert [post.text for post in page.posts] == [f"{TEXT.format(n)}\n又及：{n}" for n in (1, 2, 3)]
    assert page.missed == ()
    missing = read(body, ForumSelectors(post_text=Selector("css", "i.none")))
    assert missing is not None
    assert missing.missed == ("post_text",)
    assert TEXT.format(1) in missing.posts[0].text


def branch(number: int, answers: str = "") -> str:
    """A remark whose answers stand within it, as trees of remarks are printed."""
    return f"""<li class="branch"><div class="remark"><p><a href="/user/eater{number}">食客{number}</a>
    <time datetime="2026-11-{number:02}T08:30:00Z">x</time></p><div class="said">{TEXT.format(number)}</div></div>
    <ol class="answers">{answers}</ol></li>"""


@pytest.mark.parametrize(
    "tree",
    [
        branch(1, branch(2)) + branch(3, branch(4)),
        branch(1, branch(2, branch(3, branch(4)))),
        branch(1, branch(2) + branch(3)) + branch(4),
    ],
)
def test_answers_within_what_they_answer_are_posts_of_their_own(tree: str) -> None:
    page = read(f"<h1>火锅店的帖子</h1><ol>{tree}</ol>")
    assert page is not None
    assert [(p.author, p.posted, p.text) for p in page.posts] == [
        (f"食客{n}", moment(n), TEXT.format(n)) for n in (1, 2, 3, 4)
    ]


def test_a_thread_shows_by_its_looks() -> None:
    body = f"<h1>火锅店的帖子</h1>{''.join(map(tables, (1, 2, 3)))}"
    page = read(body)
    assert page is not None
    assert may_be_thread(document(body))
    assert is_thread(page, document(body))


def test_an_article_with_comments_is_no_thread() -> None:
    prose = (
        "成都市场监管部门昨日公布食品安全抽检结果，共抽检粮食加工品、乳制品等样品一百二十批次。" * 5
    )
    body = f"<h1>火锅店的帖子</h1><div><p>{prose}</p></div>{''.join(map(flat, (1, 2, 3)))}"
    page = read(body)
    assert page is None or not is_thread(page, document(body))


@pytest.mark.parametrize("body", ["", "<p>2026-11-01 08:30</p>", "<h1>标题</h1><p>正文</p>"])
def test_a_page_without_posts_has_none(body: str) -> None:
    assert read(body) is None


def test_a_post_that_holds_all_that_follow_has_not_their_texts() -> None:
    """Its markup was cut off: each ends behind the last."""
    posts = range(1, 40)
    head = "<div class=post id=p{0}><div class=authi><a href='/member/x{0}'>x{0}</a> <em>2026-11-09 08:30</em> <strong>{0}楼</strong></div>"
    body = "".join(f"{head.format(number)}<div class=t_f>{TEXT.format(number)}" for number in posts)
    page = read(f"<h1>火锅店的帖子</h1>{body}")
    assert page is not None
    assert len(page.posts) >= len(posts) - 1
    assert max(post.text.count("火锅") for post in page.posts) <= 2, "its own and its neighbour's"
