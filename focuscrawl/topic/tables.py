"""Every table and key of the template language, described once.

Loading, messages, ``scrapy topic schema`` and ``show``, and the check of docs/template.md follow
from this list. A key names the Scrapy settings it sets.
"""

from __future__ import annotations

from dataclasses import replace

from focuscrawl.topic.feed_kinds import DELIVERING, encoding, feed_fields, feed_format, feed_items
from focuscrawl.topic.kinds import (
    choice,
    duration,
    either,
    flag,
    listed,
    number,
    partly,
    share,
    since,
    size,
    text,
    whole,
    zone,
)
from focuscrawl.topic.schema import Key, Table
from focuscrawl.topic.web_kinds import (
    contact,
    cookies,
    header_text,
    headers,
    hosts,
    matches,
    parameters,
    proxies,
    rewrites,
    url,
    windows,
    words,
)
from focuscrawl.urls.parameters import DROPPED

NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
NAME_ADVICE = "a name is made of a-z 0-9 - _, at most 64, and begins with a letter or digit"
PARSER_ADVICE = 'module:function, such as "mypkg.sites:parse_example"'
RETURNING = "coming again (revisit)"
READING = "reading pages by selectors"
BROWSER = "the browser"

TAGS = listed(text(), "texts")
MATCH = matches()
PARAMETERS = parameters()
SAME = choice("same", "distinct")
COUNT = whole()

TABLES: tuple[Table, ...] = (
    Table(
        (),
        "The top of the file",
        (
            Key(
                "extends",
                text("name | path"),
                None,
                "Start from a shipped template or another file (relative to this one, must not leave the topics folder).",
                'extends = "_house.toml"',
                "none",
            ),
        ),
        "top",
    ),
    Table(
        ("topic",),
        "what we look for",
        (
            Key(
                "name",
                text("name", NAME, NAME_ADVICE),
                None,
                "Name of the spider, the data and the feeds: `a-z 0-9 - _`, at most 64. Changing it starts a new, empty crawl.",
                'name = "sc-food"',
                "file name without .toml",
            ),
            Key(
                "title",
                text(),
                None,
                "What people see. Any script.",
                'title = "四川食品安全"',
                "name",
            ),
            Key(
                "keywords",
                words(),
                None,
                "The words of the topic, with synonyms and weights. None and no `require`: every article of the sources is relevant.",
                'keywords = ["食品安全^3", "抽检|召回", "地沟油"]',
                "none",
            ),
            Key(
                "require",
                words(),
                None,
                "Groups of which **each** must be found in title or text.",
                'require = ["四川|成都|绵阳", "食品|餐饮|食堂"]',
                "none",
            ),
            Key(
                "exclude",
                words(),
                None,
                "A page whose title has one of these, or whose text has one at least as often as keywords, is not relevant.",
                'exclude = ["招聘", "加盟"]',
                "none",
            ),
            Key(
                "language",
                choice("zh", "en", "auto"),
                "zh",
                "Segmentation, built-in words, Accept-Language.",
                'language = "zh"',
            ),
            Key(
                "timezone",
                zone(),
                None,
                "For dates without a zone on pages, for `hours`, for reports. Stored times are always UTC.",
                'timezone = "Asia/Shanghai"',
                '"Asia/Shanghai" (zh), else "UTC"',
            ),
            Key("tags", TAGS, None, "Labels put on every article.", 'tags = ["民生"]', "none"),
        ),
        later={"dictionary": "the word splitter", "strict": "the strict forms of all five methods"},
    ),
    Table(
        ("source",),
        "where we start; repeat the table",
        (
            Key(
                "url",
                url(),
                None,
                "One address (or `urls`).",
                'url = "https://news.example.cn/sichuan/"',
                "-",
            ),
            Key(
                "urls",
                listed(url(), "urls"),
                None,
                "Several with the same properties; `@sites.txt` = one per line.",
                'urls = ["https://a.example.cn/", "@sites.txt"]',
                "-",
            ),
            Key(
                "kind",
                partly(("auto", "board", "article", "feed", "sitemap"), ("forum",), RETURNING),
                "auto",
                "What the address is. `forum` is not built yet.",
                'kind = "board"',
            ),
            Key(
                "level",
                whole(1, 10),
                None,
                "Start level, 1..queues.levels: a higher level is served first. The top is left free for the rest of a started article.",
                "level = 4",
                "one below the top",
            ),
            Key(
                "every",
                duration(),
                None,
                "Look again this often, whatever the policy says.",
                'every = "10m"',
                "each run",
            ),
            Key(
                "relevant",
                choice("judge", "all"),
                "judge",
                "`all`: whatever this source publishes belongs to the topic.",
                'relevant = "all"',
            ),
            Key(
                "tags",
                TAGS,
                None,
                "Labels for everything found through this source.",
                'tags = ["省级", "官媒"]',
                "none",
            ),
            Key(
                "name",
                text(),
                None,
                "Name in reports.",
                'name = "省市场监管局 通告"',
                "title of the page",
            ),
        ),
        "repeated",
    ),
    Table(
        ("follow",),
        "which links",
        (
            Key(
                "scope",
                choice("sources", "listed", "web"),
                "sources",
                "`sources`: the hosts of the sources and their subdomains; `listed`: `sites` only; `web`: anywhere.",
                'scope = "sources"',
            ),
            Key(
                "sites",
                hosts(),
                None,
                "More sites that belong (Scrapy's allowed_domains).",
                'sites = ["example.cn"]',
                "none",
            ),
            Key(
                "allow",
                MATCH,
                None,
                "Only links whose address matches one of these …",
                'allow = ["/news/", "/2026/*.html"]',
                "everything",
            ),
            Key(
                "deny",
                MATCH,
                None,
                "… and none of these. Deny wins.",
                "deny = ['/english/', 're:/tag/\\d+$']",
                "none",
            ),
            Key(
                "boards",
                MATCH,
                None,
                "These are list pages.",
                'boards = ["/list_*.html"]',
                "learnt",
            ),
            Key(
                "articles",
                MATCH,
                None,
                "These are articles.",
                "articles = ['re:/20\\d\\d/\\d+/t\\d+\\.s?html']",
                "learnt",
            ),
            Key(
                "depth",
                whole(0, 50),
                5,
                "Clicks from a source; paging does not count.",
                "depth = 3",
                sets=("DEPTH_LIMIT",),
            ),
            Key(
                "paging",
                choice("until-known", "all", "none"),
                "until-known",
                "Board paging: stop at the first page without a new link (or older than article.since), read all, or only page 1.",
                'paging = "until-known"',
            ),
            Key(
                "pages", whole(1, 10000), 20, "At most this many pages of one board.", "pages = 50"
            ),
        ),
        later={"layers": "records"},
    ),
    Table(
        ("url",),
        "when two addresses are one page",
        (
            Key(
                "drop",
                PARAMETERS,
                list(DROPPED),
                'Query parameters that do not matter, whole names; `"..."` keeps the list.',
                'drop = ["...", "t", "random"]',
                "tracking list (utm_*, spm, from, share_token …) and session ids",
            ),
            Key(
                "keep",
                PARAMETERS,
                None,
                "Parameters that do matter, whatever `drop` says.",
                'keep = ["id"]',
                "none",
            ),
            Key(
                "scheme", SAME, "same", "http and https addresses are one page.", 'scheme = "same"'
            ),
            Key(
                "slash",
                SAME,
                "same",
                "/x and /x/ are one page; fetched as first seen.",
                'slash = "distinct"',
            ),
            Key(
                "rewrite",
                rewrites(),
                None,
                "Other spellings of one page, applied before the key is made (also per site).",
                "rewrite = { 'forum\\.php\\?mod=viewthread&tid=(\\d+).*' = 'thread-\\1-1-1.html' }",
                "none",
            ),
            Key(
                "max_length",
                whole(1),
                2083,
                "Longer addresses are refused (Scrapy's URLLENGTH_LIMIT).",
                "max_length = 1000",
                sets=("URLLENGTH_LIMIT",),
            ),
        ),
    ),
    Table(
        ("article",),
        "what is kept of content pages",
        (
            Key(
                "keep",
                choice("relevant", "all", "none"),
                "relevant",
                "Which articles are stored.",
                'keep = "relevant"',
            ),
            Key(
                "since",
                since(),
                None,
                "Older articles are seen but not stored, and end board paging.",
                'since = "30d"',
                "none",
            ),
            Key(
                "min_length",
                COUNT,
                60,
                "In characters; shorter texts are stored as `short` unless they carry images.",
                "min_length = 60",
            ),
            Key("languages", TAGS, None, "Keep only these.", 'languages = ["zh"]', "any"),
            Key(
                "pages",
                whole(1, 500),
                100,
                "Parts of one article that are fetched and joined.",
                "pages = 30",
            ),
            Key(
                "images",
                choice("urls", "none"),
                "urls",
                "Addresses of the images.",
                'images = "urls"',
            ),
        ),
    ),
    Table(
        ("queues",),
        "what first",
        (
            Key(
                "levels",
                whole(1, 10),
                5,
                "Number of levels; the highest is served first.",
                "levels = 5",
            ),
            Key(
                "factor",
                either("measured", number(1.1, 100)),
                "measured",
                "A level weighs length ÷ factor^(levels − level).",
                'factor = "measured"',
            ),
            Key(
                "max_wait",
                duration(),
                "1d",
                "No URL of the lowest level waits longer (while its site is reachable).",
                'max_wait = "12h"',
            ),
            Key("strict", flag(), False, "Weights exactly as published.", "strict = false"),
        ),
    ),
    Table(
        ("politeness",),
        "how we treat sites",
        (
            Key(
                "delay",
                duration(),
                "2s",
                "Between two requests to a site. The largest of this, Crawl-delay and Retry-After counts.",
                'delay = "3s"',
                sets=("DOWNLOAD_DELAY",),
            ),
            Key(
                "jitter",
                share(),
                0.5,
                "The delay is drawn from delay … delay × (1 + share), never shorter.",
                "jitter = 0.5",
                sets=("DOWNLOAD_DELAY_JITTER", "RANDOMIZE_DOWNLOAD_DELAY"),
            ),
            Key(
                "concurrency",
                whole(1, 32),
                1,
                "Requests in flight per site.",
                "concurrency = 2",
                sets=("CONCURRENT_REQUESTS_PER_DOMAIN",),
            ),
            Key(
                "total",
                whole(1, 1000),
                16,
                "Requests in flight in all, per process.",
                "total = 32",
                sets=("CONCURRENT_REQUESTS",),
            ),
            Key(
                "robots",
                flag(),
                True,
                "Obey robots.txt.",
                "robots = true",
                sets=("ROBOTSTXT_OBEY", "ROBOTSTXT_USER_AGENT"),
            ),
            Key(
                "crawl_delay_max",
                duration(),
                "60s",
                "A longer Crawl-delay is obeyed as this, and reported.",
                'crawl_delay_max = "60s"',
            ),
            Key(
                "timeout",
                duration(),
                "30s",
                "How long one answer may take.",
                'timeout = "60s"',
                sets=("DOWNLOAD_TIMEOUT",),
            ),
            Key(
                "retries",
                whole(0, 10),
                3,
                "How often a failed fetch is tried again at once.",
                "retries = 2",
                sets=("RETRY_TIMES",),
            ),
            Key(
                "hours",
                windows(),
                None,
                "Fetch only then (topic.timezone); outside a one-shot crawl ends.",
                'hours = ["Mon-Fri 20:00-07:00", "Sat-Sun"]',
                "always",
            ),
            Key(
                "user_agent",
                header_text('text | "browser"'),
                None,
                "`browser`: a current browser's headers; robots.txt is still read as focuscrawl.",
                'user_agent = "browser"',
                '"focuscrawl/VERSION (+contact)"',
                sets=("USER_AGENT",),
            ),
            Key(
                "contact",
                contact(),
                None,
                "Shown in the user agent. `check` warns when it is missing.",
                'contact = "https://example.com/bot.html"',
                "none",
            ),
        ),
    ),
    Table(
        ("request",),
        "what we send",
        (
            Key(
                "headers",
                headers(),
                None,
                "Added to every request (values †).",
                'headers = { Referer = "https://www.example.com/" }',
                "none",
                sets=("DEFAULT_REQUEST_HEADERS",),
            ),
            Key(
                "cookies",
                cookies(),
                None,
                "Values (†), or a browser's exported Netscape cookie file.",
                'cookies = "file:bbs-cookies.txt"',
                "none",
            ),
            Key(
                "proxy",
                proxies(),
                None,
                "Several: one per site, kept.",
                'proxy = "env:CRAWL_PROXY"',
                "none (http_proxy of the environment works)",
            ),
        ),
    ),
    Table(
        ("limits",),
        "when to stop, how much to take; 0 = no limit",
        (
            Key(
                "pages",
                COUNT,
                0,
                "Pages of this run.",
                "pages = 5000",
                sets=("CLOSESPIDER_PAGECOUNT",),
            ),
            Key(
                "articles",
                COUNT,
                0,
                "New articles of this run.",
                "articles = 1000",
                sets=("CLOSESPIDER_ITEMCOUNT",),
            ),
            Key(
                "time",
                duration(),
                "0s",
                "Length of this run.",
                'time = "50m"',
                sets=("CLOSESPIDER_TIMEOUT",),
            ),
            Key(
                "errors",
                COUNT,
                0,
                "Errors of this run.",
                "errors = 500",
                sets=("CLOSESPIDER_ERRORCOUNT",),
            ),
            Key("per_site", COUNT, 0, "Pages of one site, over all runs.", "per_site = 2000"),
            Key(
                "body",
                size(),
                "8MB",
                "Larger answers are cut off and marked.",
                'body = "20MB"',
                sets=("DOWNLOAD_MAXSIZE",),
            ),
        ),
    ),
    Table(
        ("output",),
        "what is stored; where: FOCUSCRAWL_RESULTS",
        (
            Key(
                "text",
                choice("full", "lead", "none"),
                "full",
                "Of articles: all, the first 300 characters, nothing.",
                'text = "full"',
            ),
        ),
        later={"history": RETURNING, "keep": RETURNING, "atom": DELIVERING},
    ),
    Table(
        ("output", "feeds"),
        "Scrapy's FEEDS, option for option; %(name)s and %(time)s work",
        (
            Key(
                "format",
                feed_format(),
                None,
                "json and xml need overwrite = true; xlsx and parquet are not built yet.",
                'format = "csv"',
                "by the suffix",
                sets=("FEEDS",),
            ),
            Key("items", feed_items(), ["article"], "article, page.", 'items = ["page"]'),
            Key(
                "fields",
                feed_fields(),
                None,
                "Columns in this order; a table renames them.",
                'fields = { title = "标题", url = "网址", published = "发布时间" }',
                "all, fixed order",
            ),
            Key(
                "encoding",
                encoding(),
                None,
                "The mark lets Excel read Chinese.",
                'encoding = "gb18030"',
                '"utf-8"; csv: "utf-8-sig"',
            ),
            Key("overwrite", flag(), False, "Begin the file anew at each run.", "overwrite = true"),
            Key(
                "batch_item_count",
                COUNT,
                0,
                "New file after so many items; the URI needs %(batch_id)d.",
                "batch_item_count = 10000",
            ),
        ),
        "named",
        "URI",
    ),
)


def _borrowed() -> tuple[Key, ...]:
    """The keys of other tables that a site may set for itself; without them the general value."""
    general = {
        ("politeness",): "delay jitter concurrency robots timeout retries hours user_agent",
        ("request",): "headers cookies proxy",
        ("follow",): "allow deny boards articles depth paging pages",
        ("url",): "drop keep rewrite slash",
    }
    keys = []
    for path, names in general.items():
        table = next(table for table in TABLES if table.path == path)
        for name in names.split():
            key = table.key(name)
            assert key is not None
            keys.append(replace(key, default=None, otherwise=f"[{path[0]}]", sets=()))
    return tuple(keys)


TABLES += (
    Table(
        ("site",),
        "other values for one site (HOST and its subdomains; the longest name wins)",
        (
            *_borrowed(),
            Key("skip", flag(), False, "Never fetch.", "skip = true"),
            Key("quota", COUNT, None, "Pages of this site.", "quota = 500", "limits.per_site"),
            Key("level", whole(1, 10), None, "Level of its boards.", "level = 5", "-"),
            Key("relevant", choice("judge", "all"), "judge", "As in [[source]].", 'relevant = "all"'),
            Key("tags", TAGS, None, "Labels for its articles.", 'tags = ["央媒"]', "none"),
            Key("aliases", hosts(), None, "Other names of the same site: pages are one.", 'aliases = ["m.example.cn", "wap.example.cn"]', "none"),
            Key("parser", text("module:function", r"[\w.]+:[\w.]+", PARSER_ADVICE), None, "A spider callback of your own for pages of this site; may `yield` items and links, or call the default.", 'parser = "mypkg.sites:parse_example"', "none"),
        ),
        "named",
        "HOST",
        later={
            "ignore": RETURNING,
            **dict.fromkeys(("render", "wait_for", "wait", "scroll"), BROWSER),
            **dict.fromkeys(("encoding", "title", "text", "published", "author", "source", "next"), READING),
            **dict.fromkeys(("thread", "replies", "views", "post", "posted", "poster"), "forums"),
            "login": "logging in",
        },
    ),
    Table(
        ("settings",),
        "any Scrapy setting, as it is",
        (),
        "open",
    ),
)  # fmt: skip

LATER_TABLES = {
    "search": "search seeds",
    "relevance": "scores",
    "explore": "exploring new sites",
    "record": "records",
    "stories": "stories",
    "revisit": RETURNING,
    "render": BROWSER,
    "files": "attachments",
    "archive": "archives",
    "notify": "notifications",
}
"""Tables of the language that are not built yet, with what they come with."""

REFUSED_SETTINGS = {
    "SCHEDULER": "focuscrawl is its scheduler",
    "SPIDER_MODULES": "it is read before a topic is; set it in settings.py",
    "SPIDER_LOADER_CLASS": "it is read before a topic is; set it in settings.py",
    "COMMANDS_MODULE": "it is read before a topic is; set it in settings.py",
}
"""Scrapy settings that make no sense in a template, with the reason."""
