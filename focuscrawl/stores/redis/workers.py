"""Who works on a crawl, as ``scrapy topic workers`` shows it, and what a person may order meanwhile."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.stores.redis.keys import UNREAD_LINKS
from focuscrawl.stores.redis.rows import link_to_bytes
from focuscrawl.stores.state.protocol import order_about
from focuscrawl.urls.sites import partition_of

if TYPE_CHECKING:
    from focuscrawl.stores.redis.server import Server


class WorkerSeen(NamedTuple):
    """A worker as the others see it, by the name that its log has; ``left`` are the seconds until its lease ends,
    below 0: it has, and ``beat`` those since it was last heard of. ``rate`` is pages a minute of late: of the last
    half minute to minute, or since it joined."""

    name: str
    partitions: int
    pages: int
    seconds: float
    rate: float
    beat: float
    left: float
    is_idle: bool


class CrawlSeen(NamedTuple):
    """A crawl as it stands in Redis; no live worker holds ``free`` partitions, ``unread`` links cannot be read."""

    workers: list[WorkerSeen]
    free: int
    waiting: int
    failed: int
    inbox: int
    unread: int
    has_ended: bool


def name_in_logs(worker: str) -> str:
    """Return host and number of a worker's process, without what tells it from later ones of that number."""
    return worker.rsplit(":", 1)[0]


def crawl_seen(server: Server, partitions: int) -> CrawlSeen:
    """Return what there is to see. Raises ServerAway, StoreError."""
    everywhere = range(partitions)
    (seconds, part), leases, owners, counts, idle, since, beats, ended = server.send(
        [
            ("TIME",),
            ("ZRANGE", server.key("workers"), 0, -1, "WITHSCORES"),
            *(
                ("HGETALL", server.key(name))
                for name in ("owners", "counts", "idle", "since", "beats")
            ),
            ("HGET", server.key("run"), "finished"),
        ]
    )
    sizes = server.send(
        [
            *(("HLEN", server.key("rows", one)) for one in everywhere),
            *(("HLEN", server.key("aside", one)) for one in everywhere),
            *(("LLEN", server.key("inbox", one)) for one in everywhere),
            *(("SCARD", server.key(UNREAD_LINKS, one)) for one in everywhere),
        ]
    )
    now = float(seconds) * 1000 + float(part) / 1000
    held = Counter(owner.partition(b":")[2] for owner in _by_name(owners).values())
    pages = _by_name(counts)
    begun, is_idle = _by_name(since), _by_name(idle)
    heard = {name: _Beat(*map(int, said.split())) for name, said in _by_name(beats).items()}
    never = _Beat(*(round(now), 0) * 2, 0)
    workers = [
        WorkerSeen(
            name=name_in_logs(name.decode()),
            partitions=held[name],
            pages=int(pages.get(b"pages " + name, 0)),
            seconds=max(0.0, (now - float(begun.get(name, now))) / 1000),
            rate=_rate(int(pages.get(b"pages " + name, 0)), heard.get(name, never)),
            beat=max(0.0, (now - heard.get(name, never).at) / 1000),
            left=(float(lease) - now) / 1000,
            is_idle=is_idle.get(name) == b"1",
        )
        for name, lease in _by_name(leases).items()
    ]
    living = sum(one.partitions for one in workers if one.left >= 0)
    return CrawlSeen(
        workers=sorted(workers),
        free=partitions - living,
        waiting=sum(sizes[:partitions]),
        failed=sum(sizes[partitions : 2 * partitions]),
        inbox=sum(sizes[2 * partitions : 3 * partitions]),
        unread=sum(sizes[3 * partitions :]),
        has_ended=ended == b"1",
    )


class _Beat(NamedTuple):
    """When a worker last beat, and its pages at two moments, the earlier one first (ms)."""

    at: int
    since: int
    had: int
    later: int
    then_had: int


def _rate(pages: int, heard: _Beat) -> float:
    return (pages - heard.had) * 60_000 / max(heard.at - heard.since, 1_000)


def give_order(server: Server, site: str, order: str) -> None:
    """Send a person's order about a site to its holder, with the next beat. Raises ServerAway, StoreError."""
    value = link_to_bytes(order_about(site, order))
    home = partition_of(site)
    server.send(
        [
            ("MULTI",),
            ("RPUSH", server.key("inbox", home), value),
            ("HINCRBY", server.key("bases"), f"sent {home}", 1),
            ("HINCRBY", server.key("run"), "writes", 1),
            ("EXEC",),
        ]
    )


def is_followed(server: Server, site: str, order: str) -> bool:
    """Whether no such order waits: it has been followed, and what came of it is stored. Raises ServerAway,
    StoreError."""
    value = link_to_bytes(order_about(site, order))
    (place,) = server.send([("LPOS", server.key("inbox", partition_of(site)), value)])
    return place is None


def _by_name(found: Any) -> dict[bytes, Any]:
    """Read names and values, which come as a map, in pairs, or one after the other, by the protocol."""
    if isinstance(found, dict):
        return found
    if found and isinstance(found[0], list | tuple):
        return dict(found)
    return dict(zip(found[::2], found[1::2], strict=True))
