"""How alike two articles are, outside a crawl: for measuring, and for whoever asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from focuscrawl.stories.events import DocumentCounts, Said, Words, heaviest, likeness, said_in
from focuscrawl.stories.grams import Grams, containment, grams_of
from focuscrawl.text.words import splitter

Document: TypeAlias = Mapping[str, str]
"""An article with ``title`` and ``text``."""

_GENERAL = DocumentCounts()
_counted = _GENERAL


def copy_similarity(one: Document, other: Document) -> float:
    """Return 0 … 1: the share of the shorter text that stands in the other one."""
    return containment(_grams(one["text"]), _grams(other["text"]))


def event_similarity(one: Document, other: Document, counts: DocumentCounts | None = None) -> float:
    """Return 0 … 1: how alike two articles are in what they tell.

    ``counts`` are the topic's document frequencies; without them those of ``count_documents``.
    """
    known = counts or _counted
    return likeness(_words(one, known), _words(other, known), known)


def count_documents(documents: Iterable[Document]) -> DocumentCounts:
    """Count the words of a collection, and use the counts in ``event_similarity`` from now on."""
    global _counted  # noqa: PLW0603 - a tool's state: it compares inside one collection
    counts = DocumentCounts()
    for document in documents:
        counts.add(_said(document["title"], document["text"]).strength)
    _counted = counts
    return counts


@lru_cache(maxsize=4096)
def _grams(text: str) -> Grams:
    return grams_of(text)


@lru_cache(maxsize=4096)
def _said(title: str, text: str) -> Said:
    return said_in(title, text, splitter().cut)


def _words(document: Document, counts: DocumentCounts) -> Words:
    return heaviest(_said(document["title"], document["text"]), counts)
