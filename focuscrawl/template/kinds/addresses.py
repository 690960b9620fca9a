"""Kinds of values that are addresses or parts of them, and what is sent to them: headers, cookies, proxies."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlsplit

import regex

from focuscrawl.locale.messages import _
from focuscrawl.readers.text.expressions import compiled
from focuscrawl.template.files import Cookie, is_secret, read_cookies, reveal
from focuscrawl.template.kinds.kind import Invalid, KeyPlace, Kind, as_written, checked, listed
from focuscrawl.urls.canonical import ParameterNames
from focuscrawl.urls.sites import Hosts
from focuscrawl.values import Json

_MATCH_SECONDS = 0.05
"""CPU seconds one regular expression may take for one address."""


_EXPRESSION = "re:"
LOOKS_LIKE_EXPRESSION = re.compile(r"\\[dDwWsSbB.?+]|\.[*+]|\(\?|\[[^\]]+-[^\]]+\]|^\^|\$$")


logger = logging.getLogger(__name__)


class Matches:
    """Compiled address patterns; ``bool()`` is false when there are none.

    A plain pattern is found by looking for its parts between ``*`` one after the other, which
    cannot backtrack. An expression that exceeds its time limit is switched off for the run, with
    a warning in the log.
    """

    __slots__ = ("_expressions", "_literals", "_parts", "written")

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self.written = tuple(entries)
        plain = [entry for entry in self.written if not entry.startswith(_EXPRESSION)]
        # Addresses arrive percent-encoded.
        plain = list(dict.fromkeys(form for entry in plain for form in (entry, _quoted(entry))))
        self._literals = tuple(entry for entry in plain if "*" not in entry)
        self._parts = tuple(tuple(entry.split("*")) for entry in plain if "*" in entry)
        self._expressions = [
            regex.compile(entry.removeprefix(_EXPRESSION))
            for entry in self.written
            if entry.startswith(_EXPRESSION)
        ]

    def __bool__(self) -> bool:
        return bool(self.written)

    def __repr__(self) -> str:
        return f"Matches({list(self.written)!r})"

    def search(self, text: str) -> bool:
        """Whether one of the patterns is found; false when there are none."""
        for literal in self._literals:
            if literal in text:
                return True
        for parts in self._parts:
            if _in_order(parts, text):
                return True
        for expression in self._expressions:
            try:
                if expression.search(text, timeout=_MATCH_SECONDS):
                    return True
            except TimeoutError:
                self._expressions = [one for one in self._expressions if one is not expression]
                _warn(expression.pattern, text)
        return False


def glob_of(expression: str) -> str | None:
    """Return the plain pattern that says what a simple regular expression says, if there is one."""
    plain = re.sub(r"(?:\\[dDwWsS]|\[[^\]]+\]|\.)(?:[*+]|\{\d+(?:,\d*)?\})?", _star, expression)
    plain = re.sub(r"\*+", "*", plain.removeprefix("^").removesuffix("$").replace("\\", ""))
    return None if re.search(r"[(){}\[\]^$+|]", plain) or not plain.strip("*") else plain


def _star(found: re.Match[str]) -> str:
    return "." if found[0] == "." else "*"


def _in_order(parts: tuple[str, ...], text: str) -> bool:
    place = 0
    for part in parts:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def _quoted(entry: str) -> str:
    return entry if entry.isascii() else quote(entry, safe="/?&=%*:@!$'()+,;#[]~-._")


def _warn(pattern: str, text: str) -> None:
    logger.warning(
        "'re:%s' took more than %s s for one address (%.200s): switched off for this run",
        pattern,
        _MATCH_SECONDS,
        text,
    )


def host_of_checked(url: str) -> str:
    """Return the host of an address that the loader has checked."""
    return urlsplit(url).hostname or ""


HOST = re.compile(
    r"=?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
)


CONTROL = re.compile(r"[\x00-\x1f\x7f]")
GROUP_REFERENCE = re.compile(r"\\(\d+)")
BAD_REWRITE = "a table of 'regular expression' = 'replacement'"


def url() -> Kind:
    """An address with http or https and a host."""
    return checked("url", check_url)


def check_url(value: str, *, login: bool = False) -> str:
    """Return the address; raises ValueError. ``login``: it may hold a user and a password."""
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018 - raises for a bad port
    except ValueError:
        raise ValueError(_("not an address")) from None
    if value.startswith("@"):
        told = _('"{file}" is a file of addresses, which are a list: urls = ["{file}"]')
        raise ValueError(told.format(file=value))
    if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
        near = value.removeprefix("//")
        hint = f': "https://{near}"' if "://" not in value and "." in near else ""
        raise ValueError(_("an address begins with http:// or https://{hint}").format(hint=hint))
    if CONTROL.search(value) or " " in value:
        raise ValueError(_("an address holds no spaces or control characters; write %20"))
    if "@" in parts.netloc and not login:
        raise ValueError(
            _(
                "an address holds no user and password, which would be stored with every page of it;"
                ' write [site."{host}".request] headers = {{ Authorization = "env:LOGIN" }} and set'
                " the variable LOGIN to what the site wants, as in Basic dXNlcjpwYXNzd29yZA=="
            ).format(host=parts.hostname)
        )
    return value


def check_host(value: str) -> str:
    """Return a host in lower case and ASCII; raises ValueError."""
    bare = value.removeprefix("=")
    if "/" in bare or ":" in bare:
        host = urlsplit(bare if "//" in bare else f"//{bare}").hostname or "example.cn"
        raise ValueError(_('the host only: "{host}"').format(host=host))
    try:
        name = bare.rstrip(".").lower().removeprefix("*.").encode("idna").decode()
    except UnicodeError:
        name = ""
    if not HOST.fullmatch(name):
        raise ValueError(
            _('a host looks like "example.cn", or "=example.cn" without its subdomains')
        )
    return "=" + name if value.startswith("=") else name


def hosts() -> Kind:
    """Host names with their subdomains; ``=`` for the host alone."""
    return listed(checked("host", check_host), "hosts", Hosts)


def matches() -> Kind:
    """Parts of addresses."""
    return listed(checked("match", check_match), "match", Matches)


def parameters() -> Kind:
    """Names of query parameters, as ParameterNames of the room urls reads them."""
    entry = checked("match", as_written(lambda value: ParameterNames([value])))
    return listed(entry, "match for parameter names")


def check_match(value: str) -> str:
    """Return an address pattern; raises ValueError for what looks like a regular expression."""
    if value.startswith(_EXPRESSION):
        _compiled(value.removeprefix(_EXPRESSION))
    elif not value:
        raise ValueError(_("empty; write a part of the address"))
    elif LOOKS_LIKE_EXPRESSION.search(value):
        plain = glob_of(value)
        glob = _(', or "{plain}"').format(plain=plain) if plain else ""
        raise ValueError(
            _("looks like a regular expression; write 're:{plain}'{glob}").format(
                plain=value, glob=glob
            )
        )
    return value


def _compiled(expression: str) -> regex.Pattern[str]:
    try:
        return compiled(expression)
    except ValueError as error:
        raise ValueError(_("not a regular expression: {error}").format(error=error)) from None


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
                message = _(
                    "the replacement names a group the expression has not ({groups} groups)"
                ).format(groups=groups)
                raise Invalid(message, {pattern: replacement})
        return dict(value)

    schema = {"type": "object", "additionalProperties": {"type": "string"}}
    return Kind("table", read, schema, _pairs, table=True, missing=())


def _pairs(plain: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(plain.items())


# What is sent with a request -------------------------------------------------------------------


def headers() -> Kind:
    """A table of header names and values; values may be secrets."""

    def read(value: object) -> dict[str, str]:
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            raise Invalid(_('a table of texts: { Referer = "https://www.example.com/" }'), value)
        for name, content in value.items():
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or CONTROL.search(content):
                raise Invalid(_("a header is one line of text, its name ASCII"), {name: content})
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
        raise Invalid(_('a table { name = "value" } or "file:cookies.txt"'), value)

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


def named_secret() -> Kind:
    """A secret by its name; the value itself would be stored with each run."""

    def check(value: str) -> str:
        if not is_secret(value):
            raise ValueError(_('a secret is named, not written: "env:NAME" or "file:PATH"'))
        return value

    def located(plain: str | None, place: KeyPlace) -> str:
        if not plain or place.environment is None:
            return ""
        return reveal(plain, place.environment, place.folder, place.reach)

    return replace(checked("text †", check), located=located, secret=True)


def header_text(words: str) -> Kind:
    """One line of text that is sent as a header."""

    def check(value: str) -> str:
        if not value or CONTROL.search(value):
            raise ValueError(_("one line of text"))
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
            raise ValueError(_("an address with http(s) or an e-mail address")) from None

    return checked("url or e-mail", check)
