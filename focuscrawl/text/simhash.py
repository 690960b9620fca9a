"""SimHash (B2): 64-bit values of which near ones mean near texts, as the package simhash makes them.

Weighted words are hashed here, three times as fast as there and exact for every weight; plain text
(overlapping pieces of four letters) by the package itself, handed weights it can take.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from hashlib import md5

import numpy as np

from focuscrawl.text.jieba_package import quietly

with quietly():
    from simhash import Simhash

BITS = 64
PIECE = 4
LETTERS = re.compile(r"\w+")
FINEST = 1 << 20
"""Weights are counted in millionths, so that sums are exact and the same on every machine."""

EXACT = 1 << 53
LARGE = 50
"""Above this weight the package multiplies one byte: whole numbers over 255 overflow in NumPy 2."""


def simhash_words(weights: Mapping[str, float]) -> int:
    """Return the 64-bit value of weighted words; 0 for none.

    A bit is set when the words that have it weigh more than half of all. Weights are finite and
    not negative, else ValueError.
    """
    if not weights:
        return 0
    digests = b"".join([md5(word.encode("utf-8", "replace")).digest()[8:] for word in weights])
    bits = np.unpackbits(np.frombuffer(digests, np.uint8)).reshape(-1, BITS)
    weighed = np.fromiter(weights.values(), np.float64, len(weights))
    if not np.isfinite(weighed).all() or weighed.min() < 0:
        raise ValueError("weights of words must be finite and not negative")
    total = weighed.sum()
    # Sums of whole numbers are exact in any order up to 2^53.
    scale = FINEST if total * FINEST < EXACT else 1
    weighed = np.rint(weighed * scale)
    return int.from_bytes(np.packbits(weighed @ bits > weighed.sum() / 2).tobytes(), "big")


def simhash_text(text: str) -> int:
    """Return the 64-bit value of a text: of its letters and digits in overlapping fours.

    Small changes show sooner than in the value of the words.
    """
    letters = "".join(LETTERS.findall(text.lower()))
    pieces = Counter(letters[at : at + PIECE] for at in range(max(len(letters) - PIECE + 1, 1)))
    features = [(piece, float(n) if n > LARGE else n) for piece, n in pieces.items()]
    return int(Simhash(features).value)


def distance(one: int, other: int) -> int:
    """Return in how many of 64 bits two values differ."""
    return (one ^ other).bit_count()


def signed(value: int) -> int:
    """Return a value as databases keep it, in a signed 64-bit column."""
    return value - (1 << BITS) if value >> (BITS - 1) else value


def unsigned(value: int) -> int:
    """Return what ``signed`` was given."""
    return value & ((1 << BITS) - 1)
