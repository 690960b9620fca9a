"""Pages of sets that no rule was tuned on: rows of ``*.jsonl.xz``, of ``world3`` and of ``wcxb``.

``world3`` has a file a set: articles with their text (fundus, world, zh3), articles with title, date and author (meta), whole
threads (threads3), pages with their class (class3). ``wcxb`` has a file a type of pages, read as one set.
"""

from __future__ import annotations

import base64
import json
import lzma
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

Row = tuple[str, bytes, Mapping[str, Any]]

KINDS = {
    "fundus": "articles",
    "world": "articles",
    "zh3": "articles",
    "meta": "articles",
    "threads3": "whole threads",
    "class3": "classes",
}
"""What is compared of the sets of ``world3``."""

TYPED = "wcxb"
"""The set of pages of seven types."""

_BY_CHARACTERS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Scripts whose words have no blanks between them: their texts are compared character by character."""
_SHARE_OF_CHARACTERS = 0.2


def sets_below(data: Path, wanted: Collection[str]) -> Iterator[tuple[str, str, list[Row]]]:
    """Go through the ``wanted`` sets below a folder (none named: all): name, what is compared of them, rows."""
    for name, kind in KINDS.items():
        path = data / "world3" / f"{name}.jsonl.xz"
        if path.is_file() and (not wanted or name in wanted):
            yield name, kind, [_row(one) for one in _lines(path)]
    typed = sorted((data / TYPED).glob("*.jsonl.xz"))
    if typed and (not wanted or TYPED in wanted):
        yield TYPED, "words", [_typed(one) for path in typed for one in _lines(path)]


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _row(one: Mapping[str, Any]) -> Row:
    text = one["text"]
    label: dict[str, Any] = {"url": one["url"], "kinds": one["kind"].split()}
    if text:
        label["text"] = text
        characters = len(_BY_CHARACTERS.findall(text))
        label["chinese"] = characters > _SHARE_OF_CHARACTERS * len(text)
    if one["title"]:
        label["title"] = one["title"]
    if one["date"]:
        label["published"] = one["date"]
    if one["author"]:
        label["author"] = " ".join(re.split(r"\s*[|,;]\s*|\s+and\s+", one["author"]))
    return one["id"], base64.b64decode(one["html"]), label


def _typed(one: Mapping[str, Any]) -> Row:
    label = {"url": one["url"], "type": one["type"], "text": one["truth"].get("main_content") or ""}
    return f"{one['type']}-{one['id']}", one["html"].encode("latin-1", "replace"), label
