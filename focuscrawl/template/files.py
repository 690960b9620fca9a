"""Files that a template names: regular ones of some MB, and for an inline template only some places.

A template that lies in a file was put on the machine by somebody who may write there. An inline one
comes with a job: whoever may schedule jobs must not read the machine's secrets by it, nor write where
others read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any
from urllib.parse import unquote, urlsplit

MOST_BYTES = 16_000_000
"""A list of half a million addresses; what is longer is no list, and would fill the memory."""

ALLOWS_MORE = "FOCUSCRAWL_INLINE_FOLDERS allows more"
_PORTS = frozenset({"REMOTE_CONTROL_ENABLED", "TELNETCONSOLE_ENABLED"})
"""Settings of Scrapy that open a port which runs what it is sent."""

HARMLESS_TEXTS = frozenset({"LOG_LEVEL", "USER_AGENT"})

PLACEHOLDERS = re.compile(r"%\((?:name|time|batch_time)\)s|%\(batch_id\)\d{0,2}d")
"""What Scrapy may fill into the address of an inline template's feed. It would fill in anything that
a spider holds: the template's own text, and so any path; or settings, and so passwords."""

OTHER_PLACEHOLDER = (
    "an inline template's feeds are named by only %(name)s, %(time)s, %(batch_time)s and %(batch_id)d,"
    " as in %(batch_id)05d"
)

NOT_INLINE = (
    "not in an inline template, since it may name files, code or ports; set it with -s, or write the"
    " topic into a file"
)


class FileError(ValueError):
    """A file that cannot be used; the message says why, never what is in it."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Where an inline template may read and write: below ``folders``, links followed.

    Feeds without a scheme are written into ``data``.
    """

    folders: tuple[Path, ...]
    data: Path

    @property
    def is_everywhere(self) -> bool:
        """Whether nothing is out of reach."""
        return any(folder.resolve() == Path(folder.anchor).resolve() for folder in self.folders)

    def check(self, path: Path) -> None:
        """Raise FileError for a path that leads out of the folders."""
        real = path.resolve()
        if not any(real.is_relative_to(folder.resolve()) for folder in self.folders):
            places = ", ".join(map(str, dict.fromkeys(self.folders)))
            raise FileError(f"an inline template reads and writes below {places}; {ALLOWS_MORE}")

    def setting_problems(self, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Go through the settings of Scrapy that may name files or code, each with the reason."""
        if self.is_everywhere:
            return
        for name, value in settings.items():
            is_plain = isinstance(value, bool | int | float) or name in HARMLESS_TEXTS
            if not is_plain or name in _PORTS:
                yield name, NOT_INLINE

    def check_placeholders(self, uri: str) -> None:
        """Raise FileError for a feed's address that Scrapy would fill with other than PLACEHOLDERS."""
        if not self.is_everywhere and "%(" in PLACEHOLDERS.sub("_", uri):
            raise FileError(OTHER_PLACEHOLDER)

    def feed_file(self, uri: str) -> Path | None:
        """Return the file a feed is written to; None when it is none of this machine."""
        parts = urlsplit(uri)
        if PureWindowsPath(uri).drive or not parts.scheme:
            return self.data / uri
        return Path(unquote(parts.path)) if parts.scheme.lower() == "file" else None


def read_file(path: Path, reach: Reach | None = None) -> bytes:
    """Return what is in a regular file of at most MOST_BYTES. Raises FileError, OSError."""
    if reach is not None:
        reach.check(path)
        path = path.resolve()
    # A named pipe or a device would be waited for, or read, without end.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    opened = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise FileError("it is no regular file")
        with os.fdopen(opened, "rb", closefd=False) as file:
            content = file.read(MOST_BYTES + 1)
    finally:
        os.close(opened)
    if len(content) > MOST_BYTES:
        raise FileError(f"it is longer than {MOST_BYTES // 1_000_000} MB")
    return content
