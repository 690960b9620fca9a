"""The tables of the template language about fetching: [queues], [politeness], [request], [limits]."""

from __future__ import annotations

from focuscrawl.template.kinds.kind import either, flag, number, share, size, whole
from focuscrawl.template.kinds.sent import contact, cookies, header_text, headers, proxies
from focuscrawl.template.kinds.times import duration, windows
from focuscrawl.topic.schema import Key, Table

# fmt: off
QUEUES_TABLE = Table(
    ("queues",),
    "what is fetched first",
    (
        Key("levels", whole(1, 10), 5,
            "How many levels there are; the highest is served first.", "levels = 5"),
        Key("factor", either("measured", number(1.1, 100)), "measured",
            "Divisor between levels: the weight of a level is its length ÷ factor^(levels − level).", "factor = 3.5"),
        Key("max_wait", duration(), "1d",
            "The longest a URL of the lowest level waits while its site answers.", 'max_wait = "12h"'),
        Key("in_flight", flag(), False,
            "Whether a level's weight is divided by 1 + its requests in flight, so that no level holds all places.", "in_flight = true"),
        Key("strict", flag(), False,
            "Weights to the letter of the published method.", "strict = false"),
    ),
)

POLITENESS_TABLE = Table(
    ("politeness",),
    "how sites are treated",
    (
        Key("delay", duration(), "2s",
            "Pause between two requests to one site; a longer Crawl-delay or Retry-After wins.", 'delay = "4s"', sets=("DOWNLOAD_DELAY",)),
        Key("jitter", share(), 0.5,
            "The pause is drawn between delay and delay × (1 + jitter).", "jitter = 0.5", sets=("DOWNLOAD_DELAY_JITTER", "RANDOMIZE_DOWNLOAD_DELAY")),
        Key("concurrency", whole(1, 32), 1,
            "Requests to one site at a time.", "concurrency = 2", sets=("CONCURRENT_REQUESTS_PER_DOMAIN",)),
        Key("total", whole(1, 1000), 16,
            "Requests at a time altogether, in one process.", "total = 32", sets=("CONCURRENT_REQUESTS",)),
        Key("robots", flag(), True,
            "Whether robots.txt is obeyed.", "robots = true", sets=("ROBOTSTXT_OBEY", "ROBOTSTXT_USER_AGENT")),
        Key("crawl_delay_max", duration(), "60s",
            "The longest Crawl-delay that is kept to; longer ones count as this one and are reported.", 'crawl_delay_max = "2m"'),
        Key("timeout", duration(), "30s",
            "How long an answer may take.", 'timeout = "60s"', sets=("DOWNLOAD_TIMEOUT",)),
        Key("retries", whole(0, 10), 3,
            "How often a failed fetch is repeated at once.", "retries = 2", sets=("RETRY_TIMES",)),
        Key("hours", windows(), None,
            "Fetch in these windows only (`topic.timezone`); a crawl that is done when it is done ends outside.", 'hours = ["Mon-Fri 19:30-06:30", "Sat-Sun"]', "always"),
        Key("user_agent", header_text('text | "browser"'), None,
            "`browser` sends what a current browser sends; rules of robots.txt for focuscrawl hold all the same.", 'user_agent = "browser"', '"focuscrawl/VERSION (+contact)"', sets=("USER_AGENT",)),
        Key("contact", contact(), None,
            "Where site owners reach you; part of the user agent. `check` warns without it.", 'contact = "mailto:crawl@example.com"', "none"),
    ),
)

REQUEST_TABLE = Table(
    ("request",),
    "what is sent",
    (
        Key("headers", headers(), None,
            "Headers of every request; values †.", 'headers = { Referer = "https://www.example.com/start" }', "none", sets=("DEFAULT_REQUEST_HEADERS",)),
        Key("cookies", cookies(), None,
            "Cookies by name, values †; or a cookie file a browser has exported (Netscape format).", 'cookies = "file:bbs-cookies.txt"', "none"),
        Key("proxy", proxies(), None,
            "A proxy †; of several each site gets one and keeps it.", 'proxy = "env:CRAWL_PROXY"', "none (http_proxy of the environment works)"),
    ),
)

LIMITS_TABLE = Table(
    ("limits",),
    "when a run ends and how much it takes; 0 = no limit",
    (
        Key("pages", whole(), 0,
            "Pages in this run.", "pages = 5000", sets=("CLOSESPIDER_PAGECOUNT",)),
        Key("articles", whole(), 0,
            "New articles in this run.", "articles = 1000", sets=("CLOSESPIDER_ITEMCOUNT",)),
        Key("time", duration(), "0s",
            "How long this run may take.", 'time = "50m"', sets=("CLOSESPIDER_TIMEOUT",)),
        Key("errors", whole(), 0,
            "Errors in this run.", "errors = 500", sets=("CLOSESPIDER_ERRORCOUNT",)),
        Key("per_site", whole(), 0,
            "Pages of one site, counting those of earlier runs, but no second visits.", "per_site = 2000"),
        Key("body", size(), "8MB",
            "The rest of a larger answer is left out, and the page is marked.", 'body = "20MB"', sets=("DOWNLOAD_MAXSIZE",)),
    ),
)
# fmt: on
