"""What tells posts from what stands around them: places, orders, labels, items of schema.org."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from lxml import html

from focuscrawl.features.forums.threads.page import (
    ThreadPage,
    is_thread,
    may_be_thread,
    read_thread,
)
from focuscrawl.features.forums.threads.texts import own_text
from focuscrawl.features.forums.threads.wordings import plain_moment
from focuscrawl.readers.pages.document import Document
from tests.tables import each_row

pytestmark = pytest.mark.A9

TEXT = "阳台上的番茄今年结了{}个果子，叶子却黄了，大家知道是怎么回事吗？"


def document(body: str, url: str = "http://garden.test/page/7") -> Document:
    text = f"<html><head><title>番茄叶子发黄</title></head><body><h1>番茄叶子发黄</h1>{body}</body></html>"
    return Document.read(text.encode(), url=url)


def read(body: str) -> ThreadPage:
    page = read_thread(document(body), timezone="Asia/Shanghai")
    assert page is not None
    return page


def moment(day: int, hour: int = 0, minute: int = 30) -> float:
    return datetime(2026, 5, day, hour, minute, tzinfo=UTC).timestamp()


JOINED = ("2019-03-02", "2024-11-20", "2015-01-07", "2022-08-30")


def panel(number: int) -> str:
    """A panel about the member, with the day of joining, then the post."""
    return f"""<article class="entry" id="entry-{number}"><aside><a href="/members/g{number}/" class="face"><span>G</span></a>
    <h4><a href="/members/g{number}/">gardener{number}</a></h4><h5 class="userTitle">老园丁</h5>
    <dl><dt>Joined</dt><dd>{JOINED[number]}</dd></dl></aside>
    <div class="main"><header><time datetime="2026-05-0{number + 1}T08:30:00+08:00">5月{number + 1}日</time></header>
    <div class="said"><p>{TEXT.format(number)}</p></div></div></article>"""


def test_a_day_of_joining_is_no_time_and_a_letter_or_a_rank_no_author() -> None:
    page = read("".join(map(panel, range(4))))
    assert [(post.author, post.posted, post.text) for post in page.posts] == [
        (f"gardener{n}", moment(n + 1), TEXT.format(n)) for n in range(4)
    ]


def answer(number: int, *, stated: bool) -> str:
    """An answer with two remarks below it, each with a name and a moment."""
    item = ' itemscope itemtype="https://schema.org/Answer"' if stated else ""
    said = ' itemprop="text"' if stated else ""
    remarks = "".join(
        f"""<li class="remark"><span>{word}，也是这样浇水的，要少一些才好。</span>
        <a href="/users/{number}{n}/r">reader{number}{n}</a> <i title="2026-05-2{n} 10:00:00Z">May 2{n}</i></li>"""
        for n, word in enumerate(("我家", "邻居家"))
    )
    return f"""<div class="reply" id="reply-{number}"{item}><div class="prose"{said}><p>{TEXT.format(number)}</p></div>
    <div class="who"><span title="2026-05-0{number} 00:30:00Z">May {number}</span>
    <a href="/users/{number}/a">grower{number}</a></div><ul>{remarks}</ul></div>"""


@pytest.mark.parametrize("stated", [True, False])
def test_remarks_below_answers_are_no_posts(stated: bool) -> None:
    page = read("".join(answer(n, stated=stated) for n in (1, 2, 3)))
    assert [(post.author, post.posted) for post in page.posts] == [
        (f"grower{n}", moment(n)) for n in (1, 2, 3)
    ]
    assert all(post.text.startswith("阳台上的番茄") for post in page.posts)


def test_a_question_apart_and_its_answers_make_a_thread_that_says_so() -> None:
    question = f"""<div itemscope itemtype="https://schema.org/Question"><div class="ask"><p itemprop="text">{TEXT.format(0)}</p>
    <span itemprop="author"><a href="/users/9/q"><span itemprop="name">asker</span></a></span>
    <time itemprop="dateCreated" datetime="2026-05-01T00:00:00Z">May 1</time></div>{{}}</div>"""
    body = question.format("".join(answer(n, stated=True) for n in (1, 2)))
    page = read(body)
    assert [post.author for post in page.posts] == ["asker", "grower1", "grower2"]
    assert page.posts[0].text == TEXT.format(0)
    assert may_be_thread(document(body))
    assert is_thread(page, document(body))


def test_other_posts_of_the_page_say_which_number_is_the_day() -> None:
    days = ("05-03-2026, 08:30 AM", "05-04-2026, 08:30 AM", "05-23-2026, 08:30 AM")
    body = "".join(
        f"""<div class="post" id="post_{n}"><div class="by"><a href="user-{n}.html">grower{n}</a></div>
        <span class="post_date">{day}</span><div class="post_body">{TEXT.format(n)}</div></div>"""
        for n, day in enumerate(days)
    )
    page = read(body)
    assert [post.posted for post in page.posts] == [moment(3), moment(4), moment(23)]
    assert [post.author for post in page.posts] == ["grower0", "grower1", "grower2"]


def test_a_moment_with_its_zone_is_believed_before_the_one_shown() -> None:
    body = "".join(
        f"""<li class="item"><b class="author">grower{n}</b>
        <time title="May {n}, 2026 3:30PM" datetime="2026-05-0{n}T00:30:00+00:00">May {n}</time><p>{TEXT.format(n)}</p></li>"""
        for n in (1, 2, 3)
    )
    assert [post.posted for post in read(f"<ul>{body}</ul>").posts] == [
        moment(n) for n in (1, 2, 3)
    ]


def test_an_opening_post_without_a_name_is_one_where_the_replies_begin_with_the_second() -> None:
    opening = f"""<table><tr><td>发表于 2026-5-1 08:30</td></tr><tr><td class="message">{TEXT.format(1) * 3}</td></tr></table>"""
    replies = "".join(
        f"""<table id="pid{n}"><tr><td><strong>{floor}</strong><div class="authi"><a href="javascript:;"><em>种菜人{n}</em></a></div>
        <div class="authi"><a href="javascript:;">来自手机</a> <em>发表于 2026-5-{n} 08:30</em></div>
        <div class="message">{words}</div></td></tr></table>"""
        for n, floor, words in ((2, "沙发", "少浇水"), (3, "板凳", "多晒太阳"))
    )
    said = read(
        f"<div>{opening}</div><div>{replies.replace('来自手机</a>', '来自手机</a> 楼主')}</div>"
    )
    assert said.posts[0].author == "种菜人2"
    page = read(f"<div>{opening}</div><div>{replies}</div>")
    assert [(post.author, post.posted, post.text) for post in page.posts] == [
        ("", moment(1), TEXT.format(1) * 3),
        ("种菜人2", moment(2), "少浇水"),
        ("种菜人3", moment(3), "多晒太阳"),
    ]


def test_what_is_quoted_of_others_is_not_said_again() -> None:
    body = "".join(
        f"""<div class="row" id="p{n}"><a href="/u/{n}">grower{n}</a> <i>2026-05-0{n} 08:30</i>
        <div class="content"><blockquote><cite>grower{n - 1} wrote:</cite>以前说过的话</blockquote>{TEXT.format(n)}</div></div>"""
        for n in (1, 2, 3)
    )
    assert [post.text for post in read(body).posts] == [TEXT.format(n) for n in (1, 2, 3)]


def test_a_list_of_other_threads_beside_the_posts_is_none_of_them() -> None:
    others = "".join(
        f"""<li class="other"><a href="/t/{n}">另一个关于月季的长长的帖子标题</a> <a href="/u/{n}" class="author">rose{n}</a>
        <time datetime="2026-04-0{n}T08:30:00+08:00">4月</time></li>"""
        for n in range(1, 9)
    )
    page = read(f"<ul>{others}</ul>{''.join(map(panel, (1, 2)))}<ul>{others}</ul>")
    assert [post.author for post in page.posts] == ["gardener1", "gardener2"]


def test_a_thread_is_known_by_its_looks_wherever_it_comes_from() -> None:
    body = "".join(map(panel, range(4))).replace('id="entry-', 'id="post-')
    here = document(body, "http://garden.test/threads/leaves.7/")
    page = read_thread(here, timezone="Asia/Shanghai")
    assert page is not None
    assert may_be_thread(here)
    assert is_thread(page, here)


def test_an_article_with_remarks_is_no_thread_even_where_topics_are_named() -> None:
    prose = "番茄是常见的蔬菜，阳台上种植要注意光照、水分和肥料，叶子发黄多半是积水所致。" * 6
    remarks = "".join(
        f"""<div class="remark" id="comment-{n}"><a href="/u/{n}">reader{n}</a> <i>2026-05-0{n} 08:30</i><p>说得对，第{n}次看到</p></div>"""
        for n in (1, 2, 3)
    )
    here = document(f"<div><p>{prose}</p></div>{remarks}", "http://news.test/topics/leaves")
    page = read_thread(here, timezone="Asia/Shanghai")
    assert page is None or not is_thread(page, here)


def test_a_month_stays_while_days_go_by() -> None:
    body = "".join(
        f"""<div class="post" id="post_{n}"><a href="member.php?u={n}">grower{n}</a> <span>05-0{n}-2026, 08:30 AM</span>
        <div class="said">{TEXT.format(n)}</div></div>"""
        for n in (1, 2, 3)
    )
    assert [post.posted for post in read(body).posts] == [moment(n) for n in (1, 2, 3)]


def test_a_name_without_link_or_class_is_known_by_what_is_told_behind_it() -> None:
    body = "".join(
        f"""<table class="frame"><tr><td><b>种菜人{n}</b><br>等级：新手<br>文章：{n * 7}</td><td><p>{TEXT.format(n)}</p></td></tr>
        <tr><td>2026-5-{n} 8:30:00</td><td><a href="x">回复</a></td></tr></table>"""
        for n in (1, 2, 3)
    )
    assert [(post.author, post.posted, post.text) for post in read(body).posts] == [
        (f"种菜人{n}", moment(n), TEXT.format(n)) for n in (1, 2, 3)
    ]


def test_a_quote_without_a_class_and_a_signature_are_left_out() -> None:
    quote = "<div><i>Quote:</i><table><tr><td>Originally Posted by <b>somebody</b> 以前的话</td></tr></table></div>"
    body = "".join(
        f"""<div id="edit{n}"><div><a class="bigusername" href="member.php?u={n}">grower{n}</a></div><span>2026-05-0{n} 08:30</span>
        <div id="post_message_{n}">{quote if n == 2 else ""}{TEXT.format(n)}</div><div>__________________<br>签名{n}</div></div>"""
        for n in (1, 2, 3)
    )
    assert [post.text for post in read(body).posts] == [TEXT.format(n) for n in (1, 2, 3)]


def test_a_member_in_the_menu_did_not_write_the_opening_post() -> None:
    body = f"""<ul><li><a href="/member/settings">我的</a></li></ul><div class="box"><h2>番茄叶子发黄</h2>
    <a href="/member/first">first</a> <i title="2026-05-01 08:30">昨天</i><div class="topic">{TEXT.format(1)}</div></div><div>"""
    body += "".join(
        f"""<div class="cell" id="r_{n}"><b><a href="/member/g{n}">g{n}</a></b> <i title="2026-05-0{n} 08:30">3 天前</i>
        <u class="no">{n - 1}</u><div class="reply_content">{TEXT.format(n)}</div></div>"""
        for n in (2, 3, 4)
    )
    assert [post.author for post in read(body + "</div>").posts] == ["first", "g2", "g3", "g4"]


@pytest.mark.timed
def test_a_post_of_nothing_but_buttons_costs_no_more_than_it_is_long() -> None:
    def cost(count: int) -> tuple[float, str]:
        whole = html.fragment_fromstring(f"<div>begin{'<button>x</button>abcd' * count}end</div>")
        spent, text = [], ""
        for _ in range(3):  # the least of three: what else runs here is in the others
            begun = time.process_time()
            text = own_text(whole)
            spent.append(time.process_time() - begun)
        return min(spent), text

    few, text = cost(4_500)
    assert "x" not in text
    assert text.startswith("begin")
    assert text.endswith("end")
    # Ten times as long, and a hundred times as much where each is joined with all before.
    assert cost(45_000)[0] < 40 * few + 0.2


@each_row(
    ("newest", "oldest"),
    [
        ("vor 2 Stunden", "vor 3 Tagen"),
        ("hace 2 horas", "hace 3 días"),
        ("il y a 2 heures", "il y a 3 jours"),
        ("há 2 horas", "3 dias atrás"),
        ("2 ore fa", "3 giorni fa"),
        ("2 uur geleden", "3 dagen geleden"),
        ("2 часа назад", "3 дня назад"),
        ("2時間前", "3日前"),
        ("2시간 전", "3일 전"),
    ],
)
def test_how_long_ago_is_read_in_many_languages(newest: str, oldest: str) -> None:
    now = datetime(2026, 5, 20, 12, tzinfo=UTC).timestamp()
    posts = "".join(
        f"<li id='note-{number}'><a href='/user/g{number}'>gast{number}</a> <span>{said}</span>"
        f"<p>{TEXT.format(number)}</p></li>"
        for number, said in enumerate((oldest, newest), 1)
    )
    found = read_thread(document(f"<ul>{posts}</ul>"), timezone="UTC", now=now)
    assert found is not None
    assert [post.posted for post in found.posts] == [now - 3 * 86_400, now - 7_200]


@each_row("text", ["10:30分前", "2026.5.3日前", "hace 3 diaspora", "3 часа", "v2 fa"])
def test_words_that_only_look_like_how_long_ago_are_left(text: str) -> None:
    assert plain_moment(text, "UTC", None) == text


@pytest.mark.parametrize(
    "link",
    [
        "<a class='item-title' href='/u/gast{0}/{0}/'>gast{0}</a> <span class='rank-title'>Gardener</span>",
        "<a href='/~gast{0}'>gast{0}</a>",
        "<a href='https://garden.test/@gast{0}'>gast{0}</a>",
    ],
)
def test_a_link_to_a_member_names_the_author_however_it_is_styled(link: str) -> None:
    posts = "".join(
        f"<div class='entry'>{link.format(number)} <time datetime='2026-05-0{number}T00:30:00Z'>x</time>"
        f"<p>{TEXT.format(number)}</p></div>"
        for number in (1, 2, 3)
    )
    assert [post.author for post in read(posts).posts] == ["gast1", "gast2", "gast3"]
