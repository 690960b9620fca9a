"""What the tables [queues], [politeness], [request] and [limits] become."""

from __future__ import annotations

from dataclasses import dataclass, field

from focuscrawl.template.kinds.times import Hours
from focuscrawl.template.secrets import Cookie


@dataclass(frozen=True, slots=True)
class Queues:
    """[queues]: what first. ``factor`` None means measured (A6); ``in_flight`` is variant A5."""

    levels: int
    factor: float | None
    max_wait: float
    in_flight: bool
    strict: bool


@dataclass(frozen=True, slots=True)
class Politeness:
    """[politeness]: how we treat sites. ``user_agent`` and ``contact`` are "" when not given."""

    delay: float
    jitter: float
    concurrency: int
    total: int
    robots: bool
    crawl_delay_max: float
    timeout: float
    retries: int
    hours: Hours
    user_agent: str
    contact: str


@dataclass(frozen=True, slots=True)
class Request:
    """[request]: what we send. Secrets are in here only when a crawl starts, never in repr()."""

    headers: dict[str, str] = field(repr=False)
    cookies: tuple[Cookie, ...] = field(repr=False)
    proxy: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Limits:
    """[limits]: 0 = no limit; ``time`` in seconds, ``body`` in bytes."""

    pages: int
    articles: int
    time: float
    errors: int
    per_site: int
    body: int
