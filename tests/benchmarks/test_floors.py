"""No figure of quality falls below its floor in benchmarks/floors.json.

Each benchmark runs once, at the size the file says; what it prints there is the same on every
machine, but for the ratios of times in ``words``, whose floors are far below what is seen. No floor
is looser than the target of the full run, though harvest crawls one world a profile and one seed
instead of nine crawls, freshness has 800 pages of one world and one seed, stories 200 articles in
the index and completion a backlog of 3,000. Where nothing but the published form or a rival is
pinned (``tx_0.7.staleness``, ``strict.recall``, ``complete_requests.scrapy_bfs``), the floors of
both sides together say that ours is better; a least ``lookup_ms`` only says that it was taken.

Not here: what needs pages from outside of the project (encodings, reading, quality's ``data``), times, and kill9,
whose zeros are in test_figures.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Printed

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FLOORS: dict[str, dict[str, Any]] = json.loads(
    (BENCHMARKS / "floors.json").read_text(encoding="utf-8")
)
PARTS = ["arguments", "least", "most"]


def figure(figures: Mapping[str, Any], key: str) -> float:
    """Return the number under a key; dots lead into nested objects, whose names may hold dots, too.

    Raises KeyError when there is none.
    """
    found = figures.get(key)
    if isinstance(found, int | float):
        return found
    for name, inner in figures.items():
        if isinstance(inner, dict) and key.startswith(f"{name}."):
            return figure(inner, key.removeprefix(f"{name}."))
    raise KeyError(key)


def misses(name: str, floors: Mapping[str, Any], figures: Mapping[str, Any]) -> Iterator[str]:
    """Go through what a benchmark misses, one line each: benchmark, key, floor and figure."""
    for side in ("least", "most"):
        for key, floor in floors[side].items():
            try:
                seen = figure(figures, key)
            except KeyError:
                yield f"{name} prints no number {key}, of which at {side} {floor} is asked"
                continue
            if not (seen >= floor if side == "least" else seen <= floor):
                yield f"{name}: {key} is {seen}, at {side} {floor} is asked"


@pytest.mark.program
@pytest.mark.parametrize("name", FLOORS)
def test_a_benchmark_keeps_its_floors(name: str, printed: Printed) -> None:
    floors = FLOORS[name]
    missed = list(misses(name, floors, printed(name, *floors["arguments"])))
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize("name", FLOORS)
def test_floors_are_of_a_benchmark_and_hold_it_to_something(name: str) -> None:
    assert (BENCHMARKS / f"{name}.py").is_file()
    floors = FLOORS[name]
    assert sorted(floors.keys() - {"data"}) == PARTS  # data: what the benchmark itself holds
    assert all(isinstance(one, str) for one in floors["arguments"])
    assert floors["least"] or floors["most"]
    for floor in (*floors["least"].values(), *floors["most"].values()):
        assert isinstance(floor, int | float)


def test_no_benchmark_or_key_stands_there_twice() -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), names
        return dict(pairs)

    json.loads((BENCHMARKS / "floors.json").read_text(encoding="utf-8"), object_pairs_hook=once)


def test_dots_lead_into_nested_objects_whose_names_hold_dots() -> None:
    figures = {
        "used_0.7": 1.0,
        "index_0.7": {"used": 0.5},
        "strict": {"recall": 0.25},
        "gain": True,
    }
    keys = ("used_0.7", "index_0.7.used", "strict.recall", "gain")
    assert [figure(figures, key) for key in keys] == [1.0, 0.5, 0.25, True]


@pytest.mark.parametrize("key", ["", "strict", "strict.", "recall", "strict.recal", "name", "none"])
def test_a_key_without_a_number_is_a_miss(key: str) -> None:
    figures = {"strict": {"recall": 0.25}, "name": "words", "none": None}
    for side in ("least", "most"):
        floors: dict[str, dict[str, int]] = {"least": {}, "most": {}, side: {key: 0}}
        assert list(misses("stories", floors, figures)) == [
            f"stories prints no number {key}, of which at {side} 0 is asked"
        ]


def test_a_miss_names_benchmark_key_floor_and_figure() -> None:
    floors = {"least": {"recall": 0.99, "right": 1}, "most": {"gap": 64, "lost": 0, "better": True}}
    figures = {"recall": 0.95, "right": float("nan"), "gap": 65, "lost": 0, "better": True}
    assert list(misses("stories", floors, figures)) == [
        "stories: recall is 0.95, at least 0.99 is asked",
        "stories: right is nan, at least 1 is asked",
        "stories: gap is 65, at most 64 is asked",
    ]
