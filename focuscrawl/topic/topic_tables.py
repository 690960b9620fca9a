"""The top of a file, and the tables that say what is looked for: [topic], [[source]], [relevance]."""

from __future__ import annotations

from focuscrawl.template.kinds.addresses import url
from focuscrawl.template.kinds.kind import choice, flag, listed, number, share, text, whole
from focuscrawl.template.kinds.times import duration, zone
from focuscrawl.template.kinds.words import words
from focuscrawl.topic.schema import Key, Table

NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
NAME_ADVICE = "a name is made of a-z 0-9 - _, at most 64, and begins with a letter or digit"

# fmt: off
TOP_TABLE = Table(
    (),
    "The top of the file",
    (
        Key("extends", text("name | path"), None,
            "A file this one builds on: the name of a shipped template, or a path relative to this file and inside the folder of the topic.", 'extends = "_house.toml"', "none"),
    ),
    "top",
)

TOPIC_TABLE = Table(
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
        Key("tags", listed(text(), "texts"), None,
            "Labels of every article.", 'tags = ["交通"]', "none"),
        Key("strict", flag(), False,
            "Every method in its published form, to the letter: sets each `strict` below that is not given itself.", "strict = false"),
    ),
)

SOURCE_TABLE = Table(
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
        Key("tags", listed(text(), "texts"), None,
            "Labels of everything found from here.", 'tags = ["官方"]', "none"),
        Key("name", text(), None,
            "What reports call it.", 'name = "市住建局 公告"', "title of the page"),
    ),
    "repeated",
)

RELEVANCE_TABLE = Table(
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
)
# fmt: on
