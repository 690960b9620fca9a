"""``scrapy topic workers``: who works on a crawl that several share, and what is left to do."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from focuscrawl.store.protocol import PARTITIONS, StoreError
from focuscrawl.store.topic_store import is_shared, server_of
from focuscrawl.verbs.call import Call, CannotDo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focuscrawl.store.redis.workers import CrawlSeen, WorkerSeen


def workers(call: Call, args: Sequence[str]) -> str:
    """List the workers of a crawl (NAME): where, what they hold, what they have done."""
    name = call.loaded(args, secrets=False).template.name
    if not is_shared(call.settings):
        raise CannotDo(
            f"{name} is crawled by one process, since the settings name no Redis (REDIS_URL); -s"
            " REDIS_URL=… names one"
        )
    from focuscrawl.store.redis.server import ServerAway  # noqa: PLC0415 - brings redis
    from focuscrawl.store.redis.workers import crawl_seen  # noqa: PLC0415

    try:
        with closing(server_of(name, call.settings)) as server:
            return _in_words(name, crawl_seen(server, PARTITIONS))
    except (ServerAway, StoreError) as error:
        raise CannotDo(str(error)) from None


def _in_words(name: str, seen: CrawlSeen) -> str:
    waiting = f"{name}: {seen.waiting:,} URLs wait or are in flight"
    lines = [f"{waiting}, {seen.failed:,} failed or parked, {seen.inbox:,} links on their way"]
    lines += map(_line, seen.workers)
    if not seen.workers:
        lines.append("nobody works on it")
    elif seen.free:
        lines.append(f"{seen.free} partitions are free, or held by a worker that is not heard of")
    if seen.has_ended:
        lines.append("the crawl has ended: nothing is left to do")
    return "\n".join(lines)


def _line(worker: WorkerSeen) -> str:
    rate = worker.pages / max(worker.seconds / 60, 1 / 60)
    state = "idle" if worker.is_idle else "at work"
    if worker.left < 0:
        state = f"in doubt: not heard of since its lease ended {-worker.left:.0f} s ago"
    return (
        f"  {worker.name}: {worker.partitions} partitions, {worker.pages:,} pages in"
        f" {worker.seconds:,.0f} s ({rate:.0f} a minute), {state}"
    )
