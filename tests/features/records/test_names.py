"""Who a page belongs to is read off its foot, its title and its logo, in the ways of several countries."""

from __future__ import annotations

import pytest

from focuscrawl.features.records.lines import read_lines
from focuscrawl.features.records.names import from_copyright, from_title, organisation
from focuscrawl.readers.pages.document import Document
from tests.tables import each_row

pytestmark = pytest.mark.C7


@each_row(
    ("text", "name"),
    [
        ("Birch & Vale Pottery Ltd", "Birch & Vale Pottery Ltd"),
        ("School of the Northern Lakes Foundation", "School of the Northern Lakes Foundation"),
        ("Zehnder Uhren AG", "Zehnder Uhren AG"),
        ("ООО «Северный Лес»", "ООО «Северный Лес»"),
        ("株式会社こもれび製作", "株式会社こもれび製作"),
        ("주식회사 푸른들", "주식회사 푸른들"),
        ("9 o'clock Works GmbH", "9 o'clock Works GmbH"),
        ("Eine Dienstleistung der Zehnder Uhren GmbH", ""),
        ("Our Company is growing", ""),
        ("Products and Services", ""),
    ],
)
def test_legal_forms_of_several_countries_tell_a_name(text: str, name: str) -> None:
    assert organisation(text) == name


@each_row(
    ("line", "name"),
    [
        ("© 2019-2024 Birch &amp; Vale Pottery. All rights reserved.", "Birch & Vale Pottery"),
        ("Copyright © 2021 Birch and Vale | Powered by Something", "Birch and Vale"),
        ("© 2022 Zehnder Uhren AG", "Zehnder Uhren AG"),
        ("© 2024 WordPress theme by Somebody", ""),
        ("© 2024 birch-vale.com. All rights reserved.", ""),
        ("版权所有：Copyright © 2004 whodesigned. 蜀ICP备1号", ""),  # Latin on a Chinese page
        ("© My Website 2024", ""),
    ],
)
def test_the_owner_is_named_behind_the_sign_of_copyright(line: str, name: str) -> None:
    lines = read_lines(Document.read(f"<p>{line}</p>".encode(), url="http://a.cn/").root)
    assert from_copyright(lines) == name


@each_row(
    ("title", "said", "name"),
    [
        ("联系我们 - 云杉陶艺 - Powered by Discuz!", [], "云杉陶艺"),
        ("联系我们", ["云杉陶艺"], "云杉陶艺"),
        ("Kontakt", ["logo", "Zehnder Uhren"], "Zehnder Uhren"),
        ("Kontakt", ["Zehnder Uhren Logo"], "Zehnder Uhren"),
        ("Contact Us", ["ZU Logo"], ""),
        ("Kontakt | Zehnder", ["Zehnder Uhren AG"], "Zehnder Uhren AG"),
        ("联系我们_我的网站", [], ""),
        ("Contact", ["WordPress"], ""),
    ],
)
def test_a_title_without_a_name_leaves_it_to_what_else_names_the_site(
    title: str, said: list[str], name: str
) -> None:
    assert from_title(title, said) == name
