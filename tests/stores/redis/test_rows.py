"""How a window is cut into scripts: nothing is lost, and nothing is done before all it gave is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.stores.redis import rows
from focuscrawl.stores.redis.rows import ADDED_PARTS, KNOWN_PARTS, WRITE_PARTS, Section, in_scripts

pytestmark = pytest.mark.B1

FEW = 20
"""Values in one script, so that windows of tests are cut."""

IN_PAIRS = {"links", "waiting", "aside", "pages", "sites", "facts"}


@st.composite
def sections(draw: st.DrawFn) -> list[Section]:
    """Windows whose values say where they belong."""
    found = []
    for partition in draw(st.lists(st.integers(0, 63), unique=True, max_size=4)):
        parts = {}
        for part in WRITE_PARTS:
            count = draw(st.integers(0, 15)) * (2 if part in IN_PAIRS else 1)
            parts[part] = [f"{partition} {part} {n}".encode() for n in range(count)]
        found.append(Section(partition, "7", draw(st.integers(0, 9)), parts))
    return found


@pytest.fixture(autouse=True)
def _few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "VALUES_IN_SCRIPT", FEW)


cut = given(sections())


@cut
def test_a_cut_window_holds_what_it_held_in_its_order(window: list[Section]) -> None:
    scripts = [*in_scripts(window)]
    for section in window:
        for part in WRITE_PARTS:
            written = [
                value
                for script in scripts
                for one in script
                if one.partition == section.partition
                for value in one.parts.get(part, ())
            ]
            assert written == section.parts[part]


@cut
def test_a_name_and_its_value_are_never_parted(window: list[Section]) -> None:
    for script in in_scripts(window):
        for section in script:
            assert all(len(section.parts.get(part, ())) % 2 == 0 for part in IN_PAIRS)


@cut
def test_what_is_done_comes_last_and_what_is_known_of_pages_before_it(
    window: list[Section],
) -> None:
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    taken_in = []
    scripts = [*in_scripts(window)]
    for place, script in enumerate(scripts):
        for section in script:
            for part, values in section.parts.items():
                if values:
                    kind = (
                        "added"
                        if part in ADDED_PARTS
                        else "known"
                        if part in KNOWN_PARTS
                        else "ended"
                    )
                    first.setdefault(kind, place)
                    last[kind] = place
            if section.taken_in:
                taken_in.append(place)
    order = ("added", "known", "ended")
    for earlier, later in ((0, 1), (0, 2), (1, 2)):
        if order[earlier] in last and order[later] in first:
            assert last[order[earlier]] <= first[order[later]]
    assert {*taken_in} <= {len(scripts) - 1}, "an inbox was cut before its links were rows"
    assert len(taken_in) == sum(section.taken_in > 0 for section in window)


@cut
def test_a_script_holds_up_nobody_for_long(window: list[Section]) -> None:
    *cut_off, last = in_scripts(window)
    assert all(sum(one.size() for one in script) <= FEW for script in cut_off)
    assert last or not any(section.taken_in for section in window)


@cut
def test_a_window_that_fits_is_one_script(window: list[Section]) -> None:
    if sum(section.size() for section in window) <= FEW:
        assert len([*in_scripts(window)]) == 1
