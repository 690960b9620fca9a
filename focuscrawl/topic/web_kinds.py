"""The kinds of values that have to do with addresses and what is sent there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import regex

from focuscrawl.topic.groups import WordError, parse_group
from focuscrawl.topic.hours import Window, parse_window
from focuscrawl.topic.kinds import Invalid, Kind, itself, listed
from focuscrawl.topic.matches import (
    EXPRESSION,
    LOOKS_LIKE_EXPRESSION,
    Hosts,
    Matches,
    glob_of,
)
from focuscrawl.topic.secrets import is_secret
from focuscrawl.topic.words import Words
from focuscrawl.urls.parameters import ParameterNames

HOST = re.compile(
    r"=?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
)
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
GROUP_REFERENCE = re.compile(r"\\(\d+)")
BAD_REWRITE = "a table of 'regular expression' = 'replacement'"


def checked(words: str, check: Callable[[str], str], build: Callable[[Any], Any] = itself) -> Kind:
    """A text that ``check`` returns in its normal form, or raises ValueError."""

    def read(value: object) -> str:
        if not isinstance(value, str):
            raise Invalid(f"a text in quotes ({words})", value)
        try:
            return check(value.strip())
        except Invalid:
            raise
        except ValueError as error:
            raise Invalid(str(error), value) from None

    return Kind(words, read, {"type": "string"}, build)


def url() -> Kind:
    """An address with http or https and a host."""
    return checked("url", check_url)


def check_url(value: str, *, login: bool = False) -> str:
    """Return the address; raises ValueError. ``login``: it may hold a user and a password."""
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018 - raises for a bad port
    except ValueError:
        raise ValueError("not an address") from None
    if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
        near = value.removeprefix("//")
        hint = f': "https://{near}"' if "://" not in value and "." in near else ""
        raise ValueError(f"an address begins with http:// or https://{hint}")
    if CONTROL.search(value) or " " in value:
        raise ValueError("an address holds no spaces or control characters; write %20")
    if "@" in parts.netloc and not login:
        raise ValueError(
            "an address holds no user and password, which would be stored with every page of it;"
            f' write [site."{parts.hostname}"] headers = {{ Authorization = "env:LOGIN" }} and set the'
            " variable LOGIN to what the site wants, as in Basic dXNlcjpwYXNzd29yZA=="
        )
    return value


def check_host(value: str) -> str:
    """Return a host in lower case and ASCII; raises ValueError."""
    bare = value.removeprefix("=")
    if "/" in bare or ":" in bare:
        host = urlsplit(bare if "//" in bare else f"//{bare}").hostname or "example.cn"
        raise ValueError(f'the host only: "{host}"')
    try:
        name = bare.rstrip(".").lower().removeprefix("*.").encode("idna").decode()
    except UnicodeError:
        name = ""
    if not HOST.fullmatch(name):
        raise ValueError('a host looks like "example.cn", or "=example.cn" without its subdomains')
    return "=" + name if value.startswith("=") else name


def hosts() -> Kind:
    """Host names with their subdomains; ``=`` for the host alone."""
    return listed(checked("host", check_host), "hosts", Hosts)


def matches() -> Kind:
    """Parts of addresses."""
    return listed(checked("match", check_match), "match", Matches)


def parameters() -> Kind:
    """Names of query parameters, as ParameterNames of the room urls reads them."""

    def check(value: str) -> str:
        ParameterNames([value])
        return value

    return listed(checked("match", check), "match for parameter names")


def check_match(value: str) -> str:
    """Return an address pattern; raises ValueError for what looks like a regular expression."""
    if value.startswith(EXPRESSION):
        _compiled(value.removeprefix(EXPRESSION))
    elif not value:
        raise ValueError("empty; write a part of the address")
    elif LOOKS_LIKE_EXPRESSION.search(value):
        plain = glob_of(value)
        glob = f', or "{plain}"' if plain else ""
        raise ValueError(f"looks like a regular expression; write 're:{value}'{glob}")
    return value


def _compiled(expression: str) -> regex.Pattern[str]:
    try:
        return regex.compile(expression)
    except regex.error as error:
        raise ValueError(f"not a regular expression: {error}") from None


def words() -> Kind:
    """Word groups with synonyms and weights."""
    entry = checked("words", check_group)
    return replace(listed(entry, "words"), build=Words, groups=True)


def check_group(value: str) -> str:
    """Return a word group as written; raises ValueError."""
    try:
        parse_group(value)
    except WordError as error:
        raise ValueError(str(error)) from None
    return value


def windows() -> Kind:
    """Time windows; built as a tuple of Window."""

    def check(value: str) -> str:
        parse_window(value)
        return value

    return listed(checked("time window", check), "time windows", _windows)


def _windows(plain: list[str]) -> tuple[Window, ...]:
    return tuple(parse_window(one) for one in plain)


def rewrites() -> Kind:
    """A table regular expression = replacement."""

    def read(value: object) -> dict[str, str]:
        if not isinstance(value, dict):
            raise Invalid(BAD_REWRITE, value)
        for pattern, replacement in value.items():
            if not isinstance(replacement, str):
                raise Invalid(BAD_REWRITE, {pattern: replacement})
            try:
                groups = _compiled(pattern).groups
            except ValueError as error:
                raise Invalid(str(error), {pattern: replacement}) from None
            if any(int(number) > groups for number in GROUP_REFERENCE.findall(replacement)):
                message = f"the replacement names a group the expression has not ({groups} groups)"
                raise Invalid(message, {pattern: replacement})
        return dict(value)

    schema = {"type": "object", "additionalProperties": {"type": "string"}}
    return Kind("table", read, schema, _pairs, table=True)


def _pairs(plain: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(plain.items())


def headers() -> Kind:
    """A table of header names and values; values may be secrets."""

    def read(value: object) -> dict[str, str]:
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            raise Invalid('a table of texts: { Referer = "https://www.example.com/" }', value)
        for name, content in value.items():
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or CONTROL.search(content):
                raise Invalid("a header is one line of text, its name ASCII", {name: content})
        return dict(value)

    schema = {"type": "object", "additionalProperties": {"type": "string"}}
    return Kind("table", read, schema, table=True)


def cookies() -> Kind:
    """A table of names and values (may be secrets), or ``file:`` with a browser's cookie file."""

    def read(value: object) -> dict[str, str] | str:
        if isinstance(value, str) and value.startswith("file:"):
            return value
        if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
            return dict(value)
        raise Invalid('a table { name = "value" } or "file:cookies.txt"', value)

    table = {"type": "object", "additionalProperties": {"type": "string"}}
    schema = {"anyOf": [table, {"type": "string", "pattern": "^file:"}]}
    return Kind('table | "file:cookies.txt"', read, schema, table=True)


def proxies() -> Kind:
    """Addresses of proxies, or secrets that hold one."""

    def check(value: str) -> str:
        return value if is_secret(value) else check_url(value, login=True)

    return listed(checked("url", check), "url † | list")


def header_text(words: str) -> Kind:
    """One line of text that is sent as a header."""

    def check(value: str) -> str:
        if not value or CONTROL.search(value):
            raise ValueError("one line of text")
        return value

    return checked(words, check)


def contact() -> Kind:
    """An address where site owners can complain: a page or an e-mail address."""

    def check(value: str) -> str:
        if re.fullmatch(r"(?:mailto:)?[^\s@,;()<>/]+@[^\s@,;()<>]+\.[^\s@,;()<>]+", value):
            return value
        try:
            return check_url(value)
        except ValueError:
            raise ValueError("an address with http(s) or an e-mail address") from None

    return checked("url or e-mail", check)


def suffix() -> Kind:
    """The ending of a file name, with or without its dot; ``image`` stands for all images."""

    def read(value: object) -> str:
        found = str(value).strip().lower().removeprefix(".") if isinstance(value, str) else ""
        if not re.fullmatch(r"[a-z0-9]{1,10}", found):
            raise Invalid('the ending of a file name, like "pdf", or "image"', value)
        return found

    return Kind("text", read, {"type": "string"})
