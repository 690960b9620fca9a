"""What a changed template does to a crawl under way."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.table import PLANNED_BY, has_other_dates, note_planned, read_since
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.frontier.table import QueuesTable
from focuscrawl.kernel.template_changes import (
    RULE,
    LastTemplate,
    TemplateChanges,
    apply_changes,
    compare,
    scaled,
)
from focuscrawl.readers.links.admission import COPIES, checked_again
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Json, Waiting
from tests.opened import closed_at_end

pytestmark = [pytest.mark.changed_levels, pytest.mark.changed_rules]

NOON = 1_795_147_200.0
LEVELS = st.integers(1, 10)
SOURCE = '[[source]]\nurl = "http://a.cn/"\n'


def template(text: str = "") -> Template:
    return load(f'topic.name = "x"\n{text}\n{SOURCE}', {}, {}).template


def last_of(topic: Template, store: SQLiteStore) -> LastTemplate:
    return asyncio.run(LastTemplate.read(topic, store))


def changes_of(topic: Template, store: SQLiteStore) -> TemplateChanges:
    return compare(last_of(topic, store).resolved, topic.resolved)


def needs_other_dates(topic: Template, store: SQLiteStore) -> bool:
    last = last_of(topic, store)
    return has_other_dates(topic, last.facts, last.resolved)


class Crawl:
    """A run of a template over a store, begun and ended by hand."""

    def __init__(self, path: Path, topic: Template) -> None:
        self.store = closed_at_end(SQLiteStore(path))
        partitions = self.store.own()
        self.rules = AdmissionRules.from_template(topic, NOON)
        self.frontier = Frontier(
            LevelOrder(LevelRules(levels=topic.of(QueuesTable).levels), Factor()),
            politeness=lambda site: Politeness(),
            partition_of=partition_of,
            stored=self.store.read,
            random=lambda: 0.0,
        )
        self.frontier.load(asyncio.run(self.store.load(partitions)), NOON)
        self.recheck_before = apply_changes(
            *(topic, last_of(topic, self.store), self.rules, self.store, self.frontier),
            now=NOON,
        )

    def add(self, *paths: str, level: int = 3) -> None:
        for path in paths:
            address = self.rules.canonicalizer.address(f"http://a.cn{path}")
            assert address is not None
            waiting = Waiting(
                address.url, address.key, address.site, level, level, parent_key=b"k" * 16, depth=1
            )
            assert self.frontier.add(waiting, address.number)

    def take(self) -> list[tuple[str, int]]:
        """Take and end everything that waits: addresses and levels."""
        taken = []
        while (row := self.frontier.take(NOON, NOON)) is not None:
            taken.append((row.waiting.url.removeprefix("http://a.cn"), row.waiting.level))
            self.frontier.acknowledge(row.sequence, NOON)
        return taken

    def end(self) -> None:
        self.store.commit(self.frontier.drain())
        self.store.release()


@pytest.mark.new_dates
def test_dates_are_worked_out_anew_until_they_have_been_whatever_is_killed(tmp_path: Path) -> None:
    before, now = template(), template('[revisit.article]\nuntil = "90d"')
    crawl = Crawl(tmp_path / "x.crawl.db", before)
    assert not needs_other_dates(before, crawl.store), "a new crawl has none"
    note_planned(before, crawl.frontier)
    crawl.end()
    for _ in ("the first run", "one after a kill"):
        again = Crawl(tmp_path / "x.crawl.db", now)
        assert needs_other_dates(now, again.store)
        again.end()
    note_planned(now, again.frontier)
    again.store.own()
    again.end()
    last = Crawl(tmp_path / "x.crawl.db", now)
    assert not needs_other_dates(now, last.store)
    assert needs_other_dates(before, last.store)
    last.end()


def test_the_same_template_changes_nothing(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "x.crawl.db", template())
    assert crawl.recheck_before == 0
    crawl.add("/1", "/2")
    crawl.end()
    again = Crawl(tmp_path / "x.crawl.db", template())
    assert again.recheck_before == 0
    assert again.take() == [("/1", 3), ("/2", 3)]
    again.end()


def as_stored_before(resolved: Json) -> Json:
    """Return a template as an earlier version has stored it, to which some keys were unknown."""
    old: Json = copy.deepcopy(resolved)
    del old["explore"]["order"], old["revisit"]["board"]["first"]
    return old


def test_keys_that_came_since_an_earlier_version_are_no_change(
    tmp_path: Path,
) -> None:
    text = (
        "[site.'a.cn']\nlevel = 2\n[site.'a.cn'.follow]\ndeny = '/b/'\n[site.'a.cn'.url]\nkeep = 'id'\n"
        "[site.'a.cn'.select]\ntitle = 'css:h1'\n[site.'a.cn'.politeness]\ndelay = '3s'\n"
    )
    topic = template(text)
    crawl = Crawl(tmp_path / "x.db", topic)
    crawl.add("/old")
    old = as_stored_before(topic.resolved)
    every = [[one["urls"], one["every"]] for one in old["source"]]
    crawl.frontier.note_fact("template", "resolved", old)
    crawl.frontier.note_fact("template", "hash", "another")
    crawl.frontier.note_fact("template", PLANNED_BY, [old["revisit"], every])
    crawl.end()
    store = SQLiteStore(tmp_path / "x.db")
    store.own()
    assert not changes_of(topic, store)
    assert not needs_other_dates(topic, store)
    last = last_of(topic, store)
    assert read_since(topic, last.facts, last.resolved, crawl.frontier, NOON) == 0.0
    changed = template(text.replace("/b/", "/c/"))
    assert changes_of(changed, store).links
    store.release()
    assert Crawl(tmp_path / "x.db", topic).recheck_before == 0, "no page is judged again"


def test_links_are_checked_again_only_when_the_rules_for_links_change(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "x.crawl.db", template())
    crawl.add("/1", "/2")
    crawl.end()
    words = Crawl(tmp_path / "x.crawl.db", template('topic.keywords = ["食品"]'))
    assert words.recheck_before == 0
    words.end()
    denied = Crawl(tmp_path / "x.crawl.db", template('follow.deny = ["/9"]'))
    assert denied.recheck_before == 3, "those that came before"
    denied.end()
    kept = Crawl(tmp_path / "x.crawl.db", template('follow.deny = ["/9"]'))
    assert kept.recheck_before == 3, "a run that ends early leaves some unchecked"
    kept.end()


def test_what_a_rule_set_aside_waits_again_when_the_rule_goes(tmp_path: Path) -> None:
    strict = template('follow.deny = ["/no/", "/never/"]')
    crawl = Crawl(tmp_path / "x.crawl.db", strict)
    crawl.add("/no/1", "/never/1", "/quota")
    reasons = iter([f"{RULE}deny", f"{RULE}deny", "quota"])
    while (row := crawl.frontier.take(NOON, NOON)) is not None:
        crawl.frontier.park(row.sequence, next(reasons), NOON)
    crawl.end()
    milder = Crawl(tmp_path / "x.crawl.db", template('follow.deny = ["/never/"]'))
    assert milder.take() == [("/no/1", 3)]
    assert milder.frontier.counts().parked == 2
    milder.end()
    same = Crawl(tmp_path / "x.crawl.db", template('follow.deny = ["/never/"]'))
    assert same.take() == []
    assert same.frontier.counts().parked == 2
    same.end()


def test_copies_that_were_set_aside_wait_again_though_their_trap_opened_in_the_same_run(
    tmp_path: Path,
) -> None:
    crawl = Crawl(tmp_path / "x.crawl.db", template())
    crawl.add("/show/1", "/quota")
    copies = crawl.rules.copies
    for number in range(60):
        copies.note(f"http://a.cn/news/{number}.html", "a.cn", b"please wait")
    assert copies.changed() == {"a.cn": {"trap": True}}
    reasons = iter([f"{RULE}{COPIES}", "quota"])
    while (row := crawl.frontier.take(NOON, NOON)) is not None:
        crawl.frontier.park(row.sequence, next(reasons), NOON)
    for number in range(1000):
        copies.note(f"http://a.cn/news/{number}.html", "a.cn", b"article %d" % number)
    assert copies.changed() == {"a.cn": {}}, "nothing says that it was a trap"
    crawl.end()
    again = Crawl(tmp_path / "x.crawl.db", template())
    assert again.take() == [("/show/1", 3)]
    assert again.frontier.counts().parked == 1
    again.end()


def test_urls_of_a_banned_host_are_set_aside_and_come_back_with_it(tmp_path: Path) -> None:
    explored = "follow.scope = 'web'\nexplore.banned = ['b.cn']"
    crawl = Crawl(tmp_path / "x.crawl.db", template("follow.scope = 'web'"))
    waiting = Waiting("http://b.cn/1", b"b" * 16, "b.cn", 3, 3, parent_key=b"k" * 16, depth=1)
    crawl.frontier.add(waiting, 7)
    crawl.end()
    banned = Crawl(tmp_path / "x.crawl.db", template(explored))
    row = banned.frontier.take(NOON, NOON)
    assert row is not None
    assert row.sequence < banned.recheck_before
    assert checked_again(row.waiting, banned.rules) == "banned"
    banned.frontier.park(row.sequence, f"{RULE}banned", NOON)
    banned.end()
    free = Crawl(tmp_path / "x.crawl.db", template("follow.scope = 'web'"))
    assert free.take() == [("http://b.cn/1", 3)]
    free.end()


@pytest.mark.added_sources
def test_a_known_address_that_becomes_a_source_is_queued_at_its_level(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "x.crawl.db", template())
    crawl.add("/list/", level=2)
    assert crawl.take() == [("/list/", 2)]
    crawl.end()
    named = template('[[source]]\nurl = "http://a.cn/list/"\nlevel = 4\n')
    more = Crawl(tmp_path / "x.crawl.db", named)
    row = more.frontier.take(NOON, NOON)
    assert row is not None
    assert (row.waiting.url, row.waiting.level, row.waiting.parent_key) == (
        "http://a.cn/list/",
        4,
        b"",
    )
    more.end()
    same = Crawl(tmp_path / "x.crawl.db", named)
    assert len(same.take()) == 1, "once only"
    same.end()


def test_levels_are_scaled_to_their_new_number(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "x.crawl.db", template())
    for level in range(1, 6):
        crawl.add(f"/{level}", level=level)
    crawl.end()
    more = Crawl(tmp_path / "x.crawl.db", template("queues.levels = 9"))
    assert more.frontier.lengths() == [1, 0, 1, 0, 1, 0, 1, 0, 1]
    more.end()
    fewer = Crawl(tmp_path / "x.crawl.db", template("queues.levels = 3"))
    assert sorted(fewer.take()) == [("/1", 1), ("/2", 1), ("/3", 2), ("/4", 3), ("/5", 3)]
    fewer.end()


@given(LEVELS, LEVELS, st.data())
def test_scaling_keeps_top_bottom_and_order(before: int, now: int, data: st.DataObject) -> None:
    level = data.draw(st.integers(1, before))
    assert 1 <= scaled(level, before, now) <= now
    assert scaled(before, before, now) == now
    if before > 1:
        assert scaled(1, before, now) == 1
    if level < before:
        assert scaled(level, before, now) <= scaled(level + 1, before, now)
    assert scaled(level, before, before) == level
