"""Many topics in one process: whose turn is when."""

from __future__ import annotations

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.output.jobs.timetable import GRAVEST, Timetable, TurnPlan, gravest_status, next_turn

HOUR = 3600.0


def test_a_topic_without_every_is_crawled_once() -> None:
    table = Timetable()
    table.expect("once", TurnPlan(), 0.0)
    assert table.begin(0.0) == "once"
    assert table.begin(0.0) is None
    table.ended("once", 9.0)
    assert table.is_over()
    assert table.knows("once")


def test_a_topic_comes_again_so_long_after_its_last_run_began() -> None:
    table = Timetable()
    table.expect("news", TurnPlan(HOUR), 100.0)
    table.begin(100.0)
    assert table.seconds(100.0) == inf
    table.ended("news", 400.0)
    assert table.seconds(400.0) == HOUR - 300.0
    assert table.begin(HOUR) is None
    assert table.begin(HOUR + 100.0) == "news"


def test_a_run_longer_than_every_is_followed_at_once() -> None:
    table = Timetable()
    table.expect("news", TurnPlan(HOUR), 0.0)
    table.begin(0.0)
    table.ended("news", 3 * HOUR)
    assert table.begin(3 * HOUR) == "news"


def test_a_topic_that_is_expected_while_it_is_crawled_is_not_begun_twice() -> None:
    table = Timetable()
    table.expect("news", TurnPlan(HOUR), 0.0)
    assert table.begin(0.0) == "news"
    table.expect("news", TurnPlan(HOUR), 5.0)
    assert table.begin(6.0) is None
    assert table.seconds(6.0) == inf
    table.ended("news", 10.0)
    assert table.seconds(10.0) == HOUR - 10.0


def test_at_most_so_many_are_crawled_at_once_and_who_has_waited_longest_is_first() -> None:
    table = Timetable(most=2)
    for name, at in {"c": 3.0, "a": 1.0, "b": 2.0, "later": 99.0}.items():
        table.expect(name, TurnPlan(), at)
    assert [table.begin(10.0) for _ in range(3)] == ["a", "b", None]
    assert table.seconds(10.0) == inf, "there is no place: somebody must end first"
    table.ended("b", 11.0)
    assert table.begin(11.0) == "c"
    assert set(table.running) == {"a", "c"}


def test_the_file_that_a_run_was_begun_with_says_when_the_next_one_is() -> None:
    table = Timetable()
    table.expect("news", TurnPlan(HOUR), 0.0)
    table.begin(0.0)
    table.ended("news", 10.0, TurnPlan(60.0))
    assert table.seconds(10.0) == 50.0


def test_a_topic_whose_file_has_gone_ends_its_run_and_comes_no_more() -> None:
    table = Timetable()
    table.expect("news", TurnPlan(60.0), 0.0)
    table.begin(0.0)
    table.drop("news")
    assert not table.is_over()
    table.ended("news", 10.0)
    assert table.is_over()


def test_what_was_cut_off_goes_on_at_once() -> None:
    assert next_turn(TurnPlan(HOUR), 0.0, 60.0, was_cut_off=True) == 60.0
    assert next_turn(TurnPlan(), 0.0, 60.0, was_cut_off=True) == 60.0
    assert next_turn(TurnPlan(), 0.0, 60.0) == inf
    assert next_turn(TurnPlan(HOUR), 0.0, 60.0) == HOUR


@given(
    st.lists(st.tuples(st.sampled_from([None, 5.0, 60.0]), st.floats(0, 50)), min_size=1),
    st.integers(1, 3),
    st.lists(st.integers(1, 30), min_size=5, max_size=40),
)
def test_every_due_topic_has_its_turn_and_never_two_at_once(
    topics: list[tuple[float | None, float]], most: int, lengths: list[int]
) -> None:
    table, now, begun = Timetable(most), 0.0, dict.fromkeys(map(str, range(len(topics))), 0)
    for number, (every, at) in enumerate(topics):
        table.expect(str(number), TurnPlan(every), at)
    ends: dict[str, float] = {}
    for turn in range(400):
        for name in [name for name, at in ends.items() if at <= now]:
            del ends[name]
            table.ended(name, now)
        while due := table.begin(now):
            assert due not in ends
            begun[due] += 1
            ends[due] = now + lengths[turn % len(lengths)]
        assert len(ends) <= most
        assert sorted(ends) == sorted(table.running)
        now += 5.0
    if len(topics) <= 5:
        assert all(begun.values()), begun


def test_the_gravest_exit_status_is_the_process_s() -> None:
    assert gravest_status([]) == 0
    assert gravest_status([0, 3, 0]) == 3
    assert gravest_status([3, 5, 4]) == 4
    assert gravest_status([4, 2, 0]) == 2
    assert gravest_status([5, 2, 1, 4]) == 1
    assert gravest_status([0, 77]) == 0, "an unknown one is none of ours"
    assert sorted(GRAVEST) == [0, 1, 2, 3, 4, 5]
