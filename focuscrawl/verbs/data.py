"""The files of a topic: opened by a command, copied into one (``scrapy topic backup``), looked over (``check-data``)."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from sqlalchemy import Connection, exists, func, select, text

from focuscrawl.config import Config
from focuscrawl.features.articles.rows.articles import ARTICLES
from focuscrawl.features.stories.index_moved import IndexSize, index_to_file, size_in_tables
from focuscrawl.locale.messages import _
from focuscrawl.output.summary.lines import size_text
from focuscrawl.stores.results.database import missing_file, results_to_read, results_transaction
from focuscrawl.stores.results.kind import Kinds
from focuscrawl.stores.results.kinds.history import ARTICLE
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.stores.results.schema import add_tables
from focuscrawl.stores.results.stored_tables import StoredTables
from focuscrawl.stores.state.protocol import PARTITIONS, Changes, Store, StoreError
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_file import copy_database, open_read_only
from focuscrawl.stores.state.sqlite_maintenance import CrawlLook
from focuscrawl.stores.state.topic_store import crawl_path, is_shared, open_server, still_store
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.urls.sites import partition_of, site_of
from focuscrawl.values import Json, PageClass
from focuscrawl.verbs.call import Call, CannotDo

if TYPE_CHECKING:
    from focuscrawl.stores.redis.server import Server
    from focuscrawl.stores.redis.still import StillRedisStore


class CrawlFile(NamedTuple):
    """A crawl that no worker runs meanwhile; ``records`` are those of its sites."""

    records: Mapping[str, Json]
    store: Store

    def write(self, part: str, changed: Mapping[str, Json]) -> None:
        """Store one part of the records of some sites."""
        changes: dict[int, Changes] = {}
        for site, record in changed.items():
            changes.setdefault(partition_of(site), Changes()).sites[site] = {part: record}
        self.store.commit(changes)


class Places(NamedTuple):
    """Where a topic's data are: ``crawl`` is its crawl file, ``results`` and ``kinds`` as for Results.open.

    ``settings`` name the Redis that the crawl is on; None: it is in its file.
    """

    name: str
    config: Config
    crawl: Path
    results: str | Path
    kinds: Kinds
    settings: BaseSettings | None = None


def places_of(
    call: Call, loaded: LoadedTemplate, *, results: bool = False, may_be_new: bool = False
) -> Places:
    """Find the data of a topic; raises CannotDo where it was never crawled, unless it ``may_be_new``.

    With ``results`` it raises, too, where a file of results should be and is not.
    """
    name = loaded.template.name
    config = call.config()
    path = crawl_path(config, name)
    on_redis = is_shared(call.settings)
    if not (on_redis or may_be_new or path.exists()):
        raise CannotDo(
            _("{name} was never crawled here ({path} is not there)").format(name=name, path=path)
        )
    kinds = call.kinds()
    settings = call.settings if on_redis else None
    places = Places(name, config, path, config.results_of(name), kinds, settings)
    if results and (file := missing_file(places.results)):
        raise CannotDo(
            _("{name} has no results here ({results} is not there)").format(name=name, results=file)
        )
    return places


@contextmanager
def results_to_write(places: Places) -> Iterator[Connection]:
    """Open results in one transaction. Raises StoreError."""
    with results_transaction(places.results) as connection:
        yield connection


def complete_schema(places: Places) -> None:
    """Make the tables and columns that results of an earlier version lack. Raises StoreError."""
    with results_to_read(places.results) as connection:
        are_whole = StoredTables(connection, places.kinds.tables).are_whole()
    if not are_whole:
        with results_to_write(places) as connection:
            add_tables(connection, places.kinds.tables)


@contextmanager
def crawl_held_still(places: Places) -> Iterator[SQLiteStore | StillRedisStore]:
    """Own the topic's crawl; raises CannotDo where a worker runs it, or a database fails."""
    store: SQLiteStore | StillRedisStore = SQLiteStore(places.crawl)
    if places.settings:
        store = still_store(places.name, places.config, places.settings)
    try:
        store.own(_("this is done only while no worker runs: stop them first"))
        if not store.is_shared:
            yield store
            return
        loaded = asyncio.run(store.load(range(PARTITIONS)))
        try:
            yield store
        finally:
            asyncio.run(store.give_back(range(PARTITIONS), loaded.pauses))
    except StoreError as error:
        raise CannotDo(str(error)) from None
    finally:
        store.release()


def write_draft(places: Places, server: Server, draft: Path) -> None:
    """Copy a crawl from a Redis, with the stories of the results, into a file that is no crawl's yet.

    Raises CannotDo, StoreError, ServerAway.
    """
    from focuscrawl.stores.redis import moved  # noqa: PLC0415 - brings redis

    for ending in ("", "-wal", "-shm"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)
    store = SQLiteStore(draft, synchronous="OFF")  # written to the disk at the end
    store.own()
    try:
        unread, size = moved.copy_to_file(server, store), moved.size_in(server)
        with closing(open_read_only(draft)) as database:
            check_same(size._replace(links=size.links - unread), moved.size_of(database))
        if not missing_file(places.results):
            with results_to_write(places) as connection:
                index_to_file(connection, places.name, lambda part: store.commit({0: part}))
                with closing(open_read_only(draft)) as database:
                    check_same(size_in_tables(connection, places.name), index_size_of(database))
    finally:
        store.release()
    draft.with_suffix(".lock").unlink(missing_ok=True)
    with draft.open("rb") as written:
        os.fsync(written.fileno())


def index_size_of(database: sqlite3.Connection) -> IndexSize:
    """Return how much of an index a crawl file has."""
    tables = ("story_articles", "stories", "story_terms")
    counts = (database.execute(f"SELECT count(*) FROM {one}") for one in tables)  # noqa: S608 - names
    return IndexSize(*(count.fetchone()[0] for count in counts))


def check_same(source: Any, copy: Any) -> None:
    """Raise CannotDo where a copy has other counts than what was copied."""
    if source != copy:
        raise CannotDo(
            _(
                "the copy has other counts than what was copied ({copy}; of {source}): nothing was"
                " taken away; run the same command again"
            ).format(copy=copy.in_words(), source=source.in_words())
        )


def no_crawl_at(address: str, name: str) -> CannotDo:
    """Return the error for a topic that a Redis does not know."""
    return CannotDo(
        _("{name} was never crawled here ({address} has no crawl {name})").format(
            address=address, name=name
        )
    )


def require_on_server(places: Places) -> None:
    """Raise CannotDo where the Redis of a topic does not know it, StoreError where it cannot be asked."""
    from focuscrawl.stores.redis.moved import is_there  # noqa: PLC0415 - brings redis

    assert places.settings
    with open_server(places.name, places.settings) as server:
        if not is_there(server):
            raise no_crawl_at(server.address, places.name)


@contextmanager
def crawl_as_file(
    places: Places, folder: Path, problems: list[str] | None = None
) -> Iterator[Path]:
    """Give a crawl as a file: its own, running or not, or a copy of one in a Redis in a folder; raises
    CannotDo where a worker runs that. ``problems`` gets what its Redis has lost of it."""
    if not places.settings:
        yield places.crawl
        return
    from focuscrawl.stores.redis.moved import is_there  # noqa: PLC0415 - brings redis
    from focuscrawl.stores.redis.store import VANISHED_UNREAD  # noqa: PLC0415 - as above

    try:
        with open_server(places.name, places.settings) as server:
            if not is_there(server):  # to hold it still would make one
                raise no_crawl_at(server.address, places.name)
            with crawl_held_still(places) as store:
                write_draft(places, server, folder / places.crawl.name)
                store.commit({})  # it fails where others have begun meanwhile
                if store.vanished and problems is not None:
                    problems.append(_(VANISHED_UNREAD) % (server.address, store.vanished))
    except StoreError as error:
        raise CannotDo(str(error)) from None
    yield folder / places.crawl.name


@contextmanager
def crawl_file(call: Call, loaded: LoadedTemplate) -> Iterator[CrawlFile]:
    """Open the topic's crawl; raises CannotDo where there is none, or a worker runs it."""
    with crawl_held_still(places_of(call, loaded)) as store:
        yield CrawlFile(asyncio.run(store.load(range(PARTITIONS))).records, store)


def site_named(host: str) -> str:
    """Return the site of a host, or of an address on it, as a person types it."""
    site = site_of(host if "://" in host else f"http://{host}/")
    if not site:
        raise CannotDo(_("{host!r} is no host; write it as in www.example.com").format(host=host))
    return site


# Copying ---------------------------------------------------------------------------------------

ENDING = ".zip"
NO_LINKS = (PageClass.PAGING, PageClass.ARTICLE_PAGING, PageClass.SEARCH)
"""Classes of pages that may be fetched without being links of their own."""
PROBLEMS_STATUS = 1
PAUSES = (0.5, 1.0, 2.0)
"""Seconds after which files that are not in step are copied again: a crawl commits every half second, later on a
busy machine."""

EXAMPLES = 3
"""Keys that are named of each kind of problem."""


def backup(call: Call, args: Sequence[str]) -> str:
    """Copy crawl and results of a topic (NAME [FILE]) as they are now into one file, running or not."""
    if not 1 <= len(args) <= 2:
        raise UsageError(
            _("name the topic and, if you like, the file: scrapy topic backup NAME FILE")
        )
    places = places_of(call, call.loaded(args[:1], secrets=False))
    now = datetime.fromtimestamp(places.config.clock.wall(), UTC)
    usual = f"{places.name}-{now:%Y%m%dT%H%M%S}{ENDING}"
    target = _target(Path(args[1]) if len(args) > 1 else places.config.data_dir, usual)
    if target.exists():
        raise CannotDo(_("{target} is already there; choose another name").format(target=target))
    try:
        written = _write(places, target)
    except (StoreError, OSError) as error:
        raise CannotDo(_("no backup was made: {error}").format(error=error)) from None
    lines = [
        _("{target} written ({size}):").format(
            target=target.absolute(), size=size_text(target.stat().st_size)
        ),
        *written,
    ]
    if not isinstance(places.results, Path):
        lines.append(
            _("  not in it: the results, which are in a database of their own; copy that, too")
        )
    folder = places.config.data_dir
    if not places.settings:
        lines.append(
            _(
                "To go back to it: stop the crawl, delete {name}*.db* in {folder} and unpack the"
                " file there."
            ).format(name=places.name, folder=folder)
        )
    else:
        lines.append(
            _(
                "To go back to it: stop the workers, delete the keys of Redis that begin with"
                " {name}:focuscrawl:, unpack the file in {folder} and run scrapy topic move {name}"
            ).format(name=places.name, folder=folder)
        )
    return "\n".join(lines)


def _target(wish: Path, usual: str) -> Path:
    if wish.is_dir():
        return wish / usual
    return wish if wish.suffix == ENDING else wish.with_name(wish.name + ENDING)


def _write(places: Places, target: Path) -> list[str]:
    """Copy the files, the crawl's first, and pack them; returns what was written.

    A crawl writes results first. So the results may know of pages that the crawl's file still has
    to do, which does no harm: they are fetched again and give the same rows. Never the reverse. Between the two
    commits of a crawl that has just begun ``check-data`` would call them unknown: then it is copied again.
    """
    written = []
    beside = tempfile.TemporaryDirectory(prefix=".backup-", dir=target.absolute().parent)
    with beside as folder, tempfile.TemporaryDirectory(dir=folder) as inner:
        with crawl_as_file(places, Path(inner)) as crawl:
            sources = [crawl]
        if isinstance(places.results, Path) and places.results.exists():
            sources.append(places.results)
        copies = [(source, Path(folder) / source.name) for source in sources]
        for pause in (*PAUSES, 0.0):
            for source, copy in copies:
                copy.unlink(missing_ok=True)
                copy_database(source, copy)
            if not pause or _are_in_step(places, [copy for _, copy in copies]):
                break
            time.sleep(pause)
        packed = Path(folder) / "packed"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            for source, copy in copies:
                file.write(copy, source.name)
                written.append(f"  {source.name}, {size_text(copy.stat().st_size)}")
        packed.rename(target)
    return written


def _are_in_step(places: Places, copies: Sequence[Path]) -> bool:
    """Whether copies of both files know of the same pages."""
    if len(copies) < 2:
        return True
    crawl, results = copies
    with results_to_read(results) as connection, closing(open_read_only(crawl)) as database:
        look = CrawlLook(database)
        return bool(look.problems) or not disagreements(connection, places.name, look)


# Looking over ----------------------------------------------------------------------------------


def check_data(call: Call, args: Sequence[str]) -> str:
    """Look over crawl and results of a topic and say what is wrong; changes nothing (status 1: something is)."""
    places = places_of(call, call.loaded(args, secrets=False), results=True)
    lost: list[str] = []
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            crawl_as_file(places, Path(folder), lost) as crawl,
        ):
            look = _look(places, crawl)
            if look.differences:  # a crawl that runs may have been between two commits
                look = _in_both(look, _look(places, crawl))
    except StoreError as error:
        look = _Look([str(error)], {}, "")
    problems = lost + look.problems
    problems += [told(len(urls), what, urls) for what, urls in look.differences.items()]
    if not problems:
        return _("{name}: nothing is wrong with its data ({held})").format(
            name=places.name, held=look.held
        )
    call.exit_status = PROBLEMS_STATUS
    first = _("{name}: {count} problems in {folder}, nothing was changed").format(
        name=places.name, count=len(problems), folder=places.config.data_dir
    )
    last = _(
        "Damaged files: go back to a backup. Pages the crawl does not know, or whose"
        " articles are missing: scrapy topic forget {name} --url URL --again, and they are"
        " fetched anew."
    ).format(name=places.name)
    return "\n".join([first, *(f"  {one}" for one in problems), last])


class _Look(NamedTuple):
    """What is wrong, what crawl and results say differently, and in a few words what there is."""

    problems: list[str]
    differences: dict[str, list[str]]
    held: str


def _in_both(first: _Look, second: _Look) -> _Look:
    """Return the second look with the differences that are in both."""
    both = {
        what: [url for url in urls if url in set(first.differences.get(what, ()))]
        for what, urls in second.differences.items()
    }
    return second._replace(differences={what: urls for what, urls in both.items() if urls})


def _look(places: Places, path: Path) -> _Look:
    """Look at both as they are at one moment, the results first.

    A crawl writes to the results first, so its file knows a moment later what they know.
    """
    differences = {}
    with results_to_read(places.results) as connection:
        problems = results_problems(connection, places.kinds, places.name)
        articles = select(func.count()).select_from(ARTICLES).where(ARTICLES.c.topic == places.name)
        count = connection.scalar(articles) if not problems else 0
        with closing(open_read_only(path)) as database:
            crawl = CrawlLook(database)
        problems += crawl.problems
        if not problems:
            differences = disagreements(connection, places.name, crawl)
    held = _("{waiting:,} URLs to do, {pages:,} pages to see again, {articles:,} articles").format(
        waiting=crawl.waiting, pages=crawl.pages, articles=count
    )
    return _Look(problems, differences, held)


def results_problems(connection: Connection, kinds: Kinds, topic: str) -> list[str]:
    """Return what is wrong with a topic's results in themselves."""
    if connection.dialect.name == "sqlite":
        damage = integrity(connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars())
        if damage:
            # A damaged file may give anything.
            return [_("results: {problem}").format(problem=one) for one in damage]
    found = []
    for kind in kinds:
        for what, name, where, table in kind.orphans:
            of_topic = f"FROM {table or kind.table.name} WHERE topic = :topic AND {where}"
            count = connection.scalar(text(f"SELECT count(*) {of_topic}"), {"topic": topic})
            if count:
                some = text(f"SELECT {name} {of_topic} LIMIT {EXAMPLES}")
                names = connection.scalars(some, {"topic": topic})
                found.append(_("results: {problem}").format(problem=told(count, what, list(names))))
    return found


def disagreements(connection: Connection, topic: str, crawl: CrawlLook) -> dict[str, list[str]]:
    """Return what the results and the crawl file say differently, each with the addresses.

    Leaves out what the next run mends by itself: addresses with something still to do.
    """
    pages = select(PAGES.c.url_key, PAGES.c.url, PAGES.c.host).where(PAGES.c.topic == topic)
    article = exists().where(ARTICLES.c.topic == topic, ARTICLES.c.url_key == PAGES.c.url_key)
    page = exists().where(PAGES.c.topic == topic, PAGES.c.url_key == ARTICLES.c.url_key)
    fetched = pages.where(
        PAGES.c.last_fetched.is_not(None),
        PAGES.c.page_class.not_in([one.value for one in NO_LINKS]),
    )
    stored = pages.where(PAGES.c.outcome == "stored", PAGES.c.page_class == ARTICLE, ~article)
    articles = select(ARTICLES.c.url_key, ARTICLES.c.url, ARTICLES.c.host).where(
        ARTICLES.c.topic == topic, ~page
    )
    found = {
        _("pages in the results are unknown to the crawl, which would fetch them again"): [
            row.url for row in connection.execute(fetched) if not crawl.knows(row.url_key, row.host)
        ],
        _("pages are called stored, but their articles are not there"): [
            row.url for row in connection.execute(stored) if not crawl.has_to_do(row.url_key)
        ],
        _("articles have no page in the log book"): [
            row.url
            for row in connection.execute(articles)
            if crawl.knows(row.url_key, row.host) and not crawl.has_to_do(row.url_key)
        ],
    }
    return {what: urls for what, urls in found.items() if urls}


def told(count: int, what: str, examples: Sequence[object]) -> str:
    """Say a problem in one line."""
    named = ", ".join(str(one) for one in examples[:EXAMPLES])
    return _("{count:,} {what} ({examples})").format(
        count=count, what=what, examples=named + ", …" * (count > EXAMPLES)
    )


def integrity(said: Iterable[str]) -> list[str]:
    """Return what SQLite's integrity check complains of."""
    try:
        return [_("damaged: {error}").format(error=one) for one in said if one != "ok"]
    except sqlite3.Error as error:
        return [_("damaged: {error}").format(error=error)]
