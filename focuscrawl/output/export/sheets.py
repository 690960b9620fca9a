"""The tables that go out: their columns with what people call them, and the rows of each.

A sheet is read as it is written, so that it never stands in memory. Times come as seconds since 1970 UTC,
JSON as plain values; each form of file makes of them what its readers take.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, case, func, literal, or_, select

from focuscrawl.readers.text.moments import LENGTH_OF_DAY, day_only
from focuscrawl.stores.results.kinds.story_roots import with_story

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

_ROWS_AT_ONCE = 500
"""Rows that are held at once: of texts of 2,000 characters some 4 MB."""

TIME, TEXT, LINK = "time", "text", "link"


class SheetColumn(NamedTuple):
    """A column: its name in the database and in csv, what people call it, and what it holds.

    ``width`` is in characters of a spreadsheet; ``usual``: it is there when no columns are asked for.
    """

    name: str
    zh: str
    en: str
    holds: str = TEXT
    width: int = 12
    usual: bool = True

    def head(self, language: str) -> str:
        """Return what stands above it; "": its name in the database."""
        return {"zh": self.zh, "en": self.en}.get(language, self.name)


class Sheet(NamedTuple):
    """A table that goes out. ``since`` is the column by which rows are new or changed."""

    name: str
    zh: str
    en: str
    columns: tuple[SheetColumn, ...]

    def title(self, language: str) -> str:
        """Return the name of its sheet in a workbook."""
        return {"zh": self.zh, "en": self.en}.get(language, self.name)

    def column(self, name: str) -> SheetColumn | None:
        """Return a column by its name in the database, or by what people call it."""
        return next((one for one in self.columns if name in (one.name, one.zh, one.en)), None)


_C = SheetColumn
_TOPIC = _C("topic", "主题", "Topic", width=14, usual=False)
_GONE = _C("gone_at", "消失时间", "Gone", TIME, 16)

ARTICLE_SHEET = Sheet(
    "articles", "文章", "Articles",
    (
        _TOPIC,
        _C("found", "发现时间", "Found", TIME, 16),
        _C("title", "标题", "Title", width=50),
        _C("medium", "来源", "Medium", width=16),
        _C("host", "网站", "Site", width=22),
        _C("published", "发布时间", "Published", TIME, 16),
        _C("author", "作者", "Author"),
        _C("url", "网址", "Address", LINK, 40),
        _C("story", "事件", "Story", width=40),
        _C("sites", "网站数", "Sites", width=8),
        _C("hits", "命中词", "Hits", width=24),
        _C("score", "得分", "Score", width=8),
        _C("tags", "标签", "Tags", width=14),
        _GONE,
        _C("text", "正文", "Text", width=60),
        _C("lead", "摘要", "Lead", width=60, usual=False),
        _C("updated", "更新时间", "Updated", TIME, 16, usual=False),
        _C("version", "版本", "Version", width=6, usual=False),
        _C("known", "早已存在", "Known", width=8, usual=False),
        _C("is_copy", "转载", "Copy", width=6, usual=False),
        _C("language", "语言", "Language", width=6, usual=False),
        _C("keywords", "关键词", "Keywords", width=40, usual=False),
        _C("images", "图片", "Images", width=30, usual=False),
        _C("files", "附件", "Files", width=30, usual=False),
        _C("length", "字数", "Length", width=8, usual=False),
        _C("page_count", "页数", "Pages", width=6, usual=False),
        _C("complete", "完整", "Complete", width=6, usual=False),
        _C("label", "标注", "Label", width=8, usual=False),
        _C("published_raw", "原文日期", "Date as printed", width=16, usual=False),
        _C("published_date", "日期", "Date", width=24, usual=False),
        _C("source_name", "来源（原文）", "Source as printed", width=16, usual=False),
        _C("source_id", "入口", "Source", width=22, usual=False),
        _C("story_id", "事件编号", "Story id", width=34, usual=False),
        _C("url_key", "编号", "Key", width=34, usual=False),
        _C("run_id", "运行", "Run", width=24, usual=False),
        _C("extra", "其他", "Extra", width=24, usual=False),
    ),
)  # fmt: skip

STORY_SHEET = Sheet(
    "stories", "事件", "Stories",
    (
        _TOPIC,
        _C("last_at", "最近", "Latest", TIME, 16),
        _C("title", "标题", "Title", width=50),
        _C("hosts", "网站数", "Sites", width=8),
        _C("articles", "篇数", "Articles", width=8),
        _C("copies", "转载数", "Copies", width=8),
        _C("first_host", "首发网站", "First site", width=22),
        _C("first_at", "首发时间", "First", TIME, 16),
        _C("first_url", "首发网址", "First address", LINK, 40),
        _C("keywords", "关键词", "Keywords", width=40),
        _C("story_id", "编号", "Key", width=34, usual=False),
    ),
)  # fmt: skip

CHANGE_SHEET = Sheet(
    "changes", "变化", "Changes",
    (
        _TOPIC,
        _C("at", "时间", "Time", TIME, 16),
        _C("kind", "变化", "Change", width=10),
        _C("what", "对象", "Of", width=10),
        _C("title", "标题", "Title", width=50),
        _C("url", "网址", "Address", LINK, 40),
        _C("fields", "字段", "Fields", width=40),
        _C("diff", "差异", "Difference", width=60),
        _C("version", "版本", "Version", width=6),
        _C("change_id", "编号", "Key", width=34, usual=False),
        _C("url_key", "网页编号", "Page key", width=34, usual=False),
        _C("run_id", "运行", "Run", width=24, usual=False),
    ),
)  # fmt: skip

RECORD_SHEET = Sheet(
    "records", "记录", "Records",
    (
        _TOPIC,
        _C("record_type", "类型", "Type"),
        _C("host", "网站", "Site", width=22),
        _C("url", "网址", "Address", LINK, 40),
        _C("complete", "完整", "Complete", width=6),
        _C("found", "发现时间", "Found", TIME, 16),
        _C("updated", "更新时间", "Updated", TIME, 16),
        _GONE,
        _C("version", "版本", "Version", width=6, usual=False),
        _C("missing", "缺少", "Missing", width=16, usual=False),
        _C("evidence", "依据", "Evidence", width=40, usual=False),
        _C("known", "早已存在", "Known", width=8, usual=False),
        _C("label", "标注", "Label", width=8, usual=False),
        _C("record_id", "编号", "Key", width=34, usual=False),
        _C("extra", "其他", "Extra", width=24, usual=False),
    ),
)  # fmt: skip

THREAD_SHEET = Sheet(
    "threads", "帖子", "Threads",
    (
        _TOPIC,
        _C("started", "发帖时间", "Started", TIME, 16),
        _C("title", "标题", "Title", width=50),
        _C("author", "作者", "Author"),
        _C("replies", "回复", "Replies", width=8),
        _C("views", "浏览", "Views", width=8),
        _C("replies_seen", "已存", "Stored", width=8),
        _C("last_reply", "最后回复", "Last reply", TIME, 16),
        _C("host", "网站", "Site", width=22),
        _C("url", "网址", "Address", LINK, 40),
        _C("found", "发现时间", "Found", TIME, 16),
        _C("updated", "更新时间", "Updated", TIME, 16),
        _GONE,
        _C("score", "得分", "Score", width=8, usual=False),
        _C("known", "早已存在", "Known", width=8, usual=False),
        _C("url_key", "编号", "Key", width=34, usual=False),
        _C("extra", "其他", "Extra", width=24, usual=False),
    ),
)  # fmt: skip

SOURCE_SHEET = Sheet(
    "sources", "来源", "Sources",
    (
        _TOPIC,
        _C("source_id", "来源", "Source", width=30),
        _C("url", "网址", "Address", LINK, 40),
        _C("title", "网页标题", "Title of the page", width=30),
        _C("outcome", "结果", "Outcome", width=10),
        _C("status", "状态码", "Status", width=8),
        _C("last_fetched", "最近访问", "Last read", TIME, 16),
        _C("last_changed", "最近变化", "Last changed", TIME, 16),
        _C("articles", "文章数", "Articles", width=8),
        _C("newest", "最新文章", "Newest article", TIME, 16),
        _C("visits", "访问次数", "Visits", width=8, usual=False),
        _C("host", "网站", "Site", width=22, usual=False),
    ),
)  # fmt: skip

SHEETS = (ARTICLE_SHEET, STORY_SHEET, CHANGE_SHEET, RECORD_SHEET, SOURCE_SHEET, THREAD_SHEET)


# Asking -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ResultTables:
    """The tables of one topic's results by name, the fields of its records, the names of its sources.

    ``sources`` are those that have a name in the template, by their ids. ``told`` is a question for some
    changes, by their ids: nothing but what they are about goes out then; None: everything.
    """

    topic: str
    tables: Mapping[str, Table]
    fields: Sequence[str] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    told: Select[Any] | None = None

    def expression(self, sheet: Sheet, name: str) -> ColumnElement[Any]:
        """Return what a column of a sheet is in SQL."""
        own = self.tables["pages" if sheet.name == SOURCE_SHEET.name else sheet.name]
        computed = _COMPUTED.get((sheet.name, name))
        if computed is not None:
            made: ColumnElement[Any] = computed(self)
            return made
        if name in own.c:
            return own.c[name]
        if sheet.name == RECORD_SHEET.name:
            value: ColumnElement[Any] = own.c.data[name]
            return value
        return literal(None)

    @cached_property
    def counted(self) -> Any:
        """The articles of each source, as a table of a question."""
        return _counted(self)

    def has(self, sheet: Sheet) -> bool:
        """Whether these results may have rows of a sheet: changes tell nothing of sources."""
        if sheet is SOURCE_SHEET and self.told is not None:
            return False
        return ("pages" if sheet is SOURCE_SHEET else sheet.name) in self.tables


def sheet_of(sheet: Sheet, fields: Sequence[str]) -> Sheet:
    """Return a sheet with the fields of records behind their type."""
    if sheet is not RECORD_SHEET:
        return sheet
    taken = {one.name for one in sheet.columns}
    own = [SheetColumn(name, name, name, width=24) for name in fields if name not in taken]
    return sheet._replace(columns=(*sheet.columns[:2], *own, *sheet.columns[2:]))


def query_of(
    results: ResultTables, sheet: Sheet, columns: Sequence[SheetColumn], since: float | None
) -> Select[Any]:
    """Return the question for the rows of a sheet; ``since``: what is new or has changed since then."""
    original = next(one for one in SHEETS if one.name == sheet.name)
    shown = [results.expression(original, one.name).label(one.name) for one in columns]
    query, tables, topic = select(*shown), results.tables, results.topic
    if original is SOURCE_SHEET:
        pages = tables["pages"]
        starts = (pages.c.parent_key.is_(None), pages.c.source_id.is_not(None))
        listed = pages.c.page_class.not_in(("search", "article", "thread", "record"))
        counted = results.counted
        both = pages.outerjoin(counted, counted.c.source_id == pages.c.source_id)
        query = query.select_from(both).where(pages.c.topic == topic, *starts, listed)
        return query.order_by(pages.c.source_id, pages.c.url)
    own = tables[original.name]
    query = _joined(query, original, results).where(own.c.topic == topic)
    if original is STORY_SHEET:
        query = query.where(own.c.merged_into.is_(None))
    if since is not None:
        query = query.where(_since(original, results, since))
    if results.told is not None:
        query = query.where(_told(original, results, results.told))
    order = {"stories": "last_at", "changes": "at"}.get(original.name, "found")
    by_type = [own.c.record_type] if original is RECORD_SHEET else []
    return query.order_by(*by_type, own.c[order].desc())


def _joined(query: Select[Any], sheet: Sheet, results: ResultTables) -> Select[Any]:
    own = results.tables[sheet.name]
    if sheet is ARTICLE_SHEET and "stories" in results.tables:
        return query.select_from(with_story(own, own, results.tables["stories"])[0])
    if sheet is STORY_SHEET:
        articles = results.tables["articles"]
        first = and_(articles.c.topic == own.c.topic, articles.c.url_key == own.c.first_key)
        return query.select_from(own.outerjoin(articles, first))
    return query.select_from(own)


def _since(sheet: Sheet, results: ResultTables, since: float) -> ColumnElement[bool]:
    own = results.tables[sheet.name]
    if sheet is CHANGE_SHEET:
        return own.c.at >= since
    if sheet is STORY_SHEET:
        articles = results.tables["articles"].alias("recent")
        return own.c.story_id.in_(_told_by(results, articles, articles.c.found >= since))
    return or_(own.c.updated >= since, own.c.gone_at >= since)


def _told_by(results: ResultTables, articles: Any, which: ColumnElement[bool]) -> Select[Any]:
    """Return the question for the stories that some articles tell."""
    stories = results.tables["stories"].alias("now")
    told, root = with_story(articles, articles, stories)
    query = select(root).select_from(told).where(articles.c.topic == results.topic, which)
    return query.correlate(None)


_SUBJECTS = {"articles": ("article", "url_key"), "records": ("record", "record_id"), "threads": ("thread", "url_key")}  # fmt: skip
"""What changes call the rows of a sheet (changes.what), and the column that changes.url_key names."""


def _told(sheet: Sheet, results: ResultTables, told: Select[Any]) -> ColumnElement[bool]:
    """Whether a row is what some changes are about, or a story that one of their articles tells."""
    if sheet is CHANGE_SHEET:
        return results.tables["changes"].c.change_id.in_(told)
    changes = results.tables["changes"].c
    own = select(changes.url_key).where(changes.topic == results.topic, changes.change_id.in_(told))
    if sheet is STORY_SHEET:
        articles = results.tables["articles"].alias("told")
        about = articles.c.url_key.in_(own.where(changes.what == "article"))
        return results.tables["stories"].c.story_id.in_(_told_by(results, articles, about))
    what, key = _SUBJECTS[sheet.name]
    return results.tables[sheet.name].c[key].in_(own.where(changes.what == what))


def _medium(results: ResultTables) -> ColumnElement[Any]:
    """The medium of an article, of rows of earlier versions by its 来源, its source or its site."""
    articles = results.tables["articles"]
    named = case(
        *((articles.c.source_id == key, literal(name)) for key, name in results.sources.items()),
        else_=None,
    ) if results.sources else literal(None)  # fmt: skip
    printed = (articles.c.medium, articles.c.source_name)
    return func.coalesce(*(func.nullif(one, "") for one in printed), named, articles.c.host)


def _story(name: str) -> Any:
    def asked(results: ResultTables) -> ColumnElement[Any]:
        stories = results.tables.get("stories")
        return literal(None) if stories is None else stories.c[name]

    return asked


def _counted(results: ResultTables) -> Any:
    """The articles of each source: how many, and the newest. Counted once, not for each row."""
    articles = results.tables["articles"].c
    counts = (func.count().label("articles"), func.max(articles.found).label("newest"))
    found = select(articles.source_id, *counts).where(articles.topic == results.topic)
    return found.group_by(articles.source_id).subquery("counted")


_COMPUTED: Mapping[tuple[str, str], Any] = {
    ("articles", "medium"): _medium,
    ("articles", "story"): _story("title"),
    ("articles", "sites"): _story("hosts"),
    ("stories", "first_url"): lambda results: results.tables["articles"].c.url,
    ("sources", "articles"): lambda results: func.coalesce(results.counted.c.articles, 0),
    ("sources", "newest"): lambda results: results.counted.c.newest,
}


class SheetRows(NamedTuple):
    """The rows of a sheet as they come, in the order of its columns."""

    sheet: Sheet
    columns: tuple[SheetColumn, ...]
    rows: Generator[Sequence[Any]]


_AS_PRINTED = "published_as_printed"
"""What with_dates asks for behind the columns of an article or a story; stream_rows takes it off."""

_DATED = {"articles": ("published",), "stories": ("first_at", "last_at")}
"""The times of a sheet's rows that are dates as pages print them, the one that is compared first."""


def with_dates(
    query: Select[Any], results: ResultTables, sheet: Sheet, columns: Sequence[SheetColumn]
) -> Select[Any]:
    """Return the question for the rows of a sheet that asks for their dates as they are printed, too: that of an
    article, and of a story that of its first article, where it began with that.
    """
    dated = _DATED.get(sheet.name)
    if dated is None or all(one.name != dated[0] for one in columns):
        return query
    return query.add_columns(_printed(results, sheet).label(_AS_PRINTED))


def _printed(results: ResultTables, sheet: Sheet) -> ColumnElement[Any]:
    """Return the date of an article, or of the first one of a story, as it is printed."""
    articles = results.tables["articles"]
    printed: ColumnElement[Any] = articles.c.published_date
    if sheet.name == STORY_SHEET.name:
        began = results.tables[sheet.name].c.first_at == articles.c.published
        printed = case((began, printed), else_=None)
    return printed


def printed_day(results: ResultTables, sheet: Sheet, name: str) -> ColumnElement[Any] | None:
    """Return the day that stands in a column without a time, NULL in other rows; None: in none of its rows."""
    if name not in _DATED.get(sheet.name, ())[:1]:
        return None
    printed = _printed(results, sheet)
    return case((func.length(printed) == LENGTH_OF_DAY, printed), else_=None)


def stream_rows(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    """Go through the rows of a question, some at a time. A day without a time comes as that day: its first
    second is of the day before in other zones.
    """
    options = {"stream_results": True, "yield_per": _ROWS_AT_ONCE}
    with connection.execute(query.execution_options(**options)) as found:
        names = [*found.keys()]
        dated = [name for some in _DATED.values() for name in some if name in names]
        places = [names.index(name) for name in dated]
        for some in found.partitions():
            if names[-1:] != [_AS_PRINTED]:
                yield from some
                continue
            for *values, printed in some:
                if printed and day_only(printed):
                    moment = values[places[0]]
                    for place in places:
                        values[place] = printed if values[place] == moment else values[place]
                yield values
