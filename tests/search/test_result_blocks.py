"""Results that are read by what they look like."""

from __future__ import annotations

import time

import pytest
from lxml import html

from focuscrawl.pages.content import Fetched
from focuscrawl.search.result_blocks import ResultBlock, result_blocks
from focuscrawl.search.result_page import SearchAnswer, SearchStatus, read_results
from focuscrawl.search.table import EngineTable, SearchTable
from focuscrawl.template.load import load

pytestmark = pytest.mark.C2

WORDS = "施工单位昨天公布了项目的进展，市民可以在现场查看。"
NAMES = ("地铁七号线开工", "旧城改造方案公示", "公园下月开放", "老桥加固完成")


def blocks(body: str) -> list[ResultBlock]:
    root = html.document_fromstring(body)
    return result_blocks(root, lambda href: href.startswith("http"), 200)


def links(body: str) -> list[str]:
    return [one.href for one in blocks(body)]


def targets(count: int = len(NAMES)) -> list[str]:
    return [f"http://site{number}.cn/news" for number in range(count)]


FORMS = {
    "a link in a heading": '<li><h3><a href="{url}">{title}</a></h3><p>{words}</p></li>',
    "a heading in a link": '<div><a href="{url}"><h2>{title}</h2><cite>site › news</cite></a><p>{words}</p></div>',
    "a link beside marks in a heading": '<section><h4><i></i><span><a href="{url}">{title}</a></span></h4>{words}</section>',
    "rows of a table": '<tr><td>1.</td><td><a class="hit" href="{url}">{title}</a></td></tr><tr><td></td><td>{words}</td></tr>',
    "links without a heading": '<div class="r"><a class="t" href="{url}">{title}</a><br><span>{words}</span></div>',
}


@pytest.mark.parametrize("form", FORMS)
def test_results_are_links_out_with_words_of_their_own(form: str) -> None:
    rows = "".join(
        FORMS[form].format(url=url, title=title, words=f"{title}：{WORDS}")
        for url, title in zip(targets(), NAMES, strict=True)
    )
    rows = f"<table>{rows}</table>" if rows.startswith("<tr>") else rows
    menu = '<nav><h3><a href="http://help.example/">帮助</a></h3></nav><a href="/images">图片</a>'
    found = blocks(
        f"<body>{menu}<div>{rows}</div><footer><a href='http://gov.cn/'>备案</a></footer>"
    )
    assert [one.href for one in found] == targets()
    assert [one.title for one in found] == [*NAMES]
    assert all(WORDS in one.snippet and one.title in one.snippet for one in found)


def test_links_of_many_places_one_after_another_cost_no_more_than_the_page_is_long() -> None:
    def links_of(count: int) -> str:
        again = (
            f'<a class="c{number % (count // 3)}" href="{url}">word</a>'
            for number, url in enumerate(targets(count))
        )
        return f"<body>{''.join(again)}</body>"

    def cost(count: int) -> float:
        page, spent = links_of(count), []
        for _ in range(3):  # the least of three: what else runs here is in the others
            begun = time.process_time()
            blocks(page)
            spent.append(time.process_time() - begun)
        return min(spent)

    # Ten times as many, and a hundred times as much where each looks at all others.
    assert cost(6_000) < 40 * cost(600) + 0.2


def test_links_below_a_result_are_no_results() -> None:
    rows = "".join(
        f'<li><h2><a href="{url}">{title}</a></h2><p>{WORDS}</p>'
        + "".join(f'<h3><a href="{url}/{part}">栏目{part}</a></h3>' for part in range(4))
        + "</li>"
        for url, title in zip(targets(), NAMES, strict=True)
    )
    assert links(f"<ul>{rows}</ul>") == targets()


def test_one_result_is_enough_when_it_says_something() -> None:
    (url,) = targets(1)
    assert links(f'<h3><a href="{url}">{NAMES[1]}</a></h3><p>{WORDS}</p>') == [url]
    assert links(f'<h3><a href="{url}">{NAMES[1]}</a></h3>') == []


@pytest.mark.parametrize(
    "body",
    [
        "".join(
            f'<a href="{url}">{name[:4]}</a> ' for url, name in zip(targets(), NAMES, strict=True)
        ),
        "".join(f'<h3><a href="/more/{name}">{name}</a></h3><p>{WORDS}</p>' for name in NAMES),
        '<h3><a href="http://a.cn/">同一个地址</a></h3>' * 9,
        "<p>没有找到</p>",
        "",
    ],
    ids=["a row of partners", "pages of the engine", "one address", "words", "nothing"],
)
def test_other_links_are_no_results(body: str) -> None:
    assert links(f"<body>{body}</body>") == []


# An engine without selectors ----------------------------------------------------------------------


def engine() -> EngineTable:
    text = (
        '[topic]\nname = "x"\n[search]\nqueries = ["x"]\nengines = ["mine"]\n'
        '[search.engine.mine]\nurl = "https://find.example.com/?q={query}"\n'
    )
    return load(text).template.of(SearchTable).engine["mine"]


def answer(body: str) -> SearchAnswer:
    page = Fetched("https://find.example.com/?q=x", 200, body.encode(), "text/html", 1.79e9)
    return read_results(page, engine())


def test_an_engine_needs_no_selectors() -> None:
    rows = "".join(f'<h3><a href="{url}">标题</a></h3><p>{WORDS}</p>' for url in targets())
    sold = f'<div class="sponsored"><h3><a href="http://shop.cn/">买</a></h3><p>{WORDS}</p></div>'
    counted = '<h3><a href="/url?q=https%3A%2F%2Ffind.example.com%2Faclk%3Fx">买</a></h3>'
    own = '<h3><a href="https://www.example.com/help">帮助</a></h3>'
    hidden = '<h3><a href="/url?q=http%3A%2F%2Flast.cn%2F">最后</a></h3><p>说明</p>'
    found = answer(f"<body>{sold}{counted}{own}<div>{rows}{hidden}</div></body>")
    assert found.status is SearchStatus.OK
    assert [one.url for one in found.results] == [*targets(), "http://last.cn/"]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("Nenhum resultado", SearchStatus.EMPTY),
        ("검색결과가 없습니다", SearchStatus.EMPTY),
        (
            "Please complete the following challenge to show that you are human",
            SearchStatus.BLOCKED,
        ),
        ("Welcome", SearchStatus.UNREADABLE),
    ],
)
def test_a_page_without_results_says_why(words: str, status: SearchStatus) -> None:
    found = answer(f"<title>x</title><body><p>{words}</p></body>")
    assert found.status is status
    assert found.reason


def test_an_address_in_the_path_of_a_redirect_is_the_target() -> None:
    inside = "https://r.example.com/_x=Aw/RV=2/RU=https%3a%2f%2fa.cn%2fnews%3fid%3d1/RK=2/RS=z"
    found = answer(f'<body><h3><a href="{inside}">{NAMES[0]}</a></h3><p>{WORDS}</p></body>')
    assert [one.url for one in found.results] == ["https://a.cn/news?id=1"]
