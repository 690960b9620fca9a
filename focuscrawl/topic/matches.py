"""The kind *match*: parts of addresses. And the kind *host*."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from urllib.parse import quote, urlsplit

import regex

TIME_LIMIT = 0.05
"""CPU seconds one regular expression may take for one address."""

EXPRESSION = "re:"
LOOKS_LIKE_EXPRESSION = re.compile(r"\\[dDwWsSbB.?+]|\.[*+]|\(\?|\[[^\]]+-[^\]]+\]|^\^|\$$")
log = logging.getLogger(__name__)


class Matches:
    """Compiled address patterns; ``bool()`` is false when there are none.

    A plain pattern is found by looking for its parts between ``*`` one after the other, which
    cannot backtrack. An expression that exceeds its time limit is switched off for the run, with
    a warning in the log.
    """

    __slots__ = ("_expressions", "_literals", "_parts", "written")

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self.written = tuple(entries)
        plain = [entry for entry in self.written if not entry.startswith(EXPRESSION)]
        # Addresses arrive percent-encoded.
        plain = list(dict.fromkeys(form for entry in plain for form in (entry, _quoted(entry))))
        self._literals = tuple(entry for entry in plain if "*" not in entry)
        self._parts = tuple(tuple(entry.split("*")) for entry in plain if "*" in entry)
        self._expressions = [
            regex.compile(entry.removeprefix(EXPRESSION))
            for entry in self.written
            if entry.startswith(EXPRESSION)
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
                if expression.search(text, timeout=TIME_LIMIT):
                    return True
            except TimeoutError:
                self._expressions = [one for one in self._expressions if one is not expression]
                _warn(expression.pattern, text)
        return False


class Hosts:
    """Host names: ``example.cn`` with its subdomains, ``=example.cn`` only itself."""

    __slots__ = ("_alone", "_with_subdomains", "written")

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self.written = tuple(entries)
        self._alone = frozenset(entry[1:] for entry in self.written if entry.startswith("="))
        self._with_subdomains = frozenset(e for e in self.written if not e.startswith("="))

    def __bool__(self) -> bool:
        return bool(self.written)

    def __repr__(self) -> str:
        return f"Hosts({list(self.written)!r})"

    def __contains__(self, host: str) -> bool:
        return host in self._alone or self.nearest(host) is not None

    def nearest(self, host: str) -> str | None:
        """Return the longest entry that is this host or a domain above it."""
        while host:
            if host in self._with_subdomains:
                return host
            host = host.partition(".")[2]
        return None


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
    log.warning(
        "'re:%s' took more than %s s for one address (%.200s): switched off for this run",
        pattern,
        TIME_LIMIT,
        text,
    )


def host_of(url: str) -> str:
    """Return the host of an address that the loader has checked."""
    return urlsplit(url).hostname or ""
