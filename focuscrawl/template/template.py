"""The template as code sees it: frozen values whose attributes are named as the keys.

Durations are float seconds, sizes int bytes, shares float; *words* are Words, *match* is Matches,
*hosts* are Hosts. What a template leaves out is None, an empty tuple or an empty set of patterns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from focuscrawl.articles.table import ArticleTable
from focuscrawl.explore.table import Explore
from focuscrawl.frontier.table import Queues
from focuscrawl.links.table import Follow, Url
from focuscrawl.politeness.table import PolitenessTable, Request
from focuscrawl.records.table import RecordTable
from focuscrawl.relevance.link_score import LinkScorer
from focuscrawl.relevance.model import PageModel
from focuscrawl.relevance.page_score import PageScorer
from focuscrawl.relevance.table import Relevance
from focuscrawl.revisit.table import Revisit
from focuscrawl.search.table import Search
from focuscrawl.stories.table import StoryRules
from focuscrawl.template.kinds.addresses import host_of_checked
from focuscrawl.template.output import Output
from focuscrawl.template.site import SiteTable
from focuscrawl.template.table import Limits, Source, Topic
from focuscrawl.text.words import Splitter, splitter
from focuscrawl.urls.sites import Hosts
from focuscrawl.values import Json

HOSTS_KEPT = 50_000
"""So many hosts' rules are kept; a crawl of the whole web begins anew then."""


@dataclass(frozen=True)
class Template:
    """A topic, resolved: defaults, extended files, the file, arguments.

    ``sites`` is what holds by the HOST of a table, ``elsewhere`` what does where none fits; ask ``site(host)``. ``settings`` are
    Scrapy's as written. ``resolved`` is the whole as plain JSON in the template's notation,
    secrets only by name, passwords of addresses masked; ``hash`` its MD5. ``path`` is None for an inline template.
    """

    topic: Topic
    sources: tuple[Source, ...]
    search: Search
    follow: Follow
    url: Url
    relevance: Relevance
    explore: Explore
    article: ArticleTable
    stories: StoryRules
    revisit: Revisit
    queues: Queues
    politeness: PolitenessTable
    request: Request
    limits: Limits
    output: Output
    record: dict[str, RecordTable]
    sites: dict[str, SiteTable] = field(repr=False)
    elsewhere: SiteTable = field(repr=False)
    settings: Json
    name: str
    path: Path | None
    resolved: Json = field(repr=False)
    hash: str
    _rules: dict[str, SiteTable] = field(default_factory=dict, repr=False, compare=False)

    def site(self, host: str) -> SiteTable:
        """Return what holds for a host; its own table or the one of the nearest domain above."""
        rules = self._rules.get(host)
        if rules is None:
            if len(self._rules) >= HOSTS_KEPT:
                self._rules.clear()
            near = self._tables.nearest(self.aliases.get(host, host)) or ""
            rules = self._rules[host] = self.sites[near] if near else self.elsewhere
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
        return LinkScorer(self.topic)

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
            for alias in site.aliases.written
        }

    @cached_property
    def scope(self) -> Hosts | None:
        """The hosts that belong, by follow.scope; None: any. Aliases belong with their site."""
        if self.follow.scope == "web":
            return None
        hosts = list(self.follow.sites.written)
        if self.follow.scope == "sources":
            hosts += [host_of_checked(url) for source in self.sources for url in source.urls]
        belongs = Hosts(hosts)
        return Hosts(hosts + [alias for alias, host in self.aliases.items() if host in belongs])

    def named_hosts(self) -> Iterator[str]:
        """Go through all hosts that the topic names: whoever wrote it wants them asked."""
        for source in self.sources:
            yield from map(host_of_checked, source.urls)
        written = (*self.follow.sites.written, *self.sites, *self.aliases)
        yield from (host.removeprefix("=") for host in written)
        for engine in self.search.engine.values():
            yield engine.host
            yield from map(host_of_checked, engine.urls)
