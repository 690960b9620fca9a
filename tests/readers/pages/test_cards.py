"""Lists with excerpts are lists, however their entries lead on; an article with cards below it is none."""

from __future__ import annotations

import pytest

from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.kind import page_kind
from focuscrawl.readers.pages.links import find_links
from focuscrawl.values import PageClass
from tests.tables import each_row

pytestmark = pytest.mark.A2

LINES = [
    f"市水务局昨天介绍，第{number}段供水管道已经用了二十六年，今年要换掉的一段长四公里，施工分三期进行，每期不超过四十天，夜间不停水。"
    for number in range(8)
]
WHOLE = "".join(f"<p>{line}</p>" for line in LINES * 2)


def kind(content: str, path: str = "/blog/2/x", title: str = "东湖的博客和消息") -> PageClass:
    markup = f"<title>{title}</title><body><header><a href='/'>首页</a></header><main>{content}</main></body>"
    document = Document.read(markup.encode(), url=f"http://a.test{path}")
    return page_kind(document, find_links(document)).page_class


CARDS = {
    "stretched": "<article class='c'><h2>消息{n}的标题</h2><p>{text}</p><a class='s' href='/p/{n}' aria-label='消息{n}'></a></article>",
    "label": "<div class='card'><a href='/p/{n}' aria-label='消息{n}的标题'><img src='/i.jpg'></a><h3>消息{n}的标题</h3><p>{text}</p></div>",
    "read more": "<div class='post'><h2>消息{n}的标题</h2><p>{text}</p><p><a href='/p/{n}'>阅读全文</a></p></div>",
    "english": "<section><h2>News number {n}</h2><div>{text}</div><a href='/p/{n}'>Read more</a></section>",
    "bare": "<h2>消息{n}的标题</h2><p>{text}</p><p><a href='/p/{n}'>Read more</a></p>",
    "bare heading": "<h3><a href='/p/{n}'>消息{n}的标题</a></h3><p>{text}</p><hr>",
    "bare in its link": "<a href='/p/{n}'><h2>消息{n}的标题</h2></a><p>{text}</p><p><a href='/p/{n}'>阅读全文</a></p>",
    "its day": "<article><header><h2><a href='/p/{n}'>消息{n}的标题</a></h2><a href='/p/{n}'>2026-11-1{n}</a></header><p>{text}</p></article>",
    "heading": "<li><h3><a href='/p/{n}'>消息{n}的标题</a></h3><p>{text}</p><a href='/tag/x'>标签</a></li>",
}


@each_row("card", CARDS)
@each_row("count", [3, 8])
def test_like_blocks_with_a_heading_and_a_link_are_a_list(card: str, count: int) -> None:
    cards = "".join(CARDS[card].format(n=number, text=LINES[number] * 2) for number in range(count))
    assert kind(f"<h1>东湖的博客和消息</h1><div>{cards}</div>") is PageClass.BOARD


LABELS = ("Read more", " Read more", "\n  Read\n more", "Read <b>more</b>", "<span>Read more</span>", "Read more <i></i>")  # fmt: skip


def test_the_same_words_are_the_same_however_they_are_written_down() -> None:
    card = "<div class='post'><p>{}</p><a href='/p/{}'>{}</a></div>"
    cards = "".join(card.format(LINES[n] * 2, n, label) for n, label in enumerate(LABELS))
    assert kind(f"<h1>东湖的博客和消息</h1><div>{cards}</div>") is PageClass.BOARD


@each_row("card", CARDS)
def test_a_list_whose_first_entry_is_shown_whole_is_a_list(card: str) -> None:
    texts = [WHOLE, *LINES[1:5]]
    cards = "".join(CARDS[card].format(n=number, text=text) for number, text in enumerate(texts))
    assert kind(f"<div>{cards}</div>") is PageClass.BOARD


@each_row("card", CARDS)
def test_an_article_with_cards_of_others_below_it_is_an_article(card: str) -> None:
    cards = "".join(CARDS[card].format(n=number, text=LINES[number]) for number in range(3))
    content = f"<h1>换管的消息和安排</h1><div>{WHOLE}</div><div class='more'>{cards}</div>"
    assert kind(content, title="换管的消息和安排 - 东湖") is PageClass.ARTICLE


@each_row(
    "link",
    [
        "",
        "<a href='#s{n}'>¶</a>",
        "<a href='?action=edit&amp;section={n}'>编辑</a>",
        "<a href='http://shop.test/{n}'>Buy</a>",
        "<a href='/ref/{n}'>第{n}号文件里的说明</a>",
    ],
)
@each_row("section", ["<section class='s'><h2>{}</h2><p>{}</p></section>", "<h2>{}</h2><p>{}</p>"])
def test_an_article_in_sections_is_an_article(link: str, section: str) -> None:
    sections = "".join(
        section.format(f"第{number}节的标题", LINES[number] * 2 + link.format(n=number))
        for number in range(5)
    )
    content = f"<h1>换管的消息和安排</h1><div>{sections}</div>"
    assert kind(content, title="换管的消息和安排 - 东湖") is PageClass.ARTICLE


LEAD = "<header><h1><a href='/'>东湖的博客</a></h1></header><aside><article><h1><a href='{to}'>换管的消息和安排</a></h1>{whole}</article></aside>"


def test_a_list_whose_first_entry_stands_whole_above_the_others_is_a_list() -> None:
    cards = "".join(CARDS["heading"].format(n=n, text=LINES[n]) for n in range(4))
    content = LEAD.format(to="/p/9", whole=WHOLE)
    assert kind(f"{content}<ol>{cards}</ol>", path="/tag/x.html") is PageClass.BOARD


def test_an_article_whose_heading_leads_to_itself_is_an_article_above_cards() -> None:
    cards = "".join(CARDS["heading"].format(n=n, text=LINES[n]) for n in range(4))
    content = LEAD.format(to="/p/9", whole=WHOLE)
    assert kind(f"{content}<ol>{cards}</ol>", path="/p/9", title="换管") is PageClass.ARTICLE


ONLY = "<h1>{own}</h1><article><h2><a href='/p/1'>换管的消息和安排</a></h2><p>{text}</p><nav><a href='{to}'>阅读全文</a></nav></article>"


@each_row("to", ["/p/1", "/p/2", "/blog/2/x"])
def test_a_list_with_one_entry_is_a_list_when_its_heading_and_last_link_lead_to_one_page(
    to: str,
) -> None:
    content = ONLY.format(own="二〇二五年", text=LINES[0] * 4, to=to)
    assert (kind(content) is PageClass.BOARD) == (to == "/p/1")


def test_an_article_that_names_the_page_it_was_printed_from_is_an_article() -> None:
    content = ONLY.format(own="换管的消息和安排", text=WHOLE, to="/p/1")
    inside = content.replace("<h1>", "<article><h1>").replace("</h1><article>", "</h1>")
    assert kind(inside, title="换管的消息和安排") is PageClass.ARTICLE


def test_an_entry_whose_first_links_all_lead_to_other_sites_is_no_list_with_one() -> None:
    others = "<a href='http://b.test/'>别处</a>" * 50
    content = ONLY.format(own="二〇二五年", text=LINES[0] * 4, to="/p/1")
    assert kind(content.replace("<h2>", f"<p>{others}</p><h2>")) is PageClass.ARTICLE


TWO = "<h1>东湖的博客</h1><aside><article><h2><a href='/p/1'>换管的消息和安排</a></h2>{whole}</article></aside><ol>{others}</ol>"
OTHER = "<li><article><h2><a href='{to}'>{said}</a></h2><p>{text}</p></article></li>"


@each_row(
    "to, said", [("/p/2", "修路的消息"), ("/blog/2/x", "修路的消息"), ("/p/1", "换管的消息和安排")]
)
def test_a_list_of_two_of_which_one_stands_whole_is_a_list_when_both_lead_to_pages_of_their_own(
    to: str, said: str
) -> None:
    content = TWO.format(whole=WHOLE, others=OTHER.format(to=to, said=said, text=LINES[1]))
    assert (kind(content) is PageClass.BOARD) == (to == "/p/2")


def test_an_article_above_others_is_one_though_their_headings_lead_to_them() -> None:
    others = "".join(OTHER.format(to=f"/p/{n}", said=f"消息{n}", text=LINES[n]) for n in range(2))
    content = f"<article><h1>换管的消息和安排</h1>{WHOLE}</article><ol>{others}</ol>"
    assert kind(content, title="换管的消息和安排") is PageClass.ARTICLE


@each_row("sign", ["¶", "#", "\uf0c1", "🔗", "\u200b"])
def test_a_heading_repeats_the_title_whatever_sign_leads_to_itself(sign: str) -> None:
    links = "".join(f"<h3><a href='/p/{n}'>消息{n}的长长的标题</a></h3>" for n in range(4))
    heading = f"<h1>换管的消息和安排<a href='#x'>{sign}</a></h1>"
    content = f"{heading}<p>{LINES[0]}</p><p>{LINES[1]}</p><div class='side'>{links}</div>"
    assert kind(content, title="换管的消息和安排 - 东湖") is PageClass.ARTICLE


MENU = "".join(f"<li><a href='/p/{n}'>手册第{n}篇的长标题</a></li>" for n in range(60))


@each_row(
    "path, title, is_article",
    [
        ("/p/9", "换管的消息和安排", True),
        ("/tags/", "换管的消息和安排", False),
        ("/p/9", "手册", False),
    ],
)
def test_a_short_text_below_its_heading_is_an_article_beside_any_menu(
    path: str, title: str, is_article: bool
) -> None:
    text = f"<div class='text'><h1>换管的消息和安排</h1><p>{LINES[0]}</p><p>{LINES[1]}</p></div>"
    content = f"{text}<div class='menu'><ul>{MENU}</ul></div>"
    assert (kind(content, path=path, title=title) is PageClass.ARTICLE) == is_article
