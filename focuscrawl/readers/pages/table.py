"""The table [site.HOST.select]: where things stand on the pages of one site."""

from __future__ import annotations

from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import selector
from focuscrawl.values import Selector

_ON_PAGES = selector(("css", "xpath"))


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
