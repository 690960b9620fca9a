"""When two addresses are one page: the table [url] of a template."""

from __future__ import annotations

import re
from dataclasses import dataclass

import regex

from focuscrawl.urls.parameters import DROPPED, TIME_LIMIT, ParameterNames

SESSION_PARAMETER = re.compile(r";((?:jsession|phpsess|session)id)=[^/;]*", re.IGNORECASE)


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
            return str(self._pattern.sub(self._replacement, url, timeout=TIME_LIMIT))
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
