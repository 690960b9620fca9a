"""The tables of the template language about what is read of pages and what is kept: [article],
[stories], [record.NAME], [output].
"""

from __future__ import annotations

from focuscrawl.template.kinds.kind import choice, either, encoding, flag, listed, text, whole
from focuscrawl.template.kinds.times import duration, since
from focuscrawl.template.kinds.words import words
from focuscrawl.topic.feed_kinds import DELIVERING, feed_fields, feed_format, feed_items
from focuscrawl.topic.record_kinds import field_names, field_type, pattern, places
from focuscrawl.topic.schema import Key, Table
from focuscrawl.topic.web_kinds import suffix

RECORD = ("record",)
RECORD_FIELDS = ("record", "fields")

# fmt: off
ARTICLE_TABLE = Table(
    ("article",),
    "what is kept of articles",
    (
        Key("keep", choice("relevant", "all", "none"), "relevant",
            "Which articles are stored.", 'keep = "relevant"'),
        Key("since", since(), None,
            "What is older is noted but not stored, and ends the paging of a list.", 'since = "60d"', "none"),
        Key("min_length", whole(), 60,
            "Texts with fewer characters count as `short`, unless there are images.", "min_length = 60"),
        Key("languages", listed(text(), "texts"), None,
            "Only articles in these languages.", 'languages = ["zh"]', "any"),
        Key("pages", whole(1, 500), 100,
            "The most pages of one article that are put together.", "pages = 30"),
        Key("images", choice("urls", "none"), "urls",
            "Whether addresses of images are kept.", 'images = "urls"'),
        Key("files", listed(suffix(), "texts"), None,
            "Attachments of stored articles that are fetched, by the endings of their names; `image`: the images of the text. Each has a row in `files`; bodies are not kept yet.", 'files = ["pdf", "docx", "image"]', "none"),
    ),
)

STORIES_TABLE = Table(
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
)

RECORD_TABLE = Table(
    RECORD,
    "what pages hold besides text: fields by their labels. NAME is the item, and a view record_NAME",
    (
        Key("pages", choice("last-layer", "relevant", "all"), None,
            "Which pages are read for it.", 'pages = "all"', '"last-layer" with follow.layers, else "relevant"'),
        Key("one_per", choice("block", "page", "site"), "block",
            "How many there are: one for each block of labels, for each page, or one that all pages of a site fill.", 'one_per = "site"'),
        Key("key", field_names(), None,
            "The fields by which two are the same; what comes later fills gaps, what contradicts stays in the evidence.", 'key = ["name"]', "all required fields"),
        Key("strict", flag(), False,
            "The published form: the innermost tag with the most labels under it is the one record of a page; without it a page may hold several, each grown from its own labels.", "strict = false"),
    ),
    "named",
    "NAME",
)

RECORD_FIELDS_TABLE = Table(
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
)

OUTPUT_TABLE = Table(
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
)

FEEDS_TABLE = Table(
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
        Key("batch_item_count", whole(), 0,
            "A new file after so many items; its name needs %(batch_id)d.", "batch_item_count = 5000"),
    ),
    "named",
    "URI",
)
# fmt: on
