"""What markup states of an organisation is evidence, as far as the text of the page does not say otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cost import holds
from tests.features.records.test_reader import ADDRESS, NAME, PHONE, read
from tests.tables import each_row

pytestmark = pytest.mark.C7

POTTERY: dict[str, Any] = {
    "@context": "https://schema.org",
    "@type": ["Organization", "Store"],
    "name": NAME,
    "telephone": "+86 28 5550 1234",
    "address": {
        "@type": "PostalAddress",
        "streetAddress": "样例路12号",
        "addressLocality": "成都市",
        "addressRegion": "四川省",
        "postalCode": "610000",
        "addressCountry": "CN",
    },
}


def stated(*values: object) -> str:
    return "".join(
        f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in values
    )


SHOWN = f"<h1>{NAME}</h1><p>电话：{PHONE}</p><p>邮箱：info@a.com</p>"
FULL = {"name": [NAME], "address": [ADDRESS], "phone": [PHONE], "email": ["info@a.com"], "zip": ["610000"]}  # fmt: skip


@each_row(
    "value",
    [
        POTTERY,
        [POTTERY],
        {"@graph": [{"@type": "WebPage", "name": "Contact"}, POTTERY]},
        {"@type": "ContactPage", "mainEntity": POTTERY},
        POTTERY | {"address": "四川省成都市样例路12号", "postalCode": "1", "contactPoint": {"telephone": PHONE}},
    ],
)  # fmt: skip
def test_json_ld_fills_what_the_text_lacks(value: object) -> None:
    (record,) = read(SHOWN + stated(value))
    assert record == FULL or record == {k: v for k, v in FULL.items() if k != "zip"}


def test_json_ld_alone_is_a_record_where_the_page_shows_its_name() -> None:
    (record,) = read(f"<h1>{NAME}</h1><p>欢迎来坐坐</p>" + stated(POTTERY))
    assert record == {k: v for k, v in FULL.items() if k != "email"}
    assert read("<h1>欢迎</h1>" + stated(POTTERY)) == []


@each_row(
    "value",
    [
        POTTERY | {"name": "Your Company Name"},
        POTTERY | {"email": "info@example.com"},
        POTTERY | {"telephone": "+1-555-555-5555"},
        POTTERY | {"name": "{{ site.name }}"},
        {"@type": "Product", "name": "壶", "manufacturer": POTTERY},
        {"@type": "Event", "name": "展", "organizer": POTTERY},
        POTTERY | {"@type": "Person"},
        POTTERY | {"name": "北京别家公司", "telephone": "010-55509999"},
    ],
)
def test_json_ld_of_others_or_of_nobody_adds_nothing(value: object) -> None:
    assert read(SHOWN + stated(value)) == [
        {"name": [NAME], "phone": [PHONE], "email": ["info@a.com"]}
    ]


def test_the_text_of_a_page_wins_over_what_it_states() -> None:
    other = POTTERY | {"email": "old@a.com", "telephone": "028-55509999"}
    (record,) = read(SHOWN + stated(other))
    assert record["phone"] == [PHONE]
    assert record["email"] == ["info@a.com"]


CARDS = {
    "microdata": '<div itemscope itemtype="https://schema.org/Store"><b itemprop="name">{}</b>'
    '<p itemprop="address" itemscope itemtype="https://schema.org/PostalAddress">'
    '<span itemprop="addressLocality">{}</span></p><i itemprop="telephone">{}</i></div>',
    "hCard": '<div class="vcard"><span class="fn org">{}</span><p class="adr">{}</p>'
    '<p class="tel"><span class="type">work</span> <span class="value">{}</span></p></div>',
    "h-card": '<div class="h-card"><a class="p-name u-url">{}</a><p class="h-adr">{}</p>'
    '<span class="p-tel">{}</span></div>',
}


@pytest.mark.parametrize("card", CARDS)
def test_what_microdata_and_cards_mark_needs_no_label(card: str) -> None:
    shops = [
        ("陶艺一馆", "样例街12号", "028-5550 1234"),
        ("陶艺二馆", "图纸街7号", "028-5550 5678"),
    ]
    assert read("".join(CARDS[card].format(*shop) for shop in shops)) == [
        {"name": [name], "address": [address], "phone": [phone.replace(" ", "")]}
        for name, address, phone in shops
    ]


def test_a_number_of_a_card_that_says_it_is_a_fax_is_one() -> None:
    fax = '<p class="tel"><i class="type">传真</i> <b class="value">028-55501235</b></p>'
    card = f'<div class="vcard"><b class="fn org">{NAME}</b>{fax}<p class="tel">{PHONE}</p></div>'
    assert read(card) == [{"name": [NAME], "phone": [PHONE], "fax": ["028-55501235"]}]


def test_the_link_of_a_number_adds_no_second_spelling_of_it() -> None:
    link = '<a itemprop="telephone" href="tel:+15122586090">(512) 258-6090</a>'
    shop = f'<div itemscope itemtype="https://schema.org/Store"><b itemprop="name">{NAME}</b>{link}</div>'
    assert read(shop) == [{"name": [NAME], "phone": ["512-258-6090"]}]


def test_microdata_of_products_and_people_is_none_of_the_page() -> None:
    person = '<div itemscope itemtype="http://schema.org/Person"><b itemprop="name">王一</b><i itemprop="telephone">{}</i></div>'
    assert read(person.format("55501234")) == []


@pytest.mark.timed
@pytest.mark.parametrize(
    "body",
    [
        stated([POTTERY] * 5_000),
        '<script type="application/ld+json">' + "[" * 10_000 + "]" * 10_000 + "</script>" + SHOWN,
        '<script type="application/ld+json">' + '{"a":' * 10_000 + "</script>" + SHOWN,
        "<div itemscope itemtype='http://schema.org/Store'>"
        + "<i itemprop=telephone>028-55501234</i>" * 100_000,
        "<p itemscope itemtype='http://schema.org/Store'><b itemprop=address>" * 20_000 + SHOWN,
        "<div class=vcard><b class=adr>" * 20_000 + "x",
        "<div class=logo><img src=logo alt=logo>" * 30_000,
    ],
)
def test_hostile_statements_cost_little(body: str) -> None:
    holds(lambda: read(body + SHOWN))
