"""Markup that would keep the parser busy is cut before it."""

import pytest

from focuscrawl.readers.pages.document import FEWEST_SUSPECT, MOST_ATTRIBUTES, harmless_length
from tests.cost import holds
from tests.tables import each_row

MANY = b" ".join(b"x%d=1" % number for number in range(20_000))
PADDING = b"<p>text</p>" * (FEWEST_SUSPECT // 10)


@each_row(
    "before",
    [
        b"",
        b"<p>hello</p>",
        b"<!-- <script> -->",
        b'<a title="<script>">',
        b"<textarea><script></textarea>",
        b"<script>var a = '</script>",
        b"<!doctype html>",
        b"a < b",
    ],
)
@each_row("quote", [b"", b'"', b"'"])
def test_an_element_with_thousands_of_attributes_is_where_reading_ends(
    before: bytes, quote: bytes
) -> None:
    attributes = MANY.replace(b"=1", b"=" + quote + b"1" + quote)
    assert harmless_length(before + b"<div " + attributes + b">" + PADDING) == len(before)


@each_row(
    "harmless",
    [
        b"<script>for (i=0; i<a.length; i++) {" + MANY + b"}</script>",
        b"<style>a<b " + MANY + b"</style>",
        b"<!-- <a " + MANY + b" -->",
        b'<div data-settings="' + MANY + b'">',
        b"<p>5 < 6 and " + MANY,
        b"<br>" * 10_000,
        b"<a " + b" ".join(b"x%d" % number for number in range(MOST_ATTRIBUTES)) + b">",
    ],
)
def test_scripts_comments_and_long_values_are_left_alone(harmless: bytes) -> None:
    markup = harmless + PADDING
    assert harmless_length(markup) == len(markup)


def test_small_pages_are_not_looked_at() -> None:
    assert harmless_length(b"<a " + MANY[:10_000]) == 10_003


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece",
    [b"<", b"<!--", b"<script>", b"<script", b'<a x="', b"<a x='\"", b"<a ", b"</", b"<title></"],
)
def test_the_look_itself_takes_time_in_proportion(piece: bytes) -> None:
    markup = piece * (2_000_000 // len(piece))
    holds(lambda: harmless_length(markup), 1.5)
