"""The tables [revisit] and [revisit.CLASS] of the template language (B)."""

from __future__ import annotations

from focuscrawl.template.kinds.kind import choice, either, flag, share, whole
from focuscrawl.template.kinds.times import duration
from focuscrawl.topic.revisit_kinds import BUILT_IN, ignored, rate
from focuscrawl.topic.schema import Key, Table

REVISIT = "revisit"


def _times(name: str, doc: str, first: str, least: str, most: str, until: str = "forever") -> Table:
    keys = (
        Key("first", duration(), first,
            "How long after its first fetch a page is visited again.", f'first = "{first}"'),
        Key("min", duration(), least,
            "No visit sooner after the last one.", f'min = "{least}"'),
        Key("max", duration(), most,
            "No visit later after the last one.", f'max = "{most}"'),
        Key("until", either("forever", duration(), float("inf")), until,
            "When a page is older, by its own date or else since it was found, it is only looked back at: see `old` in [revisit].", 'until = "90d"'),
    )  # fmt: skip
    return Table((REVISIT, name), doc, keys)


# fmt: off
REVISIT_TABLES = (
    Table(
        (REVISIT,),
        "when to come again",
        (
            Key("policy", choice("index", "tx", "fixed", "off"), "index",
                "`index`: when the copy is expected to be out of date long enough; `tx`: as published, the time watched divided by the changes seen; `fixed`: always after `first`; `off`: no page twice, lists neither. May be changed between any two runs.", 'policy = "fixed"'),
            Key("budget", either("auto", rate()), "auto",
                "Visits for coming again in a topic that stays (`continuous`): the pages that are worth most get them. `auto` takes what is due, as fast as politeness allows.", 'budget = "2000/h"'),
            Key("old", share(), 0.1,
                "Share of the budget for pages past `until`, the longest unseen first and none twice in a week. Where `budget` is auto it is one visit a day for each of them, 5,000 a day at most: 0.1 sees each page of a site within ten days. 0: they are never visited again.", "old = 0.2"),
            Key("objective", choice("stale", "fresh", "delay"), "stale",
                "What `index` spends visits on: few hours out of date, many pages up to date, or changes seen soon.", 'objective = "fresh"'),
            Key("continuous", flag(), False,
                "Whether the crawl stays and waits for what becomes due. Otherwise it reads every list once more (one that was silent for three months every third day), visits what is due or nearly so (a tenth of its interval, three hours at most), and ends.", "continuous = true"),
            Key("ignore", ignored(), [BUILT_IN],
                "What never counts as a change: elements by a selector, words (`*` for what varies), and `built-in` for clocks, counters and advertisements. What changes at every visit is left out by learning.", 'ignore = ["...", "css:.page-views", "浏览*次"]'),
            Key("signals", flag(), True,
                "Whether dates in sitemaps and feeds and reply counts say when to come; threads whose replies a board counts are visited without a new reply only when `revisit.thread.max` has passed. Sitemaps of robots.txt and of the head of a list, and its first feed, are read for that alone where pages of the site are kept.", "signals = false"),
            Key("gone_after", whole(1), 3,
                "A page is gone after so many visits that found it missing …", "gone_after = 2"),
            Key("gone_within", duration(), "3d",
                "… over at least this time.", 'gone_within = "7d"'),
            Key("strict", flag(), False,
                "The published form: policy `tx` without bounds, a change is a SimHash more than 5 bits away, the hash is stored at every visit.", "strict = false"),
        ),
    ),
    _times("board", "lists", "1h", "5m", "1d"),
    _times("feed", "feeds and sitemaps", "30m", "10m", "1d"),
    _times("article", "articles and all that has no table here", "1d", "1h", "14d", "30d"),
    _times("record", "pages with records", "7d", "1d", "60d"),
    _times("thread", "threads of forums", "6h", "15m", "7d", "60d"),
)
