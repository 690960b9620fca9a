"""What the tables [site."HOST"] become, and what holds for a site."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from focuscrawl.template.kinds.addresses import Hosts, Matches
from focuscrawl.template.kinds.times import Hours
from focuscrawl.template.secrets import Cookie
from focuscrawl.topic.revisit_kinds import Ignored
from focuscrawl.urls.canonical import UrlRules
from focuscrawl.values import Selector


class Site(NamedTuple):
    """One [site."HOST"] as built: the values it gives, by key."""

    host: str
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SiteRules:
    """Everything that holds for one site: the general values, and what [site."HOST"] changes.

    ``site`` is the HOST of the table, "" where none fits. ``url`` are the rules for keys.
    ``encoding`` is "" and a selector None where it is found out.
    """

    site: str
    delay: float
    jitter: float
    concurrency: int
    robots: bool
    timeout: float
    retries: int
    hours: Hours
    user_agent: str
    headers: dict[str, str] = field(repr=False)
    cookies: tuple[Cookie, ...] = field(repr=False)
    proxy: tuple[str, ...] = field(repr=False)
    allow: Matches
    deny: Matches
    boards: Matches
    articles: Matches
    refuse: frozenset[str]
    depth: int
    paging: Literal["until-known", "all", "none"]
    pages: int
    url: UrlRules
    skip: bool
    quota: int
    ignore: Ignored
    level: int | None
    relevant: Literal["judge", "all"]
    tags: tuple[str, ...]
    aliases: Hosts
    encoding: str
    title: Selector | None
    text: Selector | None
    published: Selector | None
    author: Selector | None
    source: Selector | None
    next: Selector | None
    thread: Selector | None
    replies: Selector | None
    views: Selector | None
    post: Selector | None
    posted: Selector | None
    poster: Selector | None
    post_text: Selector | None
    parser: str
