"""Articles of other languages are read as Chinese ones are: their text, what stands around it."""

from __future__ import annotations

from time import process_time

import pytest

from focuscrawl.features import articles
from focuscrawl.features.articles.boilerplate import trimmed
from focuscrawl.features.articles.readings import corrected
from focuscrawl.readers.text.lines import is_prose
from tests.tables import each_row

pytestmark = pytest.mark.article_text

ENGLISH = (
    "The harbour office has opened a second pier for the small ferries, which leave every half hour.",
    "Fares stay as they were, the office said, and children under six travel free on all lines.",
    "Boats will run until midnight in summer, and until nine in the evening when the wind is strong.",
)
JAPANESE = (
    "港の事務所は、小さな渡し船のために、新しい桟橋を開き、船は三十分ごとに出る。",
    "料金は、これまでと同じで、六歳より下の子どもは、どの路線でも無料になるという。",
    "夏のあいだは、真夜中まで船が出るが、風の強い日には、夜九時で終わることもある。",
)
CAPTION = "The new pier as seen from the lighthouse on a quiet morning in May, before the first boat left."


def text_of(body: str) -> str:
    page = f"<html><head><meta charset=utf-8><title>A second pier</title></head><body>{body}</body></html>"
    return articles.read(page.encode(), "http://a.test/2026/pier.html").text


def told(sentences: tuple[str, ...]) -> str:
    return "".join(f"<p>{one}</p>" for one in sentences)


@pytest.mark.parametrize("comma", ["、", "，", "；"])
def test_commas_of_any_script_speak_for_a_paragraph(comma: str) -> None:
    many = comma.join(["朝の桟橋に船が着いて人が降り荷が上がる"] * 12) + "。"
    photos = '<img src="/1.jpg"><img src="/2.jpg"><img src="/3.jpg">'
    found = text_of(f"<div>{told(JAPANESE)}<div>{photos}<p>{many}</p></div>{told(JAPANESE)}</div>")
    assert many in found
    assert "\ufdd1" not in found


@pytest.mark.parametrize(
    "caption",
    [
        "<figcaption>{}</figcaption>",
        '<p class="wp-caption-text">{}</p>',
        '<div class="photo__caption"><span>{}</span></div>',
        '<span class="imageCaption">{}</span>',
    ],
)
def test_what_is_printed_under_an_image_is_not_of_the_text(caption: str) -> None:
    figure = f'<figure><img src="/pier.jpg">{caption.format(CAPTION)}</figure>'
    first, *rest = ENGLISH * 2
    page = f"<div>{told((first,))}{figure}{told(tuple(rest))}</div>"
    assert text_of(page) == "\n".join(ENGLISH * 2)


def test_an_image_stays_whose_caption_goes() -> None:
    figure = f'<div class="caption-box"><img src="/pier.jpg"><p class="caption">{CAPTION}</p></div>'
    page = f"<html><body><article>{told(ENGLISH)}{figure}{told(ENGLISH)}</article></body></html>"
    found = articles.read(page.encode(), "http://a.test/2026/pier.html")
    assert found.images == ("http://a.test/pier.jpg",)
    assert CAPTION not in found.text


def test_images_are_those_that_can_be_fetched() -> None:
    images = '<p><img src="/pier.jpg "><img src="javascript:draw()"></p>'
    page = f"<html><body><article>{told(ENGLISH)}{images}{told(ENGLISH)}</article></body></html>"
    found = articles.read(page.encode(), "http://a.test/2026/pier.html")
    assert found.images == ("http://a.test/pier.jpg",)


@pytest.mark.parametrize(
    "hidden", ["hidden", 'style="DISPLAY: none"', "style='color:red;visibility:hidden'"]
)
def test_what_is_hidden_is_not_of_the_text(hidden: str) -> None:
    found = text_of(f"<div>{told(ENGLISH)}<p {hidden}>{CAPTION}</p>{told(ENGLISH)}</div>")
    assert CAPTION not in found
    assert found.count(ENGLISH[0]) == 2


def test_a_story_told_in_captions_keeps_them() -> None:
    figures = "".join(
        f'<figure><img src="/{number}.jpg"><figcaption>{sentence}</figcaption></figure>'
        for number, sentence in enumerate(ENGLISH)
    )
    found = text_of(f"<article><p>Our pictures of the week.</p>{figures}</article>")
    assert all(sentence in found for sentence in ENGLISH)


def test_an_embedded_post_is_of_the_text_whatever_its_class_says() -> None:
    post = "We are proud to welcome the first passengers at our new pier today, come and see it."
    embedded = f'<blockquote class="twitter-tweet"><p>{post}</p>— Harbour Office</blockquote>'
    found = text_of(f"<div>{told(ENGLISH)}{embedded}{told(ENGLISH)}</div>")
    assert post in found
    assert found.count(ENGLISH[0]) == 2


BODY = " ".join(ENGLISH)


@each_row(
    "before",
    [
        "By Mira Holt",
        "by Mira Holt and Jon de Vries",
        "Published 10:02 AM EST Nov 19, 2026",
        "November 20, 2026 / 1:07 AM / Harbour News",
        "Monday, 18 May 2026",
        "公開日：2026.05.02 10:30",
        "입력 2026.05.02 10:30",
    ],
)
def test_bylines_above_the_text_go(before: str) -> None:
    assert trimmed(f"{before}\n{BODY}", "A second pier") == BODY


@pytest.mark.parametrize(
    "first",
    [
        "By Monday the pier had closed again.",
        "Published in May, the report of 2026 names ten piers.",
        "May 2, 2026 was a quiet day. Nobody came.",
        "船は、九時に出る",
    ],
)
def test_a_first_line_that_is_a_sentence_stays(first: str) -> None:
    assert trimmed(f"{first}\n{BODY}", "A second pier").startswith(first)


@each_row(
    "after",
    [
        "為您推薦\n港口的一天",
        "関連記事\n港の一日",
        "관련 기사\n항구의 하루",
        "Read next\nA day at the harbour",
        "Recommended for you\nA day at the harbour",
    ],
)
def test_further_reading_goes(after: str) -> None:
    assert trimmed(f"{BODY}\n{after}", "A second pier") == BODY


@pytest.mark.parametrize(
    "line", ["Related: A day at the harbour", "(Read more: A day)", "関連記事：港の一日"]
)
def test_a_line_that_points_to_another_article_goes(line: str) -> None:
    assert trimmed(f"{BODY}\n{line}\n{BODY}", "A second pier") == f"{BODY}\n{BODY}"


def test_a_sentence_that_begins_like_such_a_line_stays() -> None:
    line = "Related: the two piers were built by the same family, as the office said."
    assert line in trimmed(f"{BODY}\n{line}\n{BODY}", "A second pier")


def test_a_japanese_sentence_is_prose_by_its_commas() -> None:
    assert is_prose(JAPANESE[0])
    assert not is_prose("松田、竹内、梅原")


def author_of(head: str, body: str) -> str:
    page = f"<html><head><title>A second pier</title>{head}</head><body><h1>A second pier</h1>{body}{told(ENGLISH)}</body></html>"
    return articles.read(page.encode(), "http://a.test/2026/pier.html").author


def described(author: str, publisher: str = "") -> str:
    said = f', "publisher": {publisher}' if publisher else ""
    return f'<script type="application/ld+json">{{"@type": "NewsArticle", "author": {author}{said}}}</script>'


HARBOUR = '{"@type": "Organization", "name": "Harbour News"}'


@each_row(
    ("head", "body", "author"),
    [
        (described('{"@type": "Person", "name": "Mira Holt | Harbour News"}'), "", "Mira Holt"),
        (described('{"@type": "Person", "name": "Mira O&#039;Dell"}'), "", "Mira O'Dell"),
        (described(HARBOUR, HARBOUR), "", ""),
        (described(HARBOUR, HARBOUR), '<p class="authors">Mira Holt</p>', "Mira Holt"),
        (described('{"@type": "Organization", "name": "Coast Agency"}', HARBOUR), "", "Coast Agency"),
        ('<meta name="author" content="MHOLT">', "", ""),
        ('<meta name="author" content="Town of Holt - Press Office">', "", ""),
        (
            '<meta name="author" content="Mira Holt and Jon Abel">',
            '<p><a href="/mira">MIRA HOLT</a> &amp; <a href="/jon">JON ABEL</a></p><p>posted by Ann Other</p>',
            "Mira Holt and Jon Abel",
        ),
        ('<meta name="author" content="Some Webdesign">', "<p>By Mira Holt</p>", "Mira Holt"),
        ("", '<div class="byline">Mira Holt , HARBOUR NEWS 8:42 a.m.</div>', "Mira Holt"),
        ("", '<p id="story_author"><a href="/mira">by Mira Holt</a></p>', "Mira Holt"),
        (
            "",
            '<cite class="byline vcard">By <span>MIRA HOLT and JON ABEL - Coast Writers</span></cite>',
            "MIRA HOLT and JON ABEL",
        ),
        ("", '<div class="byline">Senior Staff Writer</div>', ""),
        ("", '<div class="comment-author">Mira Holt</div>', ""),
        ("", '<i class="byline">Mira Holt</i><i class="byline">Jon Abel</i>', ""),
        ("", "<table><tr><th>Written by</th><td>Mira Holt</td></tr></table>", ""),
        ("", "<p>김항구 기자 harbour@a.test</p>", "김항구"),
        ("", "<p>筆者：港野花子</p>", "港野花子"),
    ],
)  # fmt: skip
def test_authors_are_found_as_other_languages_print_them(head: str, body: str, author: str) -> None:
    assert author_of(head, body) == author


def date_of(head: str, body: str, title: str = "A second pier") -> str:
    page = f"<html><head><title>{title}</title>{head}</head><body><h1>A second pier</h1>{body}{told(ENGLISH)}</body></html>"
    return articles.read(page.encode(), "http://a.test/pier", timezone="Asia/Tokyo").date


@each_row(
    ("printed", "date"),
    [
        ("公開日：2026年5月2日（土）10時30分", "2026-05-02T10:30+09:00"),
        ("令和8年5月2日", "2026-05-02"),
        ("2026年5月2日 午後1時05分 配信", "2026-05-02T13:05+09:00"),
        ("입력 2026.05.02. 10:30", "2026-05-02T10:30+09:00"),
        ("2026년 5월 2일 오후 3:24", "2026-05-02T15:24+09:00"),
        ("입력 2026-05-02(토) 10:30 수정 2026-05-03(일) 11:00", "2026-05-02T10:30+09:00"),
    ],
)
def test_dates_of_japanese_and_korean_pages_are_found(printed: str, date: str) -> None:
    assert date_of("", f"<p>{printed}</p>") == date


def test_a_date_in_the_title_of_a_page_is_its_date_where_it_prints_no_other() -> None:
    assert date_of("", "", "A second pier | Harbour News | 19.01.2026") == "2026-01-19"
    assert date_of("", "", "The storm of 19.01.2026 | Harbour News") == ""
    assert date_of("", "<p>20 January 2026</p>", "A pier | 19.01.2026") == "2026-01-20"


@pytest.mark.parametrize(
    ("stated", "printed", "date"),
    [
        ("2026-01-19T07:03:25+00:00", "January 18, 2026 11:03 PM", "2026-01-18T23:03:25-08:00"),
        ("2026-01-19T07:03:25Z", "January 18, 2026 10:41 PM", "2026-01-19T07:03:25+00:00"),
        ("2026-01-19T07:03:25Z", "January 17, 2026 11:03 AM", "2026-01-19T07:03:25+00:00"),
        ("2026-01-19 07:03:25", "January 18, 2026 11:03 PM", "2026-01-19T07:03:25+09:00"),
    ],
)
def test_a_moment_is_of_the_day_that_the_page_prints(stated: str, printed: str, date: str) -> None:
    head = f'<meta property="article:published_time" content="{stated}">'
    assert date_of(head, f"<p>{printed}</p>") == date


def test_a_heading_that_ends_with_a_colon_is_not_the_whole_title() -> None:
    heads = "<h1>The Second Pier:</h1><h2>Ferries</h2>"
    page = f"<html><head><title>The Second Pier: Ferries | Harbour News</title></head><body>{heads}{told(ENGLISH)}</body></html>"
    found = articles.read(page.encode(), "http://a.test/pier")
    assert found.title == "The Second Pier: Ferries"


def test_quotations_alone_are_no_text() -> None:
    quotes = "".join(f"<blockquote>{one}</blockquote>" for one in ENGLISH)
    checked = corrected("\n".join((*JAPANESE * 4, *ENGLISH)), "Sign in, or go on.")
    assert checked == ""  # the other reading found something else altogether
    assert text_of(f"<article>{told(ENGLISH * 3)}{quotes}</article>").count(ENGLISH[0]) == 4


@pytest.mark.timed
def test_a_page_of_many_bylines_is_read_in_time_with_its_length() -> None:
    begun = process_time()
    author_of("", "<div class=author><i id=byline>By" * 20_000)
    assert process_time() - begun < 2
