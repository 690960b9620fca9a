"""A fetched page is judged: its class, its links, what is kept of it."""

from __future__ import annotations

import gzip
from typing import Any
from unittest.mock import Mock

import pytest
from scrapy import Request

from focuscrawl.kernel.feature import Hooks
from focuscrawl.kernel.flight import Flight
from focuscrawl.kernel.judge import life_of_page
from focuscrawl.readers.pages.content import Judged
from focuscrawl.values import Page, PageClass, Waiting
from tests.clock import NOON
from tests.judging import judge_page
from tests.tables import each_row

pytestmark = pytest.mark.first_sight

HOME = "http://a.cn/"
SENTENCE = "成都市场监管部门昨日公布第{}批食品安全抽检结果，共抽检粮食加工品、乳制品等样品一百二十批次，其中{}批次不合格，已责令企业立即下架召回。"
PROSE = "".join(f"<p>{SENTENCE.format(3, number)}</p>" for number in range(4))
ARTICLE = f"<h1>第3批食品抽检结果公布</h1><p>发布时间：2026-11-18 08:00</p><div>{PROSE}</div>"
LINKS = "".join(
    f'<li><a href="/news/{n}.html">关于第{n}批食品安全抽检结果的通告</a></li>' for n in range(8)
)
NEXT = '<div class="page"><a href="/list_2.html">2</a> <a href="/list_2.html">下一页</a></div>'


def html(body: str, title: str = "第3批食品抽检结果公布") -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


def look(
    body: str | bytes,
    url: str = f"{HOME}t/3.html",
    text: str = "",
    kind: str = "text/html; charset=utf-8",
    source: str = "",
    **waiting: Any,
) -> Judged:
    """Judge a page of a topic about food; ``text`` are further lines of its template."""
    topic = (
        f'topic.name = "x"\ntopic.keywords = ["食品安全", "抽检"]\n{text}\n'
        f'[[source]]\nurl = "{HOME}"\nname = "a"\n{source}'
    )
    content = body.encode() if isinstance(body, str) else body
    return judge_page(topic, url, content, kind, **waiting)


def test_an_article_about_the_topic_is_kept_with_its_parts() -> None:
    judged = look(html(ARTICLE), text='topic.tags = ["民生"]', source='tags = ["官媒"]')
    article = judged.article
    assert article is not None
    assert article.title == "第3批食品抽检结果公布"
    assert article.text.count("成都市场监管部门") == 4
    assert article.published == NOON - 52 * 3600
    assert article.tags == ["民生", "官媒"]
    assert article.hits["食品安全"] >= 4
    assert (article.source_id, article.complete) == ("a", True)
    page = judged.page
    assert (page.outcome, page.page_class, page.relevant) == ("stored", PageClass.ARTICLE, True)
    assert page.url_key == article.url_key


@each_row(
    ("text", "outcome", "reason"),
    [
        ('article.keep = "none"', "irrelevant", "article.keep"),
        ("article.since = 2026-11-19", "old", "article.since"),
        ('article.since = "1d"', "old", "article.since"),
        ("article.min_length = 5000", "short", "article.min_length"),
        ('article.languages = ["en"]', "irrelevant", "language:zh"),
        ('topic.exclude = ["抽检"]', "irrelevant", "exclude:抽检"),
    ],
)
def test_the_table_article_says_what_is_not_kept(text: str, outcome: str, reason: str) -> None:
    judged = look(html(ARTICLE), text=text)
    assert judged.article is None
    assert (judged.page.outcome, judged.page.reason) == (outcome, reason)
    assert judged.batch is not None


def test_languages_and_images_are_kept_as_the_table_says() -> None:
    assert look(html(ARTICLE), text='article.languages = ["en", "zh"]').article is not None
    short = html("<h1>第3批食品抽检结果公布</h1><img src=1.jpg width=640>")
    assert look(short).page.outcome == "stored", "a page of pictures is not short"
    with_pictures, without = (
        look(short).article,
        look(short, text='article.images = "none"').article,
    )
    assert with_pictures is not None
    assert without is not None
    assert (with_pictures.images, without.images) == ([f"{HOME}t/1.jpg"], [])


def test_selectors_of_a_site_say_where_the_next_page_of_a_list_is() -> None:
    page = html(f'<ul>{LINKS}</ul>{NEXT}<a class="on" href="/rest.html">其余</a>', "通告")
    found = look(page, HOME, '[site."a.cn".select]\nnext = "css:a.on"').batch
    assert found is not None
    assert [link.url for link in found.continuations] == [f"{HOME}rest.html"]
    assert f"{HOME}rest.html" not in {link.url for link in found.links}
    missed = look(page, HOME, '[site."a.cn".select]\nnext = "css:a.gone"')
    assert missed.missed == ("next",)
    assert missed.batch is not None
    assert [link.url for link in missed.batch.continuations] == [f"{HOME}list_2.html"]
    last = html(f"<ul>{LINKS}</ul>", "通告")
    assert look(last, HOME, '[site."a.cn".select]\nnext = "css:a.on"').missed == ()


def test_a_page_off_the_topic_is_kept_only_where_all_are() -> None:
    page = html(ARTICLE.replace("食品", "天文").replace("抽检", "观测"), "天文观测结果")
    assert look(page).page.outcome == "irrelevant"
    for judged in (
        look(page, text='article.keep = "all"'),
        look(page, source='relevant = "all"\n'),
        look(page, source='[site."a.cn"]\nrelevant = "all"\n'),
    ):
        assert judged.page.outcome == "stored"
        assert judged.article is not None
    assert look(page, text='article.keep = "all"').page.relevant is False


ELSEWHERE = ARTICLE.replace("食品", "天文").replace("抽检", "观测")


@each_row(
    ("title", "body", "outcome", "reason"),
    [
        ("天文观测结果", ELSEWHERE, "irrelevant", "keywords"),
        ("天文观测结果", f"{ELSEWHERE}<h3>相关</h3><ul>{LINKS}</ul>", "irrelevant", "keywords"),
        ("抽检结果", ELSEWHERE.partition("</h1>")[2], "stored", ""),
        ("天文观测结果", f"{ELSEWHERE}<pre>from 抽检 import 结果</pre>", "stored", ""),
        ("天文观测结果", ELSEWHERE.replace("第3批", "抽检第3批"), "stored", ""),
        ("抽检", "<p>食品安全。</p>", "short", "article.min_length"),
    ],
)
def test_a_page_is_left_at_first_sight_only_when_no_word_of_the_topic_is_on_it(
    title: str, body: str, outcome: str, reason: str
) -> None:
    judged = look(html(body, title), page_class=PageClass.ARTICLE, text="relevance.threshold = 0.0")
    assert (judged.page.outcome, judged.page.reason) == (outcome, reason)
    assert judged.batch is not None
    assert judged.batch.score == judged.page.score
    assert (judged.article is not None) == (outcome == "stored")


def test_the_first_page_of_several_is_read_though_it_has_no_word_of_the_topic() -> None:
    pager = '<div class="page"><a href="/t/3_2.html">2</a> <a href="/t/3_2.html">下一页</a></div>'
    judged = look(html(ELSEWHERE + pager, "天文观测结果"), page_class=PageClass.ARTICLE)
    assert judged.piece is not None, "its other pages may have some"
    assert judged.piece.article is not None


def test_a_list_gives_links_and_its_next_page_apart() -> None:
    judged = look(html(f"<ul>{LINKS}</ul>{NEXT}", "通告"), HOME)
    assert judged.page.outcome == "list"
    assert judged.page.page_class is PageClass.BOARD
    batch = judged.batch
    assert batch is not None
    assert [link.url for link in batch.links] == [f"{HOME}news/{n}.html" for n in range(8)]
    assert batch.links[0].anchor == "关于第0批食品安全抽检结果的通告"
    assert [(link.url, link.page_class) for link in batch.continuations] == [
        (f"{HOME}list_2.html", PageClass.PAGING)
    ]
    assert not batch.until_known, "read for the first time"


def test_a_list_read_again_is_read_until_known() -> None:
    page = html(f"<ul>{LINKS}</ul>{NEXT}", "通告")
    judged = look(page, HOME, first_walk=False)
    assert judged.batch is not None
    assert judged.batch.until_known
    everything = look(page, HOME, 'follow.paging = "all"', first_walk=False)
    assert everything.batch is not None
    assert not everything.batch.until_known


def test_a_list_of_old_entries_leads_to_no_further_page() -> None:
    old = LINKS.replace("</a>", "</a> 2025-01-15")
    page = html(f"<ul>{old}</ul>{NEXT}", "通告")
    ended = look(page, HOME, 'article.since = "90d"').batch
    assert ended is not None
    assert not ended.continuations
    assert len(ended.links) == 8
    mixed = look(page.replace("2025-01-15", "2026-11-19", 1), HOME, 'article.since = "90d"').batch
    assert mixed is not None
    assert mixed.continuations


@each_row(
    ("by_link", "text", "expected"),
    [
        (None, "", PageClass.ARTICLE),
        (PageClass.BOARD, "", PageClass.BOARD),
        (None, 'follow.boards = ["/t/"]', PageClass.BOARD),
        (PageClass.ARTICLE, 'follow.boards = ["/t/"]', PageClass.BOARD),
        (PageClass.PAGING, 'follow.boards = ["/t/"]', PageClass.PAGING),
        (PageClass.PAGING, 'follow.articles = ["/t/"]', PageClass.ARTICLE),
        (PageClass.ARTICLE_PAGING, 'follow.articles = ["/t/"]', PageClass.ARTICLE_PAGING),
        (PageClass.FEED, "", PageClass.ARTICLE),
    ],
)
def test_the_template_names_a_class_but_page_2_stays_page_2(
    by_link: PageClass | None, text: str, expected: PageClass
) -> None:
    judged = look(html(ARTICLE), text=text, page_class=by_link)
    assert judged.page.page_class is expected
    plain_list = expected in (PageClass.BOARD, PageClass.PAGING)
    assert (judged.page.outcome == "list") == plain_list


def test_a_further_part_of_an_article_is_no_article_of_its_own() -> None:
    more = '<p><a href="3.html">1</a> <a href="3_3.html">3</a> <a href="3_3.html">下一页</a></p>'
    judged = look(html(ARTICLE + more), f"{HOME}t/3_2.html", page_class=PageClass.ARTICLE_PAGING)
    assert judged.article is None
    assert judged.page.outcome == "part"
    assert judged.batch is not None
    assert [link.page_class for link in judged.batch.continuations] == [PageClass.ARTICLE_PAGING]
    two = '<p>1 <a href="3_2.html">2</a> <a href="3_2.html">下一页</a></p>'
    first = look(html(ARTICLE + two), f"{HOME}t/3.html")
    assert first.article is None, "it is kept when its other parts are there"
    piece = first.piece
    assert piece is not None
    assert piece.article is not None
    assert sorted(piece.named.values()) == [2]
    assert judged.piece is not None
    assert judged.piece.first_key == judged.page.url_key, "nobody said what it is a part of"


def test_a_feed_gives_articles_with_their_dates_and_no_old_ones() -> None:
    entries = "".join(
        f"<item><title>抽检{day}</title><link>{HOME}{day}.html</link>"
        f"<pubDate>{day} Nov 2026 08:00:00 +0800</pubDate></item>"
        for day in (10, 18)
    )
    feed = f"<rss><channel><title>x</title>{entries}</channel></rss>"
    judged = look(feed, f"{HOME}rss.xml", kind="application/rss+xml")
    assert judged.page.page_class is PageClass.FEED
    assert judged.batch is not None
    assert {link.page_class for link in judged.batch.links} == {PageClass.ARTICLE}
    assert [link.published for link in judged.batch.links] == [NOON - 244 * 3600, NOON - 52 * 3600]
    newer = look(feed, f"{HOME}rss.xml", 'article.since = "5d"', "application/rss+xml").batch
    assert newer is not None
    assert [link.url for link in newer.links] == [f"{HOME}18.html"]


def test_a_packed_sitemap_index_leads_to_sitemaps() -> None:
    index = f"<sitemapindex><sitemap><loc>{HOME}map-1.xml.gz</loc></sitemap></sitemapindex>"
    judged = look(gzip.compress(index.encode()), f"{HOME}map.xml.gz", kind="application/x-gzip")
    assert judged.page.page_class is PageClass.SITEMAP
    assert judged.batch is not None
    assert [(link.url, link.page_class) for link in judged.batch.links] == [
        (f"{HOME}map-1.xml.gz", PageClass.SITEMAP)
    ]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.7 ...", "text/html"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b'{"a": 1}', "application/json"),
    ],
)
def test_what_is_no_text_is_noted_and_left(body: bytes, kind: str) -> None:
    judged = look(body, kind=kind)
    assert (judged.page.outcome, judged.page.reason) == ("refused", "content type")
    assert judged.batch is None
    assert judged.article is None


@each_row("body", ["", "<", "\x00", "<html>", "<p>" * 3000, "﻿", "]]>"])
def test_no_page_is_too_strange_to_be_judged(body: str) -> None:
    for page_class in (None, PageClass.BOARD, PageClass.ARTICLE, PageClass.ARTICLE_PAGING):
        assert look(body, page_class=page_class).article is None


def test_what_a_page_shows_is_noted_when_it_is_read_for_the_first_time() -> None:
    assert look(html(ARTICLE)).shown == look(html(ARTICLE)).shown != b""
    assert look(html(ARTICLE)).shown != look(html(LINKS)).shown
    assert look(html(ARTICLE), first_walk=False).shown == b""


WAITING = Waiting(f"{HOME}1.html", bytes(16), "a.cn", 3, 3)


def judged_as(*, has_article: bool, relevant: bool) -> Judged:
    page = Page("", WAITING.url, "a.cn", PageClass.ARTICLE, "stored")
    page.relevant = relevant
    return Judged(page, article=Mock() if has_article else None)


@pytest.mark.parametrize("has_article", [False, True])
@pytest.mark.parametrize("relevant", [False, True])
def test_a_page_is_useful_to_who_led_to_it_when_it_has_an_article_of_the_topic(
    has_article: bool, relevant: bool
) -> None:
    flight = Flight(Request(WAITING.url), 1, 1, WAITING)
    judge = Mock(**{"judge.return_value": judged_as(has_article=has_article, relevant=relevant)})
    assert [*life_of_page(judge, Hooks(), flight, Mock(), Mock())][-1] is flight.page
    assert flight.useful == (has_article and relevant)


def test_a_page_is_judged_as_what_its_url_has_turned_out_to_be() -> None:
    flight = Flight(Request(WAITING.url), 1, 1, WAITING)
    part, fetched = WAITING._replace(key=b"k" * 16), Mock()
    hooks: Any = Hooks()
    hooks.correct_url = (lambda corrected: setattr(corrected, "waiting", part),)
    judge = Mock(**{"judge.return_value": judged_as(has_article=True, relevant=True)})
    [*life_of_page(judge, hooks, flight, fetched, Mock())]
    judge.judge.assert_called_once_with(fetched, part)
