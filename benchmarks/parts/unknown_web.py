"""The web of ``benchmarks.kill9 --explore``: sites nobody knows, behind a search engine.

Served as a proxy, so that every site has a name of its own. A relevant site is a list with twelve
articles. A third of them is named by the engine, a third shown by it under titles that say nothing,
a third only reached through tunnels of five irrelevant pages from the articles of others. Traps are
sites of eighty irrelevant pages full of links to each other, linked from articles.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from benchmarks.parts.tree import WORDS
from benchmarks.parts.web import NOT_FOUND, answer

ENGINE = "engine.example"
QUERIES = ("食品抽检", "食品召回", "食品安全")
RESULTS_ON_PAGE = 10
ARTICLES = 12
TUNNEL = 5
TRAP = 80
TRAP_LINKS = 30
OTHER_VOCABULARY = (
    "山路 湖边 日落 徒步 帐篷 营地 溪流 森林 雪峰 草原 骑行 向导 背包 旅人 古镇 渡口 石桥 老街"
)
ELSEWHERE = OTHER_VOCABULARY.split()


class Made(NamedTuple):
    """A page: its title, whether it belongs to the topic, its links with their texts."""

    title: str
    relevant: bool
    links: list[tuple[str, str]]
    is_list: bool = False


class Result(NamedTuple):
    """A result of the engine; ``names``: its title names the topic."""

    url: str
    title: str
    names: bool


class UnknownWeb:
    """The pages, the engine, and how often each page was answered with 200.

    ``sites`` relevant ones, a multiple of three.
    """

    def __init__(self, sites: int) -> None:
        self.sites = sites
        self.pages: dict[str, Made] = {}
        self.answered: Counter[str] = Counter()
        self.results: list[Result] = []
        for number in range(sites):
            self._make_site(number)
        for number in range(max(1, sites // 4)):
            self._make_trap(number)
        for number in range(sites // 3):
            self._make_tunnel(number)
        for number in range(sites // 3):
            named, unnamed = self.home(number), self.home(sites // 3 + number)
            self.results.append(Result(named, f"食品第{number}网", names=True))
            self.results.append(Result(unnamed, f"第{number}个网站", names=False))
        self.results.append(Result("http://gone.example/", "食品旧网", names=True))
        self._bodies = {url: answer(_body(url, made)) for url, made in self.pages.items()}

    # What is where ------------------------------------------------------------------------------

    @property
    def relevant(self) -> set[str]:
        """The articles that belong to the topic; all can be reached."""
        return {url for url, made in self.pages.items() if made.relevant and not made.is_list}

    def home(self, number: int) -> str:
        """Return the address of a relevant site."""
        return f"http://site{number}.example/"

    def shown(self, query: int) -> list[Result]:
        """Return what the engine shows for one of the queries; they overlap."""
        third = len(self.results) // 3
        first = query * third
        return self.results[first:] if query == 2 else self.results[first : first + third * 3 // 2]

    def _make_site(self, number: int) -> None:
        home = self.home(number)
        articles = [f"{home}news/{count}.html" for count in range(ARTICLES)]
        named = [(url, f"食品抽检第{number}-{count}号") for count, url in enumerate(articles)]
        self.pages[home] = Made(f"食品通告{number}", relevant=True, links=named, is_list=True)
        trap = f"http://trap{number % max(1, self.sites // 4)}.example/"
        for count, url in enumerate(articles):
            links = [(trap, "更多风景")] if count % 4 == 1 else []
            self.pages[url] = Made(f"食品抽检第{number}-{count}号", relevant=True, links=links)

    def _make_trap(self, number: int) -> None:
        home = f"http://trap{number}.example/"
        urls = [home, *(f"{home}days/{day}.html" for day in range(TRAP))]
        for place, url in enumerate(urls):
            links = [(to, f"第{place}景") for to in urls[place + 1 : place + 1 + TRAP_LINKS]]
            self.pages[url] = Made(f"第{place}日行程", relevant=False, links=links)

    def _make_tunnel(self, number: int) -> None:
        """Dig a tunnel from a site that the engine shows to one that it does not."""
        start = f"{self.home(number)}news/0.html"
        end = self.home(self.sites // 3 * 2 + number)
        steps = [f"http://way{number}.example/step/{step}.html" for step in range(TUNNEL)]
        self.pages[start].links.append((steps[0], "相关网站"))
        for step, (url, to) in enumerate(zip(steps, [*steps[1:], end], strict=True)):
            self.pages[url] = Made(f"第{step}站风景", relevant=False, links=[(to, "下一站")])

    # Answering ----------------------------------------------------------------------------------

    def fetched(self) -> int:
        """Return how many different pages were answered."""
        return len(self.answered)

    def __call__(self, asked: str) -> bytes | None:
        """Answer a request as a proxy does: ``asked`` is the whole address."""
        parts = urlsplit(asked)
        if parts.netloc == ENGINE:
            given = parse_qs(parts.query)
            return self._result_page(given["q"][0], int(given["p"][0]))
        body = self._bodies.get(asked)
        if body is None:
            return NOT_FOUND
        self.answered[asked] += 1
        return body

    def _result_page(self, query: str, page: int) -> bytes:
        found = self.shown(QUERIES.index(query))[(page - 1) * RESULTS_ON_PAGE :][:RESULTS_ON_PAGE]
        rows = "".join(
            f'<div class="r"><h3><a href="{url}">{title}</a></h3></div>' for url, title, _ in found
        )
        said = rows or "<p>抱歉，没有找到相关的网页。</p>"
        return answer(f"<html><head><title>搜索</title></head><body>{said}</body></html>".encode())


def _body(url: str, made: Made) -> bytes:
    """Write a page: a list of links, or an article of its own words with links below."""
    links = "".join(f'<li><a href="{to}">{text}</a></li>' for to, text in made.links)
    text = ""
    if not made.is_list:
        luck = random.Random(url)
        words = WORDS if made.relevant else ELSEWHERE
        text = f"<article><h1>{made.title}</h1><p>发布时间：2026-11-18 08:00</p>" + "".join(
            f"<p>{''.join(luck.choices(words, k=24))}，{''.join(luck.choices(words, k=20))}。</p>"
            for _ in range(6)
        )
        text += "<p>食品抽检。</p></article>" if made.relevant else "</article>"
    return (
        f"<html><head><title>{made.title}</title></head><body>{text}<ul>{links}</ul></body></html>"
    ).encode()
