"""What tests of stores do with one, whether it answers at once or later."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import TYPE_CHECKING

from focuscrawl.stores.redis.lease import Lease
from focuscrawl.stores.redis.server import Server
from focuscrawl.stores.redis.store import RedisStore
from focuscrawl.stores.state.protocol import PARTITIONS, Changes, Fate, InCommon, Store
from tests.opened import closed_at_end

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from focuscrawl.stores.redis.start_urls import StartKey
    from tests.servers.redis_server import RedisServer

NAMES = itertools.count()


def redis_store(
    server: RedisServer,
    prefix: str,
    *,
    lease: float = 30.0,
    starts: StartKey | None = None,
    foreign: Sequence[str] = (),
    clock: Callable[[], float] = time.monotonic,
    is_dead: Callable[[str], bool] = lambda worker: False,
    answers_by: Callable[[], float] = time.monotonic,
    **common: str | InCommon,
) -> RedisStore:
    """Return one more worker on the crawl under a prefix."""
    pool = server.client().connection_pool
    name = f"worker{next(NAMES)}"
    return closed_at_end(
        RedisStore(
            lambda: Server(pool, prefix, clock=answers_by),
            name,
            lease=Lease(lease),
            common={one: InCommon(it) if isinstance(it, str) else it for one, it in common.items()},
            starts=starts,
            foreign=foreign,
            clock=clock,
            is_dead=is_dead,
        )
    )


async def handed_over(store: Store, changes: Mapping[int, Changes]) -> Fate:
    """Return what became of a window."""
    fate: asyncio.Future[Fate] = asyncio.get_running_loop().create_future()
    store.commit(changes, fate.set_result)
    return await asyncio.wait_for(fate, 30)


def write(store: Store, changes: Mapping[int, Changes]) -> Fate:
    """Write a window."""
    return asyncio.run(handed_over(store, changes))


def leave(store: Store) -> None:
    """End in order, as a run does."""
    if store.is_shared:
        asyncio.run(store.give_back(range(PARTITIONS), {}))
    store.release()
