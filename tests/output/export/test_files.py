"""Exports as the programs read them that they are for: the rows of the database, Chinese intact."""

from __future__ import annotations

import csv
import json
import re
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import feedparser
import openpyxl
import pandas
import pytest

from focuscrawl.output.export.files import ExportError, ExportOrder, check_order, in_file_name
from focuscrawl.output.export.rows import note_export
from focuscrawl.stores.results.columns import time_text
from focuscrawl.stores.results.kinds.runs import RunStart
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoryState
from focuscrawl.values import Record
from tests.clock import NOON
from tests.databases import plain
from tests.output.export.conftest import (
    ARTICLES,
    CHANGES,
    DAY,
    HOSTILE,
    KEYS,
    RECORD,
    STORY,
    Stored,
    article,
)


def asked(stored: Stored, question: str) -> list[tuple[Any, ...]]:
    return stored.database.ask(question)


def test_a_workbook_has_a_sheet_for_each_table_with_the_rows_of_the_database(
    stored: Stored,
) -> None:
    (written,) = stored.export("日报.xlsx")
    book = openpyxl.load_workbook(written.path)
    assert book.sheetnames == ["文章", "事件", "变化", "记录", "来源", "帖子"]
    for sheet, table in {"文章": "articles", "事件": "stories", "变化": "changes", "记录": "records", "帖子": "threads"}.items():  # fmt: skip
        ((count,),) = asked(stored, f"SELECT count(*) FROM {table}")
        assert book[sheet].max_row == count + 1 == written.rows[sheet] + 1
    sheet = book["文章"]
    assert sheet.freeze_panes == "A2"
    heads = [cell.value for cell in sheet[1]]
    rows = [
        dict(zip(heads, row, strict=True)) for row in sheet.iter_rows(min_row=2, values_only=True)
    ]
    by_title = {row["标题"]: row for row in rows}
    copy = by_title["成都地铁开通新线（转）"]
    assert copy["来源"] == "四川日报"
    assert (copy["发现时间"], copy["事件"], copy["网站数"]) == (datetime(2026, 11, 20, 12), "成都地铁开通新线", 2)  # fmt: skip
    assert copy["命中词"] == "地铁 2"
    types = {type(cell.value) for row in sheet.iter_rows() for cell in row}
    assert types <= {str, int, float, datetime, type(None)}
    assert sheet.auto_filter.ref.startswith("A1:")


def test_a_table_without_rows_has_no_sheet_beside_others_and_its_head_alone(stored: Stored) -> None:
    nothing = stored.export("new.xlsx", since="1s")[0]
    book = openpyxl.load_workbook(nothing.path)
    full = [name for name, count in nothing.rows.items() if count]
    assert book.sheetnames == (full or ["文章"])
    assert all(book[name].max_row == max(1, nothing.rows[name] + 1) for name in book.sheetnames)


def test_phone_numbers_and_long_codes_stay_whole_in_a_workbook(stored: Stored) -> None:
    (written,) = stored.export("firmen.xlsx", sheet="records")
    table = pandas.read_excel(written.path, dtype=str)
    assert list(table["name"]) == [RECORD.data["name"]]
    assert list(table["phone"]) == ["02812345678"]
    assert list(table["code"]) == ["91510100012345678X"]


def record(number: int, host: str, phones: list[str], **data: object) -> Record:
    url = f"http://{host}/{number}"
    given = {"name": RECORD.data["name"], "phone": phones} | data
    return Record("company", f"{number}" * 32, host, f"{number}9" * 16, url, given, fetched=NOON - number)  # fmt: skip


@pytest.mark.parametrize("name", ["one.xlsx", "one.csv", "one.jsonl"])
def test_records_of_one_company_are_one_row_where_that_is_asked_for(
    stored: Stored, name: str
) -> None:
    phones = ["02812345678", "02887654321"]
    stored.results.write(
        ResultBatch(
            records=[
                record(2, "www.list.cn", phones),
                record(3, "www.other.cn", phones[:1], name="另一公司"),
                record(4, "www.noname.cn", [], name=None),
                record(5, "www.noname.cn", [], name=None),
            ]
        )
    )
    (written,) = stored.export(name, one_per="name", sheet="records", columns=("name", "phone", "host", "url"))  # fmt: skip
    if name.endswith("xlsx"):
        found = pandas.read_excel(written.path, dtype=str).fillna("").to_numpy().tolist()
        found = sorted([name, phone.split("、"), host.split("、"), url] for name, phone, host, url in found)  # fmt: skip
    elif name.endswith("csv"):
        found = pandas.read_csv(written.path, dtype=str).fillna("").to_numpy().tolist()
        assert len(found) == 4
        return
    else:
        lines = Path(written.path).read_text("utf-8").splitlines()
        found = [[one["name"] or "", one["phone"] or [""], one["host"], one["url"]] for one in map(json.loads, lines)]  # fmt: skip
        found = sorted([name, phone, host if isinstance(host, list) else [host], url] for name, phone, host, url in found)  # fmt: skip
    assert found == [
        ["", [""], ["www.noname.cn"], "http://www.noname.cn/4"],
        ["", [""], ["www.noname.cn"], "http://www.noname.cn/5"],
        ["另一公司", phones[:1], ["www.other.cn"], "http://www.other.cn/3"],
        ["成都某某有限公司", phones, ["www.firma.cn", "www.list.cn"], "http://www.firma.cn/"],
    ]
    each = stored.export(f"each-{name}", sheet="records")[0]
    assert sum(each.rows.values()) == 5
    assert sum(written.rows.values()) == 4


def test_only_records_share_a_row_and_by_a_column_that_there_is() -> None:
    for order in (
        ExportOrder("/x.csv", "csv", "articles", one_per="title"),
        ExportOrder("/x.atom", "atom", one_per="name"),
    ):
        with pytest.raises(ExportError, match="only records share a row"):
            check_order(order, ["name"])
    with pytest.raises(ExportError, match="colour"):
        check_order(ExportOrder("/x.csv", "csv", one_per="colour"), ["name"])
    check_order(ExportOrder("/x.xlsx", "xlsx", one_per="name"), ["name"])


def test_hostile_titles_are_text_and_only_addresses_of_the_web_are_links(stored: Stored) -> None:
    (written,) = stored.export("a.xlsx", columns=("title", "url", "text", "author"))
    sheet = openpyxl.load_workbook(written.path)["文章"]
    titles = {sheet.cell(row, 1).value: row for row in range(2, sheet.max_row + 1)}
    assert sheet.cell(titles[HOSTILE], 1).data_type == "s"
    assert sheet.cell(titles[HOSTILE], 2).hyperlink is None
    assert "gpj.exe 照片" in titles
    good = sheet.cell(titles["成都地铁开通新线"], 2)
    assert good.hyperlink.target == good.value == ARTICLES[0].url
    long = sheet.cell(titles["gpj.exe 照片"], 3).value
    assert sheet.cell(titles["gpj.exe 照片"], 4).value == "<r><t>粗</b></r> "
    assert len(long) <= 32_767
    assert long.endswith("[cut, 40000 characters]")


def test_csv_is_for_spreadsheets(stored: Stored) -> None:
    (written,) = stored.export("a.csv", sheet="articles")
    raw = Path(written.path).read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    assert raw.count(b"\r\n") == raw.count(b"\n") == 1 + len(ARTICLES)
    with Path(written.path).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["title"] for row in rows if row["title"][:1] == "'"} == {"'" + HOSTILE}
    assert all(len(cell) <= 32_767 for row in rows for cell in row.values())
    table = pandas.read_csv(written.path)
    assert set(table["host"]) == {host for (host,) in asked(stored, "SELECT host FROM articles")}
    found = {at for (at,) in asked(stored, "SELECT found FROM articles")}
    assert {*map(plain, table["found"])} == found


def test_csv_has_chinese_heads_when_they_are_asked_for(stored: Stored) -> None:
    (written,) = stored.export("a.csv", sheet="articles", columns=("标题", "url"), language="zh")
    assert Path(written.path).read_text("utf-8-sig").splitlines()[0] == "标题,网址"


def test_json_lines_have_every_row_as_the_database_has_it(stored: Stored) -> None:
    (written,) = stored.export("a.jsonl", sheet="articles", columns=("title", "found", "hits", "text"))  # fmt: skip
    lines = [json.loads(line) for line in Path(written.path).read_text("utf-8").splitlines()]
    rows = asked(stored, "SELECT title, found, hits, text FROM articles")
    assert sorted(
        (one["title"], plain(one["found"]), str(one["hits"]), one["text"]) for one in lines
    ) == sorted((title, found, str(hits), body) for title, found, hits, body in rows)
    assert "成都地铁" in Path(written.path).read_text("utf-8")


def test_atom_has_an_entry_for_each_change_under_its_id(stored: Stored) -> None:
    (written,) = stored.export("metro.atom")
    feed = feedparser.parse(written.path)
    assert not feed.bozo
    assert feed.entries[0].id == f"tag:focuscrawl,2026:metro/{'ee' * 16}"
    assert {one.id.rpartition("/")[2] for one in feed.entries} == {one.change_id for one in CHANGES}
    titles = [one.title_detail.value for one in feed.entries]
    assert "有改动: 成都地铁开通新线" in titles
    assert HOSTILE in titles  # feedparser has text for text
    links = [one.get("link", "") for one in feed.entries]
    assert not [link for link in links if link.startswith("javascript")]
    raw = Path(written.path).read_text("utf-8")
    assert "<script" not in raw
    assert "\u202e" not in raw
    assert "&lt;pre&gt;- 旧&amp;lt;b&amp;gt;" in raw


def test_a_feed_for_each_tag_and_each_story_has_what_is_of_it(stored: Stored) -> None:
    files = stored.export("{tag}.atom")
    assert [Path(one.path).name for one in files] == ["官方.atom", "民间.atom"]
    official = feedparser.parse(files[0].path)
    assert {one.id.rpartition("/")[2] for one in official.entries} == {"1c" * 16, "3c" * 16}
    (of_story,) = stored.export("s-{story}.atom")
    assert Path(of_story.path).name == f"s-{STORY}.atom"
    assert len(feedparser.parse(of_story.path).entries) == 3


def test_since_and_where_choose_rows(stored: Stored) -> None:
    def titles(**order: Any) -> list[str]:
        (written,) = stored.export("w.jsonl", sheet="articles", columns=("title",), **order)
        return [json.loads(line)["title"] for line in Path(written.path).read_text("utf-8").splitlines()]  # fmt: skip

    assert len(titles()) == 4
    assert len(titles(since="2h")) == 3
    assert len(titles(since="2026-11-19")) == 4
    assert titles(where="found < 2026-11-20") == ["成都地铁开通新线"]
    assert len(titles(where="score >= 0.5")) == 2
    assert len(titles(where="title contains 地铁 and host = www.site0.cn")) == 1
    assert len(titles(where="tags contains 官方 and not_there = 1".partition(" and ")[0])) == 2
    assert len(titles(where="is_copy = true")) == 1
    assert len(titles(where="medium = 四川日报")) == 1
    assert len(titles(where="title not contains 地铁")) == 2
    assert len(titles(where="gone_at is empty")) == 4
    assert len(titles(where="title contains '; DROP TABLE articles; --'")) == 0


def test_a_day_is_all_of_it_and_stays_the_day_that_is_printed(stored: Stored) -> None:
    begun = NOON - 12 * 3600.0
    days = [
        article(0, "零点", begun, published=begun, published_date="2026-11-20"),
        article(1, "上午", NOON, published=begun + 9 * 3600, published_date="2026-11-20T09:00+08:00"),
        article(2, "前一天", NOON, published=begun - 1, published_date="2026-11-19T23:59:59+08:00"),
        article(3, "后一天", NOON, published=begun + DAY, published_date="2026-11-21"),
    ]  # fmt: skip
    stored.results.write(ResultBatch(articles=days))

    def titles(where: str) -> set[str]:
        (written,) = stored.export("w.jsonl", sheet="articles", columns=("title",), where=where)
        lines = Path(written.path).read_text("utf-8").splitlines()
        return {json.loads(line)["title"] for line in lines}

    assert titles("published = 2026-11-20") == {"零点", "上午"}
    assert titles("published != 2026-11-20") == {"前一天", "后一天"}
    assert titles("published > 2026-11-20") == {"后一天"}
    assert titles("published >= 2026-11-20") == {"零点", "上午", "后一天"}
    assert titles("published <= 2026-11-20") == {"零点", "上午", "前一天"}
    assert titles("published < 2026-11-20") == {"前一天"}
    assert titles("published = 2026-11-20T09:00") == {"上午"}
    assert titles("published <= 9999-12-31") == {"零点", "上午", "前一天", "后一天"}
    (written,) = stored.export("days.atom")
    feed = feedparser.parse(written.path)
    printed = {one.link[-6]: one.published for one in feed.entries}
    assert printed["0"] == "2026-11-20T00:00:00+08:00"
    assert printed["1"] == "2026-11-20T01:00:00.000Z"


def test_where_knows_lists_and_the_fields_of_records(stored: Stored) -> None:
    more = {
        "name": "第二公司",
        "staff": 120,
        "phone": ["02887654321", "02811111111"],
        "founded": "2001-05-01",
        "listed": True,
        "closed": False,
    }
    stored.results.write(
        ResultBatch(records=[Record("company", "2" * 32, "www.b.cn", "6" * 32, "http://www.b.cn/", more, fetched=NOON)])
    )  # fmt: skip

    def count(sheet: str, where: str) -> int:
        (written,) = stored.export("w.jsonl", sheet=sheet, where=where)
        return sum(written.rows.values())

    for sheet, where, wanted in (
        ("articles", "tags = 官方", 2),
        ("articles", "tags != 官方", 2),
        ("articles", "tags is empty", 0),
        ("articles", "keywords = 地铁", 4),
        ("articles", "keywords = 地", 0),
        ("articles", "published > 0001-01-01", 4),
        ("articles", "published < 9999-12-31", 4),
        ("records", "name = 第二公司", 1),
        ("records", "name = '\"第二公司\"'", 0),
        ("records", "name != 第二公司", 1),
        ("records", "name contains 公司", 2),
        ("records", "phone = 02887654321", 1),
        ("records", "phone = 02812345678", 1),
        ("records", "phone contains 0288", 1),
        ("records", "code is empty", 1),
        ("records", "code is not empty", 1),
        ("records", "staff = 120", 1),
        ("records", "staff = 120.0", 1),
        ("records", "staff != 120.0", 1),
        ("records", "staff != 121", 2),
        ("records", "name = 5", 0),
        ("records", "listed = true", 1),
        ("records", "listed != true", 1),
        ("records", "listed = false", 0),
        ("records", "closed = False", 1),
        ("records", "name = true", 0),
        ("records", "staff > 99", 1),
        ("records", "staff < 99", 0),
        ("records", "founded >= 2001-01-01", 1),
        ("records", "founded > 2002-01-01", 0),
        ("records", "name > 5", 0),
        ("records", "phone < 9", 0),
    ):
        assert (where, count(sheet, where)) == (where, wanted)
    with pytest.raises(ExportError, match="tags < x: tags has several values"):
        count("articles", "tags < x")
    assert len(stored.export("w.jsonl", sheet="articles", since="800000d")) == 1
    assert count("articles", "found > 0500-01-01") == 4


def test_the_articles_of_a_swallowed_story_are_told_with_the_one_that_swallowed_it(
    stored: Stored,
) -> None:
    """Of three stories that became one, in two steps, and the last one's article."""
    middle, last = "cd" * 16, "ef" * 16
    sites = ("www.site0.cn", "www.site1.cn")
    whole = StoryState(STORY, "成都地铁开通新线", KEYS[0], "www.site0.cn", NOON - DAY, NOON, 3, 1, (*sites, "www.site2.cn"), ())  # fmt: skip
    swallowed = [
        whole._replace(story_id=middle, title="开通", sites=sites, merged_into=STORY),
        whole._replace(story_id=last, title="试运行", sites=sites[:1], merged_into=middle),
    ]
    told = replace(ARTICLES[3], url_key="4" * 32, story_id=last, fetched=NOON + 30)
    change = replace(CHANGES[0], change_id="ab" * 16, url_key="4" * 32)
    stored.results.write(
        ResultBatch(articles=[told], stories=[whole, *swallowed], changes=[change])
    )
    (written,) = stored.export("s.jsonl", sheet="articles", columns=("url_key", "story", "sites"))
    lines = map(json.loads, Path(written.path).read_text("utf-8").splitlines())
    found = {line["url_key"]: (line["story"], line["sites"]) for line in lines}
    assert found["4" * 32] == found[KEYS[0]] == ("成都地铁开通新线", 3)
    (written,) = stored.export("s.csv", sheet="stories", since=time_text(NOON + 10))
    assert written.rows == {"stories": 1}
    (feed,) = stored.export("{story}.atom")
    assert Path(feed.path).stem == STORY
    assert feed.rows == {"entries": 4}  # of the three articles, one of which was changed since


def test_since_longer_ago_than_any_calendar_is_everything(stored: Stored) -> None:
    for since in ("800000d", "0001-01-01"):
        (written,) = stored.export("o.csv", sheet="articles", since=since)
        assert written.rows == {"articles": 4}


def test_feeds_of_tags_are_apart_and_keep_their_ids(stored: Stored) -> None:
    tags = ["a/b", "a:b", "c\\d"]
    told = [replace(one, tags=[tag]) for one, tag in zip(ARTICLES, tags, strict=False)]
    stored.results.write(ResultBatch(articles=told))
    files = stored.export("{tag}.atom")
    assert len({one.path for one in files}) == 4
    assert all(one.rows["entries"] for one in files)
    ids = {feedparser.parse(one.path).feed.id for one in files}
    assert len(ids) == 4
    (empty,) = stored.export("e.atom", since="1s", now=NOON + 9 * DAY)
    (whole,) = stored.export("w.atom")
    (chosen,) = stored.export("c.atom", where="score > 0.2")
    read = [feedparser.parse(one.path).feed.id for one in (empty, whole, chosen)]
    assert read[0] == read[1] == "tag:focuscrawl,2026:metro"
    assert read[2] != read[1]


def test_a_feed_has_the_changes_of_those_articles_that_are_wanted(stored: Stored) -> None:
    def entries(**order: Any) -> int:
        (written,) = stored.export("w.atom", **order)
        return written.rows["entries"]

    assert entries() == 5
    assert entries(where="score >= 0.5") == 2
    assert entries(where="story contains 地铁") == 3
    assert entries(where="kind = major", sheet="changes") == 1
    for order in ({"columns": ("title",)}, {"sheet": "records"}):
        with pytest.raises(ExportError, match="an Atom feed has entries of changes"):
            check_order(ExportOrder(str(stored.folder / "w.atom"), "atom", **order))


@contextmanager
def small_disk(most: int) -> Iterator[None]:
    """No file may be larger than so many bytes: what is written behind that fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("most", [1_000, 3_000, 6_000])
def test_a_workbook_that_the_disk_has_no_room_for_is_an_error_of_the_disk(
    stored: Stored,
    most: int,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drafts = tmp_path_factory.mktemp("drafts")
    monkeypatch.setattr("tempfile.tempdir", str(drafts))
    with small_disk(most), pytest.raises(OSError, match="File too large"):
        stored.export("full.xlsx")
    assert [*drafts.iterdir()] == []
    assert not list(stored.folder.glob("*full.xlsx*"))
    (written,) = stored.export("full.xlsx")
    assert written.rows["文章"] == 4


def test_the_last_run_of_several_workers_began_with_the_first_of_them(stored: Stored) -> None:
    def since_run() -> int:
        (written,) = stored.export("r.jsonl", sheet="articles", since="run")
        return written.rows["articles"]

    clock = stored.database.clock
    stored.results.end_run("finished", "", 0)
    for at, worker in ((NOON - 60, "vm:1"), (NOON + 60, "vm:2")):
        clock.now = at
        with stored.database.open("metro") as results:
            results.begin_run(RunStart(f"run-{worker}", "{}", {}, worker=worker))
            clock.now = NOON + 120
            results.end_run("finished", "", 0)
    assert since_run() == len(ARTICLES) - 1  # one is older than both
    clock.now = NOON + 180
    with stored.database.open("metro") as results:
        results.begin_run(RunStart("run-4", "{}", {}, worker="vm:3"))
    assert since_run() == 0


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ({"where": "title = 1; DROP TABLE articles"}, ""),
        ({"where": "1=1 or title"}, "no column '1'"),
        ({"where": "title"}, "is no comparison"),
        ({"where": "colour = red"}, "no column 'colour'"),
        ({"columns": ("colour",)}, "no column 'colour'"),
        ({"since": "yesterday"}, "last-export"),
        ({"sheet": "sheets"}, "one of articles"),
    ],
)
def test_what_cannot_be_read_is_said_and_nothing_is_asked(
    stored: Stored, order: dict[str, Any], said: str
) -> None:
    if said:
        with pytest.raises(ExportError, match=said):
            check_order(ExportOrder(str(stored.folder / "x.csv"), "csv", **order))
    else:
        (written,) = stored.export("x.csv", **order)
        assert written.rows == {"articles": 0}
    assert asked(stored, "SELECT count(*) FROM articles") == [(4,)]


def test_a_file_goes_on_where_it_was_written_last(stored: Stored) -> None:
    order = ExportOrder(str(stored.folder / "d.csv"), "csv", "articles", since="last-export")
    assert stored.export("d.csv", sheet="articles", since="last-export")[0].rows == {"articles": 4}
    stored.results.ask(note_export, order.destination, order.path, NOON, NOON - DAY / 2)
    assert stored.export("d.csv", sheet="articles", since="last-export")[0].rows == {"articles": 3}
    assert stored.export("e.csv", sheet="articles", since="last-export")[0].rows == {"articles": 4}


def test_an_export_of_nothing_has_its_head(stored: Stored) -> None:
    (written,) = stored.export("n.csv", sheet="articles", where="score > 9")
    assert len(Path(written.path).read_text("utf-8-sig").splitlines()) == 1


def test_a_file_that_cannot_be_written_leaves_the_one_before(
    open_stored: Callable[[], Stored], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = open_stored()
    (written,) = stored.export("k.csv", sheet="articles")
    before = Path(written.path).read_bytes()
    with pytest.raises(ExportError):
        stored.export("k.csv", sheet="articles", where="score > much")
    assert Path(written.path).read_bytes() == before
    assert not list(stored.folder.glob(".*part*"))


def test_a_tag_is_a_part_of_a_name_and_never_a_folder() -> None:
    assert in_file_name("官方") == "官方"
    assert re.fullmatch(r"_\.\._etc_官方_[0-9a-f]{6}", in_file_name("../../etc/官方"))
    assert re.fullmatch(r"_[0-9a-f]{6}", in_file_name(".."))
    assert in_file_name("a/b") != in_file_name("a:b")
