"""The keys of a crawl, as they must be, and what is found under our names that is not ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.locale.messages import _
from focuscrawl.stores.state.protocol import PARTITIONS, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focuscrawl.stores.redis.server import Server
    from focuscrawl.stores.redis.start_urls import StartKey

STATE_VERSION = 1
"""Of what stands in Redis; another one is refused."""

UNREAD_LINKS = "unread"
"""What was sent into a partition and cannot be read: it is kept here, each value once."""

BY_PARTITION = {
    "rows": "hash",
    "aside": "hash",
    "seen": "list",
    "pages": "hash",
    "sites": "hash",
    "facts": "hash",
    "inbox": "list",
    "pauses": "hash",
    UNREAD_LINKS: "set",
}
ONE_FOR_ALL = {
    "run": "hash",
    "owners": "hash",
    "workers": "zset",
    "idle": "hash",
    "bases": "hash",
    "sizes": "hash",
    "counts": "hash",
    "tickets": "hash",
    "since": "hash",
    "messages": "hash",
    "beats": "hash",
}
"""What each key is to Redis, as TYPE names it."""

BEFORE_ITS_VERSION = ("moving", "writes")
"""What ``run`` may have before it has a version: a move that was cut off at its beginning, an order of a person."""

NO_KEY = b"none"

AS_KIND = {
    "list": "take REDIS_START_URLS_AS_SET and REDIS_START_URLS_AS_ZSET out",
    "set": "set REDIS_START_URLS_AS_SET = True",
    "zset": "set REDIS_START_URLS_AS_ZSET = True",
}
"""How a start key of each kind is read."""


def check_keys(server: Server, starts: StartKey | None = None) -> None:
    """Raise StoreError where another program's keys have our names, or a newer version wrote them."""
    wanted = {server.key(name): kind for name, kind in ONE_FOR_ALL.items()} | {
        server.key(name, partition): kind
        for partition in range(PARTITIONS)
        for name, kind in BY_PARTITION.items()
    }
    found = server.send([("TYPE", key) for key in wanted])
    for (key, kind), one in zip(wanted.items(), found, strict=True):
        if one not in (NO_KEY, kind.encode()):
            raise _of_another(server, key, f"a {one.decode()}, where ours is a {kind}")
    run = server.key("run")
    ((version, *others),) = server.send([("HMGET", run, "version", *BEFORE_ITS_VERSION)])
    if found[[*wanted].index(run)] != NO_KEY and version is None and not any(others):
        raise _of_another(server, run, "it has no version")
    if version is not None and not version.isdigit():
        raise _of_another(server, run, f"its version is {version.decode('utf-8', 'replace')!r}")
    if version is not None and int(version) > STATE_VERSION:
        raise StoreError(
            _(
                "{address}: this crawl was written by a newer focuscrawl (version {version}, this"
                " one reads up to {known}); update focuscrawl"
            ).format(address=server.address, version=version.decode(), known=STATE_VERSION)
        )
    if starts and (why := wrong_start_key(server, starts)):
        raise StoreError(why)


def _of_another(server: Server, key: str, how: str) -> StoreError:
    return StoreError(
        _(
            "{address} has a key {key} of another program ({how}): give the crawl a database of"
            " its own (REDIS_DB), or the topic another name"
        ).format(address=server.address, key=key, how=how)
    )


def wrong_start_key(server: Server, starts: StartKey) -> str:
    """Return why a start key cannot be read as the settings say, and what to do; "": it can, or is not there."""
    refused = f"{starts.name}:refused"
    kind, of_refused = (
        one.decode() for one in server.send([("TYPE", starts.name), ("TYPE", refused)])
    )
    if kind not in (NO_KEY.decode(), starts.kind):
        advice = AS_KIND.get(kind, "name another key in REDIS_START_URLS_KEY")
        return (
            f"{server.address}: {starts.name} is a {kind}, and is read as a {starts.kind}: {advice}, or delete"
            " that key"
        )
    if of_refused not in (NO_KEY.decode(), "list"):
        return (
            f"{server.address}: {refused} is a {of_refused}, where what is no address is set aside in a list:"
            " delete that key, or name another one in REDIS_START_URLS_KEY"
        )
    return ""


def left_over(server: Server, keys: Sequence[str]) -> list[str]:
    """Return which of the keys of another program are there."""
    found = server.send([("EXISTS", key) for key in keys]) if keys else []
    return [key for key, is_there in zip(keys, found, strict=True) if is_there]
