"""What sites teach: where their articles have their parts, used where a page does not tell one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.features.articles.article import ArticleText, read_article
from focuscrawl.features.articles.places import (
    FEWEST_RIGHT,
    FIELD_PLACES,
    MOST_OF_FIELD,
    MOST_TAUGHT,
    Place,
    SitePlaces,
)
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.selectors import FOUND_OUT
from focuscrawl.readers.text.dates import DateReader
from focuscrawl.urls.sites import ALL_PARTITIONS, Partitions, partition_of
from focuscrawl.values import Selector

pytestmark = pytest.mark.article_head

SITE = "news.example"
NOW = 1_795_000_000.0
AUTHORS = ("王小明", "李小红", "张大山", "陈思远", "刘一凡", "赵文博", "周子涵", "吴佳怡")
LINE = "本市今天公布了第{}批食品抽检的结果，其中样例公司的{}种样品全部合格，记录可以在网上查询。"


def page(number: int, author: str, labelled: bool = True, name: str = "who") -> Document:
    label = "作者：" if labelled else ""
    text = "".join(f"<p>{LINE.format(number, number + part)}</p>" for part in range(5))
    return Document.read(
        f"<html><head><title>第{number}批抽检</title></head><body><h1>第{number}批抽检</h1>"
        f"<p>发布时间：2026-10-{number + 10} 08:00</p><div>{text}</div>"
        f"<div><ul><li>分享</li><li>收藏</li></ul><em class={name}>{label}{author}</em><i>打印</i></div></body></html>".encode(),
        url=f"http://{SITE}/{number}.html",
    )


def read(places: SitePlaces, document: Document, **options: object) -> ArticleText:
    found = read_article(document, fetched=NOW, timezone="Asia/Shanghai", language="zh")
    assert found is not None
    dates = DateReader("Asia/Shanghai", NOW)
    return places.read(SITE, document, found, dates, **options)  # type: ignore[arg-type]


def taught(pages: int = len(AUTHORS)) -> SitePlaces:
    places = SitePlaces()
    for number in range(pages):
        assert read(places, page(number, AUTHORS[number])).author == AUTHORS[number]
    return places


def test_a_part_that_a_page_does_not_tell_is_read_where_the_site_has_it() -> None:
    without = page(9, "孙晓梅", labelled=False)
    assert read(SitePlaces(), without).author == ""
    assert read(taught(FEWEST_RIGHT - 1), without).author == ""
    assert read(taught(), without).author == "孙晓梅"


def test_what_a_page_tells_is_right_whatever_stands_at_the_place() -> None:
    document = page(9, "孙晓梅", name="other")
    (body,) = document.root.iter("body")
    body.insert(0, body.makeelement("em", {"class": "who"}))
    body[0].text = "转载"
    assert read(taught(), document).author == "孙晓梅"


def test_a_place_that_gives_no_name_gives_none() -> None:
    assert (
        read(
            taught(), page(9, "上一篇：第八批抽检的结果已经公布，请大家查看。", labelled=False)
        ).author
        == ""
    )


def test_what_is_the_same_on_all_pages_says_nothing_of_one() -> None:
    places = SitePlaces()
    for number in range(9):
        read(places, page(number, "王小明"))
    assert places.places_of(SITE).author is None


def test_places_that_the_template_names_are_neither_learnt_nor_looked_at() -> None:
    places = SitePlaces()
    chosen = FOUND_OUT._replace(author=Selector("css", "b.x"))
    for number, author in enumerate(AUTHORS):
        read(places, page(number, author), given=chosen)
    assert places.places_of(SITE).author is None
    assert read(taught(), page(9, "孙晓梅", labelled=False), given=chosen).author == ""


def test_another_design_is_learnt_and_the_old_one_forgotten() -> None:
    places = taught()
    old = places.places_of(SITE).author
    for number in range(40):
        read(places, page(number % 15, AUTHORS[number % len(AUTHORS)], name="writer"))
    new = places.places_of(SITE).author
    assert new is not None
    assert new != old
    assert "writer" in new.expression


def test_what_was_learnt_is_kept_and_let_go_of_by_site() -> None:
    places = taught()
    kept = {site: {FIELD_PLACES: record} for site, record in places.changed(all_of_it=True).items()}
    assert places.changed(all_of_it=True) == {}
    again = SitePlaces()
    again.load(kept)
    assert again.places_of(SITE) == places.places_of(SITE) != FOUND_OUT
    again.release(Partitions(ALL_PARTITIONS - {partition_of(SITE)}))
    assert again.places_of(SITE) != FOUND_OUT
    again.release(Partitions({partition_of(SITE)}))
    assert again.places_of(SITE) == FOUND_OUT
    assert again.changed(all_of_it=True) == {}


def test_a_place_that_stands_on_a_page_more_than_once_gives_nothing() -> None:
    document = page(9, "孙晓梅", labelled=False)
    (body,) = document.root.iter("body")
    other = body.makeelement("em", {"class": "who"})
    other.text = "钱海涛"
    body.append(other)
    assert read(taught(), document).author == ""


@settings(max_examples=60)
@given(st.lists(st.booleans(), max_size=300))
def test_a_place_is_good_only_while_most_of_the_latest_pages_say_so(told: list[bool]) -> None:
    place = Place("css", "em", "a", turns=2)
    for is_right in told:
        place.count("b", is_right=is_right)
        assert 0 <= place.right <= place.told <= 120
    if place.is_good:
        assert sum(told) >= FEWEST_RIGHT
    if len(told) >= 240 and not any(told[-240:]):
        assert not place.is_good


def test_pages_that_give_many_places_are_bounded() -> None:
    places = SitePlaces()
    for number in range(30):
        read(places, page(number % 15, AUTHORS[number % 8], name=f"n{'abcdefghij'[number % 10]}"))
    (record,) = places.changed(all_of_it=True).values()
    assert all(len(part[0]) <= MOST_OF_FIELD for part in record.values())
    assert MOST_TAUGHT * MOST_OF_FIELD * 4 * 250 < 100_000_000, (
        "bytes, were all names as long as allowed"
    )
