"""Search engines as data: how their addresses are written, where links of their pages lead on to, and
those that are built in (engines.toml).
"""

from __future__ import annotations

import json
import re
import tomllib
from base64 import urlsafe_b64decode
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from focuscrawl.template.kinds.addresses import check_url
from focuscrawl.template.kinds.kind import Kind, checked, listed
from focuscrawl.template.kinds.words import WordError, parse_group
from focuscrawl.urls.sites import registrable_domain
from focuscrawl.values import Json

SEARXNG_ADDRESS = "https://searx.example.cn/search?q={query}&format=json&pageno={page}"
"""What the address of an instance looks like; there is none that would do for everybody."""

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
IN_ADDRESS = ("query", "page", "index", "first")
IN_BODY = re.compile(rf"\{{({'|'.join(IN_ADDRESS)})\}}")
"""Places in a JSON text, which has braces of its own."""

IN_WITHIN = ("since", "until", "since_day", "until_day")
AGES = (timedelta(days=1), timedelta(weeks=1), timedelta(days=31), timedelta(days=366))
RESULTS_OF_A_PAGE = 10  # as pn= of Baidu counts them (C2)
_PLUS = re.compile(r"\+\+|\+")
_SECONDS_OF_DAY = 86_400


@cache
def _data() -> Json:
    return tomllib.loads((files("focuscrawl.features.search") / "engines.toml").read_text("utf-8"))


def built_in() -> dict[str, Json]:
    """Return the built-in engines: name → keys of [search.engine.NAME], in its notation."""
    engines: dict[str, Json] = _data()["engine"]
    return engines


def standard_words(name: str) -> list[str]:
    """Return word groups for every engine: "blocked" (refusals), "empty" (nothing is known), "consent" (what
    the buttons of a page say that wants it first).
    """
    return list(_data()["words"][name])


def queries() -> Kind:
    """Word groups to search for; built as the texts to search for, each synonym is one."""

    def check(value: str) -> str:
        try:
            group = parse_group(value)
        except WordError as error:
            raise ValueError(str(error)) from None
        if group.expression:
            raise ValueError("a regular expression cannot be searched for; write words")
        if any(len(synonym.parts) > 1 for synonym in group.synonyms):
            raise ValueError("no * in what is searched for; a + joins words: 食品+抽检")
        return value

    def texts(plain: list[str]) -> tuple[str, ...]:
        written = [synonym.parts[0] for one in plain for synonym in parse_group(one).synonyms]
        spoken = (_PLUS.sub(lambda plus: plus[0][1:] or " ", one) for one in written)
        return tuple(dict.fromkeys(" ".join(one.split()) for one in spoken))

    return replace(listed(checked("words", check), "words"), build=texts, groups=True)


def is_paged(written: str) -> bool:
    """Whether an address, or what is posted, says which page of results is meant."""
    return any(f"{{{name}}}" in written for name in IN_ADDRESS[1:])


def _places(query: str, page: int) -> dict[str, str]:
    first = (page - 1) * RESULTS_OF_A_PAGE
    return {"query": query, "page": str(page), "index": str(page - 1), "first": str(first)}


def posted(written: str, query: str, page: int) -> str:
    """Return what is posted for a page of results, counted from 1: JSON with the query in it."""
    places = _places(json.dumps(query, ensure_ascii=False)[1:-1], page)
    return IN_BODY.sub(lambda found: places[found[1]], written)


def posted_text() -> Kind:
    """What is posted to a search engine: JSON with places in it."""

    def check(value: str) -> str:
        try:
            json.loads(posted(value, "1", 1))
        except ValueError as error:
            raise ValueError(f"no JSON: {error}; write it as in {_POSTED_BODY}") from None
        if "{query}" not in value:
            raise ValueError(f"{{query}} is missing, as in {_POSTED_BODY}")
        return value

    return checked("json", check)


_POSTED_BODY = '{"query": "{query}", "count": 50}'


class Keyed(NamedTuple):
    """How an engine gets its key: ``written`` is ``NAME: {key}`` for a header, ``NAME={key}`` for a parameter."""

    written: str

    @property
    def in_header(self) -> bool:
        """Whether the key is a header's value; else it is a parameter of the address."""
        return ":" in self.written

    def header(self, key: str) -> tuple[str, str]:
        """Return the header that holds a key."""
        name, _, value = self.written.partition(":")
        return name, value.strip().replace("{key}", key)

    def address(self, url: str, key: str) -> str:
        """Return an address with the key."""
        named = self.written.replace("{key}", quote(key, safe=""))
        return f"{url}{'&' if '?' in url else '?'}{named}"


def keyed() -> Kind:
    """Where an engine takes its key."""

    def check(value: str) -> str:
        if not re.fullmatch(r"[\w-]+(?:=|: ?(?:\w+ )?)\{key\}", value, re.ASCII):
            raise ValueError(
                'a header "X-Key: {key}", "Authorization: Bearer {key}" or a parameter "key={key}"'
            )
        return value

    return checked("text", check, Keyed)


class EngineAddress(NamedTuple):
    """The address of a result page, with its places for query and page."""

    written: str

    def __bool__(self) -> bool:
        return bool(self.written)

    @property
    def paged(self) -> bool:
        """Whether there are addresses for pages after the first."""
        return is_paged(self.written)

    def of(self, query: str, page: int, encoding: str = "utf-8") -> str:
        """Return the address of a page, counted from 1; the query is escaped in the encoding."""
        places = _places(quote(query.encode(encoding, "xmlcharrefreplace"), safe=""), page)
        return PLACEHOLDER.sub(lambda found: places[found[1]], self.written)

    def searches(self, url: str) -> bool:
        """Whether an address is of a search, not of what one finds: it has a query where this one has it."""
        before, _, _ = self.written.partition("{query}")
        path, asks, names = before.partition("?")
        if not asks:
            return url.startswith(path)
        name = names.rpartition("&")[2].removesuffix("=")
        return name in dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def address() -> Kind:
    """The address of a search engine."""

    def check(value: str) -> str:
        for name in PLACEHOLDER.findall(value):
            if name not in IN_ADDRESS:
                places = ", ".join(f"{{{one}}}" for one in IN_ADDRESS)
                raise ValueError(f"{{{name}}} stands for nothing; there are {places}")
        check_url(PLACEHOLDER.sub("1", value))
        return value

    return checked("address", check, EngineAddress)


class Within(NamedTuple):
    """What an address gets added so that the engine answers with new results only."""

    written: str

    def __bool__(self) -> bool:
        return bool(self.written)

    def of(self, age: float, now: float) -> str:
        """Return the addition for results at most ``age`` seconds old, "" for more than it can."""
        places = {
            "since": int(now - age),
            "until": int(now),
            "since_day": int(now - age) // _SECONDS_OF_DAY,
            "until_day": int(now) // _SECONDS_OF_DAY,
        }
        fits = sum(age > most.total_seconds() for most in AGES)
        if fits == len(AGES) and any("|" in name for name in PLACEHOLDER.findall(self.written)):
            return ""

        def chosen(found: re.Match[str]) -> str:
            name = found[1]
            return str(places[name]) if name in places else name.split("|")[fits]

        return PLACEHOLDER.sub(chosen, self.written)


def within() -> Kind:
    """How an engine is asked for results of an age."""

    def check(value: str) -> str:
        names = PLACEHOLDER.findall(value)
        if not names or any(
            name not in IN_WITHIN and name.count("|") != len(AGES) - 1 for name in names
        ):
            places = ", ".join(f"{{{one}}}" for one in IN_WITHIN)
            advice = "or four words for day, week, month and year: {d|w|m|y}"
            raise ValueError(f"holds places for a time: {places}, {advice}")
        return value

    return checked("text", check, Within)


# Links of an engine that lead on to somewhere else ----------------------------------------------

TARGET_NAMES = ("u", "url", "q", "target", "to", "dest", "uddg", "ru", "r", "link")
"""Parameters in which engines hand on an address, the likelier first."""

REDIRECT_PATH = re.compile(
    r"/(?:link|url|l|ck/a|r|rd|go|goto|out|jump|redirect|redir|click)/?", re.IGNORECASE
)
AD_PATH = re.compile(
    r"/(?:aclk|aclick|pagead/|baidu\.php|search/eclk|adclick|bill_|y\.js)", re.IGNORECASE
)
AD_SITES = frozenset({"doubleclick.net", "googleadservices.com", "googlesyndication.com"})
"""Where a click on an advertisement is counted: paths of engines, and sites for nothing else."""

_IN_PATH = re.compile(r"/\w{1,4}=(https?%3a%2f%2f[^/]+)", re.IGNORECASE)
"""An address as a step of a redirect's path, as r.search.yahoo.com writes it."""

_WEB = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)


class Behind(NamedTuple):
    """Where a link leads. ``redirect``: to the engine, which leads on to an unknown address."""

    url: str
    redirect: bool = False


def lead_behind(url: str, engine_hosts: Collection[str]) -> Behind | None:
    """Unwrap an absolute address; None for a page of the engine itself.

    A parameter that holds an address, plain or as Bing writes it (``a1`` and base64url), is the
    target; so is one that stands in the path. Only redirecting addresses of the engine's own site are looked into.
    """
    host = host_of_url(url)
    if not is_on_site_of(host, engine_hosts):
        return Behind(url)
    parts = urlsplit(url)
    if inside := _IN_PATH.search(parts.path):
        return Behind(unquote(inside[1]))
    redirects = bool(REDIRECT_PATH.fullmatch(parts.path))
    given = dict(parse_qsl(parts.query)) if redirects else {}
    for name in TARGET_NAMES if redirects else ():
        if target := _address(given.get(name, "")):
            return Behind(target)
    if host not in engine_hosts:
        return Behind(url)
    return Behind(url, redirect=True) if redirects else None


def _address(value: str) -> str:
    if value.startswith("a1"):
        try:
            value = urlsafe_b64decode(value[2:] + "=" * (-len(value[2:]) % 4)).decode()
        except ValueError:
            return ""
    return value if _WEB.match(value) else ""


def is_ad_address(url: str, engine_hosts: Collection[str]) -> bool:
    """Whether an address counts a click on an advertisement."""
    host = host_of_url(url)
    if registrable_domain(host) in AD_SITES:
        return True
    return bool(AD_PATH.match(urlsplit(url).path)) and is_on_site_of(host, engine_hosts)


def host_of_url(url: str) -> str:
    """Return the host of an address, "" when it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_on_site_of(host: str, engine_hosts: Collection[str]) -> bool:
    """Whether a host is one of the engine's, or another one of the same registrable domain."""
    return host in engine_hosts or registrable_domain(host) in map(registrable_domain, engine_hosts)
