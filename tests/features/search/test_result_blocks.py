"""Results that are read by what they look like."""

from __future__ import annotations

import pytest
from lxml import html

from focuscrawl.features.search.result_blocks import ResultBlock, result_blocks
from focuscrawl.features.search.result_page import SearchAnswer, SearchStatus, read_results
from focuscrawl.features.search.table import EngineTable, SearchTable
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.template.load import load
from tests.steps import steps_of
from tests.tables import each_row

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
    "title and words in links of their own": '<div><div><a class="l" href="{url}">{title}</a><a class="l" href="{url}">{words}</a></div></div>',
    "a picture first": '<div><a class="l" href="{url}"><img></a><a class="l" href="{url}">{title}</a><p>{words}</p></div>',
    "an article with a header": '<article><header><h2><a href="{url}">{title}</a></h2></header><p>{words}</p><footer>A</footer></article>',
    "links without a heading": '<div class="r"><a class="t" href="{url}">{title}</a><br><span>{words}</span></div>',
}


@each_row("form", FORMS)
def test_results_are_links_out_with_words_of_their_own(form: str) -> None:
    rows = "".join(
        FORMS[form].format(url=url, title=title, words=f"{title}：{WORDS}")
        for url, title in zip(targets(), NAMES, strict=True)
    )
    rows = f"<table>{rows}</table>" if rows.startswith("<tr>") else rows
    menu = '<nav><h3><a href="http://help.example/">帮助</a></h3></nav><a href="/images">图片</a>'
    site = f"<header><h3><a href='http://about.example/'>关于</a></h3><p>{WORDS}</p></header>"
    found = blocks(
        f"<body>{menu}{site}<div>{rows}</div><footer><a href='http://gov.cn/'>备案</a></footer>"
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

    def cost(count: int) -> int:
        page = links_of(count)
        return steps_of(lambda: blocks(page))

    # Ten times as many, and a hundred times as much where each looks at all others.
    assert cost(6_000) < 12 * cost(600)


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


@each_row(
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


def test_advertisements_do_not_outnumber_the_results() -> None:
    row = '<li><div class="{kind}"><a class="{kind}" href="{url}">{title}</a><br><span>{words}</span>{more}</div></li>'
    sold = "".join(
        row.format(
            kind="a", url=f"http://shop{n}.cn/", title="现货供应", words=WORDS, more="<i>광고</i>"
        )
        for n in range(9)
    )
    found = "".join(
        row.format(kind="b", url=url, title=title, words=WORDS, more="")
        for url, title in zip(targets(), NAMES, strict=True)
    )
    root = html.document_fromstring(f"<body><ul>{sold}</ul><ul>{found}</ul></body>")
    kept = result_blocks(root, lambda _: True, 200, lambda one: "광고" in [*one.itertext()])
    assert [one.href for one in kept] == targets()


@pytest.mark.parametrize("count", [1, 2])
def test_of_few_links_without_headings_those_that_name_what_was_asked_for_are_results(
    count: int,
) -> None:
    row = '<div><a class="t" href="{url}">{title}</a><br><span>{words}</span></div>'
    rows = "".join(
        row.format(url=url, title=title, words=WORDS)
        for url, title in zip(targets(count), NAMES[1:], strict=False)
    )
    root = html.document_fromstring(
        f'<body><a href="http://help.cn/">使用帮助</a><div>{rows}</div></body>'
    )

    def found(word: str) -> list[str]:
        kept = result_blocks(root, lambda _: True, 200, says=lambda text: word in text)
        return [one.href for one in kept]

    assert found("旧城改造") == targets(count)
    assert found("帮助") == [], "which says nothing more"
    assert found("音乐") == []


def test_the_only_result_is_none_of_the_advertisements_around_it() -> None:
    sold = "<div><span>Ads</span><iframe></iframe></div>"
    row = f'<section><div><h2><a href="http://a.cn/">{NAMES[0]}</a></h2><p>{WORDS}</p></div></section>'
    assert answer(f"<body><main>{sold}{row}</main></body>").status is SearchStatus.OK
    row = row.replace("<p>", "<span>Ads</span><p>")
    assert answer(f"<body><main>{row}</main></body>").status is SearchStatus.UNREADABLE


def test_a_title_above_the_page_is_no_reason_to_overlook_rows_without_one() -> None:
    row = '<div><a class="t" href="{url}">{title}</a><br><span>{words}</span></div>'
    rows = "".join(
        row.format(url=url, title=title, words=WORDS)
        for url, title in zip(targets(), NAMES, strict=True)
    )
    logo = '<h1><a href="http://logo.example/">L</a></h1>'
    assert links(f"<body><div>{logo}</div><div>{rows}</div></body>") == targets()


# An engine without selectors ----------------------------------------------------------------------


def engine(url: str = "https://find.example.com/?q={query}", more: str = "") -> EngineTable:
    text = (
        '[topic]\nname = "x"\n[search]\nqueries = ["x"]\nengines = ["mine"]\n'
        f'[search.engine.mine]\nurl = "{url}"\n{more}'
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


# A site that searches itself -------------------------------------------------------------------------

ASKED = "桥梁 施工"
EXCERPT = "市交通局表示，桥梁的施工将在年底前完成，期间绕行。"
OTHERS = "与所查询的内容没有关系的其他摘要文字，请勿当真。"
STORY = '<li><h3><a href="{url}">{title}</a></h3><p>{words}</p></li>'


def own_answer(
    body: str, asked: str = ASKED, url: str = "https://paper.example.cn/s?q={query}", more: str = ""
) -> SearchAnswer:
    mine = engine(url, more)
    assert mine.url is not None
    page = Fetched(mine.url.of(asked, 1), 200, body.encode(), "text/html; charset=utf-8", 1.79e9)
    return read_results(page, mine, query=asked)


def stories(folder: str, words: str, count: int = 6, form: str = STORY) -> str:
    rows = (
        form.format(url=f"/{folder}/{n}.html", title=f"第{n}条标题", words=words)
        for n in range(count)
    )
    return f"<ul>{''.join(rows)}</ul>"


def paths(found: SearchAnswer) -> list[str]:
    return [one.url.removeprefix("https://paper.example.cn") for one in found.results]


NEWS = [f"/news/{n}.html" for n in range(6)]


def test_a_site_that_searches_itself_gives_its_own_pages() -> None:
    found = own_answer(f"<body>{stories('news', EXCERPT)}</body>")
    assert found.status is SearchStatus.OK
    assert paths(found) == NEWS
    assert all(one.title and EXCERPT in one.snippet for one in found.results)


def test_headlines_of_a_site_that_do_not_name_what_was_asked_for_are_no_results() -> None:
    assert (
        paths(own_answer(f"<body>{stories('hot', OTHERS)}{stories('news', EXCERPT)}</body>"))
        == NEWS
    )
    assert own_answer(f"<body>{stories('hot', OTHERS)}</body>").status is SearchStatus.UNREADABLE
    said = own_answer(f"<body><p>没有找到</p>{stories('hot', OTHERS)}</body>")
    assert said.status is SearchStatus.EMPTY


def test_half_of_the_results_need_name_what_was_asked_for() -> None:
    few = stories("news", EXCERPT, 3).replace("</ul>", "") + stories("old", OTHERS, 3)[4:]
    assert len(own_answer(f"<body>{few}</body>").results) == 6
    fewer = stories("news", EXCERPT, 2).replace("</ul>", "") + stories("old", OTHERS, 3)[4:]
    assert own_answer(f"<body>{fewer}</body>").results == ()


def test_two_characters_of_a_chinese_word_name_it_and_a_latin_one_stands_whole() -> None:
    assert paths(own_answer(f"<body>{stories('news', EXCERPT)}</body>", "跨江桥梁加固")) == NEWS
    latin = stories("news", "Works on the Bridge go on until the summer.")
    assert paths(own_answer(f"<body>{latin}</body>", "BRIDGE")) == NEWS
    assert own_answer(f"<body>{latin}</body>", "bridges").results == ()
    assert own_answer(f"<body>{latin}</body>", " ").results == ()


def test_little_words_and_the_way_home_say_nothing() -> None:
    latin = stories("news", "Back to the works of the river bank until summer.")
    assert own_answer(f"<body>{latin}</body>", "way to bridges").results == ()
    assert paths(own_answer(f"<body>{latin}</body>", "to")) == NEWS, (
        "where nothing else is asked for"
    )
    home = f'<h3><a href="/">首页</a></h3><p>{EXCERPT}</p>'
    assert own_answer(f"<body>{home}</body>").status is SearchStatus.UNREADABLE


def test_searches_of_the_same_site_are_no_results() -> None:
    again = "".join(
        f'<li><h3><a href="/s?q={ASKED}&amp;p={n}">{ASKED} {n}</a></h3><p>{EXCERPT}</p></li>'
        for n in range(6)
    )
    assert own_answer(f"<body><ul>{again}</ul></body>").results == ()
    path = "https://paper.example.cn/find/{query}/"
    steps = "".join(
        f'<li><h3><a href="/find/{ASKED}/{n}">{ASKED} {n}</a></h3><p>{EXCERPT}</p></li>'
        for n in range(6)
    )
    assert own_answer(f"<body><ul>{steps}</ul></body>", url=path).results == ()
    assert paths(own_answer(f"<body>{stories('news', EXCERPT)}</body>", url=path)) == NEWS


def test_pages_of_the_engine_are_no_results_beside_those_that_lead_out() -> None:
    out = "".join(STORY.format(url=url, title="T", words=WORDS) for url in targets(3))
    found = own_answer(f"<body><ul>{out}</ul>{stories('news', EXCERPT, 9)}</body>")
    assert [one.url for one in found.results] == targets(3)


def test_selectors_find_the_results_of_a_site_that_searches_itself() -> None:
    more = 'results = "css:p.hit"\nlink = "css:a::attr(href)"\ntitle = "css:a"\n'
    rows = '<p class="hit"><a href="/a/1">桥梁</a></p><p class="hit"><a href="/s?q=施工">更多施工</a></p>'
    assert paths(own_answer(f"<body>{rows}</body>", more=more)) == ["/a/1"]
    boxes = '<p class="hit"><a href="/a/1">登录</a></p>'
    assert own_answer(f"<body>{boxes}</body>", more=more).status is SearchStatus.UNREADABLE
    form = 'format = "json"\nresults = "json:items"\n'
    read = own_answer('{"items": [{"url": "/a/1", "title": "桥梁"}]}', more=form)
    assert paths(read) == ["/a/1"]


# What a page without results says, in the words of other languages ---------------------------------

SAID = {
    SearchStatus.EMPTY: (
        "We couldn’t find any results", "Nothing matched your search", "No matches found.",
        "Votre recherche ne correspond à aucun document", "Es wurden keine Dokumente gefunden",
        "No se han encontrado resultados", "La ricerca non ha prodotto risultati",
        "По вашему запросу ничего не нашлось", "Соответствий запросу не найдено",
        "За запитом нічого не знайдено", "該当する文書はありませんでした", "Brak wyników",
        "Er zijn geen zoekresultaten", "Hiçbir sonuç bulunamadı", "Inga resultat hittades",
        "Nebyly nalezeny žádné výsledky", "Không tìm thấy kết quả nào", "لا توجد نتائج",
        "לא נמצאו תוצאות", "ไม่พบผลลัพธ์", "無符合查詢條件的結果", "查無資料", "共搜索到 0 篇文章",
    ),
    SearchStatus.BLOCKED: (
        "Подтвердите, что вы не робот", "Bestätigen Sie, dass Sie kein Roboter sind",
        "Confirmez que vous n'êtes pas un robot", "Demuestra que no eres un robot",
        "ロボットではないことを確認", "자동입력 방지 문자를 입력", "請證明您不是機器人", "请按住滑块，拖动到最右边",
        "Sorry, you have been blocked", "Confirm you're a human being",
        "Alle ablehnen", "Tout accepter", "We use cookies. Accept all", "全部接受", "すべて同意する",
    ),
    SearchStatus.UNREADABLE: (
        "Страница не найдена", "10 篇文章", "Results 1 to 10 of 40", "페이지를 찾을 수 없습니다",
        "Willkommen", "Page introuvable",
    ),
}  # fmt: skip


@each_row(("text", "status"), [(text, to) for to in SAID for text in SAID[to]])
def test_emptiness_refusals_and_consent_are_told_apart_in_many_languages(
    text: str, status: SearchStatus
) -> None:
    assert answer(f"<title>x</title><body><p>{text}</p></body>").status is status


def test_an_empty_page_that_asks_for_consent_at_its_edge_is_empty() -> None:
    edge = "<div><button>Accept all</button></div>"
    assert answer(f"<body><p>No results</p>{edge}</body>").status is SearchStatus.EMPTY
