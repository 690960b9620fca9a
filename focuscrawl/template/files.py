"""What a template names outside itself: files, for an inline template only in some places, and secrets.

A template that lies in a file was put on the machine by a user who may write there. An inline one
comes with a job: a user who may schedule jobs must not read the machine's secrets by it, nor write where
others read. Secrets are named, ``env:NAME`` and ``file:PATH``, and read only when a crawl starts.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from focuscrawl.locale.messages import N_, _

MOST_BYTES = 16_000_000
"""A list of half a million addresses; what is longer is no list, and would fill the memory."""

ALLOWS_MORE = N_("FOCUSCRAWL_INLINE_FOLDERS allows more")
_PORTS = frozenset({"REMOTE_CONTROL_ENABLED", "TELNETCONSOLE_ENABLED"})
"""Settings of Scrapy that open a port which runs what it is sent."""

HARMLESS_TEXTS = frozenset({"LOG_LEVEL", "USER_AGENT", "encoding"})

PLACEHOLDERS = re.compile(r"%\((?:name|time|batch_time)\)s|%\(batch_id\)\d{0,2}d")
"""What Scrapy may fill into the address of an inline template's feed. It would fill in anything that
a spider holds: the template's own text, and so any path; or settings, and so passwords."""

OTHER_PLACEHOLDER = N_(
    "an inline template's feeds are named by only %(name)s, %(time)s, %(batch_time)s and"
    " %(batch_id)d, as in %(batch_id)05d"
)

NOT_INLINE = N_(
    "not in an inline template, since it may name files, code or ports; set it with -s,"
    " or write the topic into a file"
)


class ListError(ValueError):
    """A file that a list names cannot be read."""


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
            raise FileError(
                _("an inline template reads and writes below {places}; {more}").format(
                    places=places, more=_(ALLOWS_MORE)
                )
            )

    def setting_problems(self, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Go through the settings of Scrapy that may name files or code, each with the reason."""
        if self.is_everywhere:
            return
        for name, value in settings.items():
            is_plain = isinstance(value, bool | int | float) or name in HARMLESS_TEXTS
            if not is_plain or name in _PORTS:
                yield name, _(NOT_INLINE)

    def check_placeholders(self, uri: str) -> None:
        """Raise FileError for a feed's address that Scrapy would fill with other than PLACEHOLDERS."""
        if not self.is_everywhere and "%(" in PLACEHOLDERS.sub("_", uri):
            raise FileError(_(OTHER_PLACEHOLDER))

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
            raise FileError(_("it is no regular file"))
        with os.fdopen(opened, "rb", closefd=False) as file:
            content = file.read(MOST_BYTES + 1)
    finally:
        os.close(opened)
    if len(content) > MOST_BYTES:
        raise FileError(_("it is longer than {size} MB").format(size=MOST_BYTES // 1_000_000))
    return content


ENVIRONMENT, FILE = "env:", "file:"


_HIDDEN_VALUE = "***"
PASSWORD = re.compile(r"(?<=://)(?:([^\s/?#:@\"']*):[^\s/?#\"']*|[^\s/?#:@\"']+)@")
"""The user and password of an address: what stands before its last @, up to the path. A name alone may be a key
(``http://KEY@proxy``)."""

PARAMETER = re.compile(
    r"(?<=[?&;])((?:[\w.%-]*[_.-])?(?:passw(?:or)?d|passphrase|pwd|token|secret|(?:api|access)[_-]?key|signature|sig))"
    r"=[^\s&#\"'<>]+",
    re.IGNORECASE,
)
"""A parameter of an address whose name says that its value is a secret."""

ANY_PASSWORD = re.compile(
    r"(?<![\w])(?!mailto:|https?:)([\w.~%!$&()*+;=-]+):(?!\d+/)[^\s\"'@]+@(?=[\w\[])"
)
"""The same where a person has mistyped the address: without a scheme, or with / in the password."""


class SecretError(ValueError):
    """A secret that cannot be read; the message names the variable or file, never a value."""


class Cookie(NamedTuple):
    """A cookie to send; without a domain it is for the site it is written for.

    ``secure``: it is for https alone; None: nothing says so. ``expires`` is in seconds since 1970 UTC, None: with the
    session.
    """

    name: str
    value: str
    domain: str = ""
    path: str = "/"
    secure: bool | None = None
    expires: float | None = None


def masked(plain: Any) -> Any:
    """Return a plain value without the passwords and keys of the addresses in it: proxies, feeds, settings."""
    if isinstance(plain, dict):
        return {masked(name): masked(value) for name, value in plain.items()}
    if isinstance(plain, list):
        return [masked(entry) for entry in plain]
    if not isinstance(plain, str):
        return plain
    if "@" in plain:
        plain = PASSWORD.sub(_without_password, plain)
    return PARAMETER.sub(rf"\1={_HIDDEN_VALUE}", plain) if "=" in plain else plain


def _without_password(found: re.Match[str]) -> str:
    return f"{_HIDDEN_VALUE}@" if found[1] is None else f"{found[1]}:{_HIDDEN_VALUE}@"


def masked_message(text: str) -> str:
    """Return a message without passwords; what was mistyped may be no address at all."""
    return ANY_PASSWORD.sub(rf"\1:{_HIDDEN_VALUE}@", masked(text))


def is_secret(value: object) -> bool:
    """Whether a value names a secret instead of being one."""
    return isinstance(value, str) and value.startswith((ENVIRONMENT, FILE))


def reveal(
    value: str, environment: Mapping[str, str], folder: Path, reach: Reach | None = None
) -> str:
    """Return the secret a value names, or the value itself; raises SecretError."""
    if value.startswith(ENVIRONMENT):
        name = value.removeprefix(ENVIRONMENT)
        if not environment.get(name):
            raise SecretError(_("the variable {name} is not set").format(name=name))
        return environment[name]
    if value.startswith(FILE):
        return read_secret_file(value.removeprefix(FILE), folder, reach).strip()
    return value


def read_secret_file(name: str, folder: Path, reach: Reach | None = None) -> str:
    """Return the text of a file beside the template; raises SecretError."""
    try:
        return read_file(folder / Path(name).expanduser(), reach).decode("utf-8-sig")
    except (OSError, RuntimeError, ValueError) as error:
        reason = _("not UTF-8") if isinstance(error, UnicodeError) else str(error)
        if isinstance(error, OSError):
            reason = error.strerror or reason
        raise SecretError(
            _("the file {name} cannot be read: {reason}").format(name=name, reason=reason)
        ) from None


def read_cookies(
    plain: dict[str, str] | str,
    environment: Mapping[str, str],
    folder: Path,
    reach: Reach | None = None,
) -> tuple[Cookie, ...]:
    """Return the cookies of a table or of a browser's exported file; raises SecretError."""
    if isinstance(plain, dict):
        return tuple(
            Cookie(name, reveal(value, environment, folder, reach)) for name, value in plain.items()
        )
    name = plain.removeprefix(FILE)
    return tuple(_netscape(read_secret_file(name, folder, reach), name))


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None


def _netscape(text: str, name: str) -> Iterator[Cookie]:
    """Read the Netscape format: domain, subdomains, path, secure, expires, name, value by tabs."""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.removeprefix("#HttpOnly_")
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        expires = _seconds(fields[4]) if len(fields) == 7 else None
        if expires is None:
            raise SecretError(
                _(
                    "the file {name} is no exported cookie file: line {number} has not the seven fields"
                    " of the Netscape format, separated by tabs"
                ).format(name=name, number=number)
            )
        yield Cookie(
            fields[5], fields[6], fields[0], fields[2], fields[3] == "TRUE",
            expires if expires > 0 else None,
        )  # fmt: skip
