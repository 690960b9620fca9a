"""When two addresses are one page: the table [url] of a template."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import regex

SESSION_PARAMETER = re.compile(r";((?:jsession|phpsess|session)id)=[^/;]*", re.IGNORECASE)

_TIME_LIMIT = 0.05
"""Seconds a user's regular expression may run on one address."""

NAMES_KEPT = 10_000  # names of parameters and what the rules say of them; traps make up new ones

DROPPED = (
    # where the visitor came from
    "utm_*", "spm", "scm", "spm_id_from", "from_spmid", r"re:^from$=^(?!\d)", "from_source",
    "gclid", "dclid", "fbclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "_ga", "_gl",
    "hmsr", "hmpl", "hmcu", "hmkw", "hmci", "bd_vid", "qz_gdt", "wfr", "tdsourcetag", "vd_source",
    # who shared it
    "share_token", "share_source", "share_medium", "share_from", "share_plat", "share_tag",
    "share_session_id", "share_times", "sharer_*", "sharefrom", "isappinstalled", "wxshare_count",
    "nsukey",
    # whose visit it is; a sid may be a section or a story, so only where it looks random
    "phpsessid", "jsessionid", "aspsessionid*", "sessionid", "session_id", "cftoken", "oscsid",
    "zenid", r"re:sess=^[0-9a-z]{16,}$", r"re:^sid$=^(?=[0-9a-z]*\d)[0-9a-z]{26,}$",
)  # fmt: skip
"""What [url] drop is when a template says nothing. ``from`` stays where its value is a number."""


@dataclass(frozen=True, slots=True)
class UrlRules:
    """The rules of a host.

    ``drop`` and ``keep`` are entries as ParameterNames reads them; keep wins. ``rewrite`` are
    pairs (regular expression, replacement), applied one after the other to the canonical address.
    """

    drop: tuple[str, ...] = DROPPED
    keep: tuple[str, ...] = ()
    scheme_same: bool = True
    slash_same: bool = True
    rewrite: tuple[tuple[str, str], ...] = ()


class Rewrite:
    """One rewrite rule. Raises ValueError for an expression or replacement that is none."""

    def __init__(self, expression: str, replacement: str) -> None:
        self.too_slow = False
        self.expression = expression
        self._replacement = replacement
        try:
            self._pattern = regex.compile(expression)
            regex.sub(f"(?:{expression})|$", replacement, "")  # are its groups there?
        except (regex.error, IndexError) as error:
            raise ValueError(f"{expression!r} = {replacement!r}: {error}") from error

    def apply(self, url: str) -> str:
        """Rewrite an address; a rule that once took too long does nothing any more."""
        if self.too_slow:
            return url
        try:
            return str(self._pattern.sub(self._replacement, url, timeout=_TIME_LIMIT))
        except TimeoutError:
            self.too_slow = True
            return url


class CompiledRules:
    """UrlRules, ready for use. Raises ValueError for an expression that is none."""

    def __init__(self, rules: UrlRules) -> None:
        self.drop = ParameterNames(rules.drop)
        self.keep = ParameterNames(rules.keep) if rules.keep else None
        self.scheme_same = rules.scheme_same
        self.slash_same = rules.slash_same
        self.rewrite = tuple(Rewrite(*pair) for pair in rules.rewrite)

    def too_slow(self) -> list[str]:
        """Return the expressions that were switched off since they ran too long."""
        names = self.drop.too_slow + (self.keep.too_slow if self.keep else [])
        return names + [rule.expression for rule in self.rewrite if rule.too_slow]

    def cleaned(self, rest: str) -> str:
        """Return path and query without what does not matter."""
        path, _, query = rest.partition("?")
        if ";" in path:
            path = SESSION_PARAMETER.sub(self._without_session, path)
        if not query:
            return path
        fields = query.split("&")
        kept = [field for field in fields if not self._is_dropped(field)]
        if len(kept) == len(fields):
            return f"{path}?{query}"
        return f"{path}?{'&'.join(kept)}" if kept else path

    def _is_dropped(self, field: str) -> bool:
        return self.drop.holds(field) and not (self.keep and self.keep.holds(field))

    def _without_session(self, found: re.Match[str]) -> str:
        return "" if self._is_dropped(found[1]) else found[0]


class _Entry(NamedTuple):
    """What a name, and where ``value`` is given its value, must look like."""

    name: regex.Pattern[str]
    value: regex.Pattern[str] | None


class ParameterNames:
    """A set of query parameters.

    An entry is a name, ``*`` standing for anything, or ``re:`` and a regular expression that is
    searched in the name. Either may go on with ``=`` and a pattern for the value. Upper and lower
    case are the same. An expression that runs longer than TIME_LIMIT is switched off and named in
    ``too_slow``. Raises ValueError for an expression that is none.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self._entries = [_entry(entry) for entry in entries]
        self._by_name: dict[str, tuple[_Entry, ...]] = {}
        self.too_slow: list[str] = []

    def holds(self, field: str) -> bool:
        """Whether a field ``name``, ``name=`` or ``name=value`` of a query is in the set."""
        name, _, value = field.partition("=")
        entries = self._by_name.get(name)
        if entries is None:
            entries = self._entries_for(name)
        return bool(entries) and any(
            entry.value is None or self._found(entry, entry.value, value) for entry in entries
        )

    def _entries_for(self, name: str) -> tuple[_Entry, ...]:
        if len(self._by_name) >= NAMES_KEPT:
            self._by_name.clear()
        entries = tuple(
            entry for entry in tuple(self._entries) if self._found(entry, entry.name, name)
        )
        self._by_name[name] = entries
        return entries

    def _found(self, entry: _Entry, pattern: regex.Pattern[str], text: str) -> bool:
        try:
            return pattern.search(text, timeout=_TIME_LIMIT) is not None
        except TimeoutError:
            if entry in self._entries:
                self._entries.remove(entry)
                self._by_name.clear()
                self.too_slow.append(pattern.pattern)
            return False


def _entry(text: str) -> _Entry:
    if text.startswith("re:"):
        name, *value = regex.split(r"(?<![?<])=", text[3:], maxsplit=1)
    else:
        name, *value = (_covering(part) for part in text.split("=", 1))
    return _Entry(_compiled(name), _compiled(value[0]) if value else None)


def _covering(text: str) -> str:
    return f"^{regex.escape(text).replace(chr(92) + '*', '.*')}$"


def _compiled(expression: str) -> regex.Pattern[str]:
    try:
        return regex.compile(expression, regex.IGNORECASE)
    except regex.error as error:
        raise ValueError(f"{expression!r} is no regular expression: {error}") from error
