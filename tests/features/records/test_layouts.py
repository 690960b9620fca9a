"""Records are told apart by the layout of a page: tables, siblings under heads, lines of one entry each."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from focuscrawl.features.records.table import RecordTable
from focuscrawl.template.load import load
from tests.cost import holds
from tests.features.records.test_reader import read
from tests.tables import each_row

pytestmark = pytest.mark.C7

SHOPS = (
    ("云杉城东店", "成都市样例路12号", "028-55501234"),
    ("云杉城西店", "成都市图纸街7号", "028-55505678"),
    ("云杉城南店", "成都市石榴巷9号", "028-55509012"),
)
READ = [{"name": [name], "address": [address], "phone": [phone]} for name, address, phone in SHOPS]


def rows(*names: str, cells: Sequence[tuple[str, ...]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{one}</td>" for one in row) + "</tr>" for row in cells)
    return f"<table><tr>{head}</tr>{body}</table>"


LISTED = {
    "a table whose head has no label of the name": rows("店名", "地址", "电话", cells=[*SHOPS]),
    "a table whose head is unknown in one column": rows(
        "序号", "门店", "地址", "电话", cells=[(str(n), *shop) for n, shop in enumerate(SHOPS)]
    ),
    "two halves side by side": rows(
        *("店名", "地址", "电话") * 2, cells=[(*SHOPS[0], *SHOPS[1]), (*SHOPS[2], "", "", "")]
    ),
    "headings": "".join(
        f"<h4>{name}</h4><p>地址：{address}</p><p>电话：{phone}</p>"
        for name, address, phone in SHOPS
    ),
    "terms": "<dl>"
    + "".join(
        f"<dt>{name}</dt><dd>地址：{address}</dd><dd>电话：{phone}</dd>"
        for name, address, phone in SHOPS
    )
    + "</dl>",
    "a line each": "".join(
        f"<p>{name}：{address}；电话：{phone}</p>" for name, address, phone in SHOPS
    ),
    "a numbered line each": "".join(
        f"<p>{n}.{name}：{address}；电话：{phone}</p>"
        for n, (name, address, phone) in enumerate(SHOPS, 7)
    ),
    "numbered lines": "".join(
        f"<li>{n}、{name} 地址：{address} 电话：{phone}</li>"
        for n, (name, address, phone) in enumerate(SHOPS, 1)
    ),
}


@each_row("layout", LISTED)
def test_each_shop_of_a_list_is_a_record(layout: str) -> None:
    assert sorted(read(LISTED[layout]), key=str) == sorted(READ, key=str)


def test_a_list_of_names_and_numbers_needs_no_label() -> None:
    body = "".join(
        f"<div class='one'><b>{name}</b><p>号码是：</p><p>{phone}</p></div>"
        for name, _, phone in SHOPS
    )
    assert [(r["name"], r["phone"]) for r in read(body)] == [
        ([name], [phone]) for name, _, phone in SHOPS
    ]


def test_the_numbers_of_departments_are_one_record() -> None:
    parts = ("教务处", "财务处", "保卫处", "学生处")
    cells = [(part, f"8555012{n}") for n, part in enumerate(parts)]
    (record,) = read(rows("部门名称", "联系电话", cells=cells) + "<p>邮箱：info@a.com</p>")
    assert record["phone"] == [number for _, number in cells]
    assert "name" not in record


def test_departments_under_headings_are_one_record_where_the_page_names_whose_they_are() -> None:
    parts = ("证书申请", "样品检验", "报告查询", "广告审批")
    body = "<p>公司名称：青禾检测有限公司</p><p>地址：成都市样例路12号</p>" + "".join(
        f"<h5>{part}</h5><p>电话：028-5550123{n}</p>" for n, part in enumerate(parts)
    )
    (record,) = read(body)
    assert record["name"] == ["青禾检测有限公司"]
    assert len(record["phone"]) == len(parts)


def test_a_name_that_spans_rows_holds_them_together() -> None:
    body = (
        "<table><tr><th>店名</th><th>电话</th></tr>"
        "<tr><td rowspan=2>云杉城东店</td><td>028-55501234</td></tr><tr><td>028-55505678</td></tr>"
        "<tr><td>云杉城西店</td><td>028-55509012</td></tr></table>"
    )
    first, second = read(body)
    assert first == {"name": ["云杉城东店"], "phone": ["028-55501234", "028-55505678"]}
    assert second["phone"] == ["028-55509012"]


def test_a_post_code_behind_an_address_is_no_part_of_it() -> None:
    (record,) = read("<p>地址：兰州市样例路12号3室（730000）</p><p>电话：0931-5550123</p>")
    assert (record["address"], record["zip"]) == (["兰州市样例路12号3室"], ["730000"])


def test_a_block_without_labels_is_known_by_its_kinds() -> None:
    body = (
        "<h3>Cedar Head Office</h3><div>Rm. 2, 8F, No. 9, Long Rd., North Dist., Sample City</div>"
        "<div>+886 2 2999 8855</div><div>info@cedar.example</div>"
    )
    (record,) = read(body)
    assert record["name"] == ["Cedar Head Office"]
    assert record["phone"] == ["+886 2 2999 8855"]
    assert record["email"] == ["info@cedar.example"]
    assert "address" in record


def test_a_mobile_behind_a_person_is_a_number() -> None:
    (record,) = read("<p>地址：成都市样例路12号</p><p>联系人：陈一 13912345678</p>")
    assert record["phone"] == ["13912345678"]


PROSE = "<p>" + "本次活动由多家单位共同举办，现将有关事项通知如下，请各有关单位认真组织实施。" * 6


def test_a_dated_notice_that_mentions_a_number_has_no_record() -> None:
    body = "<h1>关于举办活动的通知</h1><p>2026-05-06 10:00</p>" + PROSE
    assert read(body + "<p>联系电话：028-55501234</p><p>邮箱：info@a.com</p>") == []


def test_a_dated_notice_may_hold_a_table_of_organisations() -> None:
    body = "<h1>关于公布名单的通知</h1><p>2026-05-06 10:00</p>" + PROSE
    assert len(read(body + LISTED["a table whose head has no label of the name"])) == len(SHOPS)


@pytest.mark.timed
@pytest.mark.parametrize(
    "body",
    [
        "".join(f"<p>样例{n}店</p><p>电话：028-8555{n:04}</p>" for n in range(1_500)),
        "<table><tr><th>店名</th><th>电话</th></tr>"
        + "<tr><td rowspan=999>样例店</td><td rowspan=999>13912345678</td></tr>" * 1_500
        + "</table>",
        "<p>电话：028-55501234 邮箱：a@b.com</p>" + ("<p>" + "a," * 80 + "</p>") * 1_500,
        "<p>电话：028-55501234 邮箱：a@b.com</p>" + ("<p>" + "路" * 1_400 + "</p>") * 100,
    ],
)
def test_a_page_made_to_be_slow_is_not(body: str) -> None:
    holds(lambda: read(body))


def test_a_page_with_one_label_again_and_again_is_read() -> None:
    """Local numbers look like nothing by themselves, and a page of them may have no other field."""
    body = "".join(
        f"<h3>第{town}区</h3><table><tr><th>科室</th><th>电话</th></tr><tr><td>登记科</td><td>8555{n}001</td></tr></table>"
        for n, town in enumerate("一二三四")
    )
    (record,) = read(body)
    assert record["phone"] == [f"8555{n}001" for n in range(4)]


def test_all_numbers_of_a_long_list_are_kept() -> None:
    cells = [(f"第{n}科室", f"855501{n}") for n in range(10, 40)]
    (record,) = read(rows("部门名称", "联系电话", cells=cells) + "<p>邮箱：info@a.com</p>")
    assert record["phone"] == [number for _, number in cells]


ADDRESS_LINES = ("100 Sample Road,", "Suite 7", "Springvale, Ontario L3R 5J2")


@pytest.mark.parametrize("tag", ["br", "div", "p"])
def test_an_address_goes_on_to_the_line_with_its_code(tag: str) -> None:
    lines = "<br>".join(ADDRESS_LINES)
    if tag != "br":
        lines = "".join(f"<{tag}>{line}</{tag}>" for line in ADDRESS_LINES)
    (record,) = read(
        f"<address>{lines}</address><p><a href='tel:4165550123'>Tel: 416-555-0123</a></p>"
    )
    assert record["address"] == ["100 Sample Road Suite 7 Springvale, Ontario L3R 5J2"]


def test_an_address_ends_where_its_box_does() -> None:
    number = "<a href='tel:4165550123'>Tel: 416-555-0123</a>"
    (record,) = read(
        f"<address><p>100 Sample Road</p><h4>Springvale, Ontario L3R 5J2</h4>{number}</address>"
    )
    assert record["address"] == ["100 Sample Road"]


def test_numbers_that_links_call_need_no_label() -> None:
    body = "".join(f"<p><a href='tel:+1416555012{n}'>416-555-012{n}</a></p>" for n in range(3))
    (record,) = read(body)
    assert len(record["phone"]) == 3


def test_two_numbers_of_a_line_are_told_apart_by_its_links() -> None:
    body = "<a href='tel:800-555-0123'>800-555-0123</a> <a href='tel:904-555-0187'>904-555-0187</a>"
    (record,) = read(f"<address>100 Sample Road<br>Springvale, Florida 32224<br>{body}</address>")
    assert record["phone"] == ["800-555-0123", "904-555-0187"]


def test_branches_are_named_with_the_town_in_brackets_before_them() -> None:
    shops = (
        ("（四川成都）青石店", "样例路12号"),
        ("（四川绵阳）石榴店", "图纸街7号"),
        ("（重庆）云杉店", "石榴巷9号"),
    )
    found = read(
        "".join(f"<p>{n}.{name}：{place}</p>" for n, (name, place) in enumerate(shops, 1))
        + "<p>电话：028-55501234</p><p>邮箱：info@a.com</p>"
    )
    named = {(*r["name"], *r["address"]) for r in found if "address" in r}
    assert named == set(shops)


def test_a_house_number_before_a_colon_is_no_label() -> None:
    body = "".join(f"<p>{name} : {place} ： 电话：{phone}</p>" for name, place, phone in SHOPS)
    assert [r["address"] for r in read(body)] == [[place] for _, place, _ in SHOPS]


FOREIGN = {
    "会社名|住所|電話番号|FAX番号|メール": "株式会社こもれび",
    "상호|주소|전화|팩스|이메일": "주식회사 푸른들",
    "Наименование|Адрес|Телефон|Факс|Почта": "Северный Лес",
    "Firmenname|Anschrift|Telefon|Telefax|E-Mail": "Zehnder Uhren",
    "Raison sociale|Adresse|Téléphone|Télécopie|Courriel": "Atelier du Lac",
    "Razón social|Dirección|Teléfono|Fax|Correo": "Taller del Lago",
    "Trade name|Street address|T|F|E": "Lakeside Works",
}


@each_row("labels", FOREIGN)
def test_labels_of_other_languages_are_shipped(labels: str) -> None:
    rules = load("directory").template.named(RecordTable)["company"]
    values = (
        FOREIGN[labels],
        "12 Sample Lane 3",
        "02-555-4410",
        "02-555-4411",
        "office@lake.example",
    )
    body = "".join(
        f"<p>{label}: {value}</p>" for label, value in zip(labels.split("|"), values, strict=True)
    )
    (record,) = read(body, rules)
    assert record == dict(
        zip(("name", "address", "phone", "fax", "email"), ([one] for one in values), strict=True)
    )


@each_row(
    "lines",
    [
        ("Musterallee 22", "71034 Beispielstadt"),
        ("6 Sample Chambers", "Brook Lane", "Lakeham LK2 1UA"),
        ("12 E. Sample Drive", "Springvale, NC 27609"),
        ("P.O. Box 1180", "Springvale, CA 91102, United States"),
        ("Level 3, 120 Sample Street", "Lakeham VIC 3000"),
        ("12 bis, avenue du Modèle", "69003 Beauville"),
        ("One Sample Way", "Lakeham, WA 98052-6399"),
    ],
)
def test_lines_above_a_town_with_its_code_are_its_address(lines: tuple[str, ...]) -> None:
    body = "<br>".join(("Lakeside Pottery Ltd", *lines))
    (record,) = read(f"<p>{body}</p><p>电话：028-55501234</p>", title="联系我们")
    assert record["address"] == [" ".join(lines)]
    assert record["name"] == ["Lakeside Pottery Ltd"]


@pytest.mark.parametrize("label", ["俱乐部", "北区体验店", "加工厂"])
def test_a_whole_address_behind_the_name_of_a_place_is_one(label: str) -> None:
    (record,) = read(
        f"<p>{label}：成都市样例区图纸路7号</p><p>电话：028-55501234</p>", title="联系我们"
    )
    assert record["address"] == ["成都市样例区图纸路7号"]
    assert (
        read("<p>报名地点：成都市样例区图纸路7号</p><p>电话：028-55501234</p>", title="联系我们")
        == []
    )
