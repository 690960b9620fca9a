"""Search again (C8): cycles of walks over a small web, with restarts, kills and pages that vanish."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from focuscrawl.crawl.admit import admit
from focuscrawl.crawl.rules import AdmissionRules
from focuscrawl.running.searching import Searching
from focuscrawl.running.walking import REACHED_FACT, Ending
from focuscrawl.stores.sqlite import SQLiteStore
from focuscrawl.topic.load import load
from focuscrawl.values import Link, LinkBatch, PageClass, Waiting
from tests.clock import StandingClock
from tests.running.frontiers import frontier_over

DAY = 86_400.0
TOPIC = """
[topic]
name = "x"
keywords = ["食品"]
[search]
engines = ["own"]
queries = ["食品"]
every = "1d"
delay = "0s"
{search}
[search.engine.own]
url = "http://s.cn/s?q={{query}}"
results = "css:.r"
link = "css:a::attr(href)"
{more}
"""
LAYERS = '[follow]\nlayers = ["联系我们"]\n'
A, B = "http://a.cn/", "http://b.cn/"


class Killed(Exception):
    pass


class Crawl:
    """One topic over a web of pages and links; each cycle is a run of its own, a day later.

    ``shown`` is what the engine answers, ``down`` what does not answer; ``moved`` redirects,
    ``not_modified`` answers so once.
    """

    def __init__(self, folder: Path, more: str = "", search: str = "") -> None:
        self.template = load(TOPIC.format(more=more, search=search)).template
        self.clock = StandingClock(1.7e9)
        self.path = folder / "x.crawl.db"
        self.web: dict[str, list[str]] = {}
        self.shown: list[str] = []
        self.down: set[str] = set()
        self.moved: dict[str, str] = {}
        self.not_modified: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.asked: list[str] = []
        self.states: dict[str, str] = {}
        self.visits: set[bytes] = set()
        self.window = 1
        self.stopped = False

    def cycle(self, kill_after: int | None = None) -> list[str]:
        """Search and crawl to the end, or so many fetches; returns the paths asked for, in order."""
        self.asked, self.counts = [], Counter()
        self.store = SQLiteStore(self.path)
        try:
            self._run(kill_after)
        except Killed:
            pass
        finally:
            self.counts += self.searching.walking.counts
            reached = asyncio.run(self.store.facts(REACHED_FACT)).values()
            self.gone = sorted(page["url"] for page in reached if page["gone"])
            self.store.release()
        return sorted(self.asked)

    def next_cycle(self, kill_after: int | None = None) -> list[str]:
        """The same a day later."""
        self.clock.now += DAY
        return self.cycle(kill_after)

    def _run(self, kill_after: int | None) -> None:
        frontier = self.frontier = frontier_over(self.store)
        frontier.load(asyncio.run(self.store.load(self.store.own())), self.clock.now)
        self.rules = AdmissionRules.from_template(self.template, self.clock.now)
        searching = self.searching = Searching(self.template, self.rules, frontier, self.clock)
        body = "".join(f'<div class="r"><a href="{url}">食品</a></div>' for url in self.shown)
        empty = "<p>抱歉，没有找到相关的网页。</p>"
        page = f"<html><body>{body or empty}</body></html>".encode()
        for asked in asyncio.run(searching.begin(self.store, self.visits)):
            if self.stopped:
                searching.failed(asked, "refused")
            searching.answered(asked, asked.url, 200, page, "text/html; charset=utf-8")
        self.commit()
        while (row := frontier.take(self.clock.now, self.clock.now)) is not None:
            if kill_after is not None and len(self.asked) >= kill_after:
                raise Killed
            self._fetch(row.waiting)
            frontier.acknowledge(row.sequence, self.clock.now)
            searching.ended(row.waiting, self.ending)
            if len(self.asked) % self.window == 0:
                self.commit()
        is_at_end = searching.is_at_end()
        unreached = searching.walking.unreached() if is_at_end else {}
        if is_at_end:
            searching.end_cycle(unreached)
        self.deleted = [*unreached.values()]
        self.commit()

    def commit(self) -> None:
        self.searching.note()
        self.store.commit(self.frontier.drain())
        self.frontier.committed()
        for row in self.searching.take_rows():
            self.states[row["url"]] = row["state"]

    def _fetch(self, waiting: Waiting) -> None:
        self.asked.append(waiting.url)
        address = self.rules.look(self.moved.get(waiting.url, waiting.url)).address
        links = self.web.get(address.url)
        self.ending = Ending(address.url, address.key, PageClass.BOARD, tries=0)
        if waiting.url in self.down:
            self.ending = self.ending._replace(answered=False, read=False)
            return
        if waiting.url in self.not_modified:
            self.not_modified.remove(waiting.url)
            self.ending = self.ending._replace(read=False)
            return
        if links is None:
            self.ending = self.ending._replace(answered=False, read=False, gone=True)
            return
        batch = LinkBatch(
            PageClass.BOARD, tuple(Link(url, "联系我们") for url in links), title="联系我们"
        )
        walk = self.searching.links_of(batch, waiting)
        if walk is None:
            found = admit(batch, waiting, self.rules, self.frontier.add, self.frontier.add_again)
            self.searching.admitted(waiting.source_id, found.added)
        else:
            admit(walk.batch, waiting, walk.rules, walk.add, walk.again)


@pytest.fixture
def layered(tmp_path: Path) -> Crawl:
    """Two companies, each with a page of contacts, and one page that both link to."""
    crawl = Crawl(tmp_path, LAYERS)
    crawl.shown = [A, B]
    crawl.web = {A: [f"{A}1", f"{A}2", f"{B}both"], B: [f"{B}1", f"{B}both"]}
    crawl.web |= {url: [] for url in (f"{A}1", f"{A}2", f"{B}1", f"{B}both")}
    return crawl


ALL = [A, f"{A}1", f"{A}2", B, f"{B}1", f"{B}both"]


def test_every_cycle_walks_seeds_and_layers_anew_each_page_once(layered: Crawl) -> None:
    assert layered.cycle() == ALL
    assert layered.cycle() == []
    layered.web[A].append(f"{A}new")
    layered.web[f"{A}new"] = []
    assert layered.next_cycle() == sorted([*ALL, f"{A}new"])
    assert layered.counts == {"new": 1, "known": 6}
    assert layered.states == {A: "useless", B: "useless"}


def test_a_missing_page_is_gone_only_when_a_fetch_says_so(layered: Crawl) -> None:
    layered.cycle()
    layered.web[A] = [f"{B}both"]
    del layered.web[f"{A}1"]
    assert layered.next_cycle() == ALL  # both are looked at, once
    assert layered.counts == {"known": 4, "missing": 2, "gone": 1, "confirmed": 1}
    assert layered.next_cycle() == [A, B, f"{B}1", f"{B}both"]
    assert layered.counts == {"known": 4}


def test_a_page_of_two_seeds_is_missing_when_neither_reaches_it(layered: Crawl) -> None:
    layered.cycle()
    layered.web[A].remove(f"{B}both")
    layered.next_cycle()
    assert "missing" not in layered.counts
    layered.web[B].remove(f"{B}both")
    layered.next_cycle()
    assert layered.counts["missing"] == 1


def test_what_stood_behind_a_page_that_does_not_answer_is_not_judged(layered: Crawl) -> None:
    layered.cycle()
    layered.down = {A}
    assert layered.next_cycle() == [A, B, f"{B}1", f"{B}both"]
    assert "missing" not in layered.counts
    assert layered.searching.walking.not_judged() == 2
    layered.down, layered.web[A] = set(), []
    layered.next_cycle()
    assert (layered.counts["missing"], layered.counts["confirmed"]) == (2, 2)


def test_a_page_that_does_not_answer_when_it_is_to_be_confirmed_stays(layered: Crawl) -> None:
    layered.cycle()
    layered.web[A] = []
    layered.down = {f"{A}1", f"{A}2"}
    layered.next_cycle()
    assert layered.counts == {"known": 4, "missing": 2}
    layered.down = set()
    layered.next_cycle()
    assert layered.counts == {"known": 4, "missing": 2, "confirmed": 2}


def test_a_seed_that_is_not_shown_any_more_is_confirmed_with_all_it_led_to(layered: Crawl) -> None:
    layered.cycle()
    layered.shown = [B]
    del layered.web[A], layered.web[f"{A}1"]
    assert layered.next_cycle() == ALL
    assert layered.counts == {"known": 3, "missing": 3, "gone": 2, "confirmed": 1}
    assert layered.states[A] == "gone"
    assert layered.next_cycle() == [B, f"{B}1", f"{B}both"]
    layered.shown, layered.web[A], layered.web[f"{A}1"] = [A, B], [f"{A}1"], []
    assert layered.next_cycle() == [A, f"{A}1", B, f"{B}1", f"{B}both"]
    assert layered.counts == {"new": 2, "known": 3}
    assert layered.states[A] == "useless"


def test_a_page_that_is_not_modified_is_asked_for_whole(layered: Crawl) -> None:
    layered.cycle()
    layered.not_modified = {A}
    assert layered.next_cycle() == [A, *ALL]
    assert layered.counts == {"known": 6}
    assert layered.states[A] == "useless"


def test_a_page_that_is_queued_for_a_visit_is_not_queued_twice(layered: Crawl) -> None:
    layered.cycle()
    layered.visits = {AdmissionRules.from_template(layered.template, 0).look(A).address.key}
    assert not layered.next_cycle().count(A)
    assert layered.states[A] == "taken"


def test_a_page_that_is_confirmed_leads_nowhere(layered: Crawl) -> None:
    layered.cycle()
    layered.shown = [B]
    assert layered.next_cycle() == ALL
    assert layered.counts == {"known": 3, "missing": 3, "confirmed": 3}


def test_redirects_are_walked_where_they_led_to(layered: Crawl) -> None:
    layered.moved = {A: "https://www.a.cn/"}
    layered.web["https://www.a.cn/"] = layered.web.pop(A)
    assert layered.cycle() == ALL
    assert layered.next_cycle() == sorted(["https://www.a.cn/", *ALL[1:]])
    assert layered.counts == {"known": 6}


@pytest.mark.parametrize("search", ["", "strict = true"])
def test_addresses_that_lead_to_one_page_all_come_to_their_end(tmp_path: Path, search: str) -> None:
    crawl = Crawl(tmp_path, LAYERS, search)
    crawl.shown = [f"http://n{number}.cn/" for number in range(6)]
    crawl.moved = dict.fromkeys(crawl.shown[:3], A)
    crawl.web = {url: [] for url in [A, *crawl.shown[3:]]}
    for _ in range(4):
        crawl.next_cycle()
    if search:  # one after the other
        assert "taken" not in crawl.states.values()
    else:
        assert crawl.asked.count(A) == 1


@pytest.mark.parametrize("window", [1, 3])
@pytest.mark.parametrize("fetches", range(9))
def test_a_kill_at_any_moment_of_a_cycle_changes_nothing(
    layered: Crawl, fetches: int, window: int
) -> None:
    layered.cycle()
    layered.web[A] = [f"{B}both", f"{A}new"]
    layered.web[f"{A}new"] = []
    del layered.web[f"{A}1"]
    layered.window = window
    before = layered.next_cycle(kill_after=fetches)
    after = layered.cycle()
    assert {*before, *after} == {*ALL, f"{A}new"}
    assert len(before) + len(after) < len(ALL) + 1 + window
    assert layered.gone == [f"{A}1"]
    assert layered.next_cycle() == [A, f"{A}new", B, f"{B}1", f"{B}both"]
    assert layered.counts == {"known": 5}


def test_strict_deletes_at_the_end_of_a_cycle_what_was_not_reached(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, LAYERS, "strict = true")
    crawl.shown = [f"http://n{number}.cn/" for number in range(8)]
    crawl.web = {url: [f"{url}1", f"{url}2"] for url in crawl.shown}
    crawl.web |= {f"{url}{number}": [] for url in crawl.shown for number in (1, 2)}
    known: set[str] = set()
    keys = {AdmissionRules.from_template(crawl.template, 0).look(url).address.key: url for url in crawl.web}  # fmt: skip
    for cycle in range(4):
        reached = set(crawl.next_cycle())
        assert {keys[key] for key in crawl.deleted} == known - reached
        assert len(crawl.deleted) == crawl.counts["gone"]
        assert not crawl.cycle()
        assert not crawl.deleted
        known = reached
        crawl.web[crawl.shown[cycle]].pop()


def test_strict_deletes_nothing_when_an_engine_did_not_answer(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, LAYERS, "strict = true")
    crawl.shown = [f"http://n{number}.cn/" for number in range(8)]
    crawl.web = {url: [] for url in crawl.shown}
    assert crawl.next_cycle()
    crawl.stopped = True
    crawl.next_cycle()  # draws those again that it skipped
    assert not crawl.deleted


def test_searches_are_made_again_in_the_middle_of_a_run_when_they_are_due(layered: Crawl) -> None:
    layered.cycle()
    searching = layered.searching
    assert not searching.again()
    assert searching.next_due() == layered.clock.now + DAY
    layered.clock.now += DAY
    (asked,) = searching.again()
    assert searching.next_due() is None
    assert not searching.again()
    assert asked.page == 1


def test_without_layers_only_lists_of_seeds_are_read_anew(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.shown, crawl.web = [A], {A: [f"{A}1", f"{A}2"], f"{A}1": [f"{A}deep"], f"{A}2": []}
    crawl.web[f"{A}deep"] = []
    assert crawl.cycle() == [A, f"{A}1", f"{A}2", f"{A}deep"]
    crawl.web[A] = [f"{A}1"]
    assert crawl.next_cycle() == [A, f"{A}2"]
    assert crawl.counts == {"known": 2, "missing": 1, "confirmed": 1}


def forget(crawl: Crawl, *urls: str, site: str = "", again: bool = False) -> None:
    """Forget addresses, or all of a site, as a person may between two runs."""
    addresses = [crawl.rules.look(url).address for url in urls]
    store = SQLiteStore(crawl.path)
    store.own()
    store.forget({one.key for one in addresses}, site, again=again)
    store.release()


def test_what_was_forgotten_is_not_walked_to_any_more(layered: Crawl) -> None:
    layered.cycle()
    forget(layered, f"{A}1")
    assert layered.next_cycle() == [url for url in ALL if url != f"{A}1"]
    assert not layered.gone
    forget(layered, site="b.cn")
    assert layered.next_cycle() == [A, f"{A}2"]


def test_what_was_forgotten_to_be_fetched_anew_is_new_to_the_walk_that_reaches_it(
    layered: Crawl,
) -> None:
    layered.cycle()
    forget(layered, site="b.cn", again=True)
    assert layered.next_cycle() == ALL
    assert layered.counts["new"] == 3


def test_a_page_that_was_forgotten_is_not_reached_by_the_address_it_has_moved_from(
    layered: Crawl,
) -> None:
    layered.moved[f"{A}1"] = f"{A}there"
    layered.web[f"{A}there"] = []
    layered.cycle()
    forget(layered, f"{A}there")
    assert not {f"{A}1", f"{A}there"} & {*layered.next_cycle()}
