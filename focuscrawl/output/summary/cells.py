"""Values as spreadsheets and XML take them, and how a CSV file that exists is gone on with."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, cast

import msgspec

from focuscrawl.stores.results.columns import FORBIDDEN, clean_line, clean_text, json_text

if TYPE_CHECKING:
    from pathlib import Path

CELL_LIMIT = 32_767  # what Excel takes in a cell, counted in UTF-16 units as Excel does

CUT_MARK = " …[cut, {length} characters]"
FORMULA = tuple("=+-@＝＋－＠")
"""First characters a spreadsheet may compute; the full-width ones do in Chinese and Japanese."""

CHUNK = 1 << 16  # bytes read at once when looking for the last line from the end

HEAD = 1 << 16  # bytes read of a file's first row

DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that turn around what stands behind them, as in a name that ends with ``gpj.exe``."""

_GZIP = b"\x1f\x8b"
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
    text = limited(clean_line(one_text(value)))
    return "'" + text if text.lstrip().startswith(FORMULA) else text


_NOT_FOR_PEOPLE = re.compile(f"{FORBIDDEN.pattern}|{DIRECTION.pattern}|\r")


def for_people(text: str) -> str:
    """Return ``text`` without control characters and what turns it around; its lines stay.

    What is clean, as nearly all that comes out of the results, costs one look.
    """
    if text.isascii() and text.isprintable():
        return text
    return text if not _NOT_FOR_PEOPLE.search(text) else without_direction(clean_text(text))


def without_direction(text: str) -> str:
    """Return ``text`` as it is written, for people who would read it another way round."""
    return DIRECTION.sub("", text)


def one_text(value: Any) -> str:
    """Return a value as one text: lists by |, dicts as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, set, frozenset)):
        return "|".join(_member(member) for member in value)
    return json_text(value) if isinstance(value, dict) else str(value)


def _member(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ":".join(one_text(part) for part in value)
    return one_text(value)


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


def xml_name(text: str) -> str:
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


def csv_head(path: Path, encoding: str) -> list[str]:
    """Return the first row of a CSV file (packed or not); [] when it is missing or empty."""
    if not path.exists() or path.stat().st_size == 0:
        return []
    with cast("IO[bytes]", gzip.open(path)) if _packed(path) else path.open("rb") as file:
        first = io.TextIOWrapper(io.BytesIO(file.read(HEAD)), encoding, "replace", newline="")
    return [name.lstrip("\ufeff") for name in next(csv.reader(first), [])]


def whole_csv_row(line: bytes, encoding: str, columns: int) -> bool:
    """Whether a last line without an end is a row all the same, as some editors leave it."""
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return text.count('"') % 2 == 0 and len(next(csv.reader([text]), [])) == columns


def whole_json(line: bytes) -> bool:
    """Whether a last line without an end is a JSON value all the same."""
    try:
        msgspec.json.decode(line)
    except msgspec.DecodeError:
        return False
    return True


def mend(path: Path, line_end: bytes, is_whole: Callable[[bytes], bool]) -> None:
    """Bring a file of lines into a state to append to: its last run may have been killed.

    A last line without an end gets one when it is whole, else it is cut off: half a row would
    swallow the next one, or make the file unreadable. Packed files are left alone.
    """
    if not path.exists() or path.stat().st_size == 0 or _packed(path):
        return
    with path.open("r+b") as file:
        line = _unfinished(file)
        if not line:
            return
        if is_whole(line):
            file.seek(0, os.SEEK_END)
            file.write(b"\n" if line.endswith(b"\r") else line_end)
        else:
            file.truncate(path.stat().st_size - len(line))


def _unfinished(file: IO[bytes]) -> bytes:
    """Return what follows the last line feed."""
    start = file.seek(0, os.SEEK_END)
    line = b""
    while start and b"\n" not in line:
        step = min(CHUNK, start)
        start = file.seek(start - step)
        line = file.read(step) + line
    return line.rpartition(b"\n")[2]


def _packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP
