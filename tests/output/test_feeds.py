"""Feeds as they come out of Scrapy's own exporters, storages and a real run."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import scrapy
from lxml import etree
from scrapy.exporters import BaseItemExporter
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.utils.misc import load_object

from focuscrawl.output.feeds import feed_settings
from focuscrawl.settings import FEED_EXPORTERS
from focuscrawl.stores.results.schema import SCHEMA_VERSION
from focuscrawl.values import Article, Page, PageClass
from tests.clock import NOON
from tests.in_process import JumpingTime, run_command
from tests.kinds import KINDS
from tests.web import Web

MARK = b"\xef\xbb\xbf"
ARTICLE = Article(
    url_key="0" * 32,
    url="http://news.example/a.html",
    host="news.example",
    title="成都抽检食品",
    text="第一段。\n第二段。",
    published=NOON - 3600,
    tags=["民生", "四川"],
    keywords=[("食品", 0.5), ("抽检", 0.25)],
    hits={"食品": 2},
    score=-0.5,
    fetched=NOON,
)
PAGE = Page(
    url_key="1" * 32,
    url="http://news.example/",
    host="news.example",
    page_class=PageClass.BOARD,
    outcome="list",
    first_seen=NOON,
)


class Nested(scrapy.Item):
    name: Any = scrapy.Field()
    parts: Any = scrapy.Field()


def options(uri: str, **given: Any) -> dict[str, Any]:
    """Return the options of one feed as Scrapy gets them."""
    return feed_settings({uri: given}, Path("/project"), KINDS)[str(Path("/project") / uri)]


def write(path: Path, *items: object, **given: Any) -> bytes:
    """Run the items through the exporter as one run of Scrapy does."""
    feed = options(path.name, **given)
    storage = FileFeedStorage(str(path), feed_options=feed)
    file = storage.open(None)  # type: ignore[arg-type]
    exporter: BaseItemExporter = load_object(FEED_EXPORTERS[feed["format"]])(
        file, fields_to_export=feed["fields"], encoding=feed["encoding"], indent=None
    )
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    storage.store(file)
    return path.read_bytes()


def rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_csv_has_a_mark_and_the_fields_of_an_article_in_their_order(tmp_path: Path) -> None:
    data = write(tmp_path / "a.csv", ARTICLE)
    assert data.startswith(MARK + b"url_key,url,host,title,text,published,")
    assert data.count(b"\r\n") == data.count(b"\n") == 2
    row = dict(zip(*rows(data), strict=True))
    assert row["title"] == "成都抽检食品"
    assert row["text"] == "第一段。 第二段。"
    assert row["published"] == "2026-11-20T03:00:00.000Z"
    assert row["tags"] == "民生|四川"
    assert row["keywords"] == "食品:0.5|抽检:0.25"
    assert row["hits"] == '{"食品":2}'
    assert row["score"] == "-0.5"
    assert row["author"] == ""
    assert row["complete"] == "true"


def test_a_second_run_appends_without_a_second_head_or_mark(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ARTICLE, fields=["title", "url"])
    data = write(tmp_path / "a.csv", replace(ARTICLE, title="第二篇"), fields=["title", "url"])
    assert data.count(MARK) == 1
    assert [row[0] for row in rows(data)] == ["title", "成都抽检食品", "第二篇"]


def test_a_run_without_items_leaves_its_head_and_the_next_goes_on_below_it(tmp_path: Path) -> None:
    empty = write(tmp_path / "a.csv")
    assert empty.startswith(MARK + b"url_key,url,")
    assert empty.count(b"\r\n") == 1
    assert write(tmp_path / "a.csv") == empty
    data = write(tmp_path / "a.csv", ARTICLE)
    assert data.startswith(empty)
    assert len(rows(data)) == 2


def test_overwrite_begins_anew(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", ARTICLE, overwrite=True)
    assert write(tmp_path / "a.csv", ARTICLE, overwrite=True) == first


def test_a_file_with_other_columns_keeps_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "a.csv", ARTICLE, fields=["url", "title", "author"])
    data = write(tmp_path / "a.csv", ARTICLE, fields=["title", "score", "url"])
    assert rows(data)[1:] == [["http://news.example/a.html", "成都抽检食品", ""]] * 2
    assert "has no column score" in caplog.text


def test_renamed_columns_are_found_again_in_the_head(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ARTICLE, fields={"title": "标题", "url": "=网址"})
    data = write(tmp_path / "a.csv", ARTICLE, fields={"url": "=网址", "title": "标题"})
    assert rows(data) == [["标题", "'=网址"]] + [["成都抽检食品", "http://news.example/a.html"]] * 2


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_row_a_killed_run_left_torn_does_not_reach_readers(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.csv"
    fields = ["title", "url", "author"]
    whole = write(path, replace(ARTICLE, title='说"好",再说', author="张三"), fields=fields)
    path.write_bytes(whole[:-cut])
    head, *others, last = rows(write(path, ARTICLE, fields=fields))
    assert last == ["成都抽检食品", "http://news.example/a.html", ""]
    assert head == fields
    assert all(len(row) == 3 for row in others)


def test_a_last_row_an_editor_left_without_its_end_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("title,url\n由人写的,http://x/", encoding="utf-8")
    assert rows(write(path, ARTICLE, fields=["title"])) == [
        ["title", "url"],
        ["由人写的", "http://x/"],
        ["成都抽检食品", ""],
    ]


@pytest.mark.parametrize("text", ["=1+1", "+86 28", "-项", "@x", " =1", "＝1"])
def test_what_a_spreadsheet_would_compute_is_guarded(tmp_path: Path, text: str) -> None:
    data = write(tmp_path / "a.csv", replace(ARTICLE, title=text), fields=["title"])
    assert rows(data)[1] == ["'" + text]


@pytest.mark.parametrize("character", ["长", "😀"])
def test_a_long_text_is_cut_at_what_excel_takes_and_marked(tmp_path: Path, character: str) -> None:
    data = write(tmp_path / "a.csv", replace(ARTICLE, text=character * 40_000), fields=["text"])
    text = rows(data)[1][0]
    assert 32_700 < len(text.encode("utf-16-le")) // 2 <= 32_767
    assert text.endswith("…[cut, 40000 characters]")


def test_a_text_of_just_the_limit_is_whole(tmp_path: Path) -> None:
    data = write(tmp_path / "a.csv", replace(ARTICLE, text="长" * 32_766), fields=["text"])
    assert rows(data)[1] == ["长" * 32_766]


def test_gb18030_is_written_and_appended(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ARTICLE, encoding="gb18030", fields={"title": "标题"})
    data = write(tmp_path / "a.csv", ARTICLE, encoding="gb18030", fields={"title": "标题"})
    assert data.decode("gb18030") == "标题\r\n成都抽检食品\r\n成都抽检食品\r\n"


def test_two_kinds_of_items_share_the_columns_of_both(tmp_path: Path) -> None:
    data = write(tmp_path / "a.csv", PAGE, ARTICLE, items=["article", "page"])
    head, page, article = rows(data)
    assert set(head) >= {"outcome", "text"}
    assert page[head.index("page_class")] == "board"
    assert page[head.index("first_seen")] == "2026-11-20T04:00:00.000Z"
    assert article[head.index("outcome")] == ""


def test_json_lines_say_times_as_iso_and_the_schema(tmp_path: Path) -> None:
    data = write(
        tmp_path / "a.jsonl", replace(ARTICLE, extra={"分": float("nan"), "字": "\x00\ud800"})
    )
    assert not data.startswith(MARK)
    assert "成都抽检食品".encode() in data
    line = json.loads(data)
    assert line["published"] == "2026-11-20T03:00:00.000Z"
    assert line["keywords"] == [["食品", 0.5], ["抽检", 0.25]]
    assert line["extra"] == {"分": None, "字": ""}
    assert line["_schema"] == SCHEMA_VERSION
    assert line["author"] == ""


@pytest.mark.parametrize(
    ("left", "titles"),
    [
        (b'{"title": "whole"}\n{"title": "half', ["whole", "成都抽检食品"]),
        (b'{"title": "no end"}', ["no end", "成都抽检食品"]),
        (b'{"title": "' + b"x" * 200_000, ["成都抽检食品"]),
    ],
)
def test_json_lines_after_a_killed_run_are_all_json(
    tmp_path: Path, left: bytes, titles: list[str]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(left)
    assert [json.loads(line)["title"] for line in write(path, ARTICLE).splitlines()] == titles


def test_json_is_one_array(tmp_path: Path) -> None:
    data = write(tmp_path / "a.json", ARTICLE, PAGE, overwrite=True)
    titles = [item.get("title") for item in json.loads(data)]
    assert titles == ["成都抽检食品", ""]
    assert json.loads(write(tmp_path / "empty.json", overwrite=True)) == []


def test_xml_takes_any_text_and_any_key(tmp_path: Path) -> None:
    hostile = replace(
        ARTICLE, title="a\x00<b>&", hits={'<x y="1">': 1}, extra={"甲": {"1 2": [True]}}
    )
    data = write(
        tmp_path / "a.xml",
        hostile,
        overwrite=True,
        fields={"title": "标 题", "hits": "1", "extra": "x"},
    )
    (item,) = etree.fromstring(data)
    title, hits, extra = item
    assert (title.tag, title.text) == ("标_题", "a<b>&")
    assert (hits.tag, hits[0].get("key"), hits[0].text) == ("_1", '<x y="1">', "1")
    assert extra[0][0][0].text == "true"


def test_items_of_others_go_out_as_they_are(tmp_path: Path) -> None:
    item = Nested(name="甲", parts=[Nested(name="乙")])
    feed = {"fields": ["name", "parts"]}
    assert json.loads(write(tmp_path / "a.jsonl", item, **feed))["parts"] == [{"name": "乙"}]


SPIDER = """
from pathlib import Path
import scrapy
from focuscrawl.output.feeds import switch_on_feeds
from focuscrawl.settings import FEED_EXPORTERS
from focuscrawl.values import Article, Page, PageClass

FEEDS = {
    "out/%(name)s.csv": {"fields": {"title": "标题", "url": "网址"}},
    "out/%(name)s.csv.gz": {"fields": ["title"]},
    "out/%(name)s-%(batch_id)d.jsonl": {"batch_item_count": 2},
    "out/pages.xml": {"items": ["page"], "overwrite": True},
}

class Food(scrapy.Spider):
    name = "food"
    custom_settings = {"FEED_EXPORTERS": FEED_EXPORTERS}

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        switch_on_feeds(crawler.settings, FEEDS, Path(__file__).parent)
        return super().from_crawler(crawler, *args, **kwargs)

    async def start(self):
        for number in range(3):
            yield Article(str(number), f"http://x/{number}", "x", f"第{number}篇", "文")
        yield Page("9", "http://x/", "x", PageClass.BOARD, "list")
"""


def test_two_real_runs_write_beside_the_project_from_any_folder(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    (project / "food.py").write_text(SPIDER, encoding="utf-8")
    for _ in range(2):
        command = ["runspider", str(project / "food.py"), "-s", "LOG_LEVEL=WARNING"]
        done = run_command(command, elsewhere, os.environ, Web(), JumpingTime(NOON))
        assert (done.status, done.said) == (0, "")
    assert not list(elsewhere.iterdir())
    titles = ["第0篇", "第1篇", "第2篇"]
    out = project / "out"
    assert rows((out / "food.csv").read_bytes()) == [
        ["标题", "网址"],
        *[[title, f"http://x/{number}"] for number, title in enumerate(titles)] * 2,
    ]
    assert rows(gzip.decompress((out / "food.csv.gz").read_bytes())) == [
        ["title"],
        *[[title] for title in titles] * 2,
    ]
    lines = (out / "food-2.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["title"] for line in lines] == ["第2篇"] * 2
    assert [page.findtext("outcome") for page in etree.parse(out / "pages.xml").getroot()] == [
        "list"
    ]
