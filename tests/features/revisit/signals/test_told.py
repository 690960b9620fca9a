"""What lists say of the pages they link to, and of which they are believed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.signals.signals import (
    FEWEST_OF_BUILD,
    Signal,
    signals_of,
    without_build_date,
)
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.links.criteria import Criteria
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.readers.pages.feeds.feeds import read_feed, told_by_feed
from focuscrawl.readers.pages.feeds.sitemaps import read_sitemap, told_by_sitemap
from focuscrawl.template.load import load
from focuscrawl.values import BoardThread, DatedLink, LinkBatch, PageClass, Waiting
from tests.judging import judge

pytestmark = pytest.mark.signals

NOON = 1_795_147_200.0  # 2026-11-20 12:00 in Shanghai
HOUR, DAY = 3600.0, 86400.0
HOME = "http://news.example/"
SITEMAP = (
    "<urlset><url><loc>/day</loc><lastmod>2026-11-19</lastmod></url>"
    "<url><loc>/exact</loc><lastmod>2026-11-19T08:00:00+08:00</lastmod></url>"
    "<url><loc>/never</loc></url><url><loc>/broken</loc><lastmod>soon</lastmod></url>"
    "<url><loc>/ahead</loc><lastmod>2199-01-01</lastmod></url></urlset>"
)
FEED = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/one"/>'
    "<published>2026-11-18T08:00:00+08:00</published><updated>2026-11-20T09:00:00+08:00</updated>"
    "</entry><entry><link href='/ahead'/><updated>2199-01-01T00:00:00Z</updated></entry></feed>"
)


@pytest.fixture(scope="module")
def rules() -> AdmissionRules:
    text = f'[topic]\nname = "news"\nkeywords = ["食品"]\n[[source]]\nurl = "{HOME}"\n'
    return AdmissionRules.from_template(load(text, {}, {}).template, NOON)


@pytest.mark.parametrize(
    ("table", "expected"),
    [("", True), ("signals = false", False), ("strict = true", False), ('policy = "off"', False)],
)
def test_a_topic_may_do_without_signals(table: str, expected: bool) -> None:
    text = f'[topic]\nname = "news"\nkeywords = ["食品"]\n[[source]]\nurl = "{HOME}"\n[revisit]\n{table}\n'
    template = load(text, {}, {}).template
    judging = Criteria(template, AdmissionRules.from_template(template, NOON), {})
    fetched = Fetched(f"{HOME}map.xml", 200, SITEMAP.encode(), "application/xml", NOON)
    judged = judge(fetched, waiting(judging.rules), judging)
    assert judged.batch is not None
    assert bool(judged.batch.told) is expected


def test_the_date_beside_most_entries_of_a_file_is_that_of_its_making() -> None:
    same = [DatedLink(f"{HOME}{number}", NOON) for number in range(FEWEST_OF_BUILD)]
    others = [DatedLink(f"{HOME}x{number}", NOON - number * DAY) for number in range(1, 10)]
    assert without_build_date(same) == ()
    assert without_build_date([*same, *others]) == (*others,)
    assert without_build_date(same[:-1]) == (*same[:-1],), "too few"
    half = [*same, *others, DatedLink(f"{HOME}y", NOON - HOUR)]
    assert without_build_date(half) == (*half,)


def test_a_sitemap_in_which_all_pages_have_one_date_says_nothing_of_them() -> None:
    entries = "".join(
        f"<url><loc>/{number}</loc><lastmod>2026-11-19T08:00:00Z</lastmod></url>"
        for number in range(FEWEST_OF_BUILD)
    )
    text = f'[topic]\nname = "news"\nkeywords = ["食品"]\n[[source]]\nurl = "{HOME}"\n'
    template = load(text, {}, {}).template
    judging = Criteria(template, AdmissionRules.from_template(template, NOON), {})
    body = f"<urlset>{entries}</urlset>".encode()
    fetched = Fetched(f"{HOME}map.xml", 200, body, "application/xml", NOON)
    judged = judge(fetched, waiting(judging.rules), judging)
    assert judged.batch is not None
    assert (judged.batch.told, len(judged.batch.links)) == ((), FEWEST_OF_BUILD)


def waiting(rules: AdmissionRules, parent: bytes = b"p" * 16) -> Waiting:
    address = rules.look(HOME).address
    return Waiting(address.url, address.key, address.site, 4, 4, parent_key=parent)


def heard(
    rules: AdmissionRules, *told: DatedLink, since: float | None = None, parent: bytes = b"p" * 16
) -> dict[str, Signal]:
    batch = LinkBatch(PageClass.BOARD, told=told)
    signals = signals_of(batch, waiting(rules, parent), rules, since)
    return {
        one.url: signals[key] for one in told if (key := rules.look(one.url).address.key) in signals
    }


def test_a_sitemap_tells_the_dates_it_has_as_precise_as_they_are() -> None:
    sitemap = read_sitemap(SITEMAP.encode(), HOME, now=NOON)
    morning = 1_795_046_400.0
    assert told_by_sitemap(sitemap) == (
        DatedLink(f"{HOME}day", morning, precision=DAY),
        DatedLink(f"{HOME}exact", morning),
    )


def test_a_feed_tells_the_latest_date_of_an_entry_and_none_in_the_future() -> None:
    feed = read_feed(FEED.encode(), HOME, now=NOON)
    assert told_by_feed(feed) == (DatedLink(f"{HOME}one", NOON - 3 * HOUR),)
    assert feed.entries[0].published == NOON - 2 * DAY - 4 * HOUR


def test_dates_that_were_heard_at_the_last_visit_are_left_out(rules: AdmissionRules) -> None:
    old, today = (
        DatedLink(f"{HOME}a", NOON - 10 * DAY),
        DatedLink(f"{HOME}b", NOON - 2 * HOUR, precision=DAY),
    )
    count = DatedLink(f"{HOME}c", 12, is_date=False)
    assert heard(rules, old, today, count).keys() == {old.url, today.url, count.url}
    assert heard(rules, old, today, count, since=NOON).keys() == {today.url, count.url}


def test_only_a_source_is_believed_about_other_sites(rules: AdmissionRules) -> None:
    own, other = (
        DatedLink("http://www.news.example/a", NOON),
        DatedLink("http://other.example/a", NOON),
    )
    assert heard(rules, own, other).keys() == {own.url}
    assert heard(rules, own, other, parent=b"").keys() == {own.url, other.url}


def test_threads_whose_replies_are_counted_need_no_signal(rules: AdmissionRules) -> None:
    url = f"{HOME}thread-1.html"
    key = rules.look(url).address.key
    for replies, expected in ((12, {}), (None, {key: Signal(NOON)})):
        thread = BoardThread(url, "主题", replies, last_reply=NOON)
        batch = LinkBatch(
            PageClass.BOARD, threads=(thread,), told=(DatedLink(f"{url}#last", NOON - HOUR),)
        )
        assert signals_of(batch, waiting(rules), rules, None) == expected


@given(st.text(max_size=40), st.floats(), st.booleans(), st.floats(0, 1e5))
def test_whatever_is_told_of_whatever_address_is_a_signal_or_nothing(
    rules: AdmissionRules, url: str, value: float, is_date: bool, precision: float
) -> None:
    found = heard(rules, DatedLink(url, value, is_date, precision), since=NOON, parent=b"")
    assert len(found) <= 1
