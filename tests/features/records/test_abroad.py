"""How pages of other countries name their owner, print their numbers and write an address (C7)."""

from __future__ import annotations

import pytest

from focuscrawl.features.records.names import find_address, from_title, organisation
from tests.features.records.test_several import read
from tests.tables import each_row

pytestmark = pytest.mark.C7

CARD = "<article class=card><h2>{head}</h2><a href='{link}'>{text}</a></article>"
OWNER = "<address><b>Uferhaus Musterstadt GmbH</b><br><span>Kurgasse 19, 72401 Musterstadt</span></address>"


def cards(*told: tuple[str, str]) -> str:
    return "".join(
        CARD.format(head=head, text=text, link=f"mailto:{text}" if "@" in text else f"tel:{text}")
        for head, text in told
    )


@each_row(
    "told",
    [
        [("Vorstand", "vorstand@a.example"), ("Kasse", "kasse@a.example"), ("Fragen", "x@a.example")],
        [("Ring oss", "+47 22 85 50 00"), ("Send e-post", "post@b.example"), ("Besøk oss", "")],
    ],
)  # fmt: skip
def test_heads_that_are_roles_or_actions_name_no_record(told: list[tuple[str, str]]) -> None:
    names = {
        name
        for one in read(f"<h1>Kontakt</h1>{cards(*told)}{OWNER}")
        for name in one.get("name", ())
    }
    assert names == {"Uferhaus Musterstadt GmbH"}


@each_row(
    "address",
    [
        "Kurgasse 19, 72401 Musterstadt",
        "Kurgasse 2a 33-340 Stary Wzór",
        "Moravská Vzorová 119, 783 13 Štěpánov",
        "20148 Milano, Via Esempio 14",
        "Tv. Amostra, 11, Boa Vista, Rio do Exemplo - SC, 89167-200",
    ],
)
def test_a_street_and_a_town_in_one_line_are_an_address(address: str) -> None:
    assert find_address(address, labelled=False) == address


@each_row("text", ["Seite 19, 72401 Aufrufe heute", "Montag 8 bis 17", "Artikel 7 2024"])
def test_a_line_with_two_numbers_is_no_address(text: str) -> None:
    assert not find_address(text, labelled=False)


@each_row(
    ("line", "phones"),
    [
        ("财务部：84603290", ["84603290"]),
        ("tel: (0 72 22) 9 14 99 - 00", ["07222-91499-00"]),
        ("tel: +39 02 48714236 - 0323 569627", ["+39 02 4871 4236", "0323-569627"]),
        ("tel: 020-2325405", ["020-2325405"]),
        ("tel: 098 800 837", ["098-800-837"]),
    ],
)
def test_numbers_are_read_as_other_printers_set_them(line: str, phones: list[str]) -> None:
    (record,) = read(f"<p>公司名称：云杉陶艺有限公司</p><p>邮箱：a@b.example</p><p>{line}</p>")
    assert record["phone"] == phones


def test_the_title_is_a_name_where_an_address_of_mail_spells_it() -> None:
    assert from_title("Örnek Lojıstik", addresses="ornekloji ornek-lojistik") == ""
    assert from_title("Örnek Lojıstik", addresses="orneklojistikgmailcom") == "Örnek Lojıstik"


@each_row(
    "name", ["LIPA d.o.o.", "Javor technik s.r.o.", "Carvalho Alimentos Ltda.", "Verbano Acero srl"]
)
def test_more_legal_forms_tell_a_name(name: str) -> None:
    assert organisation(name) == name


def test_an_address_beside_a_labelled_number_stands_out_of_long_prose() -> None:
    prose = "<p>" + "我们为各地的陶艺爱好者提供课程和作坊，欢迎来参观。" * 40 + "</p>"
    (record,) = read(f"<h2>联系我们</h2>{prose}<p>电话：028-85550000</p><p>成都市样例路12号</p>")
    assert record["address"] == ["成都市样例路12号"]
