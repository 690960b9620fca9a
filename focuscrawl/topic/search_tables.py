"""The tables [search] and [search.engine.NAME] of the template language (C)."""

from __future__ import annotations

from focuscrawl.template.kinds.addresses import hosts, url
from focuscrawl.template.kinds.kind import choice, encoding, flag, listed, text, whole
from focuscrawl.template.kinds.selectors import selector
from focuscrawl.template.kinds.times import duration
from focuscrawl.template.kinds.words import words
from focuscrawl.topic.engines import standard_words
from focuscrawl.topic.schema import Key, Table
from focuscrawl.topic.search_kinds import address, queries, within
from focuscrawl.topic.topic_tables import NAME, NAME_ADVICE

ENGINES = ("search", "engine")

# fmt: off
SEARCH_TABLE = Table(
    ("search",),
    "seeds from search engines",
    (
        Key("engines", listed(text("name", NAME, NAME_ADVICE), "names"), None,
            "Which engines are asked: `baidu`, `baidu-news`, `bing`, `so360`, `sogou`, `searxng` (with the address of an instance), and those described in [search.engine.NAME].", 'engines = ["baidu", "sogou"]', "no search"),
        Key("queries", queries(), None,
            "What is asked for: each synonym is one search, a `+` joins words (`++` is a plus).", 'queries = ["地铁+开通|轨道交通+开通"]', "each keyword with the first word of each group of topic.require before it"),
        Key("areas", listed(text(), "texts"), None,
            "Each of them with each query, the area first.", 'areas = ["成都", "@towns.txt"]', "none"),
        Key("results", whole(10, 760), 100,
            "How many results each search is asked for.", "results = 50"),
        Key("every", duration(), "7d",
            "How long a search holds before it is made again.", 'every = "1d"'),
        Key("within", duration(), None,
            "Only results of this age, from engines that can be asked for that.", 'within = "60d"', "any age"),
        Key("robots", flag(), None,
            "Whether the engines' own robots.txt is obeyed; one that forbids result pages is said at the start and gives no seeds.", "robots = true", "politeness.robots"),
        Key("delay", duration(), "10s",
            "Pause between two requests to one engine.", 'delay = "15s"'),
        Key("sites", hosts(), None,
            "Only results of these sites: one search for each (`site:`).", 'sites = ["example.gov.cn"]', "none"),
        Key("strict", flag(), False,
            "Seed *s* of *n* is crawled with probability 1 − (s + f) ÷ 2n by a seeded coin, one after the other; without it that number is its priority and all are crawled. Layers are followed one by one, none is passed over.", "strict = false"),
    ),
)

ENGINE_TABLE = Table(
    ENGINES,
    "a search engine by data, or other values for a built-in one",
    (
        Key("url", address(), None,
            "Its address, with `{query}` and `{page}` (1, 2 …) or `{first}` (0, 10 …).", 'url = "https://s.example.com/find?q={query}&from={first}"', "-"),
        Key("urls", listed(url(), "urls"), None,
            "Instead of an address: results you have yourself, in order. No request is made.", 'urls = ["https://a.example.cn/", "@seeds.txt"]', "none"),
        Key("encoding", encoding(), "utf-8",
            "The encoding of the query in the address.", 'encoding = "gbk"'),
        Key("within", within(), None,
            "What the address gets added for search.within: `{since}` and `{until}` are seconds, `{since_day}` and `{until_day}` days since 1970, `{d|w|m|y}` are words for the last day, week, month, year.", 'within = "&age={1|7|31|366}"', "the engine cannot be asked"),
        Key("format", choice("html", "json"), "html",
            "What it answers with.", 'format = "json"'),
        Key("results", selector(), None,
            "One element for each result; all below are looked for inside it.", 'results = "css:li.hit"', "-"),
        Key("link", selector(), None,
            "The result's link; addresses of the engine that lead on are unwrapped.", 'link = "css:h2 a::attr(href)"', '"css:a::attr(href)", json: "json:url"'),
        Key("target", selector(), None,
            "Where the page gives the address behind a redirecting link.", 'target = "css:a::attr(data-url)"', "none"),
        Key("title", selector(), None,
            "The result's title.", 'title = "css:h2"', '"css:a", json: "json:title"'),
        Key("snippet", selector(), None,
            "The lines below it.", 'snippet = "css:p.text"', "none"),
        Key("date", selector(), None,
            "Its date.", 'date = "css:time"', "none"),
        Key("ads", selector(), None,
            "What makes a result an advertisement, when found in it. Those that say so (广告, 推广, Sponsored …) are known anyway.", 'ads = "css:.promoted"', "none"),
        Key("blocked", words(), standard_words("blocked"),
            "Words of a captcha or refusal, which never count as no results.", 'blocked = ["...", "请登录后查看"]', "built-in list"),
        Key("empty", words(), standard_words("empty"),
            "Words by which it says that it knows nothing.", 'empty = ["...", "換個詞試試"]', "built-in list"),
    ),
    "named",
    "NAME",
)
# fmt: on
