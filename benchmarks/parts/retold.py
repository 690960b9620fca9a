"""The articles of a crawl's results told once more, by one index, in the order in which they came."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from focuscrawl.features.stories.events import IS_COPY, StoryReading
from focuscrawl.features.stories.index import StoryIndex
from focuscrawl.features.stories.table import StoryRules
from focuscrawl.stores.state.sqlite import SQLiteStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from focuscrawl.template.template import Template

TOLD = """
SELECT m.url_key, p.url, p.host, a.title, a.text, m.at, m.dated
FROM story_members m JOIN pages p ON p.topic = m.topic AND p.url_key = m.url_key
JOIN articles a ON a.topic = m.topic AND a.url_key = CASE m.relation WHEN :copy THEN m.like_key ELSE m.url_key END
WHERE m.topic = :topic
"""
"""A copy has no text that is stored: it is taken to say what it copies."""

IN_ORDER = f"{TOLD} ORDER BY m.rowid"
"""As they came into a file of one process."""

WORDS = {"copy": IS_COPY}


def retold(
    told: Iterable[Sequence[Any]], template: Template, luck: Random | None = None
) -> set[frozenset[str]]:
    """Return the stories of one index that is told the rows of TOLD, each as the addresses of its articles; with
    ``luck`` in a random order.
    """
    arrived = [*told]
    if luck is not None:
        luck.shuffle(arrived)
    with TemporaryDirectory(prefix="retold-") as folder:
        store = SQLiteStore(Path(folder) / "retold.crawl.db")
        store.own()
        try:
            return asyncio.run(_told(store, template, arrived))
        finally:
            store.release()


async def _told(
    store: SQLiteStore, template: Template, arrived: Sequence[Sequence[Any]]
) -> set[frozenset[str]]:
    index = StoryIndex(store, template.of(StoryRules), template.splitter.cut)
    await index.load()
    told: dict[str, str] = {}
    merged: dict[str, str] = {}
    for key, url, host, title, text, at, dated in arrived:
        # A server gives a moment with its zone, a file its text in UTC.
        moment = (at if isinstance(at, datetime) else datetime.fromisoformat(at)).timestamp()
        published = None if dated == 0 else moment
        article = StoryReading(bytes.fromhex(key), host, title or "", text, published, moment)
        found = await index.tell(article)
        # As a shared index does it: of what is stored the newest articles of a term are looked at, not all.
        store.commit({0: index.drain()})
        index.committed()
        told[url] = found.article.story_id
        merged.update((one.story_id, one.merged_into) for one in found.stories if one.merged_into)
    stories: defaultdict[str, set[str]] = defaultdict(set)
    for url, story in told.items():
        while story in merged:
            story = merged[story]
        stories[story].add(url)
    return {frozenset(urls) for urls in stories.values()}
