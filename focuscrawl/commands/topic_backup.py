"""``scrapy topic backup``: the crawl and its results in one file, taken while the crawl runs or not."""

from __future__ import annotations

import argparse
import tempfile
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from focuscrawl.commands.crawl_file import Places, places_of
from focuscrawl.commands.trial import CannotDo
from focuscrawl.store.protocol import StoreError
from focuscrawl.store.reading import copy_database

if TYPE_CHECKING:
    from focuscrawl.commands.topic import Command

ENDING = ".zip"
SIZE_UNITS = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))


def backup(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """Copy crawl and results of a topic (NAME [FILE]) as they are now into one file, running or not."""
    if not 1 <= len(args) <= 2:
        raise UsageError("name the topic and, if you like, the file: scrapy topic backup NAME FILE")
    places = places_of(command, command.loaded(args[:1], opts, secrets=False))
    now = datetime.fromtimestamp(places.config.clock.wall(), UTC)
    usual = f"{places.name}-{now:%Y%m%dT%H%M%S}{ENDING}"
    target = _target(Path(args[1]) if len(args) > 1 else places.config.data_dir, usual)
    if target.exists():
        raise CannotDo(f"{target} is already there; choose another name")
    try:
        written = _write(places, target)
    except (StoreError, OSError) as error:
        raise CannotDo(f"no backup was made: {error}") from None
    lines = [f"{target.absolute()} written ({_size(target.stat().st_size)}):", *written]
    if not isinstance(places.results, Path):
        lines.append(
            "  not in it: the results, which are in a database of their own; copy that, too"
        )
    lines.append(
        f"To go back to it: stop the crawl, delete {places.name}*.db* in {places.config.data_dir}"
        f" and unpack the file there."
    )
    return "\n".join(lines)


def _target(wish: Path, usual: str) -> Path:
    if wish.is_dir():
        return wish / usual
    return wish if wish.suffix == ENDING else wish.with_name(wish.name + ENDING)


def _write(places: Places, target: Path) -> list[str]:
    """Copy the files, the crawl's first, and pack them; returns what was written.

    A crawl writes results first. So the results may know of pages that the crawl's file still has
    to do, which does no harm: they are fetched again and give the same rows. Never the reverse.
    """
    sources = [places.crawl]
    if isinstance(places.results, Path) and places.results.exists():
        sources.append(places.results)
    written = []
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.absolute().parent) as folder:
        copies = [(source, Path(folder) / source.name) for source in sources]
        for source, copy in copies:
            copy_database(source, copy)
        packed = Path(folder) / "packed"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            for source, copy in copies:
                file.write(copy, source.name)
                written.append(f"  {source.name}, {_size(copy.stat().st_size)}")
        packed.rename(target)
    return written


def _size(size: int) -> str:
    for unit, least in SIZE_UNITS:
        if size >= least:
            return f"{size / least:.1f} {unit}"
    return f"{size} bytes"
