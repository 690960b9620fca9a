"""Search again (C8): walks of seeds and layers, each cycle anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.stores.state.sqlite import SQLiteStore
from tests.features.search.cycles import ALL, DAY, LAYERS, A, B, Crawl

pytestmark = pytest.mark.C8


def test_every_cycle_walks_seeds_and_layers_anew_each_page_once(layered: Crawl) -> None:
    assert layered.cycle() == ALL
    assert layered.cycle() == []
    layered.web[A].append(f"{A}new")
    layered.web[f"{A}new"] = []
    assert layered.next_cycle() == sorted([*ALL, f"{A}new"])
    assert layered.counts == {"new": 1, "known": 6}
    assert layered.states == {A: "useless", B: "useless"}


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


def test_searches_are_made_again_in_the_middle_of_a_run_when_they_are_due(layered: Crawl) -> None:
    layered.cycle()
    searching = layered.searching
    assert not searching.again(layered.clock.now).requests
    assert searching.next_due() == layered.clock.now + DAY
    layered.clock.now += DAY
    (asked,) = searching.again(layered.clock.now).requests
    assert searching.next_due() is None
    assert not searching.again(layered.clock.now).requests
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


@pytest.mark.forgetting
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
