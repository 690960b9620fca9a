"""The document frequencies of a topic's articles as the store keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from focuscrawl.stories.events import DocumentCounts
from focuscrawl.stories.grams import PieceCounts


def packed(counts: DocumentCounts, pieces: PieceCounts) -> Mapping[str, Any]:
    """Return a fact that holds them; words that are rare are forgotten before."""
    counts.forget_rare()
    numbers = counts.counts
    return {
        "documents": counts.documents,
        "articles": pieces.articles,
        "pieces": pieces.packed(),
        "words": np.fromiter(numbers, "<u4", len(numbers)).tobytes(),
        "documents_with": np.fromiter(numbers.values(), "<u4", len(numbers)).tobytes(),
    }


def unpacked(fact: Mapping[str, Any]) -> tuple[DocumentCounts, PieceCounts]:
    """Read what ``packed`` made."""
    hashes = np.frombuffer(fact["words"], "<u4").tolist()
    numbers = np.frombuffer(fact["documents_with"], "<u4").tolist()
    counts = dict(zip(hashes, numbers, strict=True))
    return (
        DocumentCounts(fact["documents"], counts),
        PieceCounts(fact["articles"], fact["pieces"]),
    )
