"""Small sites: a blog with feeds, an authority's notices behind a sitemap, a slow and a faulty site."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Protocol

from focuscrawl.demo.entries import Entry
from focuscrawl.demo.feeds import FeedEntry, atom, rss, sitemap, sitemap_index
from focuscrawl.demo.news import House, Portal, Section
from focuscrawl.demo.pages import Draft, document, paragraphs
from focuscrawl.demo.press import Desk
from focuscrawl.demo.texts import say
from focuscrawl.demo.truth import Fault, Page, Trouble, moment
from focuscrawl.values import PageClass

BLOG, NOTICES, SLOW, FAULTY = "blog.example", "notices.example", "slow.example", "faulty.example"

SLOW_ANSWER = 1.0
"""Seconds the slow site takes for every answer."""


class Site(Protocol):
    """A host of the demo web."""

    host: str

    def robots(self) -> str:
        """The text of robots.txt, empty when the site has none."""

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host on this day, None: nothing."""


def _first_is_home(path: str, other: str) -> House:
    return House(path, path, lambda _slug, page: "/" if page == 1 else other.format(page=page))


class Blog(Portal):
    """A blog: one list of posts, an about page, RSS and Atom with its newest posts."""

    def __init__(self, seed: str, scale: float, friends: tuple[tuple[str, str], ...], events: tuple[Entry, ...]) -> None:  # fmt: skip
        house = replace(
            _first_is_home(BLOG, "/page/{page}/"),
            name="一粒米的日记",
            date_form="slashes",
            page_size=10,
            board_pager="next",
            robots="User-agent: *\nDisallow: /admin/\nCrawl-delay: 0.2\n",
        )
        desk = Desk(
            house, lambda _slug, number, _day, part: f"http://{BLOG}/post/{number}/" + (f"{part}/" if part > 1 else ""), seed, scale
        )  # fmt: skip
        board = desk.board(
            "blog", house.name, ("travel", "blog", "home", "digital", "blog"), 40, multi=False
        )
        told = [event for event in events if event.posted <= 0]
        for index, entry in enumerate(board.entries):
            event = told[index % len(told)].event if entry.theme == "blog" else ""
            board.entries[index] = replace(entry, event=event, dated=index % 6 != 4)
        super().__init__(house, [board], {}, seed)
        self.friends = (("/about/", "关于"), *friends)

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host on this day."""
        if url == f"http://{BLOG}/about/":
            draft = Draft(url)
            lines = [
                say("plain", "about", Random(f"{self.seed}/about/{index}")) for index in range(3)
            ]
            body = f"{draft.link('/', '首页')}<h1>关于</h1>{paragraphs(lines)}"
            html = document("关于", body)
            return draft.page(PageClass.OTHER, html, "关于")
        for name, write, kind in (("rss", rss, "rss"), ("atom", atom, "atom")):
            if url == f"http://{BLOG}/{name}.xml":
                entries = self._newest(day)
                text = write(self.house.name, f"http://{BLOG}/", entries)
                return _xml(url, PageClass.FEED, text, entries, f"application/{kind}+xml")
        return super().page(url, day)

    def _newest(self, day: float) -> list[FeedEntry]:
        shown = [entry for entry in self.entries if entry.there(day)]
        shown.sort(key=lambda entry: -entry.posted)
        return [
            FeedEntry(entry.url, entry.title(), moment(entry.posted) if entry.dated else None)
            for entry in shown[:12]
        ]


class Notices(Portal):
    """An authority's notices: no list leads to them, only a sitemap index (one part gzipped)."""

    def __init__(self, seed: str, scale: float) -> None:
        house = House(
            NOTICES,
            "市场监管公示",
            lambda _slug, page: f"/list/{page}.html",
            robots=f"User-agent: *\nDisallow: /admin/\nSitemap: http://{NOTICES}/sitemap.xml\n",
            etag=True,
        )
        desk = Desk(house, lambda _slug, number, _day, _part: f"http://{NOTICES}/gs/t{number:04d}.shtml", seed, scale)  # fmt: skip
        board = desk.board("gs", "通告", ("notice",), 24, multi=False, relevant=True, listed=False)
        super().__init__(house, [board], {"/": Section(house.name, ())}, seed)

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host on this day."""
        shown = [entry for entry in self.entries if entry.there(day)]
        half = len(self.entries) // 2
        parts = {
            f"http://{NOTICES}/sitemap-1.xml.gz": [e for e in shown if e in self.entries[:half]],
            f"http://{NOTICES}/sitemap-2.xml": [e for e in shown if e in self.entries[half:]],
        }
        if url == f"http://{NOTICES}/sitemap.xml":
            entries = [FeedEntry(part, "", None) for part in parts]
            return _xml(url, PageClass.SITEMAP, sitemap_index(entries), entries, "application/xml")
        if url in parts:
            entries = [FeedEntry(e.url, "", moment(e.last_change(day))) for e in parts[url]]
            page = _xml(url, PageClass.SITEMAP, sitemap(entries), entries, "application/xml")
            if url.endswith(".gz"):
                body = gzip.compress(page.body, mtime=0)
                return replace(page, body=body, content_type="application/gzip")
            return page
        return super().page(url, day)


def _xml(url: str, page_class: PageClass, text: str, entries: list[FeedEntry], kind: str) -> Page:
    links = tuple(entry.url for entry in entries)
    return Page(url, page_class, text.encode(), links, content_type=f"{kind}; charset=utf-8")


def slow_portal(seed: str, scale: float) -> Slow:
    """Build the slow site."""
    house = _first_is_home(SLOW, "/page/{page}/")
    desk = Desk(replace(house, name="慢吞吞周刊"), lambda _s, number, _d, part: f"http://{SLOW}/w/{number}" + (f"-{part}" if part > 1 else ""), seed, scale)  # fmt: skip
    board = desk.board("slow", "慢吞吞周刊", ("food", "travel"), 6, multi=False)
    return Slow(desk.house, [board], {}, seed)


class Slow(Portal):
    """Every answer takes a second."""

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host on this day."""
        page = super().page(url, day)
        return replace(page, delay=SLOW_ANSWER) if page else None


TROUBLES = (
    Trouble(Fault.ERROR, 1),
    Trouble(Fault.TOO_MANY, 1),
    Trouble(Fault.SHORT, 1),
    Trouble(Fault.DROPPED, 1),
    Trouble(Fault.SILENT, 1),
    Trouble(Fault.UNAVAILABLE, 3),
    Trouble(Fault.ERROR, 5),
)
PERMANENT = (Fault.ERROR, Fault.SILENT, Fault.SHORT, Fault.DROPPED)


class Faulty(Portal):
    """Two thirds of the articles fail at the first try, a few at every try."""

    def __init__(self, seed: str, scale: float) -> None:
        house = replace(_first_is_home(FAULTY, "/page/{page}/"), name="三灾快报", advertises=True)
        desk = Desk(house, lambda _s, number, _d, _p: f"http://{FAULTY}/n/{number}.html", seed, scale)  # fmt: skip
        board = desk.board("faulty", house.name, ("food",), 24, multi=False, relevant=True)
        super().__init__(house, [board], {}, seed)
        self._troubles = self._draw(board.entries)

    @staticmethod
    def _draw(entries: list[Entry]) -> Mapping[str, Trouble]:
        troubles = {}
        for index, entry in enumerate(entries):
            if index % 10 < len(TROUBLES):
                troubles[entry.url] = TROUBLES[index % 10]
        for entry, fault in zip(entries[7::10], PERMANENT, strict=False):
            troubles[entry.url] = Trouble(fault, None)
        return troubles

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host on this day."""
        page = super().page(url, day)
        return replace(page, trouble=self._troubles.get(url)) if page else None
