"""The demo web put together: every host, its pages and its truth, from a seed and a size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from focuscrawl.demo.companies import CompanySite, Hub, company
from focuscrawl.demo.engine import (
    ENGINE,
    SHY_ENGINE,
    STRICT_ENGINE,
    Advertiser,
    Engine,
)
from focuscrawl.demo.entries import Entry
from focuscrawl.demo.forum import Forum
from focuscrawl.demo.news import Portal
from focuscrawl.demo.oddities import CALENDAR, Calendar, Moved
from focuscrawl.demo.pages import canonical
from focuscrawl.demo.press import GIANT, portals
from focuscrawl.demo.smallsites import (
    BLOG,
    NOTICES,
    Blog,
    Faulty,
    Notices,
    Site,
    slow_portal,
)
from focuscrawl.demo.truth import ArticleTruth, ChangeTruth, Page, RecordTruth, ThreadTruth

SIZES = {"full": 1.0, "small": 0.08}
"""About 1,500 pages, and about 150 for tests."""

COMPANIES = 12


class DemoWeb:
    """All sites of one seed. The same seed and day give the same bytes; nothing here is random.

    ``size`` is a key of SIZES.
    """

    def __init__(self, seed: int = 1, size: str = "full") -> None:
        if size not in SIZES:
            raise ValueError(f"size = {size!r}: must be one of {', '.join(SIZES)}")
        key, scale = str(seed), SIZES[size]
        self.seed = seed
        news, daily, giant = portals(key, scale)
        food = tuple(entry for entry in news.entries if entry.theme == "food")
        count = COMPANIES if size == "full" else 3
        self.companies = [company(key, number) for number in range(count)]
        self.forum = Forum(key, scale)
        blog = Blog(
            key,
            scale,
            (
                (f"http://{GIANT}/", "大千门户"),
                (f"http://{NOTICES}/", "市场监管公示"),
                *((entry.url, entry.title()) for entry in food[:2]),
            ),
            food,
        )
        notices = Notices(key, scale)
        faulty = Faulty(key, max(scale, 0.5))
        self.portals: tuple[Portal, ...] = (
            news, daily, giant, blog, notices, slow_portal(key, scale), faulty,
        )  # fmt: skip
        news.friends = ((f"http://{GIANT}/", "大千门户"), (f"http://{BLOG}/", "一粒米的日记"))
        giant.friends = ((f"http://{CALENDAR}/", "活动日历"),)
        hub = Hub(
            self.companies,
            ((f"http://{CALENDAR}/", "活动日历"), (f"http://{BLOG}/", "一粒米的日记")),
        )
        known = [entry for portal in (news, daily, blog, notices) for entry in portal.entries]
        misses = [entry for entry in giant.entries if not entry.relevant]
        owners = [(f"http://{owner.host}/", owner.name) for owner in self.companies]
        open_rules = "User-agent: *\nAllow: /s\nDisallow: /private\nCrawl-delay: 0.1\n"
        engines = (
            Engine(ENGINE, key, known + misses, owners, open_rules),
            Engine(SHY_ENGINE, key, known, owners, "User-agent: *\nDisallow: /s\n"),
            Engine(STRICT_ENGINE, key, known, owners, "", captcha=True),
        )
        sites: list[Site] = [*self.portals, self.forum, hub, *engines, Calendar(), Advertiser()]
        sites += [CompanySite(owner) for owner in self.companies]
        sites.append(Moved(key, food[0].url))
        self.sites: dict[str, Site] = {site.host: site for site in sites}

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of all sites."""
        return tuple(self.sites)

    def robots(self, host: str) -> str | None:
        """Return the robots.txt of a host; None when there is no such host, empty: it has none."""
        site = self.sites.get(host)
        return None if site is None else site.robots()

    def engine(self, host: str) -> Engine:
        """Return one of the search engines. Raises KeyError."""
        site = self.sites[host]
        if not isinstance(site, Engine):
            raise KeyError(host)
        return site

    def page(self, url: str, day: float = 0.0) -> Page | None:
        """Return what is at an address on a day; fragment and tracking parameters do not matter."""
        url = canonical(url)
        site = self.sites.get(urlsplit(url).hostname or "")
        return site.page(url, day) if site else None

    def entries(self) -> Iterator[Entry]:
        """Go through the articles of all portals and all days."""
        for portal in self.portals:
            yield from portal.entries

    def articles(self, day: float = 0.0) -> Iterator[ArticleTruth]:
        """Go through the articles that can be read on a day."""
        return (entry.article(day) for entry in self.entries() if entry.there(day))

    def threads(self, day: float = 0.0) -> Iterator[ThreadTruth]:
        """Go through the forum's threads that can be read on a day."""
        return (thread.truth(day) for thread in self.forum.threads if thread.written(day))

    def records(self, day: float = 0.0) -> Iterator[RecordTruth]:
        """Go through the companies' records as they are on a day."""
        return (owner.record(day) for owner in self.companies)

    def changes(self) -> list[ChangeTruth]:
        """Every planted change: appearance, edit, removal, return, reply; in order of day."""
        planted = [change for entry in self.entries() for change in entry.planted()]
        planted += [change for thread in self.forum.threads for change in thread.planted()]
        planted += [change for owner in self.companies for change in owner.planted()]
        return sorted(planted, key=lambda change: (change.day, change.url))

    def walk(
        self,
        starts: Iterable[str],
        day: float = 0.0,
        hosts: Iterable[str] | None = None,
        robots: bool = True,
    ) -> dict[str, Page]:
        """Return every page a plain breadth-first walk reaches, by canonical address.

        ``hosts`` bounds the walk (None: no bound). Traps are not entered; forbidden pages are left
        out when ``robots`` holds. Redirecting pages are part of the result, their targets follow.
        """
        inside = None if hosts is None else frozenset(hosts)
        found: dict[str, Page] = {}
        waiting = dict.fromkeys(canonical(url) for url in starts)
        seen = set(waiting)
        while waiting:
            batch, waiting = waiting, {}
            for url in batch:
                page = self.page(url, day)
                if page is None or page.trap or (robots and not page.robots):
                    continue
                found[url] = page
                for link in (*page.links, *filter(None, [page.redirect])):
                    if link not in seen and (inside is None or urlsplit(link).hostname in inside):
                        seen.add(link)
                        waiting[link] = None
        return found

    def homes(self) -> list[str]:
        """The home page of every site."""
        return [f"http://{host}/" for host in self.sites]
