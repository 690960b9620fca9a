"""A list page is mostly links, a content page mostly text."""

from __future__ import annotations

import pytest

from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.kind import PageKind, needs_script, page_kind
from focuscrawl.readers.pages.links import find_links
from focuscrawl.values import PageClass
from tests.tables import each_row

pytestmark = pytest.mark.A2

SENTENCE = "昨天下午，市图书馆的新馆向读者开放，馆里有三十万册图书。二楼是儿童阅览室，三楼可以借阅外文期刊。"
MENU = "".join(f'<li><a href="/c{number}/">栏目{number}</a></li>' for number in range(20))
HEADLINES = [f"第{number}届读书节在城东公园开幕，市民可免费参加" for number in range(20)]


def judge(
    markup: str, url: str = "http://news.example/x/1", learnt: PageClass | None = None
) -> PageKind:
    document = Document.read(markup.encode(), url=url)
    return page_kind(document, find_links(document), learnt)


def article(paragraphs: int, title: str = "市图书馆新馆向读者开放", extra: str = "") -> str:
    body = "".join(f"<p>{SENTENCE}</p>" for _ in range(paragraphs))
    return (
        f"<title>{title}_城市新闻网</title><ul>{MENU}</ul><h1>{title}</h1><div>{body}</div>{extra}"
    )


def board(rows: list[str]) -> str:
    items = "".join(f'<li><a href="/n/{row}.html">{text}</a></li>' for row, text in enumerate(rows))
    return f"<title>社会新闻</title><ul>{MENU}</ul><ul>{items}</ul>"


def test_text_with_a_menu_is_an_article() -> None:
    found = judge(article(8))
    assert found.page_class is PageClass.ARTICLE
    assert "characters of text in one block" in found.reason
    assert "a heading repeats the title" in found.reason


def test_a_news_page_with_more_link_text_than_text_is_an_article() -> None:
    related = "".join(
        f'<li><a href="/r/{n}.html">{text}</a></li>' for n, text in enumerate(HEADLINES * 3)
    )
    found = judge(article(14, extra=f"<ul>{related}</ul>"))
    assert found.page_class is PageClass.ARTICLE


def test_a_list_of_headlines_is_a_board() -> None:
    found = judge(board(HEADLINES))
    assert found.page_class is PageClass.BOARD
    assert "of the text is links" in found.reason


def test_a_list_of_short_names_is_a_board() -> None:
    assert judge(board([f"产品{n}" for n in range(30)])).page_class is PageClass.BOARD


def test_headlines_with_excerpts_are_a_board() -> None:
    posts = "".join(
        f'<div class="post"><h2><a href="/p/{n}/">{text}</a></h2><div><p>{SENTENCE}</p></div></div>'
        for n, text in enumerate(HEADLINES[:10])
    )
    assert judge(f"<title>我的博客</title>{posts}").page_class is PageClass.BOARD


def test_links_to_parts_of_the_same_page_do_not_make_an_article_a_board() -> None:
    parts = "".join(f'<h2><a href="#s{n}"></a>第{n}节</h2><p>{SENTENCE * 3}</p>' for n in range(12))
    assert (
        judge(f"<title>正则入门</title><h1>正则入门教程一</h1>{parts}").page_class
        is PageClass.ARTICLE
    )


@pytest.mark.parametrize(
    "hint",
    [
        '<meta property="og:type" content="article">',
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "x"}</script>',
        '<script type="application/ld+json">{"@type":["BlogPosting"]}</script>',
    ],
)
def test_a_short_page_that_calls_itself_an_article_is_one(hint: str) -> None:
    page = f"<head><title>简讯</title>{hint}</head><body><p>{SENTENCE}</p></body>"
    found = judge(page)
    assert found.page_class is PageClass.ARTICLE
    assert "calls itself an article" in found.reason


@each_row(
    "url",
    [
        "http://blog.example/",
        "http://blog.example",
        "http://blog.example/tags/python/",
        "http://blog.example/archives/2019/05/",
        "http://blog.example/page/3/",
        "http://blog.example/news/",
        "http://blog.example/list_3_2.html",
    ],
)
def test_an_address_of_a_list_tips_a_page_of_little_text(url: str) -> None:
    page = "<title>标签</title><a href='/p/one/'>一篇文章的标题</a><a href='/'>首页</a>"
    assert judge(page, url).page_class is PageClass.BOARD
    assert judge(page, "http://blog.example/x").page_class is PageClass.OTHER


def test_an_article_under_an_index_name_stays_an_article() -> None:
    found = judge(article(8), "http://news.example/2026/11/20/markets/index.html")
    assert found.page_class is PageClass.ARTICLE


def test_text_in_scripts_and_footers_is_no_prose() -> None:
    page = f"<script>var x = '{SENTENCE * 30}'</script><p>版权所有，未经许可不得转载。城市新闻网络有限公司，保留一切权利。</p>"
    assert judge(page).page_class is PageClass.OTHER


def test_verse_is_an_article_though_no_line_is_a_sentence() -> None:
    lines = "".join(f"<p>春风又绿江南岸 第{number}首</p>" for number in range(80))
    found = judge(f"<title>诗集</title>{lines}")
    assert found.page_class is PageClass.ARTICLE
    assert "short lines" in found.reason


def test_an_empty_page_is_neither() -> None:
    assert judge("").page_class is PageClass.OTHER
    assert judge("<p>请稍候</p>").page_class is PageClass.OTHER


def short_post(sentences: int) -> str:
    """Return a short post of a blog that shows its latest posts beside each."""
    latest = "".join(
        f'<li><a href="/archives/{n}">{text}</a></li>' for n, text in enumerate(HEADLINES[:12])
    )
    return f"<title>借书证 - 我的博客</title><h2>借书证</h2><p>{SENTENCE * sentences}</p><aside><ul>{latest}</ul></aside>"


@pytest.mark.parametrize("url", ["http://b.example/archives/34", "http://b.example/topic/7/"])
def test_a_number_under_archives_says_nothing_of_a_page(url: str) -> None:
    assert judge(article(4), url) == judge(article(4), "http://b.example/x")
    assert judge(short_post(3), url).page_class is PageClass.ARTICLE
    month = judge(short_post(1), "http://b.example/archives/2019/05/")
    assert "the address looks like a list's" in month.reason


@pytest.mark.parametrize(
    ("sentences", "by_itself", "learnt"),
    [(1, PageClass.BOARD, PageClass.ARTICLE), (3, PageClass.ARTICLE, PageClass.BOARD)],
)
def test_what_was_learnt_of_an_address_decides_a_close_call(
    sentences: int, by_itself: PageClass, learnt: PageClass
) -> None:
    page = short_post(sentences)
    assert judge(page)[::2] == (by_itself, False)
    found = judge(page, learnt=learnt)
    assert (found.page_class, found.by_pattern) == (learnt, True)
    assert "pages of such an address are" in found.reason
    assert judge(page, learnt=by_itself).page_class is by_itself


@pytest.mark.parametrize("learnt", [PageClass.OTHER, PageClass.RECORD])
def test_only_lists_and_articles_are_learnt_of_addresses(learnt: PageClass) -> None:
    assert judge(short_post(2), learnt=learnt) == judge(short_post(2))


def test_a_page_without_any_sign_of_a_list_is_none_whatever_its_address() -> None:
    menu = "".join(f"<a href='/{number}'>本站的栏目{number}</a>" for number in range(15))
    about = f"<title>关于</title><p>{SENTENCE * 3}</p>{menu}"
    by_itself = judge(about, "http://b.example/about")
    assert by_itself.page_class is PageClass.ARTICLE
    assert judge(about, "http://b.example/about", learnt=PageClass.BOARD) == by_itself


def test_what_was_learnt_of_an_address_decides_nothing_that_is_clear() -> None:
    assert judge(article(8), learnt=PageClass.BOARD).page_class is PageClass.ARTICLE
    assert judge(board(HEADLINES), learnt=PageClass.ARTICLE).page_class is PageClass.BOARD
    assert judge("<p>请稍候</p>", learnt=PageClass.ARTICLE).page_class is PageClass.OTHER


SCRIPT = "<script src='/static/main.js'></script>"
PROSE = (
    "<p>成都市场监管部门昨日公布食品安全抽检结果，共抽检粮食加工品、乳制品等样品一百二十批次。</p>"
    * 6
)


def is_frame(body: str) -> bool:
    markup = f"<html><head><title>门户</title></head><body>{body}</body></html>"
    return needs_script(Document.read(markup.encode(), url="http://a.cn/"))


@each_row(
    "body",
    [
        f"<div id='app'></div>{SCRIPT}",
        f"<div id='root'>Loading…</div>{SCRIPT}",
        f"<app-root></app-root>{SCRIPT}",
        f"<div><div id='__next'></div></div>{SCRIPT}",
        f"<noscript>You need to enable JavaScript to run this app.</noscript>{SCRIPT}",
        f"<noscript><p>请开启JS脚本</p></noscript><p>加载中</p>{SCRIPT}",
        f"<div id='app'></div><script>{'x=1;' * 40}</script><p>© 2026 门户</p>",
    ],
)
def test_a_frame_without_text_needs_its_script(body: str) -> None:
    assert is_frame(body)


@each_row(
    "body",
    [
        "",
        "<div id='app'></div>",
        f"<p>404</p>{SCRIPT}",
        f"<div id='app'>{PROSE}</div>{SCRIPT}",
        f"{PROSE}<noscript>JavaScript is off</noscript>{SCRIPT}",
        f"<div id='app'><img src='a.png' alt=''><p>这一天，我们在门外拍下这张照片，没有多写一个字；它说的比字多，留给大家自己看看。</p></div>{SCRIPT}",
        f"<noscript><img src='//count.example/1.gif'></noscript><p>短讯</p>{SCRIPT}",
        f"<div id='application-form'></div><p>报名已经结束</p>{SCRIPT}",
    ],
)
def test_a_page_with_text_or_without_a_sign_of_scripts_needs_none(body: str) -> None:
    assert not is_frame(body)


FEW = "".join(f'<a href="/c{n}/">栏目{n}</a>' for n in range(8))


def notice(head: str, body: str, title: str = "渡口管理所招聘公告") -> PageClass:
    return judge(f"<title>{title}_某局</title><div>{FEW}</div>{head}{body}").page_class


ITEMS = "<ul><li>招聘单位：渡口管理所</li><li>岗位名称：轮机员（两名）</li><li>学历要求：中专以上，轮机专业</li><li>报名地点：二楼办公室</li></ul>"
TABLE = f"<table>{'<tr><td>东门渡</td><td>江渡一号</td><td>每二十分钟一班</td></tr>' * 3}</table>"
FILES = "<p><a href='/d/1.pdf'>附件一.pdf</a></p>"


@each_row(
    "head",
    [
        "<h3>渡口管理所招聘公告</h3><p>发布时间：2021-02-19 16:05　来源：某局</p>",
        "<h3>渡口管理所招聘公告</h3><p><span>信息时间：</span><span>2021/2/19</span></p>",
        "<h2>渡口管理所招聘公告</h2><p>2021年02月19日</p>",
    ],
)
@each_row("body", [ITEMS, TABLE, FILES])
def test_a_list_a_table_or_a_file_under_a_byline_is_a_notice(head: str, body: str) -> None:
    assert notice(head, body) is PageClass.ARTICLE


@each_row(
    "body",
    [
        "".join(f"<p><a href='/n/{n}'>第{n}号公告</a> 2021-02-1{n}</p>" for n in range(8)),
        "".join(f"<p><a href='/n/{n}'>第{n}号公告</a> 发布时间：2021-02-1{n}</p>" for n in range(8)),
        "<p>2021-02-19</p>" + "".join(f"<p><a href='/n/{n}'>第{n}号</a> 2021-02-1{n}</p>" for n in range(8)),
        "<p>更新时间：2021-02-19</p>" + "".join(f"<p><a href='/n/{n}'>第{n}号公告</a></p>" for n in range(8)),
        "<p>发布时间：2021-02-19</p>",
    ],
)  # fmt: skip
def test_a_list_of_dated_links_is_no_notice(body: str) -> None:
    assert notice("<h2>招聘公告</h2>", body, title="招聘公告") is not PageClass.ARTICLE


def wiki_page(below: str, head: str = "") -> str:
    """Return a page of a wiki whose every page has its name above, and menus beside."""
    menu = "".join(f'<li><a href="/menu/{n}">{text}</a></li>' for n, text in enumerate(HEADLINES))
    return (
        f"<head><title>Cat 0 - the wiki of all</title>{head}</head><body><main><h1>Cat 0 - the wiki of all</h1>{below}</main>"
        f"<nav><ul>{menu}</ul></nav><footer>Made by <a href='/x'>it</a>, an open program under a licence of its own.</footer></body>"
    )


ENTRIES = "".join(
    f'<li><a href="/wiki/Page_{number}">The page of the wiki with number {number}</a></li>'
    for number in range(9)
)
SAYS = "<p>The following 9 pages are in this category, out of 9 in total.</p>"


@pytest.mark.parametrize(
    ("below", "head", "page_class"),
    [
        (f"{SAYS}<ul>{ENTRIES}</ul>", "", PageClass.BOARD),
        (
            f"<div>{SAYS}</div><table><tr><td><ul>{ENTRIES}</ul></td></tr></table>",
            "",
            PageClass.BOARD,
        ),
        (SAYS, "", PageClass.ARTICLE),
        (SAYS, '<meta name="robots" content="noindex,nofollow">', PageClass.BOARD),
        (f"<p>{SENTENCE * 5}</p><ul>{ENTRIES}</ul>", "", PageClass.ARTICLE),
        (f"{SAYS}<aside><ul>{ENTRIES}</ul></aside>", "", PageClass.ARTICLE),
    ],
    ids=["list", "list deeper", "short", "noindex", "text above links", "links beside"],
)
def test_a_list_under_the_address_of_articles_is_what_stands_below_its_heading(
    below: str, head: str, page_class: PageClass
) -> None:
    page = wiki_page(below, head)
    assert judge(page, learnt=PageClass.ARTICLE).page_class is page_class


def test_the_footer_of_a_page_is_no_prose_of_it() -> None:
    footer = f"<footer><p>{SENTENCE * 4}</p></footer>"
    entries = f"<title>All</title><ul>{ENTRIES}</ul>"
    assert judge(entries + footer) == judge(entries)
    assert judge(article(8) + footer) == judge(article(8))
