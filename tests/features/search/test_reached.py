"""The queue of pages that walks reach, from cycle to cycle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.search.reached import ReachedPage, ReachedPages, compare_cycles
from focuscrawl.values import Json, PageClass

pytestmark = pytest.mark.C8

A, B, C, D = b"a", b"b", b"c", b"d"

A, B, C = b"a" * 16, b"b" * 16, b"c" * 16


def test_golden_new_known_and_missing() -> None:
    cycle = compare_cycles({A: ["1"], B: ["1"], C: ["2"]}, [B, D], ["1", "2"])
    assert cycle == ([D], [B], [A, C], [])


@pytest.mark.parametrize(("strict", "missing"), [(False, [A]), (True, [A, B, C])])
def test_a_page_whose_seed_was_not_walked_is_not_judged_unless_strict(
    strict: bool, missing: list[bytes]
) -> None:
    before = {A: ["1"], B: ["2"], C: ["1", "2"]}
    cycle = compare_cycles(before, [], ["1"], strict=strict)
    assert cycle.missing == missing
    assert cycle.not_judged == [page for page in before if page not in missing]


pages = st.binary(max_size=1)


@given(
    st.dictionaries(pages, st.sets(st.sampled_from("123"))),
    st.lists(pages, unique=True),
    st.sets(st.sampled_from("123")),
    st.booleans(),
)
def test_every_page_has_one_verdict(
    before: dict[bytes, set[str]], now: list[bytes], walked: set[str], strict: bool
) -> None:
    cycle = compare_cycles(before, now, walked, strict=strict)
    assert sorted(cycle.new + cycle.known) == sorted(now)
    assert sorted(cycle.known + cycle.missing + cycle.not_judged) == sorted(before)
    assert not (strict and cycle.not_judged)


def page(name: str = "a") -> ReachedPage:
    return ReachedPage(f"http://{name}.cn/", f"http://{name}.cn", 2, page_class=PageClass.RECORD)


def queue(*reached: tuple[bytes, str, int]) -> ReachedPages:
    pages = ReachedPages()
    for key, seed, cycle in reached:
        if pages.reach(key, seed, cycle) is None:
            pages.add(key, page(), seed, cycle)
    return pages


def again(pages: ReachedPages) -> ReachedPages:
    """The same queue after a restart."""
    return ReachedPages(pages.take_changed())


def test_a_page_is_missing_only_when_none_of_its_seeds_reaches_it_any_more() -> None:
    pages = queue((A, "1", 1), (A, "2", 1), (B, "1", 1), (C, "1", 1), (C, "1", 2))
    assert pages.compare(["1"], {"1"}, 2) == ([], [C], [B], [A])
    assert pages.compare(["2"], {"1", "2"}, 2) == ([], [], [A], [])
    pages.reach(A, "2", 2)
    assert pages.compare(["1", "2"], {"1", "2"}, 2) == ([], [A, C], [B], [])


def test_what_is_reached_for_the_first_time_is_new_in_this_cycle_only() -> None:
    pages = queue((A, "1", 1), (A, "1", 2), (B, "1", 2))
    assert pages.compare(["1"], (), 2) == ([B], [A], [], [])
    pages.reach(A, "1", 3)
    assert pages.compare(["1"], (), 3) == ([], [A], [], [B])


def test_strict_whatever_was_not_reached_in_the_cycle_is_missing() -> None:
    pages = queue((A, "1", 1), (B, "2", 1), (B, "2", 2), (C, "2", 2))
    assert pages.compare_all((), 2, strict=True) == ([C], [B], [A], [])
    assert pages.compare_all((), 2) == ([C], [B], [], [A])


def test_a_page_that_is_being_confirmed_is_not_judged_again() -> None:
    pages = queue((A, "1", 1))
    found = pages.get(A)
    assert found is not None
    pages.confirm(A, is_asked=True)
    pages = again(pages)
    assert pages.compare(["1"], {"1"}, 2) == ([], [], [], [])
    pages.leave(A, gone=True)
    assert not pages.queue()
    assert not pages.compare_all((), 2, strict=True).missing


def test_a_page_that_is_reached_again_needs_no_confirming() -> None:
    pages = queue((A, "1", 1))
    found = pages.get(A)
    assert found is not None
    found.confirming = True
    pages.reach(A, "2", 2)
    assert pages.compare(["2"], {"1", "2"}, 2).known == [A]


def test_a_page_that_left_the_queue_is_new_when_it_is_reached_again() -> None:
    pages = queue((A, "1", 1))
    pages.leave(A, gone=True)
    pages = again(pages)
    back = pages.reach(A, "1", 5)
    assert back is not None
    assert back.gone
    assert pages.compare(["1"], {"1"}, 5).new == pages.queue() == [A]
    assert pages.reach(B, "1", 5) is None


def test_a_page_is_kept_whole() -> None:
    pages = ReachedPages()
    one = ReachedPage(
        "http://a.cn/x", "http://a.cn", 3, 2, 1, None, {}, 4, 4, "b", "ff", True, True
    )
    pages.add(A, one, "1", 4)
    assert again(pages).get(A) == one
    assert not pages.take_changed()


@given(
    st.lists(
        st.tuples(st.sampled_from([A, B, C]), st.sampled_from("123"), st.booleans(), st.booleans())
    ),
    st.sets(st.sampled_from("123")),
)
def test_a_restart_at_any_moment_changes_no_verdict(
    steps: list[tuple[bytes, str, bool, bool]], walked: set[str]
) -> None:
    whole, parts = ReachedPages(), ReachedPages()
    kept: dict[str, Json] = {}
    for key, seed, second, restart in sorted(steps, key=lambda step: step[2]):
        for pages in (whole, parts):
            if pages.reach(key, seed, 1 + second) is None:
                pages.add(key, page(), seed, 1 + second)
        if restart:
            kept |= parts.take_changed()
            parts = ReachedPages(kept)
    for seed in "123":
        verdicts = [
            sorted(map(sorted, pages.compare([seed], walked, 2))) for pages in (whole, parts)
        ]
        assert verdicts[0] == verdicts[1]
    cycle = whole.compare("123", walked, 2)
    judged = cycle.new + cycle.known + cycle.missing + cycle.not_judged
    assert sorted(judged) == sorted(whole.queue())
    for key in cycle.missing:
        missing = whole.get(key)
        assert missing is not None
        assert set(missing.seeds) <= walked
