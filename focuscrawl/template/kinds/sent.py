"""Kinds of values that are sent with a request: headers, cookies, proxies, who we are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from focuscrawl.template.files import Cookie, is_secret, read_cookies, reveal
from focuscrawl.template.kinds.addresses import CONTROL, check_url
from focuscrawl.template.kinds.kind import Invalid, KeyPlace, Kind, checked, listed
from focuscrawl.values import Json


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
    return Kind("table", read, schema, table=True, located=_headers, secret=True)


def _headers(plain: Json | None, place: KeyPlace) -> dict[str, str]:
    environment = place.environment or {}
    return {
        name: reveal(value, environment, place.folder, place.reach)
        for name, value in _public(plain or {}, place).items()
    }


def _public(plain: Any, place: KeyPlace) -> Any:
    """Return what can be built: without an environment secrets stay out."""
    if place.environment is not None:
        return plain
    if isinstance(plain, dict):
        return {name: value for name, value in plain.items() if not is_secret(value)}
    return [one for one in plain if not is_secret(one)] if isinstance(plain, list) else {}


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
    words = 'table | "file:cookies.txt"'
    return Kind(words, read, schema, table=True, located=_cookies, secret=True)


def _cookies(plain: Any, place: KeyPlace) -> tuple[Cookie, ...]:
    given = _public(plain or {}, place)
    return read_cookies(given, place.environment or {}, place.folder, place.reach)


def proxies() -> Kind:
    """Addresses of proxies, or secrets that hold one."""

    def check(value: str) -> str:
        return value if is_secret(value) else check_url(value, login=True)

    return replace(listed(checked("url", check), "url † | list"), located=_proxies, secret=True)


def _proxies(plain: list[str] | None, place: KeyPlace) -> tuple[str, ...]:
    return tuple(
        reveal(one, place.environment or {}, place.folder, place.reach)
        for one in _public(plain or [], place)
    )


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
