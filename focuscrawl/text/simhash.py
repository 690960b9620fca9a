"""SimHash (B2): 64-bit values of which near ones mean near texts, made by the package simhash."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from focuscrawl.text.words import quietly

with quietly():
    from simhash import Simhash

_FINEST = 1 << 20
"""Weights are counted in millionths, so that sums are exact and the same on every machine."""

EXACT = 1 << 53  # up to here floats hold every whole number
_LARGE = 50
"""Above this weight the package multiplies one byte: whole numbers over 255 overflow in NumPy 2."""


def simhash_words(weights: Mapping[str, float]) -> int:
    """Return the 64-bit value of weighted words; 0 for none.

    A bit is set when the words that have it weigh more than half of all. Weights are finite and
    not negative, else ValueError.
    """
    total = sum(weights.values())
    if not isfinite(total) or min(weights.values(), default=0) < 0:
        raise ValueError("weights of words must be finite and not negative")
    scale = 1
    if not all(isinstance(weight, int) for weight in weights.values()) and total * _FINEST < EXACT:
        scale = _FINEST  # sums of whole numbers are exact in any order up to 2^53
    counts = {word: round(weight * scale) for word, weight in weights.items()}
    features = [
        (word.encode("utf-8", "replace").decode(), count if count <= _LARGE else float(count))
        for word, count in counts.items()
        if count
    ]
    return int(Simhash(features).value) if features else 0
