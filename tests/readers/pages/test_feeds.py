"""Feeds and sitemaps, well-formed or not."""

from __future__ import annotations

import gzip
import json
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.pages.content import sniff
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.feeds.feeds import (
    MOST_NAMED,
    MOST_UNPACKED,
    named_by_page,
    named_by_robots,
    read_feed,
)
from focuscrawl.readers.pages.feeds.sitemaps import read_sitemap
from focuscrawl.values import PageClass
from tests.cost import holds
from tests.tables import each_row

pytestmark = pytest.mark.signal_files

URL = "http://news.example/feeds/rss.xml"

RSS2 = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>新闻</title><link>http://news.example/</link>
<item><title>新馆开放 &amp; 读书节</title><link>http://news.example/a/1.html</link>
<pubDate>Fri, 20 Nov 2026 10:05:00 +0800</pubDate><description>&lt;p&gt;新馆今天&lt;b&gt;开放&lt;/b&gt;。&lt;/p&gt;</description></item>
<item><title><![CDATA[第二条 <b>新闻</b>]]></title><link>/a/2.html?x=1&amp;y=2</link><dc:date>2026-11-19T08:00:00Z</dc:date></item>
<item><title>只有 guid</title><guid>http://news.example/a/3.html</guid></item>
<item><title>没有地址</title></item>
</channel></rss>"""
RSS1 = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="x"><title>x</title></channel>
<item rdf:about="http://news.example/1"><title>一</title><link>http://news.example/1</link></item></rdf:RDF>"""
RSS091 = "<rss version='0.91'><channel><item><title>旧</title><link>http://news.example/old</link></item></channel></rss>"
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://blog.example/posts/">
<link rel="self" href="http://blog.example/atom.xml"/>
<entry><title type="html">标题 &amp;amp; 其他</title><link rel="edit" href="http://blog.example/edit/1"/>
<link href="one/"/><id>tag:blog.example,2026:1</id><updated>2026-11-20T10:00:00+08:00</updated>
<published>2026-11-18T10:00:00+08:00</published><summary>摘要</summary></entry></feed>"""


def feed_urls(text: str) -> list[str]:
    return [entry.url for entry in read_feed(text.encode(), URL).entries]


def test_rss_2_gives_addresses_titles_dates_and_plain_summaries() -> None:
    feed = read_feed(RSS2.encode(), URL)
    first, second, third = feed.entries
    assert feed.problem == ""
    assert first.url == "http://news.example/a/1.html"
    assert first.title == "新馆开放 & 读书节"
    assert first.published == 1795140300.0
    assert first.summary == "新馆今天 开放 。"
    assert second.url == "http://news.example/a/2.html?x=1&y=2"
    assert second.title == "第二条 新闻"
    assert second.published == 1795075200.0
    assert third.url == "http://news.example/a/3.html"
    assert third.published is None


def test_older_rss_is_read() -> None:
    assert feed_urls(RSS1) == ["http://news.example/1"]
    assert feed_urls(RSS091) == ["http://news.example/old"]


def test_atom_gives_the_alternate_link_and_the_day_of_publication() -> None:
    feed = read_feed(ATOM.encode(), URL)
    (entry,) = feed.entries
    assert entry.url == "http://blog.example/posts/one/"
    assert entry.title == "标题 & 其他"
    assert entry.published == 1794967200.0
    assert entry.summary == "摘要"


def test_dates_without_a_zone_are_in_the_given_timezone_and_future_ones_refused() -> None:
    text = RSS091.replace("</link>", "</link><pubDate>2026-11-20 10:05:00</pubDate>")
    (entry,) = read_feed(text.encode(), URL, timezone="Asia/Shanghai").entries
    assert entry.published == 1795140300.0
    (entry,) = read_feed(text.encode(), URL, now=1700000000.0).entries
    assert entry.published is None


@each_row(
    ("broken", "problem"),
    [
        (RSS2.replace("&amp;", "&"), "ampersand"),
        (RSS2.replace("新闻</b>", "新闻</b>").replace("第二条", "第二条&nbsp;"), ""),
        (RSS2.replace("新馆今天", "新馆&nbsp;&middot;&ldquo;今天"), "entities"),
        ("\n\n  " + RSS2, ""),
        ("\ufeff" + RSS2, ""),
        ("garbage before " + RSS2, ""),
        (RSS2.replace("新馆今天", "新馆\x0b\x1f今天"), ""),
        (RSS2[: RSS2.index("<item><title>没有")], "not well-formed"),
        (RSS2.replace("</item>\n<item><title>只", "<item><title>只"), "not well-formed"),
        (RSS2.replace('<?xml version="1.0" encoding="utf-8"?>', '<?xml version="1.0" encoding="gb2312"?>'), ""),
    ],
)  # fmt: skip
def test_ill_formed_feeds_give_their_entries_and_say_what_was_wrong(
    broken: str, problem: str
) -> None:
    feed = read_feed(broken.encode(), URL)
    assert [entry.url for entry in feed.entries][:2] == [
        "http://news.example/a/1.html",
        "http://news.example/a/2.html?x=1&y=2",
    ]
    assert feed.entries[0].title == "新馆开放 & 读书节"
    assert problem in feed.problem


def test_a_gbk_feed_is_read_whatever_it_declares() -> None:
    for declared in ("gb2312", "utf-8"):
        body = RSS2.replace('encoding="utf-8"', f'encoding="{declared}"').encode("gb18030")
        assert read_feed(body, URL).entries[0].title == "新馆开放 & 读书节"


@pytest.mark.parametrize(
    "subset",
    [
        '<!ENTITY x SYSTEM "file:///etc/hostname">',
        '<!ENTITY x "boom">',
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY x "&b;&b;&b;">',
    ],
)
def test_entities_of_a_document_type_are_never_expanded(subset: str) -> None:
    text = RSS091.replace("旧", "旧&x;")
    feed = read_feed(f'<?xml version="1.0"?><!DOCTYPE rss [{subset}]>{text}'.encode(), URL)
    assert [entry.title for entry in feed.entries] == ["旧&x;"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "empty"),
        (b"no xml at all", "not XML"),
        (b"<html><body>404</body></html>", "no feed: the first element is <html>"),
        (b"\x1f\x8bbroken", "broken gzip"),
    ],
)
def test_what_is_no_feed_says_so(body: bytes, problem: str) -> None:
    feed = read_feed(body, URL)
    assert feed.entries == []
    assert problem in feed.problem


URLSET = """<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> http://news.example/a?x=1&amp;y=2 </loc><lastmod>2026-11-20</lastmod></url>
<url><loc>http://news.example/b</loc><lastmod>2026-11-20T02:00:00+00:00</lastmod></url>
<url><loc>http://news.example/中文</loc></url><url><lastmod>2026-01-01</lastmod></url><url><loc>mailto:x@y</loc></url>
</urlset>"""
INDEX = """<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>http://news.example/one.xml.gz</loc></sitemap><sitemap><loc>/two.xml</loc></sitemap></sitemapindex>"""


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_urlset_gives_pages_and_when_they_changed(pack: type[bytes]) -> None:
    sitemap = read_sitemap(pack(URLSET.encode()), URL)
    assert [(page.url, page.modified) for page in sitemap.pages] == [
        ("http://news.example/a?x=1&y=2", 1795132800.0),
        ("http://news.example/b", 1795140000.0),
        ("http://news.example/%E4%B8%AD%E6%96%87", None),
    ]
    assert sitemap.sitemaps == []
    assert sitemap.problem == ""


def test_an_index_gives_further_sitemaps() -> None:
    sitemap = read_sitemap(INDEX.encode(), URL)
    assert sitemap.sitemaps == ["http://news.example/one.xml.gz", "http://news.example/two.xml"]
    assert sitemap.pages == []


def test_a_list_of_addresses_is_a_sitemap() -> None:
    body = b"\xef\xbb\xbfhttp://news.example/a\r\n\r\n  http://news.example/b\nnot an address\n"
    sitemap = read_sitemap(body, URL)
    assert [page.url for page in sitemap.pages] == [
        "http://news.example/a",
        "http://news.example/b",
    ]
    assert (
        read_sitemap(b"nothing here", URL).problem
        == "no sitemap: neither XML nor a list of addresses"
    )


def test_a_feed_is_no_sitemap() -> None:
    assert read_sitemap(RSS2.encode(), URL).problem == "no sitemap: the first element is <rss>"


def test_a_packed_bomb_is_refused() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * (MOST_UNPACKED + 10), 1)
    sitemap = read_sitemap(bomb, URL)
    assert sitemap.pages == []
    assert sitemap.problem == f"unpacks to more than {MOST_UNPACKED} bytes"


def test_a_packed_file_that_was_cut_off_gives_what_it_has() -> None:
    packed = gzip.compress(URLSET.encode() + b" " * 5000)
    sitemap = read_sitemap(packed[:-6], URL)
    assert len(sitemap.pages) == 3
    assert sitemap.problem == "the gzip file is cut off"


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece", [b"<url>", b"<url/>", b"<![CDATA[", b"&a", b"<!DOCTYPE [", b"<!--"]
)
def test_hostile_files_take_time_in_proportion(piece: bytes) -> None:
    holds(lambda: read_sitemap(b"<urlset>" + piece * (3_000_000 // len(piece)), URL))


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"<rss><channel><item>", b"<urlset><url><loc>", b"\x1f\x8b"]),
)
def test_no_bytes_break_the_reading(body: bytes, start: bytes) -> None:
    assert isinstance(read_feed(start + body, URL).problem, str)
    assert isinstance(read_sitemap(start + body, URL).problem, str)


def page(*links: str) -> Document:
    head = "".join(links)
    body = f"<html><head><title>一</title>{head}</head><body></body></html>".encode()
    return Document.read(body, url="http://a.cn/x/", content_type="text/html; charset=utf-8")


RSS = '<link rel="alternate" type="application/rss+xml" title="{}" href="{}">'


def test_a_page_names_its_first_feed_and_its_sitemaps() -> None:
    named = named_by_page(
        page(
            '<link rel="stylesheet" href="/s.css">',
            '<link rel="alternate" hreflang="en" href="/en/">',
            RSS.format("评论", "/feed/2"),
            RSS.format("全部", "/comments/feed"),
            RSS.format("全部", "feed.xml"),
            RSS.format("又一个", "/atom.xml"),
            '<link rel="Sitemap" type="application/xml" href="/map.xml">',
        )
    )
    assert named == ("http://a.cn/map.xml", "http://a.cn/x/feed.xml")


@pytest.mark.parametrize(
    "links",
    [
        (),
        ('<link rel="sitemap" href="javascript:alert(1)">',),
        ('<link rel="sitemap" href="http://[">',),
        ('<link rel="alternate" type="text/html" href="/m/">',),
    ],
)
def test_what_is_no_address_and_no_feed_is_not_named(links: tuple[str, ...]) -> None:
    assert named_by_page(page(*links)) == ()


def test_no_page_and_no_robots_txt_names_more_than_a_few() -> None:
    many = [f'<link rel="sitemap" href="/{number}.xml">' for number in range(10_000)]
    assert len(named_by_page(page(*many))) < MOST_NAMED
    text = "".join(f"Sitemap: http://a.cn/{number}.xml\n" for number in range(10_000))
    assert len([*named_by_robots(text)]) == MOST_NAMED


def test_a_robots_txt_names_sitemaps_by_whole_addresses_anywhere_in_it() -> None:
    text = (
        "\ufeffUser-agent: *\r\nDisallow: /a\r\nsitemap:http://a.cn/1.xml # the first\r\n"
        "Sitemap: /2.xml\r\n  SITEMAP : https://a.cn/3.xml.gz\r\n#Sitemap: http://a.cn/4.xml\r\n"
    )
    assert [*named_by_robots(text)] == ["http://a.cn/1.xml", "https://a.cn/3.xml.gz"]


ITEM = "<item><title>一</title><link>/a/1.html</link></item>"
OF_ENTRY = "<entry%s><title>一</title>%s<id>urn:x:1</id></entry>"


def atom(root: str, entry: str, link: str, head: str = "") -> str:
    return (
        f'<feed xmlns="http://www.w3.org/2005/Atom"{root}>{head}{OF_ENTRY % (entry, link)}</feed>'
    )


@each_row(
    ("text", "address"),
    [
        (atom("", ' xml:base="2026/"', '<link href="1.html"/>'), "http://news.example/feeds/2026/1.html"),
        (
            atom(' xml:base="http://b.example/blog/"', ' xml:base="2026/"', '<link href="1.html"/>'),
            "http://b.example/blog/2026/1.html",
        ),
        (
            atom("", "", '<link xml:base="http://b.example/x/" href="1.html"/>'),
            "http://b.example/x/1.html",
        ),
        (
            f"<rss xml:base='http://b.example/'><channel xml:base='c/'>{ITEM.replace('/a/', 'a/')}</channel></rss>",
            "http://b.example/c/a/1.html",
        ),
        (f"<rss><channel><link>http://b.example/</link>{ITEM}</channel></rss>", "http://b.example/a/1.html"),
        (f"<rss><channel><link>http://news.example/x/</link>{ITEM}</channel></rss>", "http://news.example/a/1.html"),
        (atom("", "", '<link href="/1"/>', '<link href="http://b.example/"/>'), "http://b.example/1"),
        (
            atom("", "", '<link href="/1"/>', '<link rel="self" href="http://b.example/"/>'),
            "http://news.example/1",
        ),
    ],
)  # fmt: skip
def test_addresses_start_from_what_is_around_them_and_from_the_site_of_a_feed_elsewhere(
    text: str, address: str
) -> None:
    assert feed_urls(text) == [address]


SELF = '<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="self" href="http://news.example/feed/1"/>'


@each_row(
    ("links", "address"),
    [
        (f"{SELF}<guid>http://news.example/a/1.html</guid>", "http://news.example/a/1.html"),
        (f"<guid isPermaLink='false'>http://n.example/7</guid>{SELF}", "http://news.example/feed/1"),
        (f"{SELF}<link>http://news.example/a/2.html</link>", "http://news.example/a/2.html"),
        ("<link rel='enclosure' href='/x.mp3'/><guid>http://news.example/a/1</guid>", "http://news.example/a/1"),
        ("<link rel='related' href='/a/1'/><link rel='self' href='/f/1'/>", "http://news.example/a/1"),
    ],
)  # fmt: skip
def test_what_leads_to_an_entry_in_its_feed_is_the_last_resort(links: str, address: str) -> None:
    assert feed_urls(f"<rss><channel><item>{links}</item></channel></rss>") == [address]


@each_row("rel", ["license", "image", "next", "search", "replies"])
def test_what_belongs_to_an_entry_and_is_no_page_of_it_is_no_address(rel: str) -> None:
    link = f"<link rel='{rel}' href='http://news.example/other'/>"
    assert feed_urls(f"<rss><channel><item><title>A</title>{link}</item></channel></rss>") == []


WARNING = (
    "<br />\n<b>Warning</b>:  Undefined variable in <b>/www/feed.php</b> on line <b>3</b><br />\n"
)


@each_row(
    "before",
    [
        WARNING,
        WARNING * 3,
        "Notice: Undefined index: x in /www/feed.php on line 3\n",
        "\ufeff\ufeff",
        "\n\ufeff",
        "<div class='error'>Deprecated</div>",
        "<!-- cached --> \ufeff",
    ],
)
@each_row("declared", ['<?xml version="1.0" encoding="utf-8"?>', ""])
def test_a_feed_behind_a_warning_of_its_program_is_a_feed(before: str, declared: str) -> None:
    text = RSS2[RSS2.index("<rss") :]
    body = f"{before}{declared}{text}".encode()
    assert sniff(body, "text/html", URL) is PageClass.FEED
    assert len(read_feed(body, URL).entries) == 3
    sitemap = f"{before}{declared}{URLSET[URLSET.index('<urlset') :]}".encode()
    assert sniff(sitemap, "text/html", URL) is PageClass.SITEMAP
    assert read_sitemap(sitemap, URL).pages


@each_row(
    "page",
    [
        "<!DOCTYPE html><html><body><pre><rss version='2.0'><channel/></rss></pre>",
        "<p>So sieht ein Feed aus:</p><pre><?xml version='1.0'?><rss version='2.0'></rss></pre>",
        "<div>How a feed begins: <feed></div>",
    ],
)
def test_a_page_that_shows_a_feed_is_a_page(page: str) -> None:
    assert sniff(page.encode(), "text/html", URL) is None


def json_feed(*items: object, **more: object) -> bytes:
    said = {"version": "https://jsonfeed.org/version/1.1", "title": "东湖", "items": items}
    return json.dumps(said | more, ensure_ascii=False).encode()


@each_row("kind", ["application/feed+json", "application/json", "text/plain; charset=utf-8"])
def test_a_json_feed_is_read_whatever_its_server_calls_it(kind: str) -> None:
    body = json_feed(
        {"id": "1", "url": "/a/1.html", "title": "一 &amp; 二", "date_published": "2026-11-20T10:05:00+08:00"},
        {"id": "http://news.example/a/2.html", "content_html": "<p>甲</p>"},
        {"id": "3"},
        7,
    )  # fmt: skip
    assert sniff(body, kind, URL) is PageClass.FEED
    first, second = read_feed(body, URL, content_type=kind).entries
    assert (first.url, first.title) == ("http://news.example/a/1.html", "一 & 二")
    assert first.published == 1795140300.0
    assert (second.url, second.summary) == ("http://news.example/a/2.html", "甲")


def test_other_json_is_no_feed() -> None:
    assert sniff(b'{"items": []}', "application/json", URL) is PageClass.FILE
    assert read_feed(b'{"version":"https://jsonfeed.org/version/1"', URL).problem.startswith(
        "not JSON"
    )


@given(st.recursive(st.none() | st.booleans() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["items", "url", "id", "title"]), inner, max_size=3), max_leaves=8))  # fmt: skip
def test_no_json_breaks_the_reading(value: object) -> None:
    read_feed(json_feed(items=value), URL, content_type="application/feed+json")


def test_a_urlset_in_a_urlset_and_the_address_of_an_image_are_told_apart() -> None:
    nested = (
        "<urlset>\n<urlset>\n<url><loc>http://news.example/a</loc>"
        "<lastmod>2024-05-08 08:53:11 AM</lastmod></url></urlset></urlset>"
    )
    (page,) = read_sitemap(nested.encode(), URL).pages
    assert (page.url, page.modified) == ("http://news.example/a", 1715158391.0)
    image = "<image:loc>http://news.example/i/2.jpg</image:loc>"
    for names in (' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"', ""):
        for children in (
            f"<loc>http://news.example/a</loc>{image}",
            f"{image}<loc>http://news.example/a</loc>",
        ):
            text = f"<urlset{names}><url>{children}</url></urlset>"
            assert [one.url for one in read_sitemap(text.encode(), URL).pages] == [
                "http://news.example/a"
            ]
    prefixed = '<s:urlset xmlns:s="http://x.example/"><s:url><s:loc>http://news.example/a</s:loc></s:url></s:urlset>'
    assert [one.url for one in read_sitemap(prefixed.encode(), URL).pages] == [
        "http://news.example/a"
    ]


def test_the_title_of_a_picture_is_not_the_entrys() -> None:
    item = "<item><media:title>图</media:title><title>一</title><link>/a</link></item>"
    text = f"<rss xmlns:media='http://search.yahoo.com/mrss/'><channel>{item}</channel></rss>"
    assert read_feed(text.encode(), URL).entries[0].title == "一"


@pytest.mark.parametrize(
    ("asked", "names", "first"),
    [
        (
            "sitemap.xml",
            {"post-1.xml": "2020-01-01", "post-2.xml": "2026-11-02", "page-1.xml": "2026-11-01"},
            ["post-2.xml", "page-1.xml", "post-1.xml"],
        ),
        ("sitemap.xml", {"2025-12.xml": "", "2026-2.xml": "", "2026-11.xml": ""},
         ["2026-11.xml", "2026-2.xml", "2025-12.xml"]),
        ("news-index.xml", {"images-9.xml": "2026-11-02", "news-1.xml": "2026-11-01"},
         ["news-1.xml", "images-9.xml"]),
    ],
)  # fmt: skip
def test_the_sitemaps_of_an_index_come_in_the_order_in_which_they_are_worth_reading(
    asked: str, names: dict[str, str], first: list[str]
) -> None:
    entries = "".join(
        f"<sitemap><loc>http://a.cn/{name}</loc><lastmod>{day}</lastmod></sitemap>"
        for name, day in names.items()
    )
    body = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</sitemapindex>'
    found = read_sitemap(body.encode(), f"http://a.cn/{asked}")
    assert [url.rpartition("/")[2] for url in found.sitemaps] == first


DECLARED = """<?xml version="1.0"?>
<!DOCTYPE r SYSTEM "http://a.cn/outside.dtd" [
<!ENTITY x "http://b.cn/entity"> <!ENTITY % outside SYSTEM "file:///etc/hostname"> %outside;
<!ATTLIST link href CDATA "http://b.cn/default"> <!ATTLIST loc a CDATA "&x;">
]>
"""


def test_what_a_feed_declares_for_its_elements_and_entities_is_neither_filled_in_nor_fetched() -> (
    None
):
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>&x;</title><link/></entry></feed>'
    )
    feed = read_feed(
        (DECLARED.replace("DOCTYPE r", "DOCTYPE feed") + atom).encode(), "http://a.cn/f"
    )
    urls = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.cn/1&x;</loc></url></urlset>'
    sitemap = read_sitemap(
        (DECLARED.replace("DOCTYPE r", "DOCTYPE urlset") + urls).encode(), "http://a.cn/s"
    )
    for read in (feed, sitemap):
        assert "b.cn" not in repr(read)
        assert socket.gethostname() not in repr(read)
