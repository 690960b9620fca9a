"""Who belongs to a story, who was first, how many told it, and what two stories are that are one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.stories.events import (
    Core,
    DocumentCounts,
    StoryReading,
    StoryWords,
    begun_story,
    core_of,
    joined,
    joint_core,
    mean_likeness,
    merged_stories,
    story_id_of,
)
from focuscrawl.stores.state.protocol import StoryArticle, StoryState

pytestmark = pytest.mark.event_core

DATES = st.integers(0, 50).map(float)
MEMBERS = st.lists(
    st.tuples(DATES, st.sampled_from(["a.cn", "b.cn", "c.cn"]), st.booleans()),
    min_size=1,
    max_size=8,
)


def reading(number: int, at: float, host: str) -> StoryReading:
    keywords = ((f"词{number}", 1.0),) if number else ()
    return StoryReading(bytes([number]) * 16, host, f"题{number}", "", at, 99.0, keywords)


def told(members: list[tuple[float, str, bool]], first: int = 0) -> StoryState:
    """Return a story that these have joined; the first begins it."""
    at, host, _ = members[0]
    story = begun_story(story_id_of(bytes([first]) * 16), reading(first, at, host))
    for number, (date, site, is_copy) in enumerate(members, first):
        relation = "copy" if is_copy and number > first else "event"
        one = reading(number, date, site)
        article = StoryArticle(number, one.key, one.at, story.story_id, relation, "", 1.0, "", b"")
        story = joined(story, one, article)
    return story


@given(MEMBERS)
def test_a_story_counts_its_members_and_sites_and_names_the_earliest(
    members: list[tuple[float, str, bool]],
) -> None:
    story = told(members)
    dates = [date for date, _, _ in members]
    first = dates.index(min(dates))
    assert (story.articles, story.copies) == (
        len(members),
        sum(is_copy for _, _, is_copy in members[1:]),
    )
    assert (story.first_at, story.last_at) == (min(dates), max(dates))
    assert (story.title, story.first_host) == (f"题{first}", members[first][1])
    assert story.first_key == (bytes([first]) * 16).hex()
    assert story.sites == tuple(dict.fromkeys(host for _, host, _ in members))
    assert story.keywords == ((("词1", 1.0),) if len(members) > 1 else ())


@given(MEMBERS, MEMBERS)
def test_of_two_stories_that_are_one_the_elder_takes_all_and_the_younger_leads_to_it(
    some: list[tuple[float, str, bool]], others: list[tuple[float, str, bool]]
) -> None:
    one, other = told(some), told(others, first=100)
    elder, younger = merged_stories(one, other)
    assert (elder, younger) == merged_stories(other, one)
    assert elder.first_at == min(one.first_at, other.first_at)
    assert elder.articles == one.articles + other.articles
    assert elder.copies == one.copies + other.copies
    assert {*elder.sites} == {*one.sites, *other.sites}
    assert len({*elder.sites}) == len(elder.sites)
    assert elder.last_at == max(one.last_at, other.last_at)
    assert elder.merged_into == ""
    assert younger.merged_into == elder.story_id
    assert {elder.story_id, younger.story_id} == {one.story_id, other.story_id}


def test_no_more_than_a_thousand_sites_of_a_story_are_told_apart() -> None:
    story = told([(0.0, f"{number}.cn", False) for number in range(9)])
    story = story._replace(sites=tuple(f"{number}.cn" for number in range(999)))
    for host, sites in (("new.cn", 1000), ("newer.cn", 1000), ("5.cn", 1000)):
        one = reading(3, 0.0, host)
        story = joined(story, one, StoryArticle(1, one.key, 0.0, "", "event", "", 1.0, "", b""))
        assert len(story.sites) == sites
    assert len(merged_stories(story, told([(1.0, "other.cn", False)]))[0].sites) == 1000


# Cores --------------------------------------------------------------------------------------------

COUNTS = DocumentCounts()
WORDS = st.dictionaries(st.integers(0, 40), st.integers(1, 16), min_size=1, max_size=20)


def words(strength: dict[int, int]) -> StoryWords:
    hashes = sorted(strength)
    return StoryWords(
        np.array(hashes, np.uint32),
        np.array([strength[number] for number in hashes], np.float32),
        np.full(len(hashes), 8, np.float32),
    )


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_the_likeness_to_a_core_is_the_mean_of_those_to_its_texts_however_they_come(
    texts: list[dict[int, int]],
) -> None:
    cores = [core_of(words(text), COUNTS) for text in texts]
    joint = joint_core(cores, COUNTS)
    assert joint.texts == len(texts)
    one = words(texts[0])
    mean = sum(mean_likeness(one, core, COUNTS) for core in cores) / len(cores)
    assert mean_likeness(one, joint, COUNTS) == pytest.approx(mean, abs=1e-4)
    by_parts = joint_core([joint_core(cores[:1], COUNTS), *cores[1:]], COUNTS)
    assert mean_likeness(one, by_parts, COUNTS) == pytest.approx(mean, abs=1e-4)
    again = Core.unpacked(joint.packed())
    assert again.texts == joint.texts
    assert mean_likeness(one, again, COUNTS) == pytest.approx(mean, abs=1e-4)


def test_of_a_core_the_heaviest_words_are_kept() -> None:
    light, heavy = dict.fromkeys(range(60), 1), {100 + number: 9 for number in range(90)}
    joint = joint_core([core_of(words(light | heavy), COUNTS)], COUNTS)
    kept = {*joint.words.hashes.tolist()}
    assert len(kept) == 96
    assert kept > {*heavy}
    assert joint.words.hashes.tolist() == sorted(kept)


def test_nothing_is_like_a_core_of_no_words() -> None:
    empty, some = words({}), words({1: 3})
    assert mean_likeness(some, core_of(empty, COUNTS), COUNTS) == 0.0
    assert mean_likeness(empty, core_of(some, COUNTS), COUNTS) == 0.0
    assert mean_likeness(some, core_of(some, COUNTS), COUNTS) == pytest.approx(1.0)
