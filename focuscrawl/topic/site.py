"""The table [site.HOST]: what is different at one site."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from focuscrawl.links.table import Follow, Url
from focuscrawl.politeness.table import Politeness, Request
from focuscrawl.revisit.table import Ignored, ignored
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.addresses import Hosts, Matches, hosts
from focuscrawl.template.kinds.kind import choice, encoding, flag, listed, text, whole
from focuscrawl.template.kinds.selectors import selector
from focuscrawl.template.kinds.times import Hours
from focuscrawl.template.secrets import Cookie
from focuscrawl.urls.canonical import UrlRules
from focuscrawl.values import Selector

PARSER_ADVICE = 'module:function, such as "mypkg.sites:parse_example"'


BROWSER = "the browser"


ON_PAGES = selector(("css", "xpath"))


TEXTS = listed(text(), "texts")
_ENCODING = encoding()
_PARSER = text("module:function", r"[\w.]+:[\w.]+", PARSER_ADVICE)


# fmt: off
class _Site(Table, path="site", doc="what is different at one site: HOST and the hosts below it; of several tables the longest HOST holds", shape="named", placeholder="HOST", later={
        **dict.fromkeys(("render", "wait_for", "wait", "scroll"), BROWSER),
            "login": "logging in",
    }):
    """What [site."HOST"] may hold; ``values`` of it and of other tables are in SiteTable."""

    skip: bool = key(flag(), False,
        "Fetch nothing here.",
        "skip = true")
    quota: int = key(whole(), None,
        "The most pages of this site.",
        "quota = 500", "limits.per_site")
    ignore: Ignored = key(ignored(), None,
        "As in [revisit].",
        'ignore = ["...", "css:#hits"]', "revisit.ignore")
    level: int | None = key(whole(1, 10), None,
        "The level of its lists.",
        "level = 5", "-")
    relevant: Literal["judge", "all"] = key(choice("judge", "all"), "judge",
        "As in [[source]].",
        'relevant = "all"')
    tags: tuple[str, ...] = key(TEXTS, None,
        "Labels of its articles.",
        'tags = ["市级"]', "none")
    aliases: Hosts = key(hosts(), None,
        "Hosts that show the same pages.",
        'aliases = ["m.example.cn", "3g.example.cn"]', "none")
    encoding: str = key(_ENCODING, None,
        "What its pages are read with, whatever they say themselves.",
        'encoding = "big5"', "found out")
    title: Selector | None = key(ON_PAGES, None,
        "The title of an article.",
        'title = "css:h1.headline"', "found out")
    text: Selector | None = key(ON_PAGES, None,
        "The elements that hold its text, all of it; nothing is trimmed.",
        'text = "css:div.article-body"', "found out")
    published: Selector | None = key(ON_PAGES, None,
        "Where its date stands.",
        'published = "css:span.pub-time"', "found out")
    author: Selector | None = key(ON_PAGES, None,
        "Who wrote it.",
        'author = "css:a.author"', "found out")
    source: Selector | None = key(ON_PAGES, None,
        "Where it was taken from (来源).",
        "source = \"xpath://span[starts-with(., '来源')]\"", "found out")
    next: Selector | None = key(ON_PAGES, None,
        "The link to the next page of a list or of an article; of an article also all its further pages, in order. A selector that finds nothing on a page is said once for each site, counted, and the part is found out as without it.",
        'next = "css:a.next-page"', "found out")
    thread: Selector | None = key(ON_PAGES, None,
        "On a forum's board: the rows of the threads. This and the next six are found out where they are not given, or find nothing.",
        'thread = "css:tbody[id^=normalthread]"', "found out")
    replies: Selector | None = key(ON_PAGES, None,
        "In such a row: how many replies there are.",
        'replies = "css:td.num a"', "found out")
    views: Selector | None = key(ON_PAGES, None,
        "In such a row: how often it was viewed.",
        'views = "css:td.num em"', "found out")
    post: Selector | None = key(ON_PAGES, None,
        "In a thread: the blocks of the posts.",
        'post = "css:div[id^=post_]"', "found out")
    posted: Selector | None = key(ON_PAGES, None,
        "In such a block: when it was written.",
        'posted = "css:.authi em"', "found out")
    poster: Selector | None = key(ON_PAGES, None,
        "In such a block: who wrote it.",
        'poster = "css:.authi a"', "found out")
    post_text: Selector | None = key(ON_PAGES, None,
        "In such a block: what was written, all of it.",
        'post_text = "css:td.t_f"', "found out")
    parser: str = key(_PARSER, None,
        "A function of yours that reads pages of this site instead: a spider callback, yields items and links.",
        'parser = "mypkg.sites:parse_metro"', "none")
# fmt: on


BORROWED = tuple(
    replace(one, default=None, otherwise=f"[{table.form.path[0]}]", sets=())
    for table in (Politeness, Request, Follow, Url)
    for one in table.form.keys
    if one.site
)
"""Keys of other tables; without them the general value holds."""

SITE = replace(_Site.form, keys=BORROWED + _Site.form.keys)


class SiteTable(NamedTuple):
    """One [site."HOST"] as built: the values it gives, by key."""

    host: str
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SiteRules:
    """Everything that holds for one site: the general values, and what [site."HOST"] changes.

    ``site`` is the HOST of the table, "" where none fits. ``url`` are the rules for keys.
    ``encoding`` is "" and a selector None where it is found out.
    """

    site: str
    delay: float
    jitter: float
    concurrency: int
    robots: bool
    timeout: float
    retries: int
    hours: Hours
    user_agent: str
    headers: dict[str, str] = field(repr=False)
    cookies: tuple[Cookie, ...] = field(repr=False)
    proxy: tuple[str, ...] = field(repr=False)
    allow: Matches
    deny: Matches
    boards: Matches
    articles: Matches
    refuse: frozenset[str]
    depth: int
    paging: Literal["until-known", "all", "none"]
    pages: int
    url: UrlRules
    skip: bool
    quota: int
    ignore: Ignored
    level: int | None
    relevant: Literal["judge", "all"]
    tags: tuple[str, ...]
    aliases: Hosts
    encoding: str
    title: Selector | None
    text: Selector | None
    published: Selector | None
    author: Selector | None
    source: Selector | None
    next: Selector | None
    thread: Selector | None
    replies: Selector | None
    views: Selector | None
    post: Selector | None
    posted: Selector | None
    poster: Selector | None
    post_text: Selector | None
    parser: str
