"""What a page shows by a picture, a class or a sign of a font is as good a label as a word."""

from __future__ import annotations

import pytest

from focuscrawl.features.records.lines import CUES, read_lines
from focuscrawl.readers.pages.document import Document
from tests.features.records.test_reader import read
from tests.tables import each_row

pytestmark = pytest.mark.C7

# By fonts, drawings, files; as the icons of a phone, of mail and of a place are written.
ICONS = {
    "classes of a font": '<i class="fa fa-{}"></i>',
    "signs of a font": '<i class="material-icons">{}</i>',
    "drawings that are used": '<svg><use xlink:href="/all.svg#icon-{}"></use></svg>',
    "drawings by their class": '<svg class="lucide lucide-{}"><path d="M0"/></svg>',
    "drawings by their title": "<svg><title>{}</title></svg>",
    "what is read aloud": '<span role="img" aria-label="{}"></span>',
    "files": '<img src="/images/icon-{}.png">',
    "words for the blind": '<img src="1.png" alt="{} icon">',
    "camels": '<em class="iconOf{}"></em>',
    "empty boxes": '<div class="icon {}"></div>',
}
MAIL, PHONE, PLACE = "works@a.com", "65862159", "高新区样例二路西段"


@each_row("icon", ICONS)
@each_row(
    "names", [("Phone", "Mail", "Location"), ("tel", "email", "address"), ("call", "envelope", "map-pin")]
)  # fmt: skip
@each_row("item", ["<li>{} {}</li>", "<div>{}<p>{}</p></div>"])
def test_icons_are_labels(icon: str, names: tuple[str, ...], item: str) -> None:
    written = map(str.title, names) if icon == "camels" else names
    signs = [ICONS[icon].format(name) for name in written]
    body = "".join(
        item.format(sign, value) for sign, value in zip(signs, (PHONE, MAIL, PLACE), strict=True)
    )
    assert read(body, title="联系我们") == [{"phone": [PHONE], "email": [MAIL], "address": [PLACE]}]


@pytest.mark.parametrize(
    "names",
    [("tel", "mail", "address"), ("contact-phone", "footer_email", "dizhi"), ("c-mobile", "email-text", "addr")],
)  # fmt: skip
def test_classes_of_what_holds_a_value_are_labels(names: tuple[str, ...]) -> None:
    body = "".join(
        f'<p class="x {name}">{value}</p>'
        for name, value in zip(names, (PHONE, MAIL, PLACE), strict=True)
    )
    assert read(body, title="联系我们") == [{"phone": [PHONE], "email": [MAIL], "address": [PLACE]}]


@each_row(
    "markup",
    [
        '<i class="fa fa-shopping-cart"></i>',
        '<i class="icon-telegram"></i>',
        '<i class="fa fa-pinterest"></i>',
        '<div class="mobile-menu">x</div>',
        '<p class="callout">x</p>',
        '<div class="address-of-the-queen">x</div>',
    ],
)
def test_other_icons_and_classes_are_none(markup: str) -> None:
    lines = read_lines(Document.read(f"{markup}y".encode(), url="http://a.cn/").root)
    assert not any(mark in line.text for line in lines for mark in CUES.values())


def test_an_icon_before_something_else_hides_nothing() -> None:
    body = f'<li><i class="fa-map-marker"></i>关于房产</li><li><i class="fa-phone"></i>{MAIL}</li><li>电话：{PHONE}</li>'
    assert read(body, title="联系我们") == [{"phone": [PHONE], "email": [MAIL]}]
