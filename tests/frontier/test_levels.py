"""Levels: in which one a link waits, and which is served next."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import (
    CONTENT_CLASSES,
    Factor,
    LevelOrder,
    LevelRules,
    Levels,
    is_returned,
    level_of,
)
from focuscrawl.frontier.lines import Politeness
from focuscrawl.values import PageClass, Waiting
from tests.tables import each_row

pytestmark = [pytest.mark.A3, pytest.mark.A4, pytest.mark.A7]

TOP = 5
CLASSES = st.sampled_from([None, *PageClass])
PARENTS = st.tuples(st.integers(1, TOP), st.integers(1, TOP)).map(
    lambda pair: Levels(max(pair), min(pair))
)

GOLDEN_LENGTHS = [40, 0, 8, 10, 3]  # level 1 … 5


@pytest.mark.parametrize("strict", [False, True])
def test_the_pages_of_a_board_stay_in_its_level(strict: bool) -> None:
    levels = level_of(PageClass.PAGING, PageClass.BOARD, Levels(3, 3), TOP, strict=strict)
    assert levels == (3, 3)


@pytest.mark.parametrize("strict", [False, True])
def test_an_ordinary_link_is_one_below_its_parent(strict: bool) -> None:
    for link_class in (None, PageClass.ARTICLE, PageClass.BOARD, PageClass.FEED):
        levels = level_of(link_class, PageClass.BOARD, Levels(4, 4), TOP, strict=strict)
        assert levels == (3, 3)


def test_a_level_is_never_under_one() -> None:
    assert level_of(None, PageClass.ARTICLE, Levels(1, 1), TOP) == (1, 1)


@each_row("parent_class", sorted(CONTENT_CLASSES))
@each_row("link_class", [PageClass.ARTICLE_PAGING, PageClass.FILE])
def test_returned_links_wait_in_the_top_level(
    parent_class: PageClass, link_class: PageClass
) -> None:
    assert is_returned(link_class, parent_class)
    assert level_of(link_class, parent_class, Levels(1, 1), TOP).level == TOP


def test_a_file_of_a_board_is_an_ordinary_link() -> None:
    assert level_of(PageClass.FILE, PageClass.BOARD, Levels(4, 4), TOP) == (3, 3)


@pytest.mark.parametrize(("strict", "level"), [(True, TOP - 1), (False, 1)])
def test_a_link_on_page_two_of_a_level_two_article(strict: bool, level: int) -> None:
    """The published rule gives it the top level minus one, on page 1 it is level 1 (A3)."""
    article = Levels(2, 2)
    assert level_of(None, PageClass.ARTICLE, article, TOP, strict=strict).level == 1
    page_two = level_of(PageClass.ARTICLE_PAGING, PageClass.ARTICLE, article, TOP, strict=strict)
    assert page_two.level == TOP
    link = level_of(None, PageClass.ARTICLE_PAGING, page_two, TOP, strict=strict)
    assert link.level == level


@given(st.integers(1, TOP), st.integers(2, 9))
def test_every_page_of_an_article_gives_its_links_the_same_level(start: int, pages: int) -> None:
    levels = Levels(start, start)
    first = level_of(None, PageClass.ARTICLE, levels, TOP)
    for _ in range(pages):
        levels = level_of(PageClass.ARTICLE_PAGING, PageClass.ARTICLE_PAGING, levels, TOP)
    assert level_of(None, PageClass.ARTICLE_PAGING, levels, TOP) == first


@given(CLASSES, st.sampled_from(list(PageClass)), PARENTS, st.booleans())
def test_every_level_exists(
    link_class: PageClass | None, parent_class: PageClass, parent: Levels, strict: bool
) -> None:
    level, passed_level = level_of(link_class, parent_class, parent, TOP, strict=strict)
    assert 1 <= level <= TOP
    assert 1 <= passed_level <= level


def frontier_with(rules: LevelRules | None = None, factor: Factor | None = None) -> Frontier:
    """Return an empty frontier whose sites are always ready."""
    return Frontier(
        LevelOrder(rules or LevelRules(), factor or Factor()),
        politeness=lambda site: Politeness(concurrency=100_000),
        partition_of=lambda site: 0,
        stored=lambda sequence, level: None,
        random=lambda: 0.0,
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


def of_factor(factor: float, levels: int = 5) -> LevelOrder:
    """Return the order by weight under a factor."""
    rules = LevelRules(levels=levels, strict=True)
    return LevelOrder(rules, Factor(strict=True, total=factor, boards=1))


def level_weights(lengths: list[int], factor: float) -> list[float]:
    return of_factor(factor, len(lengths)).weights(lengths, [0] * len(lengths))


def test_golden_weights_of_five_levels() -> None:
    assert level_weights(GOLDEN_LENGTHS, 2.0) == [2.5, 0, 2.0, 5.0, 3.0]
    order = LevelOrder(LevelRules(strict=True), Factor(strict=True))
    assert order.by_weight(GOLDEN_LENGTHS, [0] * 5) == [3, 4, 0, 2, 1]


def test_golden_picks_when_all_sites_are_ready_and_nothing_arrives() -> None:
    frontier = filled(strict_frontier(), GOLDEN_LENGTHS)
    golden = [4, 4, 4, 4, 5, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 5, 4, 3, 1, 1]
    assert picks(frontier, 20) == golden


def test_a_factor_under_one_turns_the_order_over() -> None:
    assert level_weights([40, 0, 8, 10, 3], 0.5) == [640, 0, 32, 20, 3]


def test_by_level_serves_the_highest_level_whatever_the_weights() -> None:
    frontier = filled(strict_frontier(by="level"), GOLDEN_LENGTHS)
    assert picks(frontier, 14) == [5] * 3 + [4] * 10 + [3]


@pytest.mark.A5
def test_counting_urls_in_flight_divides_a_levels_weight() -> None:
    order = LevelOrder(LevelRules(strict=True, count_in_flight=True), Factor(strict=True))
    assert order.by_weight(GOLDEN_LENGTHS, [0, 0, 0, 1, 0])[0] == 4


def test_ties_go_to_the_higher_level() -> None:
    order = LevelOrder(LevelRules(levels=3, strict=True), Factor(strict=True))
    assert order.by_weight([8, 4, 2], [0, 0, 0]) == [2, 1, 0]


@pytest.mark.A6
def test_strict_factor_is_two_until_measured_then_the_plain_mean() -> None:
    factor = Factor(strict=True)
    assert factor.value == 2.0
    for new_links in (10, 0, 2):
        factor.observe(new_links)
    assert factor.value == 4.0


@pytest.mark.A6
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


@pytest.mark.A6
@given(
    st.lists(st.integers(0, 50), max_size=20),
    st.lists(st.integers(0, 50), max_size=20),
    st.booleans(),
)
def test_the_factor_is_of_all_boards_whoever_has_read_them(
    ours: list[int], theirs: list[int], strict: bool
) -> None:
    alone, shared = Factor(strict=strict), Factor(strict=strict)
    for new_links in [*theirs, *ours]:
        alone.observe(new_links)
    for new_links in ours:
        shared.observe(new_links)
    shared.hear(total=sum(theirs))
    shared.hear(boards=len(theirs))
    assert shared.value == alone.value
    assert shared.measured == alone.measured


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=10),
    st.floats(1.1, 100),
)
def test_the_order_is_a_permutation_by_falling_weight(lengths: list[int], factor: float) -> None:
    found = of_factor(factor, len(lengths)).by_weight(lengths, [0] * len(lengths))
    assert sorted(found) == list(range(len(lengths)))
    by_level = level_weights(lengths, factor)
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
