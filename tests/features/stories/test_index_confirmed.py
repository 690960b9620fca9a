"""Articles that are told of before it is sure that they are stored: nothing is remembered too early."""

from __future__ import annotations

import asyncio

import pytest

from focuscrawl.features.stories.events import StoryReading
from focuscrawl.features.stories.index import StoryTold
from tests.features.stories.desk import Desk, reading, write


class Asked:
    """Who is asked whether an article is stored: what is asked, and when the answer comes."""

    def __init__(self, *, fails: bool = False) -> None:
        self.copies: list[bool] = []
        self.answered = asyncio.Event()
        self._fails = fails

    async def __call__(self, copied: str) -> None:
        self.copies.append(bool(copied))
        await self.answered.wait()
        if self._fails:
            raise ValueError("it is not stored")


async def until_idle() -> None:
    """Let everything happen that can without an answer."""
    for _ in range(20):
        await asyncio.sleep(0)


def tell_two(desk: Desk, first: StoryReading, second: StoryReading, *, fails: bool) -> tuple[list[object], Asked, Asked]:  # fmt: skip
    """Tell of two articles at a time; the second is asked about before the first is answered."""
    one, other = Asked(fails=fails), Asked()
    other.answered.set()

    async def both() -> list[object]:
        tasks = [
            asyncio.ensure_future(desk.index.tell(first, one)),
            asyncio.ensure_future(desk.index.tell(second, other)),
        ]
        await until_idle()
        before = [task.done() for task in tasks]
        one.answered.set()
        return [*before, *await asyncio.gather(*tasks, return_exceptions=True)]

    return asyncio.run(both()), one, other


def test_an_article_that_is_not_stored_after_all_is_not_remembered(desk: Desk) -> None:
    asked = Asked(fails=True)
    asked.answered.set()
    with pytest.raises(ValueError, match="not stored"):
        asyncio.run(desk.index.tell(reading(1, write(1)), asked))
    assert asked.copies == [False]
    changes = desk.index.drain()
    assert not [*changes.story_articles, *changes.stories]
    assert desk.tell(reading(2, write(1))).article.relation == "first"


def test_a_copy_waits_until_its_original_is_sure_to_be_stored(desk: Desk) -> None:
    text = write(1)
    found, one, other = tell_two(desk, reading(1, text), reading(2, text), fails=False)
    is_told, waits, first, second = found
    assert (is_told, waits) == (False, False)
    assert isinstance(first, StoryTold)
    assert isinstance(second, StoryTold)
    assert (one.copies, other.copies) == ([False], [True])
    assert second.article.like_key == first.article.key.hex()


def test_a_copy_is_an_article_of_its_own_when_its_original_is_not_stored(desk: Desk) -> None:
    text = write(1)
    found, _, other = tell_two(desk, reading(1, text), reading(2, text), fails=True)
    is_told, waits, failed, second = found
    assert (is_told, waits) == (False, False)
    assert isinstance(failed, ValueError)
    assert isinstance(second, StoryTold)
    assert (second.article.relation, other.copies) == ("first", [False])


def test_other_articles_wait_for_nobody_and_tell_one_event_all_the_same(desk: Desk) -> None:
    event = "青川县霉变花生流入食堂，罗秋平说执法队封存了仓库，"
    for n in range(60):
        desk.tell(reading(100 + n, write(100 + n)))
    first = reading(1, f"{event}。{write(1, 3)}", "青川霉变花生案")
    second = reading(2, f"{write(2, 3)}。{event}", "青川霉变花生案又有进展")
    apart = [desk.tell(article).article.relation for article in (first, second)]
    assert apart == ["first", "event"], "as they are one after the other"
    other = Desk(desk.path.with_name("other.crawl.db"))
    for n in range(60):
        other.tell(reading(100 + n, write(100 + n)))
    (is_told, is_other_told, one, two), _, _ = tell_two(other, first, second, fails=False)
    assert (is_told, is_other_told) == (False, True)
    assert isinstance(one, StoryTold)
    assert isinstance(two, StoryTold)
    assert two.article.relation == "first", "it was remembered before"
    assert (one.article.relation, one.article.story_id) == ("event", two.article.story_id)
    other.store.release()


def test_the_same_article_twice_at_a_time_is_remembered_once(desk: Desk) -> None:
    article = reading(1, write(1))
    (is_told, waits, first, second), _, other = tell_two(desk, article, article, fails=False)
    assert (is_told, waits) == (False, False)
    assert isinstance(first, StoryTold)
    assert isinstance(second, StoryTold)
    assert (first.again, second.again, other.copies) == (False, True, [False])


def test_what_is_known_is_confirmed_as_what_it_is(desk: Desk) -> None:
    text = write(1)
    desk.tell(reading(1, text))
    desk.tell(reading(2, text))
    desk.commit()
    for number, is_copy in ((1, False), (2, True)):
        asked = Asked()
        asked.answered.set()
        told = asyncio.run(desk.index.tell(reading(number, text), asked))
        assert (told.again, told.is_copy, asked.copies) == (True, is_copy, [is_copy])
