"""Pages that a cycle reaches no more (C8): missing, and gone when a fetch says so; strict: deleted."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.readers.links.admission_rules import AdmissionRules
from tests.features.search.cycles import ALL, LAYERS, A, B, Crawl

pytestmark = pytest.mark.C8


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
    assert layered.searching.missing.not_judged() == 2
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


def test_a_page_that_is_confirmed_leads_nowhere(layered: Crawl) -> None:
    layered.cycle()
    layered.shown = [B]
    assert layered.next_cycle() == ALL
    assert layered.counts == {"known": 3, "missing": 3, "confirmed": 3}


def test_strict_deletes_at_the_end_of_a_cycle_what_was_not_reached(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, LAYERS, "strict = true")
    crawl.shown = [f"http://n{number}.cn/" for number in range(8)]
    crawl.web = {url: [f"{url}1", f"{url}2"] for url in crawl.shown}
    crawl.web |= {f"{url}{number}": [] for url in crawl.shown for number in (1, 2)}
    known: set[str] = set()
    keys = {AdmissionRules.from_template(crawl.template, 0).look(url).address.key: url for url in crawl.web}  # fmt: skip
    for cycle in range(4):
        reached = set(crawl.next_cycle())
        skipped = {url for url in crawl.shown if crawl.states[url] == "skipped"}
        passed = {url for url in known if any(url.startswith(seed) for seed in skipped)}
        assert not passed & reached
        assert {keys[key] for key in crawl.deleted} == known - reached - passed
        assert len(crawl.deleted) == crawl.counts["gone"]
        assert not crawl.cycle()
        assert not crawl.deleted
        known = reached | passed
        crawl.web[crawl.shown[cycle]].pop()


def test_strict_deletes_nothing_when_an_engine_did_not_answer(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, LAYERS, "strict = true")
    crawl.shown = [f"http://n{number}.cn/" for number in range(8)]
    crawl.web = {url: [] for url in crawl.shown}
    assert crawl.next_cycle()
    crawl.stopped = True
    crawl.next_cycle()  # draws those again that it skipped
    assert not crawl.deleted
