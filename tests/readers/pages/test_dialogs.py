"""What lies over a page is none of it: dialogs, and boxes that ask for consent."""

from __future__ import annotations

import pytest

from focuscrawl.features import articles
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.links import find_links
from tests.tables import each_row

pytestmark = pytest.mark.A2

SENTENCES = [
    f"市水务局昨天介绍，东湖片区第{number}段供水管道已经用了二十六年，今年要换掉的一段长四公里，施工分三期进行。"
    for number in range(1, 5)
]
TITLE = "东湖片区更换供水管道"
SUBSCRIBE = (
    "<h3>订阅我们的通讯</h3><p>每天早上把最要紧的消息送到您的信箱，不收费用，随时可以退订。</p>"
)
CONSENT = (
    "<p>We use cookies to give you the best experience, and to measure how our pages are read.</p>"
)


def page(before: str = "", after: str = "", content: str | None = None) -> bytes:
    text = "".join(f"<p>{line}</p>" for line in SENTENCES) if content is None else content
    return (
        f"<html><head><title>{TITLE}</title></head><body>{before}<div><h1>{TITLE}</h1>{text}</div>"
        f"{after}</body></html>"
    ).encode()


NOTICE = CONSENT + "".join(
    f"<p>Our partner number {number} keeps a file on your machine for thirty days, see <a href='/p{number}'>its policy</a>.</p>"
    for number in range(60)
)
"""A list of all that a site keeps, longer than its article."""

BOXES = [
    f"<dialog open>{SUBSCRIBE}</dialog>",
    f"<div role='dialog'>{SUBSCRIBE}</div>",
    f"<div class='x' aria-modal='true'>{SUBSCRIBE}</div>",
    f"<section role=alertdialog><h1>订阅</h1>{SUBSCRIBE}</section>",
    f"<div id='cookie-banner'>{CONSENT}</div>",
    f"<div id='consent-kit'><div role='alertdialog' aria-label='Cookie notice'>{NOTICE}</div></div>",
    f"<div id='cookie-banner'>{NOTICE}</div>",
    f"<div class='b7'><div>{CONSENT}</div><div><button>Accept all</button></div></div>",
    "<div class='tip'><p>本站使用 Cookie 改善您的体验，继续浏览即表示您同意我们的隐私政策。</p><a href='#'>同意</a></div>",
]


@each_row("box", BOXES)
def test_a_box_that_lies_over_a_page_is_read_by_nobody(box: str) -> None:
    for markup in (page(before=box), page(after=box)):
        document = Document.read(markup, url="http://a.test/1.html")
        assert "".join(map(str, document.root.itertext())).count("订阅") == 0
        assert b"cookie" not in document.markup.lower()
        assert articles.read(markup, "http://a.test/1.html").text.split("\n") == SENTENCES


@each_row(
    "kept",
    [
        "<p>新的条例规定，网站使用 Cookie 之前必须征得同意，拒绝也要和接受一样容易。</p>",
        "<div class='cookie-law'><article><p>新的条例规定，网站使用 Cookie 之前必须征得同意。</p></article></div>",
        "<div role='dialog'>" + "".join(f"<p>{line}</p>" for line in SENTENCES) * 2 + "</div>",
    ],
)
def test_what_is_the_pages_own_stays(kept: str) -> None:
    document = Document.read(page(content=SENTENCES[0] + kept), url="http://a.test/1.html")
    shown = "".join(map(str, document.root.itertext()))
    assert "Cookie" in shown or SENTENCES[3] in shown


def test_a_menu_in_a_dialog_keeps_its_links() -> None:
    links = "".join(f"<a href='/list/{number}/'>栏目{number}</a>" for number in range(12))
    document = Document.read(page(before=f"<div role='dialog'>{links}</div>"), url="http://a.test/")
    assert len(find_links(document)) == 12


def test_a_comment_of_a_page_stays_in_its_markup() -> None:
    document = Document.read(page(before=BOXES[0] + "<!-- 藏着的列表 -->"), url="http://a.test/")
    assert "藏着的列表" in document.markup.decode()
