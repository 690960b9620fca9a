"""The articles of a crawl's results told once more, by one index, in the order in which they came."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from focuscrawl.store.sqlite import SQLiteStore
from focuscrawl.stories.events import IS_COPY, StoryReading
from focuscrawl.stories.index import StoryIndex
from focuscrawl.stories.table import StoryRules

if TYPE_CHECKING:
    import sqlite3
    from random import Random

    from focuscrawl.template.template import Template

ARRIVED = """
SELECT m.url_key, p.url, p.host, a.title, a.text, m.at, m.dated
FROM story_members m JOIN pages p USING (topic, url_key)
JOIN articles a ON a.topic = m.topic AND a.url_key = CASE m.relation WHEN :copy THEN m.like_key ELSE m.url_key END
ORDER BY m.rowid
"""
"""A copy has no text that is stored: it is taken to say what it copies."""


def retold(
    results: sqlite3.Connection, template: Template, luck: Random | None = None
) -> set[frozenset[str]]:
    """Return the stories of one index, each as the addresses of its articles; with ``luck`` in a random order."""
    arrived = results.execute(ARRIVED, {"copy": IS_COPY}).fetchall()
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
    store: SQLiteStore, template: Template, arrived: list[tuple[Any, ...]]
) -> set[frozenset[str]]:
    index = StoryIndex(store, template.of(StoryRules), template.splitter.cut)
    await index.load()
    told: dict[str, str] = {}
    merged: dict[str, str] = {}
    for key, url, host, title, text, at, dated in arrived:
        moment = datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()
        published = None if dated == 0 else moment
        article = StoryReading(bytes.fromhex(key), host, title or "", text, published, moment)
        found = await index.tell(article)
        told[url] = found.article.story_id
        merged.update((one.story_id, one.merged_into) for one in found.stories if one.merged_into)
    stories: defaultdict[str, set[str]] = defaultdict(set)
    for url, story in told.items():
        while story in merged:
            story = merged[story]
        stories[story].add(url)
    return {frozenset(urls) for urls in stories.values()}
