"""The JSON-LD of a page: what its scripts hold, and the objects in it.

Pages are hostile and hand-made: comments around the JSON, a comma too many, a megabyte, brackets ten
thousand deep. What cannot be read is None; nothing here takes longer than its bounds allow.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from html import unescape
from typing import Any, cast

from lxml import etree

FIND_JSON = etree.XPath(
    "/descendant::script[starts-with(translate(normalize-space(@type), 'ACDIJLNOPST', 'acdijlnopst'),"
    " 'application/ld+json')]/text()"
)
# Comments of JavaScript; strings first, since an address holds two slashes.
_COMMENTS = re.compile(r'("(?:[^"\\\n]|\\.)*+")|/\*(?:[^*]|\*(?!/))*+\*/|//[^\n]*+', re.DOTALL)
LAST_COMMA = re.compile(r",(\s*+[}\]])")
MOST_OBJECTS = 200  # JSON-LD objects that are looked at
_MOST_SCRIPTS = 20
_LONGEST_SCRIPT = 200_000  # characters
_DEEPEST_NAME = 4  # objects around a name
_DECODER = json.JSONDecoder(strict=False)


def read_scripts(root: etree._Element) -> Iterator[tuple[Any, str]]:
    """Go through the scripts of a page: their value, None where it cannot be read, and their text.

    Several values in one script are a list of them.
    """
    for text in cast("list[str]", FIND_JSON(root))[:_MOST_SCRIPTS]:
        plain = text[:_LONGEST_SCRIPT]
        yield _read(plain), plain


def _read(text: str) -> Any:
    """Return the value of a script as it stands, or as it was meant."""
    for one in _meant(text):
        with suppress(ValueError, RecursionError):
            return _values(one)
    return None


def _meant(text: str) -> Iterator[str]:
    """Go through a script and what it may have been meant to be, each made when it is asked for."""
    yield text
    for one in (text, unescape(text)) if "&quot;" in text or "&#34;" in text else (text,):
        yield LAST_COMMA.sub(r"\1", _COMMENTS.sub(lambda found: found[1] or " ", one))


def _values(text: str) -> Any:
    """Return the object of a text, a list where there are several; ValueError where one is none.

    What stands around objects is passed over: marks of CDATA, also escaped, semicolons, brackets of lists.
    """
    found: list[Any] = []
    place = text.find("{")
    while place >= 0 and len(found) < MOST_OBJECTS:
        try:
            value, end = _DECODER.raw_decode(text, place)
        except ValueError:
            if not found:
                raise
            break
        found.append(value)
        place = text.find("{", end)
    if not found:
        raise ValueError("no object")
    return found[0] if len(found) == 1 else found


def objects_in(
    value: Any, holders: Sequence[str] = ("@graph", "mainEntity")
) -> Iterator[dict[str, Any]]:
    """Go through the objects of a JSON-LD value: itself, a list's, those its ``holders`` hold."""
    waiting = deque([value])
    for _ in range(MOST_OBJECTS):
        if not waiting:
            return
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extend(value[:MOST_OBJECTS])
        elif isinstance(value, dict):
            yield value
            waiting.extend(value.get(name) for name in holders)


def types_of(value: dict[str, Any]) -> list[str]:
    """Return the types of an object, without what stands before their names."""
    kinds = value.get("@type", "")
    several = kinds if isinstance(kinds, list) else [kinds]
    return [re.split("[/#:]", str(kind))[-1] for kind in several[:MOST_OBJECTS]]


def stated_name(value: Any) -> str:
    """Return a name as pages write it: the words, in an object of a value or a name, or first of a list."""
    for _ in range(_DEEPEST_NAME):
        if isinstance(value, list):
            value = next(iter(value), None)
        elif isinstance(value, dict):
            value = value.get("@value", value.get("name"))
        else:
            break
    return value if isinstance(value, str) else ""
