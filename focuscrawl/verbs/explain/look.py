"""A topic opened to be looked at: its results, its crawl as it stands, its features; nothing is written."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import Spider
from scrapy.crawler import Crawler
from sqlalchemy import create_engine

from focuscrawl.features.revisit.change.comparison import links_to
from focuscrawl.frontier.rows import WHOLE_TOPIC
from focuscrawl.kernel.opening import open_to_look
from focuscrawl.kernel.run import Run
from focuscrawl.locale.messages import _
from focuscrawl.output.explain.facts import Fact, KnownAddress, ListSeen, Question
from focuscrawl.output.explain.log_book import LogBook
from focuscrawl.readers.links.sources import starts_of
from focuscrawl.spiders.settings import scrapy_settings
from focuscrawl.stores.results.database import missing_file, results_to_read
from focuscrawl.stores.state.crawl_lock import holder_of
from focuscrawl.stores.state.protocol import FAILED, PARTITIONS, WAITING
from focuscrawl.stores.state.snapshot import Snapshot
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.topic_store import open_server
from focuscrawl.urls.sites import partition_of
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.data import Places, places_of, require_on_server

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from focuscrawl.template.load import LoadedTemplate
    from focuscrawl.template.template import Template


class TopicLook:
    """A topic as it stands, for some sites; ``runs``: it is being crawled."""

    def __init__(self, run: Run, store: Snapshot, log_book: LogBook, *, runs: bool) -> None:
        self.run = run
        self.store = store
        self.log_book = log_book
        self.runs = runs
        self._sources = starts_of(run.template.sources, run.rules)

    def known(self, url: str) -> KnownAddress:
        """Return all that is known of an address that can be asked for."""
        return asyncio.run(self._known(url))

    async def _known(self, url: str) -> KnownAddress:
        question = await self._question(url)
        known = KnownAddress(question, runs=self.runs)
        known.has_seen = bool(question.page or question.row) or self.store.has_seen(question.number)
        if not (question.row or question.page):
            known.is_sent = self.store.sent_to_others(question.key)
        parent = question.page.get("parent_key") or _parent_of(question)
        known.linked_from = self.log_book.page(parent)
        known.facts += self._queued(known)
        known.facts += self._of_results(question)
        for explain in self.run.hooks.explain:
            known.facts += await explain(question)
        if not question.page and not question.row:
            known.lists = await self.lists_of(question)
        return known

    async def _question(self, url: str) -> Question:
        """Return what is stored of an address: of another one of its page, where that alone is known."""
        rules = self.run.rules
        address = rules.address(url)
        if not address:
            raise CannotDo(_("{url!r} is no address").format(url=url))
        stored = self.log_book.stored(address.key.hex())
        states = await self.store.pages([address.key])
        row = None
        if self.store.has_seen(address.number) or address.key in states:
            row = self.store.row_of_key(address.key, address.site)
        known_as = row.waiting.url if row else address.url
        for page in stored.get("pages", ()):
            known_as = page["url"]  # by the scheme that its site answers
        return Question(
            *(known_as, address.key, address.number, address.site),
            self.run.clock.wall(),
            row=row,
            state=states.get(address.key),
            stored=stored,
            is_source=address.key in self._sources,
            place=self.store.place_of(row) if row and row.state == WAITING else None,
        )

    async def lists_of(self, question: Question) -> Sequence[ListSeen]:
        """Return the lists of an address's site, with what each linked to when it was read last."""
        found = self.log_book.lists_of(question.site, question.url)
        keys = {one.url: self.run.rules.address(one.url) for one in found}
        states = await self.store.pages([one.key for one in keys.values() if one])
        return [
            one._replace(links=links_to(states.get(address.key), question.key))
            if (address := keys[one.url])
            else one
            for one in found
        ]

    def _queued(self, known: KnownAddress) -> Iterator[Fact]:
        row = known.question.row
        if not row:
            return
        if row.state == FAILED:
            failure = {"reason": row.reason, "tries": row.tries, "first_failed": row.first_failed}
            yield Fact("failure", {**failure, "next_try": row.next_try})
        if not (place := known.question.place):
            return
        frontier, level = self.run.frontier, row.waiting.level
        factor = frontier.factor.value ** (frontier.rules.levels - level)
        yield Fact(
            "queue",
            {
                **place._asdict(),
                "level": level,
                "levels": frontier.rules.levels,
                "weight": place.waiting / factor,
                "explores": row.waiting.explore,
            },
        )

    def _of_results(self, question: Question) -> Iterator[Fact]:
        """Go through what the results have of a page besides its row: its story, its changes, its article."""
        if question.page.get("outcome") == "part":
            article = self.log_book.article_of_part(question.page)
            yield Fact("part", {"of": article.get("url", "")})
        for member in question.stored.get("story_members", ()):
            story = self.log_book.story(member["story_id"])
            like = self.log_book.page(member["like_key"] or "")
            yield Fact(
                "story",
                {
                    "title": story.get("title") or "",
                    "articles": story.get("articles", 1),
                    "sites": story.get("hosts", 1),
                    "relation": member["relation"],
                    "like": like.get("url", ""),
                    "similarity": member["similarity"],
                    "because": member["because"] or "",
                    "tellers": self.log_book.tellers(member["story_id"], question.page.get("host")),
                },
            )
        if changes := question.stored.get("changes"):
            told = [
                {"at": one["at"], "kind": one["kind"], "fields": ", ".join(one["fields"] or ())}
                for one in sorted(changes, key=lambda one: one["at"])
            ]
            yield Fact("changes", {"changes": told})


def _parent_of(question: Question) -> str:
    return question.row.waiting.parent_key.hex() if question.row else ""


def settings_of(call: Call, template: Template) -> BaseSettings:
    """Return Scrapy's settings as a crawl of a topic would have them, but for its feeds."""
    settings = call.settings.copy()
    for name, value in scrapy_settings(template).items():
        if name != "FEEDS":
            settings.set(name, value, "spider")
    return settings


@contextmanager
def open_log_book(places: Places) -> Iterator[LogBook]:
    """Open a topic's results; without a file the log book is empty. Raises StoreError."""
    with ExitStack() as open_:
        if missing_file(places.results):
            engine = create_engine("sqlite://")
            open_.callback(engine.dispose)
            connection = open_.enter_context(engine.connect())
        else:
            connection = open_.enter_context(results_to_read(places.results))
        yield LogBook(connection, places.kinds, places.name)


@contextmanager
def look_at(
    call: Call, loaded: LoadedTemplate, places: Places, log_book: LogBook, sites: Sequence[str]
) -> Iterator[TopicLook]:
    """Open a topic's crawl for some sites, running or not. Raises CannotDo, StoreError."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-explain-") as folder:
        runs, file = crawl_to_read(places, Path(folder), {*map(partition_of, sites)})
        store = Snapshot.of(file, Path(folder))
        store.own()
        try:
            settings = settings_of(call, loaded.template)
            crawler = Crawler(Spider, settings)  # type: ignore[arg-type]
            run = Run(crawler, places.config, places.name, loaded.template, store)
            asyncio.run(open_to_look(run, sites))
            yield TopicLook(run, store, log_book, runs=runs)
        finally:
            store.release()


def crawl_to_read(
    places: Places, folder: Path, partitions: Collection[int] = range(PARTITIONS)
) -> tuple[bool, Path]:
    """Return whether a topic is being crawled, and its crawl file, which a new topic has not; of a crawl on
    a Redis a copy of some partitions in ``folder``, taken while workers write. Raises StoreError."""
    if not places.settings:
        return bool(holder_of(places.crawl)), places.crawl
    from focuscrawl.stores.redis.moved import copy_to_file, is_there  # noqa: PLC0415 - brings redis
    from focuscrawl.stores.redis.workers import crawl_seen  # noqa: PLC0415

    copy = folder / f"{places.name}.shared.db"
    with open_server(places.name, places.settings) as server:
        if not is_there(server):
            return False, copy
        runs = bool(crawl_seen(server, PARTITIONS).workers)
        store = SQLiteStore(copy, synchronous="OFF")
        store.own()
        try:
            copy_to_file(server, store, sorted({WHOLE_TOPIC, *partitions}))
        finally:
            store.release()
    return runs, copy


@contextmanager
def topic_places(
    call: Call, loaded: LoadedTemplate, *, may_be_new: bool = False
) -> Iterator[tuple[Places, LogBook]]:
    """Find a topic's data and open its results. Raises CannotDo where it was never crawled, unless it
    ``may_be_new``."""
    logging.getLogger("focuscrawl").addHandler(
        logging.NullHandler()
    )  # what a run would log is no answer
    places = places_of(call, loaded, may_be_new=may_be_new)
    if places.settings and not may_be_new:
        require_on_server(places)
    with open_log_book(places) as log_book:
        yield places, log_book
