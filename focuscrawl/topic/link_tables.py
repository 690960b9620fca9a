"""The tables of the template language about links: [follow], [url], [explore]."""

from __future__ import annotations

from focuscrawl.template.kinds.addresses import hosts, matches, parameters, rewrites
from focuscrawl.template.kinds.kind import choice, either, flag, listed, share, whole
from focuscrawl.template.kinds.times import duration
from focuscrawl.template.kinds.words import words
from focuscrawl.topic.schema import Key, Table
from focuscrawl.urls.parameters import DROPPED

MATCH = matches()
PARAMETERS = parameters()
SAME = choice("same", "distinct")

# fmt: off
FOLLOW_TABLE = Table(
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
        Key("refuse", listed(choice("nofollow", "actions"), "choice or list: nofollow, actions", frozenset), ["nofollow", "actions"],
            "What else is refused: `nofollow`, links inside a site that it asks robots not to follow (rel, meta, X-Robots-Tag; to another site it only lowers what a link promises); `actions`, addresses that edit, log in, reply, buy, print and the like. `[]` refuses neither.", 'refuse = ["actions"]'),
        Key("depth", whole(0, 50), 5,
            "How many clicks a page may be away from its source; further pages of one list are no clicks.", "depth = 3", sets=("DEPTH_LIMIT",)),
        Key("paging", choice("until-known", "all", "none"), "until-known",
            "How far to page through a list: until a page shows nothing new or only what is older than `article.since`; to its end; not at all.", 'paging = "until-known"'),
        Key("pages", whole(1, 10000), 20,
            "The most pages of one list.", "pages = 50"),
        Key("layers", words(), None,
            "Links to follow from a seed by their text or title, a group for each layer; the pages of the last layer are the ones to read.", 'layers = ["关于我们|公司简介", "联系我们|联系方式"]', "every link"),
    ),
)

URL_TABLE = Table(
    ("url",),
    "which addresses are the same page",
    (
        Key("drop", PARAMETERS, list(DROPPED),
        'Names of query parameters that make no difference; `"..."` keeps the built-in ones.', 'drop = ["...", "ts", "rnd*"]', "tracking list (utm_*, spm, from, share_token …) and session ids"),
        Key("keep", PARAMETERS, None,
            "Names of query parameters that do, against `drop`.", 'keep = ["newsid"]', "none"),
        Key("scheme", SAME, "same",
            "Whether http and https are one page. It is asked for as it was found first, and by the other where that cannot be reached and links to its site are written so.", 'scheme = "same"'),
        Key("slash", SAME, "same",
            "Whether /x and /x/ are one page; the form seen first is fetched.", 'slash = "distinct"'),
        Key("rewrite", rewrites(), None,
            "Regular expressions and what takes the place of a match, where one page has several spellings; used before pages are compared.", "rewrite = { 'show\\.php\\?id=(\\d+).*' = 'show-\\1.html' }", "none"),
        Key("max_length", whole(1), 2083,
            "Addresses with more characters are refused.", "max_length = 1000", sets=("URLLENGTH_LIMIT",)),
    ),
)

EXPLORE_TABLE = Table(
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
)
# fmt: on
