"""What the index of stories keeps over restarts and kills."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.features.stories.index import NOTE_EVERY, WORD_COUNTS
from tests.features.stories.desk import Desk, reading, write

pytestmark = pytest.mark.stories_killed


def test_frequencies_survive_a_restart(desk: Desk) -> None:
    for n in range(NOTE_EVERY):
        desk.tell(reading(n, write(n)))
    desk.commit()
    counted, pieces = desk.index.counts, desk.index.pieces
    desk.restart()
    assert desk.index.counts.documents == NOTE_EVERY
    assert desk.index.counts.counts == counted.counts
    assert desk.index.pieces.counts.tolist() == pieces.counts.tolist()
    desk.tell(reading(900, write(900)))
    assert (WORD_COUNTS, "all") not in desk.index.drain().facts
    desk.tell(reading(901, write(901)))
    assert (WORD_COUNTS, "all") in desk.index.drain(closing=True).facts


def test_what_results_know_and_the_index_lost_is_told_the_same_again(desk: Desk) -> None:
    """A kill between the two commits: results were written, the index was not."""
    text = write(1)
    first = desk.tell(reading(1, text)).article
    copied = desk.tell(reading(2, text)).article
    desk.restart()
    asyncio.run(desk.index.load([first, copied]))
    again = desk.tell(reading(2, text))  # fetched in another order
    assert (again.article.relation, again.article.story_id, again.article.like_key) == (
        "copy",
        first.story_id,
        first.key.hex(),
    )
    told = desk.tell(reading(1, text))
    assert (told.article.relation, told.article.story_id) == ("first", first.story_id)
    (story,) = told.stories
    assert (story.articles, story.copies) == (2, 1)
    assert desk.tell(reading(3, text)).article.like_key == first.key.hex()


Step = tuple[int, int] | Literal["commit", "kill"]
COMES = st.tuples(st.integers(0, 5), st.integers(0, 2))
COMMIT: st.SearchStrategy[Step] = st.just("commit")
KILL: st.SearchStrategy[Step] = st.just("kill")


@settings(max_examples=12, deadline=None)
@given(st.lists(COMES | COMMIT | KILL, max_size=16))
def test_whatever_is_killed_nothing_copies_itself_and_counts_agree(steps: list[Step]) -> None:
    """Six articles with three texts come in any order; what was committed keeps its story."""
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder) / "topic.crawl.db")
        try:
            _walk(desk, steps)
        finally:
            desk.store.release()


def _walk(desk: Desk, steps: list[Step]) -> None:
    safe: dict[bytes, str] = {}
    fresh: dict[bytes, str] = {}
    for step in steps:
        if step == "commit":
            desk.commit()
            safe |= fresh
        elif step == "kill":
            desk.restart()
            fresh = {}
        else:
            number, text = step
            told = desk.tell(reading(number, write(text))).article
            assert told.like_key != told.key.hex()
            assert told.story_id == (safe | fresh).get(told.key, told.story_id)
            fresh[told.key] = told.story_id
    desk.commit()
    members = list((safe | fresh).values())
    for story_id, story in asyncio.run(desk.store.stories(members)).items():
        assert story.articles == members.count(story_id)
