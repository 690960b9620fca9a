"""Several records on one page stay apart: each value with its own record, in layouts of many kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from focuscrawl.features.records.field_values import Value
from focuscrawl.features.records.table import RecordTable
from focuscrawl.template.load import load
from tests.features.records import test_reader
from tests.tables import each_row

pytestmark = pytest.mark.C7

RULES = load("directory").template.named(RecordTable)["company"]


def read(body: str) -> list[dict[str, list[Value]]]:
    return test_reader.read(body, RULES)


BRANCHES = (
    ("云杉家居成都分公司", "成都市样例路12号", "028-55501234"),
    ("云杉家居杭州分公司", "杭州市图纸街7号", "0571-55505678"),
    ("云杉家居西安分公司", "西安市石榴巷9号", "029-55509012"),
)
OFFICES = (
    ("Riverton Office", "12 Sample Street, Riverton, TX 75001", "+1 214-555-0101"),
    ("Lakeside Office", "7 Paper Road, Lakeside, CO 80401", "+1 303-555-0102"),
    ("Hillview Showroom", "9 Maple Avenue, Hillview, NY 10001", "+1 212-555-0103"),
)
FILIALS = (
    ("Филиал в Казани", "г. Казань, ул. Примерная, д. 12", "+7 843 555-01-01"),
    ("Филиал в Самаре", "г. Самара, ул. Бумажная, д. 7", "+7 846 555-01-02"),
    ("Филиал в Перми", "г. Пермь, ул. Кленовая, д. 9", "+7 342 555-01-03"),
)


def each(
    markup: Callable[[str, str, str], str], of: Sequence[tuple[str, str, str]] = BRANCHES
) -> str:
    return "".join(markup(*one) for one in of)


TERMS = each(lambda n, a, p: f"<dl><dt>{n}</dt><dd>地址：{a}</dd><dd>电话：{p}</dd></dl>")
CHINESE = {
    "terms": TERMS,
    "cards without labels": each(
        lambda n, a, p: (
            f"<div class=c><img src=x><div class=t>{n}</div><div class=a>{a}</div><div class=p>{p}</div></div>"
        )
    ),
    "columns": "<div class=row>"
    + each(
        lambda n, a, p: (
            f"<div class=col-md-4><h3>{n}</h3><ul><li><strong>地址</strong> {a}</li><li><strong>电话</strong> {p}</li></ul></div>"
        )
    )
    + "</div>",
    "headings and breaks": each(lambda n, a, p: f"<h3>{n}</h3><p>地址：{a}<br>电话：{p}</p>"),
    "cells side by side": "<table><tr>"
    + each(lambda n, a, p: f"<td><b>{n}</b><br>地址：{a}<br>电话：{p}</td>")
    + "</tr></table>",
    "a table each": each(
        lambda n, a, p: (
            f"<table><caption>{n}</caption><tr><td>地址</td><td>{a}</td></tr><tr><td>电话</td><td>{p}</td></tr></table>"
        )
    ),
    "a table with regions that span rows": "<table><tr><th>区域</th><th>门店</th><th>地址</th><th>电话</th></tr>"
    "<tr><td rowspan=3>各省</td>"
    + "<tr>".join(each(lambda n, a, p: f"<td>{n}</td><td>{a}</td><td>{p}</td></tr>|").split("|"))
    + "</table>",
    "regions above": "<h2>各省</h2>"
    + each(lambda n, a, p: f"<div><p class=n>{n}</p><p>地址：{a}</p><p>电话：{p}</p></div>"),
}
FOREIGN = {
    "English headings": (
        each(lambda n, a, p: f"<div><h4>{n}</h4><p>{a}</p><p>Phone: {p}</p></div>", OFFICES),
        OFFICES,
    ),
    "English address elements": (
        each(lambda n, a, p: f"<h3>{n}</h3><address>{a}<br>Tel: {p}</address>", OFFICES),
        OFFICES,
    ),
    "Russian headings": (
        each(
            lambda n, a, p: f"<div><h3>{n}</h3><p>Адрес: {a}</p><p>Телефон: {p}</p></div>", FILIALS
        ),
        FILIALS,
    ),
}
PAGES = {**{name: (body, BRANCHES) for name, body in CHINESE.items()}, **FOREIGN}


def whole(branches: Sequence[tuple[str, str, str]]) -> list[dict[str, list[str]]]:
    return [{"name": [n], "address": [a], "phone": [p]} for n, a, p in branches]


@each_row("layout", PAGES)
def test_each_branch_keeps_its_own_values(layout: str) -> None:
    body, branches = PAGES[layout]
    assert sorted(read(body), key=str) == sorted(whole(branches), key=str)


@each_row("layout", PAGES)
@each_row("lone", ["<p>客服热线：400-555-0000</p>", "<p>info@fir.example</p>"])
def test_what_stands_in_the_same_box_behind_a_list_is_not_its_last_branch(
    layout: str, lone: str
) -> None:
    body, branches = PAGES[layout]
    found = read(body + lone)
    assert all(one in found for one in whole(branches))


def test_what_stands_in_the_same_box_before_a_list_is_not_its_first_branch() -> None:
    found = read("<p>客服热线：400-555-0000</p><p>邮箱：info@fir.example</p>" + TERMS)
    assert all(one in found for one in whole(BRANCHES))
    assert {"phone": ["400-555-0000"], "email": ["info@fir.example"]} in found


def test_a_company_behind_a_list_is_a_record_of_its_own() -> None:
    line = each(lambda n, a, p: f"<p>{n} 地址：{a}</p>")
    prose = "<p>我们为每一位来访者准备了一间休息室</p>" * 5
    own = "<h2>【联系方式】成都云杉投资有限公司</h2><p>公司地址：成都市松针路1号</p><p>客服热线：028-55507777</p>"
    found = read(f"<div>{line}{prose}{own}</div>")
    assert len(found) == len(BRANCHES) + 1
    assert {
        "name": ["成都云杉投资有限公司"],
        "address": ["成都市松针路1号"],
        "phone": ["028-55507777"],
    } in found


def test_a_row_with_an_address_alone_is_a_record_and_not_a_further_address_of_the_one_above() -> (
    None
):
    rows = each(
        lambda n, a, p: f"<tr><td>{n.split()[0]}</td><td>{a}</td><td>{p}</td></tr>", OFFICES
    )
    last = "<tr><td>Mapleton</td><td>4 Fir Lane, Mapleton, UT 84664</td><td></td></tr>"
    head = "<tr><th>Country</th><th>Address</th><th>Phone</th></tr>"
    found = read(f"<table>{head}{rows}{last}</table>")
    assert [r["address"] for r in found if "4 Fir Lane" in str(r)] == [
        ["4 Fir Lane, Mapleton, UT 84664"]
    ]
    assert len(found) == len(OFFICES) + 1


def test_a_post_code_and_a_person_are_no_gap_in_what_stands_under_a_head() -> None:
    found = read(
        each(
            lambda n, a, p: (
                f"<dl><dt>{n}</dt><dd>地址：{a}</dd><dd>邮编：610000</dd><dd>联系人：丁一</dd><dd>传真：无</dd><dd>电话：{p}</dd></dl>"
            )
        )
    )
    assert [one["phone"] for one in found] == [[p] for _, _, p in BRANCHES]
    assert [one["name"] for one in found] == [[n] for n, _, _ in BRANCHES]


@pytest.mark.parametrize("number", ["{}. ", "{}、", "{}<i></i>．", "{}）"])
def test_a_number_below_the_line_with_name_and_address_is_of_it(number: str) -> None:
    line = "<p>" + number + "{}：{}</p><p>电话：{}</p>"
    body = "<p>献血热线：028-55507777</p>"
    for n, (name, address, phone) in enumerate(BRANCHES):
        body += line.format("一二三"[n] if number == "{}、" else n + 1, name, address, phone)
    found = read(body)
    assert all(one in found for one in whole(BRANCHES))


def test_branches_with_headings_like_those_of_departments_are_records() -> None:
    parts = ("人力资源", "市场合作", "招商加盟")
    body = "<h2>云杉家居有限公司</h2>" + "".join(
        f"<h6>{part}</h6><p>电话：028-5550333{n}</p>" for n, part in enumerate(parts)
    )
    body += each(lambda n, a, p: f"<h6>{n}</h6><p>地址：{a}</p><p>专线：{p}</p>")
    found = read(f"<div>{body}</div>")
    assert all(one in found for one in whole(BRANCHES))
    (own,) = (one for one in found if one["name"] == ["云杉家居有限公司"])
    assert own["phone"] == [f"028-5550333{n}" for n in range(len(parts))]


@pytest.mark.parametrize(
    ("open_", "close"), [("<address>", "</address>"), ("<div class=o>", "</div>")]
)
def test_boxes_of_one_kind_with_addresses_of_their_own_are_records(open_: str, close: str) -> None:
    body = each(lambda n, a, p: f"{open_}<b>Our place</b><br>{a}<br>{p}{close}", OFFICES)
    found = read(body + f"{open_}4 Fir Lane, Mapleton, UT 84664{close}")
    assert [one["address"] for one in found] == [
        *([a] for _, a, _ in OFFICES),
        ["4 Fir Lane, Mapleton, UT 84664"],
    ]
    assert [one.get("phone") for one in found] == [*([p] for _, _, p in OFFICES), None]


def test_boxes_with_a_name_between_them_are_left_to_what_heads_them() -> None:
    markup = "<h3>{}</h3><address>{}<br>Tel: {}</address>"
    names = ("Fir Furniture Inc.", "Oak Furniture Inc.", "Elm Furniture Inc.")
    body = "".join(
        markup.format(name, a, p) for name, (_, a, p) in zip(names, OFFICES, strict=True)
    )
    assert [one["name"] for one in read(body)] == [[name] for name in names]


def test_the_hours_between_shops_are_no_address_of_one() -> None:
    line = (
        "<p>{}：{}</p><p>电话：{}</p><p>服务时间为：周一至周五14：30-20：30，周日为9：00-20：30</p>"
    )
    found = read("".join(line.format(*one) for one in BRANCHES))
    assert [one["name"] for one in found] == [[n] for n, _, _ in BRANCHES]


def test_branches_that_share_a_hotline_are_two_unless_their_address_is_said_in_another_language() -> (
    None
):
    markup = "<div><h3>Fir {}</h3><p>Address: {}</p><p>Tel: +1 800-555-0199</p></div>"
    names = ("Riverton Office", "Lakeside Office", "Hillview Office")
    listed = "".join(markup.format(name, a) for name, (_, a, _) in zip(names, OFFICES, strict=True))
    assert len(read(listed)) == len(OFFICES)
    chinese = "<h3>{}</h3><p>地址：{}</p><p>电话：{}</p>"
    again = "".join(
        f"<section><h3>{n}</h3><p>Address: {100 + i} Long Road, Building {i}</p><p>Tel: {p}</p></section>"
        for i, (n, _, p) in enumerate(BRANCHES)
    )
    assert len(read("".join(chinese.format(*one) for one in BRANCHES) + again)) == len(BRANCHES)


UNITS = (
    ("省园林厅", "样例市图纸街7号", "0571-55500101"),
    ("省水文局", "样例市石榴巷9号", "0571-55500102"),
    ("青少年宫", "样例市云杉路12号", "0571-55500103"),
)


def test_lines_are_named_by_labels_that_say_whose_a_person_is() -> None:
    line = "<p>{}联系人：方明，电话：{}，邮寄地址：{}</p>"
    found = read("".join(line.format(name, p, a) for name, a, p in UNITS))
    assert [one.get("name") for one in found] == [[name] for name, _, _ in UNITS]
    of_parts = "<p>{}联系人：方明，电话：{}，邮寄地址：{}</p>"
    parts = zip(("销售部", "财务部", "技术部"), UNITS, strict=True)
    assert not any(
        "name" in one
        for one in read("".join(of_parts.format(part, p, a) for part, (_, a, p) in parts))
    )


def test_a_heading_keeps_the_brackets_that_say_which_one_it_is() -> None:
    card = "<section><h4>{}</h4><p>地址：{}</p><p>电话：{}</p></section>"
    names = ("云杉酒店（图纸街店）", "石榴酒店（样例站店）")
    body = "".join(card.format(name, *one[1:]) for name, one in zip(names, UNITS, strict=False))
    of_nobody = (
        "<section><h4>会务组联系</h4><p>电话：0571-55500109</p><p>邮箱：a@fir.example</p></section>"
    )
    found = read(body + of_nobody)
    assert [one.get("name") for one in found] == [[names[0]], [names[1]], None]
    assert found[2]["email"] == ["a@fir.example"]


def test_a_number_before_a_heading_tells_it_from_what_stands_below() -> None:
    units = [
        (f"{number}、{name}", *rest) for number, (name, *rest) in zip("一二三", UNITS, strict=True)
    ]
    item = "<p>{}</p>{}<p>地址：{}</p><p>电话：{}</p>"
    more = ["", "", "<p>社团法人样例联合会</p>"]
    body = "".join(
        item.format(name, extra, a, p) for (name, a, p), extra in zip(units, more, strict=True)
    )
    assert [one["name"] for one in read(body)] == [[name] for name, _, _ in UNITS]


def test_a_heading_inside_of_a_box_names_it() -> None:
    box = '<address><h3>{}</h3><span>{}</span><br><a href="tel:{}">{}</a> <a href="tel:8005550100">800-555-0100</a></address>'
    places = ("Fir U.S./Canada Yard", "Elm Pump & Supply", "Oakdale")
    numbers = ("214-555-0101", "303-555-0102", "212-555-0103")
    body = "".join(
        box.format(name, a, number.replace("-", ""), number)
        for name, (_, a, _), number in zip(places, OFFICES, numbers, strict=True)
    )
    found = read(body)
    assert [one["name"] for one in found] == [[name] for name in places]
    assert [{*one["phone"]} for one in found] == [{number, "800-555-0100"} for number in numbers]


def test_the_organisation_before_an_address_in_its_cell_names_the_row() -> None:
    row = "<tr><td>{}</td><td>{}</td><td>{}</td></tr>"
    body = "<table><tr><th>Country</th><th>Address</th><th>Telephone</th></tr>{}</table>".format(
        row.format(
            "Taiwan",
            "样例物流有限公司, Sample Lines (TW) Co., Ltd, No. 3, Paper Road, Riverton 3380, Taiwan",
            "+886 3 555 0101<br>Ext 12",
        )
        + row.format("Singapore", "26 Maple Avenue, Lakeside 3394, Singapore", "+65 6555 0102")
    )
    second, first = sorted(read(body), key=lambda one: str(one["phone"]))
    assert (first["name"], first["address"]) == (
        ["样例物流有限公司"],
        ["No. 3, Paper Road, Riverton 3380, Taiwan"],
    )
    assert first["phone"] == ["+886 3 555 0101-12"]
    assert second["address"] == ["26 Maple Avenue, Lakeside 3394, Singapore"]


def test_an_address_goes_on_with_its_building_in_the_next_line() -> None:
    (found,) = read(
        "<p>云杉家居有限公司</p><p>地址：样例市图纸路8号</p><p>石榴·云杉湾A座37层</p><p>电话：0571-55500101</p>"
    )
    assert found["address"] == ["样例市图纸路8号 石榴·云杉湾A座37层"]


def test_mail_of_the_own_site_behind_who_made_it_is_taken_and_no_other() -> None:
    head = "<p>云杉协会</p><p>地址：样例市图纸路8号</p><p>网站：http://www.fir.example.cn/</p>"
    foot = "<div><a>技术支持：石榴网络</a><a>邮箱：{}</a><a>电话：0571-55500199</a></div>"
    (own,) = read(head + foot.format("office@fir.example.cn"))
    assert own["email"] == ["office@fir.example.cn"]
    (others,) = read(head + foot.format("sale@pomegranate.example"))
    assert "email" not in others
    assert "phone" not in others


def test_a_phrase_is_no_name() -> None:
    card = "<div><h3>{}</h3><p>Address: {}</p><p>Tel: {}</p></div>"
    heads = ("or if you are in town", "or when you are at sea", "or if you are far away")
    body = "".join(card.format(head, *one[1:]) for head, one in zip(heads, OFFICES, strict=True))
    assert not any("name" in one for one in read(body))


def test_a_link_with_the_country_says_a_number_better_than_its_line() -> None:
    box = "<address><h3>{}</h3><span>{}</span><br><a href='tel:+44113496010{}'>0113 496 010{}</a></address>"
    body = "".join(
        box.format(name, a, number, number)
        for number, (name, a, _) in zip("123", OFFICES, strict=True)
    )
    assert [one["phone"] for one in read(body)] == [[f"+44 113 496 010{n}"] for n in "123"]


@pytest.mark.parametrize("asked", ["Ring us:", "Ring us on", "Call us on", "Phone us:"])
def test_what_asks_for_a_call_is_a_label(asked: str) -> None:
    body = "<h1>Fir Joinery Ltd</h1><p>{} 0113 496 0101</p><p>Address: 12 Paper Lane, Leeds, LS1 2AB</p><p>Email: a@fir.example</p>"
    assert [one["phone"] for one in read(body.format(asked))] == [["0113-496-0101"]]
