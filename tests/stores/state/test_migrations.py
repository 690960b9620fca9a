"""Crawl files of earlier versions are opened and lose nothing."""

import asyncio
import sqlite3
from pathlib import Path

import msgspec
import pytest

from focuscrawl.stores.state.protocol import PARTITIONS, Changes, Row, StoryArticle, StoryState
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_file import APPLICATION_ID
from focuscrawl.urls.sites import ALL_PARTITIONS, partition_of
from focuscrawl.values import Lane, PageClass, PageState, Waiting

VERSION_1 = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = 1;
CREATE TABLE used (sequence INTEGER NOT NULL);
INSERT INTO used VALUES (0);
CREATE TABLE facts (kind TEXT, key TEXT, value BLOB, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE sites (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, parts BLOB);
INSERT INTO sites VALUES (0, 'a.example', NULL);
CREATE TABLE urls (
    sequence INTEGER PRIMARY KEY, site INTEGER NOT NULL, level INTEGER NOT NULL,
    state INTEGER NOT NULL, next_try REAL, priority INTEGER NOT NULL, body BLOB NOT NULL);
CREATE INDEX urls_state ON urls (state) WHERE state <> 0;
CREATE TABLE seen (id INTEGER PRIMARY KEY, numbers BLOB NOT NULL);
CREATE TABLE pages (key BLOB PRIMARY KEY, next_visit REAL, body BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX pages_due ON pages (next_visit) WHERE next_visit IS NOT NULL;
"""
FIELDS_OF_VERSION_1 = 15
FIELDS_OF_A_PAGE = 11


def test_version_1_had_no_lane_of_exploration(tmp_path: Path) -> None:
    path = tmp_path / "topic.crawl.db"
    old = Waiting("http://a.example/1", b"k", "a.example", 3, 3, anchor="一")
    body = msgspec.msgpack.encode((tuple(old)[:FIELDS_OF_VERSION_1], 0, 0.0, ""))
    with sqlite3.connect(path) as database:
        database.executescript(VERSION_1)
        database.execute("INSERT INTO urls VALUES (7, 0, 3, 0, NULL, 0, ?)", (body,))
    database.close()
    store = SQLiteStore(path)
    store.own()
    exploring = old._replace(explore=True, step=4, score=0.5, folder=9)
    store.commit({0: Changes(added=[Row(8, exploring)])})
    loaded = asyncio.run(store.load(range(PARTITIONS)))
    assert list(loaded.runs) == [(0, 3, [7])]
    assert list(loaded.folders) == [(0, 9, 3, [Lane(9, 512, 4).promise(8)])]
    assert list(loaded.places) == []
    assert store.read(7, 3) == Row(7, old)
    assert store.read(8, 3) == Row(8, exploring)
    store.release()


@pytest.mark.B1
def test_pages_of_early_files_had_no_history_of_changes(tmp_path: Path) -> None:
    path = tmp_path / "topic.crawl.db"
    url = "http://a.example/"
    old = PageState(
        b"k", url, "a.example", PageClass.BOARD, 4, 1.0, 2.0, 3.0, 5, "news", {"depth": 0}
    )
    body = msgspec.msgpack.encode(tuple(old)[:FIELDS_OF_A_PAGE])
    with sqlite3.connect(path) as database:
        database.executescript(VERSION_1)
        database.execute("INSERT INTO pages VALUES (?, ?, ?)", (b"k", 3.0, body))
    database.close()
    store = SQLiteStore(path)
    store.own()
    (page,) = asyncio.run(store.due(4.0, 10))
    assert page == old
    assert (page.observed, page.changes, page.reserved, page.gone) == (0, 1, None, None)
    store.release()


def test_version_3_did_not_know_which_page_was_not_seen_for_the_longest_time(
    tmp_path: Path,
) -> None:
    path = tmp_path / "topic.crawl.db"
    made = SQLiteStore(path)
    made.own()
    made.release()
    state = PageState(
        b"", "http://a.example/", "a.example", PageClass.ARTICLE, 4, 1.0, 2.0, None, 5
    )
    old = [
        state._replace(key=b"later", last_fetched=9.0),
        state._replace(key=b"long ago", last_fetched=3.0),
        state._replace(key=b"gone", gone=8.0),
        state._replace(key=b"planned", next_visit=7.0),
    ]
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE pages")
        database.executescript(VERSION_1[VERSION_1.index("CREATE TABLE pages") :])
        database.executemany(
            "INSERT INTO pages VALUES (?, ?, ?)",
            [(one.key, one.next_visit, msgspec.msgpack.encode(one)) for one in old],
        )
        database.executescript("DROP TABLE inbox; ALTER TABLE facts DROP COLUMN partition")
        database.execute("PRAGMA user_version = 3")
    database.close()
    store = SQLiteStore(path)
    store.own()
    assert asyncio.run(store.unseen(99.0, 9)) == [old[1], old[0]]
    assert asyncio.run(store.due(99.0, 9)) == [old[3]]
    store.commit({0: Changes(pages=[old[1]._replace(next_visit=4.0)])})
    assert asyncio.run(store.unseen(99.0, 9)) == [old[0]]
    store.release()


def test_version_2_had_no_index_of_stories(tmp_path: Path) -> None:
    path = tmp_path / "topic.crawl.db"
    with sqlite3.connect(path) as database:
        database.executescript(VERSION_1)
        database.execute("ALTER TABLE urls ADD COLUMN lane INTEGER NOT NULL DEFAULT 0")
        database.execute("PRAGMA user_version = 2")
    database.close()
    store = SQLiteStore(path)
    store.own()
    told = StoryArticle(1, b"k" * 16, 5.0, "ab" * 16, "first", "", 1.0, "", b"", (7,))
    story = StoryState("ab" * 16, "", "k", "a.example", 5.0, 5.0, 1, 0, ("a.example",))
    store.commit({0: Changes(story_articles=[told], stories=[story])})
    assert asyncio.run(store.candidates([7], 0.0, 9.0, 5)) == [(7, 1)]
    assert asyncio.run(store.story_article(told.key)) == told
    assert asyncio.run(store.stories([story.story_id])) == {story.story_id: story}
    store.release()
    made = SQLiteStore(tmp_path / "new.crawl.db")
    made.own()
    made.release()
    assert tables_of(path) == tables_of(made.path)


def tables_of(path: Path) -> set[tuple[str, str]]:
    """Return tables and indexes with their SQL, however it is laid out."""
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT name, sql FROM sqlite_master WHERE name LIKE 'stor%'")
        found = {(name, "".join(str(sql).split())) for name, sql in rows}
    database.close()
    return found


@pytest.mark.B1
def test_version_4_kept_all_facts_with_those_of_the_whole_topic(tmp_path: Path) -> None:
    path = tmp_path / "topic.crawl.db"
    made = SQLiteStore(path)
    made.own()
    key, other = b"k" * 16, b"o" * 16
    url = "http://forum.b.example/thread-1.html"
    state = PageState(
        key, "http://a.example/", "a.example", PageClass.ARTICLE, 4, 1.0, 2.0, None, 5
    )
    old: dict[tuple[str, str], object] = {
        ("gone", key.hex()): 5.0,
        ("linked", other.hex()): True,
        ("threads", other.hex()): (url, "", 3),
        ("thread_walks", other.hex()): (url, "", 3),
        ("article_parts", f"{other.hex()}/{key.hex()}"): ("", "", 1, 2.0, url),
        ("reached", other.hex()): {"url": url, "site": "forum.b.example", "level": 3},
        ("robots", "c.example"): ["", "", "User-agent: *"],
        ("round", "began"): 3.0,
    }
    made.commit({0: Changes(pages=[state])})
    made.release()
    with sqlite3.connect(path) as database:
        database.executescript(
            "DROP TABLE inbox; ALTER TABLE facts DROP COLUMN partition;"
            "ALTER TABLE pages DROP COLUMN partition"
        )
        database.executemany(
            "INSERT INTO facts VALUES (?, ?, ?)",
            [(*name, msgspec.msgpack.encode(value)) for name, value in old.items()],
        )
        database.execute("PRAGMA user_version = 4")
    database.close()
    store = SQLiteStore(path)
    store.own()
    homes = {kind: next(iter(asyncio.run(store.facts_in(ALL_PARTITIONS, kind)))) for kind, _ in old}
    store.release()
    a, b, c = map(partition_of, ("a.example", "b.example", "c.example"))
    assert homes == {
        "gone": a, "linked": 0, "threads": b, "thread_walks": b, "article_parts": b, "reached": b,
        "robots": c, "round": 0,
    }  # fmt: skip
