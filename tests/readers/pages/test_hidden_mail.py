"""Addresses of mail that a service hides are read as every reader sees them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features import articles
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.links import find_links
from focuscrawl.readers.pages.markup.hidden_mail import shown_mail
from tests.cost import holds
from tests.tables import each_row

pytestmark = pytest.mark.A2


def code(words: str, key: int = 0x2A) -> str:
    return bytes([key, *(one ^ key for one in words.encode())]).hex()


MAIL = "desk@example.com"
TEXT = "".join(
    f"<p>市水务局昨天介绍，第{number}段供水管道已经用了二十六年，今年要换掉的一段长四公里，施工分三期。</p>"
    for number in range(4)
)


@each_row(
    "markup",
    [
        f'<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="{code(MAIL)}">[email&#160;protected]</a>',
        f'<span class="__cf_email__" data-cfemail="{code(MAIL, 7)}">[email protected]</span>',
        f"<a class=__cf_email__ data-cfemail={code(MAIL)} href=/cdn-cgi/l/email-protection>[email protected]</a>",
        f'<a href="/cdn-cgi/l/email-protection#{code(MAIL)}"><span class="__cf_email__" data-cfemail="{code(MAIL)}">[email&#160;protected]</span></a>',
        f'<a data-cfemail="{code(MAIL)}">[email protected]<script>/* <![CDATA[ */!function(){{}}/* ]]> */</script></a>',
    ],
)
def test_a_hidden_address_stands_in_the_text_and_leads_nowhere(markup: str) -> None:
    page = f"<title>东湖换管</title><h1>东湖换管</h1>{TEXT}<p>投稿请寄{markup}，三天内答复。</p><p>编辑部收到以后会回信。</p>"
    text = articles.read(page.encode(), "http://a.test/1.html").text
    assert f"投稿请寄{MAIL}，三天内答复。" in text
    assert "protected" not in text
    document = Document.read(page.encode(), url="http://a.test/1.html")
    assert find_links(document) == []


def test_what_was_no_address_is_shown_too() -> None:
    hidden = f'<span data-cfemail="{code("<b>@scope/name</b>")}">[email protected]</span>'
    assert shown_mail(hidden.encode()) == b"&lt;b&gt;@scope/name&lt;/b&gt;"


@given(st.binary(max_size=60))
def test_no_code_breaks_the_reading(octets: bytes) -> None:
    shown_mail(b'<a data-cfemail="' + octets.hex().encode() + b'">x</a>')
    shown_mail(b'<a data-cfemail="' + octets + b'">x</a>')


@pytest.mark.timed
@each_row(
    "unit",
    [b"<a data-cfemail=", b"<a ", b"<a data-cfemail='2a2a' ", b"/cdn-cgi/l/email-protection#"],
)
def test_codes_without_end_cost_little(unit: bytes) -> None:
    holds(lambda: shown_mail(unit * 20_000))
