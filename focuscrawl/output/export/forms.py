"""The forms of a sheet: csv for spreadsheets, JSON lines for programs, xlsx for people.

A workbook is made by XlsxWriter in constant memory: numbers and dates can be counted with, links be clicked, all else
is text, telephone numbers and what looks like a formula, too.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo
from functools import partial
from tempfile import TemporaryDirectory
from threading import Lock
from typing import IO, TYPE_CHECKING, Any
from zipfile import ZipFile

from xlsxwriter import Workbook, workbook
from xlsxwriter.exceptions import XlsxFileError

from focuscrawl.output.export.sheets import LINK, TIME
from focuscrawl.output.summary.cells import cell, for_people, limited, one_text
from focuscrawl.output.summary.markup import is_link
from focuscrawl.readers.text.moments import moment_text
from focuscrawl.stores.results.columns import json_text, time_text
from focuscrawl.stores.results.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from pathlib import Path

    from xlsxwriter.worksheet import Worksheet

    from focuscrawl.output.export.sheets import SheetColumn, SheetRows

CSV_ENCODING = "utf-8-sig"
"""Its mark tells Excel that a file is UTF-8."""


def write_csv(file: IO[bytes], table: SheetRows, language: str) -> int:
    """Write a sheet: a mark, a head, CRLF; every cell one line that is no formula. Return the rows."""
    # A TextIOWrapper would close the file, which may be stdout, where a row of it cannot be written.
    stream = codecs.getwriter(CSV_ENCODING)(file, "replace")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([cell(one.head(language)) for one in table.columns])
    count = 0
    for row in table.rows:
        count += 1
        pairs = zip(table.columns, row, strict=True)
        writer.writerow([cell(_for_programs(column, value)) for column, value in pairs])
    return count


def write_jsonl(file: IO[bytes], table: SheetRows, language: str) -> int:
    """Write an object a line, with the columns' names whatever the language is. Return the rows."""
    count = 0
    for row in table.rows:
        count += 1
        pairs = zip(table.columns, row, strict=True)
        values = {column.name: _for_programs(column, value) for column, value in pairs}
        line = json_text({**values, "_table": table.sheet.name, "_schema": SCHEMA_VERSION})
        file.write(line.encode("utf-8", "replace") + b"\n")
    return count


def _for_programs(column: SheetColumn, value: Any) -> Any:
    """Return a value as programs take it; a day without a time is that day already."""
    is_moment = column.holds == TIME and value is not None and not isinstance(value, str)
    return time_text(value) if is_moment else value


# Workbooks ---------------------------------------------------------------------------------------

_MOST_SHEET_LINKS = 65_000
"""Excel takes 65,530 links a sheet; further addresses stand there as text."""

_MOST_ROWS = 1_048_575
"""Rows of a sheet below its head; the rest of a table goes into a further sheet."""

LONGEST_SHEET_NAME = 31  # Excel takes no more
NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\']")


def write_xlsx(
    path: Path, tables: Iterable[SheetRows], language: str, zone: tzinfo
) -> dict[str, int]:
    """Write a workbook with a sheet for each table; return how many rows each has. Raises OSError."""
    counts: dict[str, int] = {}
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    # XlsxWriter leaves its drafts of sheets where it fails: they have a folder that goes with them.
    with TemporaryDirectory() as folder:
        # The context of a book would pack what failed half-way, and the second error hide the first.
        book = _Book(str(path), options | {"tmpdir": folder})
        try:
            looks, empty = _Looks(book), None
            for table in tables:
                title = sheet_name(table.sheet.title(language))
                counts[title] = _write_sheet(book, looks, table, title, (language, zone))
                empty = empty or table
            if not book.worksheets() and empty is not None:  # a workbook has a sheet at least
                _begin(book, looks, empty, sheet_name(empty.sheet.title(language)), language)
            elif not book.worksheets():
                book.add_worksheet()
            book.close()
        except XlsxFileError as error:  # it wraps the error of the system
            raise OSError(*_system_error(error)) from error
        finally:
            book.close_drafts()
    return counts


def _system_error(error: XlsxFileError) -> tuple[object, ...]:
    own = error.args[0] if error.args else error
    return (own.errno, own.strerror, own.filename) if isinstance(own, OSError) else (str(own),)


_MOST_EXACT = 10.0**15
"""Numbers from here on lose digits in a spreadsheet: they are text there. NaN and infinity are, too."""

MARKUP_ENDS = "</r>"
"""How a text ends that XlsxWriter takes for a cell with markup of its own, and writes as it is."""


class _Book(Workbook):  # type: ignore[misc]  # it says no types
    """A workbook that is packed quickly: a text of a page in a third of the time, a quarter larger."""

    _packing = Lock()

    def close_drafts(self) -> None:
        """Close the drafts of sheets, of which some are open where it has failed."""
        for sheet in self.worksheets():
            for draft in filter(None, (sheet.row_data_fh, sheet.fh)):
                with suppress(OSError):  # of rows that the disk has no room for
                    draft.close()

    def _store_workbook(self) -> None:
        # XlsxWriter has no option for it, and asks zipfile for its default.
        with self._packing:
            usual, workbook.ZipFile = workbook.ZipFile, partial(ZipFile, compresslevel=1)
            try:
                super()._store_workbook()
            finally:
                workbook.ZipFile = usual


class _Looks:
    """The formats of a workbook."""

    def __init__(self, book: Workbook) -> None:
        self.head = book.add_format({"bold": True, "bg_color": "#EEEEEE", "bottom": 1})
        self.text = book.add_format({"num_format": "@", "valign": "top"})
        self.link = book.add_format({"font_color": "#0563C1", "underline": 1, "valign": "top"})
        self.number = book.add_format({"valign": "top"})
        self.time = book.add_format({"num_format": "yyyy-mm-dd hh:mm", "valign": "top"})
        self.day = book.add_format({"num_format": "yyyy-mm-dd", "valign": "top"})


def sheet_name(title: str) -> str:
    """Return a title as Excel takes it."""
    return NOT_IN_SHEET_NAMES.sub(" ", title)[:LONGEST_SHEET_NAME].strip() or "Sheet"


def _write_sheet(
    book: Workbook, looks: _Looks, table: SheetRows, title: str, reader: tuple[str, tzinfo]
) -> int:
    """Write the rows of a table, where it has some; return how many."""
    language, zone = reader
    writers = [_writer(one, zone, looks) for one in table.columns]
    sheet: Worksheet | None = None
    count = line = 0
    number = 1
    for row in table.rows:
        line += 1
        count += 1
        if sheet is None:
            sheet = _begin(book, looks, table, title, language)
        elif line > _MOST_ROWS:
            number, line = number + 1, 1
            sheet = _begin(book, looks, table, f"{title} {number}", language)
            writers = [_writer(one, zone, looks) for one in table.columns]
        for at, (write, value) in enumerate(zip(writers, row, strict=True)):
            if value is not None:
                write(sheet, line, at, value)
    return count


def _begin(book: Workbook, looks: _Looks, table: SheetRows, title: str, language: str) -> Worksheet:
    """Begin a sheet: widths, a head that stays, a filter over it."""
    sheet = book.add_worksheet(title)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, _MOST_ROWS, len(table.columns) - 1)
    for at, column in enumerate(table.columns):
        sheet.set_column(at, at, column.width, looks.text)
    for at, column in enumerate(table.columns):
        sheet.write_string(0, at, column.head(language or "en"), looks.head)
    return sheet


_CellWriter = Callable[["Worksheet", int, int, Any], None]


def _writer(column: SheetColumn, zone: tzinfo, looks: _Looks) -> _CellWriter:
    """Return what writes the values of a column into a sheet of its own."""
    if column.holds == TIME:
        return partial(_write_time, zone=zone, looks=looks)
    return _write_links(looks) if column.holds == LINK else partial(_write_plain, looks=looks)


def _write_plain(sheet: Worksheet, line: int, at: int, value: Any, looks: _Looks) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and abs(value) < _MOST_EXACT:
        sheet.write_number(line, at, value, looks.number)
    elif text := _cell_text(as_text(value)):
        sheet.write_string(line, at, text, looks.text)


def _write_time(
    sheet: Worksheet, line: int, at: int, value: Any, zone: tzinfo, looks: _Looks
) -> None:
    """Write a moment as a date that spreadsheets know; a day without a time stays one."""
    try:
        is_day = isinstance(value, str)
        moment = datetime.fromisoformat(value) if is_day else datetime.fromtimestamp(value, zone)
        sheet.write_datetime(line, at, moment.replace(tzinfo=None), looks.day if is_day else looks.time)  # fmt: skip
    except (ValueError, OverflowError, OSError):  # before 1900, or no date of ours
        text = value if isinstance(value, str) else moment_text(value, zone)
        sheet.write_string(line, at, _cell_text(text), looks.text)


def _write_links(looks: _Looks) -> _CellWriter:
    links = 0

    def write(sheet: Worksheet, line: int, at: int, value: Any) -> None:
        nonlocal links
        text = _cell_text(as_text(value))
        if links < _MOST_SHEET_LINKS and is_link(text):
            links += 1  # XlsxWriter would make one of a file or a macro, too
            sheet.write_url(line, at, text, looks.link, text)
        elif text:
            sheet.write_string(line, at, text, looks.text)

    return write


def _cell_text(text: str) -> str:
    return f"{text} " if text.endswith(MARKUP_ENDS) else text


def as_text(value: Any) -> str:
    """Return a value as the text of a cell: lists joined, truths and numbers as they are written."""
    if isinstance(value, str):
        return limited(for_people(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict) and value and all(isinstance(one, int) for one in value.values()):
        return limited(for_people("、".join(f"{word} {count}" for word, count in value.items())))
    return limited(for_people(_listed(value)))


def _listed(value: Any) -> str:
    """Return a list for people; of pairs of word and weight the words alone."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        parts = [one[0] if isinstance(one, list | tuple) and one else one for one in value]
        return "、".join(one if isinstance(one, str) else one_text(one) for one in parts)
    return one_text(value)
