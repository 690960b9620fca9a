"""Pages of the project's own for each thing that is read off pages, with their labels.

Made for this benchmark in the layouts that are met most; those in the markup of forums, blogs and
sites as they are written stand whole in ``benchmarks/pages``. Both hold the figures of a checkout
without data; sets of real pages measure what is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.parts.contact_pages import pages as contact_pages
from focuscrawl.demo.forum import POSTS_OF_A_PAGE
from focuscrawl.demo.truth import DAY_ZERO, Page
from focuscrawl.demo.web import DemoWeb

Row = tuple[str, bytes, dict[str, Any]]
CONTACT_PAGES, MOST_PAGES = 240, 20
DAYS = (0.0, 5.0, 10.0)
_TEXT = (
    "入秋以来，云溪镇的三个村先后修好了通往山上的步道，木栈道两旁种下了两千多株枫树。",
    "镇里的老人说，从前上山采茶要走两个多小时，如今坐摆渡车只用二十分钟，茶叶当天就能送到县城。",
    "据镇农技站统计，今年秋茶产量约为四万斤，比去年多出一成，每斤的收购价也涨了三元左右。",
    "下一步，镇里打算把步道和古茶园连起来，办一条可以走、可以看、也可以住的茶山路线。",
)
_PROSE = "\n".join(f"<p>{one}</p>" for one in _TEXT)
_MENU = (
    '<div class="nav"><a href="/">首页</a> <a href="/xw/">新闻</a> <a href="/gg/">公告</a></div>'
)
_FOOT = '<div class="footer">版权所有 云溪镇 <a href="/about.html">关于我们</a></div>'
_HEAD = "<html><head><meta charset=utf-8><title>{title}</title></head><body>{menu}"


def _page(title: str, body: str) -> bytes:
    return (_HEAD.format(title=title, menu=_MENU) + body + _FOOT + "</body></html>").encode()


def articles() -> Iterator[Row]:
    """Go through articles."""
    label: dict[str, Any] = {"title": "云溪镇茶山步道通车", "published": "2023-10-12 09:30", "author": "林小满", "source": "云溪日报"}  # fmt: skip
    label |= {"text": "\n".join(_TEXT), "chinese": True}
    line = "来源：云溪日报　作者：林小满　发布时间：2023-10-12 09:30"
    yield (
        "news",
        _page(
            "云溪镇茶山步道通车-云溪新闻网",
            f'<div class="main"><h1>{label["title"]}</h1><div class="info">{line}</div>'
            f'<div class="content">{_PROSE}</div></div>',
        ),
        label,
    )
    rows = f"<tr><td align=center><font size=5><b>{label['title']}</b></font></td></tr>"
    yield (
        "table",
        _page(
            "云溪镇政府",
            f"<table>{rows}<tr><td align=center>{line}</td></tr><tr><td>{_PROSE}</td></tr></table>",
        ),
        label,
    )
    yield (
        "blog",
        _page(
            f"{label['title']} | 山里的日子",
            f'<article><h2 class="post-title">{label["title"]}</h2><p class="post-meta"><a rel="author" href="/u/1">林小满</a>'
            f' <time datetime="2023-10-12T09:30:00+08:00">2023年10月12日</time></p><div class="post-body">{_PROSE}</div></article>',
        ),
        label | {"source": None},
    )


def contacts() -> Iterator[Row]:
    """Go through contact pages, as they are drawn for the benchmark of records."""
    for number, page in enumerate(contact_pages(3, CONTACT_PAGES)):
        records = [
            {("url" if f == "website" else f): values for f, values in one.items()}
            for one in page.records
        ]
        yield f"{page.layout}-{number}", page.body, {"records": records}


def _result(number: int, *, ad: bool = False) -> str:
    shape = "result c-container" if not ad else "ec_wise_ad"
    return (
        f'<div class="{shape}" id="{number}"><h3 class="t"><a href="http://site{number}.example/p">云溪镇 第{number}篇</a></h3>'
        f'<div class="c-abstract">云溪镇的步道和茶园，第{number}篇文章的摘要。</div></div>'
    )


def answers() -> Iterator[Row]:
    """Go through pages of results: some, none, a captcha; and of another engine."""
    found = [{"kind": "organic", "title": f"第{n}篇", "href": f"http://site{n}.example/p"} for n in range(1, 9)]  # fmt: skip
    listed = "".join(map(_result, range(1, 9)))
    yield (
        "results",
        _page("云溪镇_百度搜索", f'<div id="content_left">{listed}</div>'),
        {"engine": "baidu", "results": found},
    )
    none = '<div class="content_none"><p>很抱歉，没有找到与“云溪镇步道”相关的网页。</p></div>'
    yield (
        "none",
        _page("云溪镇步道_百度搜索", f'<div id="content_left">{none}</div>'),
        {"engine": "baidu", "results": [], "note": "no results"},
    )
    captcha = "<p>网络不给力，请稍后重试</p><div>请完成下方验证后继续操作</div>"
    yield (
        "captcha",
        _page("百度安全验证", captcha),
        {"engine": "baidu", "results": [], "note": "BLOCKED"},
    )
    rows = "".join(
        f'<li class="b_algo"><h2><a href="http://site{n}.example/p">云溪镇 第{n}篇</a></h2><div class="b_caption"><p>第{n}篇文章的摘要。</p></div></li>'
        for n in range(1, 9)
    )
    yield (
        "other",
        _page("云溪镇 - 搜索", f'<ol id="b_results">{rows}</ol>'),
        {"engine": "bing", "results": found},
    )


def _shown(address: Callable[[int], str], web: DemoWeb, day: float) -> Iterator[tuple[str, Page]]:
    """Go through the pages of a board or a thread, as they are shown on a day."""
    for number in range(1, MOST_PAGES):
        page = web.forum.page(address(number), day)
        if page is None:
            return
        yield f"{address(number)} on day {day:g}", page


def boards() -> Iterator[Row]:
    """Go through the boards of the bundled web's forum, a row for all pages that name a thread."""
    web = DemoWeb(1, "full")
    for day in DAYS:
        for board, *_ in web.forum.boards:
            written = [one for one in web.forum.threads if one.board == board and one.written(day)]
            of_board = partial("http://{}/forum-{}-{}.html".format, web.forum.host, board)
            for name, page in _shown(of_board, web, day):
                rows = []
                for one in written:
                    if one.address(1).partition("://")[2].partition("/")[2].encode() in page.body:
                        truth = one.truth(day)
                        rows.append({"url": one.address(1), "title": one.address(1), "replies": truth.replies, "views": truth.views})  # fmt: skip
                yield name, page.body, {"threads": rows, "url": page.url, "now": _after(day)}


def threads() -> Iterator[Row]:
    """Go through the pages of the threads of the bundled web's forum."""
    web = DemoWeb(1, "full")
    for day in DAYS:
        for thread in web.forum.threads:
            for at, (name, page) in enumerate(_shown(thread.address, web, day)):
                posts = page.thread.posts if page.thread else ()
                told = [
                    {"author": one.author, "time": f"{one.posted:%Y-%m-%d %H:%M}", "text": one.text}
                    for one in posts[at * POSTS_OF_A_PAGE : (at + 1) * POSTS_OF_A_PAGE]
                ]
                yield name, page.body, {"posts": told, "url": page.url, "now": _after(day)}


def _after(day: float) -> float:
    return DAY_ZERO.timestamp() + 86_400 * (day + 1)
