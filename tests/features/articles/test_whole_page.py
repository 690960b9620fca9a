"""Pages that are no articles are read as a whole; articles in many boxes, too."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features import articles
from focuscrawl.features.articles.contents.whole_page import whole_text
from focuscrawl.readers.pages.document import Document

pytestmark = pytest.mark.article_text

URL = "http://shop.example/items/7"
MENU = "<header><nav><ul>" + "".join(f"<li><a href='/c{n}'>Section {n}</a></li>" for n in range(9)) + "</ul></nav></header>"  # fmt: skip
FOOTER = "<footer><p>© The Shop. Terms of use, privacy, and all that is said below.</p></footer>"
ABOUT = "A kettle of steel for two litres of water, with a handle that stays cold and a lid that stays on, made to last for many years."
BOXES = "".join(
    f"<section><h3>{name}</h3><div><span>{said}</span></div></section>"
    for number in range(6)
    for name, said in (
        (f"Kettle {number}", f"{number}9.90 €"),
        ("Height", f"2{number} cm"),
        ("Weight", f"1.{number} kg"),
        ("Delivery", f"{number} to 9 days"),
        ("Colours", "Steel, red, blue"),
        ("Gas", "Yes"),
    )
)


def page(body: str, head: str = "") -> bytes:
    return f"<html><head><title>Kettle</title>{head}</head><body>{MENU}{body}{FOOTER}</body></html>".encode()


def test_a_page_of_many_boxes_that_shows_no_date_gives_all_that_it_says() -> None:
    text = articles.read(page(f"<main><h1>Kettle</h1><p>{ABOUT}</p>{BOXES}</main>"), URL).text
    for said in (ABOUT, "49.90 €", "1.3 kg", "Kettle 5"):
        assert said in text
    assert "Section" not in text
    assert "Terms of use" not in text


def test_the_main_element_is_the_page_where_there_is_one() -> None:
    beside = (
        "<div>Others bought a cup, a spoon and a tray, which are shown beside the kettle.</div>"
    )
    markup = page(f"<main><h1>Kettle</h1>{BOXES}</main>{beside}")
    text = whole_text(Document.read(markup, url=URL), "")
    assert "49.90 €" in text
    assert "a cup, a spoon" not in text


STORY = [
    f"On day {day} the council said that the bridge is safe, and that the work on its pillars goes on as planned."
    for day in range(1, 6)
]
LISTS = "".join(f"<ul class='l{part}'>" + "<li>Item</li>" * 60 + "</ul>" for part in range(9))


@pytest.mark.parametrize(
    ("shown", "head"),
    [
        ("<p>Published on 19 November 2026, 10:05</p>", ""),
        ("", '<meta property="og:type" content="article">'),
    ],
)
def test_an_article_among_lists_stays_its_text(shown: str, head: str) -> None:
    story = "".join(f"<p>{one}</p>" for one in STORY)
    body = f"<article><h1>Bridge</h1>{shown}<div>{story}</div></article>{LISTS}"
    assert articles.read(page(body, head), URL).text.split("\n") == STORY


def test_an_article_of_which_each_paragraph_stands_in_a_box_is_read_whole() -> None:
    """As page builders write them: the extractor takes the largest box."""
    boxes = "".join(
        f"<section class='s{n}'><div class='c'><div class='w'><h2>Part {n}</h2><div class='t'><p>{one * 3}</p></div></div></div></section>"
        for n, one in enumerate(STORY * 4)
    )
    large = "<section><div class='box'>" + f"<p>{STORY[0]}</p>" * 6 + "</div></section>"
    text = articles.read(page(f"<h1>Bridge</h1><p>19 November 2026</p>{large}{boxes}"), URL).text
    assert text.count("On day 5") >= 12


@given(st.text(alphabet="<>/divpa mnrole= '\"xy", max_size=400), st.text(max_size=40))
def test_any_markup_gives_a_text_or_none(markup: str, found: str) -> None:
    document = Document.read(f"<html><body>{markup}</body></html>".encode(), url=URL)
    whole = whole_text(document, found)
    assert not whole or len(whole) > len(found)


def test_a_page_of_a_hundred_thousand_boxes_is_read_soon() -> None:
    document = Document.read(b"<body>" + b"<div><p>word</div>" * 40_000, url=URL)
    begun = time.process_time()
    whole_text(document, "")
    assert time.process_time() - begun < 2
