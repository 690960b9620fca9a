"""Near copies without stories: what a pipeline of any project asks."""

import asyncio
from pathlib import Path

import pytest

from focuscrawl.features.stories.index import ItemFields, NearCopies
from focuscrawl.stores.state.protocol import StoreBusy
from focuscrawl.stores.state.sqlite import SQLiteStore
from tests.features.stories.desk import NOW, write

pytestmark = pytest.mark.near_duplicates


def opened(path: Path) -> NearCopies:
    copies = NearCopies(SQLiteStore(path))
    asyncio.run(copies.open())
    return copies


def test_a_copy_names_the_key_of_what_was_there_first_and_how_alike_both_are(
    tmp_path: Path,
) -> None:
    copies = opened(tmp_path / "mine.db")
    text = write(1, 20)
    assert asyncio.run(copies.tell("http://a.test/网", text, NOW)) is None
    found = asyncio.run(copies.tell("http://b.test/", f"本报讯 {text}", NOW))
    assert found is not None
    assert found.key == "http://a.test/网"
    assert found.similarity > 0.9
    assert "of its text in both" in found.because or "of the other text in both" in found.because
    assert asyncio.run(copies.tell("http://c.test/", write(2, 20), NOW)) is None
    copies.close()


def test_what_was_told_is_known_though_nobody_has_closed(tmp_path: Path) -> None:
    path, text = tmp_path / "mine.db", write(1, 20)
    killed = opened(path)
    asyncio.run(killed.tell("one", text, NOW))
    with pytest.raises(StoreBusy):
        opened(path)
    killed._store.release()  # as the system does at a kill
    copies = opened(path)
    assert asyncio.run(copies.tell("one", text, NOW)) is None, "no copy of itself"
    found = asyncio.run(copies.tell("two", text, NOW))
    assert found is not None
    assert found.key == "one"
    copies.close()


def test_the_next_issue_of_a_series_is_no_copy_where_its_title_is_known(tmp_path: Path) -> None:
    copies = opened(tmp_path / "mine.db")
    form = write(1, 20)
    asyncio.run(copies.tell("12", form, NOW, "关于12批次食品抽检不合格的通告"))
    assert asyncio.run(copies.tell("13", form, NOW, "关于13批次食品抽检不合格的通告")) is None
    assert asyncio.run(copies.tell("x", form, NOW)) is not None
    copies.close()


def test_what_was_counted_is_known_to_whoever_opens_it_next(tmp_path: Path) -> None:
    copies = opened(tmp_path / "mine.db")
    for number in range(3):
        asyncio.run(copies.tell(str(number), write(number, 20), NOW))
    copies.close()
    copies = opened(tmp_path / "mine.db")
    assert copies._index.pieces.articles == 3
    copies.close()


def test_an_item_is_compared_when_it_says_something_and_can_take_the_mark() -> None:
    fields = ItemFields("url", "text", "title", "like")
    item = {"url": "http://a.test/", "text": ["one", "two", 3], "title": None}
    assert fields.words(item) == ("http://a.test/", "one\ntwo", "")
    assert fields.why_not(item, (), is_empty=False) == "", "a dict takes every field"
    assert fields.why_not(item, ("url", "text", "like"), is_empty=False) == ""
    assert "no field 'like'" in fields.why_not(item, ("url", "text"), is_empty=False)
    assert "nothing in 'url' or 'text'" in fields.why_not({"body": ""}, ("body",), is_empty=True)
    assert "'body'" in fields.why_not({"body": ""}, ("body",), is_empty=True)
    assert "only no field" in fields.why_not({}, (), is_empty=True)
