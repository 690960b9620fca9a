"""What was learnt of a site's layouts, as values for people."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.site_layouts.feature import LayoutMemory
from focuscrawl.features.site_layouts.layouts import (
    LONGEST_EXAMPLE,
    MOST_EXAMPLES_KEPT,
    MOST_LAYOUTS,
    MOST_PLACES,
    SiteLayouts,
    cut_text,
)
from focuscrawl.features.site_layouts.learnt import (
    Boilerplate,
    decisions_on,
    layouts_of_articles,
    layouts_of_lists,
    number_in_hex,
    number_of_key,
    read_layouts,
)
from focuscrawl.features.site_layouts.text_edges import PlacedLine, TextEdges
from focuscrawl.output.explain.facts import Fact
from focuscrawl.stores.state.protocol import packed

SITE, OLD, NEW = "a.test", 0, 2**64 - 1


def taught(*pages: TextEdges) -> SiteLayouts:
    """Return what a site has taught by its pages, in this order."""
    memory = LayoutMemory()
    for number, edges in enumerate(pages):
        layout = memory.layout_of(SITE, OLD)
        assert layout is not None
        memory.note(SITE, layout, number, edges)
    return memory.get(SITE) or SiteLayouts()


def edges(*lines: tuple[int, str]) -> TextEdges:
    return TextEdges(before=tuple(PlacedLine(text, place, (text,)) for place, text in lines))


def boilerplate(known: SiteLayouts) -> tuple[Boilerplate, ...]:
    return next(layouts_of_articles(known)).boilerplate


def test_what_stands_on_all_pages_is_named_with_one_of_its_lines() -> None:
    known = taught(*(edges((7, "归在地铁"), (8, f"第{at}期")) for at in range(4)))
    assert boilerplate(known) == (Boilerplate("归在地铁", 4, 4),)


def test_a_line_that_one_page_alone_has_said_is_no_example() -> None:
    lines = ["地铁", "地铁", "地铁", "地铁", "冰川"]
    assert boilerplate(taught(*(edges((7, line)) for line in lines)))[0].example == "地铁"


def test_a_pages_own_title_is_no_example() -> None:
    shown = TextEdges(before=(PlacedLine("雨夜的水泵", 7, ("",)),))
    assert boilerplate(taught(*(shown for _ in range(4)))) == (Boilerplate("", 4, 4),)


def test_an_example_moves_no_cursor_and_is_short() -> None:
    line = "\x1b[2J\u202e地铁\ud800" + "站" * 90
    (found,) = boilerplate(taught(*(edges((7, line)) for _ in range(4))))
    assert found.example.isprintable()
    assert found.example.startswith("[2J地铁站")
    assert len(found.example) <= LONGEST_EXAMPLE


def test_a_place_that_is_the_sites_no_more_keeps_no_example() -> None:
    pages = [edges((7, "归在地铁")) for _ in range(4)]
    inside = TextEdges(inside=frozenset({7}))
    known = taught(*pages, inside)
    assert boilerplate(known) == ()
    assert not known.layouts[0].places[7].example


def test_layouts_that_an_earlier_version_has_stored_have_no_examples_and_get_them() -> None:
    known = taught(*(edges((7, "归在地铁")) for _ in range(4)))
    layouts, *rest = msgspec.to_builtins(known)
    older = [
        [*one[:2], {at: place[:4] for at, place in one[2].items()}, *one[3:8]] for one in layouts
    ]
    read = read_layouts(msgspec.msgpack.decode(packed([older, *rest])))
    assert boilerplate(read) == (Boilerplate("", 4, 4),)
    memory = LayoutMemory()
    memory.add(SITE, read)
    memory.note(SITE, read.layouts[0], 99, edges((7, "归在地铁")))
    assert boilerplate(read) == (Boilerplate("归在地铁", 5, 5),)


def test_an_earlier_version_reads_what_this_one_has_stored() -> None:
    class Earlier(msgspec.Struct, array_like=True):
        pages: int = 0
        inside: int = 0
        shown: int = 0
        words: dict[int, int] = {}

    known = taught(*(edges((7, "归在地铁")) for _ in range(4)))
    place = msgspec.to_builtins(known.layouts[0].places[7])
    assert msgspec.convert(place, Earlier, strict=False).pages == 4


def test_examples_of_a_hostile_site_add_less_than_twelve_kilobytes() -> None:
    known = SiteLayouts()
    for number in range(MOST_LAYOUTS):
        layout = known.layout_of((NEW >> 16 * number) & NEW if number else OLD)
        for page in range(4):
            shown = edges(*((place, "𠀀" * 90) for place in range(1, MOST_PLACES + 1)))
            layout.note(page, shown)
            layout.keep_examples(shown, layout.places_of_site())
    with_them = len(packed(msgspec.to_builtins(known)))
    kept = [place for one in known.layouts for place in one.places.values() if place.example]
    assert len(kept) == len(known.layouts) * MOST_EXAMPLES_KEPT
    for place in kept:
        place.example = ""
    assert 0 < with_them - len(packed(msgspec.to_builtins(known))) < 12_000


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 20), st.text(max_size=80)), max_size=8), max_size=12)
)
def test_at_most_twelve_places_of_a_layout_have_an_example_and_they_are_the_sites(
    pages: list[list[tuple[int, str]]],
) -> None:
    for layout in taught(*(edges(*lines) for lines in pages)).layouts:
        there = {at for at, place in layout.places.items() if place.example}
        assert len(there) <= MOST_EXAMPLES_KEPT
        assert there <= layout.places_of_site()


def test_lists_built_alike_are_one_layout() -> None:
    known = SiteLayouts(lists={1: OLD, 2: NEW, 3: OLD + 1, 4: OLD + 3})
    assert [[*one.numbers] for one in layouts_of_lists(known)] == [[1, 3, 4], [2]]


def test_a_page_is_told_which_lines_were_cut_and_on_how_many_pages_such_stand() -> None:
    shown = edges((2**62 + 7, "归在地铁"))
    known = taught(*(shown for _ in range(4)))
    cut = cut_text("归在地铁\n正文", shown, known.layouts[0])
    assert cut.text == "正文"
    lines = [{"example": "归在地铁", "pages": 4, "of": 4}]
    expected = [Fact("site_lines", {"places": 1, "lines": lines})]
    assert [*decisions_on(known, 2, cut.places)] == expected
    assert [*decisions_on(known, 2, ())] == []
    unknown = [Fact("site_lines", {"places": 1, "lines": []})]
    assert [*decisions_on(SiteLayouts(), 2, cut.places)] == unknown


@pytest.mark.parametrize(
    ("number", "is_told", "facts"),
    [
        (5, True, [Fact("site_design", {"at": 1.5})]),
        (5, False, []),
        (6, True, []),
    ],
)
def test_a_page_that_shows_a_new_design_says_so_when_that_was_told(
    number: int, is_told: bool, facts: list[Fact]
) -> None:
    known = SiteLayouts()
    layout = known.layout_of(NEW)
    layout.pages, layout.came, layout.is_told, layout.told_at = [5, 6], [5], is_told, 1.5
    other = known.layout_of(OLD)
    other.pages = [5, 6]
    assert known.layouts[-1] is other, "which other pages have shown since"
    assert [*decisions_on(known, number, ())] == facts


@given(st.binary(min_size=16, max_size=16))
def test_a_pages_number_is_how_its_key_begins(key: bytes) -> None:
    assert key.hex().startswith(number_in_hex(number_of_key(key)))
