"""What is remembered of sites: stored once when it has changed, read when it is asked for, given away with its partition."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.urls.sites import Partitions, partition_of

PART = "visits"
SITES = ("a.cn", "b.cn", "c.cn")
STEPS = st.lists(st.tuples(st.sampled_from(SITES), st.integers(0, 9), st.booleans()), max_size=20)


def memory() -> SiteValues[list[int]]:
    return SiteValues(PART, list, list)


def learn(known: SiteValues[list[int]], site: str, number: int, *, can_wait: bool) -> None:
    (known.get(site) or known.add(site, [])).append(number)
    known.touch(site, can_wait=can_wait)


@given(STEPS)
def test_what_was_learnt_is_known_by_the_next_run(steps: list[tuple[str, int, bool]]) -> None:
    known, learnt = memory(), dict[str, list[int]]()
    for site, number, can_wait in steps:
        learn(known, site, number, can_wait=can_wait)
        learnt.setdefault(site, []).append(number)
    stored = json.loads(json.dumps(known.changed(all_of_it=True)))
    assert stored == learnt
    assert known.changed(all_of_it=True) == {}, "each change is stored once"
    again = memory()
    again.load({site: {PART: part, "other": 1} for site, part in stored.items()})
    assert {site: again.get(site) for site in again} == learnt
    assert again.changed(all_of_it=True) == {}, "what was read has not changed"


@given(STEPS)
def test_what_can_wait_is_stored_with_what_cannot_or_at_the_end(
    steps: list[tuple[str, int, bool]],
) -> None:
    known, due = memory(), set[str]()
    for site, number, can_wait in steps:
        learn(known, site, number, can_wait=can_wait)
        due |= {site} - {site for _ in range(can_wait)}
    assert known.has_changed == bool(due)
    assert known.changed().keys() == due
    assert known.changed(all_of_it=True).keys() == {site for site, _, _ in steps} - due


@given(STEPS, st.sets(st.sampled_from(SITES)))
def test_sites_of_a_partition_that_is_given_away_are_forgotten(
    steps: list[tuple[str, int, bool]], read: set[str]
) -> None:
    known = memory()
    known.load({site: {PART: [1]} for site in SITES})
    for site in read:
        assert known.get(site) == [1]
    for site, number, can_wait in steps:
        learn(known, site, number, can_wait=can_wait)
    known.release(Partitions({partition_of(SITES[0])}))
    assert SITES[0] not in {*known}
    assert known.get(SITES[0]) is None
    assert SITES[0] not in known.changed(all_of_it=True)
    assert {*SITES[1:]} <= {*known}


def test_a_record_that_is_read_anew_replaces_what_was_known() -> None:
    known = memory()
    known.put("a.cn", [1])
    known.load({"a.cn": {PART: [2]}, "b.cn": {"other": 1}})
    assert known.get("a.cn") == [2]
    assert known.get("b.cn") is None
    assert len(known) == 1
