import gzip
from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector

from focuscrawl.demo.pages import Draft, canonical
from focuscrawl.demo.press import GIANT
from focuscrawl.demo.truth import Page
from focuscrawl.demo.web import DemoWeb
from focuscrawl.values import PageClass

STARTS = ("http://notices.example/sitemap.xml", "http://blog.example/rss.xml", "http://blog.example/atom.xml")  # fmt: skip


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(seed=1)


@pytest.fixture(scope="module")
def everything(web: DemoWeb) -> dict[str, Page]:
    return web.walk([*web.homes(), *STARTS], robots=False)


def html_pages(pages: dict[str, Page]) -> Iterator[tuple[Page, Selector]]:
    for page in pages.values():
        if page.content_type.startswith("text/html") and page.status == 200:
            yield page, Selector(page.body.decode(page.encoding))


def test_the_same_seed_gives_the_same_bytes(everything: dict[str, Page]) -> None:
    again = DemoWeb(seed=1)
    for url, page in everything.items():
        assert again.page(url) == page


def test_another_seed_gives_another_web() -> None:
    first, second = (DemoWeb(seed, "small").page("http://news.example/shipin/") for seed in (1, 2))
    assert first is not None
    assert second is not None
    assert first.body != second.body


def test_the_web_has_the_size_it_promises(everything: dict[str, Page]) -> None:
    small = DemoWeb(size="small")
    assert 1400 <= len(everything) <= 1800
    assert 100 <= len(small.walk([*small.homes(), *STARTS])) <= 350
    with pytest.raises(ValueError, match="must be one of full, small"):
        DemoWeb(size="huge")


def test_the_truth_lists_exactly_the_links_of_the_html(everything: dict[str, Page]) -> None:
    for page, html in html_pages(everything):
        hrefs = html.css("a::attr(href)").getall()
        targets = {canonical(urljoin(page.url, href)) for href in hrefs}
        targets -= {url for url in targets if not url.startswith("http")}
        links = {link for link in page.links if link.startswith("http")}
        assert targets - {page.url} == links


def test_every_link_inside_the_web_leads_somewhere(
    web: DemoWeb, everything: dict[str, Page]
) -> None:
    dead = {
        link
        for page in everything.values()
        for link in page.links
        if urlsplit(link).hostname in web.sites and not link.startswith("http://calendar.")
        if link not in everything
    }
    assert dead == set()


def test_an_article_page_shows_the_text_of_its_part(everything: dict[str, Page]) -> None:
    seen = 0
    for page, html in html_pages(everything):
        if page.article is None:
            continue
        text = page.article.text if page.part == 0 else page.article.parts[page.part - 1]
        assert "\n".join(html.xpath("//p/text()").getall()).startswith(text)
        assert html.css("h1::text").get() == page.article.title
        seen += page.part == 1
    assert seen > 900


def test_articles_have_one_to_ten_pages_in_order(web: DemoWeb) -> None:
    counts = {len(article.parts) for article in web.articles()}
    assert {1, 2, 3, 4, 10} <= counts
    for article in web.articles():
        assert len(article.part_urls) == len(article.parts)
        assert article.url == article.part_urls[0]
        assert all(article.parts)


def test_dates_are_on_the_page_unless_the_article_has_none(everything: dict[str, Page]) -> None:
    undated = 0
    for page, html in html_pages(everything):
        if page.article is None or page.page_class is not PageClass.ARTICLE:
            continue
        shown = "".join(html.css(".info ::text").getall())
        if page.article.published is None:
            undated += 1
            assert "2026" not in shown
        else:
            published = page.article.published
            assert str(published.year) in shown
            assert f"{published:%H:%M}" in shown
    assert undated > 0


def test_the_newspaper_is_gbk_and_sometimes_lies(everything: dict[str, Page]) -> None:
    articles = [
        page
        for page in everything.values()
        if page.url.startswith("http://daily.example/content") and page.part == 1
    ]
    header = [page for page in articles if "utf-8" in page.content_type]
    meta = [page for page in articles if b'<meta charset="utf-8">' in page.body]
    assert {page.encoding for page in articles} == {"gbk"}
    assert header
    assert meta
    assert len(header) + len(meta) < len(articles) / 2
    for page in articles:
        with pytest.raises(UnicodeDecodeError):
            page.body.decode("utf-8")


def test_copies_say_the_same_later_on_another_site(web: DemoWeb) -> None:
    articles = {article.url: article for article in web.articles()}
    copies = [article for article in articles.values() if article.copy_of]
    assert len(copies) > 10
    for copy in copies:
        original = articles.get(copy.copy_of)
        if original is None or original.version > 1:
            continue
        assert original.text.startswith(copy.text)
        assert original.published is not None
        assert copy.published is not None
        assert original.published < copy.published
        assert urlsplit(copy.url).hostname != urlsplit(original.url).hostname


def test_some_articles_tell_one_event_in_other_words(web: DemoWeb) -> None:
    told: dict[str, list[str]] = {}
    for article in web.articles():
        if article.event and not article.copy_of:
            told.setdefault(article.event, []).append(article.text)
    several = [texts for texts in told.values() if len(texts) > 1]
    assert len(several) > 10
    assert all(len(set(texts)) == len(texts) for texts in several)


def test_the_giant_is_larger_than_everything_relevant(everything: dict[str, Page]) -> None:
    giant = [page for page in everything.values() if page.url.startswith(f"http://{GIANT}/")]
    relevant = [page for page in everything.values() if page.relevant]
    irrelevant_giant = [page for page in giant if not page.relevant]
    assert len(irrelevant_giant) > len(relevant) > 300


def test_the_relevant_channel_lies_behind_three_irrelevant_pages(
    everything: dict[str, Page],
) -> None:
    channel = {url for url, page in everything.items() if GIANT in url and page.relevant}
    assert len(channel) > 30
    reached = {url for url, page in everything.items() if page.relevant} - channel
    for _ in range(3):
        reached |= {
            link
            for url in reached
            for link in everything[url].links
            if link in everything and not everything[link].relevant
        }
        inside = {link for url in reached for link in everything[url].links} & channel
        if _ < 2:
            assert not inside
    assert inside


def test_sitemaps_and_feeds_name_articles(web: DemoWeb) -> None:
    index = web.page("http://notices.example/sitemap.xml")
    assert index is not None
    named: list[str] = []
    for part in index.links:
        page = web.page(part)
        assert page is not None
        body = gzip.decompress(page.body) if part.endswith(".gz") else page.body
        assert body.count(b"<loc>") == len(page.links)
        named += page.links
    notices = [a.url for a in web.articles() if "notices.example" in a.url]
    assert sorted(named) == sorted(notices)
    for name in ("rss", "atom"):
        feed = web.page(f"http://blog.example/{name}.xml")
        assert feed is not None
        assert feed.page_class is PageClass.FEED
        entries = Selector(feed.body.decode(), type="xml")
        entries.remove_namespaces()
        assert len(entries.xpath("//item | //entry")) == len(feed.links) == 12


def test_a_board_shows_the_newest_first_and_all_of_its_articles(web: DemoWeb) -> None:
    url, dates, found = "http://daily.example/node_12.htm", [], set()
    while url:
        page = web.page(url)
        assert page is not None
        html = Selector(page.body.decode("gbk"))
        dates += html.css(".list .date::text").getall()
        found |= {link for link in page.links if "/content/" in link}
        following = html.xpath("//a[text()='下一页']/@href").get()
        url = urljoin(url, following) if following else ""
    expected = {
        a.url for a in web.articles() if "daily.example/content" in a.url and "content_12" in a.url
    }
    assert found == expected
    assert all(newer >= older for newer, older in pairwise(dates))


def test_the_calendar_never_ends_and_is_never_entered(web: DemoWeb) -> None:
    url = "http://calendar.example/?month=2026-07"
    for _ in range(200):
        page = web.page(url)
        assert page is not None
        assert page.trap
        url = next(link for link in page.links if link > url and "month" in link)
    walked = web.walk(["http://calendar.example/"])
    assert list(walked) == ["http://calendar.example/"]


def test_redirects_end_where_the_truth_says(web: DemoWeb) -> None:
    def end(url: str) -> str:
        for _ in range(10):
            page = web.page(url)
            assert page is not None
            if not page.redirect:
                return url
            url = page.redirect
        return "loop"

    assert end("http://moved.example/old/1") == "http://moved.example/new/1"
    assert end("http://moved.example/old/2") == "http://moved.example/old/new-2"
    assert end("http://moved.example/chain/a") == "http://moved.example/new/3"
    assert end("http://moved.example/away").startswith("http://news.example/")
    assert end("http://moved.example/loop/a") == "loop"


@pytest.mark.parametrize("path", ["nothing", "c/none", "day/2026-13-01", "?month=x", "thread-x-1-1.html", "forum-9-1.html", "thread-999-1-1.html", "s?wd=a&pn=x"])  # fmt: skip
def test_an_unknown_address_is_nothing_on_every_site(web: DemoWeb, path: str) -> None:
    for host in web.hosts:
        if host != "ads.example":
            assert web.page(f"http://{host}/{path}") is None


def test_an_unknown_host_is_nothing(web: DemoWeb) -> None:
    assert web.page("http://nowhere.example/") is None
    assert web.robots("nowhere.example") is None


@given(st.sampled_from(["?utm_source=x", "#top", "?spm=1.2&utm_source=y", "?utm_source=a#b"]))
def test_tracking_and_fragments_do_not_make_another_page(tail: str) -> None:
    assert canonical(f"http://news.example/a.html{tail}") == "http://news.example/a.html"
    assert canonical(f"http://x.example/{tail.replace('?', '?page=2&')}").startswith(
        "http://x.example/"
    )
    assert canonical("http://x.example/?spm=1&page=2") == "http://x.example/?page=2"


def test_a_draft_remembers_each_target_once_without_itself() -> None:
    draft = Draft("http://a.example/x/")
    html = (
        draft.link("y?utm_source=1", "<b>")
        + draft.link("/x/y", "again")
        + draft.link("#top", "self")
    )
    assert "&lt;b&gt;" in html
    assert draft.links == ("http://a.example/x/y",)
