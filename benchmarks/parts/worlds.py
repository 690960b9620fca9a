"""Made-up webs to try orders on: communities of relevant pages, joined by tunnels.

A world has 20,000 pages: eight communities of ten sites, whose relevant pages link to each other
and lie in one folder of their site; between communities only tunnels, chains of irrelevant pages
in a folder of some other site, or each page on another; three portals of 2,500 pages with one channel of 15 relevant
pages; two calendars of 1,000 days; and ordinary sites. Judge and predictor are the real ones: pages
have titles and texts, links have texts, made of a topic's words and of others.

Everything comes from one seeded generator.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from hashlib import md5

from focuscrawl.readers.relevance.scores import LinkScorer, PageScorer
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.urls.sites import folder_number, folder_of

TOPIC = """
[topic]
name = "harvest"
keywords = ["射电望远镜^2", "脉冲星", "星系|星云"]
[[source]]
url = "http://start.example/"
"""
WORDS = ("射电望远镜", "脉冲星", "星系", "星云")
OTHERS = [
    "天气",
    "足球",
    "菜价",
    "房产",
    "旅游",
    "汽车",
    "电影",
    "股市",
    "教育",
    "健康",
    "音乐",
    "游戏",
    "时尚",
    "农业",
    "交通",
    "更多",
    "详细",
    "下一页",
    "首页",
]
ANCHORS = (*(f"{word}观测" for word in WORDS), *OTHERS)

PAGES = 20_000
COMMUNITIES = 8
SITES_OF_COMMUNITY = 10
PORTAL_PAGES = 2_500
CHANNEL_PAGES = 15
CALENDARS = 2
CALENDAR_PAGES = 1_000
ORDINARY_PAGES = 36
ENTRANCES = 2
MONTHS = 24
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Profile:
    """What differs between worlds.

    ``tunnels`` are the fewest and most pages of one; ``told`` the share of links to relevant pages
    whose text names the topic, ``lied`` that of other links; ``missed`` relevant pages do not name
    it, ``mistaken`` irrelevant ones do. ``dated``: folders are months and say nothing. ``relayed``:
    every page of a tunnel lies on another site, so that none has a folder in common with the last.
    ``slugs``: every page but the homes has a folder of its own, as many blogs name their pages.
    """

    name: str
    tunnels: tuple[int, int] = (1, 8)
    portals: int = 3
    told: float = 0.5
    lied: float = 0.04
    missed: float = 0.1
    mistaken: float = 0.02
    dated: bool = False
    relayed: bool = False
    slugs: bool = False


PROFILES = (
    Profile("short", tunnels=(1, 3)),
    Profile("base"),
    Profile("noisy", told=0.25, lied=0.1, missed=0.2, mistaken=0.05),
    Profile("date-dirs", dated=True),
    Profile("long", tunnels=(9, 12), portals=0),
    Profile("relay", tunnels=(4, 9), relayed=True),
    Profile("dated-noisy", told=0.25, lied=0.1, missed=0.2, mistaken=0.05, dated=True),
    Profile("slugs", slugs=True),
)


@cache
def template() -> Template:
    """Return the topic that all worlds are about."""
    return load(TOPIC).template


class World:
    """A web: lists by page number. ``links[page]`` are (page, number of the link's text).

    ``community`` is that of a relevant page (NOWHERE: none, or in a portal), ``starts`` are three
    pages of the first community.
    """

    def __init__(self, profile: Profile, seed: int, pages: int = PAGES) -> None:
        self.profile = profile
        self.urls: list[str] = []
        self.sites: list[str] = []
        self.folders: list[int] = []
        self.relevant: list[bool] = []
        self.community: list[int] = []
        self.links: list[list[tuple[int, int]]] = []
        self._names: list[bool] = []
        self._luck = random.Random(f"{profile.name} {seed}")
        self._scores: dict[int, tuple[float, bool, list[float]]] = {}
        self._ordinary: list[list[int]] = []
        self._homes: list[int] = []
        self._make(pages)
        self.starts = self._luck.sample(self._of_community(0), 3)
        self.reachable = self._reachable()

    # What a crawler sees ------------------------------------------------------------------------

    def fetched(self, page: int) -> tuple[float, bool, list[float]]:
        """Return a page's score, the judge's verdict, and the predicted scores of its links."""
        known = self._scores.get(page)
        if known is None:
            verdict = template().once(PageScorer.of).score(self._title(page), self._text(page))
            predict = template().once(LinkScorer.of).link_score
            scores = [
                predict(ANCHORS[anchor], self.urls[target], verdict.score)
                for target, anchor in self.links[page]
            ]
            known = self._scores[page] = (verdict.score, verdict.relevant, scores)
        return known

    def _title(self, page: int) -> str:
        return WORDS[page % len(WORDS)] if self._names[page] and page % 3 else OTHERS[page % 15]

    def _text(self, page: int) -> str:
        words = [OTHERS[(page * 7 + place * place) % 15] for place in range(60)]
        if self._names[page]:
            words[10] = words[40] = WORDS[page % len(WORDS)]
            words[25] = WORDS[(page + 1) % len(WORDS)]
        return "的".join(words)

    def digest(self) -> str:
        """Return a fingerprint: the same in every process and on every machine."""
        whole = repr((self.urls, self.relevant, self.links, self.starts, self._names))
        return md5(whole.encode(), usedforsecurity=False).hexdigest()

    # Making it ----------------------------------------------------------------------------------

    def _page(self, site: str, folder: str, community: int = NOWHERE, topic: bool = False) -> int:
        luck, profile = self._luck, self.profile
        number = len(self.urls)
        if profile.dated and folder:
            folder = f"2025{luck.randrange(MONTHS):02}"
        if profile.slugs and folder:
            folder = f"{folder}-{number}"
        path = f"{folder}/" if folder else ""
        self.urls.append(f"http://{site}/{path}{number}.html")
        self.sites.append(site)
        self.folders.append(folder_number(folder_of(self.urls[-1])))
        self.relevant.append(topic)
        self.community.append(community)
        self.links.append([])
        named = luck.random() < (1 - profile.missed if topic else profile.mistaken)
        self._names.append(named)
        return number

    def _link(self, page: int, target: int) -> None:
        share = self.profile.told if self.relevant[target] else self.profile.lied
        first, end = (0, len(WORDS)) if self._luck.random() < share else (len(WORDS), len(ANCHORS))
        self.links[page].append((target, self._luck.randrange(first, end)))

    def _make(self, pages: int) -> None:
        communities = [self._make_community(number) for number in range(COMMUNITIES)]
        portals = [self._make_portal(number) for number in range(self.profile.portals)]
        calendars = [self._make_calendar(number) for number in range(CALENDARS)]
        while len(self.urls) < pages - COMMUNITIES * ENTRANCES * self.profile.tunnels[1]:
            self._make_site(f"site{len(self._ordinary)}.example", ORDINARY_PAGES)
        self._join(communities)
        for page in range(len(self.urls)):
            self._lead_away(page, portals + calendars)

    def _make_site(self, name: str, pages: int, folders: int = 3) -> list[int]:
        """Make an ordinary site and return its pages, the home first."""
        home = self._page(name, "")
        own = [home, *(self._page(name, f"part{n % folders}") for n in range(pages - 1))]
        for page in own[1:]:
            self._link(page, home)
            for target in self._luck.sample(own, 4):
                self._link(page, target)
        for target in own[1:13]:
            self._link(home, target)
        self._ordinary.append(own)
        self._homes.append(home)
        return own

    def _make_community(self, number: int) -> list[int]:
        """Make the sites of a community and return its relevant pages."""
        luck = self._luck
        relevant: list[list[int]] = []
        for place in range(SITES_OF_COMMUNITY):
            name = f"member{number}-{place}.example"
            own = self._make_site(name, luck.randrange(20, 41), folders=2)
            folder = f"channel{luck.randrange(100)}"
            channel = [
                self._page(name, folder, number, True) for _ in range(luck.randrange(15, 36))
            ]
            self._link(own[0], channel[0])
            for page in channel:
                self._link(page, own[0])
                for target in [*luck.sample(channel, 3), *luck.sample(own, 3)]:
                    self._link(page, target)
            relevant.append(channel)
        everything = [page for channel in relevant for page in channel]
        for page in everything:
            for target in luck.sample(everything, 2):
                self._link(page, target)
        return everything

    def _make_portal(self, number: int) -> int:
        """Make a portal with its one channel and return its home."""
        luck, name = self._luck, f"portal{number}.example"
        home = self._page(name, "")
        parts = [
            [self._page(name, f"part{part}") for _ in range(PORTAL_PAGES // 20)]
            for part in range(20)
        ]
        channel = [self._page(name, "astro", topic=True) for _ in range(CHANNEL_PAGES)]
        for part in parts:
            self._link(home, part[0])
            for page in part:
                self._link(page, home)
                for target in [*luck.sample(part, 5), *luck.choice(parts)[:2]]:
                    self._link(page, target)
        # The channel is linked from one part's pages, not from the home.
        for page in luck.sample(parts[luck.randrange(20)], 10):
            self._link(page, channel[0])
        for page in channel:
            for target in luck.sample(channel, 4):
                self._link(page, target)
        return home

    def _make_calendar(self, number: int) -> int:
        """Make a site with a page for every day and return its home."""
        name = f"calendar{number}.example"
        home = self._page(name, "")
        days = [self._page(name, "days") for _ in range(CALENDAR_PAGES)]
        for place, day in enumerate(days):
            for step in (1, 7, 30):
                self._link(day, days[(place + step) % len(days)])
        self._link(home, days[0])
        return home

    def _join(self, communities: list[list[int]]) -> None:
        """Dig tunnels from communities to the next ones, through ordinary sites."""
        luck = self._luck
        for number in range(1, COMMUNITIES):
            for _ in range(ENTRANCES):
                page = luck.choice(communities[luck.randrange(number)])
                site = luck.choice(self._ordinary[COMMUNITIES * SITES_OF_COMMUNITY :])
                folder = f"way{luck.randrange(1000)}"
                for place in range(luck.randint(*self.profile.tunnels)):
                    if self.profile.relayed and place:
                        site = luck.choice(self._ordinary[COMMUNITIES * SITES_OF_COMMUNITY :])
                    step = self._page(self.sites[site[0]], folder)
                    self._link(page, step)
                    for target in [site[0], *luck.sample(site, 2)]:
                        self._link(step, target)
                    page = step
                self._link(page, luck.choice(communities[number]))

    def _lead_away(self, page: int, large: list[int]) -> None:
        """Give a page links to places that have nothing to do with it."""
        luck = self._luck
        for _ in range(2):
            self._link(page, luck.choice(luck.choice(self._ordinary[-100:])))
        self._link(page, luck.choice(self._homes[COMMUNITIES * SITES_OF_COMMUNITY :]))
        if luck.random() < 0.1:
            self._link(page, luck.choice(large))

    # Truth --------------------------------------------------------------------------------------

    def _of_community(self, number: int) -> list[int]:
        return [page for page, community in enumerate(self.community) if community == number]

    def _reachable(self) -> set[int]:
        """Return the relevant pages that can be reached from the start."""
        seen, open_pages = set(self.starts), [*self.starts]
        while open_pages:
            for target, _ in self.links[open_pages.pop()]:
                if target not in seen:
                    seen.add(target)
                    open_pages.append(target)
        return {page for page in seen if self.relevant[page]}
