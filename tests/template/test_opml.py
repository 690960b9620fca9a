"""Feed readers' lists as sources: feeds with their names, folders as tags; hostile files refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.template.load import load
from focuscrawl.template.opml import ListedFeed, OpmlError, feeds_of
from focuscrawl.template.toml import TemplateErrors
from tests.tables import each_row

LIST = """<?xml version="1.0" encoding="utf-8"?>
<opml version="2.0"><head><title>订阅</title></head><body>
<outline text="新闻"><outline text="地方">
  <outline type="rss" text="四川日报" xmlUrl="https://www.scdaily.cn/rss.xml" htmlUrl="https://www.scdaily.cn/"/>
</outline>
<outline type="rss" title="成都商报" xmlURL="https://www.cdsb.cn/feed"/></outline>
<outline type="rss" xmlUrl="https://www.example.cn/atom.xml"/>
<outline text="一条笔记"/>
</body></opml>"""


def test_folders_lie_in_each_other_and_names_are_optional() -> None:
    assert feeds_of(LIST.encode()) == [
        ListedFeed("https://www.scdaily.cn/rss.xml", "四川日报", ("新闻", "地方")),
        ListedFeed("https://www.cdsb.cn/feed", "成都商报", ("新闻",)),
        ListedFeed("https://www.example.cn/atom.xml", "", ()),
    ]


def test_a_list_in_another_encoding_is_read_as_it_says() -> None:
    raw = LIST.replace("utf-8", "gb18030", 1).encode("gb18030")
    assert feeds_of(raw)[0].title == "四川日报"


def test_a_feed_in_several_folders_is_one_with_all_of_them() -> None:
    raw = b"""<opml><outline text="A"><outline text="A"><outline xmlUrl="feed://a.cn/f"/></outline></outline>
    <outline text="B"><outline title="Name" xmlUrl="http://a.cn/f"/></outline>
    <outline xmlUrl="feed:https://b.cn/f"/></opml>"""
    assert feeds_of(raw) == [
        ListedFeed("http://a.cn/f", "Name", ("A", "B")),
        ListedFeed("https://b.cn/f", "", ()),
    ]


@pytest.mark.parametrize("address", ["@/etc/hostname", "...", "/etc/passwd", "file:///etc/passwd"])
def test_a_list_leads_to_no_file(tmp_path: Path, address: str) -> None:
    text = f'<opml><outline text="a" xmlUrl="{address}"/></opml>'
    (tmp_path / "feeds.opml").write_text(text, "utf-8")
    topic = tmp_path / "news.toml"
    topic.write_text('[[source]]\nurls = ["@feeds.opml"]\n', "utf-8")
    with pytest.raises(TemplateErrors) as error:
        load(topic)
    assert f"its feed a has the address {address}, which begins with neither" in str(error.value)


@each_row(
    ("raw", "said"),
    [
        (b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><opml>&b;</opml>', "document type"),
        (b'<!DOCTYPE opml SYSTEM "file:///etc/passwd"><opml/>', "document type"),
        ('<?xml version="1.0" encoding="utf-16"?><!DOCTYPE opml SYSTEM "x"><opml/>'.encode("utf-16"), "document type"),
        (b"<html><body/></html>", "its root is <html>"),
        (b"not xml", "it is no XML"),
        (b"<opml>" + b"<outline>" * 5_000 + b"</outline>" * 5_000 + b"</opml>", "it is no XML"),
        (b"<opml>" + b'<outline xmlUrl="http://a.cn/"/>' * 5_001 + b"</opml>", "more than 5,000"),
    ],
)  # fmt: skip
def test_what_is_hostile_or_no_list_is_refused(raw: bytes, said: str) -> None:
    with pytest.raises(OpmlError, match=said):
        feeds_of(raw)


def test_each_feed_is_a_source_with_its_name_and_tags(tmp_path: Path) -> None:
    (tmp_path / "feeds.opml").write_text(LIST, "utf-8")
    topic = tmp_path / "news.toml"
    topic.write_text(
        '[topic]\nkeywords = ["地铁"]\n[[source]]\nurls = ["https://www.a.cn/", "@feeds.opml"]\n'
        'tags = ["官方"]\nlevel = 3\n[[source]]\nurl = "https://www.b.cn/"\n',
        "utf-8",
    )
    sources = load(topic).template.sources
    assert [(one.urls, one.name, one.tags) for one in sources] == [
        (("https://www.a.cn/",), "", ("官方",)),
        (("https://www.scdaily.cn/rss.xml",), "四川日报", ("官方", "新闻", "地方")),
        (("https://www.cdsb.cn/feed",), "成都商报", ("官方", "新闻")),
        (("https://www.example.cn/atom.xml",), "", ("官方",)),
        (("https://www.b.cn/",), "", ()),
    ]
    assert {one.level for one in sources[:4]} == {3}


@pytest.mark.parametrize("name", ["missing.opml", "bad.opml", "../news.opml"])
def test_a_list_that_cannot_be_read_is_said_at_its_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "bad.opml").write_text("<html/>", "utf-8")
    topic = tmp_path / "news.toml"
    topic.write_text(f'[topic]\n[[source]]\nurls = ["@{name}"]\n', "utf-8")
    with pytest.raises(TemplateErrors, match=rf"line 2  \[\[source\]\]: the file {name} cannot be"):
        load(topic)
