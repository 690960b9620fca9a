"""The seed sequence and its draw (C2, C5)."""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.search.seeds import (
    PRIORITIES,
    Find,
    Seed,
    SeedCount,
    SeedCounts,
    SeedSequence,
    SeedState,
    added_up,
    probability,
)
from focuscrawl.urls.sites import Partitions


def key(name: object) -> str:
    return f"{name:>032}"


def find(rank: int, engine: str = "e", query: str = "q", when: float = 0.0) -> Find:
    return Find(engine, query, rank, f"title {rank}", first_found=when, last_found=when)


def sequence(count: int = 10, *, strict: bool = True, topic: str = "t") -> SeedSequence:
    """A sequence whose first cycle has found ``count`` seeds by one search."""
    seeds = SeedSequence(topic, strict=strict, searches=1, expected=max(1, count))
    seeds.begin()
    for rank in range(1, count + 1):
        seeds.found(key(rank), f"http://{rank}.cn/", find(rank), 1)
    seeds.close()
    return seeds


def crawl(seeds: SeedSequence, useful: Iterable[int] = ()) -> list[int]:
    """Draw to the end of N; return the ranks of the seeds crawled."""
    crawled, good = [], set(useful)
    while seed := seeds.draw():
        rank = int(seed.key)
        crawled.append(rank)
        seeds.led_to(seed.key, int(rank in good))
        seeds.finished(seed.key)
    return crawled


def continued(seeds: SeedSequence) -> SeedSequence:
    """The same sequence after a restart."""
    stored = {one.key: one.to_plain() for one in seeds.seeds.values()}
    return SeedSequence(
        "t",
        strict=seeds.strict,
        searches=1,
        expected=10,
        seeds=[Seed.from_plain(key, plain) for key, plain in stored.items()],
        state=seeds.to_plain(),
    )


@pytest.mark.C5
def test_golden_probabilities_of_ten_seeds() -> None:
    expected = [0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.65, 0.60, 0.50, 0.45]
    failures, found = 0, []
    for place in range(1, 11):
        found.append(round(probability(place, failures, 10), 6))
        failures += place == 8  # the eighth gives nothing useful
    assert found == expected


@given(count=st.integers(1, 500), data=st.data())
def test_a_probability_falls_with_place_and_failures(count: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(1, count))
    failures = data.draw(st.integers(0, place - 1))
    chance = probability(place, failures, count)
    assert 0.0 <= chance < 1.0
    assert probability(place + 1, failures, count) <= chance
    assert probability(place, failures + 1, count) <= chance


@pytest.mark.C5
def test_the_coin_takes_seeds_as_often_as_the_formula_says() -> None:
    times = 3000
    taken = [0] * 10
    for topic in range(times):
        for rank in crawl(sequence(topic=str(topic)), useful=[1, 2, 3, 4, 5, 6, 7, 9, 10]):
            taken[rank - 1] += 1
    shares = [count / times for count in taken]
    # Seed 8 fails only when it is taken (0.6), so what comes after it is a mean of two cases.
    expected = [0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.6 * 0.5 + 0.4 * 0.55, 0.6 * 0.45 + 0.4 * 0.5]  # fmt: skip
    assert shares == pytest.approx(expected, abs=0.035)


def test_the_next_seed_waits_until_the_one_before_has_finished() -> None:
    seeds = sequence()
    first = seeds.draw()
    assert first is not None
    assert seeds.draw() is None
    seeds.finished(first.key)
    second = seeds.draw()
    assert second is not None
    assert second is not first


def test_nothing_is_drawn_before_every_search_is_answered() -> None:
    seeds = SeedSequence("t", strict=True, searches=1, expected=20)
    seeds.begin()
    for rank in range(1, 21):
        assert seeds.found(key(rank), "http://a.cn/", find(rank), 1) is None
    assert seeds.draw() is None
    assert seeds.place == 0
    seeds.close()
    assert len(crawl(seeds)) > 1


def test_only_seeds_crawled_to_no_use_are_failures() -> None:
    seeds = sequence(200)
    crawled = crawl(seeds, useful=range(1, 51))
    skipped = [one for one in seeds.order if one.state is SeedState.SKIPPED]
    assert seeds.failures == len([rank for rank in crawled if rank > 50])
    assert len(skipped) == 200 - len(crawled)
    states = {int(one.key): one.state for one in seeds.order}
    assert {states[rank] for rank in crawled if rank <= 50} == {SeedState.USEFUL}
    assert {states[rank] for rank in crawled if rank > 50} == {SeedState.USELESS}


def test_skipped_seeds_are_drawn_again_in_the_next_cycle_after_the_new_ones() -> None:
    seeds = sequence(40)
    crawled = crawl(seeds)
    skipped = [int(one.key) for one in seeds.order if one.state is SeedState.SKIPPED]
    assert skipped
    seeds.begin()
    seeds.found(key(99), "http://99.cn/", find(1), 1)
    seeds.close()
    assert [int(one.key) for one in seeds.order] == [99, *skipped]
    assert set(crawl(seeds)).isdisjoint(crawled)


def test_a_strict_cycle_draws_seeds_that_are_found_again_anew() -> None:
    seeds = sequence(3)
    crawl(seeds, useful=[1])
    seeds.begin()
    assert seeds.failures == 0
    seeds.found(key(1), "http://1.cn/", find(1), 1)
    assert seeds.seeds[key(1)].state is SeedState.WAITING
    assert seeds.seeds[key(1)].useful


def test_the_sequence_is_by_rank_then_by_search_and_holds_each_address_once() -> None:
    seeds = SeedSequence("t", strict=True, searches=2, expected=6)
    seeds.begin()
    for search, names in ((1, "abc"), (2, "cde")):
        for rank, name in enumerate(names, 1):
            found = find(rank, query=str(search))
            seeds.found(key(name), f"http://{name}.cn/", found, search)
    seeds.close()
    assert "".join(one.key[-1] for one in seeds.order) == "acbde"
    assert [(one.engine, one.query, one.rank) for one in seeds.seeds[key("c")].finds] == [
        ("e", "1", 3),
        ("e", "2", 1),
    ]


def test_by_default_every_seed_is_queued_at_once_the_likelier_first() -> None:
    seeds = SeedSequence("t", searches=2, expected=20)
    seeds.begin()
    queued = [
        seeds.found(
            key(f"{search}{rank:02}"), "http://a.cn/", find(rank, query=str(search)), search
        )
        for search in (1, 2)
        for rank in range(1, 11)
    ]
    priorities = [seeds.priority(one) for one in queued if one is not None]
    assert len(priorities) == 20
    assert max(priorities) == round(PRIORITIES * 0.975)
    assert min(priorities) == PRIORITIES // 2
    by_rank = sorted(zip(priorities, (one.key[-2:] for one in queued if one), strict=True))
    assert [rank for _, rank in by_rank][::-1] == sorted(rank for _, rank in by_rank)
    assert seeds.draw() is None


def test_by_default_a_seed_is_queued_once_in_each_cycle() -> None:
    seeds = SeedSequence("t", expected=10)
    for cycle in range(3):
        seeds.begin()
        for rank in (1, 2):
            found = seeds.found(key(1), "http://1.cn/", find(rank, when=cycle), 1)
            assert (found is not None) == (rank == 1)
    (one,) = seeds.seeds[key(1)].finds
    assert (one.first_found, one.last_found) == (0.0, 2.0)


def test_failures_lower_the_priority_of_later_seeds() -> None:
    seeds = SeedSequence("t", expected=10)
    seeds.begin()
    first = seeds.found(key(1), "http://1.cn/", find(1), 1)
    assert first is not None
    before = seeds.priority(first)
    seeds.finished(first.key)
    assert seeds.priority(first) == before - PRIORITIES // 20


def test_what_a_strict_cycle_skipped_is_queued_without_strict() -> None:
    seeds = sequence(40)
    crawled = crawl(seeds)
    later = continued(seeds)
    later.strict = False
    later.begin()
    queued = [int(one.key) for one in later.left_over()]
    assert sorted(queued + crawled) == list(range(1, 41))
    assert not later.left_over()
    assert all(0 <= later.priority(one) <= PRIORITIES for one in later.order)


def test_use_that_shows_late_is_not_a_failure_any_more() -> None:
    seeds = sequence(1, strict=False)
    seeds.finished(key(1))
    assert seeds.failures == 1
    seeds.led_to(key(1))
    assert seeds.failures == 0
    assert seeds.seeds[key(1)].state is SeedState.USEFUL


def test_a_seed_that_is_not_there_is_gone_whatever_it_led_to_before() -> None:
    seeds = sequence(1, strict=False)
    seeds.led_to(key(1))
    seeds.finished(key(1), gone=True)
    assert seeds.seeds[key(1)].state is SeedState.GONE
    assert seeds.failures == 0
    seeds.finished("unknown")
    seeds.led_to("unknown")


def test_where_a_seed_leads_is_known_at_the_end_of_a_walk_in_which_all_answered() -> None:
    seeds = sequence(3, strict=False)
    assert not seeds.walked
    assert seeds.walk_ended(key(1))
    seeds.walk_failed(key(2))
    assert not seeds.walk_ended(key(2))
    assert seeds.walked == continued(seeds).walked == {key(1)}
    seeds.begin()
    assert not seeds.walked


def test_seeds_that_every_search_has_stopped_showing_lead_nowhere() -> None:
    seeds = SeedSequence("t", expected=10)
    seeds.begin()
    for rank, query in ((1, "q"), (2, "q"), (2, "r"), (3, "r")):
        seeds.found(key(rank), "http://x.cn/", find(rank, query=query, when=10.0), 1)
    seeds.begin()
    seeds.found(key(3), "http://x.cn/", find(3, query="r", when=20.0), 1)
    seeds.missing("e", "q", since=20.0, now=21.0)
    assert seeds.lost == [key(1)]
    assert not seeds.walked  # another search may still show it
    seeds.close()
    assert seeds.walked == {key(1)}
    seeds.missing("e", "r", since=20.0, now=22.0)
    assert seeds.walked == set(seeds.lost) == {key(1), key(2)}


def test_results_that_a_search_no_longer_shows_are_missing_once() -> None:
    seeds = SeedSequence("t", expected=10)
    seeds.begin()
    for rank in (1, 2):
        seeds.found(key(rank), f"http://{rank}.cn/", find(rank, when=10.0), 1)
    seeds.begin()
    seeds.found(key(2), "http://2.cn/", find(1, when=20.0), 1)
    assert not seeds.missing("e", "other", since=20.0, now=21.0)
    assert [one.key for one in seeds.missing("e", "q", since=20.0, now=21.0)] == [key(1)]
    assert not seeds.missing("e", "q", since=20.0, now=22.0)
    assert seeds.seeds[key(1)].finds[0].missing_since == 21.0
    seeds.found(key(1), "http://1.cn/", find(1, when=30.0), 1)
    assert seeds.seeds[key(1)].finds[0].missing_since is None


def test_rows_are_those_of_the_results_table() -> None:
    seeds = sequence(1)
    seeds.led_to(key(1), 3)
    (row,) = seeds.seeds[key(1)].rows("metro")
    assert row == {
        "topic": "metro",
        "engine": "e",
        "query": "q",
        "url_key": key(1),
        "url": "http://1.cn/",
        "rank": 1,
        "title": "title 1",
        "snippet": "",
        "dated": None,
        "first_found": 0.0,
        "last_found": 0.0,
        "missing_since": None,
        "state": "waiting",
        "useful": 3,
    }


def test_only_what_has_changed_is_written() -> None:
    seeds = sequence(5)
    assert set(seeds.take_changed()) == set(seeds.seeds)
    assert not seeds.take_changed()
    one = seeds.draw()
    assert one is not None
    assert one.key in seeds.take_changed()
    seeds.led_to(one.key, 0)
    assert not seeds.take_changed()


@pytest.mark.C5
@given(
    count=st.integers(0, 30),
    useful=st.sets(st.integers(1, 30)),
    restarts=st.sets(st.integers(0, 60)),
)
def test_a_restart_at_any_moment_changes_nothing(
    count: int, useful: set[int], restarts: set[int]
) -> None:
    """Drawing goes on as if nothing had happened, whatever was under way."""
    expected = crawl(sequence(count), useful)
    seeds, crawled, moment = sequence(count), [], 0

    def moment_passes() -> None:
        nonlocal seeds, moment
        if moment in restarts:
            seeds = continued(seeds)
        moment += 1

    while seed := seeds.draw():
        moment_passes()
        rank = int(seed.key)
        crawled.append(rank)
        seeds.led_to(seed.key, int(rank in useful))
        seeds.finished(seed.key)
        moment_passes()
    assert crawled == expected


@given(cycles=st.lists(st.lists(st.integers(1, 12), unique=True), max_size=6), seed=st.integers())
def test_over_its_cycles_no_seed_is_lost_or_crawled_twice_in_one(
    cycles: list[list[int]], seed: int
) -> None:
    seeds = SeedSequence(str(seed), strict=True, searches=1, expected=12)
    ever: set[int] = set()
    for names in cycles:
        seeds.begin()
        for rank, name in enumerate(names, 1):
            seeds.found(key(name), "http://a.cn/", find(rank), 1)
        seeds.close()
        skipped = {int(k) for k, one in seeds.seeds.items() if one.cycle == seeds.cycle}
        crawled = crawl(seeds, useful=[n for n in names if Random(n).random() < 0.5])
        ever |= set(names)
        assert len(crawled) == len(set(crawled))
        assert set(crawled) <= skipped
    assert {int(k) for k in seeds.seeds} == ever
    left = {one.state for one in seeds.seeds.values()}
    assert left <= {SeedState.SKIPPED, SeedState.USEFUL, SeedState.USELESS}


ENDS = st.tuples(
    st.sampled_from("abc"), st.integers(0, 3), st.sampled_from(["waits", "ends", "useful"])
)
MOVES = st.tuples(st.integers(0, 3), st.integers(0, 2))


@given(st.lists(st.one_of(ENDS, MOVES), max_size=60))
def test_counts_of_seeds_add_up_whoever_holds_the_partitions(steps: list[Any]) -> None:
    processes = [SeedCounts() for _ in range(3)]
    holder = dict.fromkeys(range(4), 0)
    facts: dict[int, dict[str, list[int]]] = {partition: {} for partition in range(4)}
    waiting: Counter[tuple[str, int]] = Counter()
    useful: Counter[str] = Counter()
    for step in steps:
        match step:
            case (int(partition), int(taker)):
                gives = processes[holder[partition]]
                for (_, name), counts in gives.take_changed().items():
                    facts[int(name.split()[0])][name] = [*counts]
                gives.release(Partitions({partition}))
                everything = {name: counts for of in facts.values() for name, counts in of.items()}
                processes[taker].load(Partitions({partition}), everything)
                holder[partition] = taker
            case (seed, partition, "waits"):
                processes[holder[partition]].count(partition, seed, waiting=1)
                waiting[seed, partition] += 1
            case (seed, partition, "useful"):
                processes[holder[partition]].count(partition, seed, useful=1)
                useful[seed] += 1
            case (seed, partition, _) if waiting[seed, partition]:
                processes[holder[partition]].count(partition, seed, waiting=-1)
                waiting[seed, partition] -= 1
    sums = added_up(pair for one in processes for pair in one.sums().items())
    for seed in "abc":
        waits = sum(waiting[seed, partition] for partition in range(4))
        assert sums.get(seed, SeedCount()) == (waits, useful[seed], 0)


def test_what_is_counted_twice_for_a_moment_or_not_at_all_changes_nothing() -> None:
    sequence = SeedSequence("t", seeds=[Seed("a", "http://a.cn/", state=SeedState.TAKEN)])
    sequence.have_led_to({"a": 3, "b": 1})
    sequence.have_led_to({"a": 1})
    sequence.have_led_to({"a": 4})
    assert sequence.seeds["a"].useful == 4


@pytest.mark.C5
def test_in_the_published_form_a_seed_is_useful_by_what_its_cycle_reached() -> None:
    seeds = next_cycle(sequence(0))
    assert seeds.draw() is not None
    seeds.led_to(key(1))
    seeds.finished(key(1))
    assert (seeds.seeds[key(1)].state, seeds.failures) == (SeedState.USEFUL, 0)

    seeds = next_cycle(seeds)
    assert seeds.draw() is not None
    seeds.reach(key(1))
    assert continued(seeds).seeds[key(1)].reached == 1
    seeds.finished(key(1))
    assert (seeds.seeds[key(1)].state, seeds.failures) == (SeedState.USEFUL, 0), "it is still there"

    seeds = next_cycle(seeds)
    assert seeds.draw() is not None
    seeds.finished(key(1))
    assert (seeds.seeds[key(1)].state, seeds.failures) == (SeedState.USELESS, 1)
    assert seeds.seeds[key(1)].useful == 1, "what it led to in all is still told"


def next_cycle(seeds: SeedSequence) -> SeedSequence:
    """Search again until the coin takes the one seed there is."""
    while True:
        seeds.begin()
        seeds.found(key(1), "http://1.cn/", find(1), 1)
        seeds.close()
        copy = continued(seeds)
        if copy.draw() is not None:
            return seeds
        seeds.draw()
