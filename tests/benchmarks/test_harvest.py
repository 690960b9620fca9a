"""The made-up worlds are the same everywhere, and the default order is worth its place in them."""

import pytest

from benchmarks.harvest import Crawl, crawl
from benchmarks.parts.strategies import STRATEGIES
from benchmarks.parts.worlds import COMMUNITIES, PROFILES, World

BY_NAME = {strategy.name: strategy for strategy in STRATEGIES}
DIGESTS = {
    "short": "42aec455d401bdba6fe2a4f8c478b8d0",
    "base": "8fb4a3b0f3bd3140cb4d8179dac63e36",
    "noisy": "ca67c3c8402582a61c9a7ca6262693a4",
    "date-dirs": "bb13cc1fb40eb94f726b152eafee9111",
    "long": "0a8621ebf4a20feb7541ff7a0dc81c64",
    "relay": "1ef54b03153d902208bec73558d39db0",
    "dated-noisy": "cfd287bacda624bc709db38d6bae67a7",
    "slugs": "673186bdf624ad516bd20695adb6e39c",
}


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_a_world_is_the_same_in_every_process(profile: object) -> None:
    (chosen,) = [one for one in PROFILES if one is profile]
    world = World(chosen, 1)
    assert world.digest() == DIGESTS[chosen.name]
    assert 19_500 < len(world.urls) < 20_500
    assert {world.community[page] for page in world.reachable} >= set(range(COMMUNITIES))


def test_the_default_order_finds_more_than_best_first_and_the_published_form() -> None:
    world = World(PROFILES[1], 1)
    areas = {
        name: crawl(world, BY_NAME[name], 0, 4_000).area(4_000)
        for name in ("ours", "best_first", "strict")
    }
    assert areas["ours"] > 1.3 * areas["best_first"]
    assert areas["ours"] > 1.3 * areas["strict"]


def test_a_crawl_that_ends_early_keeps_its_recall() -> None:
    done = Crawl([1, 2, 2], total=4, communities=1, seconds=0.0)
    assert done.area(3) == pytest.approx(5 / 12)
    assert done.area(5) == pytest.approx(9 / 20)
    assert (done.recall(1), done.recall(500)) == (0.25, 0.5)
