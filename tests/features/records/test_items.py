"""Records of a judged page: which pages are read, what is told of each value, what makes two one."""

from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.readers.pages.content import Judged
from focuscrawl.values import PageClass, record_class
from tests.clock import NOON
from tests.judging import judge_page

pytestmark = pytest.mark.C7

HOME = "http://a.cn/"
FIELDS = """
[record.company.fields]
name = { labels = "公司名称", required = true }
address = { labels = "地址", type = "address", required = true }
phone = { labels = "电话", type = "phone", many = true }
fax = { labels = "传真", type = "fax" }
"""
BLOCK = "<p>公司名称：云杉软件<br>电话：028-55501234、028-55505678<br>传真：028-55509999</p>"
MENU = '<ul><li><a href="/">首页</a></li><li><a href="/about">关于我们</a></li></ul>'


def look(
    body: str = MENU + BLOCK,
    record: str = 'pages = "all"\nkey = ["name"]',
    text: str = "",
    topic: str = "",
    url: str = f"{HOME}contact.html",
    **waiting: Any,
) -> Judged:
    """Judge a page; ``record`` are keys of [record.company], ``text`` further tables."""
    whole = (
        f'[topic]\nname = "x"\n{topic}\n{text}\n[record.company]\n{record}\n{FIELDS}\n'
        f'[[source]]\nurl = "{HOME}"\nname = "a"\n'
    )
    html = f"<html><head><title>联系我们</title></head><body>{body}</body></html>"
    return judge_page(whole, url, html.encode(), **waiting)


def test_a_record_tells_where_each_value_is_from() -> None:
    judged = look()
    (record,) = judged.records
    assert isinstance(record, record_class("company"))
    assert record.data == {
        "name": "云杉软件",
        "phone": ["028-55501234", "028-55505678"],
        "fax": "028-55509999",
    }
    assert (record.missing, record.complete) == (["address"], False)
    assert (record.host, record.url, record.fetched) == ("a.cn", f"{HOME}contact.html", NOON)
    said = {"label": "电话", "url": f"{HOME}contact.html", "at": NOON}
    assert record.evidence["phone"] == {
        "value": "028-55501234",
        "raw": "028-55501234",
        **said,
        "others": [{"value": "028-55505678", "raw": "028-55505678", **said}],
    }


def test_a_page_with_a_record_is_stored_and_relevant() -> None:
    judged = look(topic='keywords = ["食品"]')
    assert judged.page.page_class is PageClass.RECORD
    assert (judged.page.outcome, judged.page.reason, judged.page.relevant) == ("stored", "", True)
    assert judged.batch is not None
    assert judged.batch.relevant
    assert [link.url for link in judged.batch.links] == [HOME, f"{HOME}about"]


def test_a_list_with_a_record_stays_a_list() -> None:
    judged = look(page_class=PageClass.BOARD)
    assert len(judged.records) == 1
    assert (judged.page.page_class, judged.page.outcome) == (PageClass.BOARD, "list")


def test_pages_of_the_last_layer_are_read() -> None:
    text = '[follow]\nlayers = ["关于我们", "联系我们"]'
    found = [len(look(record='key = ["name"]', text=text, layer=n).records) for n in range(3)]
    assert found == [0, 0, 1]


def test_relevant_pages_are_read() -> None:
    topic = 'keywords = ["软件"]'
    relevant = look(record='key = ["name"]', topic=topic)
    assert len(relevant.records) == 1
    other = look(record='key = ["name"]', topic='keywords = ["食品"]')
    assert other.records == ()
    assert len(look(record='key = ["name"]').records) == 1  # no words: every page


def identity(record: str = 'key = ["name"]', **given: Any) -> list[str]:
    judged = look(record=f'pages = "all"\n{record}', **given)
    return [one.record_id for one in judged.records]


def test_the_key_fields_make_two_records_one() -> None:
    spelled = MENU + BLOCK.replace("云杉软件", " 云杉 软件 ").replace("55501234", "55507777")
    assert identity() == identity(body=spelled, url=f"{HOME}other.html")
    assert identity() != identity(body=MENU + BLOCK.replace("云杉", "木棉"))
    assert identity('key = ["name", "fax"]') != identity()


def test_one_per_site_is_one_whatever_its_pages_say() -> None:
    site = 'one_per = "site"\nkey = ["name"]'
    other = identity(site, body=MENU + BLOCK.replace("云杉", "木棉"), url=f"{HOME}b.html")
    assert identity(site) == other
    assert identity(site) != identity(site, url="http://b.cn/", site="b.cn")


def test_without_a_key_field_the_place_tells_records_apart() -> None:
    blocks = "".join(
        f"<div><p>电话：028-5550000{n}</p><p>传真：028-5550001{n}</p></div>" for n in range(2)
    )
    found = identity(body=MENU + blocks)
    assert len(set(found)) == 2
    assert found == identity(body=MENU + blocks)


@pytest.mark.parametrize("body", ["", MENU, "<p>电话：无</p><p>地址：</p>"])
def test_a_page_without_a_block_is_judged_as_before(body: str) -> None:
    judged = look(body=body)
    assert judged.records == ()
    assert judged.page.page_class is not PageClass.RECORD
