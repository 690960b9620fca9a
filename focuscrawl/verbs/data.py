"""The crawl file of a topic, opened by a command: what was learnt, and a person's word on it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from focuscrawl.config import Config, project_dir, read_config
from focuscrawl.features import rows_in_use
from focuscrawl.results.database import connect, explaining, place_of
from focuscrawl.results.kind import Kinds
from focuscrawl.store.protocol import PARTITIONS, Changes, StoreError
from focuscrawl.store.sqlite import SQLiteStore
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.urls.sites import partition_of, site_of
from focuscrawl.values import Json
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
