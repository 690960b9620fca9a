"""Where things stand in a TOML file: the line of every table and key.

tomllib tells no lines. This small scanner reads the same text for places only; it is never asked
what a value is, and goes on after what it does not understand.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import NamedTuple

Path = tuple[str | int, ...]

KEY_PART = r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|[^\s."\'=\[\]#]+'
KEY = re.compile(rf"[ \t]*(?:{KEY_PART})(?:[ \t]*\.[ \t]*(?:{KEY_PART}))*[ \t]*")
PART = re.compile(KEY_PART)
HEADER = re.compile(rf"\[(\[?)({KEY.pattern})\](\]?)")
VALUE_TOKEN = re.compile(
    r'"""[\s\S]*?(?:"""|\Z)|\'\'\'[\s\S]*?(?:\'\'\'|\Z)|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|.|\n'
)
BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")


class Heading(NamedTuple):
    """A line that opens a table. ``names`` are its dotted parts."""

    line: int
    names: tuple[str, ...]
    repeated: bool


@dataclass(slots=True)
class Lines:
    """The places of one file.

    ``keys`` and ``tables`` map a path in the parsed file to its first line; repeated tables have
    their number in the path. ``spans`` are the first and last lines of values over several lines.
    """

    keys: dict[Path, int] = field(default_factory=dict)
    tables: dict[Path, int] = field(default_factory=dict)
    headings: list[Heading] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def of(self, path: Path) -> int | None:
        """Return the line of a key or table, of the first thing in it, or of what is around it."""
        while path:
            size = len(path)
            for places in (self.keys, self.tables):
                if path in places:
                    return places[path]
            inside = [line for one, line in self.tables.items() if one[:size] == path]
            if inside:
                return min(inside)
            path = path[:-1]
        return None


def key_parts(text: str) -> tuple[str, ...]:
    """Split a dotted key; parts may be in quotes."""
    return tuple(_unquoted(part) for part in PART.findall(text))


def _unquoted(part: str) -> str:
    if part[0] not in "\"'":
        return part
    try:
        return str(tomllib.loads(f"key = {part}")["key"])
    except tomllib.TOMLDecodeError:
        return part[1:-1]


def scan(text: str) -> Lines:
    """Find the line of every table and key."""
    lines = Lines()
    counts: dict[tuple[str, ...], int] = {}
    inside: Path = ()
    place, line = 0, 1
    while True:
        blank = BLANK.match(text, place)
        if blank:
            line += blank[0].count("\n")
            place = blank.end()
        if place >= len(text):
            return lines
        heading = HEADER.match(text, place)
        if heading:
            names = key_parts(heading[2])
            repeated = bool(heading[1])
            inside = _numbered(names, repeated, counts)
            lines.headings.append(Heading(line, names, repeated))
            lines.tables.setdefault(inside, line)
            place = heading.end()
            continue
        key = KEY.match(text, place)
        if key and text[key.end() : key.end() + 1] == "=":
            lines.keys.setdefault((*inside, *key_parts(key[0])), line)
            place = key.end() + 1
        end = _value_end(text, place)
        over = text.count("\n", place, end)
        if over:
            lines.spans.append((line, line + over))
        line += over
        place = end


def _numbered(names: tuple[str, ...], repeated: bool, counts: dict[tuple[str, ...], int]) -> Path:
    """Return the path of a table, with numbers for the repeated tables around it."""
    if repeated:
        counts[names] = counts.get(names, -1) + 1
    path: list[str | int] = []
    for depth, name in enumerate(names, 1):
        path.append(name)
        if names[:depth] in counts:
            path.append(counts[names[:depth]])
    return tuple(path)


def _value_end(text: str, place: int) -> int:
    """Return where a value ends: at the end of a line outside all brackets."""
    depth = 0
    for token in VALUE_TOKEN.finditer(text, place):
        sign = token[0]
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth = max(0, depth - 1)
        elif sign == "\n" and depth == 0:
            return token.start()
    return len(text)
