"""Values as spreadsheets and XML take them, and how a CSV file that exists is gone on with."""

from __future__ import annotations

import csv
import gzip
import io
import re
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, cast

from focuscrawl.stores.results_columns import clean_line, clean_text, json_text

if TYPE_CHECKING:
    from pathlib import Path

CELL_LIMIT = 32_767
"""What Excel takes in a cell, counted in UTF-16 units as Excel does."""

CUT_MARK = " …[cut, {length} characters]"
FORMULA = tuple("=+-@＝＋－＠")
"""First characters a spreadsheet may compute; the full-width ones do in Chinese and Japanese."""

TAIL = 1 << 18
"""Bytes read from the end of a file to see how its last row ended."""

HEAD = 1 << 16
"""Bytes read of a file's first row."""

GZIP = b"\x1f\x8b"
NAME_START = "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u3001-\ud7ff"
NOT_IN_NAMES = re.compile(f"[^{NAME_START}0-9.\u00b7-]")
STARTS_NAMES = re.compile(f"[{NAME_START}]")


def cell(value: Any) -> str:
    """Return a value as one CSV cell: one line, within Excel's limit, never a formula.

    Lists are joined by ``|``, pairs in them by ``:``, dicts are JSON, None is empty. Only texts
    are guarded: a negative number stays a number.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    text = limited(clean_line(_joined(value)))
    return "'" + text if text.lstrip().startswith(FORMULA) else text


def _joined(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, set, frozenset)):
        return "|".join(_member(member) for member in value)
    return json_text(value) if isinstance(value, dict) else str(value)


def _member(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ":".join(_joined(part) for part in value)
    return _joined(value)


def limited(text: str) -> str:
    """Return ``text`` cut to what Excel takes, marked with its real length when it was cut."""
    most = CELL_LIMIT - 1  # room for the guard against formulas
    if len(text) * 2 <= most or _units(text) <= most:
        return text
    mark = CUT_MARK.format(length=len(text))
    kept = text.encode("utf-16-le")[: 2 * (most - len(mark))].decode("utf-16-le", "ignore")
    return kept + mark


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def element_name(text: str) -> str:
    """Return ``text`` as a name of an XML element: what may not stand in one becomes ``_``."""
    name = NOT_IN_NAMES.sub("_", text)
    return name if STARTS_NAMES.match(name) else f"_{name}"


def xml_text(value: Any) -> str:
    """Return a plain value as the text of an XML element."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return clean_text(str(value))


@dataclass(frozen=True, slots=True)
class Begun:
    """A CSV file that an earlier run wrote: its head, and what must be written to end its last row.

    The file of a run that was killed ends anywhere, also inside a quoted cell.
    """

    head: tuple[str, ...]
    closing: str


def begun_csv(path: Path, encoding: str) -> Begun | None:
    """Read how a CSV file begins and ends; None when it is missing or empty."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    with path.open("rb") as raw:
        packed = raw.read(len(GZIP)) == GZIP
    with cast("IO[bytes]", gzip.open(path)) if packed else path.open("rb") as file:
        first = io.TextIOWrapper(io.BytesIO(file.read(HEAD)), encoding, "replace", newline="")
    head = tuple(name.lstrip("\ufeff") for name in next(csv.reader(first), ()))
    return Begun(head, "" if packed else _closing(path))


def _closing(path: Path) -> str:
    tail = _tail(path)
    if tail.endswith(b"\n"):
        return ""
    row = tail.rpartition(b"\n")[2]
    return '"\r\n' if row.count(b'"') % 2 else "\r\n"


def ends_inside_a_line(path: Path) -> bool:
    """Whether the last line of a file of lines has no end: its run was killed while writing."""
    if not path.exists() or path.stat().st_size == 0:
        return False
    tail = _tail(path)
    return not tail.startswith(GZIP) and not tail.endswith(b"\n")


def _tail(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        return file.read()
