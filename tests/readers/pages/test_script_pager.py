"""Further pages of lists to which only scripts link: literals are followed, and the rest is said."""

from __future__ import annotations

from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.links import find_links
from focuscrawl.readers.pages.markup.script_pager import scripted_links, shows_more
from focuscrawl.readers.pages.paging import find_paging
from focuscrawl.values import PageClass
from tests.tables import each_row

HOME = "http://gov.example/news/"
ENTRIES = "".join(f'<li><a href="t{n}.html">第{n}号通知已经发布</a></li>' for n in range(6))


def next_of(more: str, url: str = HOME) -> list[str]:
    document = Document.read(f"<body><ul>{ENTRIES}</ul>{more}</body>".encode(), url=url)
    paging = find_paging(document, find_links(document), PageClass.BOARD)
    return [found.url.removeprefix(HOME) for found in paging.next]


def shows(more: str) -> bool:
    return shows_more(Document.read(f"<body><ul>{ENTRIES}</ul>{more}</body>".encode(), url=HOME))


WRITTEN = """<script>var currentPage = 0; var nextPage = currentPage + 1; var countPage = 5;
document.write("<a href=\\"index_" + nextPage + ".html\\">下一页</a>")</script>"""
SELECT = "<select onchange='go(this)'>{}</select>"


@each_row(
    ("more", "url", "following"),
    [
        ('<script>createPageHTML(3, 0, "index", "html");</script>', "", ["index_1.html"]),
        ("<script>createPageHTML(3,1,'index','html')</script>", "index_1.html", ["index_2.html"]),
        ("<script>createPageHTML(3,2,'index','html')</script>", "index_2.html", []),
        ("<script>makePager('pages', 16, 1,'fenye','shtml',232)</script>", "fenye.shtml", ["fenye_2.shtml"]),
        ("<script>makePager('pages', 16, 16,'fenye','shtml',232)</script>", "fenye_16.shtml", []),
        (
            WRITTEN, "", ["index_1.html"],
        ),
        ("<script>resize(3, 0, 'box', 12); f(1, 2)</script>", "", []),
        (SELECT.format('<option value="index.html">1</option><option value="index_1.html">2</option>'), "", ["index_1.html"]),
        (SELECT.format('<option value="10">10</option><option value="20">20</option>'), "", []),
        ("""<span onclick="location.href='list_2.html'">2</span>""", "list.html", ["list_2.html"]),
        ("""<a href="javascript:window.open('?page=2')">下一页</a>""", "", ["?page=2"]),
        ('<button data-url="/news/?page=2">加载更多</button>', "", ["?page=2"]),
        ("""<div onclick="location.href='/about.html'">关于我们</div>""", "", []),
    ],
)  # fmt: skip
def test_a_literal_address_of_a_further_page_is_followed(
    more: str, url: str, following: list[str]
) -> None:
    assert next_of(more, HOME + url) == following


def test_a_pager_of_links_is_followed_as_before() -> None:
    pager = (
        '<a href="index_1.html">下一页</a><script>createPageHTML(9, 4, "index", "html")</script>'
    )
    assert next_of(pager) == ["index_1.html"]


@each_row(
    ("more", "says"),
    [
        ('<a href="javascript:void(0)">加载更多</a>', True),
        ("<button class=x>Load more</button>", True),
        ("<div class=more><span>点击加载更多...</span></div>", True),
        ("""<a href="javascript:__doPostBack('AspNetPager1','2')">2</a>""", True),
        ('<a href="/more/">更多</a>', False),
        ('<a href="/news/?page=2">查看更多</a>', False),
        ("<p>加载更多人手，是本次抢修的关键。</p>", False),
    ],
)
def test_a_list_that_goes_on_by_script_alone_says_so(more: str, says: bool) -> None:
    assert shows(more) is says


def test_hostile_scripts_and_selects_are_bounded() -> None:
    markup = (
        "<script>" + "createPageHTML(" * 20_000 + "</script>"
        "<select>" + '<option value="/a_1.html">1' * 20_000 + "</select>"
        + '<a onclick="location.href=" data-url="x.html">2</a>' * 20_000
    )  # fmt: skip
    document = Document.read(f"<body>{markup}</body>".encode(), url=HOME)
    assert len(scripted_links(document, HOME)) <= 4_000
