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
from typing import Any, cast

from lxml import etree

FIND_JSON = etree.XPath("/descendant::script[starts-with(@type, 'application/ld+json')]/text()")
WRAPPED = re.compile(r"^\s*(?://\s*)?(?:<!\[CDATA\[|<!--)|(?://\s*)?(?:\]\]>|-->)\s*$")
LAST_COMMA = re.compile(r",(\s*[}\]])")
MOST_OBJECTS = 200  # JSON-LD objects that are looked at
_MOST_SCRIPTS = 20
_LONGEST_SCRIPT = 200_000  # characters


def read_scripts(root: etree._Element) -> Iterator[tuple[Any, str]]:
    """Go through the scripts of a page: their value, None where it cannot be read, and their text."""
    for text in cast("list[str]", FIND_JSON(root))[:_MOST_SCRIPTS]:
        plain = WRAPPED.sub("", text[:_LONGEST_SCRIPT])
        yield _read(plain), plain


def _read(text: str) -> Any:
    for one in (text, LAST_COMMA.sub(r"\1", text)):
        with suppress(ValueError, RecursionError):
            return json.loads(one, strict=False)
    return None


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
    return [re.split("[/#:]", str(kind))[-1] for kind in several]
