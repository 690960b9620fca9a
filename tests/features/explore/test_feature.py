"""Exploration put on a run: which pages count, which sites are not asked, and what the next run knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request

from focuscrawl.features.explore.explorer import Explorer
from focuscrawl.features.explore.feature import Exploration
from focuscrawl.kernel.flight import Flight
from focuscrawl.readers.pages.content import Judged
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.values import LinkBatch, Page, PageClass, PageState, Waiting
from tests.clock import NOON, StandingClock
from tests.kernel.kernels import TopicRun, kernel_over

pytestmark = pytest.mark.E2

TOPIC = (
    'topic.name = "x"\ntopic.keywords = ["食品"]\n[[source]]\nurl = "http://a.cn/"\n'
    '[follow]\nscope = "web"\n'
)
KNOWN, UNKNOWN = "a.cn", "b.cn"


class Run(TopicRun):
    """A run that explores; its pages are judged by hand."""

    def open(self) -> None:
        self.make_kernel()
        feature = Exploration.of(self.kernel)
        assert feature is not None
        self.feature = feature
        explorer = self.kernel.rules.explorer
        assert isinstance(explorer, Explorer)
        self.ledger = explorer.ledger
        self.open_features(feature)

    def flight(self, site: str, **fields: Any) -> Flight:
        url = f"http://{site}/news/1.html"
        before = fields.pop("before", None)
        waiting = Waiting(url, b"k" * 16, site, 3, 3)._replace(**fields)
        return Flight(Request(url), 1, 1, waiting, before=before)

    def ban(self, flight: Flight) -> str:
        """Return why a URL that waits is not asked for."""
        explorer = self.kernel.rules.explorer
        assert explorer is not None
        return explorer.why_banned(flight.waiting, self.clock.wall())

    def end(self, site: str, *, relevant: bool | None, **fields: Any) -> None:
        """End a page of a site; ``relevant`` is None where nothing was judged."""
        flight = self.flight(site, **fields)
        if relevant is not None:
            page = Page("", flight.waiting.url, site, PageClass.ARTICLE, "stored")
            batch = LinkBatch(PageClass.ARTICLE, relevant=relevant)
            [*self.feature.judged(flight, Judged(page, batch))]
        self.feature.acknowledged(flight)

    def note(self) -> None:
        self.feature.note(closing=False)
        self.commit()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    made: list[Run] = []

    def make(more: str = "") -> Run:
        made.append(Run(tmp_path, TOPIC + more))
        return made[-1]

    yield make
    for one in made:
        one.store.release()


STATE = PageState(b"k" * 16, "", UNKNOWN, PageClass.ARTICLE, 3, NOON, NOON, NOON, 1)


@pytest.mark.parametrize(
    ("site", "relevant", "fields", "counts"),
    [
        (UNKNOWN, True, {}, (1, 1)),
        (UNKNOWN, False, {}, (1, 0)),
        (UNKNOWN, None, {}, (0, 0)),
        (UNKNOWN, True, {"before": STATE}, (0, 0)),  # pages are counted, not visits
        (UNKNOWN, True, {"page_class": PageClass.ARTICLE_PAGING}, (0, 0)),  # its article was
        (UNKNOWN, True, {"page_class": PageClass.ARTICLE}, (1, 1)),
        (KNOWN, True, {}, (0, 0)),
    ],
)
def test_each_article_of_an_unknown_site_counts_once(
    run: Callable[..., Run],
    site: str,
    relevant: bool | None,
    fields: dict[str, Any],
    counts: tuple[int, int],
) -> None:
    one = run()
    one.end(site, relevant=relevant, **fields)
    assert one.ledger.counts(site) == counts


def test_a_page_that_gave_no_links_or_is_nobodys_says_nothing_of_its_site(
    run: Callable[..., Run],
) -> None:
    one = run()
    flight = one.flight(UNKNOWN)
    page = Page("", flight.waiting.url, UNKNOWN, PageClass.ARTICLE, "stored")
    assert [
        *one.feature.judged(None, Judged(page, LinkBatch(PageClass.ARTICLE, relevant=True)))
    ] == []
    assert [*one.feature.judged(flight, Judged(page, None))] == []
    one.feature.acknowledged(flight)
    assert one.ledger.counts(UNKNOWN) == (0, 0)


def test_what_was_counted_is_known_by_the_next_run(run: Callable[..., Run]) -> None:
    one = run()
    one.end(UNKNOWN, relevant=True)
    one.end(UNKNOWN, relevant=False)
    one.note()
    one.open()
    assert one.ledger.counts(UNKNOWN) == (2, 1)
    assert one.ledger.is_known(UNKNOWN)
    one.note()
    assert one.ledger.changed() == {}, "it is written when it has changed"


def test_a_site_that_is_banned_by_hand_is_not_asked_and_shown_so(run: Callable[..., Run]) -> None:
    one = run('[explore]\nbanned = ["c.cn"]\n')
    assert one.ban(one.flight(UNKNOWN)) == ""
    assert one.feature.site(UNKNOWN) == {}
    one.ledger.ban(UNKNOWN)
    assert one.ban(one.flight(UNKNOWN)) == "ban:hand"
    shown = one.feature.site(UNKNOWN)
    assert (shown["state"], shown["until"], shown["evidence"]["why"]) == ("banned", None, "hand")
    assert one.ban(one.flight("www.c.cn")) == "ban:hand", "the template says so"
    one.ledger.lift(UNKNOWN)
    assert one.ban(one.flight(UNKNOWN)) == ""


def test_a_site_is_banned_and_freed_by_orders_while_the_crawl_runs(run: Callable[..., Run]) -> None:
    one = run()
    one.feature.take_order("ban", UNKNOWN)
    assert one.ban(one.flight(UNKNOWN)) == "ban:hand"
    assert one.ban(one.flight(KNOWN)) == ""
    one.feature.take_order("unban", UNKNOWN)
    assert one.ban(one.flight(UNKNOWN)) == ""


def test_a_topic_that_does_not_explore_has_no_exploration(tmp_path: Path) -> None:
    text = 'topic.name = "x"\ntopic.keywords = ["食品"]\n[[source]]\nurl = "http://a.cn/"\n'
    kernel = kernel_over(
        SQLiteStore(tmp_path / "x.db"),
        load(f"{text}[explore]\nenabled = false\n", {}, {}).template,
        StandingClock(NOON),
    )
    assert Exploration.of(kernel) is None
    assert kernel.rules.explorer is None
