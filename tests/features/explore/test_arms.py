"""The bandit that chooses among orders."""

import json
import random
from collections import Counter

import pytest

from focuscrawl.features.explore.portfolio import Arms


def drawn(arms: Arms, times: int) -> Counter[int]:
    return Counter(arms.draw() for _ in range(times))


def test_the_arm_that_pays_is_drawn_most_and_none_is_forgotten() -> None:
    arms = Arms(3, random.Random(1))
    chances = random.Random(2)
    for _ in range(2000):
        arm = arms.draw()
        arms.judged(arm, chances.random() < (0.1, 0.6, 0.2)[arm])
    counts = drawn(arms, 1000)
    assert counts[1] > 800
    assert min(counts[0], counts[2]) > 10


def test_a_change_of_fortune_is_noticed_within_some_hundred_pages() -> None:
    arms = Arms(2, random.Random(1))
    for _ in range(1000):
        arms.judged(0, True)
        arms.judged(1, False)
    assert drawn(arms, 100)[0] > 80
    for _ in range(300):
        arms.judged(0, False)
        arms.judged(1, True)
    assert drawn(arms, 100)[1] > 80


@pytest.mark.portfolio
def test_the_first_leads_where_nothing_is_found_and_where_all_find_alike() -> None:
    for found in (0.0, 0.5):
        arms = Arms(4, random.Random(1))
        chances = random.Random(2)
        drawn_now: Counter[int] = Counter()
        for _ in range(4000):
            arm = arms.draw()
            drawn_now[arm] += 1
            arms.judged(arm, chances.random() < found)
        assert drawn_now[0] > 3600
        assert min(drawn_now.values()) > 20, "all are tried all the same"


def test_what_an_order_found_in_better_times_does_not_stand_for_it_in_a_drought() -> None:
    arms = Arms(2, random.Random(1))
    for _ in range(50):
        arms.judged(1, True)
    for _ in range(3000):
        arms.judged(0, False)
    assert drawn(arms, 1000)[0] > 900


def test_the_same_seed_draws_the_same() -> None:
    assert [Arms(3, random.Random(5)).draw() for _ in range(5)] == [
        Arms(3, random.Random(5)).draw() for _ in range(5)
    ]


def test_counts_survive_a_restart_and_those_of_other_arms_are_ignored() -> None:
    arms = Arms(2, random.Random(1))
    for _ in range(50):
        arms.judged(1, True)
    again = Arms(2, random.Random(1))
    again.restore(json.loads(json.dumps(arms.to_json())))
    assert again.to_json() == arms.to_json()
    other = Arms(3, random.Random(1))
    other.restore(arms.to_json())
    assert other.to_json() == [[0.0, 0.0]] * 3
