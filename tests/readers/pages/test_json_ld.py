"""JSON-LD as it is met: wrapped, with comments, several objects in a script, escaped."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from focuscrawl.features import articles
from focuscrawl.readers.pages.json_ld import objects_in, read_scripts, stated_name
from tests.tables import each_row

pytestmark = pytest.mark.A2

ONE = (
    '{"@type":"NewsArticle","url":"http://a.test/x","headline":"a // b /* c */","author":"周启明"}'
)
TWO = '{"@type":"Person","name":"x"}'


def objects(script: str, kind: str = "application/ld+json") -> list[dict[str, object]]:
    root = html.fromstring(f"<html><head><script type='{kind}'>{script}</script></head></html>")
    return [one for value, _ in read_scripts(root) for one in objects_in(value)]


@each_row(
    "script",
    [
        ONE,
        f"\n// <![CDATA[\n{ONE}\n// ]]&gt;\n",
        f"//<![CDATA[\n{ONE}\n//]]>",
        f"<![CDATA[{ONE}]]>",
        f"/* <![CDATA[ */{ONE}/* ]]> */",
        f"<!-- {ONE} -->",
        f"{ONE};",
        f"[{ONE}]",
        f"/* made by a program */ {ONE}",
        f"// one\n{ONE} // end",
        ONE.replace('"url"', '/* the address */ "url"').replace('"author"', '// who\n "author"'),
        ONE.replace("}", ",}"),
        ONE.replace('"', "&quot;"),
    ],
)
def test_an_object_is_read_whatever_stands_around_it(script: str) -> None:
    assert objects(script) == [json.loads(ONE)]


@each_row(
    "script", [f"{ONE}{TWO}", f"{ONE}\n{TWO}\n", f"{ONE},{TWO}", f"{ONE};{TWO};", f"[{ONE},{TWO}]"]
)
def test_several_objects_in_one_script_are_all_read(script: str) -> None:
    assert objects(script) == [json.loads(ONE), json.loads(TWO)]


@each_row(
    "kind", ["application/LD+JSON", " application/ld+json; charset=utf-8", "Application/ld+json"]
)
def test_the_type_of_a_script_is_read_in_any_case(kind: str) -> None:
    assert objects(ONE, kind) == [json.loads(ONE)]


@each_row(
    ("value", "name"),
    [
        ("周启明", "周启明"),
        ({"@value": "周启明"}, "周启明"),
        ({"@type": "Person", "name": {"@value": "周启明", "@language": "zh"}}, "周启明"),
        ({"name": ["周启明", "x"]}, "周启明"),
        ({"name": None}, ""),
        (7, ""),
        ([], ""),
    ],
)
def test_a_name_may_be_an_object(value: object, name: str) -> None:
    assert stated_name(value) == name


@each_row(
    "kind", ["NewsArticle", "newsarticle", "NEWSARTICLE", "schema:NewsArticle", ["blogposting"]]
)
def test_an_article_states_its_author_and_date_in_any_case(kind: object) -> None:
    stated = {
        "@type": kind,
        "datePublished": "2026-11-18T08:15:00+08:00",
        "author": {"@type": "person", "name": {"@value": "周启明"}},
    }
    text = (
        "<p>市水务局昨天介绍，供水管道已经用了二十六年，今年要换掉的一段长四公里，施工分三期。</p>"
        * 4
    )
    markup = f"<title>东湖换管</title><script type='application/ld+json'>{json.dumps(stated)}</script>{text}"
    article = articles.read(markup.encode(), "http://a.test/x")
    assert (article.author, article.date) == ("周启明", "2026-11-18T08:15:00+08:00")


@given(st.text(alphabet='{}[]",:/*;&<>! \n\\a1', max_size=200))
def test_no_script_breaks_the_reading(script: str) -> None:
    objects(script.replace("<", ""))
