"""Divide the links of a page, so that a long list is admitted bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from focuscrawl.values import LinkBatch, PageClass

_MOST_AT_ONCE = 1_000
LISTED = frozenset({PageClass.FEED, PageClass.SITEMAP})


def in_parts(batch: LinkBatch) -> Iterator[LinkBatch]:
    """Divide a batch so that none is admitted for long: a sitemap may name 50,000 pages.

    A board stays whole, since its new links are counted (A6).
    """
    if len(batch.links) <= _MOST_AT_ONCE or batch.page_class not in LISTED:
        yield batch
        return
    for first in range(0, len(batch.links), _MOST_AT_ONCE):
        yield replace(batch, links=batch.links[first : first + _MOST_AT_ONCE])
