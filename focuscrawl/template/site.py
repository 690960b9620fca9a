"""The table [site.HOST]: what is different at one site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from focuscrawl.links.table import Follow, Url
from focuscrawl.politeness.table import PolitenessTable, Request, impolite
from focuscrawl.revisit.table import Revisit
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.addresses import check_host, hosts
from focuscrawl.template.kinds.kind import choice, encoding, flag, listed, selector, text, whole
from focuscrawl.template.merge import Entry
from focuscrawl.template.problems import Problem
from focuscrawl.template.table import wrong_level
from focuscrawl.template.toml import toml_text
from focuscrawl.urls.sites import Hosts
from focuscrawl.values import Selector

_PARSER_ADVICE = 'module:function, such as "mypkg.sites:parse_example"'


_ON_PAGES = selector(("css", "xpath"))


_TEXTS = listed(text(), "texts")
_ENCODING = encoding()
_PARSER = text("module:function", r"[\w.]+:[\w.]+", _PARSER_ADVICE)


# fmt: off
class Select(Table, path="site.select", doc="where things stand on the pages of one site; what finds nothing is said once for each site and counted, and the part is found out as without it", shape="inside", placeholder="HOST", called="a host name"):
    """[site."HOST".select]: places on a page, None where they are found out."""

    title: Selector | None = key(_ON_PAGES, None,
        "The title of an article.",
        'title = "css:h1.headline"', "found out")
    text: Selector | None = key(_ON_PAGES, None,
        "The elements that hold its text, all of it; nothing is trimmed.",
        'text = "css:div.article-body"', "found out")
    published: Selector | None = key(_ON_PAGES, None,
        "Where its date stands.",
        'published = "css:span.pub-time"', "found out")
    author: Selector | None = key(_ON_PAGES, None,
        "Who wrote it.",
        'author = "css:a.author"', "found out")
    source: Selector | None = key(_ON_PAGES, None,
        "Where it was taken from (来源).",
        "source = \"xpath://span[starts-with(., '来源')]\"", "found out")
    next: Selector | None = key(_ON_PAGES, None,
        "The link to the next page of a list or of an article; of an article also all its further pages, in order.",
        'next = "css:a.next-page"', "found out")
    thread: Selector | None = key(_ON_PAGES, None,
        "On a forum's board: the rows of the threads. This and the next six are found out where they are not given, or find nothing.",
        'thread = "css:tbody[id^=normalthread]"', "found out")
    replies: Selector | None = key(_ON_PAGES, None,
        "In such a row: how many replies there are.",
        'replies = "css:td.num a"', "found out")
    views: Selector | None = key(_ON_PAGES, None,
        "In such a row: how often it was viewed.",
        'views = "css:td.num em"', "found out")
    post: Selector | None = key(_ON_PAGES, None,
        "In a thread: the blocks of the posts.",
        'post = "css:div[id^=post_]"', "found out")
    posted: Selector | None = key(_ON_PAGES, None,
        "In such a block: when it was written.",
        'posted = "css:.authi em"', "found out")
    poster: Selector | None = key(_ON_PAGES, None,
        "In such a block: who wrote it.",
        'poster = "css:.authi a"', "found out")
    post_text: Selector | None = key(_ON_PAGES, None,
        "In such a block: what was written, all of it.",
        'post_text = "css:td.t_f"', "found out")
# fmt: on


def _host(name: str) -> str:
    """Return the host of a table without its mark; raises ValueError."""
    return check_host(name).removeprefix("=")


# fmt: off
class SiteTable(Table, path="site", doc="what is different at one site: HOST and the hosts below it; of several tables the longest HOST holds", shape="named", placeholder="HOST", names=_host, called="a host name"):
    """What holds for one site: its own keys, and the tables in which it may differ from others.

    ``host`` is the HOST of the table, "" where none fits. ``encoding`` is "" where it is found out.
    """

    skip: bool = key(flag(), False,
        "Fetch nothing here.",
        "skip = true")
    quota: int | None = key(whole(), None,
        "The most pages of this site.",
        "quota = 500", "limits.per_site")
    level: int | None = key(whole(1, 10), None,
        "The level of its lists.",
        "level = 5", "-")
    relevant: Literal["judge", "all"] = key(choice("judge", "all"), "judge",
        "As in [[source]].",
        'relevant = "all"')
    tags: tuple[str, ...] = key(_TEXTS, None,
        "Labels of its articles.",
        'tags = ["市级"]', "none")
    aliases: Hosts = key(hosts(), None,
        "Hosts that show the same pages.",
        'aliases = ["m.example.cn", "3g.example.cn"]', "none")
    encoding: str = key(_ENCODING, None,
        "What its pages are read with, whatever they say themselves.",
        'encoding = "big5"', "found out")
    parser: str = key(_PARSER, None,
        "A function of yours that reads pages of this site instead: a spider callback, yields items and links.",
        'parser = "mypkg.sites:parse_metro"', "none")
    host: str
    politeness: PolitenessTable
    request: Request
    follow: Follow
    url: Url
    revisit: Revisit
    select: Select
# fmt: on

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through levels there are not."""
        return wrong_level(entry)

    @classmethod
    def warn(cls, entry: Entry) -> Iterator[Problem]:
        """Warn of what this site will not like."""
        title = f'[site.{toml_text(entry.name)}.politeness]'
        return impolite(entry, entry.plain.get("politeness", {}), title)
