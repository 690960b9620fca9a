"""Every table and key of the template language, described once.

Loading, messages, ``scrapy topic schema`` and ``show``, and the check of docs/template.md follow
from this list. A key names the Scrapy settings it sets.
"""

from __future__ import annotations

from dataclasses import replace

from focuscrawl.topic.engines import standard_words
from focuscrawl.topic.feed_kinds import DELIVERING, encoding, feed_fields, feed_format, feed_items
from focuscrawl.topic.kinds import (
    choice,
    duration,
    either,
    flag,
    listed,
    number,
    share,
    since,
    size,
    text,
    whole,
    zone,
)
from focuscrawl.topic.record_kinds import field_names, field_type, pattern, places
from focuscrawl.topic.revisit_kinds import ignored
from focuscrawl.topic.revisit_tables import REVISIT_TABLES
from focuscrawl.topic.schema import Key, Table
from focuscrawl.topic.search_kinds import address, queries, selector, within
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
ENGINES = ("search", "engine")
RECORD = ("record",)
RECORD_FIELDS = ("record", "fields")
BROWSER = "the browser"

TAGS = listed(text(), "texts")
MATCH = matches()
PARAMETERS = parameters()
ON_PAGES = selector(("css", "xpath"))
SAME = choice("same", "distinct")
COUNT = whole()

# fmt: off
TABLES: tuple[Table, ...] = (
    Table(
        (),
        "The top of the file",
        (
            Key("extends", text("name | path"), None,
                "A file this one builds on: the name of a shipped template, or a path relative to this file and inside the folder of the topic.", 'extends = "_house.toml"', "none"),
        ),
        "top",
    ),
    Table(
        ("topic",),
        "what to look for",
        (
            Key("name", text("name", NAME, NAME_ADVICE), None,
                "What the spider, its data and `%(name)s` in feeds are called: a-z, 0-9, `-`, `_`, at most 64. Another name is another, empty crawl.", 'name = "cd-metro"', "file name without .toml"),
            Key("title", text(), None,
                "The name for people, in any script.", 'title = "成都地铁建设"', "name"),
            Key("keywords", words(), None,
                "Word groups; pages and links are scored by them ([relevance]). Without `keywords` and `require` every article of the sources is relevant.", 'keywords = ["地铁^3", "轨道交通|城轨", "盾构|换乘站"]', "none"),
            Key("require", words(), None,
                "Word groups that must all be found, each in the title or the text.", 'require = ["成都|天府新区", "开通|动工|延长"]', "none"),
            Key("exclude", words(), None,
                "Word groups against a page: one is enough in the title, and in the text when it is there at least as often as all keywords together.", 'exclude = ["租房", "楼盘|户型"]', "none"),
            Key("language", choice("zh", "en", "auto"), "zh",
                "The language of the pages: built-in words and the Accept-Language header.", 'language = "zh"'),
            Key("timezone", zone(), None,
                "Holds for dates that name no zone, for `hours` and for what people read. Stored is always UTC.", 'timezone = "Asia/Shanghai"', '"Asia/Shanghai" (zh), else "UTC"'),
            Key("dictionary", listed(text("text", r".*\S.*", "a name with at least one character"), "texts"), None,
                "Names that are kept whole where text is cut into words; a `@file` may be a user dictionary of jieba (name, frequency, tag). Another list means other keywords and hashes.", 'dictionary = ["天府通", "@stations.txt"]', "none"),
            Key("tags", TAGS, None,
                "Labels of every article.", 'tags = ["交通"]', "none"),
            Key("strict", flag(), False,
                "Every method in its published form, to the letter: sets each `strict` below that is not given itself.", "strict = false"),
        ),
    ),
    Table(
        ("source",),
        "where to start; one table for each kind of source",
        (
            Key("url", url(), None,
                "An address to start from; `urls` for several.", 'url = "https://metro.example.cn/news/"', "-"),
            Key("urls", listed(url(), "urls"), None,
                "Addresses with the same properties.", 'urls = ["https://a.example.cn/", "@sites.txt"]', "-"),
            Key("kind", choice("auto", "board", "article", "feed", "sitemap", "forum"), "auto",
                "What is at the address; `auto` looks at the page. `forum` is a board whose reply counts are read: threads and posts are stored, and a thread that has grown is read again from its last known page on.", 'kind = "board"'),
            Key("level", whole(1, 10), None,
                "The level its pages start at, from 1 to `queues.levels`; higher is sooner. The top one is meant for the other pages of an article already begun.", "level = 4", "one below the top"),
            Key("every", duration(), None,
                "How often to look again, whatever the policy says. A run that comes sooner, by more than a tenth, leaves it alone.", 'every = "20m"', "each run; with revisit.continuous by the policy, between min and max of its class"),
            Key("relevant", choice("judge", "all"), "judge",
                "`all` keeps whatever is published here, without judging it.", 'relevant = "all"'),
            Key("tags", TAGS, None,
                "Labels of everything found from here.", 'tags = ["官方"]', "none"),
            Key("name", text(), None,
                "What reports call it.", 'name = "市住建局 公告"', "title of the page"),
        ),
        "repeated",
    ),
    Table(
        ("search",),
        "seeds from search engines",
        (
            Key("engines", listed(text("name", NAME, NAME_ADVICE), "names"), None,
                "Which engines are asked: `baidu`, `baidu-news`, `bing`, `so360`, `sogou`, `searxng` (with the address of an instance), and those described in [search.engine.NAME].", 'engines = ["baidu", "sogou"]', "no search"),
            Key("queries", queries(), None,
                "What is asked for: each synonym is one search, a `+` joins words (`++` is a plus).", 'queries = ["地铁+开通|轨道交通+开通"]', "each keyword with the first word of each group of topic.require before it"),
            Key("areas", TAGS, None,
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
    ),
    Table(
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
    ),
    Table(
        ("follow",),
        "which links are followed",
        (
            Key("scope", choice("sources", "listed", "web"), None,
                "Where links may lead: `sources`, the hosts of the sources and below; `listed`, only `sites`; `web`, everywhere.", 'scope = "sources"', '"web" with search.engines or [explore], else "sources"'),
            Key("sites", hosts(), None,
                "Hosts that belong besides (Scrapy: allowed_domains).", 'sites = ["example.cn"]', "none"),
            Key("allow", MATCH, None,
                "If given, an address must match one of these.", 'allow = ["/article/", "/2026/*.html"]', "everything"),
            Key("deny", MATCH, None,
                "An address must match none of these, whatever `allow` says.", "deny = ['/en/', 're:/topic/\\d+$']", "none"),
            Key("boards", MATCH, None,
                "Addresses of list pages.", 'boards = ["/index_*.html"]', "learnt"),
            Key("articles", MATCH, None,
                "Addresses of articles.", "articles = ['re:/20\\d{6}/\\w+\\.s?html']", "learnt"),
            Key("depth", whole(0, 50), 5,
                "How many clicks a page may be away from its source; further pages of one list are no clicks.", "depth = 3", sets=("DEPTH_LIMIT",)),
            Key("paging", choice("until-known", "all", "none"), "until-known",
                "How far to page through a list: until a page shows nothing new or only what is older than `article.since`; to its end; not at all.", 'paging = "until-known"'),
            Key("pages", whole(1, 10000), 20,
                "The most pages of one list.", "pages = 50"),
            Key("layers", words(), None,
                "Links to follow from a seed by their text or title, a group for each layer; the pages of the last layer are the ones to read.", 'layers = ["关于我们|公司简介", "联系我们|联系方式"]', "every link"),
        ),
    ),
    Table(
        ("url",),
        "which addresses are the same page",
        (
            Key("drop", PARAMETERS, list(DROPPED),
            'Names of query parameters that make no difference; `"..."` keeps the built-in ones.', 'drop = ["...", "ts", "rnd*"]', "tracking list (utm_*, spm, from, share_token …) and session ids"),
            Key("keep", PARAMETERS, None,
                "Names of query parameters that do, against `drop`.", 'keep = ["newsid"]', "none"),
            Key("scheme", SAME, "same",
                "Whether http and https are one page.", 'scheme = "same"'),
            Key("slash", SAME, "same",
                "Whether /x and /x/ are one page; the form seen first is fetched.", 'slash = "distinct"'),
            Key("rewrite", rewrites(), None,
                "Regular expressions and what takes the place of a match, where one page has several spellings; used before pages are compared.", "rewrite = { 'show\\.php\\?id=(\\d+).*' = 'show-\\1.html' }", "none"),
            Key("max_length", whole(1), 2083,
                "Addresses with more characters are refused.", "max_length = 1000", sets=("URLLENGTH_LIMIT",)),
        ),
    ),
    Table(
        ("relevance",),
        "when a page belongs to the topic",
        (
            Key("threshold", share(), 0.3,
                "Score from 0 to 1 from which a page is relevant; with 0 one keyword anywhere is enough. `scrapy topic score` explains scores.", "threshold = 0.4"),
            Key("title_weight", number(0, 10), 3,
                "So many times a keyword in the title counts.", "title_weight = 5"),
            Key("hints", listed(text(), "texts"), None,
                "Parts of addresses that speak for a link, such as pinyin.", 'hints = ["ditie", "metro", "gdjt"]', "none"),
            Key("model", text("path"), None,
                "A file that `scrapy topic train` has written, relative to the template; it scores pages in the place of the keywords. `require` and `exclude` still hold.", 'model = "cd-metro.model"', "none"),
        ),
    ),
    Table(
        ("explore",),
        "new sites, through irrelevant pages",
        (
            Key("enabled", flag(), None,
                "Whether links to sites that are no sources are explored.", "enabled = true", "when follow.scope is \"web\""),
            Key("share", share(), 0.3,
                "At most this share of the requests explores while known sources have something to fetch.", "share = 0.2"),
            Key("steps", whole(0, 30), 10,
                "So many irrelevant pages in a row, then links are parked (strict: dropped).", "steps = 6"),
            Key("site_quota", whole(1), 15,
                "Of a site that was not judged yet so many links stand in front, the best ones (strict: more are dropped).", "site_quota = 25"),
            Key("ban_after", whole(1), 20,
                "So many irrelevant pages, then a site or a folder of it may be banned …", "ban_after = 40"),
            Key("ban_rate", share(), 0.3,
                "… when its share of relevant pages is under this part of the crawl's.", "ban_rate = 0.2"),
            Key("ban_for", either("forever", duration(), float("inf")), "30d",
                "How long a ban lasts.", 'ban_for = "90d"'),
            Key("banned", hosts(), None,
                "Never fetched.", 'banned = ["ads.example.com", "@banned.txt"]', "none"),
            Key("trusted", hosts(), None,
                "Never banned, and without a quota.", 'trusted = ["edu.cn"]', "the sources"),
            Key("order", choice("portfolio", "best-first", "breadth-first"), "portfolio",
                "Which link is next: the best of all, of its folder or of its site, as it pays; the best of all; the first found.", 'order = "best-first"'),
            Key("strict", flag(), False,
                "The published form: links are dropped, sites banned by a count of pages.", "strict = false"),
        ),
    ),
    Table(
        ("article",),
        "what is kept of articles",
        (
            Key("keep", choice("relevant", "all", "none"), "relevant",
                "Which articles are stored.", 'keep = "relevant"'),
            Key("since", since(), None,
                "What is older is noted but not stored, and ends the paging of a list.", 'since = "60d"', "none"),
            Key("min_length", COUNT, 60,
                "Texts with fewer characters count as `short`, unless there are images.", "min_length = 60"),
            Key("languages", TAGS, None,
                "Only articles in these languages.", 'languages = ["zh"]', "any"),
            Key("pages", whole(1, 500), 100,
                "The most pages of one article that are put together.", "pages = 30"),
            Key("images", choice("urls", "none"), "urls",
                "Whether addresses of images are kept.", 'images = "urls"'),
        ),
    ),
    Table(
        ("stories",),
        "articles of many sites that tell the same",
        (
            Key("copies", choice("join", "keep", "off"), "join",
                "What becomes of a text that an earlier article has, too: `join` makes it a member of that one's story and stores no second text; `keep` stores it and marks it; `off` does not look.", 'copies = "keep"'),
            Key("events", flag(), True,
                "Whether different texts about one event become one story.", "events = true"),
            Key("window", duration(), "7d",
                "What lies further apart is never one event. A copy may be of any age.", 'window = "2d"'),
            Key("strict", flag(), False,
                "The published form: articles with enough keywords at the same rank, in the title or else in the text, are duplicates; they are discarded, and their links are not followed.", "strict = false"),
        ),
    ),
    Table(
        RECORD,
        "what pages hold besides text: fields by their labels. NAME is the item, and a view record_NAME",
        (
            Key("pages", choice("last-layer", "relevant", "all"), None,
                "Which pages are read for it.", 'pages = "all"', '"last-layer" with follow.layers, else "relevant"'),
            Key("one_per", choice("block", "page", "site"), "block",
                "How many there are: one for each block of labels, for each page, or one that all pages of a site fill.", 'one_per = "site"'),
            Key("key", field_names(), None,
                "The fields by which two are the same; what comes later fills gaps, what contradicts stays in the evidence.", 'key = ["name"]', "all required fields"),
        ),
        "named",
        "NAME",
    ),
    Table(
        RECORD_FIELDS,
        'the fields of a record: `field = "label|synonym"`, or a table with these keys',
        (
            Key("labels", words(), None,
                "What stands before a value, beside or above it.", 'labels = "电话|总机|热线"', "-"),
            Key("type", field_type(), "text",
                "What a value is; others are not taken, and each kind has one spelling.", 'type = "phone"'),
            Key("required", flag(), False,
                "Whether a record without it counts as incomplete.", "required = true"),
            Key("many", flag(), False,
                "Whether it is a list.", "many = true"),
            Key("pattern", pattern(), None,
                "What a value must match; group 1, if there is one, is taken.", "pattern = '[0-9A-Z]{18}'", "none"),
            Key("from", places(), ["labels"],
                "Where a value is looked for, in this order: behind labels, in the title, in the line about copyright, by a selector.", 'from = ["labels", "copyright", "selector:css:h1::text"]'),
        ),
        "fields",
        "NAME",
    ),
    Table(
        ("queues",),
        "what is fetched first",
        (
            Key("levels", whole(1, 10), 5,
                "How many levels there are; the highest is served first.", "levels = 5"),
            Key("factor", either("measured", number(1.1, 100)), "measured",
                "Divisor between levels: the weight of a level is its length ÷ factor^(levels − level).", "factor = 3.5"),
            Key("max_wait", duration(), "1d",
                "The longest a URL of the lowest level waits while its site answers.", 'max_wait = "12h"'),
            Key("strict", flag(), False,
                "Weights to the letter of the published method.", "strict = false"),
        ),
    ),
    *REVISIT_TABLES,
    Table(
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
    ),
    Table(
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
    ),
    Table(
        ("limits",),
        "when a run ends and how much it takes; 0 = no limit",
        (
            Key("pages", COUNT, 0,
                "Pages in this run.", "pages = 5000", sets=("CLOSESPIDER_PAGECOUNT",)),
            Key("articles", COUNT, 0,
                "New articles in this run.", "articles = 1000", sets=("CLOSESPIDER_ITEMCOUNT",)),
            Key("time", duration(), "0s",
                "How long this run may take.", 'time = "50m"', sets=("CLOSESPIDER_TIMEOUT",)),
            Key("errors", COUNT, 0,
                "Errors in this run.", "errors = 500", sets=("CLOSESPIDER_ERRORCOUNT",)),
            Key("per_site", COUNT, 0,
                "Pages of one site, counting those of earlier runs, but no second visits.", "per_site = 2000"),
            Key("body", size(), "8MB",
                "The rest of a larger answer is left out, and the page is marked.", 'body = "20MB"', sets=("DOWNLOAD_MAXSIZE",)),
        ),
    ),
    Table(
        ("output",),
        "what is stored (where is the setting FOCUSCRAWL_RESULTS)",
        (
            Key("text", choice("full", "lead", "none"), "full",
                "How much of an article's text is stored: all, its first 300 characters, nothing.", 'text = "full"'),
            Key("history", choice("diff", "full", "none"), "diff",
                "How earlier versions of changed articles and records are kept: as the way back from the next version, whole, not at all.", 'history = "full"'),
            Key("keep", either("forever", duration(), float("inf")), "forever",
                "What was last seen longer ago is deleted when a run ends: pages with all that is theirs. Its addresses are not fetched again.", 'keep = "400d"'),
        ),
        later={"atom": DELIVERING},
    ),
    Table(
        ("output", "feeds"),
        "files beside the database: Scrapy's FEEDS, with its %(name)s and %(time)s",
        (
            Key("format", feed_format(), None,
                "json and xml ask for overwrite = true; xlsx and parquet are not built yet.", 'format = "csv"', "by the suffix", sets=("FEEDS",)),
            Key("items", feed_items(), ["article"],
                "What goes in: article, page, change, thread, post, or the NAME of a record.", 'items = ["page"]'),
            Key("fields", feed_fields(), None,
                "The columns and their order; a table gives them titles.", 'fields = { published = "日期", title = "题目", url = "链接" }', "all, fixed order"),
            Key("encoding", encoding(), None,
                "utf-8-sig begins with a mark that tells Excel it is UTF-8.", 'encoding = "gb18030"', '"utf-8"; csv: "utf-8-sig"'),
            Key("overwrite", flag(), False,
                "Whether a run writes the file anew or goes on with it.", "overwrite = true"),
            Key("batch_item_count", COUNT, 0,
                "A new file after so many items; its name needs %(batch_id)d.", "batch_item_count = 5000"),
        ),
        "named",
        "URI",
    ),
)
# fmt: on


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


# fmt: off
TABLES += (
    Table(
        ("site",),
        "what is different at one site: HOST and the hosts below it; of several tables the longest HOST holds",
        (
            *_borrowed(),
            Key("skip", flag(), False,
                "Fetch nothing here.", "skip = true"),
            Key("quota", COUNT, None,
                "The most pages of this site.", "quota = 500", "limits.per_site"),
            Key("ignore", ignored(), None,
                "As in [revisit].", 'ignore = ["...", "css:#hits"]', "revisit.ignore"),
            Key("level", whole(1, 10), None,
                "The level of its lists.", "level = 5", "-"),
            Key("relevant", choice("judge", "all"), "judge",
                "As in [[source]].", 'relevant = "all"'),
            Key("tags", TAGS, None,
                "Labels of its articles.", 'tags = ["市级"]', "none"),
            Key("aliases", hosts(), None,
                "Hosts that show the same pages.", 'aliases = ["m.example.cn", "3g.example.cn"]', "none"),
            Key("encoding", encoding(), None,
                "What its pages are read with, whatever they say themselves.", 'encoding = "big5"', "found out"),
            Key("title", ON_PAGES, None,
                "The title of an article.", 'title = "css:h1.headline"', "found out"),
            Key("text", ON_PAGES, None,
                "The elements that hold its text, all of it; nothing is trimmed.", 'text = "css:div.article-body"', "found out"),
            Key("published", ON_PAGES, None,
                "Where its date stands.", 'published = "css:span.pub-time"', "found out"),
            Key("author", ON_PAGES, None,
                "Who wrote it.", 'author = "css:a.author"', "found out"),
            Key("source", ON_PAGES, None,
                "Where it was taken from (来源).", "source = \"xpath://span[starts-with(., '来源')]\"", "found out"),
            Key("next", ON_PAGES, None,
                "The link to the next page of a list or of an article; of an article also all its further pages, in order. A selector that finds nothing on a page is said once for each site, counted, and the part is found out as without it.", 'next = "css:a.next-page"', "found out"),
            Key("thread", ON_PAGES, None,
                "On a forum's board: the rows of the threads. This and the next five are found out where they are not given, or find nothing.", 'thread = "css:tbody[id^=normalthread]"', "found out"),
            Key("replies", ON_PAGES, None,
                "In such a row: how many replies there are.", 'replies = "css:td.num a"', "found out"),
            Key("views", ON_PAGES, None,
                "In such a row: how often it was viewed.", 'views = "css:td.num em"', "found out"),
            Key("post", ON_PAGES, None,
                "In a thread: the blocks of the posts.", 'post = "css:div[id^=post_]"', "found out"),
            Key("posted", ON_PAGES, None,
                "In such a block: when it was written.", 'posted = "css:.authi em"', "found out"),
            Key("poster", ON_PAGES, None,
                "In such a block: who wrote it.", 'poster = "css:.authi a"', "found out"),
            Key("parser", text("module:function", r"[\w.]+:[\w.]+", PARSER_ADVICE), None,
                "A function of yours that reads pages of this site instead: a spider callback, yields items and links.", 'parser = "mypkg.sites:parse_metro"', "none"),
        ),
        "named",
        "HOST",
        later={
            **dict.fromkeys(("render", "wait_for", "wait", "scroll"), BROWSER),
                "login": "logging in",
        },
    ),
    Table(
        ("settings",),
        "settings of Scrapy that no key stands for",
        (),
        "open",
    ),
)  # fmt: skip
# fmt: on

LATER_TABLES = {
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
