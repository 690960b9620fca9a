"""Secrets: ``env:NAME`` and ``file:PATH`` in a template, read only when a crawl starts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from focuscrawl.template.files import Reach, read_file

ENVIRONMENT, FILE = "env:", "file:"


_HIDDEN = "***"
PASSWORD = re.compile(r"(?<=://)([^\s/?#:@\"']*):[^\s/?#\"']*@")
"""The user and password of an address: what stands before its last @, up to the path."""

ANY_PASSWORD = re.compile(
    r"(?<![\w])(?!mailto:|https?:)([\w.~%!$&()*+;=-]+):(?!\d+/)[^\s\"'@]+@(?=[\w\[])"
)
"""The same where a person has mistyped the address: without a scheme, or with / in the password."""


class SecretError(ValueError):
    """A secret that cannot be read; the message names the variable or file, never a value."""


class Cookie(NamedTuple):
    """A cookie to send; without a domain it is for the site it is written for.

    ``expires`` is in seconds since 1970 UTC, None: with the session.
    """

    name: str
    value: str
    domain: str = ""
    path: str = "/"
    secure: bool = False
    expires: float | None = None


def masked(plain: Any) -> Any:
    """Return a plain value without the passwords of the addresses in it: proxies, feeds, settings."""
    if isinstance(plain, dict):
        return {masked(name): masked(value) for name, value in plain.items()}
    if isinstance(plain, list):
        return [masked(entry) for entry in plain]
    return PASSWORD.sub(rf"\1:{_HIDDEN}@", plain) if isinstance(plain, str) else plain


def masked_message(text: str) -> str:
    """Return a message without passwords; what was mistyped may be no address at all."""
    return ANY_PASSWORD.sub(rf"\1:{_HIDDEN}@", masked(text))


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
            raise SecretError(f"the variable {name} is not set")
        return environment[name]
    if value.startswith(FILE):
        return read_secret_file(value.removeprefix(FILE), folder, reach).strip()
    return value


def read_secret_file(name: str, folder: Path, reach: Reach | None = None) -> str:
    """Return the text of a file beside the template; raises SecretError."""
    try:
        return read_file(folder / Path(name).expanduser(), reach).decode("utf-8-sig")
    except (OSError, RuntimeError, ValueError) as error:
        reason = "not UTF-8" if isinstance(error, UnicodeError) else str(error)
        if isinstance(error, OSError):
            reason = error.strerror or reason
        raise SecretError(f"the file {name} cannot be read: {reason}") from None


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


def _netscape(text: str, name: str) -> Iterator[Cookie]:
    """Read the Netscape format: domain, subdomains, path, secure, expires, name, value by tabs."""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.removeprefix("#HttpOnly_")
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 7 or not fields[4].lstrip("-").split(".")[0].isdecimal():
            raise SecretError(
                f"the file {name} is no exported cookie file: line {number} has not the seven"
                " fields of the Netscape format, separated by tabs"
            )
        expires = float(fields[4])
        yield Cookie(
            fields[5], fields[6], fields[0], fields[2], fields[3] == "TRUE",
            expires if expires > 0 else None,
        )  # fmt: skip
