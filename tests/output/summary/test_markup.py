"""Markup: whatever it is made of, texts are text in it, and links lead to the web alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markupsafe import Markup

from focuscrawl.output.summary.markup import LONGEST_LINK, drawing, element, is_link, polyline
from tests.tables import each_row

HOSTILE = st.one_of(st.text(), st.sampled_from(["<script>", '" onload="x', "&amp;", "]]>", "'"]))
PLAIN = HOSTILE.filter(lambda text: all(one.isprintable() for one in text))


@given(PLAIN, PLAIN.filter(bool))
def test_texts_and_attributes_come_out_as_they_went_in(inside: str, given: str) -> None:
    tree = etree.fromstring(element("p", inside, title=given))
    assert (tree.tag, tree.text or "", tree.items()) == ("p", inside, [("title", given)])


def test_elements_stand_in_each_other_and_what_has_nothing_in_it_is_closed() -> None:
    row = element("p", "a < b", element("b", "c"), Markup("<br>"), class_="x", data_n=3, id="")
    assert row == '<p class="x" data-n="3">a &lt; b<b>c</b><br></p>'
    assert element("rect", x=1) == '<rect x="1"/>'
    assert element("td", "") == "<td></td>"


def test_a_drawing_is_called_by_its_title() -> None:
    shape = polyline([(0, 1.26), (2.04, 3)], 1, class_="s0")
    tree = etree.fromstring(drawing(10, 20, "a & b", shape, name="t1"))
    assert tree.items() == [("viewBox", "0 0 10 20"), ("role", "img"), ("aria-labelledby", "t1")]
    title, line = tree
    assert (title.text, title.get("id"), line.get("points")) == ("a & b", "t1", "0.0,1.3 2.0,3.0")


@each_row(
    ("url", "leads"),
    [
        ("http://a.cn/食品?x=1&y=2", True),
        ("HTTPS://a.cn/", True),
        ("http://a.cn/" + "x" * LONGEST_LINK, False),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("http://", False),
        ("http://[", False),
        ("http://a.cn/ b", False),
        ("http://a.cn/\n", False),
        ("http://a.cn/\u202egpj.exe", False),
        ("", False),
    ],
)
def test_a_link_leads_to_the_web(url: str, leads: bool) -> None:
    assert is_link(url) is leads
