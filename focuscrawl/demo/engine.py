"""Search engines: result pages with advertisements; one forbids robots, one asks for a captcha."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from random import Random
from urllib.parse import parse_qs, quote, urlsplit

from focuscrawl.demo.entries import Entry
from focuscrawl.demo.pages import Draft, document
from focuscrawl.demo.truth import Page, moment
from focuscrawl.values import PageClass

ENGINE, SHY_ENGINE, STRICT_ENGINE = "search.example", "shy-search.example", "strict-search.example"
ADS = "ads.example"
RESULTS_SHOWN = 10
RESULTS_IN_ALL = 60

FOOD_WORDS = ("食品", "抽检", "召回", "中毒", "地沟油", "餐饮", "食堂")
COMPANY_WORDS = ("公司", "企业", "厂")


@dataclass(frozen=True, slots=True)
class Result:
    """An organic result in its order."""

    url: str
    title: str
    snippet: str
    date: str


class Engine:
    """Knows some of the web: a sample of relevant articles, mixed with misses."""

    def __init__(self, host: str, seed: str, articles: list[Entry], companies: list[tuple[str, str]], robots: str, captcha: bool = False) -> None:  # fmt: skip
        self.host = host
        self._seed = seed
        self._articles = articles
        self._companies = companies
        self._robots = robots
        self._captcha = captcha

    def robots(self) -> str:
        """The text of robots.txt."""
        return self._robots

    def results(self, query: str, day: float) -> list[Result]:
        """Return the organic results of a query, best first; empty when nothing is known."""
        random = Random(f"{self._seed}/{self.host}/{query}")
        found: list[Result] = []
        if any(word in query for word in FOOD_WORDS):
            shown = [entry for entry in self._articles if entry.there(day)]
            good = [entry for entry in shown if entry.relevant]
            misses = [entry for entry in shown if not entry.relevant]
            good = random.sample(good, min(len(good), RESULTS_IN_ALL * 2 // 3))
            misses = random.sample(misses, min(len(misses), len(good) // 2))
            ranked = [(rank + random.uniform(0, 12), entry) for rank, entry in enumerate(good)]
            ranked += [(rank * 2.2 + 9.5, entry) for rank, entry in enumerate(misses)]
            found += [self._result(entry, day) for _, entry in sorted(ranked, key=lambda p: p[0])]
        if any(word in query for word in COMPANY_WORDS):
            found += [Result(url, name, f"{name}官方网站", "") for url, name in self._companies]
        return found

    @staticmethod
    def _result(entry: Entry, day: float) -> Result:
        article = entry.article(day)
        return Result(
            entry.url, article.title, article.text[:70], f"{moment(entry.posted):%Y-%m-%d}"
        )

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at an address of the engine: home, result pages, /link redirects."""
        parts = urlsplit(url)
        asked = parse_qs(parts.query)
        if parts.path == "/link" and "url" in asked:
            target = asked["url"][0]
            return Page(
                url,
                PageClass.OTHER,
                b"",
                status=302,
                redirect=target,
                headers=(("Location", target),),
            )
        if parts.path == "/s":
            first = asked.get("pn", ["0"])[0]
            if not first.isdecimal():
                return None
            return self._found(url, asked.get("wd", [""])[0], int(first), day)
        if parts.path == "/" and not parts.query:
            html = document("寻迹搜索", '<form action="/s"><input name="wd"></form>')
            return Page(
                url, PageClass.OTHER, html.encode(), robots="Disallow: /\n" not in self._robots
            )
        return None

    def _found(self, url: str, query: str, first: int, day: float) -> Page:
        allowed = "Disallow: /s" not in self._robots
        if self._captcha:
            html = document(
                "安全验证", "<h1>安全验证</h1><p>请拖动滑块完成验证，我们怀疑您是机器人。</p>"
            )
            return Page(url, PageClass.SEARCH, html.encode(), title="安全验证", robots=allowed)
        draft, results = Draft(url), self.results(query, day)
        rows = [self._row(draft, result) for result in results[first : first + RESULTS_SHOWN]]
        for place in (0, min(4, len(rows))) if rows else ():
            rows.insert(place, self._advertisement(draft, query, first + place))
        if not rows:
            rows = [f"<p class='empty'>抱歉，没有找到与“{escape(query)}”相关的网页。</p>"]
        address = [
            f"/s?wd={quote(query)}&pn={start}" for start in range(0, len(results), RESULTS_SHOWN)
        ]
        pages = [(target, str(number)) for number, target in enumerate(address, 1)]
        if first + RESULTS_SHOWN < len(results):
            pages.append((f"/s?wd={quote(query)}&pn={first + RESULTS_SHOWN}", "下一页>"))
        body = "\n".join(rows) + f"\n<div id='page'>{draft.list(pages)}</div>"
        html = document(f"{query}_寻迹搜索", body)
        return Page(url, PageClass.SEARCH, html.encode(), draft.links, title=query, robots=allowed)

    @staticmethod
    def _row(draft: Draft, result: Result) -> str:
        link = draft.link(f"/link?url={quote(result.url, safe='')}", result.title)
        return (
            f"<div class='result'><h3>{link}</h3><p class='abstract'>{escape(result.snippet)}</p>"
            f"<span class='date'>{result.date}</span></div>"
        )

    @staticmethod
    def _advertisement(draft: Draft, query: str, number: int) -> str:
        """A row that looks like a result and is none."""
        link = draft.link(f"http://{ADS}/click?n={number}", f"{query} 特惠加盟", "rel='nofollow'")
        return (
            f"<div class='result ad'><h3>{link}</h3><p class='abstract'>好机会不等人。</p>"
            "<span class='tag'>广告</span></div>"
        )


class Advertiser:
    """Where the advertisements lead: the same shallow page for every address."""

    host = ADS

    def robots(self) -> str:
        """This site has no robots.txt."""
        return ""

    def page(self, url: str, day: float) -> Page | None:
        """Return the page; every address has it."""
        html = document("特惠加盟", "<h1>特惠加盟</h1><p>名额有限，先到先得。</p>")
        return Page(url, PageClass.OTHER, html.encode(), title="特惠加盟")
