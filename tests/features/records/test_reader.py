"""Records are read off pages however their blocks of labels are laid out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.articles.article import is_dated
from focuscrawl.features.records.field_values import Value
from focuscrawl.features.records.lines import read_lines
from focuscrawl.features.records.reader import element_weights, heaviest_element, read_records
from focuscrawl.features.records.table import FieldType, RecordField, RecordTable
from focuscrawl.readers.pages.document import Document
from focuscrawl.template.kinds.words import Words
from focuscrawl.values import Selector
from tests.cost import holds
from tests.tables import each_row

pytestmark = pytest.mark.C7

LABELS = {
    "name": "公司名称|单位名称",
    "address": "地址|公司地址|Address",
    "phone": "电话|联系电话|热线",
    "fax": "传真",
    "email": "邮箱|E-mail",
    "zip": "邮编",
    "website": "网址",
    "qq": "QQ",
    "contact": "联系人",
    "staff": "员工",
    "since": "成立",
}


def field(
    name: str,
    type: FieldType = "text",
    *,
    required: bool = False,
    many: bool = False,
    pattern: regex.Pattern[str] | None = None,
    places: tuple[str | Selector, ...] = ("labels",),
) -> RecordField:
    """Make a field with the labels above."""
    return RecordField(
        name=name,
        labels=Words([LABELS[name]]),
        type=type,
        required=required,
        many=many,
        pattern=pattern,
        places=places,
    )


def company(fields: tuple[RecordField, ...], identity: tuple[str, ...] = ()) -> RecordTable:
    return RecordTable(
        name="company",
        pages="all",
        one_per="block",
        identity=identity,
        strict=False,
        fields=fields,
    )


RULES = company(
    (
        field("name", "text", required=True, places=("labels", "copyright", "title")),
        field("address", "address"),
        field("phone", "phone", many=True),
        field("fax", "fax"),
        field("email", "email"),
        field("zip", "zip"),
        field("website", "url"),
        field("qq", "qq", many=True),
        field("contact"),
        field("staff", "number"),
        field("since", "date"),
    ),
    ("name",),
)
NAME, ADDRESS, PHONE = "成都云杉软件有限公司", "四川省成都市样例路12号", "028-55501234"
ONE = {"name": [NAME], "address": [ADDRESS], "phone": [PHONE], "email": ["info@a.com"]}


def read(
    body: str, rules: RecordTable = RULES, title: str = "", encoding: str = "utf-8"
) -> list[dict[str, list[Value]]]:
    html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    document = Document.read(html.encode(encoding), url="http://a.cn/contact")
    zone, now = "Asia/Shanghai", 1_795_147_200.0
    dated = partial(is_dated, document, fetched=now, timezone=zone)
    found = read_records(document, rules, is_dated=dated, timezone=zone, now=now)
    return [
        {name: [one.value for one in values] for name, values in record.items()} for record in found
    ]


LAYOUTS = {
    "cells": f"<table><tr><th>公司名称</th><td>{NAME}</td></tr><tr><th>地址</th><td>{ADDRESS}</td></tr>"
    f"<tr><th>电话</th><td>{PHONE}</td></tr><tr><th>邮箱</th><td>info@a.com</td></tr></table>",
    "two pairs a row": f"<table><tr><td>公司名称：</td><td>{NAME}</td><td>电话：</td><td>{PHONE}</td></tr>"
    f"<tr><td>地址：</td><td>{ADDRESS}</td><td>邮箱：</td><td>info@a.com</td></tr></table>",
    "a head of labels": "<table><tr><td>公司名称</td><td>地址</td><td>电话</td><td>邮箱</td></tr>"
    f"<tr><td>{NAME}</td><td>{ADDRESS}</td><td>{PHONE}</td><td>info@a.com</td></tr></table>",
    "terms": f"<dl><dt>公司名称</dt><dd>{NAME}</dd><dt>地址</dt><dd>{ADDRESS}</dd><dt>电话</dt><dd>{PHONE}</dd>"
    "<dt>邮箱</dt><dd>info@a.com</dd></dl>",
    "breaks": f"<p>公司名称：{NAME}<br>地 址：{ADDRESS}<br>电　话:{PHONE}<br>E-mail：info@a.com</p>",
    "one line": f"<p>公司名称：{NAME}　地址：{ADDRESS}　联系电话：{PHONE}　邮箱：info@a.com</p>",
    "glued": f"<p>公司名称：{NAME}地址：{ADDRESS}电话：{PHONE}邮箱：info@a.com</p>",
    "spans": f"<div><span>公司名称</span><span>{NAME}</span></div><div><span>地址</span><span>{ADDRESS}</span></div>"
    f"<div><span>电话</span><span>{PHONE}</span></div><div><span>邮箱</span><span>info@a.com</span></div>",
    "next line": f"<p>公司名称</p><p>{NAME}</p><p>地址：</p><p>{ADDRESS}</p><p>电话</p><p>{PHONE}</p>"
    "<p>邮箱</p><p>info@a.com</p>",
    "brackets": f"<p>【公司名称】{NAME}</p><p>【地址】{ADDRESS}</p><p>[电话]{PHONE}</p><p>[邮箱]info@a.com</p>",
    "letters": f"<p><b>电</b><b>话</b>：{PHONE}</p><p><b>地</b> <b>址</b>：{ADDRESS}</p>"
    f"<p>公司名称：{NAME}</p><p>邮箱：info@a.com</p>",
    "heading": f"<h3>{NAME}</h3><p>地址：{ADDRESS}</p><p>全国服务热线：{PHONE}</p><p>邮箱：info@a.com</p>",
    "label below": f"<h3>{NAME}</h3><table><tr><td><p>{PHONE}</p><p>电话</p></td>"
    f"<td><p>{ADDRESS}</p><p>地址</p></td><td><p>info@a.com</p><p>邮箱</p></td></tr></table>",
    "icons": f"<h3>{NAME}</h3><p>联系我们 热线见下</p><ul><li><i class='fa fa-phone'></i> {PHONE}</li><li>地址：{ADDRESS}</li>"
    "<li><i class='icon-envelope'></i>info@a.com</li></ul>",
    "two languages": f"<p>公司名称：{NAME}</p><p>地址 Address：{ADDRESS}</p><p>电话：{PHONE}</p>"
    "<p>邮箱/E-mail：info@a.com</p>",
    "links": f"<p>公司名称：{NAME}</p><p>地址：{ADDRESS}</p><p>电话 <a href='tel:{PHONE}'>{PHONE}</a></p>"
    "<p>邮箱：<a href='maillto:info@a.com?subject=x'>写信</a></p>",
}  # fmt: skip


@each_row("layout", LAYOUTS)
def test_a_block_is_read_in_every_layout(layout: str) -> None:
    assert read(LAYOUTS[layout]) == [ONE]


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8", "utf-16"])
def test_the_encoding_of_the_page_makes_no_difference(encoding: str) -> None:
    assert read(LAYOUTS["breaks"], encoding=encoding) == [ONE]


def test_all_types_have_one_spelling() -> None:
    (record,) = read(
        "<p>公司名称：云杉<br>电话：（０２８）５５５０１２３４转801、199 1234 5678<br>传真：+86-28-5550 9999<br>"
        "邮箱：Info ＠ A.com<br>邮编：610000<br>网址：www.A.com/关于<br>QQ：12345678，87654321<br>"
        "员工：1,200人<br>成立：2008年5月1日</p>"
    )
    assert record["phone"] == ["028-55501234-801", "19912345678"]
    assert record["fax"] == ["028-55509999"]
    assert record["email"] == ["info@a.com"]
    assert record["zip"] == ["610000"]
    assert record["website"] == ["http://www.a.com/"]
    assert record["qq"] == ["12345678", "87654321"]
    assert record["staff"] == [1200]
    assert record["since"] == ["2008-05-01"]


def test_a_sentence_behind_a_mail_address_is_no_part_of_it() -> None:
    (record,) = read(f"<p>邮箱：info @ a.com. Our office is closed. <br>电话：{PHONE}</p>")
    assert record["email"] == ["info@a.com"]


def test_several_companies_of_a_page_stay_apart() -> None:
    flat = "".join(
        f"<p>公司名称：云杉{part}分公司</p><p>地址：成都市样例路{number}号</p><p>电话：028-5550000{number}</p>"
        for number, part in enumerate("东西南")
    )
    boxes = "".join(
        f"<div><h4>云杉{part}分公司</h4><p>地址：成都市样例路{number}号</p><p>电话：028-5550000{number}</p></div>"
        for number, part in enumerate("东西南")
    )
    rows = "<table><tr><th>公司名称</th><th>地址</th><th>电话</th></tr>" + "".join(
        f"<tr><td>云杉{part}分公司</td><td>成都市样例路{number}号</td><td>028-5550000{number}</td></tr>"
        for number, part in enumerate("东西南")
    )
    expected = [
        {"name": [f"云杉{part}分公司"], "address": [f"成都市样例路{number}号"], "phone": [f"028-5550000{number}"]}
        for number, part in enumerate("东西南")
    ]  # fmt: skip
    for body in (flat, f"<div>{boxes}</div>", rows + "</table>"):
        assert sorted(read(body), key=str) == sorted(expected, key=str)


def test_records_without_names_are_parted_where_the_first_field_comes_again() -> None:
    body = "".join(f"电话：028-5550000{n}<br>传真：028-5550001{n}<br>" for n in range(3))
    assert [one["fax"] for one in read(f"<p>{body}</p>")] == [[f"028-5550001{n}"] for n in range(3)]
    assert [one["phone"] for one in read(f"<p>{body}</p>")] == [
        [f"028-5550000{n}"] for n in range(3)
    ]


def test_the_foot_that_repeats_the_block_is_no_second_record() -> None:
    foot = f"<div class='foot'>地址：{ADDRESS} 电话：{PHONE} 版权所有 {NAME}</div>"
    assert read(LAYOUTS["cells"] + "<p>导航</p>" * 9 + foot) == [ONE]


def test_what_contradicts_follows_the_value_that_holds() -> None:
    foot = f"<div>地址：成都市旧路3号 电话：{PHONE}</div>"
    (record,) = read(LAYOUTS["cells"] + "<p>导航</p>" * 9 + foot)
    assert record["address"] == [ADDRESS, "成都市旧路3号"]


def test_one_per_page_joins_all_blocks() -> None:
    two = LAYOUTS["cells"] + "<h3>绵阳青禾食品有限公司</h3><p>地址：绵阳市样例路9号</p>"
    assert len(read(two)) == 2
    (record,) = read(two, replace(RULES, one_per="page"))
    assert record["name"] == [NAME, "绵阳青禾食品有限公司"]


def test_forms_ask_and_tell_nothing() -> None:
    form = (
        "<form>姓名：<input> 电话：<input type='text'> 邮箱：<input><br>地址：<textarea>北京市某路1号</textarea>"
        "<label>公司名称</label><div><input></div></form>"
    )
    assert read(form) == []
    assert read(form + LAYOUTS["breaks"]) == [ONE]


def test_whoever_made_the_site_is_not_whom_it_is_about() -> None:
    maker = "<p>技术支持：纸飞机网络有限公司 电话：0571-55590000</p>"
    assert read(LAYOUTS["breaks"] + maker) == [ONE]


@each_row("nothing", ["null", "待定", "暂无", "-", "请输入电话", "xxxx", ""])
def test_words_for_nothing_are_no_values(nothing: str) -> None:
    (record,) = read(
        f"<p>公司名称：云杉<br>电话：{PHONE}<br>传真：{nothing}<br>地址：{nothing}</p>"
    )
    assert record == {"name": ["云杉"], "phone": [PHONE]}


def test_numbers_that_are_no_telephones_are_not_taken() -> None:
    body = (
        f"<p>公司名称：云杉<br>电话：{PHONE}<br>账号：2401 9401 04000 4896<br>订单号：20250611083422"
        "<br>统一社会信用代码：915101007654321098<br>蜀ICP备2026000590号-1<br>工作时间：9:00-18:00</p>"
    )
    assert read(body) == [{"name": ["云杉"], "phone": [PHONE]}]


def test_unknown_labels_may_name_telephones_of_a_block() -> None:
    body = "<p>地址：成都市样例路1号<br>质量检测：028-55501111<br>投诉建议：028-55502222</p>"
    assert read(body) == [
        {"address": ["成都市样例路1号"], "phone": ["028-55501111", "028-55502222"]}
    ]


def test_a_list_goes_on_in_the_next_lines() -> None:
    body = (
        "<div>联系电话：<p>028-55501111</p><p>028-55502222</p><p>其他</p><p>邮编：610000</p></div>"
    )
    assert read(body) == [{"phone": ["028-55501111", "028-55502222"], "zip": ["610000"]}]


def test_links_to_qq_count_beside_values_only_and_no_made_up_numbers() -> None:
    link = "<a href='http://wpa.qq.com/msgrd?v=3&uin={}&site=qq'><img src='q.gif'></a>"
    block = f"<p>公司名称：云杉</p><p>电话：{PHONE}</p>"
    assert read(f"{block}<p>QQ：{link.format('713050900')}</p>")[0]["qq"] == ["713050900"]
    assert "qq" not in read(f"{block}<p>QQ：{link.format('123456789')}</p>")[0]
    far = "<p>导航</p>" * 20 + link.format("713050900")
    assert "qq" not in read(block + far)[0]


def test_what_is_seen_counts_more_than_what_a_link_says() -> None:
    body = (
        f"<p>公司名称：云杉</p><p>电话：<a href='tel:028-99999999'>{PHONE}</a></p>"
        "<p>邮箱：<a href='mailto:old@b.com'>new@a.com</a></p>"
    )
    assert read(body) == [{"name": ["云杉"], "phone": [PHONE], "email": ["new@a.com"]}]


def test_comments_and_scripts_are_not_read() -> None:
    hidden = "<!-- QQ：23165062 --><script>var a='传真：028-55508888'</script>"
    assert read(hidden + LAYOUTS["breaks"]) == [ONE]


@each_row(
    ("body", "title", "name"),
    [
        ("版权所有：成都木棉建材有限公司 蜀ICP备2026000001号", "联系我们", "成都木棉建材有限公司"),
        ("Copyright © 2011-2026 All Rights Reserved. 木棉传媒 版权所有", "联系我们", "木棉传媒"),
        ("", "联系我们 - 木棉全屋定制", "木棉全屋定制"),
        ("", "联系我们_欢迎来到成都木棉建材有限公司", "成都木棉建材有限公司"),
        ("", "联系我们", None),
        ("", "木棉价格-木棉厂家-木棉批发-联系我们", None),
    ],
)
def test_a_name_without_a_label_is_found_elsewhere(body: str, title: str, name: str | None) -> None:
    (record,) = read(f"<p>地址：{ADDRESS}</p><p>电话：{PHONE}</p><div>{body}</div>", title=title)
    assert record.get("name") == ([name] if name else None)


def test_a_selector_finds_a_value() -> None:
    fields = (field("name", places=(Selector("css", "h1.who"),)), *RULES.fields[1:])
    (record,) = read(
        f"<h1 class='who'>云杉</h1><p>地址：{ADDRESS}</p><p>电话：{PHONE}</p>",
        company(fields),
    )
    assert record["name"] == ["云杉"]


def test_a_value_must_match_its_pattern() -> None:
    fields = (field("staff", "text", pattern=regex.compile(r"(\d+)\s*人")), *RULES.fields[1:9])
    rules = company(fields)
    assert read(f"<p>员工：约 300 人<br>电话：{PHONE}</p>", rules)[0]["staff"] == ["300"]
    assert "staff" not in read(f"<p>员工：很多<br>电话：{PHONE}<br>邮编：610000</p>", rules)[0]


def test_an_article_of_a_day_is_no_page_of_a_record() -> None:
    prose = (
        "成都市昨日公布了第三批食品安全抽检结果，共抽检样品一百二十批次，其中三批次不合格，已责令下架召回。"
        * 4
    )
    news = f"<h1>第三批抽检结果公布</h1><p>发布时间：2026-11-18 08:00</p><p>{prose}</p>"
    foot = f"<div>地址：{ADDRESS} 电话：{PHONE} 邮编：610000</div>"
    assert read(news + foot) == []
    assert read(foot) != []


@each_row(
    "body",
    [
        "",
        "<p>没有标签的一页</p>",
        "<p>请拨打电话联系我们</p>",
        f"<p>电话：{PHONE}</p>",
        "\x00\x01\x02",
    ],
)
def test_pages_without_a_block_have_no_record(body: str) -> None:
    assert read(body) == []


@pytest.mark.timed
@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 10_000 + f"电话：{PHONE}<br>地址：{ADDRESS}",
        "电话：" * 100_000,
        f"<p>电话：{PHONE}</p><p>地址：{ADDRESS}</p>" * 10_000,
        "<tr><td>电话</td><td>地址</td>" * 20_000,
        "公司" * 500_000 + "电话 地址",
        "028-5550-" * 100_000 + "电话：1 地址：2",
        "<i class='fa fa-phone'></i>" * 50_000 + "电话 地址",
        "（" * 100_000 + "电话：地址：" + "）" * 100_000,
    ],
    ids=["deep", "labels", "records", "cells", "name", "number", "icons", "brackets"],
)
def test_hostile_pages_cost_less_than_two_seconds(body: str) -> None:
    holds(lambda: read(body))


PIECES = st.sampled_from(
    ["公司名称", "电话", "地址", "：", "028-55501234", "成都市样例路1号", "<p>", "</p>", "<td>", "<br>", "<b>", "　",
     "邮箱", "a@b.com", "<input>", "<a href='mailto:a@b.com'>", "</a>", "【", "】", "云杉有限公司", "<table><tr>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60))
def test_every_value_is_printed_on_the_page(pieces: list[str]) -> None:
    body = "".join(pieces)
    for record in read(body):
        for values in record.values():
            for value in values:
                assert str(value).split()[0] in body


STRICT = replace(RULES, strict=True)
COMPANY = "<p>公司名称：云杉软件</p><p>地址：四川省成都市样例路12号</p><p>电话：028-55501234</p>"
BRANCH = "<p>地址：四川省绵阳市样例路3号</p><p>电话：0816-5550123</p>"


def document(body: str) -> Document:
    return Document.read(f"<html><body>{body}</body></html>".encode(), url="http://a.cn/")


def block(body: str) -> str:
    """Return the id of the block that is taken, or its tag."""
    page = document(body)
    element = heaviest_element(element_weights(read_lines(page.root), STRICT))
    return "" if element is None else element.get("id", element.tag)


def read_strictly(body: str) -> list[dict[str, list[object]]]:
    return [
        {name: [one.value for one in found] for name, found in record.items()}
        for record in read_records(document(body), STRICT, is_dated=bool)
    ]


@each_row(
    ("body", "taken"),
    [
        (f"<div id=outer><div id=inner>{COMPANY}</div></div>", "inner"),
        (f"<div id=all><div id=one>{COMPANY}</div><div id=two>{BRANCH}</div></div>", "one"),
        (f"<div id=first>{BRANCH}</div><div id=second>{BRANCH}</div>", "first"),
        ("<div id=a><p>电话：1</p></div><div id=b><p>热线：2</p><p>联系电话：3</p></div>", "p"),
        (f"<div id=main>{COMPANY}</div><div id=foot><p>邮编：610000</p></div>", "body"),
        ("<table id=t><tr id=r><td>地址</td><td>电话</td></tr><tr><td>甲</td><td>乙</td></tr></table>", "r"),
        ("<p>没有标签的一页</p>", ""),
        ("", ""),
    ],
    ids=["inner", "most", "first", "synonyms", "all of it", "row", "none", "empty"],
)  # fmt: skip
def test_the_innermost_tag_with_most_keywords_under_it_is_the_block(body: str, taken: str) -> None:
    assert block(body) == taken


def test_a_page_has_one_record_and_only_what_stands_in_its_block() -> None:
    found = read_strictly(f"<div>{COMPANY}</div><div>{BRANCH}</div><p>传达室：99</p>")
    assert found == [
        {"name": ["云杉软件"], "address": ["四川省成都市样例路12号"], "phone": ["028-55501234"]}
    ]
    page = document(f"<div>{COMPANY}</div><div>{BRANCH}</div>")
    by_default = read_records(page, RULES, is_dated=bool)
    assert len(by_default) == 2


def test_a_keyword_in_the_foot_widens_the_block_to_the_whole_page() -> None:
    """As published; the default form keeps such a line out when it contradicts the block."""
    (record,) = read_strictly(
        f"<div>{COMPANY}</div><div>{BRANCH}</div><div><p>邮编：610000</p></div>"
    )
    assert record["zip"] == ["610000"]
    assert len(record["phone"]) == 2


@pytest.mark.parametrize("body", ["", "<p>联系电话</p>", "<a href='tel:02855501234'>拨打</a>"])
def test_pages_without_a_value_behind_a_keyword_have_no_record(body: str) -> None:
    assert read_strictly(body) == []


def test_the_weight_of_a_tag_is_that_of_all_keywords_under_it() -> None:
    page = document(f"<div id=one>{COMPANY}</div><p>传真：028-55509999</p>")
    by_id = {
        element.get("id", element.tag): names
        for element, names in element_weights(read_lines(page.root), STRICT).items()
    }
    assert by_id["one"] == {"name", "address", "phone"}
    assert by_id["body"] == by_id["html"] == {"name", "address", "phone", "fax"}
