"""The table [site."HOST"] of the template language: what is different at one site."""

from __future__ import annotations

from dataclasses import replace

from focuscrawl.template.kinds.addresses import hosts
from focuscrawl.template.kinds.kind import choice, encoding, flag, listed, text, whole
from focuscrawl.template.kinds.selectors import selector
from focuscrawl.topic.fetch_tables import POLITENESS_TABLE, REQUEST_TABLE
from focuscrawl.topic.link_tables import FOLLOW_TABLE, URL_TABLE
from focuscrawl.topic.revisit_kinds import ignored
from focuscrawl.topic.schema import Key, Table

PARSER_ADVICE = 'module:function, such as "mypkg.sites:parse_example"'
BROWSER = "the browser"
ON_PAGES = selector(("css", "xpath"))
BORROWED = (
    (POLITENESS_TABLE, "delay jitter concurrency robots timeout retries hours user_agent"),
    (REQUEST_TABLE, "headers cookies proxy"),
    (FOLLOW_TABLE, "allow deny boards articles refuse depth paging pages"),
    (URL_TABLE, "drop keep rewrite slash"),
)
"""The keys of other tables that a site may set for itself."""


def _borrowed() -> tuple[Key, ...]:
    """The keys of other tables; without them the general value holds."""
    keys = []
    for table, names in BORROWED:
        for name in names.split():
            key = table.key(name)
            assert key is not None
            otherwise = f"[{table.path[0]}]"
            keys.append(replace(key, default=None, otherwise=otherwise, sets=()))
    return tuple(keys)


# fmt: off
SITE_TABLE = Table(
    ("site",),
    "what is different at one site: HOST and the hosts below it; of several tables the longest HOST holds",
    (
        *_borrowed(),
        Key("skip", flag(), False,
            "Fetch nothing here.", "skip = true"),
        Key("quota", whole(), None,
            "The most pages of this site.", "quota = 500", "limits.per_site"),
        Key("ignore", ignored(), None,
            "As in [revisit].", 'ignore = ["...", "css:#hits"]', "revisit.ignore"),
        Key("level", whole(1, 10), None,
            "The level of its lists.", "level = 5", "-"),
        Key("relevant", choice("judge", "all"), "judge",
            "As in [[source]].", 'relevant = "all"'),
        Key("tags", listed(text(), "texts"), None,
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
            "On a forum's board: the rows of the threads. This and the next six are found out where they are not given, or find nothing.", 'thread = "css:tbody[id^=normalthread]"', "found out"),
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
        Key("post_text", ON_PAGES, None,
            "In such a block: what was written, all of it.", 'post_text = "css:td.t_f"', "found out"),
        Key("parser", text("module:function", r"[\w.]+:[\w.]+", PARSER_ADVICE), None,
            "A function of yours that reads pages of this site instead: a spider callback, yields items and links.", 'parser = "mypkg.sites:parse_metro"', "none"),
    ),
    "named",
    "HOST",
    later={
        **dict.fromkeys(("render", "wait_for", "wait", "scroll"), BROWSER),
            "login": "logging in",
    },
)
# fmt: on
