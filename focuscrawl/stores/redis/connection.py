"""The Redis that a user's settings name, as scrapy-redis reads them, and whether it can hold a crawl."""

from __future__ import annotations

import logging
import re
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool
from scrapy_redis import defaults
from scrapy_redis.connection import SETTINGS_PARAMS_MAP, from_settings

from focuscrawl.locale.messages import _
from focuscrawl.stores.state.protocol import StoreError

if TYPE_CHECKING:
    from redis import ConnectionPool, Redis

    from focuscrawl.stores.redis.server import Server

logger = logging.getLogger(__name__)

OLDEST = (6, 2)
"""Scripts read the clock and write after it, and take lists of values at once."""

SETTINGS = "REDIS_URL, or REDIS_HOST and REDIS_PORT, and REDIS_PARAMS"
CLOCK_OFF = 60.0
"""Seconds by which a clock may differ before that is logged: dates of visits are each worker's own."""


_SENTINELS = re.compile(
    r"redis(?P<tls>s?)\+sentinel://(?:(?P<user>[^@:/]*)(?::(?P<password>[^@/]*))?@)?"
    r"(?P<hosts>[^@/]+)/(?P<service>[^/?#]+)(?:/(?P<db>\d+))?/?"
)


def _behind_sentinel(url: str, params: dict[str, Any]) -> Redis:
    """Return a client of the master that Sentinels know when it connects. Raises ValueError for another address."""
    found = _SENTINELS.fullmatch(url)
    if not found:
        raise ValueError("redis+sentinel://[USER:PASSWORD@]HOST:PORT[,HOST:PORT]/SERVICE[/DB]")
    given = {"username": found["user"], "password": found["password"]}
    params |= {name: unquote(value) for name, value in given.items() if value}
    if found["tls"]:
        params["ssl"] = True
    if found["db"]:
        params["db"] = int(found["db"])
    asked = {name: value for name, value in params.items() if name.startswith(("socket_", "ssl"))}
    asked |= {"retry": Retry(NoBackoff(), 0), **params.pop("sentinel_kwargs", {})}
    hosts = [one.rpartition(":") for one in found["hosts"].split(",")]
    places = [(host, int(port)) if host else (port, 26379) for host, _colon, port in hosts]
    sentinel: Any = Sentinel(places, sentinel_kwargs=asked)  # type: ignore[no-untyped-call]
    master: Redis = sentinel.master_for(unquote(found["service"]), **params)
    return master


def _client_of(settings: Any) -> Redis:
    """Return the client that scrapy-redis makes of the settings, or one behind the Sentinels that REDIS_URL names."""
    url = settings.get("REDIS_URL") or ""
    if not re.match(r"rediss?\+sentinel:", url):
        client: Redis = from_settings(settings)
        return client
    params = {**defaults.REDIS_PARAMS, **settings.getdict("REDIS_PARAMS")}
    params |= {
        key: value for name, key in SETTINGS_PARAMS_MAP.items() if (value := settings.get(name))
    }
    for name in ("redis_cls", "url", "host", "port"):
        params.pop(name, None)
    return _behind_sentinel(url, params)


def pool_of(settings: Any) -> ConnectionPool:
    """Return what connects to the Redis of the settings. Raises StoreError for what cannot be used."""
    params = settings.getdict("REDIS_PARAMS")
    if params.get("decode_responses") or settings.getbool("REDIS_DECODE_RESPONSES"):
        raise StoreError(
            _(
                "REDIS_PARAMS: decode_responses cannot be used here, since rows are bytes: take it"
                " out"
            )
        )
    try:
        with warnings.catch_warnings():
            # scrapy-redis names an option of its own that redis-py does without by now.
            warnings.filterwarnings("ignore", message=".*retry_on_timeout")
            pool: ConnectionPool = _client_of(settings).connection_pool
    except (RedisError, TypeError, ValueError) as error:
        # An address that is cut at a / or # in its password has the rest of it for a port, and the error repeats it.
        reason = re.sub(r"'[^']*'", "'***'", str(error))
        raise StoreError(
            _("the settings name no Redis ({error}): look at {settings}").format(
                error=reason, settings=SETTINGS
            )
        ) from None
    # By itself redis-py repeats what has failed, up to ten times and unseen.
    pool.connection_kwargs["retry"] = Retry(NoBackoff(), 0)
    return pool


def foreign_keys(settings: Any, name: str) -> tuple[str, str]:
    """Return where scrapy-redis keeps what waits of a spider, and what it has seen."""
    queue = settings.get("SCHEDULER_QUEUE_KEY") or defaults.SCHEDULER_QUEUE_KEY
    seen = settings.get("SCHEDULER_DUPEFILTER_KEY") or defaults.SCHEDULER_DUPEFILTER_KEY
    return queue % {"spider": name}, seen % {"spider": name}


def address_of(pool: ConnectionPool) -> str:
    """Return where a Redis is, without its password."""
    known = pool.connection_kwargs
    if isinstance(pool, SentinelConnectionPool):
        asked = [one.connection_pool.connection_kwargs for one in pool.sentinel_manager.sentinels]
        places = ", ".join(f"{one['host']}:{one['port']}" for one in asked)
        return f"Redis {pool.service_name} behind Sentinel at {places}"
    if path := known.get("path"):
        return f"Redis at {path}"
    return f"Redis at {known.get('host', 'localhost')}:{known.get('port', 6379)}"


class ServerFacts(NamedTuple):
    """What a server reports of itself. ``is_logged``: what it holds survives its restart."""

    version: tuple[int, ...]
    role: str
    master: str
    is_cluster: bool
    memory: int
    policy: str
    is_logged: bool
    is_redis: bool

    @classmethod
    def of(cls, info: bytes | str) -> ServerFacts:
        """Read the answer to INFO."""
        text = info.decode("utf-8", "replace") if isinstance(info, bytes) else info
        lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        # Valkey calls itself so, and says for old clients which Redis it is like.
        version = lines.get("valkey_version") or lines.get("redis_version") or ""
        numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdecimal())
        return cls(
            version=numbers,
            role=lines.get("role", ""),
            master=lines.get("master_host", ""),
            is_cluster=lines.get("cluster_enabled") == "1",
            memory=int(lines.get("maxmemory") or 0),
            policy=lines.get("maxmemory_policy", ""),
            is_logged=lines.get("aof_enabled") == "1",
            is_redis=bool(version),
        )

    def why_not(self) -> str:
        """Return why a crawl cannot be kept here, and what to do; "": it can."""
        version = ".".join(map(str, self.version))
        if not self.is_redis or self.version < OLDEST:
            return f"it is version {version or 'unknown'}: use Redis 6.2 or later, or Valkey"
        if self.is_cluster:
            return (
                "it is a cluster: a beat goes through all keys of a worker at once, which lie on"
                " several nodes there; use one Redis, or one behind Sentinel"
            )
        if self.role == "slave":
            return f"it is a replica of {self.master}, which takes no writes: name that one"
        if self.memory and self.policy != "noeviction":
            return (
                f"it deletes keys when its memory is full (maxmemory-policy {self.policy}): set it to"
                " noeviction; then the crawl waits instead"
            )
        return ""


def check_server(server: Server, address: str, now: float) -> None:
    """Check that a server can hold a crawl, and log what a user must know. Raises StoreError, ServerAway."""
    (info,), (clock,) = server.send([("INFO",)]), server.send([("TIME",)])
    facts = ServerFacts.of(info)
    if why := facts.why_not():
        raise StoreError(f"{address}: {why}")
    if not facts.is_logged:
        logger.warning(
            _(
                "%s keeps no log of what is written (appendonly no): when it is started again, the"
                " crawl may be gone; set appendonly yes"
            ),
            address,
        )
    behind = float(clock[0]) - now
    if abs(behind) > CLOCK_OFF:
        logger.warning(
            "the clock of this machine is %.0f s %s that of %s: visits are planned by it; set it right",
            *(abs(behind), "behind" if behind > 0 else "ahead of", address),
        )
