"""The template as code sees it: frozen values whose attributes are named as the keys.

Durations are float seconds, sizes int bytes, shares float; *words* are Words, *match* is Matches,
*hosts* are Hosts. What a template leaves out is None, an empty tuple or an empty set of patterns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import regex

from focuscrawl.text.words import Splitter, splitter
from focuscrawl.topic.hours import Hours
from focuscrawl.topic.link_scoring import LinkScorer
from focuscrawl.topic.matches import Hosts, Matches
from focuscrawl.topic.model import PageModel
from focuscrawl.topic.record_labels import LabelFinder
from focuscrawl.topic.revisit_kinds import Ignored
from focuscrawl.topic.scoring import PageScorer
from focuscrawl.topic.search_kinds import Address, Within
from focuscrawl.topic.secrets import Cookie
from focuscrawl.topic.words import Words
from focuscrawl.urls.canonical import UrlRules
from focuscrawl.values import Json, Selector

HOSTS_KEPT = 50_000
"""So many hosts' rules are kept; a crawl of the whole web begins anew then."""


@dataclass(frozen=True, slots=True)
class Topic:
    """[topic]: what we look for."""

    name: str
    title: str
    keywords: Words
    require: Words
    exclude: Words
    language: Literal["zh", "en", "auto"]
    timezone: ZoneInfo
    dictionary: tuple[str, ...]
    tags: tuple[str, ...]
    strict: bool


@dataclass(frozen=True, slots=True)
class Source:
    """One [[source]]. ``level`` is filled in; ``source_id`` names it in the results."""

    urls: tuple[str, ...]
    kind: Literal["auto", "board", "article", "feed", "sitemap", "forum"]
    level: int
    every: float | None
    relevant: Literal["judge", "all"]
    tags: tuple[str, ...]
    name: str
    source_id: str


@dataclass(frozen=True, slots=True)
class Engine:
    """One [search.engine.NAME], built in or not.

    With ``urls`` it is a list and is never asked. Else ``url`` and ``results`` are there. Selectors
    that may be missing are None; so is ``within`` when the engine cannot be asked for an age.
    """

    name: str
    url: Address | None
    urls: tuple[str, ...]
    encoding: str
    within: Within | None
    format: Literal["html", "json"]
    results: Selector
    link: Selector
    target: Selector | None
    title: Selector
    snippet: Selector | None
    date: Selector | None
    ads: Selector | None
    blocked: Words
    empty: Words

    @property
    def host(self) -> str:
        """The host its result pages are on; "" for a list."""
        return host_of(self.url.written) if self.url else ""


@dataclass(frozen=True, slots=True)
class Search:
    """[search]: which engines are asked for what. ``engine`` has one for each of ``engines``."""

    engines: tuple[str, ...]
    queries: tuple[str, ...]
    areas: tuple[str, ...]
    results: int
    every: float
    within: float | None
    robots: bool
    delay: float
    sites: Hosts
    strict: bool
    engine: dict[str, Engine]


@dataclass(frozen=True, slots=True)
class Follow:
    """[follow]: which links. An empty ``allow`` allows everything, empty ``layers`` every link."""

    scope: Literal["sources", "listed", "web"]
    sites: Hosts
    allow: Matches
    deny: Matches
    boards: Matches
    articles: Matches
    depth: int
    paging: Literal["until-known", "all", "none"]
    pages: int
    layers: Words


@dataclass(frozen=True, slots=True)
class Url:
    """[url]: when two addresses are one page; see ``urls.canonical.UrlRules``."""

    drop: tuple[str, ...]
    keep: tuple[str, ...]
    scheme: Literal["same", "distinct"]
    slash: Literal["same", "distinct"]
    rewrite: tuple[tuple[str, str], ...]
    max_length: int

    @property
    def rules(self) -> UrlRules:
        """The same in the words of the room urls."""
        return UrlRules(
            self.drop, self.keep, self.scheme == "same", self.slash == "same", self.rewrite
        )


@dataclass(frozen=True, slots=True)
class Relevance:
    """[relevance]: when a page belongs to the topic. ``model`` is where the file is."""

    threshold: float
    title_weight: float
    hints: tuple[str, ...]
    model: Path | None


@dataclass(frozen=True, slots=True)
class Explore:
    """[explore]: new sites, through irrelevant pages.

    ``ban_for`` is inf for ever; ``trusted`` are those given, the sources are trusted besides.
    """

    enabled: bool
    share: float
    steps: int
    site_quota: int
    ban_after: int
    ban_rate: float
    ban_for: float
    banned: Hosts
    trusted: Hosts
    order: Literal["portfolio", "best-first", "breadth-first"]
    strict: bool


@dataclass(frozen=True, slots=True)
class Article:
    """[article]: what is kept. ``since`` is an age in seconds or an aware moment."""

    keep: Literal["relevant", "all", "none"]
    since: float | datetime | None
    min_length: int
    languages: tuple[str, ...]
    pages: int
    images: Literal["urls", "none"]

    def oldest(self, now: float) -> float | None:
        """Return the wall time before which articles are not stored; None: all are."""
        if isinstance(self.since, datetime):
            return self.since.timestamp()
        return None if self.since is None else now - self.since


@dataclass(frozen=True, slots=True)
class Stories:
    """[stories]: what articles have in common (D). ``window`` is in seconds."""

    copies: Literal["join", "keep", "off"]
    events: bool
    window: float
    strict: bool


@dataclass(frozen=True, slots=True)
class RevisitTimes:
    """[revisit.CLASS]: seconds; ``until`` is inf for ever."""

    first: float
    min: float
    max: float
    until: float


@dataclass(frozen=True, slots=True)
class Revisit:
    """[revisit]: when to come again (B). ``budget`` is visits a second, None: what politeness allows.

    ``times`` holds the table of each class by its name.
    """

    policy: Literal["index", "tx", "fixed", "off"]
    budget: float | None
    objective: Literal["stale", "fresh", "delay"]
    continuous: bool
    ignore: Ignored
    signals: bool
    gone_after: int
    gone_within: float
    strict: bool
    times: dict[str, RevisitTimes]


@dataclass(frozen=True, slots=True)
class Queues:
    """[queues]: what first. ``factor`` None means measured (A6)."""

    levels: int
    factor: float | None
    max_wait: float
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


@dataclass(frozen=True, slots=True)
class Feed:
    """One [output.feeds."URI"]. ``fields`` maps columns to their titles; None: all."""

    uri: str
    format: str
    items: tuple[str, ...]
    fields: dict[str, str] | None
    encoding: str
    overwrite: bool
    batch_item_count: int


@dataclass(frozen=True, slots=True)
class Output:
    """[output]: what is stored. ``keep`` is in seconds."""

    text: Literal["full", "lead", "none"]
    history: Literal["diff", "full", "none"]
    keep: float
    feeds: tuple[Feed, ...]


RecordFieldType = Literal[
    "text", "phone", "mobile", "fax", "email", "url", "zip", "qq", "wechat", "address", "number",
    "date", "code",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecordField:
    """One field of [record.NAME.fields]; ``places`` is the key ``from``."""

    name: str
    labels: Words
    type: RecordFieldType
    required: bool
    many: bool
    pattern: regex.Pattern[str] | None
    places: tuple[str | Selector, ...]


@dataclass(frozen=True)
class Record:
    """One [record.NAME]: what is read of which pages."""

    name: str
    pages: Literal["last-layer", "relevant", "all"]
    one_per: Literal["block", "page", "site"]
    key: tuple[str, ...]
    fields: tuple[RecordField, ...]

    @cached_property
    def find_labels(self) -> LabelFinder:
        """What finds the labels of all fields in a text."""
        return LabelFinder({field.name: field.labels for field in self.fields})


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
    parser: str


class Site(NamedTuple):
    """One [site."HOST"] as built: the values it gives, by key."""

    host: str
    values: dict[str, Any]


@dataclass(frozen=True)
class Template:
    """A topic, resolved: defaults, extended files, the file, arguments.

    ``sites`` are the tables [site."HOST"]; ask ``site(host)`` for what holds. ``settings`` are
    Scrapy's as written. ``resolved`` is the whole as plain JSON in the template's notation,
    secrets only by name; ``hash`` its MD5. ``path`` is None for an inline template.
    """

    topic: Topic
    sources: tuple[Source, ...]
    search: Search
    follow: Follow
    url: Url
    relevance: Relevance
    explore: Explore
    article: Article
    stories: Stories
    revisit: Revisit
    queues: Queues
    politeness: Politeness
    request: Request
    limits: Limits
    output: Output
    record: dict[str, Record]
    sites: dict[str, Site] = field(repr=False)
    settings: Json
    name: str
    path: Path | None
    resolved: Json = field(repr=False)
    hash: str
    _rules: dict[str, SiteRules] = field(default_factory=dict, repr=False, compare=False)
    _by_site: dict[str, SiteRules] = field(default_factory=dict, repr=False, compare=False)

    def site(self, host: str) -> SiteRules:
        """Return what holds for a host; its own table or the one of the nearest domain above."""
        rules = self._rules.get(host)
        if rules is None:
            if len(self._rules) >= HOSTS_KEPT:
                self._rules.clear()
            near = self._tables.nearest(self.aliases.get(host, host)) or ""
            rules = self._by_site.get(near)
            if rules is None:
                rules = self._by_site[near] = self._merged(near)
            self._rules[host] = rules
        return rules

    @cached_property
    def page_scorer(self) -> PageScorer:
        """What scores pages; raises ModelError when relevance.model cannot be used."""
        place = self.relevance.model
        model = PageModel.read(place) if place is not None else None
        return PageScorer(self.topic, self.relevance, model)

    @cached_property
    def link_scorer(self) -> LinkScorer:
        """What scores links."""
        return LinkScorer(self.topic, self.relevance)

    @property
    def splitter(self) -> Splitter:
        """What cuts the topic's texts into words, with its own names (topic.dictionary)."""
        return splitter(self.topic.dictionary)

    @cached_property
    def _tables(self) -> Hosts:
        return Hosts(self.sites)

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Other names of sites → the HOST of their table."""
        return {
            alias.removeprefix("="): host
            for host, site in self.sites.items()
            for alias in site.values.get("aliases", Hosts()).written
        }

    @cached_property
    def scope(self) -> Hosts | None:
        """The hosts that belong, by follow.scope; None: any. Aliases belong with their site."""
        if self.follow.scope == "web":
            return None
        hosts = list(self.follow.sites.written)
        if self.follow.scope == "sources":
            hosts += [host_of(url) for source in self.sources for url in source.urls]
        belongs = Hosts(hosts)
        return Hosts(hosts + [alias for alias, host in self.aliases.items() if host in belongs])

    def _merged(self, host: str) -> SiteRules:
        given: dict[str, Any] = self.sites[host].values if host else {}
        url = replace(self.url, **{k: v for k, v in given.items() if k in _names(Url)})
        values: dict[str, Any] = {
            "site": host,
            "url": url.rules,
            "skip": False,
            "quota": self.limits.per_site,
            "ignore": self.revisit.ignore,
        }
        values |= {"level": None, "relevant": "judge", "tags": (), "aliases": Hosts(), "parser": ""}
        values |= dict.fromkeys(("title", "text", "published", "author", "source", "next"))
        values |= dict.fromkeys(("thread", "replies", "views", "post", "posted", "poster"))
        values["encoding"] = ""
        for part in (self.politeness, self.request, self.follow):
            values |= {name: getattr(part, name) for name in _names(type(part))}
        values |= given
        values["headers"] = self.request.headers | given.get("headers", {})
        return SiteRules(**{name: values[name] for name in _names(SiteRules)})


def _names(kind: type[Any]) -> list[str]:
    return [one.name for one in fields(kind)]


def host_of(url: str) -> str:
    """Return the host of an address that the loader has checked."""
    return urlsplit(url).hostname or ""
