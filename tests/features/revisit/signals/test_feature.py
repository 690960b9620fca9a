"""What lists say of pages that are known: how far they are believed, and what becomes of their visits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request

from focuscrawl.features.revisit.feature import Revisit
from focuscrawl.features.revisit.signals.feature import UNPROVEN, Signals
from focuscrawl.features.revisit.signals.signals import FEWEST_KEPT, Trust
from focuscrawl.kernel.flight import Flight, ThreadPart
from focuscrawl.urls.sites import ALL_PARTITIONS
from focuscrawl.values import SIGNALS, DatedLink, LinkBatch, Page, PageClass, PageState, Waiting
from tests.clock import NOON
from tests.kernel.kernels import TopicRun

pytestmark = pytest.mark.signals

HOUR, DAY = 3_600.0, 86_400.0
HOME, SITE = "http://a.cn/", "a.cn"
TOPIC = f'topic.name = "x"\ntopic.keywords = ["食品"]\n[[source]]\nurl = "{HOME}"\nname = "a"\n'


class Run(TopicRun):
    """A run that hears lists; the pages it knows were read a day ago."""

    def open(self) -> None:
        self.make_kernel()
        self.counters = self.kernel.counters
        self.revisit = Revisit(self.kernel)
        self.kernel.hooks.collect([self.revisit])
        self.signals = Signals(self.kernel)
        asyncio.run(self.signals.open(ALL_PARTITIONS, {}))

    def key(self, url: str) -> bytes:
        return self.kernel.rules.look(url).address.key

    def know(self, *urls: str, **more: Any) -> None:
        for url in urls:
            state = self.revisit.visits.first_seen(
                *(self.key(url), url, SITE, PageClass.ARTICLE, NOON - DAY)
            )
            self.kernel.frontier.remember(state._replace(**({"next_visit": NOON + 9 * DAY} | more)))
        self.commit()

    def hear(self, *told: DatedLink, source: str = "a", **batch: Any) -> Flight:
        """Read a list that says something of pages."""
        waiting = Waiting(HOME, self.key(HOME), SITE, 4, 4, source_id=source, parent_key=b"p" * 16)
        counted = batch.pop("counted", ())
        flight = Flight(Request(HOME), 1, 1, waiting)
        flight.of(ThreadPart).counted = counted
        links = LinkBatch(PageClass.SITEMAP, told=told, **batch)
        asyncio.run(self.signals.after_links(flight, links))
        self.commit()
        return flight

    def state(self, url: str) -> PageState:
        return asyncio.run(self.store.pages([self.key(url)]))[self.key(url)]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    made: list[Run] = []

    def make(more: str = "") -> Run:
        made.append(Run(tmp_path, TOPIC + more))
        return made[-1]

    yield make
    for one in made:
        one.store.release()


def told(number: int) -> DatedLink:
    return DatedLink(f"{HOME}{number}.html", NOON - HOUR)


def test_a_page_of_which_a_list_has_news_comes_sooner_and_counts_once(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.know(told(1).url, told(2).url)
    one.hear(told(1), DatedLink(told(2).url, NOON - 2 * DAY))
    assert one.state(told(1).url).signalled == NOON
    date = one.state(told(1).url).next_visit
    assert date is not None
    assert date < NOON + 9 * DAY
    assert one.state(told(2).url).signalled is None, "it was read since"
    assert one.counters["signals"] == 1
    one.hear(told(1))
    assert one.counters["signals"] == 1


def test_nothing_is_moved_once_the_store_is_broken(run: Callable[..., Run]) -> None:
    one = run()
    one.know(told(1).url)
    one.kernel.commits.broken = "disk full"
    one.hear(told(1), counted=(one.key(told(1).url),))
    assert one.state(told(1).url).signalled is None
    assert one.state(told(1).url).last_fetched == NOON - DAY


def test_a_page_that_was_too_old_or_gone_comes_at_once_when_there_is_news_of_it(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.know(told(1).url, next_visit=None)
    one.know(told(2).url, next_visit=None, gone=NOON - DAY)
    one.hear(told(1), told(2))
    assert one.state(told(1).url).next_visit == NOON
    assert one.state(told(2).url).next_visit == NOON
    assert one.counters["signals"] == 1, "one that is gone is looked at, and that is no signal"


@pytest.mark.parametrize(
    ("followed", "true", "comes"),
    [(UNPROVEN - 1, 0, True), (UNPROVEN, 0, False), (3 * UNPROVEN, 3 * UNPROVEN / 2, True)],
)
def test_an_old_page_comes_for_no_list_that_has_proved_wrong(
    run: Callable[..., Run], followed: float, true: float, comes: bool
) -> None:
    one = run()
    one.revisit.visits.trusts.put(SITE, Trust(followed=followed, true=true))
    one.know(told(1).url, next_visit=None)
    one.hear(told(1))
    assert (one.state(told(1).url).next_visit is not None) is comes


@pytest.mark.parametrize(
    ("source", "trust", "expected"),
    [
        (f"{SIGNALS}{SITE}", None, UNPROVEN),
        (f"{SIGNALS}{SITE}", Trust(followed=UNPROVEN - 1, true=UNPROVEN - 1), UNPROVEN),
        (f"{SIGNALS}{SITE}", Trust(followed=UNPROVEN, true=UNPROVEN / 2), 3 * UNPROVEN),
        (f"{SIGNALS}{SITE}", Trust(followed=UNPROVEN, true=UNPROVEN / 2 - 1), UNPROVEN),
        ("a", None, 3 * UNPROVEN),
    ],
)
def test_a_file_of_a_site_that_has_not_proved_right_brings_few_pages_forward(
    run: Callable[..., Run], source: str, trust: Trust | None, expected: int
) -> None:
    one = run()
    if trust is not None:
        one.revisit.visits.trusts.put(SITE, trust)
    news = [told(number) for number in range(3 * UNPROVEN)]
    one.know(*(link.url for link in news))
    one.clock.now -= 2 * DAY  # no page of the site is known from before that
    one.signals.files.named(SITE, [f"{HOME}map.xml"])
    one.clock.now = NOON
    one.hear(*news, source=source)
    assert one.counters["signals"] == expected


def test_pages_whose_news_a_list_counts_need_no_visit_of_their_own(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.know(told(1).url, told(2).url, next_visit=NOON + HOUR)
    one.hear(counted=(one.key(told(1).url),))
    assert one.counters["visits_saved"] == 1
    left, other = one.state(told(1).url), one.state(told(2).url)
    assert (left.next_visit or 0.0) > NOON + HOUR
    assert other.next_visit == NOON + HOUR
    one.hear(counted=(one.key(told(1).url),))
    assert one.counters["visits_saved"] == 1, "its date is no later by that"


@pytest.mark.signal_files
def test_files_that_robots_and_lists_name_are_read_once_pages_of_a_site_are_kept(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.signals.robots_read(SITE, f"User-agent: *\nSitemap: {HOME}map.xml\n")
    one.hear(signal_files=(f"{HOME}feed",))
    one.hear(signal_files=(f"{HOME}feed",))
    flight = one.hear()
    round_: Any = None

    def end(outcome: str, page_class: PageClass) -> None:
        page = Page("", HOME, SITE, page_class, outcome)
        one.signals.ended(flight, None, page, comes_back=False)

    for _ in range(FEWEST_KEPT):
        end("irrelevant", PageClass.ARTICLE)
        end("list", PageClass.BOARD)
    assert asyncio.run(one.signals.begin(round_)) == 0, "none of them is kept"
    for _ in range(FEWEST_KEPT):
        end("stored", PageClass.ARTICLE)
    assert asyncio.run(one.signals.begin(round_)) == 2
    assert asyncio.run(one.signals.begin(round_)) == 0


@pytest.mark.signal_files
@pytest.mark.parametrize("more", ["signals = false", 'policy = "off"', "strict = true"])
def test_a_topic_that_hears_no_signals_reads_no_file_for_them(
    run: Callable[..., Run], more: str
) -> None:
    one = run(f"[revisit]\n{more}\n")
    one.signals.files.named(SITE, [f"{HOME}map.xml"])
    for _ in range(FEWEST_KEPT):
        one.signals.files.kept(SITE)
    round_: Any = None
    assert asyncio.run(one.signals.begin(round_)) == 0
