"""Titles, authors and texts of wikis, documentation, mailing lists and trackers."""

from __future__ import annotations

import pytest

from focuscrawl.features import articles
from focuscrawl.features.articles.article import ArticleText
from tests.tables import each_row

pytestmark = pytest.mark.A2

LINES = [
    f"市水务局昨天介绍，第{number}段供水管道已经用了二十六年，今年要换掉的一段长四公里，施工分三期进行，每期不超过四十天。"
    for number in range(5)
]
BODY = "".join(f"<p>{line}</p>" for line in LINES)
ENGLISH = "".join(
    f"<p>The council said on Monday, in its {number}th report, that old pipes had served for years, and would go.</p>"
    for number in range(4)
)
MAIL = " ".join(["The council said on Monday, that the old pipes had served, and would go."] * 5)


def read(markup: str) -> ArticleText:
    return articles.read(markup.encode(), "http://a.test/x/1")


@each_row("place", ["花园:p1", "花园:老树", "garden:p1", "花园"])
def test_a_page_of_a_wiki_is_called_by_its_heading_and_not_by_its_place(place: str) -> None:
    markup = (
        f"<title>{place} [我的维基]</title><body><header><h1><a href='/wiki/start'>我的维基</a></h1></header>"
        f"<div class='pageId'><span>{place}</span></div>"
        f"<div class='page'><h1 id='x'>园中的老树和新墙</h1><div>{BODY}</div></div></body>"
    )
    assert read(markup).title == "园中的老树和新墙"


@each_row(
    "style",
    [
        "font-size:26px;font-weight:bold",
        "font: bold 24px 黑体; text-align:center",
        "FONT-SIZE: 18pt",
        "font-size:1.8em",
        "font-size: x-large",
        "font-size:150%",
    ],
)
@each_row("title", ["东湖新闻网", ""])
def test_a_title_in_a_large_style_is_the_title(style: str, title: str) -> None:
    markup = (
        f"<title>{title}</title><body><div class='nav'><a href='/'>首页</a></div><div style='{style}'>东湖片区更换供水管道</div>"
        f"<div>2026-11-18 09:00 来源：东湖日报</div><div>{BODY}</div></body>"
    )
    assert read(markup).title == "东湖片区更换供水管道"


EDIT = "<a href='/index.php?title=x&amp;action=edit&amp;section=1'>编辑</a>"


@each_row(
    "heading",
    [
        f"<h2><span class='mw-headline'>历史</span><span class='mw-editsection'><span>[</span>{EDIT}<span>]</span></span></h2>",
        f"<div><h2>历史</h2><span class='e'>[{EDIT} | <a href='/x?veaction=edit'>编辑源代码</a>]</span></div>",
        f"<h3>历史 <small>[{EDIT}]</small></h3>",
    ],
)
def test_links_to_edit_a_part_are_no_line_and_cost_no_heading(heading: str) -> None:
    content = f"<p>{LINES[0]}</p>{heading}<p>{LINES[1]}</p><p>{LINES[2]}</p>"
    markup = f"<title>图书馆 - 维基</title><h1>图书馆</h1><div>{content}</div>"
    assert read(markup).text.split("\n") == [LINES[0], "历史", *LINES[1:3]]


def test_a_page_about_editing_keeps_its_links() -> None:
    content = f"<p>{LINES[0]}</p><p>读者可以自己[{EDIT}]这一页，也可以写信。</p><p>{LINES[1]}</p>"
    assert "编辑" in read(f"<title>图书馆</title><h1>图书馆</h1><div>{content}</div>").text


@each_row(
    "fields",
    [
        "<dl class='docinfo'><dt>Author</dt><dd><p>Jane Miller</p></dd><dt>Date</dt><dd><p>2026-11-18</p></dd></dl>",
        "<table class='docinfo'><tr><th>Author:</th><td>Jane Miller</td></tr><tr><th>Date:</th><td>2026-11-18</td></tr></table>",
    ],
)
def test_the_fields_of_a_document_name_its_author_and_its_date(fields: str) -> None:
    article = read(f"<title>Installing</title><div><h1>Installing</h1>{fields}{ENGLISH}</div>")
    assert (article.title, article.author, article.date) == (
        "Installing",
        "Jane Miller",
        "2026-11-18",
    )


def test_the_author_of_a_section_is_no_line_of_it() -> None:
    line = "<p class='sectionauthor'>Section author: Jane Miller &lt;jane@example.com&gt;</p>"
    article = read(f"<title>Installing</title><div><h1>Installing</h1>{line}{ENGLISH}</div>")
    assert article.author == "Jane Miller"
    assert article.text.startswith("The council")


@each_row(
    "name, around, author",
    [
        ("Jane Miller", "md-post__authors", "Jane Miller"),
        ("李明", "md-post__authors", "李明"),
        ("logo", "md-post__authors", ""),
        ("Jane Miller", "comment-authors", ""),
    ],
)
def test_who_is_shown_with_picture_and_name_has_written_it(
    name: str, around: str, author: str
) -> None:
    printed = "Docs team" if name == "logo" else name
    picture = f"<span class='md-author'><img src='/a.png' alt='{name}'></span>"
    box = (
        f"<div class='{around}'>{picture}<span><strong> {printed} </strong><br>Editor</span></div>"
    )
    markup = (
        f"<title>Installing</title><nav>{box}</nav><article><h1>Installing</h1>{ENGLISH}</article>"
    )
    assert read(markup).author == author


def test_a_date_that_an_icon_says_was_that_of_creation_is_the_pages() -> None:
    facts = "".join(
        f"<span><span title='{word}'></span><span>{day}</span></span>"
        for word, day in (("Last update", "November 18, 2026"), ("Created", "March 5, 2024"))
    )
    markup = (
        f"<title>Installing - Docs</title><article><h1>Installing</h1>{ENGLISH}"
        f"<aside class='md-source-file'>{facts}</aside></article>"
    )
    assert read(markup).date == "2024-03-05"


@each_row(
    "head",
    [
        "<ul><li><em>From</em>: Jane Miller &lt;jane@xxxxxxx&gt;</li><li><em>Date</em>: Wed, 18 Nov 2026 09:30:00 +0100</li></ul>",
        '<p>From: "Jane Miller" &lt;jane at example.com&gt;<br>Date: Wed, 18 Nov 2026 09:30:00 +0100</p>',
        "<ul><li><em>From</em>: Jane Miller &lt;<a href='mailto:jane%40x.org'>jane@x.org</a>&gt;</li><li><em>Date</em>: Wed, 18 Nov 2026 09:30:00 +0100</li></ul>",
        "<b>Jane Miller</b> <a href='mailto:dev@x'>jane at example.com</a><br><i>Wed Nov 18 09:30:00 CET 2026</i>",
    ],
)
def test_a_mail_names_who_wrote_it(head: str) -> None:
    markup = (
        f"<title>[dev] Release plan</title><h1>[dev] Release plan</h1>{head}<hr><pre>{MAIL}</pre>"
    )
    article = read(markup)
    assert (article.author, article.date) == ("Jane Miller", "2026-11-18T09:30:00+01:00")


def test_a_mail_is_by_who_sent_it_whomever_it_quotes() -> None:
    head = "<p>From: Jane Miller &lt;jane@x.org&gt;<br>Date: Wed, 18 Nov 2026 09:30:00 +0100</p>"
    quoted = f"<pre>本报讯（记者 王伟）{MAIL}\n\nBy Tom Reed\n</pre>"
    markup = f"<title>Release plan</title><h1>Release plan</h1>{head}<hr>{quoted}"
    assert read(markup).author == "Jane Miller"


@each_row("heading", ["Issue812", "Issue 812"])
def test_a_page_of_a_tracker_is_called_by_more_than_its_number(heading: str) -> None:
    markup = (
        f"<title>Issue 812: Crash when a file is empty - Tracker</title><h2>{heading}</h2>"
        f"<p>Created on <b>2026-11-18 09:30</b>.</p><pre>{MAIL}</pre>"
    )
    assert read(markup).title == "Crash when a file is empty"


NAVIGATION = "".join(
    f"[<a href='msg{number}.html'>{words}</a>]"
    for number, words in enumerate(
        ["Date Prev", "Date Next", "Thread Prev", "Thread Next", "Date Index"]
    )
)


@each_row(
    "head",
    [
        "<ul><li><em>From</em>: Jane Miller &lt;jane@xxxxxxx&gt;</li><li><em>Date</em>: Wed, 18 Nov 2026 09:30:00 +0100</li><li><em>Subject</em>: [dev] Release plan</li><li><em>References</em>: &lt;<a href='msg2.html'>a2@x.org</a>&gt;</li></ul>",
        "<b>Jane Miller</b> <a href='mailto:dev@x'>jane at example.com</a><br><i>Wed Nov 18 09:30:00 CET 2026</i>",
    ],
)
def test_the_text_of_a_mail_has_neither_its_head_nor_the_way_to_others(head: str) -> None:
    markup = (
        f"<title>[dev] Release plan</title><body><hr>{NAVIGATION}<h1>[dev] Release plan</h1><hr>{head}<hr>"
        f"<pre>{MAIL}\n\n&gt; When do we release?</pre><hr>{NAVIGATION}<hr>"
        "<a href='listinfo'>More information about the dev mailing list</a></body>"
    )
    assert read(markup).text.split("\n") == [MAIL, "> When do we release?"]
