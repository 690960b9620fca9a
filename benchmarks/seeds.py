"""What drawing seeds costs (C5): the published coin flip against taking P for a priority.

Method. Worlds of 100 seeds in the order of the search results; each is useful or not, drawn with a
probability that depends on its place. *falling* goes from 0.95 to 0.1, *flat* is 0.55 throughout,
*cliff* is 0.9 up to 40 % and 0.05 after it. Both forms are the real ``SeedSequence``: strict draws
one seed at a time and tells the sequence how it ended; the default queues all and takes them by
priority. Recall is the share of useful seeds crawled, precision the share of useful ones among the
crawled; means over the worlds. Each is given for budgets of seeds that may be crawled in a cycle
(strict ends earlier when it reaches the end of N), and for the default also at the very number
strict has crawled (*same*). *cycles*: recall of strict after so many cycles that take up what was
skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import fmean
from typing import Any

from benchmarks.parts.children import arguments, finish, table
from focuscrawl.features.search.seeds import Find, SeedSequence, SeedState

COUNT = 100
WORLDS, QUICK_WORLDS = 400, 60
BUDGETS = (0.25, 0.5, 1.0)
CYCLES = 3
PROFILES: dict[str, Callable[[float], float]] = {
    "falling": lambda place: 0.95 - 0.85 * place,
    "flat": lambda place: 0.55,
    "cliff": lambda place: 0.9 if place < 0.4 else 0.05,
}


def world(profile: str, random: Random) -> list[bool]:
    """Return for each place whether its seed is useful."""
    chance = PROFILES[profile]
    return [random.random() < chance(place / (COUNT - 1)) for place in range(COUNT)]


def sequence(name: str, *, strict: bool) -> SeedSequence:
    seeds = SeedSequence(name, strict=strict, searches=1, expected=COUNT)
    seeds.begin()
    return seeds


def search(seeds: SeedSequence) -> None:
    for rank in range(1, COUNT + 1):
        find = Find("engine", "query", rank)
        seeds.found(f"{rank:032}", f"http://{rank}.example/", find, 1)
    seeds.close()


def draw(seeds: SeedSequence, useful: list[bool], budget: int) -> list[int]:
    """Strict: crawl one seed after the other; return the places crawled."""
    crawled: list[int] = []
    while len(crawled) < budget and (seed := seeds.draw()):
        place = int(seed.key)
        crawled.append(place - 1)
        seeds.led_to(seed.key, int(useful[place - 1]))
        seeds.finished(seed.key)
    return crawled


def by_priority(seeds: SeedSequence) -> list[int]:
    """Default: return all places in the order of their priorities."""
    ordered = sorted(seeds.order, key=lambda seed: -seeds.priority(seed))
    return [int(seed.key) - 1 for seed in ordered]


def measures(crawled: list[int], useful: list[bool]) -> tuple[float, float]:
    """Return recall and precision."""
    hits = sum(useful[place] for place in crawled)
    return hits / max(1, sum(useful)), hits / max(1, len(crawled))


def further_cycles(seeds: SeedSequence, useful: list[bool], crawled: list[int]) -> list[int]:
    """Go through the seeds skipped so far, as the next cycles do when a search finds nothing new."""
    for _ in range(CYCLES - 1):
        seeds.begin()
        seeds.close()
        crawled += draw(seeds, useful, COUNT)
    assert all(seed.state is not SeedState.TAKEN for seed in seeds.seeds.values())
    return crawled


def run(profile: str, worlds: int) -> dict[str, Any]:
    """Return the means of one profile."""
    found: dict[str, list[float]] = {}

    def note(name: str, crawled: list[int], useful: list[bool]) -> None:
        for kind, value in zip(("recall", "precision"), measures(crawled, useful), strict=True):
            found.setdefault(f"{name}_{kind}", []).append(value)

    for number in range(worlds):
        useful = world(profile, Random(f"{profile}/{number}"))
        default = sequence(f"{number}", strict=False)
        search(default)
        order = by_priority(default)
        for budget in BUDGETS:
            strict = sequence(f"{profile}/{number}", strict=True)
            search(strict)
            drawn = draw(strict, useful, round(budget * COUNT))
            note(f"strict_{budget:g}", drawn, useful)
            note(f"default_{budget:g}", order[: round(budget * COUNT)], useful)
            if budget == 1:
                found.setdefault("strict_share", []).append(len(drawn) / COUNT)
                note("default_same", order[: len(drawn)], useful)
                note("strict_cycles", further_cycles(strict, useful, drawn), useful)
    return {name: round(fmean(values), 4) for name, values in found.items()}


def main() -> None:
    worlds = QUICK_WORLDS if arguments(__doc__).quick else WORLDS
    result = {profile: run(profile, worlds) for profile in PROFILES}
    names = list(result["falling"])
    rows = [(name, *(result[profile][name] for profile in PROFILES)) for name in names]
    table(("measure", *PROFILES), rows)
    finish({**result, "seeds": COUNT, "worlds": worlds})


if __name__ == "__main__":
    main()
