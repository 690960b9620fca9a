"""Addresses that others push into a key, as for scrapy-redis: ``lpush NAME:start_urls http://…``.

They are looked at first, and taken out only when they stand in the crawl's rows: a crash between the two finds
them again. What is no address is set aside under ``KEY:refused``, with the reason.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from scrapy_redis import defaults

from focuscrawl.stores.state.protocol import StartUrl

if TYPE_CHECKING:
    from collections.abc import Iterable

ENTRIES_AT_ONCE = 100
MOST_REFUSED = 1_000
"""Entries that are kept although they cannot be read: enough to find out what is wrong."""


class RefusedStart(NamedTuple):
    """What is no address."""

    entry: bytes
    why: str


def start_from(entry: bytes) -> StartUrl | RefusedStart:
    """Read an entry that a user pushed: an address, or JSON as scrapy-redis takes it (url, method, meta, and
    the rest as a form).
    """
    try:
        text = entry.decode().strip()
    except UnicodeDecodeError:
        return RefusedStart(entry, "it is no UTF-8")
    if not text.startswith("{"):
        return _checked(StartUrl(entry, text))
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:  # nested some thousand deep
        return RefusedStart(entry, f"it is broken JSON: {error}")
    url, method, meta = given.pop("url", ""), given.pop("method", "GET"), given.pop("meta", {})
    if not isinstance(url, str) or not isinstance(method, str) or not isinstance(meta, dict):
        return RefusedStart(entry, "url and method are texts, meta is an object")
    form = {name: str(value) for name, value in given.items()}
    return _checked(StartUrl(entry, url, method.upper(), form or None, meta or None))


def _checked(start: StartUrl) -> StartUrl | RefusedStart:
    try:
        start.url.encode()  # JSON may hold half a character
        parts = urlsplit(start.url)
        _ = parts.port
    except ValueError as error:
        return RefusedStart(start.entry, f"{start.url!r} is no address: {error}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return RefusedStart(
            start.entry, f"{start.url!r} is no address that begins with http:// or https://"
        )
    return start


class StartKey(NamedTuple):
    """The key that others push into: its name, and whether it is a list, a set or a sorted set."""

    name: str
    kind: str = "list"

    @classmethod
    def of(cls, settings: Any, name: str) -> StartKey:
        """Return that of a topic, by scrapy-redis's settings."""
        key = settings.get("REDIS_START_URLS_KEY") or defaults.START_URLS_KEY
        kind = "list"
        if settings.getbool("REDIS_START_URLS_AS_SET"):
            kind = "set"
        elif settings.getbool("REDIS_START_URLS_AS_ZSET"):
            kind = "zset"
        return cls(key % {"name": name}, kind)

    def look(self) -> tuple[Any, ...]:
        """Return the command that shows the next entries, in the order in which they are taken."""
        if self.kind == "set":
            return ("SRANDMEMBER", self.name, ENTRIES_AT_ONCE)
        if self.kind == "zset":
            return ("ZREVRANGE", self.name, 0, ENTRIES_AT_ONCE - 1)
        return ("LRANGE", self.name, 0, ENTRIES_AT_ONCE - 1)

    def removal(self, entries: Iterable[bytes]) -> list[tuple[Any, ...]]:
        """Return the commands that take entries out, each once."""
        if self.kind == "set":
            return [("SREM", self.name, entry) for entry in entries]
        if self.kind == "zset":
            return [("ZREM", self.name, entry) for entry in entries]
        return [("LREM", self.name, 1, entry) for entry in entries]

    def refusal(self, refused: RefusedStart) -> list[tuple[Any, ...]]:
        """Return the commands that set something aside that is no address."""
        key = f"{self.name}:refused"
        told = json.dumps(
            {"entry": refused.entry.decode("utf-8", "backslashreplace"), "why": refused.why},
            ensure_ascii=False,
        )
        return [
            ("LPUSH", key, told),
            ("LTRIM", key, 0, MOST_REFUSED - 1),
            *self.removal([refused.entry]),
        ]
