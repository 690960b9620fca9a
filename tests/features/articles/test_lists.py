"""A list that stands among the paragraphs of an article is in its text, wherever that stands."""

import pytest

from focuscrawl.features.articles.article import read_article
from focuscrawl.readers.pages.document import Document
from tests.tables import each_row

pytestmark = pytest.mark.A2

PROSE = [
    "新的门诊楼本周开始试运行，挂号、缴费和取药都搬到了同一层，老人可以在窗口凭身份证办完全部手续。",
    "院方把原来的老楼改成了康复中心，配了水疗池和步态训练室，周末也接诊，预计每天能够接待八十位病人。",
    "医院提醒，来院之前最好先用电话预约，早上八点到十点人最多，下午三点以后一般不用排队等候。",
]
WRAPPERS = [
    ("", ""),
    ("<article>", "</article>"),
    ("<main><article>", "</article></main>"),
    ("<main>", "</main>"),
    ("<div>", "</div>"),
    ("<div class='content'>", "</div>"),
    ("<div class='main'><div class='content'>", "</div></div>"),
    ("<section>", "</section>"),
    ("<article><div>", "</div></article>"),
    ("<table><tr><td>", "</td></tr></table>"),
    ("<div id='page'><main><article><div class='entry'>", "</div></article></main></div>"),
]
SHORT = ["挂号在一层", "缴费在二层", "取药在三层"]
LONG = [
    "挂号处在一层大厅的东侧，从早上七点半开到下午五点。",
    "康复中心一直开到晚上八点，周末也照常接诊。",
]


def text_of(content: str, wrapper: tuple[str, str]) -> list[str]:
    title = "新门诊楼试运行"
    markup = (
        f"<title>{title}</title><body><header><a href='/news'>新闻</a></header>{wrapper[0]}<h1>{title}</h1>"
        f"<p>2026-11-18 09:30</p>{content}{wrapper[1]}<footer>东湖日报社</footer>"
    )
    document = Document.read(markup.encode(), url="http://a.test/1.html")
    article = read_article(document, fetched=None, timezone="UTC", language="zh")
    assert article is not None
    return article.text.split("\n")


def listed(items: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"


@each_row("wrapper", WRAPPERS)
@each_row("items", [SHORT, LONG])
@each_row("around", ["{}", "<div class='list'>{}</div>", "<h2>在哪里办</h2>{}"])
def test_a_list_between_paragraphs_is_in_the_text_in_its_place(
    wrapper: tuple[str, str], items: list[str], around: str
) -> None:
    one, *others = [f"<p>{line}</p>" for line in PROSE]
    lines = text_of("".join([one, around.format(listed(items)), *others]), wrapper)
    heading = ["在哪里办"] if "<h2>" in around else []
    assert lines == [PROSE[0], *heading, *items, *PROSE[1:]]


@each_row("wrapper", WRAPPERS)
def test_a_list_that_a_paragraph_announces_ends_a_text(wrapper: tuple[str, str]) -> None:
    announced = f"{PROSE[2]}具体的位置如下："
    content = "".join(f"<p>{line}</p>" for line in (*PROSE[:2], announced)) + listed(SHORT)
    assert text_of(content, wrapper) == [*PROSE[:2], announced, *SHORT]


@each_row("wrapper", WRAPPERS)
def test_a_list_of_links_between_paragraphs_stays_out(wrapper: tuple[str, str]) -> None:
    links = listed([f'<a href="/{number}">另一条消息的标题{number}</a>' for number in range(3)])
    content = "".join(f"<p>{line}</p>{links if place == 0 else ''}" for place, line in enumerate(PROSE))  # fmt: skip
    assert text_of(content, wrapper) == PROSE


@each_row("wrapper", WRAPPERS)
def test_what_offers_to_share_a_text_behind_it_stays_out(wrapper: tuple[str, str]) -> None:
    content = "".join(f"<p>{line}</p>" for line in PROSE) + listed(["<span>微信</span>", "微博"])
    assert text_of(content, wrapper) == PROSE


TABLES = [
    [["时间", "周三"]],
    [["时间", "周三"], ["地点", "南门"]],
    [["科室", "诊室", "分机"], ["内科", "12", "62"]],
    [["复诊费八元"]],
    [["项目", "费用"], ["初诊", "18元"], ["复诊", "8元"], ["检查", "另计"]],
]


FIGURES = [
    "<figure class='wp-block-table'>{}</figure>",
    "<figure class='wp-block-table'>{}<figcaption>各项一览</figcaption></figure>",
]


def tabled(rows: list[list[str]]) -> str:
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


@each_row("wrapper", WRAPPERS)
@each_row("rows", TABLES)
@each_row("around", ["{}", "<div class='tb'>{}</div>", *FIGURES])
def test_a_table_of_a_few_words_is_in_the_text_in_its_place(
    wrapper: tuple[str, str], rows: list[list[str]], around: str
) -> None:
    one, *others = [f"<p>{line}</p>" for line in PROSE]
    lines = text_of("".join([one, around.format(tabled(rows)), *others]), wrapper)
    assert lines == [PROSE[0], *(cell for row in rows for cell in row), *PROSE[1:]]


@each_row("around", FIGURES)
@each_row("rows", [3, 12, 40])
def test_a_table_in_a_figure_is_in_the_text_without_its_caption(around: str, rows: int) -> None:
    cells = [[f"第{number}批次的样品名称", str(7 * number)] for number in range(rows)]
    one, *others = [f"<p>{line}</p>" for line in PROSE]
    lines = text_of("".join([one, around.format(tabled(cells)), *others]), WRAPPERS[4])
    assert lines == [PROSE[0], *(cell for row in cells for cell in row), *PROSE[1:]]


@each_row("wrapper", WRAPPERS)
def test_a_table_of_a_few_words_that_ends_a_text_is_in_it(wrapper: tuple[str, str]) -> None:
    lines = text_of("".join(f"<p>{line}</p>" for line in PROSE) + tabled(TABLES[1]), wrapper)
    assert lines == [*PROSE, "时间", "周三", "地点", "南门"]


@each_row(
    "content",
    [
        "<table><tr><td>编辑:林月</td><td>2026-11-18</td></tr></table>{}",
        "{}<table><tr><td><a href='/2'>上一篇</a></td><td><a href='/3'>下一篇</a></td></tr></table>",
        "{}<footer><table><tr><td>东湖</td><td>日报</td></tr></table></footer>",
    ],
)
def test_a_table_around_a_text_is_not_in_it(content: str) -> None:
    lines = text_of(content.format("".join(f"<p>{line}</p>" for line in PROSE)), WRAPPERS[4])
    assert lines == PROSE


@each_row("listing", ["", listed(LONG), tabled(TABLES[1])])
def test_what_a_script_shows_once_it_is_loaded_is_read_beside_a_list(listing: str) -> None:
    shown = "".join(f"<p>{line}</p>" for line in PROSE)
    later = "".join(f"<p>{line.replace('新', '旧').replace('老', '小')}</p>" for line in PROSE)
    content = f"{shown}{listing}<p>{PROSE[0]}</p><div style='visibility: hidden'>{later * 2}</div>"
    assert "旧的门诊楼" in "".join(text_of(content, WRAPPERS[4]))


def pairs(tag: str, facts: dict[str, str]) -> str:
    if tag == "dl":
        return (
            "<dl>"
            + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
            + "</dl>"
        )
    rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items())
    return f"<table>{rows}</table>"


HOSPITAL = {
    "名称": "东湖市第一人民医院",
    "地址": "东湖市南门大街十二号",
    "床位": "八百张",
    "成立": "一九五二年三月",
    "电话": "62-8810",
}
ABOVE = [
    "{0}{1}",
    "<div>{0}</div>{1}",
    "{0}<div>{1}</div>",
    "<table><tr><td>{0}</td><td>{1}</td></tr></table>",
]


@each_row("wrapper", WRAPPERS)
@each_row("facts", [HOSPITAL, {"作者": "林月"}, {"作者": "林月", "栏目": "健康"}])
@each_row("tag", ["table", "dl"])
@each_row("place", ABOVE)
def test_facts_above_or_beside_a_text_are_not_in_it_and_take_nothing_with_them(
    wrapper: tuple[str, str], facts: dict[str, str], tag: str, place: str
) -> None:
    prose = "".join(f"<p>{line}</p>" for line in PROSE)
    assert text_of(place.format(pairs(tag, facts), prose), wrapper) == PROSE


@each_row("tag", ["table", "dl"])
def test_facts_that_a_paragraph_announces_or_that_are_the_text_stay_in_it(tag: str) -> None:
    lines = [piece for fact in HOSPITAL.items() for piece in fact]
    facts, prose = pairs(tag, HOSPITAL), "".join(f"<p>{line}</p>" for line in PROSE)
    assert text_of(f"<p>{PROSE[0]}</p>{facts}<p>{PROSE[1]}</p><p>{PROSE[2]}</p>", WRAPPERS[1]) == [PROSE[0], *lines, *PROSE[1:]]  # fmt: skip
    assert text_of(prose + facts, WRAPPERS[1]) == [*PROSE, *lines]
    notice = pairs(
        tag, HOSPITAL | {f"分院{number}": f"南门大街{number}号院内" for number in range(9)}
    )
    assert "东湖市南门大街十二号" in text_of(f"{notice}<p>{PROSE[0]}</p>", WRAPPERS[1])


@each_row("wrapper", WRAPPERS)
@each_row("items", [SHORT, LONG])
@each_row("place", ["between", "end"])
def test_lists_in_the_cells_of_a_table_are_in_the_text(
    wrapper: tuple[str, str], items: list[str], place: str
) -> None:
    times = ["周一到周五", "周六上午"]
    table = f"<table><tr><td>{listed(items)}</td><td>{listed(times)}</td></tr></table>"
    one, *others = [f"<p>{line}</p>" for line in PROSE]
    if place == "between":
        assert text_of("".join([one, table, *others]), wrapper) == [
            PROSE[0],
            *items,
            *times,
            *PROSE[1:],
        ]
    else:
        assert text_of("".join([one, *others, table]), wrapper) == [*PROSE, *items, *times]
