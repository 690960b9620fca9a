"""Boards of forums: threads and their counts, as many kinds of forum print them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.forums.board import Board, form_of, read_board
from focuscrawl.features.forums.elements import ForumSelectors
from focuscrawl.features.forums.words import count_in, floor_in
from focuscrawl.readers.pages.document import Document
from focuscrawl.values import Selector
from tests.tables import each_row

pytestmark = pytest.mark.A9

NOW = 1_795_147_200.0  # 2026-11-20T04:00:00Z
NUMBERS = (14, 7, 22, 9)


def board(body: str, selectors: ForumSelectors = ForumSelectors()) -> Board:  # noqa: B008 - frozen
    document = Document.read(
        f"<html><body>{body}</body></html>".encode(), url="http://bbs.test/list"
    )
    return read_board(document, selectors=selectors, timezone="Asia/Shanghai", now=NOW)


def rows(row: Callable[[int], str], numbers: Sequence[int] = NUMBERS) -> str:
    return "".join(map(row, numbers))


def cells_and_links(number: int) -> str:
    """A table of a Chinese forum: the count links to the thread, pages are listed behind the title."""
    return f"""<tbody id="normalthread_{number}"><tr>
    <td><a href="thread-{number}-1-1.html"><img src="folder.gif" alt="帖"></a></td>
    <th><em>[<a href="forum-2-9.html">求助</a>]</em> <a href="thread-{number}-1-1.html">这家店的第{number}道菜如何</a>
    <span>...<a href="thread-{number}-2-1.html">2</a> <a href="thread-{number}-3-1.html">3</a></span></th>
    <td class="by"><cite><a href="space-uid-{number}.html">食客{number}</a></cite><em>2026-3-{number}</em></td>
    <td class="num"><a href="thread-{number}-1-1.html">{number * 3}</a><em>{number * 90}</em></td>
    <td class="by"><cite><a href="space-uid-1.html">末人</a></cite><em>
    <a href="forum.php?mod=redirect&tid={number}&goto=lastpost">2026-4-{number} 12:30</a></em></td></tr></tbody>"""


def described_lists(number: int) -> str:
    """Lists of definitions, counts before their labels."""
    return f"""<li class="row"><dl><dt><a href="./viewtopic.php?f=2&amp;t={number}">Topic {number} about soup</a>
    <div>by <a href="./memberlist.php?mode=viewprofile&amp;u={number}">joe{number}</a> » Jan 3, 2026 3:11 pm</div></dt>
    <dd class="posts">{number * 3} <dfn>Replies</dfn></dd><dd class="views">{number * 90} <dfn>Views</dfn></dd>
    <dd><dfn>Last post</dfn> by <a href="./memberlist.php?mode=viewprofile&amp;u=9">ann</a>
    <a href="./viewtopic.php?f=2&amp;t={number}&amp;p=77{number}#p77">»</a> Feb 3, 2026 3:11 pm</dd></dl></li>"""


def test_a_count_no_board_can_have_is_unknown_and_its_thread_stays() -> None:
    row = described_lists(22).replace("66 <dfn>", f"{2**53 + 2:,} <dfn>")
    row = row.replace("1980 <dfn>", "999,999,999,999,999,999,999 <dfn>")
    found = board(rows(described_lists, (14, 7, 9)) + row)
    assert [(thread.replies, thread.views) for thread in found.threads] == [
        (42, 1260), (21, 630), (27, 810), (None, None),
    ]  # fmt: skip
    assert found.beyond == ("replies", "views")
    assert count_in("9" * 400) is None
    assert count_in("9,999" + ",999" * 99) is None


def lines_of_words(number: int) -> str:
    """Both counts in one cell, with words behind them."""
    return f"""<tr><td><a href="index.php/topic,{number}.0.html">Subject {number} of the day</a>
    <p>Started by <a href="index.php?action=profile;u={number}">bob{number}</a></p></td>
    <td>{number * 3} Replies<br>{number * 90} Views</td>
    <td>March 1, 2026, 10:00 AM<br>by <a href="index.php?action=profile;u=8">zoe</a></td></tr>"""


def pairs(number: int) -> str:
    """Both counts as one text, under a heading that says which is which."""
    return f"""<tr><td><a href="show.asp?id={number}">老论坛的帖子{number}</a></td><td>网友</td>
    <td>{number * 90}/{number * 3}</td><td>2026-05-01 10:00</td></tr>"""


def bare_columns(number: int) -> str:
    """Two columns of numbers nobody has labelled."""
    return f"""<tr><td>1{number}</td><td><a href="show.asp?id={number}">老论坛的帖子{number}</a></td>
    <td>{number * 3}</td><td>{number * 90}</td><td>2026-05-01 10:00</td></tr>"""


KINDS = {
    "cells": f"<table>{rows(cells_and_links)}</table>",
    "definitions": f"<ul>{rows(described_lists)}</ul>",
    "words": f"<table>{rows(lines_of_words)}</table>",
    "pairs": f"<table><tr><th>标题</th><th>作者</th><th>查看/回复</th><th>最后</th></tr>{rows(pairs)}</table>",
    "bare": f"<table>{rows(bare_columns)}</table>",
}


@each_row("kind", KINDS)
def test_threads_and_both_counts_are_found_without_a_rule(kind: str) -> None:
    found = board(KINDS[kind]).threads
    assert [(one.replies, one.views) for one in found] == [(n * 3, n * 90) for n in NUMBERS]
    assert all(str(number) in one.url for one, number in zip(found, NUMBERS, strict=True))
    assert all(str(number) in one.title for one, number in zip(found, NUMBERS, strict=True))


def test_who_began_a_thread_and_when_it_was_written_to_last() -> None:
    first = board(KINDS["cells"]).threads[0]
    assert first.author == "食客14"
    assert first.last_reply == 1_776_141_000.0  # 2026-04-14 12:30 in Shanghai
    assert [one.author for one in board(KINDS["definitions"]).threads][:2] == ["joe14", "joe7"]


def test_only_titles_lead_out_of_rows() -> None:
    inside = board(KINDS["cells"]).inside
    assert "http://bbs.test/thread-14-2-1.html" in inside
    assert "http://bbs.test/space-uid-14.html" in inside


def test_a_count_may_stand_in_the_address_of_the_last_reply() -> None:
    def row(number: int) -> str:
        count = f'<a href="/t/{number}#reply{number - 9}">{number - 9}</a>' if number > 9 else ""
        return (
            f'<div class="cell"><span><a href="/t/{number}#reply{number - 9}">主题{number}说了什么</a></span>'
            f" <strong><a href='/member/x{number}'>x{number}</a></strong> • 3 分钟前 • 最后回复来自 "
            f"<a href='/member/z'>z</a> {count}</div>"
        )

    found = board(rows(row, (44, 9, 51, 60)))
    assert [one.replies for one in found.threads] == [35, 0, 42, 51]
    assert all("#" not in one.url for one in found.threads)


def test_a_blank_count_is_none_yet() -> None:
    text = KINDS["bare"].replace("<td>21</td>", "<td></td>").replace("<td>630</td>", "<td>5</td>")
    assert [one.replies for one in board(text).threads] == [42, 0, 66, 27]


def test_a_list_inside_a_comment_is_read() -> None:
    found = board(f"<code><!-- {KINDS['cells']} --></code>")
    assert [one.replies for one in found.threads] == [42, 21, 66, 27]


def test_rows_whose_end_tags_are_missing_are_told_apart() -> None:
    def row(number: int) -> str:
        return (
            f'<li class="thread"><div><span title="回复">{number * 3}</span><div>'
            f'<a href="/p/{number}">无尽之帖{number}</a></div>'
        )

    found = board(f"<ul>{rows(row, range(20, 40))}</ul>").threads
    assert [one.replies for one in found] == [number * 3 for number in range(20, 40)]


@pytest.mark.parametrize(
    "body",
    [
        rows(lambda n: f'<li><a href="/news/{n}.html">今日要闻之第{n}条</a><span>2026-05-01</span></li>'),
        rows(lambda n: f'<tr><td><a href="forum-{n}-1.html">版块{n}的名字</a></td><td>主题: {n}, 帖数: {n * 9}</td></tr>'),
        rows(lambda n: f'<li>{n}. <a href="/p/{n}.html">没有数字的一条{n}</a></li>', range(1, 9)),
        "",
    ],
    ids=["news", "list of boards", "numbered list", "nothing"],
)  # fmt: skip
def test_other_lists_are_no_boards(body: str) -> None:
    assert board(f"<table>{body}</table>").threads == ()


def test_selectors_of_the_site_win_and_those_that_miss_are_named() -> None:
    text = rows(lambda n: f'<tr class="t"><td><a href="x?id={n}">帖子{n}的名字</a></td><td><i>{n}</i></td><td><u>{n * 2}</u></td></tr>')  # fmt: skip
    body = f"<table>{text}</table>"
    chosen = ForumSelectors(
        thread=Selector("css", "tr.t"),
        replies=Selector("xpath", "//u/text()"),
        views=Selector("css", "b.none"),
    )
    found = board(body, chosen)
    assert [(one.replies, one.views) for one in found.threads] == [(n * 2, n * 2) for n in NUMBERS]
    assert found.missed == ("views",)
    assert board(body, ForumSelectors(thread=Selector("css", "tr.none"))).missed == ("thread",)


def test_a_single_thread_is_found_where_the_page_heads_its_columns() -> None:
    head = "<p>标题 作者 回复/查看 最后发表</p>"
    body = rows(bare_columns, (8,))
    assert [one.replies for one in board(f"{head}<table>{body}</table>").threads] == [24]


@given(st.integers(0, 999_999_999))
def test_counts_are_read_however_they_are_written(number: int) -> None:
    assert count_in(f" {number} ") == number
    assert count_in(f"{number:,}") == number


def test_counts_in_short() -> None:
    assert [count_in(text) for text in ("2.3k", "1.2万", "5W+", "3.5", "12:30", "")] == [
        *(2300, 12_000, 50_000, None, None, None),
    ]
    assert [floor_in(text) for text in ("5楼", "#12", "7#", "楼主", "沙发", "五", "12")] == [
        *(5, 12, 7, 1, 2, None, None),
    ]


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_addresses_of_threads_have_one_form(first: int, second: int) -> None:
    for pattern in ("thread-{}-1-1.html", "viewtopic.php?f=2&t={}", "t/some-title-here/{}"):
        one, other = (form_of(f"http://bbs.test/{pattern.format(n)}") for n in (first, second))
        assert one == other


def test_a_thread_whose_address_is_unlike_the_others_is_one_by_what_its_title_is_called() -> None:
    """Rows that are not closed stand in each other; the odd one alone would be the whole list."""

    def row(number: int) -> str:
        address = f"/p/{number}?from=top" if number == 7 else f"/p/{number}"
        return f"""<li class="row"><div><span class="num">{number * 3}</span><div class="lead"><a class="title" href="{address}">这家店的第{number}道菜如何</a>
        <a href="/home/u{number}" class="author">食客{number}</a></div>"""

    found = board("<ul>" + rows(row))
    assert [(thread.url.rpartition("/")[2], thread.replies) for thread in found.threads] == [
        ("14", 42), ("7?from=top", 21), ("22", 66), ("9", 27),
    ]  # fmt: skip
