from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.politeness import Politeness
from focuscrawl.frontier.weights import Factor, LevelOrder, LevelRules, weights
from focuscrawl.values import Waiting

GOLDEN_LENGTHS = [40, 0, 8, 10, 3]  # level 1 … 5


def frontier_with(rules: LevelRules | None = None, factor: Factor | None = None) -> Frontier:
    """Return an empty frontier whose sites are always ready."""
    return Frontier(
        rules or LevelRules(),
        factor=factor or Factor(),
        politeness=lambda site: Politeness(concurrency=100_000),
        partition_of=lambda site: 0,
        stored=lambda sequence, level: (),
        luck=lambda: 0.0,
    )


def strict_frontier(*, by: str = "weight") -> Frontier:
    rules = LevelRules(levels=5, strict=True, by=by)  # type: ignore[arg-type]
    return frontier_with(rules, Factor(strict=True))


def filled(frontier: Frontier, lengths: list[int]) -> Frontier:
    number = 0
    for index, length in enumerate(lengths):
        for _ in range(length):
            number += 1
            url = f"http://site{number % 7}.example/{number}"
            waiting = Waiting(url, b"", f"site{number % 7}.example", index + 1, index + 1)
            assert frontier.add(waiting, number)
    return frontier


def picks(frontier: Frontier, count: int) -> list[int]:
    taken = []
    for _ in range(count):
        row = frontier.take(0.0, 0.0)
        assert row is not None
        taken.append(row.waiting.level)
    return taken


def test_golden_weights_of_five_levels() -> None:
    assert weights(GOLDEN_LENGTHS, 2.0) == [2.5, 0, 2.0, 5.0, 3.0]
    order = LevelOrder(LevelRules(strict=True), Factor(strict=True))
    assert order.by_weight(GOLDEN_LENGTHS, [0] * 5) == [3, 4, 0, 2, 1]


def test_golden_picks_when_all_sites_are_ready_and_nothing_arrives() -> None:
    frontier = filled(strict_frontier(), GOLDEN_LENGTHS)
    golden = [4, 4, 4, 4, 5, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 5, 4, 3, 1, 1]
    assert picks(frontier, 20) == golden


def test_a_factor_under_one_turns_the_order_over() -> None:
    assert weights([40, 0, 8, 10, 3], 0.5) == [640, 0, 32, 20, 3]


def test_by_level_serves_the_highest_level_whatever_the_weights() -> None:
    frontier = filled(strict_frontier(by="level"), GOLDEN_LENGTHS)
    assert picks(frontier, 14) == [5] * 3 + [4] * 10 + [3]


def test_counting_urls_in_flight_divides_a_levels_weight() -> None:
    order = LevelOrder(LevelRules(strict=True, count_in_flight=True), Factor(strict=True))
    assert order.by_weight(GOLDEN_LENGTHS, [0, 0, 0, 1, 0])[0] == 4


def test_ties_go_to_the_higher_level() -> None:
    order = LevelOrder(LevelRules(levels=3, strict=True), Factor(strict=True))
    assert order.by_weight([8, 4, 2], [0, 0, 0]) == [2, 1, 0]


def test_strict_factor_is_two_until_measured_then_the_plain_mean() -> None:
    factor = Factor(strict=True)
    assert factor.value == 2.0
    for new_links in (10, 0, 2):
        factor.observe(new_links)
    assert factor.value == 4.0


def test_default_factor_moves_slowly_and_stays_in_its_bounds() -> None:
    factor = Factor()
    assert factor.value == 2.0
    factor.observe(23)
    assert factor.value == pytest.approx(63 / 21)
    for _ in range(1000):
        factor.observe(0)
    assert factor.value == 1.5
    for _ in range(9000):
        factor.observe(100)
    assert factor.value == 8.0


def test_a_fixed_factor_is_not_measured() -> None:
    factor = Factor(fixed=3.0)
    factor.observe(100)
    assert factor.value == 3.0


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=10),
    st.floats(1.1, 100),
)
def test_the_order_is_a_permutation_by_falling_weight(lengths: list[int], factor: float) -> None:
    order = LevelOrder(LevelRules(levels=len(lengths), strict=True), Factor(fixed=factor))
    found = order.by_weight(lengths, [0] * len(lengths))
    assert sorted(found) == list(range(len(lengths)))
    by_level = weights(lengths, factor)
    for before, after in pairwise(found):
        assert by_level[before] >= by_level[after]
        if by_level[before] == by_level[after]:
            assert before > after


def test_the_default_serves_the_top_level_before_any_backlog() -> None:
    frontier = frontier_with()
    filled(frontier, [5000, 0, 0, 0, 9])
    assert picks(frontier, 9) == [5] * 9


@pytest.mark.parametrize("strict", [True, False])
def test_in_the_default_form_every_level_is_served_within_64_picks(strict: bool) -> None:
    frontier = frontier_with(LevelRules(strict=strict), Factor(strict=strict))
    filled(frontier, [400, 10, 10, 10, 400])
    taken = picks(frontier, 300)
    last = dict.fromkeys(range(1, 6), 0)
    longest = 0
    for position, level in enumerate(taken, 1):
        last[level] = position
        for other, at in last.items():
            if frontier.lengths()[other - 1]:
                longest = max(longest, position - at)
    assert (longest <= 64) is not strict


def test_no_url_of_the_lowest_level_waits_longer_than_max_wait() -> None:
    frontier = frontier_with(LevelRules(max_wait=100.0))
    filled(frontier, [3, 0, 0, 500, 0])
    frontier.order.checkpoint(10.0, frontier.next_sequence())
    assert frontier.take(0.0, 50.0).waiting.level == 4  # type: ignore[union-attr]
    overdue = [frontier.take(0.0, 111.0) for _ in range(4)]
    assert [row.waiting.level for row in overdue if row] == [1, 1, 1, 4]


def test_the_promise_of_max_wait_survives_a_restart() -> None:
    first = LevelOrder(LevelRules(max_wait=100.0), Factor())
    assert first.checkpoint(10.0, 7)
    assert not first.checkpoint(10.5, 8)
    second = LevelOrder(LevelRules(max_wait=100.0), Factor())
    second.restore(first.checkpoints())
    assert second.overdue_before(109.0) == 0
    assert second.overdue_before(110.0) == 7
