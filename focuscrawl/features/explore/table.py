"""The table [explore]: new sites, through irrelevant pages."""

from __future__ import annotations

from typing import Literal

from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.addresses import hosts
from focuscrawl.template.kinds.kind import choice, flag, share, whole
from focuscrawl.template.merge import Entry
from focuscrawl.urls.sites import Hosts

_SHARE = share()


# fmt: off
class ExploreTable(Table, path="explore", doc="new sites, through irrelevant pages"):
    """[explore]: new sites, through irrelevant pages.

    Sources and what is in follow.sites are never banned, and have no quota.
    """

    enabled: bool = key(flag(), None,
        "Whether links to sites that are no sources are explored.",
        "enabled = true", "when follow.scope is \"web\"")
    share: float = key(_SHARE, 0.3,
        "At most this share of the requests explores while known sources have something to fetch.",
        "share = 0.2")
    steps: int = key(whole(0, 30), 10,
        "So many irrelevant pages in a row, then links are parked (strict: dropped).",
        "steps = 6")
    site_quota: int = key(whole(1), 15,
        "Of a site that was not judged yet so many links stand in front, the best ones (strict: more are dropped).",
        "site_quota = 25")
    ban_after: int = key(whole(1), 20,
        "So many irrelevant pages, then a site or a folder of it may be banned for 30 days, when its share of relevant pages is under three tenths of the crawl's.",
        "ban_after = 40")
    banned: Hosts = key(hosts(), None,
        "Never fetched.",
        'banned = ["ads.example.com", "@banned.txt"]', "none")
    order: Literal["portfolio", "best-first", "breadth-first"] = key(choice("portfolio", "best-first", "breadth-first"), "portfolio",
        "Which link is next: the best of all, of its folder or of its site, as it pays; the best of all; the first found.",
        'order = "best-first"')
    strict: bool = key(flag(), False,
        "The published form: links are dropped, sites banned by a count of pages.",
        "strict = false")
# fmt: on

    def on_links(self) -> dict[str, Hosts | None]:
        """Follow no link to what is never fetched."""
        return {"banned": self.banned or None}

    @classmethod
    def fill(cls, entry: Entry) -> None:
        """Explore the web where it is crawled at all."""
        if entry.plain["enabled"] is None:
            entry.plain["enabled"] = entry.whole["follow"]["scope"] == "web"
