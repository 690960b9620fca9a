"""What a banned folder may still give: probes, promising links, the rest of a small one."""

from __future__ import annotations

import pytest

from focuscrawl.features.explore.groups import (
    MOST_TRIES,
    PROMISING,
    SMALL,
    SPACING,
    Chances,
    Probes,
    code_of,
)

pytestmark = pytest.mark.E2


def always(group: int) -> bool:
    return True


def picks_until_due(probes: Probes, most: int = 1000) -> int:
    for number in range(most):
        if probes.due(always) is not None:
            return number
        probes.picked()
    return most


def test_a_probe_comes_fifty_picks_after_a_ban_and_each_that_fails_doubles_the_wait() -> None:
    probes = Probes()
    probes.block(7)
    for wait, relevant in ((1, False), (2, False), (4, True), (1, False)):
        assert picks_until_due(probes) == wait * SPACING
        probes.judged(7, relevant=relevant)


def test_of_all_groups_one_pick_in_fifty_is_a_probe() -> None:
    probes = Probes()
    for group in range(5):
        probes.block(group)
    assert [picks_until_due(probes) for _ in range(5)] == [SPACING] * 5
    assert picks_until_due(probes) == 1000, "each waits for its judgement"


def test_a_group_that_cannot_be_tried_now_is_tried_later_and_one_that_is_free_never() -> None:
    probes = Probes()
    probes.block(1)
    probes.block(2)
    for _ in range(SPACING):
        probes.picked()
    assert probes.due(lambda group: False) is None
    assert probes.groups() == [1, 2]
    probes.unblock(2)
    assert probes.due(always) is None
    assert picks_until_due(probes) == SPACING
    assert probes.groups() == [1]
    probes.judged(2, relevant=True)
    assert picks_until_due(probes) == 1000


def test_a_ban_that_is_heard_of_twice_plans_one_probe() -> None:
    probes = Probes()
    probes.block(1)
    for _ in range(SPACING - 1):
        probes.picked()
    probes.block(1)
    assert picks_until_due(probes) == 1


def test_links_that_name_the_topic_are_taken_until_five_in_a_row_misled() -> None:
    chances = Chances()
    good, poor = code_of(1, PROMISING, 3), code_of(1, PROMISING - 1, 3)
    assert chances.has(9, good)
    assert not chances.has(9, poor)
    for number in range(MOST_TRIES):
        assert chances.has(9, good), number
        chances.taken(9, number, good)
        chances.judged(9, number, relevant=False)
    assert not chances.has(9, good)
    assert chances.has(8, good), "another group did not mislead"


def test_one_link_that_kept_its_promise_makes_up_for_those_before() -> None:
    chances = Chances()
    good = code_of(1, PROMISING, 3)
    for number in range(3 * MOST_TRIES):
        chances.taken(9, number, good)
        chances.judged(9, number, relevant=number % MOST_TRIES == MOST_TRIES - 1)
    assert chances.has(9, good)


def test_what_ended_unjudged_and_what_promised_nothing_misleads_nobody() -> None:
    chances = Chances()
    good, poor = code_of(1, PROMISING, 3), code_of(1, PROMISING - 1, 3)
    for number in range(2 * MOST_TRIES):
        chances.taken(9, number, good if number % 2 else poor)
        if number % 2:
            chances.ended(number)
        chances.judged(9, number, relevant=False)
    assert chances.has(9, good)


@pytest.mark.parametrize(
    ("waiting", "is_read"), [(0, False), (1, True), (SMALL, True), (SMALL + 1, False)]
)
def test_the_rest_of_a_small_group_is_read_to_its_end(waiting: int, is_read: bool) -> None:
    chances = Chances()
    poor = code_of(1, PROMISING - 1, 3)
    assert chances.finishes(9, waiting) is is_read
    assert not chances.finishes(9, waiting) or not is_read, "once for each group"
    for number in range(waiting if is_read else 0):
        assert chances.has(9, poor)
        chances.taken(9, number, poor)
    assert not chances.has(9, poor)
