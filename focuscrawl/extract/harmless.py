"""Up to where a page can be parsed without harm.

The HTML parser compares each attribute of an element with all before it: four megabytes of
attributes in one element keep it busy for hours. Nothing can stop it then, so it must not begin.
"""

from __future__ import annotations

import re

MOST_ATTRIBUTES = 300
"""Attributes one element may have; real ones have a dozen."""

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
HARMLESS = re.compile(
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
    found = HARMLESS.match(markup)
    return found.end() if found else 0
