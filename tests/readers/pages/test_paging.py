"""The next page, told apart from the next article."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.first_page import find_first_page
from focuscrawl.readers.pages.links import find_links
from focuscrawl.readers.pages.paging import (
    Paging,
    asked_page,
    changed_number,
    find_paging,
    numbers,
    without_page,
)
from focuscrawl.values import PageClass
from tests.tables import each_row

pytestmark = pytest.mark.A2

SITE = "http://news.example"


def paging(markup: str, path: str, page_class: PageClass = PageClass.BOARD) -> Paging:
    document = Document.read(markup.encode(), url=SITE + path)
    return find_paging(document, find_links(document), page_class)


def found(
    markup: str, path: str, page_class: PageClass = PageClass.BOARD
) -> list[tuple[str, int | None]]:
    result = paging(markup, path, page_class)
    return [(link.url.removeprefix(SITE), link.page_number) for link in result.next]


def pager(*links: tuple[str, str]) -> str:
    return "<div>" + " ".join(f'<a href="{href}">{text}</a>' for href, text in links) + "</div>"


@each_row(
    ("current", "candidate", "number"),
    [
        ("/list/", "/list/index_2.html", 2),
        ("/list/index.html", "/list/index_2.html", 2),
        ("/list/index_2.html", "/list/index_3.html", 3),
        ("/list/", "/list/2.html", 2),
        ("/list/", "/list/page/2/", 2),
        ("/list/page/2/", "/list/page/3/", 3),
        ("/", "/page/2/", 2),
        ("/list_3.html", "/list_3_2.html", 2),
        ("/list_3_2.html", "/list_3_3.html", 3),
        ("/a/12345.html", "/a/12345_2.html", 2),
        ("/a/12345_2.html", "/a/12345_3.html", 3),
        ("/a/12345.html", "/a/12345-2.html", 2),
        ("/a/12345", "/a/12345/2", 2),
        ("/list.asp?id=7", "/list.asp?id=7&page=2", 2),
        ("/list.asp?id=7&page=2", "/list.asp?page=3&id=7", 3),
        ("/tags/a/", "/tags/a/archives/2/", 2),
        ("/tag/water.html", "/tag/water2.html", 2),
        ("/tag/water.html", "/tag/water1.html", None),
        ("/tag/water.html", "/tag/waters2.html", None),
        ("/tag/water.html", "/tag/water2.html?sort=new", None),
        ("/tag/water3.html", "/tag/water4.html", None),
        ("/a/12345.html", "/a/12346.html", None),
        ("/xydt/100.html", "/xydt/101.html", None),
        ("/list.asp?id=7", "/list.asp?id=8&page=2", None),
        ("/2026/11/", "/2026/11/20/", None),
        ("/2026/", "/2026/11/", None),
        ("/a.html", "/b_2.html", None),
        ("/a.html", "http://other.example/a_2.html", None),
    ],
)  # fmt: skip
def test_series_of_addresses(current: str, candidate: str, number: int | None) -> None:
    target = candidate if candidate.startswith("http") else SITE + candidate
    assert numbers(SITE + current, target)[0] == number


def test_addresses_of_one_format_differ_in_one_number() -> None:
    assert changed_number("/f-2-1.html", "/f-2-3.html") == (1, 3)
    assert changed_number("/f-2-1.html", "/f-3-3.html") is None
    assert changed_number("/f-2-1.html", "/g-2-3.html") is None


@each_row(
    "words",
    [
        "下一页",
        "下页",
        "后页",
        "下一页>>",
        "[下一页]",
        " 下 一 页 ",
        "后一页",
        "下一頁",
        "Next",
        "next page",
        "Next »",
        "Older Posts →",
        "›",
        ">",
        "\u27e9",
        "\u276f",
        "\u25b6\ufe0f",
        "Older posts \u27f6",
    ],
)
@each_row("page_class", [PageClass.BOARD, PageClass.OTHER, PageClass.PAGING])
def test_words_that_lead_on_in_a_list(words: str, page_class: PageClass) -> None:
    page = pager(
        ("/list/index.html", "首页"), ("/list/index_2.html", words), ("/list/index_9.html", "尾页")
    )
    result = paging(page, "/list/", page_class)
    assert [link.url for link in result.next] == [f"{SITE}/list/index_2.html"]
    assert result.next[0].page_number == 2
    assert result.kind is PageClass.PAGING


@each_row(
    "words",
    [
        "下一篇",
        "下一篇：新馆开放",
        "上一页",
        "尾页",
        "末页",
        "下一篇文章",
        "Next Post →",
        "Next article",
        "下载",
        "首页",
        "25",
        "\u27e8",
        ")",
        "最后一页",
        "下一页的秘密：一部小说",
    ],
)
@each_row("page_class", [PageClass.BOARD, PageClass.ARTICLE])
def test_words_that_do_not(words: str, page_class: PageClass) -> None:
    assert found(pager(("/a/101.html", words)), "/a/100.html", page_class) == []


DOCUMENTED = (
    '<head><link rel="next" href="/blog/category/a/"></head><nav>{}'
    '<span>1</span><a href="page/2/">2</a><a href="page/3/">3</a><a href="page/7/">7</a></nav>'
)


def test_what_documentation_names_next_is_no_page_of_a_list() -> None:
    assert found(DOCUMENTED.format(""), "/blog/") == [("/blog/page/2/", 2)]
    assert found(DOCUMENTED.partition("<nav>")[0], "/blog/") == []


def test_the_archive_of_another_year_is_no_page_of_this_one() -> None:
    years = '<a href="/blog/archive/2025/">2025</a><a href="/blog/archive/2027/">2027</a>'
    page = DOCUMENTED.format(years)
    assert found(page, "/blog/archive/2026/") == [("/blog/archive/2026/page/2/", 2)]
    assert found(years, "/blog/archive/2026/") == []


def test_numbers_alone_lead_on_in_a_list() -> None:
    page = pager(
        ("/list_1.html", "1"), ("/list_2.html", "2"), ("/list_3.html", "3"), ("/list_4.html", "4")
    )
    assert found(page, "/list_2.html") == [("/list_3.html", 3)]
    assert found(page, "/list.html") == [("/list_2.html", 2)]
    assert found(page, "/list_4.html") == []


def test_addresses_counted_from_nought() -> None:
    page = pager(("/list/", "1"), ("/list/index_1.html", "2"), ("/list/index_2.html", "3"))
    assert found(page, "/list/") == [("/list/index_1.html", 2)]
    assert found(page, "/list/index_1.html") == [("/list/index_2.html", 3)]


def test_pages_of_a_forum_board_and_not_of_its_threads() -> None:
    page = pager(
        ("/thread-900-2-1.html", "2"), ("/thread-900-3-1.html", "3"), ("/thread-901-2-1.html", "2"),
        ("/forum-2-2.html", "2"), ("/forum-2-3.html", "3"),
    )  # fmt: skip
    assert found(page, "/forum-2-1.html") == [("/forum-2-2.html", 2)]


def test_reply_counts_and_calendars_are_no_pages() -> None:
    counts = pager(("/p/5478857639", "40"), ("/p/5481361661", "28"), ("/p/5479751102", "2"))
    assert found(counts, "/f") == []
    days = pager(*[(f"/2026/11/{day:02}/", str(day)) for day in range(1, 31)])
    assert found(days, "/2026/11/") == []
    assert found(days, "/2026/11/05/") == []


def test_all_further_pages_of_an_article_in_order() -> None:
    page = pager(
        ("/a/7_2.html", "下一页"),
        ("/a/7.html", "1"),
        ("/a/7_3.html", "3"),
        ("/a/7_2.html", "2"),
        ("/a/7_4.html", "4"),
    )
    assert found(page, "/a/7.html", PageClass.ARTICLE) == [
        ("/a/7_2.html", 2),
        ("/a/7_3.html", 3),
        ("/a/7_4.html", 4),
    ]
    assert found(page, "/a/7_3.html", PageClass.ARTICLE_PAGING) == [("/a/7_4.html", 4)]
    assert paging(page, "/a/7.html", PageClass.ARTICLE).kind is PageClass.ARTICLE_PAGING


def test_the_only_word_of_an_article_may_be_next_page() -> None:
    page = pager(("/a/7_2.html", "下一页"), ("/a/8.html", "下一篇"))
    assert found(page, "/a/7.html", PageClass.ARTICLE) == [("/a/7_2.html", 2)]
    odd = pager(("/a/xsh_11.htm", "下一页"))
    assert found(odd, "/a/xsh_1.htm", PageClass.ARTICLE) == [("/a/xsh_11.htm", None)]
    elsewhere = pager(("/b/gallery.htm", "下一页"))
    assert found(elsewhere, "/a/xsh_1.htm", PageClass.ARTICLE) == []


def test_rel_next_of_a_blog_post_is_the_next_post() -> None:
    page = '<a rel="next" href="/2026/01/02/other/">另一篇文章</a><a rel="next" href="/2026/01/03/third/"></a>'
    assert found(page, "/2026/01/01/first/", PageClass.ARTICLE) == []


@pytest.mark.parametrize("page_class", [PageClass.BOARD, PageClass.ARTICLE])
def test_rel_next_of_the_same_series_leads_on(page_class: PageClass) -> None:
    page = '<a class="extend next" rel="next" href="/tags/a/page/2/"><i></i></a>'
    assert found(page, "/tags/a/", page_class) == [("/tags/a/page/2/", 2)]


def test_rel_next_in_the_head_of_a_list_is_enough() -> None:
    assert found('<head><link rel="next" href="/more?cursor=abc"></head>', "/all") == [
        ("/more?cursor=abc", None)
    ]


def test_a_tag_called_next_is_no_next_page() -> None:
    assert found(pager(("/tags/Next/", "Next"), ("/tags/Hexo/", "Hexo")), "/tags/") == []


def test_links_to_other_sites_and_to_the_page_itself_lead_nowhere() -> None:
    page = pager(
        ("http://other.example/list_2.html", "下一页"), ("/list.html", "下一页"), ("#", "下一页")
    )
    assert found(page, "/list.html") == []


def test_further_pages_are_the_same_by_http_and_by_https() -> None:
    other = SITE.replace("http:", "https:")
    page = pager((f"{other}/list.html", "下一页"), (f"{other}/list_2.html", "下一页"))
    assert found(page, "/list.html") == [(f"{other}/list_2.html", 2)]
    assert changed_number(f"{SITE}/list/7", f"{other}/list/8") == (7, 8)


@each_row(
    "words",
    ["单页阅读", "全文", "在本页阅读全文", "显示全文", "View as single page", "余下全文"[2:]],
)
def test_the_whole_article_on_one_page(words: str) -> None:
    page = pager(("/a/7_2.html", "下一页"), ("/a/7_all.html", words), ("/quanwen/", "全文"))
    whole = paging(page, "/a/7.html", PageClass.ARTICLE).whole
    assert whole is not None
    assert whole.url == f"{SITE}/a/7_all.html"


def test_read_more_of_another_article_is_not_its_whole_page() -> None:
    assert paging(pager(("/a/9.html", "阅读全文")), "/a/7.html", PageClass.ARTICLE).whole is None


@given(
    st.integers(1, 400),
    st.integers(2, 400),
    st.sampled_from(["/l_{}.html", "/l-{}.html", "/l/page/{}/", "/l?page={}"]),
)
def test_a_list_is_walked_page_by_page(current: int, last: int, form: str) -> None:
    numbers = sorted({1, *range(max(1, current - 2), min(last, current + 3) + 1), last})
    page = pager(*[(form.format(number), str(number)) for number in numbers if number != current])
    following = [number for number in numbers if number > current]
    expected = [(form.format(following[0]), following[0])] if following else []
    assert found(page, form.format(current)) == expected


ICON = "<i class='fa fa-arrow'></i>"


@each_row("page_class", [PageClass.BOARD, PageClass.ARTICLE])
@each_row(
    ("path", "asked"),
    [("/t/7/", "?page=2"), ("/t/7/?page=2", "?page=3"), ("/t.php?id=7", "?id=7&page=2")],
)
def test_an_icon_that_asks_for_the_page_after_this_one_leads_on(
    path: str, asked: str, page_class: PageClass
) -> None:
    page = pager(("?page=1", ICON), (asked, ICON), ("?page=9", "Last " + ICON), ("/help/", ICON))
    number = int(asked[-1])
    assert found(page, path, page_class) == [(path.partition("?")[0] + asked, number)]
    assert f"{SITE}/t/7/?page=1" in paging(page, "/t/7/?page=2", page_class).pager
    assert f"{SITE}/help/" not in paging(page, path, page_class).pager


@each_row("href", ["?page=4", "?page=2&sort=new", "/t/8/?page=2", "?p=2", "/t/7/2/", "?page_id=2"])
def test_other_icons_lead_nowhere(href: str) -> None:
    assert found(pager((href, ICON)), "/t/7/", PageClass.ARTICLE) == []
    assert found(pager((href, ICON)), "/t/7/") == []


@each_row("path", ["/", "/tag/water.html"])
def test_signs_that_lead_to_the_next_and_to_the_last_page_are_no_links_to_other_lists(
    path: str,
) -> None:
    """The pager of Pelican, whose numbers stand right behind the name of the first page."""
    stem = "/index" if path == "/" else "/tag/water"
    result = paging(pager((f"{stem}2.html", "\u27e9"), (f"{stem}7.html", "\u27eb")), path)
    assert [one.url for one in result.next] == [f"{SITE}{stem}2.html"]
    assert result.pager == {f"{SITE}{stem}{number}.html" for number in (2, 7)}


def test_the_last_page_has_no_links_to_other_lists_in_its_pager() -> None:
    back = pager(("?page=1", ICON), ("?page=4", "Zurück"))
    assert paging(back, "/t/7/?page=5").pager == {f"{SITE}/t/7/?page={n}" for n in (1, 4)}


@each_row("page_class", [PageClass.BOARD, PageClass.ARTICLE])
@each_row("path", ["/index.php", "/index.php?page=77"])
@each_row("text", ["食品抽检不合格二十批次", "Council votes on the budget", ICON, ""])
def test_articles_that_sites_name_as_pages_of_one_address_stay_links(
    path: str, text: str, page_class: PageClass
) -> None:
    page = pager(*[(f"?page={number}", text) for number in (101, 205, 333, 408)])
    result = paging(page, path, page_class)
    assert (result.next, result.pager) == ((), frozenset())


def test_words_that_no_pager_has_stay_links_beside_a_pager() -> None:
    links = [("?page=2", "2"), ("?page=3", "3"), ("?page=101", "A headline"), ("?page=9", ICON)]
    result = paging(pager(*links), "/index.php")
    assert result.pager == {f"{SITE}/index.php?page={number}" for number in (2, 3, 9)}


def test_words_that_lead_on_in_an_article_stay_a_link() -> None:
    page = pager(("?page=2", "Continue reading this story"))
    result = paging(page, "/story/7", PageClass.ARTICLE)
    assert (result.next, result.pager) == ((), frozenset())


@pytest.mark.parametrize("text", ["1", "首页", "First", ICON])
def test_what_asks_for_page_one_is_the_first_page(text: str) -> None:
    markup = pager(("/t/7/?page=1", text), ("/t/7/?page=2", "2"))
    document = Document.read(markup.encode(), url=f"{SITE}/t/7/?page=3")
    first = find_first_page(document, find_links(document))
    assert first is not None
    assert (first.url, first.page_number) == (f"{SITE}/t/7/", 3)
    assert find_first_page(document, find_links(document), f"{SITE}/t/7/") is None


@given(st.integers(1, 500), st.integers(1, 500))
def test_a_page_asked_for_is_one_of_the_same_address_only(here: int, there: int) -> None:
    ours, theirs = f"{SITE}/t?id=7&page={here}", f"{SITE}/t?page={there}&id=7"
    assert asked_page(ours, theirs) == (there, here)
    assert asked_page(ours, theirs.replace("id=7", "id=8")) is None
    assert without_page(theirs) == f"{SITE}/t?id=7"


def first_of(path: str, markup: str) -> tuple[str, int | None] | None:
    document = Document.read(markup.encode(), url=SITE + path)
    first = find_first_page(document, find_links(document))
    return None if first is None else (first.url.removeprefix(SITE), first.page_number)


@each_row(
    ("path", "front"),
    [
        ("/archives/12/", "/"),
        ("/p/12", "/"),
        ("/?p=12", "/"),
        ("/blog/p/12", "/blog/"),
        ("/blog/archives/12.html", "/blog/index.html"),
        ("/news/12", "/news"),
        ("/post-12.html", "/post.html"),
    ],
)
@each_row("word", ["首页", "First", "返回首页", "第一页", "1"])
@each_row(
    "beside",
    [
        [],
        [("/archives/13/", "下一篇"), ("/archives/11/", "上一篇")],
        [("/archives/13/", "Next"), ("/archives/11/", "Previous"), ("/p/13", "Next »")],
        [("/page/2/", "2"), ("/page/3/", "3")],
    ],
)
def test_a_menu_that_leads_to_the_front_page_makes_no_later_page_of_an_article(
    path: str, front: str, word: str, beside: list[tuple[str, str]]
) -> None:
    menu = pager((front, word), ("/about.html", "关于"))
    assert first_of(path, menu + pager(*beside)) is None


@each_row(
    ("path", "markup", "first"),
    [
        ("/a/7_3.html", pager(("/a/7.html", "首页"), ("/a/7_2.html", "2")), ("/a/7.html", 3)),
        ("/a/7_3.html", pager(("/a/7.html", "首页"), ("/a/7_2.html", "上一页")), ("/a/7.html", 3)),
        ("/a/7_2.html", "<p><a href='/a/7.html'>1</a> <b>2</b></p>", ("/a/7.html", 2)),
        ("/a/7_1.html", "<ul><li><a href='/a/7.html'>1</a><li>2</ul>", ("/a/7.html", 2)),
        ("/a/7/2/", "<p><a href='/a/7/'>[1]</a> [2]</p>", ("/a/7/", 2)),
    ],
)
def test_a_pager_tells_a_later_page_and_the_first(
    path: str, markup: str, first: tuple[str, int]
) -> None:
    assert first_of(path, markup) == first


@each_row("path", ["/archives/{}/", "/p/{}", "/?p={}", "/blog/post-{}.html"])
@each_row(
    "word",
    [
        "Next",
        "Next »",
        "»",
        "Older posts",
        "\u27e9",
        "\u276f",
        "\u25b6\ufe0f",
        "Older posts \u27e9",
    ],
)
def test_the_next_article_by_number_continues_none(path: str, word: str) -> None:
    page = pager((path.format(13), word), (path.format(11), "Previous"))
    assert found(page, path.format(12), PageClass.ARTICLE) == []
