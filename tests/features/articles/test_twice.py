"""A text that its page shows twice, for desktops and for telephones, is stored once."""

from __future__ import annotations

from time import process_time

import pytest
from lxml import html

from focuscrawl.features import articles
from focuscrawl.features.articles.contents.twice import shown_once
from tests.tables import each_row

pytestmark = pytest.mark.A2

LINES = [
    "市水务局昨天在通气会上介绍，东湖片区的供水管道已经用了二十六年，今年要换掉的一段长四点二公里。",
    "住在湖滨路的居民告诉记者，早上六点到八点水压最低，五楼以上常常放不出热水。",
    "按照公布的方案，新管采用球墨铸铁，接口处加装流量计，数据每十五分钟上传一次。",
]
TITLE, BYLINE = "东湖片区更换供水管道", "2026-11-20 09:30 来源：东湖日报"
HEAD = f"<h1>{TITLE}</h1><div class='info'>{BYLINE}</div>"
BODY = "".join(f"<p>{line}</p>" for line in LINES)
WITH_BREAKS = "<br>".join(LINES)


@each_row(
    "content",
    [
        f"<div class='pc'>{HEAD}<div>{BODY}</div></div><div class='mobile'>{HEAD}<div>{BODY}</div></div>",
        f"<div class='pc'>{HEAD}<div>{BODY}</div></div><div class='mobile'><div>{BODY}</div></div>",
        f"<div>{HEAD}<div class='d-none d-md-block'>{BODY}</div><div class='d-md-none'>{BODY}</div></div>",
        f"<div>{HEAD}<div class='a'>{BODY}</div><div class='b'>{WITH_BREAKS}</div></div>",
        f"<div class='m'><h2>{TITLE}</h2><p>2026-11-20</p>{BODY}</div><div class='pc'>{HEAD}{BODY}</div>",
    ],
)
def test_a_text_for_desktops_and_for_telephones_is_stored_once(content: str) -> None:
    markup = f"<title>{TITLE}</title><body>{content}</body>"
    article = articles.read(markup.encode(), "http://a.test/1.html")
    assert article.text.split("\n") == LINES
    assert article.title == TITLE


@each_row(
    "lines",
    [
        [LINES[0], "啦啦啦", LINES[1], "啦啦啦", LINES[2], "啦啦啦"],
        [LINES[0], LINES[1], LINES[0], LINES[2]],
        ["副歌唱一遍", "第一段歌词写在这里", "副歌唱一遍", "第二段歌词写在这里"],
        [LINES[0], LINES[0][:-1] + "，另有三公里。", LINES[2]],
        [],
    ],
)
def test_what_repeats_a_line_of_itself_stays_whole(lines: list[str]) -> None:
    root = html.fromstring("<body>" + "".join(f"<div>{line}</div>" for line in lines) + "</body>")
    assert shown_once("\n".join(lines), root) == "\n".join(lines)


def test_what_repeats_itself_in_one_block_is_its_authors() -> None:
    root = html.fromstring(f"<body><div>{BODY}{BODY}</div></body>")
    assert shown_once("\n".join([*LINES, *LINES]), root) == "\n".join([*LINES, *LINES])


def test_a_text_that_repeats_its_first_lines_costs_little() -> None:
    """Eight first lines, each again eight times, were each looked for in the whole page: 56 times."""
    lines = [*(f"第{number}行写的是这一段供水管道" for number in range(8)), *LINES]
    blocks = "".join(f"<div>{line}</div>" for line in lines * 8) + "<p>x</p>" * 19_000
    root = html.fromstring(f"<body>{blocks}</body>")
    began = process_time()
    shown_once("\n".join(lines * 8), root)
    assert process_time() - began < 0.5
