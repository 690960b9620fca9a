"""Writing changes into a crawl file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from operator import itemgetter

import msgspec

from focuscrawl.store import sqlite_stories, sqlite_urls
from focuscrawl.store.packing import packed
from focuscrawl.store.protocol import Changes, unseen_since
from focuscrawl.values import Json

SEQUENCE = itemgetter(0)

_decode_json = msgspec.msgpack.Decoder().decode


class SiteNumbers(dict[str, int]):
    """The numbers of sites by name; one that is new is written down as soon as it is asked for."""

    def read(self, database: sqlite3.Connection) -> None:
        """Take those of a file."""
        self._database = database
        self.clear()
        self.update(database.execute("SELECT name, number FROM sites"))

    def __missing__(self, name: str) -> int:
        """Give a site the next number."""
        number = self[name] = len(self)
        self._database.execute("INSERT INTO sites (number, name) VALUES (?, ?)", (number, name))
        return number


def joint_changes(parts: Iterable[Changes]) -> Changes:
    """Join the changes of all partitions: one statement for many rows costs a part of many."""
    whole = Changes()
    for part in parts:
        whole.added += part.added
        whole.moved += part.moved
        whole.removed += part.removed
        whole.seen += part.seen
        whole.pages += part.pages
        whole.sites |= part.sites
        whole.facts |= part.facts
        whole.story_articles += part.story_articles
        whole.stories += part.stories
    whole.added.sort(key=SEQUENCE)  # appended to the end of the table, page after page
    return whole


def write(database: sqlite3.Connection, changes: Changes, sites: SiteNumbers) -> None:
    """Write changes, inside the caller's transaction."""
    if changes.sites:
        _write_sites(database, changes.sites, sites)
    if changes.added:
        sqlite_urls.add(database, changes.added, sites)
    if changes.moved:
        sqlite_urls.replace(database, changes.moved, sites)
    if changes.seen:
        numbers = b"".join([number.to_bytes(8, "little") for number in changes.seen])
        database.execute("INSERT INTO seen (numbers) VALUES (?)", (numbers,))
    if changes.removed:
        sqlite_urls.remove(database, changes.removed)
    if changes.pages:
        database.executemany(
            "INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?)",
            [
                (page.key, page.next_visit, packed(page), unseen_since(page))
                for page in changes.pages
            ],
        )
    for (kind, key), value in changes.facts.items():
        if value is None:
            database.execute("DELETE FROM facts WHERE kind = ? AND key = ?", (kind, key))
        else:
            database.execute(
                "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (kind, key, packed(value))
            )

    if changes.story_articles or changes.stories:
        sqlite_stories.write_stories(database, changes.story_articles, changes.stories)


def _write_sites(
    database: sqlite3.Connection, records: Mapping[str, Json], numbers: SiteNumbers
) -> None:
    for name, parts in records.items():
        number = numbers[name]
        query = "SELECT parts FROM sites WHERE number = ?"
        (old,) = database.execute(query, (number,)).fetchone()
        merged = packed({**(_decode_json(old) if old else {}), **parts})
        database.execute("UPDATE sites SET parts = ? WHERE number = ?", (merged, number))
