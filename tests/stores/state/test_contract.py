"""The contract of every store. A new store is one more parameter of the fixture ``make_store`` (conftest)."""

import asyncio
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.stores.state.protocol import (
    FAILED,
    PARKED,
    PARTITIONS,
    WAITING,
    Changes,
    Fate,
    InboxBatch,
    Row,
    SentLink,
    Store,
    StoreBusy,
)
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import KEY_BITS, partition_of
from focuscrawl.values import Lane, PageClass, PageState, Waiting
from tests.stores.conftest import MakeStore
from tests.stores.opened_stores import leave, write

pytestmark = pytest.mark.B1


def waiting(number: int, site: str = "a.example", level: int = 3, priority: int = 0) -> Waiting:
    return Waiting(
        url=f"http://{site}/食品/{number}",
        key=number.to_bytes(16, "big"),
        site=site,
        level=level,
        passed_level=level,
        page_class=PageClass.ARTICLE,
        anchor="下一页 »",
        source_id="省级",
        priority=priority,
        request={"method": "POST", "body": b"\x00\xff", "cb_kwargs": {"页": [1, None, 2.5]}},
    )


def test_no_text_and_no_number_of_a_page_keeps_a_window_from_being_written(
    make_store: MakeStore,
) -> None:
    store = make_store()
    store.own()
    odd = waiting(1)._replace(anchor="半\ud800个", request={"meta": {"\udfff": [10**30, "\ud800"]}})
    state = page(2, 5.0)._replace(reason="\ud800", facts={"count": 10**30})
    write(
        store,
        {
            0: Changes(
                added=[Row(1, odd), Row(2, waiting(2))],
                pages=[state],
                sites={"a.example": {"part": ["\ud800"]}},
                facts={("kind", "key"): {"name": 10**30}},
            )
        },
    )
    (row, _) = store.rows(WAITING)
    assert row.waiting.anchor == "半个"
    assert row.waiting.request == {"meta": {"": [str(10**30), ""]}}
    assert asyncio.run(store.pages([state.key]))[state.key].facts == {"count": str(10**30)}
    assert asyncio.run(store.facts("kind")) == {"key": {"name": str(10**30)}}
    assert asyncio.run(store.sites(["a.example"])) == {"a.example": {"part": [""]}}


def page(number: int, next_visit: float | None) -> PageState:
    key = number.to_bytes(16, "big")
    return PageState(
        key, f"http://a.example/{number}", "a.example", PageClass.BOARD, 4, 1.0, 2.0, next_visit, 3
    )


def test_a_store_owns_all_its_partitions_and_nobody_else_does(make_store: MakeStore) -> None:
    first, second = make_store(), make_store()
    assert list(first.own()) == list(range(PARTITIONS))
    if second.is_shared:
        assert list(second.own()) == []
    else:
        with pytest.raises(StoreBusy, match="already running"):
            second.own()
    leave(first)
    if second.is_shared:
        leave(second)
        second = make_store()
    assert list(second.own()) == list(range(PARTITIONS))


def test_rows_come_back_whole_and_in_order(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    rows = [
        Row(1, waiting(1)),
        Row(2, waiting(2, "b.example", 5, priority=-7)),
        Row(3, waiting(3), FAILED, 2, 10.0, 99.5, "timeout"),
        Row(4, waiting(4), PARKED, reason="deny"),
        Row(5, waiting(5), FAILED, 1, 10.0, None, "503"),
    ]
    write(store, {0: Changes(added=rows[:1]), 63: Changes(added=rows[1:], seen=[7, 2**64 - 1])})
    leave(store)
    again = make_store()
    again.own()
    loaded = asyncio.run(again.load(range(PARTITIONS)))
    numbers = {name: number for number, name in enumerate(loaded.sites)}
    a, b = numbers["a.example"], numbers["b.example"]
    assert list(loaded.runs) == [(a, 3, [1])]
    assert list(loaded.places) == [(2, b, 5, -7, 0)]
    assert sorted(loaded.aside) == [
        (3, a, 3, 0, FAILED, 99.5, 0),
        (4, a, 3, 0, PARKED, None, 0),
        (5, a, 3, 0, FAILED, None, 0),
    ]
    assert b"".join(loaded.seen) == (7).to_bytes(8, "little") + b"\xff" * 8
    assert loaded.next_sequence == 6 or again.is_shared
    for row in rows:
        assert again.read(row.sequence, row.waiting.level) == row
    assert again.read(6, 3) is None
    assert list(again.rows(FAILED)) == [rows[2], rows[4]]
    assert list(again.rows(PARKED)) == [rows[3]]
    assert list(again.rows(WAITING)) == rows[:2]


def test_rows_that_follow_each_other_in_one_line_are_loaded_as_one_run(
    make_store: MakeStore,
) -> None:
    store = make_store()
    store.own()
    lines = [("a.example", 3), ("a.example", 3), ("a.example", 2), ("b.example", 2)]
    rows = [
        Row(number, waiting(number, site, level)) for number, (site, level) in enumerate(lines, 1)
    ]
    between = Row(5, waiting(5, "b.example", 2, priority=1))
    last = Row(6, waiting(6, "b.example", 2))
    write(store, {0: Changes(added=[*rows, between, last])})
    loaded = asyncio.run(store.load(range(PARTITIONS)))
    runs = [(loaded.sites[run.site], run.level, run.sequences) for run in loaded.runs]
    assert runs == [
        ("a.example", 3, [1, 2]),
        ("a.example", 2, [3]),
        ("b.example", 2, [4, 6]),
    ]
    assert [sequence for sequence, *_ in loaded.places] == [5]


def test_rows_that_explore_are_loaded_by_folder_and_those_with_a_priority_alone(
    make_store: MakeStore,
) -> None:
    store = make_store()
    store.own()
    told = [("a.example", 2**32 - 1, 3), ("b.example", 0, 3), ("a.example", 2**32 - 1, 3),
            ("a.example", 2**32 - 1, 2)]  # fmt: skip
    rows = [
        Row(
            number,
            waiting(number, site, level)._replace(
                explore=True, folder=folder, step=63, score=number / 5
            ),
        )
        for number, (site, folder, level) in enumerate(told, 1)
    ]
    urgent = rows[0].waiting._replace(url="http://a.example/urgent", priority=9)
    write(store, {0: Changes(added=[*rows, Row(5, urgent)])})
    loaded = asyncio.run(store.load(range(PARTITIONS)))
    promises = {row.sequence: Lane.of(row.waiting).promise(row.sequence) for row in rows}
    assert list(loaded.runs) == []
    assert sorted((loaded.sites[one.site], *one[1:]) for one in loaded.folders) == [
        ("a.example", 2**32 - 1, 2, [promises[4]]),
        ("a.example", 2**32 - 1, 3, [promises[1], promises[3]]),
        ("b.example", 0, 3, [promises[2]]),
    ]
    (place,) = loaded.places
    assert (place[0], place[3:]) == (5, (9, Lane.of(urgent).packed()))


def test_a_moved_row_replaces_the_old_one(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    row = Row(9, waiting(9))
    write(store, {0: Changes(added=[row])})
    moved = row._replace(waiting=row.waiting._replace(level=1), state=PARKED, reason="scope")
    write(store, {0: Changes(moved=[moved])})
    assert store.read(9, 1) == moved
    assert list(store.rows(WAITING)) == []


def test_rows_are_read_as_the_last_commit_left_them_whatever_was_read_before(
    make_store: MakeStore,
) -> None:
    store = make_store()
    store.own()
    rows = [Row(number, waiting(number)) for number in range(1, 7)]
    write(store, {0: Changes(added=rows)})
    assert store.read(1, 3) == rows[0]
    parked = rows[1]._replace(state=PARKED, reason="scope")
    lower = rows[2]._replace(waiting=rows[2].waiting._replace(level=1))
    write(store, {0: Changes(moved=[parked, lower], removed=[4])})
    assert store.read(2, 3) == parked
    assert store.read(3, 3) == store.read(3, 1) == lower
    assert store.read(4, 3) is None
    assert store.read(5, 3) == store.read(5, 3) == rows[4]
    store.clear()
    assert store.read(6, 3) is None


def test_a_removed_row_is_gone_and_its_number_is_never_used_again(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    write(store, {5: Changes(added=[Row(41, waiting(1)), Row(42, waiting(2))])})
    write(store, {5: Changes(removed=[42])})
    assert store.read(41, 3) == Row(41, waiting(1))
    assert store.read(42, 3) is None
    leave(store)
    again = make_store()
    again.own()
    assert (
        asyncio.run(again.load(range(PARTITIONS))).next_sequence == 43
        or again.draw().start >= store.top() > 42
    )


def test_a_store_that_is_cleared_knows_nothing_and_can_be_used(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    write(
        store,
        {
            0: Changes(
                added=[Row(number, waiting(number)) for number in (1, 2, 3)],
                seen=[1, 2, 3],
                pages=[page(4, 5.0)],
                sites={"a.example": {"delay": 1.0}},
                facts={("kind", "key"): 1},
            )
        },
    )
    store.clear()
    for one in (store, None):
        if one is None:
            leave(store)
            one = make_store()
            one.own()
        loaded = asyncio.run(one.load(range(PARTITIONS)))
        assert (loaded.sites, [*loaded.runs], [*loaded.seen], loaded.records) == ([], [], [], {})
        assert list(one.rows(WAITING)) == []
        assert asyncio.run(one.pages([b"\0" * 15 + b"\4"])) == {}
        assert asyncio.run(one.facts("kind")) == {}
        write(one, {0: Changes(added=[Row(loaded.next_sequence, waiting(9))], seen=[9])})
        write(one, {0: Changes(removed=[loaded.next_sequence])})
        one.clear()


def test_a_url_may_come_and_go_in_one_commit(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    write(store, {0: Changes(added=[Row(1, waiting(1))], removed=[1], seen=[5])})
    assert store.read(1, 3) is None


def test_due_pages_come_earliest_first_and_only_when_due(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    pages = [page(1, 30.0), page(2, None), page(3, 10.0), page(4, 20.0)]
    write(store, {0: Changes(pages=pages)})
    assert asyncio.run(store.due(25.0, 10)) == [pages[2], pages[3]]
    assert asyncio.run(store.due(25.0, 1)) == [pages[2]]
    assert asyncio.run(store.due(5.0, 10)) == []
    write(store, {0: Changes(pages=[page(3, None)])})
    assert asyncio.run(store.due(25.0, 10)) == [pages[3]]


def test_pages_with_and_without_a_date_are_counted_and_read_apart(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    dates = (10.0, None, 20.0, None, 30.0, None)
    pages = [page(number, date) for number, date in enumerate(dates)]
    write(store, {0: Changes(pages=pages)})
    assert [asyncio.run(store.due_count(now)) for now in (5.0, 20.0, inf)] == [0, 2, 3]
    ended = sorted((pages[1], pages[3], pages[5]), key=lambda page: page.key)
    assert asyncio.run(store.undated(2)) == ended[:2]
    assert asyncio.run(store.undated(10, ended[0].key)) == ended[1:]
    write(store, {0: Changes(pages=[ended[0]._replace(next_visit=1.0)])})
    assert asyncio.run(store.undated(10)) == ended[1:]


def test_pages_without_a_date_come_by_how_long_they_were_not_seen(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    seen = {0: 30.0, 1: 10.0, 2: 20.0, 3: 5.0, 4: 6.0}
    pages = [page(number, None)._replace(last_fetched=at) for number, at in seen.items()]
    pages[3] = pages[3]._replace(next_visit=99.0)
    pages[4] = pages[4]._replace(gone=7.0)
    write(store, {0: Changes(pages=pages)})
    assert asyncio.run(store.unseen(25.0, 10)) == [pages[1], pages[2]]
    assert asyncio.run(store.unseen(99.0, 2)) == [pages[1], pages[2]]
    last = (20.0, pages[2].key)
    assert asyncio.run(store.unseen(99.0, 2, last)) == [pages[0]]
    assert not asyncio.run(store.unseen(20.0, 2, last))
    assert asyncio.run(store.unseen_count()) == 3
    write(store, {0: Changes(pages=[pages[1]._replace(last_fetched=40.0)])})
    assert [one.last_fetched for one in asyncio.run(store.unseen(99.0, 9))] == [20.0, 30.0, 40.0]


def test_due_pages_are_read_on_from_any_of_them(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    pages = [page(number, 10.0 if number < 5 else 20.0) for number in (3, 1, 4, 2, 7, 6)]
    pages.append(page(8, None))
    write(store, {0: Changes(pages=pages)})
    ordered = [pages[index] for index in (1, 3, 0, 2, 5, 4)]
    assert asyncio.run(store.due(inf, 10)) == ordered
    found: list[PageState] = []
    while True:
        last = (found[-1].next_visit or 0.0, found[-1].key) if found else None
        batch = asyncio.run(store.due(inf, 2, last))
        if not batch:
            break
        found += batch
    assert found == ordered
    assert asyncio.run(store.due(15.0, 10, (10.0, pages[0].key))) == [pages[2]]
    assert asyncio.run(store.due(inf, 10, (10.0, b"\xff" * 16))) == [pages[5], pages[4]]


def test_page_states_are_found_by_key(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    state = page(1, 5.0)._replace(facts={"links": 33, "标题": "食品"})
    write(store, {0: Changes(pages=[state])})
    missing = (2).to_bytes(16, "big")
    assert asyncio.run(store.pages([state.key, missing])) == {state.key: state}


def test_each_idea_writes_only_its_part_of_a_site(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    write(store, {0: Changes(sites={"a.example": {"delay": {"seconds": 2.0}, "ban": 1}})})
    write(store, {0: Changes(sites={"a.example": {"delay": {"seconds": 9.0}}})})
    expected = {"delay": {"seconds": 9.0}, "ban": 1}
    assert asyncio.run(store.sites(["a.example", "b.example"])) == {"a.example": expected}
    assert asyncio.run(store.load(range(PARTITIONS))).records == {"a.example": expected}


def test_some_partitions_are_read_without_the_others(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    sites = ["a.example", "b.example", "c.example"]
    homes = [partition_of(site) for site in sites]
    assert len({*homes}) == len(sites)
    for number, (site, home) in enumerate(zip(sites, homes, strict=True)):
        rows = [
            Row(10 * number + 1, waiting(10 * number + 1, site)),
            Row(10 * number + 2, waiting(10 * number + 2, site, priority=4)),
            Row(10 * number + 3, waiting(10 * number + 3, site), PARKED, reason="deny"),
        ]
        changes = Changes(
            added=rows,
            seen=[home << KEY_BITS | number],
            sites={site: {"part": number}},
            facts={("gone", site): number},
        )
        write(store, {home: changes})
    chosen = {homes[0], homes[2]}
    loaded = asyncio.run(store.load(chosen))
    assert [(loaded.sites[run.site], run.sequences) for run in loaded.runs] == [
        ("a.example", [1]),
        ("c.example", [21]),
    ]
    assert [place.sequence for place in loaded.places] == [2, 22]
    assert [one.sequence for one in loaded.aside] == [3, 23]
    assert loaded.records == {"a.example": {"part": 0}, "c.example": {"part": 2}}
    numbers = [
        (homes[0] << KEY_BITS).to_bytes(8, "little"),
        (homes[2] << KEY_BITS | 2).to_bytes(8, "little"),
    ]
    assert b"".join(loaded.seen) == b"".join(numbers)
    assert asyncio.run(store.facts_in(chosen, "gone")) == {
        homes[0]: {"a.example": 0},
        homes[2]: {"c.example": 2},
    }
    assert asyncio.run(store.facts("gone", ["b.example"])) == {"b.example": 1}


def test_links_that_were_sent_wait_in_order_until_they_were_taken_in(
    make_store: MakeStore,
) -> None:
    store = make_store()
    store.own()
    one = waiting(1)._replace(request=None)
    first = SentLink(one, key_number(one.key, partition_of(one.site)))
    second = SentLink(waiting(2), 0)
    fates = [
        write(store, {3: Changes(sent=[first, second]), 5: Changes(sent=[first])}),
        write(store, {3: Changes(sent=[second])}),
    ]
    assert not any(fate.fenced or fate.rolled_back for fate in fates)
    inbox = waiting_in(store, fates)
    assert [one.links for one in inbox[5]] == [[first]]
    assert [link for one in inbox[3] for link in one.links] == [first, second, second]
    write(store, {3: Changes(taken_in=inbox[3][0].position)})
    leave(store)
    again = make_store()
    again.own()
    left = waiting_in(again, [write(again, {})])
    assert left[5] == inbox[5]
    assert left.get(3, []) == inbox[3][1:]


def waiting_in(store: Store, fates: list[Fate]) -> dict[int, list[InboxBatch]]:
    """Return what was sent into partitions and was not taken in, as it is told."""
    told = dict(asyncio.run(store.load({3, 5})).inbox)
    for fate in fates:
        for partition, batches in fate.inbox.items():
            told.setdefault(partition, []).extend(batches)
    return told


def test_facts_are_kept_by_kind_and_key_and_none_deletes(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    facts = {("rules", "hash"): "abc", ("rules", "since"): 12, ("factor", "x"): {"total": 1.5}}
    write(store, {0: Changes(facts=facts)})
    write(store, {0: Changes(facts={("rules", "hash"): None})})
    assert asyncio.run(store.facts("rules")) == {"since": 12}
    assert asyncio.run(store.facts("factor", ["x", "y"])) == {"x": {"total": 1.5}}
    assert asyncio.run(store.facts("factor", ["y"])) == {}


def test_a_commit_that_fails_writes_nothing_and_the_next_one_works(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    good = Row(1, waiting(1, "new.example"))
    bad = Row(2, waiting(2)._replace(request={"open file": object()}))
    with pytest.raises(TypeError):
        write(store, {0: Changes(added=[good], seen=[1]), 1: Changes(added=[bad])})
    assert store.read(1, 3) is None
    assert list(asyncio.run(store.load(range(PARTITIONS))).seen) == []
    write(store, {0: Changes(added=[good], seen=[1])})
    loaded = asyncio.run(store.load(range(PARTITIONS)))
    assert [loaded.sites[run.site] for run in loaded.runs] == ["new.example"]


@settings(max_examples=40)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["add", "move", "remove", "commit", "reopen"]), st.integers(0, 12)
        ),
        max_size=40,
    )
)
def test_a_store_behaves_like_a_dictionary_that_forgets_what_was_not_committed(
    steps: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("store") / "topic.crawl.db"
    store = SQLiteStore(path)
    store.own()
    kept: dict[int, Row] = {}
    rows: dict[int, Row] = {}
    changes = Changes()
    sequence = 0
    for verb, choice in steps:
        if verb == "add":
            sequence += 1
            rows[sequence] = Row(sequence, waiting(sequence, f"site{choice}.example"))
            changes.added.append(rows[sequence])
        elif verb == "move" and rows:
            moved = sorted(rows)[choice % len(rows)]
            rows[moved] = rows[moved]._replace(state=PARKED, reason=str(choice))
            changes.moved.append(rows[moved])
        elif verb == "remove" and rows:
            removed = sorted(rows)[choice % len(rows)]
            del rows[removed]
            changes.removed.append(removed)
        elif verb == "commit":
            store.commit({choice: changes})
            changes, kept = Changes(), dict(rows)
        elif verb == "reopen":
            store.release()
            store = SQLiteStore(path)
            store.own()
            changes, rows = Changes(), dict(kept)
        stored = [*store.rows(WAITING), *store.rows(PARKED)]
        assert sorted(stored) == sorted(kept.values())
    store.release()
