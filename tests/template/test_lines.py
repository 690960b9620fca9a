"""Line numbers, and files that are anything but TOML."""

import re
import tomllib
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from focuscrawl.template.load import load, shipped_text
from focuscrawl.template.toml import TemplateErrors, key_parts, scan, toml_key, toml_text

TEXT = '''# [not] = "here"
extends = "a" # x = 1

[topic]
"title" = "a [b] = # c"
keywords = [
    "x", # [[source]]
    ["y = 1"],
]
text = """
[none]
key = 1
"""
later.on = { a = 1, b = [1,
2] }

[[source]]
url = 'a'
[[source]]
  url   =   'b'
[ site . "a.b" ]
delay = 1
[[deep.list]]
[deep.list.in]
x = 1
'''


def test_keys_and_tables_are_found_where_they_stand() -> None:
    lines = scan(TEXT)
    assert lines.keys == {
        ("extends",): 2,
        ("topic", "title"): 5,
        ("topic", "keywords"): 6,
        ("topic", "text"): 10,
        ("topic", "later", "on"): 14,
        ("source", 0, "url"): 18,
        ("source", 1, "url"): 20,
        ("site", "a.b", "delay"): 22,
        ("deep", "list", 0, "in", "x"): 25,
    }
    assert lines.tables[("source", 1)] == 19
    assert lines.spans == [(6, 9), (10, 13), (14, 15)]
    assert lines.of(("topic", "keywords", "x")) == 6
    assert lines.of(("site",)) == 21
    assert lines.of(("deep", "list", 0)) == 23
    assert lines.of(("none",)) is None


def test_a_bracket_in_a_text_behind_a_key_in_quotes_opens_nothing() -> None:
    assert scan('"a"="["\nb=1\n').keys == {("a",): 1, ("b",): 2}


def test_dotted_keys_are_split_outside_quotes() -> None:
    assert key_parts('site."a.b".c') == ("site", "a.b", "c")
    assert key_parts("output.feeds.'x\\y'.z") == ("output", "feeds", "x\\y", "z")
    assert key_parts(r'"\u4e2d".a') == ("中", "a")
    assert key_parts(r'site."C:\q".a') == ("site", r"C:\q", "a"), "what TOML cannot read, as it is"


NAMES = st.text("ab 中.\"'#=[]", min_size=1, max_size=4)
VALUES = st.recursive(
    st.text("a\"'#[]{}=\n\\中", max_size=6) | st.integers(-5, 5) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)


@given(
    st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=3), max_size=4),
    st.sampled_from([" = ", "=", "\t=", " ="]),
)
def test_lines_agree_with_what_tomllib_reads(tree: dict[str, dict[str, Any]], equals: str) -> None:
    rows: list[str] = []
    expected: dict[tuple[str, str], int] = {}
    for table, keys in tree.items():
        rows.append(f"[{toml_key(table)}]")
        for key, value in keys.items():
            rows.append(f"{toml_key(key)}{equals}{toml_text(value)}")
            expected[table, key] = len(rows)
    text = "\n".join(rows)
    assert tomllib.loads(text) == tree, "toml_text writes what tomllib reads"
    assert scan(text).keys == expected


DAMAGE = st.lists(
    st.tuples(
        st.integers(0, 2000),
        st.integers(0, 20),
        st.sampled_from(["", '"', "'", "[", "]]", "=", "\n", "{", "“", "，", "\x00", "...", "@", "re:("]),
    ),
    min_size=1,
    max_size=5,
)  # fmt: skip


@given(st.sampled_from(["news", "topic"]), DAMAGE)
def test_a_damaged_file_is_refused_in_words_or_read(
    name: str, damage: list[tuple[int, int, str]]
) -> None:
    text = "topic.name = 'x'\n" + shipped_text(name).replace("[topic]\n", "").replace(
        "\ntitle", "\ntopic.title"
    ).replace("\nkeywords", "\ntopic.keywords").replace("\nexclude", "\ntopic.exclude")
    for place, length, put in damage:
        text = text[:place] + put + text[place + length :]
    assume("\n" in text)
    refused = ""
    try:
        load(text, {}, {})
    except TemplateErrors as error:
        refused = str(error)
    assert not refused or re.match(r"inline template: [1-9]\d* problems?\n  ", refused)
