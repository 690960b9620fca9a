"""[record.NAME] is read, inherited, shown and refused like every other table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.records.labels import LabelFinder
from focuscrawl.features.records.table import RecordTable
from focuscrawl.template.kinds.words import Words
from focuscrawl.template.load import load
from focuscrawl.template.show import json_schema, shown_template
from focuscrawl.template.template import language_of
from focuscrawl.template.toml import TemplateErrors
from focuscrawl.values import Selector
from tests.tables import each_row

pytestmark = pytest.mark.C7

HEAD = '[topic]\nname = "x"\n[[source]]\nurl = "https://a.example.cn/"\n'
RECORD = """
[record.company]
[record.company.fields]
name   = { labels = "公司名称|名称", required = true, from = ["labels", "title", "selector:css:h1"] }
phone  = { labels = "电话|热线", type = "phone", many = true }
number = { labels = "代码", type = "code", pattern = '\\d{18}' }
contact = "联系人"
"""


def problems(text: str, **overrides: str) -> list[str]:
    with pytest.raises(TemplateErrors) as caught:
        load(HEAD + text, overrides, {})
    return str(caught.value).splitlines()[1:]


def test_fields_have_what_is_given_and_defaults() -> None:
    record = load(HEAD + RECORD).template.named(RecordTable)["company"]
    assert (record.pages, record.one_per, record.identity) == ("relevant", "block", ("name",))
    name, phone, number, contact = record.fields
    assert name.places == ("labels", "title", Selector("css", "h1"))
    assert (name.required, name.many, name.type) == (True, False, "text")
    assert (phone.type, phone.many, phone.places) == ("phone", True, ("labels",))
    assert number.pattern is not None
    assert number.pattern.search("915101007654321098")
    assert (contact.name, contact.type, contact.required) == ("contact", "text", False)
    assert [label.fields for label in record.find_labels("电 话：1 聯繫人：乙")] == [
        ("phone",),
        ("contact",),
    ]


def test_layers_make_their_last_pages_those_that_are_read() -> None:
    text = '[follow]\nlayers = ["联系我们"]\n' + RECORD
    assert load(HEAD + text).template.named(RecordTable)["company"].pages == "last-layer"


def test_an_argument_sets_a_key_of_a_field() -> None:
    arguments = {"record.company.fields.phone.many": "false", "record.company.one_per": "site"}
    record = load(HEAD + RECORD, arguments).template.named(RecordTable)["company"]
    assert record.one_per == "site"
    assert not record.fields[1].many


def test_fields_are_inherited_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "_house.toml").write_text(RECORD, "utf-8")
    own = 'extends = "_house.toml"\n' + HEAD.replace('name = "x"', 'name = "y"')
    own += '[record.company.fields]\nphone = { labels = ["...", "手机"] }\nfax = "传真"\n'
    (tmp_path / "y.toml").write_text(own, "utf-8")
    record = load(tmp_path / "y.toml").template.named(RecordTable)["company"]
    assert [field.name for field in record.fields] == ["name", "phone", "number", "contact", "fax"]
    phone = record.fields[1]
    assert (phone.type, phone.many) == ("phone", True)
    assert [label.start for label in record.find_labels("手机 热线")] == [0, 3]


def test_labels_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("电话\n总机 # of the house\n", "utf-8")
    (tmp_path / "x.toml").write_text(
        HEAD + '[record.firm]\nkey = "phone"\n[record.firm.fields]\nphone = "热线|@labels.txt"\n',
        "utf-8",
    )
    record = load(tmp_path / "x.toml").template.named(RecordTable)["firm"]
    assert len(list(record.find_labels("电话 总机 热线"))) == 3


def test_a_shown_record_loads_as_the_same_again() -> None:
    loaded = load(HEAD + RECORD)
    shown = shown_template(loaded)
    again = load(shown).template
    assert again.resolved["record"] == loaded.template.resolved["record"]


@each_row(
    ("text", "expected"),
    [
        ("[record.Company]\n", "line 5  [record.Company]: a record's name is a view's"),
        ("[record.article]\n", "line 5  [record.article]: an item of this name is there already"),
        ("[record.x]\nkey = ['a']\n", "[record.x]: no fields; write [record.x.fields]"),
        ("[record.x.fields]\nurl = '网址'\n", "line 6  [record.x.fields] url: every record has columns url"),
        ("[record.x.fields]\n'a b' = '网址'\n", "a field's name is a column"),
        ("[record.x.fields]\na = '网址'\n", "[record.x] key: nothing tells two records apart"),
        ("[record.x]\nkey = ['b']\n[record.x.fields]\na = '网址'\n", 'key = "b": one of the fields: a'),
        ("[record.x.fields]\na = { required = true }\n", "[record.x.fields] a: labels are missing"),
        ("[record.x]\nkey = 'a'\n[record.x.fields]\na = { labels = '甲', type = 'fone' }\n", 'nearest: "phone"'),
        ("[record.x]\nkey = 'a'\n[record.x.fields]\na = { labels = '甲', tpe = 'fax' }\n", "tpe: unknown key; nearest: type"),
        ("[record.x]\nkey = 'a'\n[record.x.fields]\na = { labels = '甲', from = 'h1' }\n", '"labels", "title", "copyright" or a selector'),
        ("[record.x]\nkey = 'a'\n[record.x.fields]\na = { labels = '甲', pattern = '(' }\n", "not a regular expression"),
        ("[record.x]\nkey = 'a'\nfields = 3\n", "fields: a table: [record.x.fields]"),
        ("[record.x]\none_per = 'row'\nkey = 'a'\n[record.x.fields]\na = '甲'\n", 'one of "block", "page", "site"'),
        ("[output.feeds.'a.csv']\nitems = ['company']\n", 'one of "article", "page"'),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_with_what_is_right(text: str, expected: str) -> None:
    found = problems(text)
    assert any(expected in line for line in found), found


def test_a_feed_may_hold_records() -> None:
    text = RECORD + "[output.feeds.'a.csv']\nitems = ['company']\n"
    assert load(HEAD + text).template.output.feeds[0].items == ("company",)


def test_the_schema_knows_fields_and_their_labels_alone() -> None:
    fields = json_schema(language_of())["properties"]["record"]["additionalProperties"][
        "properties"
    ]["fields"]
    kinds = fields["additionalProperties"]["anyOf"]
    assert kinds[0] == {"type": "string"}
    assert set(kinds[2]["properties"]) == {"labels", "type", "required", "many", "pattern", "from"}


FINDER = LabelFinder(
    {
        "phone": Words(["电话|联系电话|Tel"]),
        "mobile": Words(["手机|电话"]),
        "name": Words(["公司名称", "re:名.{0,3}字"]),
    }
)


@each_row(
    ("text", "expected"),
    [
        ("联系电话", [(("phone",), "联系电话")]),
        ("電　話：", [(("phone", "mobile"), "電　話")]),
        ("Ｔｅｌ:", [(("phone",), "Ｔｅｌ")]),
        ("Telephone hotel", []),
        ("有限公司 名称", []),
        ("名 的 字", [(("name",), "名 的 字")]),
        ("手机电话", [(("mobile",), "手机"), (("phone", "mobile"), "电话")]),
    ],
)
def test_labels_are_found_whatever_their_spelling(
    text: str, expected: list[tuple[tuple[str, ...], str]]
) -> None:
    assert [(one.fields, text[one.start : one.end]) for one in FINDER(text)] == expected


@given(st.text(alphabet="联系电话手机公司名称字 TelTEL：\u200b", max_size=40))
def test_labels_come_in_order_and_never_overlap(text: str) -> None:
    end = 0
    for label in FINDER(text):
        assert label.start >= end
        assert label.end > label.start
        end = label.end
