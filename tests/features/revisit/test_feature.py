"""What a visit makes of its page: asked for on a condition, changed, as it was, gone or back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from scrapy import Request
from scrapy.exceptions import DropItem

from focuscrawl.features.revisit.change.comparison import ChangeKind
from focuscrawl.features.revisit.change.visit_comparison import UNFINISHED, Visit
from focuscrawl.features.revisit.conditions import AUDIT_EVERY, PageVersion
from focuscrawl.features.revisit.feature import Revisit
from focuscrawl.features.revisit.visit_queue import LINKED, LOOK_AGAIN
from focuscrawl.kernel.feature import Round
from focuscrawl.kernel.flight import Announcement, Flight, Notes, Purpose
from focuscrawl.kernel.items import Passage
from focuscrawl.kernel.transport.requests import CONDITIONS_SET, UNASKED
from focuscrawl.kernel.transport.slots import NotStored
from focuscrawl.readers.pages.content import Fetched, Judged
from focuscrawl.stores.results.results import StoredText
from focuscrawl.values import (
    Article,
    Page,
    PageChange,
    PageClass,
    PageState,
    Record,
    Waiting,
    change_key,
)
from tests.clock import NOON
from tests.judging import judge
from tests.kernel.kernels import TopicRun

pytestmark = pytest.mark.B1

HOUR, DAY = 3_600.0, 86_400.0
HOME, URL, OTHER = "http://a.cn/", "http://a.cn/1.html", "http://a.cn/2.html"
TOPIC = f'topic.name = "x"\ntopic.keywords = ["食品"]\n[[source]]\nurl = "{HOME}"\nname = "a"\n'
VERSION = PageVersion('"one"')


def news(batches: int = 7, more: str = "") -> bytes:
    """Return an article of some sentences."""
    said = f"食品安全抽检结果公布,共抽检样品{batches}批次,不合格的已经下架。"
    text = "".join(f"第{part}类食品的监督抽检已经完成,结果合格。" for part in range(9))
    page = f"<html><title>食品抽检结果公布</title><body><h1>食品抽检结果公布</h1><div><p>{said}</p>"
    return f"{page}<p>{text}</p><p>{more}</p></div></body></html>".encode()


OTHER_NEWS = news(
    7, "".join(f"企业{n}的负责人当天表示,问题食品已经全部召回并销毁。" for n in "甲乙丙丁戊")
)


class Run(TopicRun):
    """A run that fetches pages by hand; what it tells stands in ``told``."""

    in_step = True

    def __init__(self, folder: Path, more: str = "") -> None:
        self.told: list[PageChange] = []
        self.texts: dict[str, StoredText] = {}
        self.looks: list[Any] = []
        self.visits: list[int | None] = []
        super().__init__(folder, TOPIC + more)

    @property
    def changes(self) -> Self:
        return self

    def open(self) -> None:
        self.make_kernel(stored=self, items=self)
        self.revisit = Revisit(self.kernel)
        self.open_features(self.revisit)

    async def text(self, key: str) -> StoredText | None:
        return self.texts.get(key)

    async def is_complete(self, key: str) -> bool | None:
        stored = self.texts.get(key)
        return stored.complete if stored is not None else None

    def beside(self, look: Any) -> bool:
        self.looks.append(look)
        return True

    async def announce(self, change: PageChange) -> PageChange:
        self.told.append(change)
        return change

    def waiting(
        self, url: str, page_class: PageClass | None, *, again: bool, is_source: bool = False
    ) -> Waiting:
        address = self.kernel.rules.canonicalizer.address(url)
        assert address is not None
        row = Waiting(address.url, address.key, address.site, 3, 3, page_class, source_id="a")
        return row._replace(parent_key=b"" if is_source else b"p" * 16, first_walk=not again)

    def state(self, url: str = URL) -> PageState | None:
        key = self.waiting(url, None, again=True).key
        return asyncio.run(self.store.pages([key])).get(key)

    def known(self, url: str = URL) -> PageState:
        state = self.state(url)
        assert state is not None
        return state

    def change(self, **fields: Any) -> None:
        """Let something else be known of the page."""
        self.kernel.frontier.remember(self.known()._replace(**fields))
        self.commit()

    def sent(self, url: str = URL, request: Request | None = None, **said: Any) -> Flight:
        """Ask for a page again; returns its flight, before there is an answer."""
        waiting = self.waiting(url, PageClass.ARTICLE, again=True)
        flight = Flight(request or Request(url), 1, 1, waiting, **said)
        asyncio.run(self.revisit.before_fetch(flight))
        self.revisit.add_conditions(flight, flight.request)
        return flight

    def fetch(
        self, body: bytes | None = None, url: str = URL, *, first: bool = False, **said: Any
    ) -> Flight:
        """Fetch a page and end its URL; ``said`` are fields of its flight, ``dropped`` is why a pipeline
        has dropped its article: as a copy behind the comparison, else before it.
        """
        page_class, dropped = said.pop("page_class", PageClass.ARTICLE), said.pop("dropped", None)
        is_source = said.pop("is_source", False)
        waiting = self.waiting(url, page_class, again=not first, is_source=is_source)
        version = said.pop("version", VERSION)
        flight = Flight(Request(url), 1, 1, waiting, **({"status": 200} | said))
        flight.of(Visit).version = version
        asyncio.run(self.revisit.before_fetch(flight))
        self.revisit.add_conditions(flight, flight.request)
        if body is not None:
            fetched = Fetched(url, 200, body, "text/html; charset=utf-8", self.clock.now)
            judged = judge(fetched, waiting, self.kernel.criteria)
            flight.page = judged.page
            [*self.revisit.judged(flight, judged)]
            if isinstance(judged.article, Article):
                asyncio.run(self._pipe(judged.article, flight, dropped))
        change = self.revisit.ending(flight)
        flight.notes[Announcement] = Announcement(change is not None, change)
        self.revisit.settle(flight, flight.page, comes_back=False)
        self.commit()
        return flight

    async def _pipe(self, article: Article, flight: Flight, dropped: Exception | None) -> None:
        """Let an article go through the pipelines."""
        passage = Passage(flight)
        assert flight.page is not None
        if dropped is None or isinstance(dropped, NotStored):
            try:
                await self.revisit.compare(article, passage)
            except NotStored as left:
                flight.page.outcome = left.outcome
                return
        if dropped is not None:
            flight.page.outcome = getattr(dropped, "outcome", "dropped")
            await self.revisit.lost(article, passage, dropped)
            return
        self.told += passage.told
        flight.page.outcome = "stored"
        await self.revisit.keep(article, passage)
        self.texts[article.url_key] = StoredText(
            article.title, article.text, complete=article.complete, length=len(article.text)
        )


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    made: list[Run] = []

    def make(more: str = "") -> Run:
        made.append(Run(tmp_path, more))
        return made[-1]

    yield make
    for one in made:
        one.store.release()


def test_a_page_that_is_stored_is_watched_and_told_of_as_new(run: Callable[..., Run]) -> None:
    one = run()
    flight = one.fetch(news(), first=True)
    state = one.known()
    assert (state.visits, state.times_changed, state.gone) == (1, 0, None)
    assert (state.first_fetched, state.last_fetched) == (NOON, NOON)
    assert state.next_visit is not None
    assert state.next_visit > NOON
    assert state.etag == '"one"'
    assert flight.after == state
    assert [change.kind for change in one.told] == ["new"]


@pytest.mark.parametrize(
    "said",
    [{"failed": "http 503"}, {"outcome": "refused"}],
)
def test_nothing_is_known_of_a_page_whose_first_fetch_gave_none(
    run: Callable[..., Run], said: dict[str, Any]
) -> None:
    one = run()
    one.fetch(news(), first=True, **said)
    assert one.state() is None


def test_a_visit_tells_whether_its_page_has_changed(run: Callable[..., Run]) -> None:
    one = run()
    one.fetch(news(), first=True)
    one.clock.now += DAY
    page = one.fetch(news()).page
    assert page is not None
    assert page.outcome == "unchanged"
    assert (one.known().visits, one.known().times_changed) == (2, 0)
    one.clock.now += DAY
    page = one.fetch(OTHER_NEWS).page
    assert page is not None
    assert page.outcome == "stored"
    state = one.known()
    assert (state.visits, state.times_changed, state.last_changed) == (3, 1, one.clock.now)
    assert [change.kind for change in one.told] == ["new", "major"]
    assert "负责人" in one.told[1].diff
    assert one.told[1].change_id == change_key(state.key.hex(), "major", 3), "of the third visit"
    one.clock.now += DAY
    one.fetch(OTHER_NEWS)
    assert one.known().times_changed == 1, "it is compared with what was stored last"
    assert not one.kernel.pages.open, "all of it was there"


@pytest.mark.announced_first
@pytest.mark.parametrize(("tries", "told"), [(0, ["new"]), (1, [])])
def test_whether_an_article_is_new_is_looked_up_where_an_earlier_try_may_have_stored_it(
    run: Callable[..., Run], tries: int, told: list[str]
) -> None:
    one = run()
    key = one.waiting(URL, None, again=False).key.hex()
    one.texts[key] = StoredText("", "", complete=True, length=9)
    one.fetch(news(), first=True, tries=tries)
    assert [change.kind for change in one.told] == told


def test_a_row_says_what_is_known_of_its_pages_visits(run: Callable[..., Run]) -> None:
    one = run()
    one.fetch(news(), first=True)
    one.clock.now += DAY
    flight = one.fetch(OTHER_NEWS)
    page = flight.page
    assert page is not None
    one.revisit.fill_row(flight, page)
    assert (page.changes, page.last_changed) == (1, NOON + DAY)
    assert (page.next_visit, page.gone_at) == (one.known().next_visit, None)


COPY = NotStored(URL, "copy")


@pytest.mark.copies_rest
def test_a_copy_is_not_watched_and_what_becomes_one_is_watched_on(run: Callable[..., Run]) -> None:
    one = run()
    one.fetch(news(), first=True, dropped=COPY)
    assert one.state() is None
    one.fetch(news(), first=True)
    one.clock.now += DAY
    one.fetch(OTHER_NEWS, dropped=COPY)
    assert one.known().visits == 2
    assert one.known().next_visit is not None


@pytest.mark.copies_rest
def test_an_article_that_is_found_to_be_a_copy_after_its_first_visit_has_ended_rests(
    run: Callable[..., Run],
) -> None:
    one = run()
    for visits, rests in ((1, True), (2, False)):
        one.fetch(news(), first=True)
        one.change(visits=visits, next_visit=NOON + DAY)
        asyncio.run(one.revisit.comparison.let_be(one.known().key.hex()))
        one.commit()
        assert (one.known().next_visit is None) is rests


def test_a_change_is_told_though_a_pipeline_drops_its_article_but_none_is_told_as_new(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.fetch(news(), first=True, dropped=DropItem("not mine"))
    assert (one.told, one.state()) == ([], None)
    one.fetch(news(), first=True)
    one.told.clear()
    one.clock.now += DAY
    one.fetch(OTHER_NEWS, dropped=DropItem("not mine"))
    assert [change.kind for change in one.told] == ["major"]
    one.clock.now += DAY
    one.told.clear()
    one.fetch(OTHER_NEWS, dropped=DropItem("not mine"))
    assert one.told == [], "it is compared with what it said last"
    one.clock.now += DAY
    one.fetch(news(), dropped=ValueError("the pipeline is broken"))
    assert one.told == [], "a failure is no drop"


BOARD = (
    "<html><body>"
    + "".join(f"<p><a href='/{n}.html'>食品安全抽检结果第{n}号公布</a></p>" for n in range(30))
    + "</body></html>"
).encode()


@pytest.mark.parametrize(("is_source", "every"), [(True, 2 * HOUR), (False, None)])
def test_a_source_comes_again_as_often_as_its_template_says_and_what_it_leads_to_by_itself(
    run: Callable[..., Run], *, is_source: bool, every: float | None
) -> None:
    one = run('every = "2h"\n')
    one.fetch(BOARD, first=True, page_class=PageClass.BOARD, is_source=is_source)
    assert one.known().every == every


def test_a_list_that_has_become_an_article_is_as_if_it_were_seen_for_the_first_time(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.fetch(BOARD, first=True, page_class=PageClass.BOARD)
    assert one.known().page_class is PageClass.BOARD
    one.clock.now += DAY
    one.fetch(news())
    state = one.known()
    assert (state.page_class, state.visits) == (PageClass.ARTICLE, 1)
    assert (state.first_fetched, state.times_changed) == (one.clock.now, 0)
    assert [change.kind for change in one.told] == ["new"]


def test_a_page_that_was_moved_is_gone_where_it_was_and_seen_where_it_is(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.fetch(news(), first=True)
    before = one.known()
    for _ in range(4):
        one.clock.now += DAY + 1
        one.fetch(news(), OTHER, before=one.known())
    assert one.known().gone == one.clock.now
    assert one.known().reason == "moved"
    assert one.known(OTHER).gone is None
    assert before.gone is None


# How it is asked for ------------------------------------------------------------------------------


def test_a_page_is_asked_for_by_the_version_that_is_known_of_it(run: Callable[..., Run]) -> None:
    one = run()
    one.fetch(news(), first=True)
    request = one.sent().request
    assert request.headers["If-None-Match"] == b'"one"'
    assert request.meta[CONDITIONS_SET] == ["If-None-Match"]
    assert request.meta["dont_cache"] is True


@pytest.mark.parametrize(
    ("request_of", "said"),
    [
        (Request(URL, method="POST"), {}),
        (Request(URL, headers={"If-None-Match": '"mine"'}), {}),
        (Request(URL, meta={UNASKED: True}), {}),
        (Request(URL), {"notes": Notes({Purpose: Purpose(whole=True)})}),
    ],
)
def test_a_page_comes_whole_where_its_links_are_needed_or_a_user_asks_otherwise(
    run: Callable[..., Run], request_of: Request, said: dict[str, Any]
) -> None:
    one = run()
    one.fetch(news(), first=True)
    request = one.sent(request=request_of.copy(), **said).request
    assert CONDITIONS_SET not in request.meta
    assert request.headers.get("If-None-Match") in {None, b'"mine"'}


@pytest.mark.parametrize("known", [{"url": "http://a.cn/0.html"}, {"url": "http://a.cn/9.html"}])
def test_a_version_is_that_of_its_address_alone(
    run: Callable[..., Run], known: dict[str, str]
) -> None:
    one = run()
    one.fetch(news(), first=True)
    one.change(**known)
    assert CONDITIONS_SET not in one.sent().request.meta


def test_an_article_whose_parts_are_missing_comes_whole(run: Callable[..., Run]) -> None:
    one = run()
    one.fetch(news(), first=True)
    one.change(facts={**one.known().facts, UNFINISHED: True})
    assert CONDITIONS_SET not in one.sent().request.meta


def test_of_a_link_that_is_followed_for_the_first_time_nothing_is_asked(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.fetch(news(), first=True)
    flight = Flight(Request(URL), 1, 1, one.waiting(URL, None, again=False))
    asyncio.run(one.revisit.before_fetch(flight))
    one.revisit.add_conditions(flight, flight.request)
    assert flight.before is None
    assert "dont_cache" not in flight.request.meta


def test_a_server_that_calls_another_text_by_the_same_name_is_believed_no_more_by_later_runs(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.fetch(news(), first=True)
    assert one.revisit.trusts_unchanged("a.cn")
    one.clock.now += DAY
    one.fetch(OTHER_NEWS)
    assert not one.revisit.trusts_unchanged("a.cn")
    one.revisit.note(closing=False)
    one.commit()
    one.open()
    assert not one.revisit.trusts_unchanged("a.cn")
    assert CONDITIONS_SET not in one.sent().request.meta


def test_an_answer_that_nothing_is_newer_is_a_visit_without_a_change(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.fetch(news(), first=True)
    one.clock.now += DAY
    one.fetch(unchanged=True, outcome="unchanged", status=304, version=PageVersion())
    state = one.known()
    assert (state.visits, state.times_changed, state.failures) == (2, 0, 0)
    assert state.etag == '"one"', "a 304 may leave out what it named before"
    assert AUDIT_EVERY > 2, "the second visit is never a trial"


# Gone and back ------------------------------------------------------------------------------------


def missing(one: Run, times: int, **said: Any) -> Flight:
    """Find a page missing so many times, a day apart."""
    for _ in range(times):
        one.clock.now += DAY + 1
        flight = one.fetch(**({"status": 404} | said))
    return flight


def test_a_page_is_gone_after_so_many_visits_over_so_many_days_and_back_when_it_is_there(
    run: Callable[..., Run],
) -> None:
    one = run("[revisit]\ngone_after = 4\n")
    one.fetch(news(), first=True)
    one.told.clear()
    assert missing(one, 3).of(Announcement).change is None
    assert (one.known().gone, one.known().failures) == (None, 3)
    change = missing(one, 1).of(Announcement).change
    assert change is not None
    assert (change.kind, change.what, change.url) == ("gone", "article", URL)
    assert one.known().gone == one.clock.now
    assert one.kernel.counters["gone"] == 1
    one.clock.now += DAY
    change = one.fetch(news()).of(Announcement).change
    assert change is not None
    assert change.kind == "back"
    assert one.known().gone is None
    assert one.kernel.counters["back"] == 1


@pytest.mark.parametrize(
    "said",
    [
        {"status": 410},
        {"status": 200, "outcome": "gone", "reason": "soft 404"},
        {"status": 200, "outcome": "alias"},
    ],
)
def test_what_says_that_a_page_is_not_there_counts_as_missing(
    run: Callable[..., Run], said: dict[str, Any]
) -> None:
    one = run()
    one.fetch(news(), first=True)
    change = missing(one, 4, **said).of(Announcement).change
    assert change is not None
    assert change.kind == "gone"


@pytest.mark.parametrize(
    "said", [{"failed": "http 503", "status": 503}, {"status": 200, "outcome": "refused"}]
)
def test_what_says_nothing_of_a_page_makes_it_late_but_not_gone(
    run: Callable[..., Run], said: dict[str, Any]
) -> None:
    one = run()
    one.fetch(news(), first=True)
    assert missing(one, 5, **said).of(Announcement).change is None
    state = one.known()
    assert (state.gone, state.failures, state.visits) == (None, 0, 1)
    assert state.next_visit is not None
    assert state.next_visit > one.clock.now


def gone(run: Callable[..., Run]) -> Run:
    one = run()
    one.fetch(news(), first=True)
    missing(one, 4)
    assert one.known().gone is not None
    return one


def links_to(one: Run, url: str = URL) -> bool:
    """Find a link to a page; returns whether it is new."""
    assert one.revisit.gone.has_some
    number = one.kernel.rules.look(url).address.number
    one.kernel.frontier.seen.add(number)
    return one.revisit.gone.add(one.waiting(url, None, again=False), number)


def noted(one: Run) -> set[str]:
    """Return the keys of gone pages that were linked to, as a kill would leave them."""
    one.commit()
    return {*asyncio.run(one.store.facts(LINKED))}


@pytest.mark.gone_links
def test_a_link_to_a_page_that_is_gone_is_noted_a_day_after_it_was_looked_at_last(
    run: Callable[..., Run],
) -> None:
    one = gone(run)
    key = one.known().key
    one.clock.now += LOOK_AGAIN - 1
    assert not links_to(one)
    assert not one.revisit.gone.linked
    one.clock.now += 1
    assert not links_to(one)
    assert [*one.revisit.gone.linked] == [key]
    assert noted(one) == {key.hex()}
    one.open()
    assert [*one.revisit.gone.linked] == [key], "a kill loses it not"
    one.revisit.gone.looks_at(key)
    assert not one.revisit.gone.linked
    assert not noted(one)


@pytest.mark.gone_links
def test_a_link_to_a_page_that_was_looked_at_in_a_time_to_come_is_noted(
    run: Callable[..., Run],
) -> None:
    one = gone(run)
    one.clock.now -= HOUR
    links_to(one)
    assert [*one.revisit.gone.linked] == [one.known().key]


@pytest.mark.gone_links
def test_links_to_pages_that_are_there_are_not_noted(run: Callable[..., Run]) -> None:
    one = gone(run)
    one.fetch(news(), OTHER, first=True)
    one.clock.now += LOOK_AGAIN
    links_to(one, OTHER)
    assert not one.revisit.gone.linked
    one.fetch(news())
    assert not one.revisit.gone.has_some
    one.open()
    assert not one.revisit.gone.has_some, "that it is back is kept"


def test_a_list_that_is_gone_is_nothing_that_anybody_reads(run: Callable[..., Run]) -> None:
    one = run()
    one.fetch(BOARD, OTHER, first=True, page_class=PageClass.BOARD)
    assert one.known(OTHER).page_class is PageClass.BOARD
    for _ in range(4):
        one.clock.now += DAY + 1
        change = (
            one.fetch(url=OTHER, status=404, page_class=PageClass.BOARD).of(Announcement).change
        )
        assert change is None
    assert one.known(OTHER).gone is not None


def test_a_page_that_is_buried_is_gone_with_what_the_pipelines_left_of_its_end(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.fetch(news(), first=True)
    before = one.known()
    after = before._replace(gone=NOON, next_visit=None)
    put = asyncio.run(one.revisit.end_page(before, after))
    assert [change.kind for change in one.told] == ["new", "gone"]
    assert not one.revisit.gone.has_some, "nothing is moved before it is told"
    put()
    one.commit()
    assert one.known().gone == NOON
    assert one.revisit.gone.has_some
    assert one.kernel.counters["gone"] == 1
    assert one.kernel.commits.pending.gone == {before.key.hex(): NOON}
    assert len(one.kernel.commits.pending.rows["changes"]) == 1


# Records, and articles whose rest comes late ------------------------------------------------------


def records(one: Run, *prices: int) -> Flight:
    """Fetch a page with records; what is left of them stands in ``flight.page.records``."""
    again = one.state() is not None
    waiting = one.waiting(URL, PageClass.RECORD, again=again)
    flight = Flight(Request(URL), 1, 1, waiting, status=200)
    asyncio.run(one.revisit.before_fetch(flight))
    key = waiting.key.hex()
    page = Page(key, URL, "a.cn", PageClass.RECORD, "stored")
    found = tuple(
        Record("offer", str(number), "a.cn", key, URL, {"price": price})
        for number, price in enumerate(prices)
    )
    judged = Judged(page, records=found)
    flight.page = page
    [*one.revisit.judged(flight, judged)]
    one.visits = []
    for record in judged.records:
        passage = Passage(flight)
        asyncio.run(one.revisit.compare(record, passage))
        one.visits.append(passage.visit)
    one.revisit.settle(flight, page, comes_back=False)
    one.commit()
    return flight


def test_records_that_say_what_they_said_go_no_further_and_others_say_which_visit_found_them(
    run: Callable[..., Run],
) -> None:
    one = run()
    records(one, 3, 4)
    assert one.visits == [None, None], "they are new"
    for prices, outcome, visits, changed in (
        ((3, 4), "unchanged", [], 0),
        ((3, 5), "stored", [3, 3], 1),
        ((3, 5), "unchanged", [], 1),
    ):
        one.clock.now += DAY
        page = records(one, *prices).page
        assert page is not None
        assert (page.outcome, one.visits) == (outcome, visits)
        assert one.known().times_changed == changed
    assert one.revisit.comparison.found_at(one.known().key.hex()) is None, "its URL has ended"


async def _late(one: Run, body: bytes) -> tuple[Passage, str]:
    """Let an article go out whose URL has ended; returns its way, and why it went no further."""
    waiting = one.waiting(URL, PageClass.ARTICLE, again=True)
    fetched = Fetched(URL, 200, body, "text/html; charset=utf-8", one.clock.now)
    article = judge(fetched, waiting, one.kernel.criteria).article
    assert isinstance(article, Article)
    passage = Passage()
    try:
        await one.revisit.compare(article, passage)
    except NotStored as left:
        return passage, left.outcome
    await one.revisit.keep(article, passage)
    return passage, ""


@pytest.mark.parts_visited
def test_an_article_whose_last_part_comes_late_is_compared_and_counted_all_the_same(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.fetch(news(), first=True)
    one.told.clear()
    one.clock.now += DAY
    passage, left = asyncio.run(_late(one, news()))
    assert (left, passage.changes) == ("unchanged", [])
    passage, left = asyncio.run(_late(one, OTHER_NEWS))
    one.commit()
    assert left == ""
    [change] = passage.changes
    assert change.kind == "major"
    assert change.change_id == change_key(one.known().key.hex(), "major", 1), (
        "of no visit of its own"
    )
    state = one.known()
    assert (state.visits, state.times_changed, state.last_changed) == (1, 1, one.clock.now)
    assert asyncio.run(_late(one, OTHER_NEWS))[1] == "unchanged", "it is what is known now"


def test_of_an_article_that_nobody_knows_nothing_is_told_but_that_it_is_new(
    run: Callable[..., Run],
) -> None:
    one = run()
    passage, left = asyncio.run(_late(one, news()))
    assert (left, passage.changes) == ("", [])
    assert [change.kind for change in passage.told] == ["new"]
    compared = asyncio.run(one.revisit.comparison.compare(Article("my own key", URL, "", "", "")))
    assert (compared.verdict, compared.is_first) == (None, False)


def test_how_much_a_page_differs_is_told_where_there_is_something_to_compare_with(
    run: Callable[..., Run],
) -> None:
    one = run()
    one.fetch(news(), first=True)
    comparison, state = one.revisit.comparison, one.known()

    def differs(body: bytes, known: PageState) -> ChangeKind | None:
        waiting = one.waiting(URL, PageClass.ARTICLE, again=True)
        fetched = Fetched(URL, 200, body, "text/html; charset=utf-8", one.clock.now)
        article = judge(fetched, waiting, one.kernel.criteria).article
        assert isinstance(article, Article)
        return comparison.how_changed(known, article, ())

    assert differs(news(), state) is ChangeKind.SAME
    assert differs(OTHER_NEWS, state) is ChangeKind.MAJOR
    assert differs(news(), state._replace(digest=b"", simhash=None)) is None


# When it fails -----------------------------------------------------------------------------------


@pytest.mark.B4
@pytest.mark.parametrize("continuous", [False, True])
def test_a_first_fetch_is_tried_again_soon_and_of_visits_those_of_lists_by_a_run_that_ends(
    run: Callable[..., Run], *, continuous: bool
) -> None:
    one = run(f"[revisit]\ncontinuous = {str(continuous).lower()}\n")
    one.fetch(news(), first=True)
    article = one.known()
    board = article._replace(page_class=PageClass.BOARD)
    waiting = one.waiting(URL, PageClass.ARTICLE, again=False)
    assert one.revisit.tries_again(Flight(Request(URL), 1, 1, waiting))
    assert not one.revisit.tries_again(Flight(Request(URL), 1, 1, waiting, before=article))
    listed = Flight(Request(URL), 1, 1, waiting, before=board)
    assert one.revisit.tries_again(listed) is not continuous


# When it looks ------------------------------------------------------------------------------------


@pytest.mark.B4
def test_a_run_that_stays_looks_when_it_is_time_and_waits_as_long_as_something_may_come(
    run: Callable[..., Run],
) -> None:
    one = run("[revisit]\ncontinuous = true\nold = 0\n")
    one.fetch(news(), first=True)
    asyncio.run(one.revisit.begin(Round(NOON)))
    one.revisit.tick()
    assert one.revisit.idle(is_over=False), "it stays"
    assert one.looks == []
    assert one.revisit.figures() == {"due": 0}
    one.clock.now += 9 * DAY
    assert not one.revisit.idle(is_over=True)
    assert one.looks == []
    one.revisit.tick()
    assert one.revisit.idle(is_over=False)
    assert len(one.looks) == 2
    asyncio.run(one.looks.pop()())
    assert one.revisit.figures() == {"due": 1}
    one.revisit.note(closing=True)
    one.looks.clear()
    one.clock.now += 9 * DAY
    one.revisit.tick()
    assert one.looks == [], "it is closing"
