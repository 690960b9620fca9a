"""csv for spreadsheets and JSON lines for programs."""

from __future__ import annotations

import csv
from io import TextIOWrapper
from typing import IO, TYPE_CHECKING, Any

from focuscrawl.export.sheets import TIME
from focuscrawl.report.cells import cell
from focuscrawl.results.columns import json_text, time_text
from focuscrawl.results.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from focuscrawl.export.sheets import SheetColumn, SheetRows

CSV_ENCODING = "utf-8-sig"
"""Its mark tells Excel that a file is UTF-8."""


def write_csv(file: IO[bytes], table: SheetRows, lang: str) -> int:
    """Write a sheet: a mark, a head, CRLF; every cell one line that is no formula. Return the rows."""
    stream = TextIOWrapper(file, CSV_ENCODING, errors="replace", newline="", write_through=True)
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([cell(one.head(lang)) for one in table.columns])
    are_times = [one.holds == TIME for one in table.columns]
    count = 0
    for row in table.rows:
        count += 1
        writer.writerow(
            [
                cell(time_text(value) if is_time and value is not None else value)
                for is_time, value in zip(are_times, row, strict=True)
            ]
        )
    stream.detach()
    return count


def write_jsonl(file: IO[bytes], table: SheetRows, lang: str) -> int:
    """Write an object a line, with the columns' names whatever the language is. Return the rows."""
    count = 0
    for row in table.rows:
        count += 1
        values = {
            one.name: _plain(one, value) for one, value in zip(table.columns, row, strict=True)
        }
        line = json_text({**values, "_table": table.sheet.name, "_schema": SCHEMA_VERSION})
        file.write(line.encode("utf-8", "replace") + b"\n")
    return count


def _plain(column: SheetColumn, value: Any) -> Any:
    return time_text(value) if column.holds == TIME and value is not None else value
