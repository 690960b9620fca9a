"""Sites that are hard on a crawler: redirects of every kind and a calendar without end."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from focuscrawl.demo.pages import Draft, document, paragraphs
from focuscrawl.demo.texts import Text, write
from focuscrawl.demo.truth import PART_BREAK, ArticleTruth, Page
from focuscrawl.values import PageClass

MOVED, CALENDAR = "moved.example", "calendar.example"


class Moved:
    """Redirects: permanent, temporary, chains, a loop, out of the site, to a relative address."""

    host = MOVED

    def __init__(self, seed: str, elsewhere: str) -> None:
        self._seed = seed
        self._redirects = {
            "old/1": (301, "/new/1"),
            "old/2": (302, "new-2"),
            "chain/a": (302, "/chain/b"),
            "chain/b": (301, "/chain/c"),
            "chain/c": (307, "/new/3"),
            "loop/a": (302, "/loop/b"),
            "loop/b": (302, "/loop/a"),
            "away": (301, elsewhere),
            "same": (308, "/new/1"),
        }
        self._articles = {
            path: write("food", f"{seed}/{MOVED}/{path}", 5, f"{seed}/{MOVED}/{path}")
            for path in ("new/1", "old/new-2", "new/3")
        }

    def robots(self) -> str:
        """The text of robots.txt."""
        return "User-agent: *\nDisallow: /private/\n"

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host."""
        path = url.removeprefix(f"http://{MOVED}/")
        if path in self._redirects:
            status, target = self._redirects[path]
            absolute = Draft(url)
            absolute.link(target, "")
            return Page(
                url,
                PageClass.OTHER,
                b"",
                status=status,
                redirect=absolute.links[0],
                headers=(("Location", target),),
            )
        if path in self._articles:
            return self._article(Draft(url), self._articles[path])
        if path == "private/":
            return Page(url, PageClass.OTHER, b"<html></html>", robots=False)
        if path:
            return None
        draft = Draft(url)
        starts = ("old/1", "old/2", "chain/a", "loop/a", "away", "same", "private/")
        body = "<h1>搬家公告</h1>" + draft.list((f"/{start}", f"旧址 {start}") for start in starts)
        return draft.page(PageClass.BOARD, document("搬家公告", body), "搬家公告")

    def _article(self, draft: Draft, text: Text) -> Page:
        body = (
            f"{draft.link('/', '首页')}<h1>{text.title}</h1>\n<div class='article'>"
            f"{paragraphs(text.paragraphs)}</div>"
        )
        html = document(text.title, body)
        article = ArticleTruth(
            draft.url, text.title, (PART_BREAK.join(text.paragraphs),), (draft.url,), relevant=True
        )
        sent = draft.page(PageClass.ARTICLE, html, text.title)
        return replace(sent, relevant=True, article=article)


class Calendar:
    """A calendar of events: each month leads to the next, each day to an empty page, for ever."""

    host = CALENDAR

    def robots(self) -> str:
        """This site has no robots.txt."""
        return ""

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host."""
        path = url.removeprefix(f"http://{CALENDAR}/")
        if not path:
            path = "?month=2026-06"
        kind, _, value = path.partition("=" if path.startswith("?") else "/")
        try:
            first = date.fromisoformat(value if kind == "day" else f"{value}-01")
        except ValueError:
            return None
        draft = Draft(url)
        if kind == "day":
            body = f"<p>{first:%Y年%m月%d日} 暂无活动</p>{draft.link(f'/?month={first:%Y-%m}', '返回月历')}"
        elif kind == "?month":
            body = self._month(draft, first)
        else:
            return None
        html = document(f"活动日历 {value}", body)
        return Page(url, PageClass.OTHER, html.encode(), draft.links, trap=path != "?month=2026-06")

    @staticmethod
    def _month(draft: Draft, first: date) -> str:
        months = first.year * 12 + first.month - 1
        links = [
            (f"/?month={(months + step) // 12}-{(months + step) % 12 + 1:02d}", name)
            for step, name in ((-1, "上个月"), (1, "下个月"))
        ]
        days = [(f"/day/{first:%Y-%m}-{day:02d}", str(day)) for day in range(1, 29)]
        return f"<h1>{first:%Y年%m月}</h1>{draft.list(links)}{draft.list(days)}"
