"""Signals: what feeds, sitemaps and boards say of known pages brings visits forward."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.signals

HOME = "http://a.test/"
HOUR = 3600.0
LISTS = {HOME, f"{HOME}rss.xml", f"{HOME}map.xml"}
SOURCES = "".join(
    f'[[source]]\nurl = "{HOME}{path}"\nkind = "{kind}"\nname = "{kind}"\n'
    for path, kind in (("rss.xml", "feed"), ("map.xml", "sitemap"))
)


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def write(web: Web, dates: dict[int, float]) -> None:
    """Let a feed tell of articles 1 to 3, a sitemap of 4 to 6."""
    entries = "".join(
        f'<entry><title>食品</title><link href="/news/{one}.html"/><updated>{stamp(dates[one])}</updated></entry>'
        for one in range(1, 4)
    )
    web.xml(f"{HOME}rss.xml", f'<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>')
    places = "".join(
        f"<url><loc>{HOME}news/{one}.html</loc><lastmod>{stamp(dates[one])}</lastmod></url>"
        for one in range(4, 7)
    )
    web.xml(f"{HOME}map.xml", f"<urlset>{places}</urlset>")


@pytest.mark.both_stores
def test_pages_that_lists_say_have_changed_are_visited_at_once(project: Project, web: Web) -> None:
    began = project.time.wall
    urls = web.news(6)
    write(web, dict.fromkeys(range(1, 7), began - 30 * HOUR))
    project.topic(SOURCES)
    assert project.crawl().status == 0
    assert project.articles() == urls

    changed = {1: began + 2 * HOUR, 2: began + 900 * HOUR, 4: began + 2 * HOUR}
    write(web, dict.fromkeys(range(1, 7), began - 30 * HOUR) | changed)
    web.article(f"{HOME}news/1.html", 77)
    before = len(web.asked())
    ended = project.crawl(FOCUSCRAWL_SHIFT=str(3 * HOUR))
    assert ended.status == 0, ended.said
    again = {asked.url for asked in web.asked()[before:]} & urls
    counters = json.loads(project.last_run()["counters"])
    assert again == {f"{HOME}news/1.html", f"{HOME}news/4.html"}, "no date in the future is heard"
    assert counters["signals"] == 2
    assert project.outcomes()[f"{HOME}news/4.html"][0] == "unchanged"
    assert project.last_run()["articles_changed"] == 1
    trust = project.site_record("a.test")["signals"]
    assert (trust["followed"], trust["true"], trust["announced"]) == (2, 1, 1)
    before = len(web.asked())
    assert project.crawl(FOCUSCRAWL_SHIFT=str(5 * HOUR)).status == 0
    assert len(web.asked()) == before + 3, "what was told before is no news"


def test_huge_and_tricky_sitemaps_hold_up_no_crawl(project: Project, web: Web) -> None:
    (article,) = web.news(1)
    place = f"<url><loc>{article}</loc><lastmod>{stamp(project.time.wall)}</lastmod></url>\n"
    lines = place * (50_000_000 // len(place))
    web.xml(f"{HOME}huge.xml", f"<urlset>{lines}")
    web.file(f"{HOME}bomb.xml.gz", gzip.compress(b"<urlset>" + b" " * 60_000_000, 1))
    nested = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    web.xml(
        f"{HOME}entities.xml",
        f'<!DOCTYPE urlset [<!ENTITY e0 "{article}">{nested}<!ENTITY own SYSTEM "file:///etc/passwd">]>'
        f"<urlset><url><loc>{HOME}&own;&e12;</loc><lastmod>&e12;</lastmod></url>{place}</urlset>",
    )
    paths = ("huge.xml", "bomb.xml.gz", "entities.xml")
    project.topic("[limits]\npages = 20\n", sources=" ".join(HOME + path for path in paths))
    ended = project.crawl()
    assert ended.status == 0, ended.said
    outcomes = project.outcomes()
    assert {outcomes[HOME + path][0] for path in paths} == {"list"}
    assert "cut" in outcomes[f"{HOME}huge.xml"][1] or "oversized" in outcomes[f"{HOME}huge.xml"][1]
    assert outcomes[f"{HOME}bomb.xml.gz"][1].startswith("unpacks to more than")
    assert project.articles() == {article}
    assert not any("passwd" in one.url or "root:" in one.url for one in web.asked())


def modified(web: Web, path: str, dates: dict[str, float], kind: str = "url") -> None:
    """Write a sitemap, or with ``kind`` an index of sitemaps."""
    entries = "".join(
        f"<{kind}><loc>{url}</loc><lastmod>{stamp(at)}</lastmod></{kind}>"
        for url, at in dates.items()
    )
    name = "urlset" if kind == "url" else "sitemapindex"
    web.xml(f"{HOME}{path}", f"<{name}>{entries}</{name}>")


def asked_since(web: Web, before: int) -> Counter[str]:
    return Counter(one.url.removeprefix(HOME) for one in web.asked()[before:])


class Signalled(NamedTuple):
    """Four days over a site that names a sitemap and a feed; by the third two articles have changed."""

    urls: list[str]
    asked: list[Counter[str]]
    """What was asked for on each day."""
    second: Project
    last: Project


@pytest.fixture(scope="module")
def signalled(new_project: Callable[[], Project]) -> Signalled:
    project = new_project()
    web = project.web
    began, day = project.time.wall, 24 * HOUR
    urls = sorted(web.news(6))
    for number in (5, 6):
        web.article(f"{HOME}news/{number}.html", number, date="2026-01-05")
    names = (
        f'<link rel="alternate" type="application/rss+xml" href="{HOME}rss.xml">'
        f'<link rel="alternate" type="application/atom+xml" title="Comments" href="{HOME}c.xml">'
        '<link rel="sitemap" href="http://b.test/other.xml">'
    )
    web.board(HOME, *urls, more=names)
    web.robots("a.test", f"User-agent: *\nAllow: /\nSitemap: {HOME}index.xml\nSitemap: none.xml")
    modified(web, "index.xml", {f"{HOME}map.xml": began}, kind="sitemap")
    unlisted = f"{HOME}news/900.html"
    web.article(unlisted, 900)
    modified(web, "map.xml", dict.fromkeys([*urls, unlisted], began - 30 * HOUR))
    web.keep_versions(f"{HOME}map.xml")
    web.xml(f"{HOME}rss.xml", "<rss><channel></channel></rss>")
    project.topic("[revisit.article]\nfirst = '20d'\n[revisit]\nold = 0\n")
    asked, seen = [], []
    for number in range(4):
        if number == 2:
            web.article(urls[0], 77)
            web.article(urls[4], 88, date="2026-01-05")
            changed = {urls[0]: began + 1.5 * day, urls[4]: began + 1.5 * day}
            modified(web, "map.xml", dict.fromkeys(urls, began - 30 * HOUR) | changed)
        before = len(web.asked())
        assert project.crawl(FOCUSCRAWL_SHIFT=str(number * day)).status == 0
        asked.append(asked_since(web, before))
        seen.append(project.as_it_is())
    return Signalled(urls, asked, seen[1], seen[3])


ONLY_SIGNALS = {"": 1, "index.xml": 1, "map.xml": 1, "rss.xml": 1}


@pytest.mark.signal_files
def test_no_file_of_signals_is_read_before_it_has_something_to_tell(signalled: Signalled) -> None:
    assert not signalled.asked[0].keys() & {"index.xml", "map.xml", "rss.xml"}


@pytest.mark.signal_files
def test_sitemaps_and_feeds_that_a_site_names_are_read_for_their_signals(
    signalled: Signalled,
) -> None:
    assert signalled.asked[1] == ONLY_SIGNALS
    of_the_index = {"index.xml": 1}  # leads to sitemaps alone, which are read by themselves
    assert signalled.asked[3] == Counter(ONLY_SIGNALS) - Counter(of_the_index)


@pytest.mark.signal_files
def test_what_a_file_of_signals_lists_and_no_page_shows_is_not_followed(
    signalled: Signalled,
) -> None:
    assert signalled.second.articles() == {*signalled.urls}


@pytest.mark.signal_files
def test_pages_that_have_changed_by_a_sitemap_are_visited_and_told(signalled: Signalled) -> None:
    """One of them is past until."""
    changed = {signalled.urls[0], signalled.urls[4]}
    again = {path for path in signalled.asked[2] if path.startswith("news/") and len(path) < 12}
    assert {f"{HOME}{path}" for path in again} == changed
    told = signalled.last.rows("SELECT url FROM changes WHERE kind = 'major'")
    assert {row["url"] for row in told} == changed


@pytest.mark.signal_files
def test_a_sitemap_is_asked_for_by_its_version(signalled: Signalled) -> None:
    conditional = [one for one in signalled.last.web.asked() if "map.xml" in one.url][1]
    assert conditional.headers["if-none-match"] == '"one"'


@pytest.mark.signal_files
def test_a_sitemap_that_dates_every_page_today_costs_a_few_visits(
    project: Project, web: Web
) -> None:
    began, day = project.time.wall, 24 * HOUR
    urls = web.news(40)
    web.robots("a.test", f"Sitemap: {HOME}map.xml\n")
    project.topic("[revisit.article]\nfirst = '20d'\n")
    web.xml(f"{HOME}map.xml", "<urlset></urlset>")
    assert project.crawl().status == 0
    for days in (1, 2, 3):
        modified(web, "map.xml", dict.fromkeys(urls, began + days * day - HOUR))
        before = len(web.asked())
        assert project.crawl(FOCUSCRAWL_SHIFT=str(days * day)).status == 0
        assert asked_since(web, before).total() <= 2 + 10


def test_a_feed_that_its_site_names_leads_to_articles_once_the_template_names_it(
    project: Project, web: Web
) -> None:
    urls = web.news(6)
    feed, unlinked = f"{HOME}rss.xml", f"{HOME}news/77.html"
    named = f'<link rel="alternate" type="application/rss+xml" href="{feed}">'
    web.answers[HOME] = web.page(
        f"<html><head><title>通告列表</title>{named}</head><body><ul>"
        + "".join(
            f'<li><a href="{url}">关于食品安全抽检的通告 {url}</a></li>' for url in sorted(urls)
        )
        + "</ul></body></html>"
    )
    web.article(unlinked, 77)
    entry = f'<entry><title>食品</title><link href="{unlinked}"/></entry>'
    web.xml(feed, f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>')
    web.keep_versions(feed)
    project.topic()
    for day in (0, 1, 2):
        assert project.crawl(FOCUSCRAWL_SHIFT=str(day * 24 * HOUR)).status == 0
    assert web.times(feed) > 0
    assert project.articles() == urls, "a file is read for its signals alone"
    project.topic(f'[[source]]\nurl = "{feed}"\nkind = "feed"\nname = "feed"\n')
    assert project.crawl(FOCUSCRAWL_SHIFT=str(3 * 24 * HOUR)).status == 0
    assert project.articles() == {*urls, unlinked}
    (page,) = project.rows(f"SELECT * FROM pages WHERE url = '{feed}'")
    assert page["source_id"] == "feed"
