"""Lists from files: ``@sites.txt`` in a list of texts, ``四川|@cities.txt`` in a word group."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from focuscrawl.template.files import FileError, Reach, read_file
from focuscrawl.template.kinds.words import EXPRESSION, WEIGHT, split_synonyms
from focuscrawl.template.problems import Origin
from focuscrawl.template.toml import decode

MARK = "@"


class _Entry(NamedTuple):
    """One entry of a list and where it stands."""

    value: Any
    origin: Origin


class ListError(ValueError):
    """A file that a list names cannot be read."""


def is_file(entry: object) -> bool:
    """Whether an entry stands for the lines of a file; ``@@`` is a literal @."""
    return isinstance(entry, str) and entry[:1] == MARK and entry[:2] != MARK * 2


def expand(
    value: Any, folder: Path, origin: Origin, *, groups: bool, reach: Reach | None = None
) -> Iterator[_Entry]:
    """Go through the entries of a list, files replaced by their lines; raises ListError.

    ``reach`` is where an inline template may read.

    With ``groups`` entries are word groups: a file beside a ``|`` or with a weight gives synonyms,
    one alone gives a group for each line.
    """
    for entry in value if isinstance(value, list) else [value]:
        if groups and isinstance(entry, str) and not entry.startswith(EXPRESSION):
            weight = WEIGHT.search(entry)
            body = entry[: weight.start(1) - 1] if weight else entry
            synonyms = split_synonyms(body)
            if any(map(is_file, synonyms)) and (weight or len(synonyms) > 1):
                joined = "|".join(_synonyms(synonyms, folder, reach))
                yield _Entry(joined + (f"^{weight[1]}" if weight else ""), origin)
                continue
        if is_file(entry):
            yield from read_list(entry[1:].strip(), folder, reach)
        else:
            yield _Entry(entry, origin)


def _synonyms(synonyms: list[str], folder: Path, reach: Reach | None) -> Iterator[str]:
    for synonym in synonyms:
        if is_file(synonym):
            yield from (line.value for line in read_list(synonym[1:].strip(), folder, reach))
        else:
            yield synonym


def read_list(name: str, folder: Path, reach: Reach | None = None) -> Iterator[_Entry]:
    """Go through the lines of a file, of a .csv the first column, without comments."""
    try:
        raw = read_file(folder / name, reach)
    except FileError as error:
        raise ListError(f"the file {name} cannot be used: {error}") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ListError(f"the file {name} cannot be read in {folder}: {why}") from None
    text, problems = decode(raw, name)
    if problems:
        raise ListError(f"the file {name} is {problems[0].text}")
    rows = text.splitlines()
    if name.lower().endswith(".csv"):
        try:
            rows = [row[0] if row else "" for row in csv.reader(rows)]
        except csv.Error as error:
            raise ListError(f"the file {name} is no CSV: {error}") from None
    for number, row in enumerate(rows, 1):
        entry = row.strip() if row.lstrip().startswith("#") else row.split(" #")[0].strip()
        if entry and not entry.startswith("#"):
            yield _Entry(MARK + entry if entry[:1] == MARK else entry, Origin(name, number))
