"""The tables [follow] and [url]: which links are followed, and which addresses are one page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from focuscrawl.locale.messages import N_
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.addresses import Matches, hosts, matches, parameters, rewrites
from focuscrawl.template.kinds.kind import choice, listed, whole
from focuscrawl.template.kinds.words import Words, words
from focuscrawl.template.merge import Entry
from focuscrawl.urls.canonical import DROPPED, UrlRules
from focuscrawl.urls.sites import Hosts

_MATCH = matches()


_PARAMETERS = parameters()


_ELSEWHERE = {"max_length": N_("write URLLENGTH_LIMIT = 1000 in [settings]")}


# fmt: off
class FollowTable(Table, path="follow", doc="which links are followed"):
    """[follow]: which links. An empty ``allow`` allows everything, empty ``layers`` every link.

    ``refuse`` holds "nofollow" and "actions", or one of them, or nothing.
    """

    scope: Literal["sources", "listed", "web"] = key(choice("sources", "listed", "web"), None,
        "Where links may lead: `sources`, the hosts of the sources and below; `listed`, only `sites`; `web`, everywhere.",
        'scope = "sources"', '"web" with search.engines or [explore], else "sources"')
    sites: Hosts = key(hosts(), None,
        "Hosts that belong besides (Scrapy: allowed_domains).",
        'sites = ["example.cn"]', "none")
    allow: Matches = key(_MATCH, None,
        "If given, an address must match one of these.",
        'allow = ["/article/", "/2026/*.html"]', "everything", site=True)
    deny: Matches = key(_MATCH, None,
        "An address must match none of these, whatever `allow` says.",
        "deny = ['/en/', 're:/topic/\\d+$']", "none", site=True)
    boards: Matches = key(_MATCH, None,
        "Addresses of list pages.",
        'boards = ["/index_*.html"]', "learnt", site=True)
    articles: Matches = key(_MATCH, None,
        "Addresses of articles.",
        "articles = ['re:/20\\d{6}/\\w+\\.s?html']", "learnt", site=True)
    refuse: frozenset[str] = key(listed(choice("nofollow", "actions"), "choice or list: nofollow, actions", frozenset), ["nofollow", "actions"],
        "What else is refused: `nofollow`, links inside a site that it asks robots not to follow (rel, meta, X-Robots-Tag; to another site it only lowers what a link promises); `actions`, addresses that edit, log in, reply, buy, print and the like. `[]` refuses neither.",
        'refuse = ["actions"]', site=True)
    depth: int = key(whole(0, 50), 5,
        "How many clicks a page may be away from its source; further pages of one list are no clicks.",
        "depth = 3", sets=("DEPTH_LIMIT",), site=True)
    paging: Literal["until-known", "all", "none"] = key(choice("until-known", "all", "none"), "until-known",
        "How far to page through a list: until a page shows nothing new or only what is older than `article.since`; to its end; not at all.",
        'paging = "until-known"', site=True)
    pages: int = key(whole(1, 10000), 20,
        "The most pages of one list.",
        "pages = 50", site=True)
    layers: Words = key(words(), None,
        "Links to follow from a seed by their text or title, a group for each layer; the pages of the last layer are the ones to read.",
        'layers = ["关于我们|公司简介", "联系我们|联系方式"]', "every link")
# fmt: on

    def hosts(self) -> Iterator[str]:
        """Go through the hosts of ``sites``."""
        return (host.removeprefix("=") for host in self.sites.written)

    @classmethod
    def fill(cls, entry: Entry) -> None:
        """Follow links anywhere where seeds may be anywhere."""
        if entry.plain["scope"] is None:
            explores = entry.whole["explore"]["enabled"]
            explores = entry.has("explore") if explores is None else explores
            anywhere = entry.whole["search"]["engines"] or explores
            entry.plain["scope"] = "web" if anywhere else "sources"


# fmt: off
class UrlTable(Table, path="url", doc="which addresses are the same page", elsewhere=_ELSEWHERE):
    """[url]: when two addresses are one page; see ``urls.canonical.UrlRules``."""

    drop: tuple[str, ...] = key(_PARAMETERS, list(DROPPED),
        'Names of query parameters that make no difference; `"..."` keeps the built-in ones.',
        'drop = ["...", "ts", "rnd*"]', "tracking list (utm_*, spm, from, share_token …) and session ids", site=True)
    keep: tuple[str, ...] = key(_PARAMETERS, None,
        "Names of query parameters that do, against `drop`.",
        'keep = ["newsid"]', "none", site=True)
    rewrite: tuple[tuple[str, str], ...] = key(rewrites(), None,
        "Regular expressions and what takes the place of a match, where one page has several spellings; used before pages are compared.",
        "rewrite = { 'show\\.php\\?id=(\\d+).*' = 'show-\\1.html' }", "none", site=True)

    @cached_property
    def rules(self) -> UrlRules:
        """The same in the words of the room urls."""
        return UrlRules(self.drop, self.keep, rewrite=self.rewrite)
# fmt: on
