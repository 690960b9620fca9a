"""Which lines beside the texts of a layout are the site's, as its pages teach it."""

from __future__ import annotations

import os
import sys
from subprocess import run

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from focuscrawl.features.site_layouts.layouts import (
    MOST_LAYOUTS,
    MOST_LISTS,
    MOST_PAGES,
    MOST_PLACES,
    MOST_WORDS,
    PAGES_OF_PLACE,
    Layout,
    SiteLayouts,
    cut_text,
)
from focuscrawl.features.site_layouts.text_edges import (
    NO_EDGES,
    PlacedLine,
    TextEdges,
    edges_of,
    structure_of,
)
from tests.cost import holds

PROSE = "盾构机从{0}号井下出发，沿着河边向北掘进，计划在年底以前到达{0}号车站。"


def page(before: str = "", behind: str = "", number: int = 1) -> html.HtmlElement:
    text = "".join(f"<p>{PROSE.format(number * 10 + part)}</p>" for part in range(3))
    return html.document_fromstring(
        f"<body><div class='page'><article class='post post-{number}'>{before}{text}{behind}</article></div></body>"
    )


def text_of(root: html.HtmlElement) -> str:
    blocks = root.xpath("//p|//li|//h2|//div[@class='kind']")
    return "\n".join(" ".join(one.text_content().split()) for one in blocks)


def taught(*pages: html.HtmlElement) -> Layout:
    layout = Layout(0)
    for number, root in enumerate(pages):
        layout.note(number, edges_of(text_of(root), root))
    return layout


def cut(layout: Layout, root: html.HtmlElement) -> str:
    text = text_of(root)
    return cut_text(text, edges_of(text, root), layout).text


def test_what_stands_in_a_part_with_a_name_beside_all_texts_is_cut() -> None:
    pages = [
        page("<div class='kind'>归在地铁</div>", "<footer><p>转载请注明出处</p></footer>", number)
        for number in range(PAGES_OF_PLACE)
    ]
    assert cut(taught(*pages), pages[0]) == "\n".join(PROSE.format(part) for part in range(3))
    assert cut(taught(*pages[1:]), pages[0]) == text_of(pages[0]), "two pages show nothing"


@pytest.mark.parametrize(
    "line", ["<p>特此公告</p>", "<h2>摘要</h2>", "<ul><li>联系人：办公室</li></ul>"]
)
def test_a_line_of_the_texts_own_elements_is_never_cut(line: str) -> None:
    pages = [page(line, line, number) for number in range(9)]
    assert cut(taught(*pages), pages[0]) == text_of(pages[0])


def test_a_part_that_stands_between_the_sentences_of_one_page_is_of_the_text() -> None:
    part = "<div class='kind'>注意安全</div>"
    pages = [page(part, number=number) for number in range(9)]
    inside = page(f"<p>{PROSE.format(777)}</p>{part}", number=9)
    assert cut(taught(*pages, inside), pages[0]) == text_of(pages[0])


def test_what_each_page_says_anew_is_its_own() -> None:
    leads = [
        page(f"<div class='kind'>第{number}期的导语</div>", number=number) for number in range(9)
    ]
    assert cut(taught(*leads), leads[0]) == text_of(leads[0])


def test_a_list_of_what_a_recipe_takes_is_its_own_though_salt_is_in_all() -> None:
    def recipe(number: int) -> html.HtmlElement:
        takes = ["盐适量", *(f"{name}若干" for name in "面油糖醋姜蒜葱酒茶米"[number % 5 :][:6])]
        items = "".join(f"<li>{one}</li>" for one in takes)
        return page(f"<ul class='takes'>{items}</ul>", number=number)

    pages = [recipe(number) for number in range(12)]
    assert cut(taught(*pages), pages[0]) == text_of(pages[0])


def test_sections_and_tags_that_come_again_are_cut_on_pages_with_a_new_one_too() -> None:
    def tagged(number: int, *names: str) -> html.HtmlElement:
        links = " ".join(f"<a href='/{name}'>{name}</a>" for name in names)
        return page(f"<div class='kind'>标签：{links}</div>", number=number)

    names = ["地铁", "隧道", "桥梁", "车站"]
    pages = [tagged(at, names[at % 4], names[(at * 3 + 1) % 4]) for at in range(12)]
    rare = tagged(12, "地铁", "冰川")
    assert "标签" not in cut(taught(*pages), rare)


def test_a_number_that_one_page_changes_is_not_cut() -> None:
    pages = [page(behind="<div class='kind'>电话：5550123</div>", number=at) for at in range(9)]
    layout = taught(*pages)
    assert "电话" not in cut(layout, pages[0])
    assert "5550199" in cut(layout, page(behind="<div class='kind'>电话：5550199</div>"))


def test_a_page_counts_once() -> None:
    shown = edges_of(text_of(root := page("<div class='kind'>归在地铁</div>")), root)
    layout = Layout(0)
    assert [layout.note(7, shown) for _ in range(5)] == [True, False, False, False, False]


def test_a_new_design_is_another_layout() -> None:
    old = [html.document_fromstring(f"<body><div class='wrap'><div class='entry n{n}'><p class='a b'>x</p></div></div></body>") for n in range(3)]  # fmt: skip
    new = html.document_fromstring("<body><main class='shell'><section class='text'><p class='line'>x</p></section></main></body>")  # fmt: skip
    site = SiteLayouts()
    first = [site.layout_of(structure_of(root)) for root in old]
    assert first[0] is first[1] is first[2]
    assert site.layout_of(structure_of(new)) is not first[0]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 2**64 - 1),
            st.integers(0, 600),
            st.lists(st.tuples(st.integers(0, 60), st.text(max_size=4)), max_size=8),
            st.frozensets(st.integers(1, 60), max_size=4),
        ),
        max_size=60,
    )
)
def test_what_is_remembered_is_bounded_and_the_same_after_it_was_stored(
    pages: list[tuple[int, int, list[tuple[int, str]], frozenset[int]]],
) -> None:
    site = SiteLayouts()
    for structure, number, lines, inside in pages:
        placed = tuple(PlacedLine(text, place, (text,)) for place, text in lines)
        site.layout_of(structure).note(number, TextEdges(placed, (), (), inside))
    assert len(site.layouts) <= MOST_LAYOUTS
    for layout in site.layouts:
        assert len(layout.pages) <= MOST_PAGES
        assert len(layout.places) <= MOST_PLACES
        assert all(len(place.words) <= MOST_WORDS for place in layout.places.values())
    stored = msgspec.json.decode(msgspec.json.encode(msgspec.to_builtins(site)))
    assert msgspec.convert(stored, SiteLayouts, strict=False) == site


@given(st.text(), st.sampled_from(["", "<p>x", "<body><p>一。二，三</p>", "<br>" * 50]))
def test_any_text_and_page_have_edges(text: str, markup: str) -> None:
    root = html.document_fromstring(f"<html><body>{markup}</body></html>")
    edges = edges_of(text, root)
    assert cut_text(text, edges, Layout(0)).text == text
    assert edges_of("无题", root) is NO_EDGES


HOSTILE = {
    "paragraphs": f"<p>{PROSE.format(1)}</p>{'<p>盾</p>' * 9_900}<p>{PROSE.format(2)}</p>",
    "many paragraphs": f"<p>{PROSE.format(1)}</p>{'<p>盾</p>' * 80_000}<p>{PROSE.format(2)}</p>",
    "elements side by side": f"<p>{'<b>盾</b>' * 9_900}</p><p>{PROSE.format(1)}</p>",
    "sentences": f"<div><p>{PROSE.format(1)}</p></div>" * 8_000,
    "elements inside each other": f"{'<div>盾构' * 3_000}<p>{PROSE.format(1)}</p>",
}


@pytest.mark.timed
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_looked_at_within_half_a_second(name: str) -> None:
    root = html.document_fromstring(f"<body>{HOSTILE[name]}</body>")
    text = "\n".join(("盾", "盾构", PROSE.format(1), "盾", PROSE.format(2), "盾"))
    holds(lambda: (edges_of(text, root), structure_of(root)), 0.5)


def visited(*pages: tuple[int, int]) -> SiteLayouts:
    """Return a site of which pages, by number, were seen with structures."""
    site = SiteLayouts()
    for page_number, structure in pages:
        layout = site.layout_of(structure)
        site.note_visit(page_number, layout)
        layout.note(page_number, NO_EDGES)
    return site


OLD, NEW = 0, 2**64 - 1


@pytest.mark.parametrize(
    ("moved", "stayed", "is_one"), [(4, 0, False), (5, 0, True), (5, 10, True), (5, 11, False)]
)
def test_a_site_has_a_new_design_when_five_pages_and_a_third_of_those_visited_show_it(
    moved: int, stayed: int, is_one: bool
) -> None:
    before = [(number, OLD) for number in range(30)]
    first, *rest = [(number, NEW) for number in range(moved)]
    site = visited(*before, first, *((20 + number % 10, OLD) for number in range(stayed)), *rest)
    assert site.is_new_design(site.layout_of(NEW)) is is_one


def test_new_pages_of_another_form_are_no_new_design() -> None:
    site = visited(
        *((number, OLD) for number in range(30)), *((number, NEW) for number in range(30, 60))
    )
    assert not site.is_new_design(site.layout_of(NEW))


@pytest.mark.parametrize(
    ("articles", "lists", "unmoved", "is_one"),
    [(2, 3, 0, True), (1, 9, 0, False), (2, 2, 0, False), (2, 3, 10, True), (2, 3, 11, False)],
)
def test_lists_speak_for_a_new_design_beside_two_articles(
    articles: int, lists: int, unmoved: int, is_one: bool
) -> None:
    site = visited(*((number, OLD) for number in range(30)))
    for number in range(100, 140):
        site.note_list(number, OLD)
    for number in range(100, 100 + lists):
        site.note_list(number, NEW)
    for number in range(unmoved):
        site.note_list(120 + number, OLD)
    for number in range(articles):
        site.note_visit(number, site.layout_of(NEW))
    layout = site.layout_of(NEW)
    assert site.is_new_design(layout) is is_one
    layout.is_told = True
    assert not site.is_new_design(layout), "it is told once"
    site.forget_moved()
    layout.is_told = False
    assert not site.is_new_design(layout), "what lists have shown was of that design"


def test_lists_are_remembered_up_to_a_bound_those_that_were_seen_last() -> None:
    site = SiteLayouts()
    for number in range(3 * MOST_LISTS):
        site.note_list(number, OLD)
    assert [*site.lists] == [*range(2 * MOST_LISTS, 3 * MOST_LISTS)]


def test_the_structure_of_a_page_with_many_names_is_the_same_in_each_process(
    pytestconfig: pytest.Config,
) -> None:
    """The order of a set is another one in each, and only the first names of a page count."""
    program = (
        "from lxml import html; from focuscrawl.features.site_layouts.text_edges import structure_of;"
        "names = [chr(97 + n // 26) + chr(97 + n % 26) for n in range(600)];"
        "print(structure_of(html.document_fromstring(''.join(f'<p class={one}>x' for one in names))))"
    )
    found = {
        run([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, cwd=pytestconfig.rootpath, capture_output=True, check=True).stdout
        for seed in "12"
    }  # fmt: skip
    assert len(found) == 1
