"""The crawl file of a topic, opened by a command: what was learnt, and a person's word on it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from focuscrawl.config import Config, project_dir, read_config
from focuscrawl.features import rows_in_use
from focuscrawl.results.database import connect, explaining, place_of
from focuscrawl.results.kind import Kinds
from focuscrawl.results.kinds.pages import KnownPage
from focuscrawl.store.protocol import FAILED, PARKED, PARTITIONS, WAITING, Changes, Row, StoreError
from focuscrawl.store.sqlite import SQLiteStore
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of, site_of
from focuscrawl.values import Json, PageClass, PageState, Waiting
from focuscrawl.verbs.call import Call, CannotDo


class CrawlFile(NamedTuple):
    """A crawl that nobody else runs meanwhile; ``records`` are those of its sites."""

    records: Mapping[str, Json]
    store: SQLiteStore

    def write(self, part: str, changed: Mapping[str, Json]) -> None:
        """Store one part of the records of some sites."""
        changes: dict[int, Changes] = {}
        for site, record in changed.items():
            changes.setdefault(partition_of(site), Changes()).sites[site] = {part: record}
        self.store.commit(changes)


class Places(NamedTuple):
    """Where a topic's data are: ``crawl`` is its crawl file, ``results`` and ``kinds`` as for Results.open."""

    name: str
    config: Config
    crawl: Path
    results: str | Path
    kinds: Kinds


def places_of(call: Call, loaded: LoadedTemplate, *, results: bool = False) -> Places:
    """Find the data of a topic; raises CannotDo where it was never crawled.

    With ``results`` it raises, too, where a file of results should be and is not.
    """
    name = loaded.template.name
    config = read_config(call.settings, os.environ, project_dir())
    path = config.data_dir / f"{name}.crawl.db"
    if not path.exists():
        raise CannotDo(f"{name} was never crawled here ({path} is not there)")
    kinds = Kinds.load(rows_in_use(config.features))
    places = Places(name, config, path, config.results or config.data_dir / f"{name}.db", kinds)
    if results and isinstance(places.results, Path) and not places.results.exists():
        raise CannotDo(f"{name} has no results here ({places.results} is not there)")
    return places


@contextmanager
def results_to_write(places: Places) -> Iterator[Connection]:
    """Open results in one transaction. Raises StoreError."""
    engine = connect(places.results, synchronous="FULL", busy_timeout=30.0)
    try:
        with explaining(place_of(engine)), engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def crawl_held_still(places: Places) -> Iterator[SQLiteStore]:
    """Own the topic's crawl; raises CannotDo where somebody runs it, or a database fails."""
    store = SQLiteStore(places.crawl)
    try:
        store.own()
        yield store
    except StoreError as error:
        raise CannotDo(str(error)) from None
    finally:
        store.release()


@contextmanager
def crawl_file(call: Call, loaded: LoadedTemplate) -> Iterator[CrawlFile]:
    """Open the topic's crawl; raises CannotDo where there is none, or somebody runs it."""
    with crawl_held_still(places_of(call, loaded)) as store:
        yield CrawlFile(asyncio.run(store.load(range(PARTITIONS))).records, store)


def site_named(host: str) -> str:
    """Return the site of a host, or of an address on it, as a person types it."""
    site = site_of(host if "://" in host else f"http://{host}/")
    if not site:
        raise CannotDo(f"{host!r} is no host; write it as in www.example.com")
    return site


# Pages that a person wants fetched again, though nothing leads to them any more -------------------

_FOUND_OUT = frozenset({PageClass.RECORD, PageClass.OTHER})
"""Classes a page has only after it was read."""

_FURTHER = frozenset({PageClass.ARTICLE_PAGING, PageClass.PAGING, PageClass.FILE, PageClass.SEARCH})
"""Classes of what another page leads to, when it is fetched again."""

READ = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.THREAD})
"""Classes of pages that are read for what they say."""


async def queue_again(
    store: SQLiteStore, pages: Iterable[KnownPage], waiting: Collection[bytes] = ()
) -> int:
    """Let pages of the log book wait again, behind all that waits; returns how many do now.

    ``waiting`` are keys of those that wait already.
    """
    sequence = (await store.load(range(PARTITIONS))).next_sequence
    changes: dict[int, Changes] = {}
    count = 0
    for page in pages:
        url = as_waiting(page)
        if url is None or url.key in waiting:
            continue
        partition = partition_of(url.site)
        part = changes.setdefault(partition, Changes())
        part.added.append(Row(sequence + count, url))
        part.seen.append(key_number(url.key, partition))
        count += 1
    if changes:
        store.commit(changes)
    return count


def as_waiting(page: KnownPage) -> Waiting | None:
    """Return a page as a URL that waits; None for one that comes with another."""
    page_class = PageClass(page.page_class)
    if page_class in _FURTHER:
        return None
    return Waiting(
        url=page.url,
        key=bytes.fromhex(page.url_key),
        site=page.host,
        level=page.level,
        passed_level=page.level,
        page_class=None if page_class in _FOUND_OUT else page_class,
        depth=page.depth,
        anchor=page.anchor,
        parent_key=bytes.fromhex(page.parent_key),
        source_id=page.source_id,
        first_walk=False,
    )


def keys_waiting(store: SQLiteStore) -> set[bytes]:
    """Return the keys of all URLs that stand in a store."""
    return {row.waiting.key for state in (WAITING, FAILED, PARKED) for row in store.rows(state)}


def make_due(store: SQLiteStore, keys: Iterable[bytes], now: float) -> set[bytes]:
    """Let pages that are watched be visited at once, and asked for whatever their version.

    Returns the keys of those there are: the others are not watched.
    """
    states = asyncio.run(store.pages(list(keys)))
    changes: dict[int, Changes] = {}
    for state in states.values():
        partition = partition_of(state.site)
        changes.setdefault(partition, Changes()).pages.append(due_at_once(state, now))
    if changes:
        store.commit(changes)
    return set(states)


def due_at_once(state: PageState, now: float) -> PageState:
    """Return a page that is due, and comes whole whether it has changed or not."""
    return _read_anew(state)._replace(next_visit=now, leased=None)


def _read_anew(state: PageState) -> PageState:
    """Return a page that comes whole at its next visit, whether it has changed or not."""
    return state._replace(etag="", modified="")
