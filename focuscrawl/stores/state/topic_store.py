"""The one place that makes the store of a crawl: a file of its own, or a Redis that several workers share."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focuscrawl.locale.messages import _
from focuscrawl.stores.state.crawl_lock import process_name
from focuscrawl.stores.state.protocol import InCommon, Store, StoreError
from focuscrawl.stores.state.queues import (
    QueuesSeen,
    WorkLeft,
    queues_in_file,
    queues_on_server,
    work_in_file,
    work_on_server,
)
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_file import open_read_only

if TYPE_CHECKING:
    from focuscrawl.config import Config
    from focuscrawl.stores.redis.server import Server
    from focuscrawl.stores.redis.still import StillRedisStore
    from focuscrawl.stores.redis.store import RedisStore


def crawl_path(config: Config, name: str) -> Path:
    """Return where the crawl file of a topic is, or would be."""
    return config.data_dir / f"{name}.crawl.db"


def is_shared(settings: Any) -> bool:
    """Whether the settings name a Redis, as scrapy-redis reads them."""
    return bool(settings.get("REDIS_URL") or settings.get("REDIS_HOST"))


def store_of(
    name: str,
    config: Config,
    settings: Any,
    common: Mapping[str, InCommon],
    failed: Callable[[StoreError], object],
) -> Store:
    """Return the store of a crawl; ``common`` is what all workers on it must agree on.

    Nothing is opened yet.
    """
    if is_shared(settings):
        return shared_store(name, config, settings, common, failed)
    return SQLiteStore(crawl_path(config, name), synchronous=config.synchronous, failed=failed)


def shared_store(
    name: str,
    config: Config,
    settings: Any,
    common: Mapping[str, InCommon],
    failed: Callable[[StoreError], object],
) -> RedisStore:
    """Return a crawl on Redis."""
    # An embedded crawl never imports redis.
    from focuscrawl.stores.redis.connection import foreign_keys  # noqa: PLC0415
    from focuscrawl.stores.redis.lease import Lease  # noqa: PLC0415
    from focuscrawl.stores.redis.start_urls import StartKey  # noqa: PLC0415
    from focuscrawl.stores.redis.store import RedisStore  # noqa: PLC0415

    def connect() -> Server:
        path = crawl_path(config, name)
        if kept := kept_in(path):
            raise StoreError(
                _(
                    "{kept} in {path}, and the settings name a Redis: run scrapy topic move {name} to go"
                    " on with them there, take REDIS_URL out to go on here, or move the file away to"
                    " begin anew"
                ).format(kept=kept, path=path, name=name)
            )
        return server_of(name, settings)

    return RedisStore(
        connect,
        worker_name(),
        lease=Lease(config.lease),
        common=common,
        starts=StartKey.of(settings, name),
        foreign=foreign_keys(settings, name),
        is_dead=is_dead,
        flush=settings.getbool("SCHEDULER_FLUSH_ON_START"),
        persists=settings.getbool("SCHEDULER_PERSIST", True),
        failed=failed,
    )


def worker_name() -> str:
    """Return a name no other worker has: host, number of the process, and on which machine it counts."""
    return f"{process_name()}:{_machine()}.{secrets.token_hex(4)}"


def is_dead(worker: str) -> bool:
    """Whether a worker was a process of this machine that is no more; False also when that cannot be known."""
    host_and_number, _, rest = worker.rpartition(":")
    machine, number = rest.partition(".")[0], host_and_number.rpartition(":")[2]
    if not machine or machine != _machine() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it is another user's
        return False
    return False


@cache
def _machine() -> str:
    """Return what names this machine since it was started, and among which processes numbers count (those of
    containers begin at 1 in each); "" where there is no such thing."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
        numbers = Path("/proc/self/ns/pid").readlink()
    except OSError:
        return ""
    return sha256(f"{boot} {numbers}".encode()).hexdigest()[:8]


def still_store(name: str, config: Config, settings: Any) -> StillRedisStore:
    """Return a crawl on Redis for a command that changes it, while no worker is on it."""
    from focuscrawl.stores.redis.lease import Lease  # noqa: PLC0415
    from focuscrawl.stores.redis.still import StillRedisStore  # noqa: PLC0415

    return StillRedisStore(
        lambda: server_of(name, settings),
        worker_name(),
        lease=Lease.of_command(config.lease),
        common={},
        is_dead=is_dead,
    )


def server_of(name: str, settings: Any) -> Server:
    """Return the Redis of the settings, for one topic; nothing is asked yet. Raises StoreError."""
    from focuscrawl.stores.redis.connection import address_of, pool_of  # noqa: PLC0415
    from focuscrawl.stores.redis.server import Server  # noqa: PLC0415

    pool = pool_of(settings)
    return Server(pool, f"{name}:focuscrawl:", address_of(pool))


@contextmanager
def open_server(name: str, settings: Any) -> Iterator[Server]:
    """Ask the Redis of the settings about one topic. Raises StoreError, also where it does not answer."""
    from focuscrawl.stores.redis.server import (  # noqa: PLC0415 - brings redis
        ServerAway,
        ServerChanged,
        in_words,
    )

    with closing(server_of(name, settings)) as server:
        try:
            yield server
        except (ServerAway, ServerChanged) as error:
            raise StoreError(f"{server.address} {in_words(error)}") from error


def kept_in(path: Path) -> str:
    """Return what a crawl file has, in words; "" when there is none, or nothing in it."""
    if not path.exists():
        return ""
    with closing(open_read_only(path)) as database:
        counts = [
            int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - names
            for table in ("urls", "pages")
        ]
    return f"{counts[0]:,} URLs wait and {counts[1]:,} pages are known" if any(counts) else ""


def queues_seen(
    name: str, config: Config, settings: Any, most: int | None = None
) -> QueuesSeen | None:
    """Return how much waits in a crawl, also while it runs; None: there is none yet. Raises StoreError.

    ``most`` rows of those that failed, and of those that are parked, are read; None: all.
    """
    if not is_shared(settings):
        path = crawl_path(config, name)
        return queues_in_file(path, most) if path.exists() else None
    with open_server(name, settings) as server:
        return queues_on_server(server, most)


def work_left(name: str, config: Config, settings: Any, now: float) -> WorkLeft:
    """Count what is left to do of a crawl, also while it runs; ``now`` is wall time. Raises StoreError."""
    if not is_shared(settings):
        path = crawl_path(config, name)
        return work_in_file(path, now) if path.exists() else WorkLeft()
    with open_server(name, settings) as server:
        return work_on_server(server, now)
