"""Pages that a person wants fetched again: how they wait, though nothing leads to them any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from focuscrawl.results.again import KnownPage
from focuscrawl.store.protocol import PARTITIONS, Changes, Row, Store
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, Waiting

_FOUND_OUT = frozenset({PageClass.RECORD, PageClass.OTHER})
"""Classes a page has only after it was read."""

_FURTHER = frozenset({PageClass.ARTICLE_PAGING, PageClass.PAGING, PageClass.FILE, PageClass.SEARCH})
"""Classes of what another page leads to, when it is fetched again."""


async def queue_again(
    store: Store, pages: Iterable[KnownPage], waiting: Collection[bytes] = ()
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
