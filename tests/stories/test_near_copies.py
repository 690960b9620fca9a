"""Near copies without stories: what a pipeline of any project asks."""

import asyncio
from pathlib import Path

import pytest

from focuscrawl.store.protocol import StoreBusy
from focuscrawl.store.sqlite import SQLiteStore
from focuscrawl.stories.index import NearCopies
from tests.stories.desk import NOW, write

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
