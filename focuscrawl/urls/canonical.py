"""One page, one address: canonical form, comparison form and key (A8).

The *canonical* form is what is fetched and shown: absolute, without fragment, credentials,
tracking and session parameters, everything else byte for byte as it was found (a percent escape
may be GBK: it is never re-encoded, nor are parameters put into another order).

The *comparison* form only makes the key. Here parameters are sorted, escapes spelled one way (as
``w3lib.url.canonicalize_url`` does), and http/https, /x and /x/, and aliases of a host are folded.

Text outside ASCII is taken as UTF-8; the reader of a GBK page escapes the queries of its links in GBK, as
browsers do. Directory index pages (index.html) are not folded: on some sites they differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import can_ada
import regex
from w3lib.url import canonicalize_url

from focuscrawl.readers.text.expressions import compiled
from focuscrawl.urls.sites import KEY_BITS, clean_site, host_of, partition_of

try:  # what hashlib falls back on: OpenSSL's takes twice as long for a text as short as an address
    from _md5 import md5  # type: ignore[import-not-found]
except ImportError:
    from hashlib import md5


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
            self._pattern = compiled(expression)
            regex.sub(f"(?:{expression})|$", replacement, "")  # are its groups there?
        except (ValueError, regex.error, IndexError) as error:
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
    value: regex.Pattern[str] | None = None


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


@lru_cache(1024)
def _entry(text: str) -> _Entry:
    if text.startswith("re:"):
        name, *value = regex.split(r"(?<![?<])=", text[3:], maxsplit=1)
    else:
        name, *value = (
            f"^{regex.escape(part).replace(chr(92) + '*', '.*')}$" for part in text.split("=", 1)
        )
    return _Entry(_compiled(name), *map(_compiled, value))


def _compiled(expression: str) -> regex.Pattern[str]:
    try:
        return compiled(expression, ignore_case=True)
    except ValueError as error:
        raise ValueError(f"{expression!r} is no regular expression: {error}") from error


LONGEST_URL = 16_384
"""Characters of an address that is looked at at all."""

KEY_MASK = (1 << KEY_BITS) - 1
PLACES_KEPT = 50_000  # hosts whose reading is remembered; a page links to few, again and again

# What canonicalize_url leaves as it is, but for the order of the parameters: the fast way.
ESCAPE = r"%[89A-F][0-9A-F]"  # of a byte outside ASCII, in UTF-8 or GBK
PATH = r"[A-Za-z0-9/._~!$'()*+,:@=-]*"
_WORD = r"[A-Za-z0-9_.~-]*"
_WORDS = rf"{_WORD}(?:{ESCAPE}{_WORD})*"
FIELD = rf"(?:[A-Za-z0-9_.~-]|{ESCAPE}){_WORDS}(?:={_WORDS})?"
PLAIN_PATH = re.compile(rf"{PATH}(?:{ESCAPE}{PATH})*")
PLAIN_QUERY = re.compile(rf"{FIELD}(?:&{FIELD})*")
# What the parser leaves as it is: most links of most pages. (A host is kept as the parser writes it,
# so other spellings of it are not found; a scheme's own port and segments with a dot in front would
# be dropped.)
ORIGIN = re.compile(r"(https?://)([a-z0-9.-]+(?::(?!(?:80|443)$)\d+)?)")
PLAIN = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)+/?")
SESSION_FOLDER = re.compile(r"/\([a-z]\([0-9a-z]{20,}\)\)(?=/|$)", re.IGNORECASE)  # ASP.NET


class Address(NamedTuple):
    """An address and all its names.

    ``url`` is the canonical form, ``key`` the 16-byte MD5 of the comparison form, ``number`` the
    64-bit id of the seen set (see key_number). ``site`` is the unit of politeness, after aliases;
    ``host`` is the host that is asked, without port.
    """

    url: str
    key: bytes
    number: int
    site: str
    host: str


class _Place(NamedTuple):
    """What is known of a host and port: ``netloc`` to ask it, ``site`` after aliases."""

    netloc: str
    site: str
    host: str
    partition: int
    rules: CompiledRules


class UrlOrigin:
    """Scheme, host and port of addresses: what plain ones have in common."""

    __slots__ = ("_compared", "_host", "_partition", "_path", "_site", "_slash_same")

    def __init__(self, scheme: str, place: _Place) -> None:
        self._path = len(scheme) + len(place.netloc)
        self._compared = f"{'http://' if place.rules.scheme_same else scheme}{place.site}"
        self._slash_same = place.rules.slash_same
        self._site = place.site
        self._host = place.host
        self._partition = place.partition << KEY_BITS

    def address(self, url: str) -> Address:
        """Return the names of an address of this origin with a path that is PLAIN.

        What Canonicalizer.address would return, several times as fast.
        """
        path = url[self._path :]
        if self._slash_same and path[-1] == "/":
            path = path[:-1]
        key = md5((self._compared + path).encode(), usedforsecurity=False).digest()
        number = self._partition | (int.from_bytes(key[8:], "big") & KEY_MASK)
        # tuple.__new__ is a third of the price of Address(…), and this is done for every new link
        return tuple.__new__(Address, (url, key, number, self._site, self._host))


class Canonicalizer:
    """Gives addresses their canonical form and key.

    ``rules`` hold everywhere, or where ``for_host`` is given what it returns for a host.
    ``aliases`` maps other names of a host to its main name. No method ever raises for a bad
    address; the answer is None.
    """

    def __init__(
        self,
        rules: UrlRules | None = None,
        *,
        for_host: Callable[[str], UrlRules] | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        everywhere = rules or UrlRules()
        self._for_host = for_host or (lambda host: everywhere)
        self._aliases = dict(aliases or {})
        self._compiled: dict[UrlRules, CompiledRules] = {everywhere: CompiledRules(everywhere)}
        self._places: dict[str, _Place | None] = {}

    def address(self, url: str) -> Address | None:
        """Return an absolute http(s) address with its names; None for anything else."""
        read = self._read(url)
        if read is None:
            return None
        found, scheme, place, rest = read
        compared = _compared(scheme, place, rest)
        if compared is None:
            return None
        key = md5(compared.encode(), usedforsecurity=False).digest()
        return Address(found, key, key_number(key, place.partition), place.site, place.host)

    def origin(self, start: str) -> UrlOrigin | None:
        """Return the origin that an address with these characters before its path has.

        None when it is written in another way than the parser writes it, when the host was not
        seen before, or when its addresses are rewritten.
        """
        simple = ORIGIN.fullmatch(start) if len(start) <= LONGEST_URL else None
        place = self._places.get(simple[2]) if simple is not None else None
        if simple is None or place is None or place.rules.rewrite or place.netloc != simple[2]:
            return None
        return UrlOrigin(simple[1], place)

    def canonical(self, url: str) -> str | None:
        """Return the address as it is fetched and shown."""
        read = self._read(url)
        return read[0] if read else None

    def comparison(self, url: str) -> str | None:
        """Return the form that is equal for two addresses of one page; its MD5 is the key."""
        read = self._read(url)
        return _compared(*read[1:]) if read else None

    def key(self, url: str) -> bytes | None:
        """Return the 16-byte key of an address (A8)."""
        address = self.address(url)
        return address.key if address else None

    def too_slow(self) -> list[str]:
        """Return the users' expressions that were switched off since they ran too long."""
        return [name for rules in self._compiled.values() for name in rules.too_slow()]

    def _read(self, url: str) -> tuple[str, str, _Place, str] | None:
        """Take an address apart: canonical form; scheme with its slashes, place, path and query."""
        parts = self._split(url)
        if parts is None or not parts[2].rules.rewrite:
            return parts
        rewritten = parts[0]
        for rule in parts[2].rules.rewrite:
            rewritten = rule.apply(rewritten)
        if rewritten == parts[0]:
            return parts
        return self._split(rewritten) or parts  # a result that is no address changes nothing

    def _split(self, url: str) -> tuple[str, str, _Place, str] | None:
        if len(url) > LONGEST_URL:
            return None
        try:
            href: str = can_ada.parse(url).href
        except (ValueError, TypeError):  # TypeError: lone surrogates
            return None
        if len(href) > LONGEST_URL:  # escapes make it longer
            return None
        if href.startswith("http://"):
            begin = 7
        elif href.startswith("https://"):
            begin = 8
        else:
            return None
        if "#" in href:
            href = href[: href.index("#")]
        end = href.index("/", begin)  # the parser always writes the path's first slash
        netloc = href[begin:end]
        if "@" in netloc:
            netloc = netloc[netloc.rindex("@") + 1 :]
        try:
            place = self._places[netloc]
        except KeyError:
            place = self._place(netloc)
        if place is None:
            return None
        scheme, rest = href[:begin], href[end:]
        if "?" in rest or ";" in rest:
            rest = place.rules.cleaned(rest)
        return f"{scheme}{place.netloc}{rest}", scheme, place, rest

    def _place(self, netloc: str) -> _Place | None:
        if len(self._places) >= PLACES_KEPT:
            self._places.clear()
        place = None
        clean = clean_site(netloc)
        if clean:
            host = host_of(clean)
            main = self._aliases.get(host, host)
            rules = self._for_host(main)
            compiled = self._compiled.get(rules)
            if compiled is None:
                compiled = self._compiled[rules] = CompiledRules(rules)
            place = _Place(clean, main + clean[len(host) :], host, partition_of(main), compiled)
        self._places[netloc] = place
        return place


def _compared(scheme: str, place: _Place, rest: str) -> str | None:
    path, _, query = rest.partition("?")
    if "(" in path:
        path = SESSION_FOLDER.sub("", path) or "/"
    if place.rules.slash_same and path[-1] == "/":
        path = path.rstrip("/") or "/"
    if place.rules.scheme_same:
        scheme = "http://"
    base = f"{scheme}{place.site}{path}"
    if not PLAIN_PATH.fullmatch(path) or (query and not PLAIN_QUERY.fullmatch(query)):
        try:
            return canonicalize_url(f"{base}?{query}" if query else base)
        except ValueError:  # UnicodeError is one, too
            return None
    if not query:
        return base
    fields = [field if "=" in field else f"{field}=" for field in query.split("&")]
    if len(fields) > 1:
        fields.sort(key=_bytes_of if "%" in query else _name_and_value)
    return f"{base}?{'&'.join(fields)}"


def _name_and_value(field: str) -> tuple[str, str, str]:
    return field.partition("=")


def _bytes_of(field: str) -> tuple[bytes, bytes]:
    name, _, value = field.partition("=")
    return unquote_to_bytes(name), unquote_to_bytes(value)


def key_number(key: bytes, partition: int) -> int:
    """Return the compact id of the seen set: the partition in the top 6 bits, 58 bits of the MD5.

    Unsigned, 64 bits. Two of n pages share one with probability n²/2⁵⁹ at most.
    """
    return (partition << KEY_BITS) | (int.from_bytes(key[8:], "big") & KEY_MASK)
