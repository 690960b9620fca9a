"""The index of stories: the same contract for an embedded store's and for the tables that workers share."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Connection, event, inspect, text

from focuscrawl.features.stories.events import StoryReading
from focuscrawl.features.stories.index import StoryIndex
from focuscrawl.features.stories.index_tables import (
    INDEX_TABLES,
    SharedStoryTables,
    asked,
    lock,
    lock_number,
    make_tables,
)
from focuscrawl.features.stories.rows import read_members
from focuscrawl.features.stories.shared import SharedStoryIndex
from focuscrawl.stores.results.database import connect
from focuscrawl.stores.results.forgetting import delete_addresses
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.transactions import Transactions
from focuscrawl.stores.results.upsert import AtOnce
from focuscrawl.stores.state.protocol import Changes, StoryArticle, StoryState
from focuscrawl.stores.state.sqlite import SQLiteStore
from tests.databases import DATABASES, Database
from tests.features.stories.desk import DAY, NOW, RULES, reading, write
from tests.kinds import KINDS
from tests.opened import closed_at_end
from tests.turns import turns


class Opened(NamedTuple):
    """An index, and what writes into it."""

    store: Any
    write: Callable[[list[StoryArticle], list[StoryState]], None]


@pytest.fixture(params=["crawl file", *DATABASES, "postgresql at once"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    if request.param == "crawl file":
        store = SQLiteStore(tmp_path / "topic.crawl.db")
        store.own()
        yield Opened(
            store, lambda some, more: store.commit({0: Changes(story_articles=some, stories=more)})
        )
        store.release()
        return
    name, at_once, _ = request.param.partition(" at once")
    database: Database = request.getfixturevalue(f"{name}_database")
    engine = connect(database.url, synchronous="NORMAL", busy_timeout=30.0)
    with engine.begin() as connection:
        make_tables(connection, "food")
        tables = SharedStoryTables(connection, "food", AtOnce() if at_once else None)
        yield Opened(tables, tables.write)
    engine.dispose()


def story_article(number: int, at: float, *terms: int) -> StoryArticle:
    key = number.to_bytes(16, "big")
    return StoryArticle(number, key, at, "ab" * 16, "first", "", 1.0, "", b"\x00\xff", terms)


def test_articles_of_stories_are_found_by_their_terms_newest_first(opened: Opened) -> None:
    store = opened.store
    told = [story_article(1, 10.0, 7, 8), story_article(2, 30.0, 7), story_article(3, 20.0, 7, 9)]
    opened.write(told[:2], [])
    opened.write(told[2:], [])
    look = store.candidates
    assert asyncio.run(look([7, 9, 5], 0.0, 99.0, 10)) == [(7, 2), (7, 3), (7, 1), (9, 3)]
    assert asyncio.run(look([7], 0.0, 99.0, 2)) == [(7, 2), (7, 3)]
    assert asyncio.run(look([7], 15.0, 25.0, 10)) == [(7, 3)]
    assert asyncio.run(look([7], -float("inf"), float("inf"), 1)) == [(7, 2)]
    assert asyncio.run(look([], 0.0, 99.0, 10)) == []


def test_articles_of_stories_come_back_whole_by_number_and_by_key(opened: Opened) -> None:
    store = opened.store
    assert asyncio.run(store.last_story_article()) == 0
    told = story_article(4, 10.5, (1 << 63) - 1)
    opened.write([told], [])
    assert asyncio.run(store.story_articles([4, 5])) == {4: told}
    assert asyncio.run(store.story_article(told.key)) == told
    assert asyncio.run(store.story_article(b"no" * 8)) is None
    assert asyncio.run(store.last_story_article()) == 4


def test_an_article_told_again_loses_the_terms_it_had(opened: Opened) -> None:
    store = opened.store
    opened.write([story_article(1, 10.0, 7, 8)], [])
    grown = story_article(1, 12.0, 8, 9)
    for _ in range(2):  # a commit that is repeated changes nothing
        opened.write([grown], [])
    assert asyncio.run(store.candidates([7, 8, 9], 0.0, 99.0, 10)) == [(8, 1), (9, 1)]
    assert asyncio.run(store.candidates([8], 0.0, 11.0, 10)) == []
    assert asyncio.run(store.story_articles([1])) == {1: grown}


def test_stories_come_back_as_they_were_last_written(opened: Opened) -> None:
    store = opened.store
    story = StoryState("cd" * 16, "食品", "k", "a.example", 1.0, 2.5, 1, 0, ("a.example",))
    grown = story._replace(articles=2, sites=("a.example", "b.example"), keywords=(("抽检", 0.5),))
    opened.write([], [story])
    opened.write([], [grown])
    assert asyncio.run(store.stories([story.story_id, "ef" * 16])) == {story.story_id: grown}


class Worker:
    """One of several workers that tell stories of one topic."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.index = SharedStoryIndex(self._locked, RULES, str.split)
        results.ask_and_write(make_tables)

    async def _locked(self, work: Callable[..., Any], *, looks: bool = False) -> Any:
        question = partial(asked, work=work, looks=looks)
        ask = partial(self.results.ask_and_write, locked=None if looks else lock_number)
        found, _ = await asyncio.to_thread(ask, question)
        return found


@pytest.mark.D4
def test_workers_that_find_the_same_texts_at_once_tell_each_story_once(database: Database) -> None:
    texts = [write(number, 20) for number in range(4)]

    async def tell() -> list[Any]:
        with database.open() as one, database.open() as other:
            workers = [Worker(one), Worker(other)]
            for worker in workers:
                await worker.index.load()
            return await asyncio.gather(
                *(
                    workers[number % 2].index.tell(reading(number, texts[number % 3]))
                    for number in range(60)
                )
            )

    told = asyncio.run(tell())
    assert len({one.article.story_id for one in told}) == 3
    assert sum(not one.is_copy for one in told) == 3
    assert sorted(one.article.number for one in told) == list(range(1, 61))
    rows = database.ask("SELECT articles, copies, hosts FROM stories ORDER BY articles")
    assert [row[:2] for row in rows] == [(20, 19), (20, 19), (20, 19)]
    assert database.ask("SELECT count(*) FROM story_members") == [(60,)]


def test_a_new_article_costs_postgresql_few_round_trips(postgresql_database: Database) -> None:
    asked_for: list[str] = []

    async def tell() -> None:
        with postgresql_database.open() as results:
            worker = Worker(results)
            await worker.index.load()
            await worker.index.tell(reading(0, write(0, 20)))
            event.listen(
                results._engine,
                "before_cursor_execute",
                lambda _1, _2, sql, *_: asked_for.append(sql.split()[0]),
            )
            await worker.index.tell(reading(1, write(1, 20)))

    asyncio.run(tell())
    # how far the index goes, copies, events; the driver commits
    assert asked_for == ["BEGIN;", "SELECT", "SELECT", "SELECT", "WITH"]
    rows = postgresql_database.ask("SELECT relation FROM story_members")
    assert rows == [("first",), ("first",)]


@pytest.mark.D4
def test_with_an_index_for_each_worker_stories_are_told_more_than_once(
    database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = (tmp_path / f"{number}.crawl.db" for number in itertools.count())

    def index_of_its_own(_: object, *rules_and_cut: Any) -> StoryIndex:
        store = closed_at_end(SQLiteStore(next(files)))
        store.own()
        return StoryIndex(store, *rules_and_cut)

    monkeypatch.setattr(sys.modules[__name__], "SharedStoryIndex", index_of_its_own)
    with pytest.raises(AssertionError):
        test_workers_that_find_the_same_texts_at_once_tell_each_story_once(database)


@pytest.mark.D4
def test_a_text_told_again_stays_what_it_was(database: Database) -> None:
    async def tell() -> list[Any]:
        with database.open() as results:
            worker = Worker(results)
            await worker.index.load()
            first = await worker.index.tell(reading(1, write(1, 20)))
            assert not await worker.index.is_duplicate(reading(1, write(1, 20)))
            assert await worker.index.is_duplicate(reading(2, write(1, 20)))
            return [first, await worker.index.tell(reading(1, write(1, 20)))]

    first, again = asyncio.run(tell())
    assert again.again
    assert again.article == first.article
    assert database.ask("SELECT articles FROM stories") == [(1,)]


def told_by_many(seed: int) -> list[StoryReading]:
    """Write articles of some events, of which frequencies decide whether they are alike, and some copies."""
    luck = random.Random(seed)
    letters = [chr(0x4E00 + number) for number in range(4000)]
    words = ["".join(luck.choices(letters, k=2)) for _ in range(3000)]
    often = [1 / (place + 3) for place in range(400)]
    names = [luck.sample(words[400:], 14) for _ in range(12)]
    texts: list[list[str]] = []
    for _ in range(130):
        if texts and luck.random() < 0.1:
            texts.append(luck.choice(texts)[4:])
            continue
        event = luck.choice(names)
        said = luck.choices(words[:400], often, k=40) + luck.choices(event, k=luck.randrange(4, 9))
        luck.shuffle(said)
        texts.append(said)
    return [
        reading(number, " ".join(text), at=NOW - luck.random() * 9 * DAY)
        for number, text in enumerate(texts)
    ]


@pytest.mark.D4
@pytest.mark.parametrize("seed", [1, 2])
def test_three_workers_tell_of_each_article_what_one_index_tells(
    database: Database, tmp_path: Path, seed: int
) -> None:
    articles, luck = told_by_many(seed), random.Random(seed)
    store = SQLiteStore(tmp_path / "alone.crawl.db")
    store.own()
    alone = StoryIndex(store, RULES, str.split)

    async def heard(_: str) -> None:
        pass

    async def tell() -> tuple[list[tuple[StoryArticle, StoryArticle]], int]:
        await alone.load()
        told = []
        with database.open() as one, database.open() as two, database.open() as three:
            workers = [Worker(results) for results in (one, two, three)]
            for worker in workers:
                await worker.index.load()
            for number, article in enumerate(articles):
                # The third hears nothing for so long that what was counted is kept no more.
                worker = workers[luck.randrange(3 if number > 110 else 2)]
                by_many = await worker.index.tell(article, heard if luck.random() < 0.5 else None)
                by_one = await alone.tell(article)
                told.append((by_many.article, by_one.article))
            late = Worker(one)
            await late.index.load()
        return told, late.index.documents

    told, documents = asyncio.run(tell())
    store.release()
    assert [many for many, _ in told] == [one for _, one in told]
    assert documents == len(articles)
    relations = Counter(one.relation for _, one in told)
    assert min(relations[relation] for relation in ("first", "copy", "event")) > 5
    kept = database.ask("SELECT min(place), max(place) FROM story_counted")
    assert kept == [(51, len(articles))], "what was written as one is forgotten"


@pytest.mark.D2
def test_an_article_whose_transaction_was_repeated_counts_once(database: Database) -> None:
    class Clashing(Worker):
        async def _locked(self, work: Callable[..., Any], *, looks: bool = False) -> Any:
            def never_written(connection: Any, topic: str) -> None:
                asked(connection, topic, work)
                raise RuntimeError("clashed")

            with contextlib.suppress(RuntimeError):
                self.results.ask(never_written)
            return await super()._locked(work, looks=looks)

    async def tell() -> int:
        with database.open() as results:
            worker = Clashing(results)
            await worker.index.load()
            for number in range(60):
                await worker.index.tell(reading(number, write(number, 6)))
            return worker.index.documents

    assert asyncio.run(tell()) == 60
    assert database.ask("SELECT count(*) FROM story_index") == [(60,)]


@pytest.mark.D4
def test_of_two_equal_texts_at_once_one_is_confirmed_as_a_copy(database: Database) -> None:
    async def tell() -> list[bool]:
        said: list[bool] = []

        async def confirm(copied: str) -> None:
            await turns(10)
            said.append(bool(copied))

        with database.open() as results:
            worker = Worker(results)
            await worker.index.load()
            text = write(1, 20)
            await asyncio.gather(
                *(worker.index.tell(reading(number, text), confirm) for number in (1, 2))
            )
        return said

    assert asyncio.run(tell()) == [False, True]


@pytest.mark.parametrize("number", [None, lock_number("food")])
def test_who_waits_for_the_lock_of_a_topic_sees_what_was_stored_before_and_is_not_broken_off(
    database: Database, number: int | None
) -> None:
    with database.open() as results:
        results.ask_and_write(make_tables)
    database.tell("CREATE TABLE counted (n integer)")
    database.tell("INSERT INTO counted VALUES (0)")
    begun: list[int] = []

    def count(connection: Connection) -> None:
        begun.append(1)
        lock(connection, "food")
        (before,) = connection.execute(text("SELECT n FROM counted")).one()
        connection.execute(text(f"UPDATE counted SET n = {before + 1}"))

    def work() -> None:
        engine = connect(database.url, synchronous="NORMAL", busy_timeout=30.0)
        for _ in range(20):
            Transactions(engine)(count, locked=number)
        engine.dispose()

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(work) for _ in range(4)]:
            done.result()
    assert database.ask("SELECT n FROM counted") == [(80,)]
    assert len(begun) == 80, "some waited for each other"


@pytest.mark.D4
def test_what_the_results_have_and_the_index_has_not_keeps_its_story(database: Database) -> None:
    async def tell() -> None:
        with database.open() as results:
            worker = Worker(results)
            await worker.index.load()
            for number in (1, 2, 3):
                await worker.index.tell(reading(number, write(1, 20)))
            for table in ("story_index", "story_terms", "story_states"):
                database.tell(f"DELETE FROM {table}")
            again = Worker(results)
            await again.index.load(results.ask(read_members, more_than=0))
            for number in (1, 2):
                await again.index.tell(reading(number, write(1, 20)))

    asyncio.run(tell())
    assert len(database.ask("SELECT DISTINCT story_id FROM story_members")) == 1
    assert len(database.ask("SELECT story_id FROM stories")) == 1


@pytest.mark.D4
def test_a_copy_that_another_worker_tells_meanwhile_is_found(database: Database) -> None:
    async def tell() -> list[Any]:
        with database.open() as one, database.open() as other:
            workers = [Worker(one), Worker(other)]
            for worker in workers:
                await worker.index.load()
            said: list[Any] = []

            async def meanwhile(copied: str) -> None:
                said.extend((bool(copied), await workers[1].index.tell(reading(2, write(1, 20)))))

            return [await workers[0].index.tell(reading(1, write(1, 20)), meanwhile), *said]

    first, looked_like_a_copy, second = asyncio.run(tell())
    assert [first.is_copy, looked_like_a_copy, second.is_copy] == [True, False, False]
    assert first.article.story_id == second.article.story_id
    assert database.ask("SELECT articles, copies FROM stories") == [(2, 1)]


@pytest.mark.D4
def test_an_article_that_is_forgotten_is_no_copys_original_any_more(database: Database) -> None:
    async def tell() -> list[Any]:
        with database.open() as results:
            worker = Worker(results)
            await worker.index.load()
            for number in (1, 2, 3):
                await worker.index.tell(reading(number, write(number % 2, 20)))
            keys = [reading(number, "").key.hex() for number in (1, 2)]
            results.ask(
                lambda connection, topic: delete_addresses(
                    connection, KINDS, topic, keys, retell=True
                )
            )
            return [await worker.index.tell(reading(n, write(n % 2, 20))) for n in (4, 5)]

    told = asyncio.run(tell())
    assert [one.is_copy for one in told] == [False, False], "nothing they copy is there"
    assert database.ask("SELECT number FROM story_index ORDER BY number") == [(3,), (4,), (5,)]
    left = database.ask("SELECT DISTINCT article FROM story_terms ORDER BY article")
    assert left == [(4,), (5,)]
    stories = database.ask("SELECT articles, copies, title FROM stories ORDER BY copies")
    assert len(stories) == 3
    assert stories[-1] == (1, 1, None), "only the copy of what was forgotten is left"


def test_texts_of_odd_characters_are_told_as_others(database: Database) -> None:
    odd = "食\x00品\ud800抽检\U0001f363\U00020000\udfff\x1b"

    async def tell() -> list[Any]:
        with database.open() as results:
            worker = Worker(results)
            await worker.index.load()
            texts = [odd + write(1, 20) + odd, odd + write(1, 20) + odd, odd]
            told = [
                await worker.index.tell(reading(number, text, title=odd, host=f"{number}.example"))
                for number, text in enumerate(texts)
            ]
            again = Worker(results)
            await again.index.load()
            return [*told, await again.index.tell(reading(4, texts[0], title=odd))]

    told = asyncio.run(tell())
    assert [one.is_copy for one in told] == [False, True, False, True]
    assert database.ask("SELECT count(*) FROM story_members") == [(4,)]
    titles = {str(title) for (title,) in database.ask("SELECT title FROM stories")}
    assert titles == {"食品抽检\U0001f363\U00020000"}


def test_an_index_of_an_earlier_version_gets_what_is_missing(database: Database) -> None:
    with database.open() as results:
        results.ask_and_write(make_tables)
        of_table = " ON story_index" if database.is_mariadb else ""
        database.tell(f"DROP INDEX story_index_key{of_table}")
        database.tell("ALTER TABLE story_states DROP COLUMN body")
        database.tell("DROP TABLE story_counts")
        results.ask_and_write(make_tables)
        results.ask_and_write(make_tables)
    engine = database.engine()
    looked_at = inspect(engine)
    for table in INDEX_TABLES:
        columns = {column["name"] for column in looked_at.get_columns(table.name)}
        assert columns == {*table.columns.keys()}
    assert [one["name"] for one in looked_at.get_indexes("story_index")] == ["story_index_key"]
    engine.dispose()
