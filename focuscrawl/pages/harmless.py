"""Up to where a page can be parsed without harm.

The HTML parser compares each attribute of an element with all before it: four megabytes of
attributes in one element keep it busy for hours. Nothing can stop it then, so it must not begin.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

_MOST_STEPS = 4_000_000
"""Elements times depth from which resiliparse takes more than about half a second."""

LESS_THAN, SLASH, LOWER_CASE, LETTERS = ord("<"), ord("/"), 0x20, 26

MOST_ATTRIBUTES = 300
"""Attributes one element may have; real ones have a dozen."""

MOST_TAGS = 120_000
"""Elements of a page that are read: fifteen readers go through all of them, each in some
microseconds an element. Of 900 real pages the largest has 12,000."""

FEWEST_SUSPECT = 20_000
"""Bytes under which no element can have enough attributes to hurt."""

ATTRIBUTE = (
    rb"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+|["'][^>]*+))?+"""
)
FEW_ATTRIBUTES = rb"(?:%b){0,%d}+(?!%b)" % (ATTRIBUTE, MOST_ATTRIBUTES, ATTRIBUTE)
RAW_TEXT = b"|".join(
    rb"(?><"
    + name
    + rb"(?=[\s/>])"
    + FEW_ATTRIBUTES
    + rb"[^>]*+>(?:[^<]++|<(?!/"
    + name
    + rb"))*+)"
    for name in (b"script", b"style", b"textarea", b"title")
)
_HARMLESS = re.compile(
    rb"(?:[^<]++|(?><!--(?:-?>|.*?(?:--!?>|\Z)))|"
    + RAW_TEXT
    + rb"|<[a-zA-Z][^\s/>]*+"
    + FEW_ATTRIBUTES
    + rb"|<(?![a-zA-Z]))*+",
    re.DOTALL | re.IGNORECASE,
)
"""Matches a page up to its first element with too many attributes, in linear time.

Comments, scripts and their like are passed over as the parser passes them over: ``i<a.length``
opens no element there. Possessive throughout, so that nothing is looked at twice.
"""


def harmless_length(markup: bytes) -> int:
    """Return how many bytes stand before the first element that would keep the parser busy."""
    if len(markup) <= FEWEST_SUSPECT:
        return len(markup)
    found = _HARMLESS.match(markup)
    return found.end() if found else 0


def length_of_tags(markup: bytes) -> int:
    """Return how many bytes stand before the first element that is one too many."""
    if markup.count(b"<") <= MOST_TAGS:
        return len(markup)
    opened = _opened(markup)
    return int(opened[MOST_TAGS]) if len(opened) > MOST_TAGS else len(markup)


def _opened(markup: bytes) -> NDArray[np.intp]:
    """Return where start tags begin, in bytes."""
    octets = np.frombuffer(markup, dtype=np.uint8)
    begun = np.flatnonzero(octets[:-1] == LESS_THAN)
    return begun[(octets[begun + 1] | LOWER_CASE) - ord("a") < LETTERS]


def is_quickly_read(markup: bytes) -> bool:
    """Whether resiliparse reads UTF-8 markup as it is in well under a second.

    It takes minutes for what is nested ten thousand deep, and as long as any parser for an element
    of many attributes. Depth is bounded by start tags less end tags so far, taken at their highest:
    elements that have no end tag count, too, so that some large pages are called slow that are not.
    """
    octets = np.frombuffer(markup, dtype=np.uint8)
    behind = np.flatnonzero(octets[:-1] == LESS_THAN) + 1
    letters = octets[behind]
    starts = (letters | LOWER_CASE) - ord("a") < LETTERS  # unsigned: what is below a is far above z
    depth = np.cumsum(np.where(starts, 1, np.where(letters == SLASH, -1, 0)))
    opened = behind[starts]
    if int(depth.max(initial=0)) * len(opened) > _MOST_STEPS:
        return False
    ends = np.append(opened[1:], len(markup))
    for start in np.flatnonzero(ends - opened > FEWEST_SUSPECT):
        begin, end = int(opened[start]) - 1, int(ends[start]) - 1
        found = _HARMLESS.match(markup, begin, end)
        if found is None or found.end() < end:
            return False
    return True
