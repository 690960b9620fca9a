"""Files that are read for their signals alone: what is taken of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from focuscrawl.features.revisit.signals.signals import (
    FEWEST_KEPT,
    MOST_HEARD,
    MOST_PARTS,
    SignalFiles,
    only_signals,
    signal_file,
    site_of_signal,
)
from focuscrawl.features.revisit.table import visit_rules
from focuscrawl.features.revisit.visit_queue import refused_visit, visit_of
from focuscrawl.features.revisit.visits import Visits
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.links.criteria import Criteria
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import DatedLink, Link, LinkBatch, PageClass, is_signal_file
from tests.clock import NOON, StandingClock
from tests.judging import judge

pytestmark = pytest.mark.signal_files

TOPIC = 'topic.name = "x"\ntopic.keywords = ["食品"]\n[[source]]\nurl = "http://a.cn/"\n'
TEMPLATE = load(TOPIC, {}, {}).template
RULES = AdmissionRules.from_template(TEMPLATE, 1.79e9)


def test_only_files_of_the_sites_own_domain_are_read() -> None:
    site = RULES.look("http://www.a.com.cn/").address.site
    found = signal_file("http://static.a.com.cn/map.xml", site, RULES)
    assert found is not None
    assert is_signal_file(found[0].source_id)
    assert site_of_signal(found[0].source_id) == site
    assert found[0].parent_key, "it is no source, and not believed about other sites"
    assert signal_file("http://b.com.cn/map.xml", site, RULES) is None
    assert signal_file("http://[/", site, RULES) is None


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    store = SQLiteStore(tmp_path / "topic.crawl.db")
    store.own()
    yield store
    store.release()


def test_files_that_a_site_names_are_queued_once_five_of_its_pages_are_kept_and_then_no_more(
    store: SQLiteStore,
) -> None:
    frontier = Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=lambda site: Politeness(),
        partition_of=partition_of,
        stored=store.read,
        random=lambda: 0.0,
    )
    files = SignalFiles(RULES, frontier, StandingClock())
    site = RULES.look("http://a.cn/").address.site
    named = ["http://a.cn/map.xml", "http://a.cn/feed", "http://elsewhere.cn/map.xml"]
    files.named(site, named)
    for number in range(FEWEST_KEPT):
        assert files.queue() == 0, f"only {number} pages are kept"
        files.kept(site)
    assert files.since(site) == NOON
    assert files.queue() == 2, "one lies elsewhere"
    assert frontier.counts().waiting == 2
    assert files.queue() == 0

    noted = files.changed()
    again = SignalFiles(RULES, frontier, StandingClock(NOON + 9e5))
    again.load({site: {files.part: noted[site]}})
    again.named(site, named)
    assert again.queue() == 0
    assert again.since(site) == NOON
    again.named(site, ["http://a.cn/new.xml"])
    assert again.queue() == 1


def test_of_a_huge_file_the_latest_signals_are_heard_and_no_link_is_followed() -> None:
    links = [Link(f"http://a.cn/{number}.html") for number in range(50_000)]
    told = [DatedLink(link.url, float(number)) for number, link in enumerate(links)]
    taken = only_signals(LinkBatch(PageClass.SITEMAP, tuple(links), told=tuple(told)))
    assert not taken.links
    assert {one.value for one in taken.told} == {*range(50_000 - MOST_HEARD, 50_000)}


def test_of_an_index_its_first_and_its_last_parts_are_read() -> None:
    parts = [Link(f"http://a.cn/{n}.xml", page_class=PageClass.SITEMAP) for n in range(3_000)]
    taken = only_signals(LinkBatch(PageClass.SITEMAP, tuple(parts))).links
    assert [*taken] == parts[: MOST_PARTS // 2] + parts[-MOST_PARTS // 2 :]


def test_a_page_that_stands_where_a_sitemap_was_named_is_not_followed() -> None:
    site = RULES.look("http://a.cn/").address.site
    found = signal_file("http://a.cn/map.xml", site, RULES)
    assert found is not None
    body = "<html><body><a href='/1.html'>食品安全抽检结果公布</a></body></html>".encode()
    fetched = Fetched("http://a.cn/map.xml", 200, body, "text/html; charset=utf-8", 1.79e9)
    judged = judge(fetched, found[0], Criteria(TEMPLATE, RULES, {}))
    assert judged.batch is None
    assert (judged.page.outcome, judged.page.reason) == ("refused", "no feed and no sitemap")


@pytest.mark.parametrize(
    ("more", "is_read"),
    [
        ('[site."a.cn"]\nskip = true\n', False),
        ('[follow]\ndeny = ["/map"]\n', False),
        ('[follow]\nallow = ["/news/"]\n', True),
    ],
)
def test_a_file_that_the_template_refuses_is_neither_queued_nor_visited_again(
    more: str, is_read: bool
) -> None:
    url, site = "http://a.cn/map.xml", RULES.look("http://a.cn/").address.site
    refusing = load(f"{TOPIC}{more}", {}, {}).template
    rules = AdmissionRules.from_template(refusing, 1.79e9)
    assert (signal_file(url, site, rules) is not None) == is_read
    found = signal_file(url, site, RULES)
    assert found is not None
    waiting = found[0]
    state = Visits(visit_rules(refusing)).first_seen(
        waiting.key, url, site, PageClass.SITEMAP, 1.79e9
    )
    state = state._replace(source_id=waiting.source_id, facts={"parent": waiting.parent_key})
    again = visit_of(state, {}, rules)
    assert (refused_visit(state, again, {}, rules) is None) == is_read
    assert refused_visit(state, again, {}, rules, heard=False) == "signals"
