"""The tables [search] and [search.engine.NAME]: seeds from search engines."""

from __future__ import annotations

from typing import Literal

from focuscrawl.search.engines import standard_words
from focuscrawl.search.kinds import Address, Within, address, queries, within
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.addresses import Hosts, host_of, hosts, url
from focuscrawl.template.kinds.kind import (
    NAME,
    NAME_ADVICE,
    choice,
    encoding,
    flag,
    listed,
    text,
    whole,
)
from focuscrawl.template.kinds.selectors import selector
from focuscrawl.template.kinds.times import duration
from focuscrawl.template.kinds.words import Words, words
from focuscrawl.values import Selector

URLS = listed(url(), "urls")
_ENCODING = encoding()
WITHIN = within()


# fmt: off
class Engine(Table, path="search.engine", doc="a search engine by data, or other values for a built-in one", shape="named", placeholder="NAME"):
    """One [search.engine.NAME], built in or not.

    With ``urls`` it is a list and is never asked. Else ``url`` and ``results`` are there. Selectors
    that may be missing are None; so is ``within`` when the engine cannot be asked for an age.
    """

    url: Address | None = key(address(), None,
        "Its address, with `{query}` and `{page}` (1, 2 …) or `{first}` (0, 10 …).",
        'url = "https://s.example.com/find?q={query}&from={first}"', "-")
    urls: tuple[str, ...] = key(URLS, None,
        "Instead of an address: results you have yourself, in order. No request is made.",
        'urls = ["https://a.example.cn/", "@seeds.txt"]', "none")
    encoding: str = key(_ENCODING, "utf-8",
        "The encoding of the query in the address.",
        'encoding = "gbk"')
    within: Within | None = key(WITHIN, None,
        "What the address gets added for search.within: `{since}` and `{until}` are seconds, `{since_day}` and `{until_day}` days since 1970, `{d|w|m|y}` are words for the last day, week, month, year.",
        'within = "&age={1|7|31|366}"', "the engine cannot be asked")
    format: Literal["html", "json"] = key(choice("html", "json"), "html",
        "What it answers with.",
        'format = "json"')
    results: Selector = key(selector(), None,
        "One element for each result; all below are looked for inside it.",
        'results = "css:li.hit"', "-")
    link: Selector = key(selector(), None,
        "The result's link; addresses of the engine that lead on are unwrapped.",
        'link = "css:h2 a::attr(href)"', '"css:a::attr(href)", json: "json:url"')
    target: Selector | None = key(selector(), None,
        "Where the page gives the address behind a redirecting link.",
        'target = "css:a::attr(data-url)"', "none")
    title: Selector = key(selector(), None,
        "The result's title.",
        'title = "css:h2"', '"css:a", json: "json:title"')
    snippet: Selector | None = key(selector(), None,
        "The lines below it.",
        'snippet = "css:p.text"', "none")
    date: Selector | None = key(selector(), None,
        "Its date.",
        'date = "css:time"', "none")
    ads: Selector | None = key(selector(), None,
        "What makes a result an advertisement, when found in it. Those that say so (广告, 推广, Sponsored …) are known anyway.",
        'ads = "css:.promoted"', "none")
    blocked: Words = key(words(), standard_words("blocked"),
        "Words of a captcha or refusal, which never count as no results.",
        'blocked = ["...", "请登录后查看"]', "built-in list")
    empty: Words = key(words(), standard_words("empty"),
        "Words by which it says that it knows nothing.",
        'empty = ["...", "換個詞試試"]', "built-in list")
    name: str

    @property
    def host(self) -> str:
        """The host its result pages are on; "" for a list."""
        return host_of(self.url.written) if self.url else ""
# fmt: on


# fmt: off
class Search(Table, path="search", doc="seeds from search engines"):
    """[search]: which engines are asked for what. ``engine`` has one for each of ``engines``."""

    engines: tuple[str, ...] = key(listed(text("name", NAME, NAME_ADVICE), "names"), None,
        "Which engines are asked: `baidu`, `baidu-news`, `bing`, `so360`, `sogou`, `searxng` (with the address of an instance), and those described in [search.engine.NAME].",
        'engines = ["baidu", "sogou"]', "no search")
    queries: tuple[str, ...] = key(queries(), None,
        "What is asked for: each synonym is one search, a `+` joins words (`++` is a plus).",
        'queries = ["地铁+开通|轨道交通+开通"]', "each keyword with the first word of each group of topic.require before it")
    areas: tuple[str, ...] = key(listed(text(), "texts"), None,
        "Each of them with each query, the area first.",
        'areas = ["成都", "@towns.txt"]', "none")
    results: int = key(whole(10, 760), 100,
        "How many results each search is asked for.",
        "results = 50")
    every: float = key(duration(), "7d",
        "How long a search holds before it is made again.",
        'every = "1d"')
    within: float | None = key(duration(), None,
        "Only results of this age, from engines that can be asked for that.",
        'within = "60d"', "any age")
    robots: bool = key(flag(), None,
        "Whether the engines' own robots.txt is obeyed; one that forbids result pages is said at the start and gives no seeds.",
        "robots = true", "politeness.robots")
    delay: float = key(duration(), "10s",
        "Pause between two requests to one engine.",
        'delay = "15s"')
    sites: Hosts = key(hosts(), None,
        "Only results of these sites: one search for each (`site:`).",
        'sites = ["example.gov.cn"]', "none")
    strict: bool = key(flag(), False,
        "Seed *s* of *n* is crawled with probability 1 − (s + f) ÷ 2n by a seeded coin, one after the other; without it that number is its priority and all are crawled. Layers are followed one by one, none is passed over.",
        "strict = false")
    engine: dict[str, Engine]
# fmt: on
