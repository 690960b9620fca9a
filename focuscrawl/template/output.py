"""The tables [output] and [output.feeds.URI]: what is stored, and files beside the database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Literal, Self

from focuscrawl.locale.messages import N_, _
from focuscrawl.template.files import FileError
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import Invalid, KeyPlace, Kind, checked, choice, either, listed
from focuscrawl.template.kinds.times import duration
from focuscrawl.template.merge import Entry
from focuscrawl.template.toml import Problem, toml_text
from focuscrawl.values import FEED_ITEMS, Json

FORMATS = ("csv", "jsonl", "json", "xml")
ITEM_NAME = r"[a-z][a-z0-9_]{0,39}"
"""What items of a feed, and so records, may be called."""

SUFFIXES = {"csv": "csv", "jsonl": "jsonl", "jl": "jsonl", "json": "json", "xml": "xml"}
ENCODINGS = {"csv": "utf-8-sig"}
"""What a format is written in without ``encoding``; the others in UTF-8."""


def feed_format() -> Kind:
    """A format of Scrapy's exporters."""
    return choice(*FORMATS)


def feed_items() -> Kind:
    """Names of items; those of records are the template's own, and checked with it."""
    known = choice(*FEED_ITEMS)

    def check(value: str) -> str:
        if re.fullmatch(ITEM_NAME, value) and value not in FEED_ITEMS:
            return value
        return str(known.read(value))

    return listed(checked(f"{known.words}, a record's NAME", check), "names")


def feed_fields() -> Kind:
    """Columns in order, or a table that renames them."""
    message = N_('a list of columns, or a table that renames them: { title = "标题" }')

    def read(value: object) -> list[str] | dict[str, str]:
        entries = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(entries, list) or not all(isinstance(one, str) for one in entries):
            raise Invalid(_(message), value)
        if len(set(entries)) < len(entries):
            raise Invalid(_("two columns have the same name"), value)
        return dict(value) if isinstance(value, dict) else list(entries)

    schema: Json = {
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ]
    }

    def build(plain: Any) -> dict[str, str]:
        return {one: one for one in plain} if isinstance(plain, list) else dict(plain)

    return Kind("texts | table", read, schema, build)


def scrapy_options() -> Kind:
    """Options of Scrapy's FEEDS but those that other keys stand for."""
    ours = {"format", "fields", "items", "item_classes", "uri"}

    def read(value: object) -> Json:
        if not isinstance(value, dict):
            raise Invalid(_("a table of Scrapy's options: { overwrite = true }"), value)
        if taken := ours & value.keys():
            raise Invalid(
                _("the feed has a key for {taken}").format(taken=", ".join(sorted(taken))), value
            )
        return dict(value)

    return Kind("table", read, {"type": "object"}, table=True, missing={})


def report_file() -> Kind:
    """Whether a report is written, or into which file."""
    message = N_('true, false or the name of a file that ends with .html: "metro.html"')

    def read(value: object) -> bool | str:
        if isinstance(value, bool):
            return value
        if not isinstance(value, str) or not value.lower().endswith((".html", ".htm")):
            raise Invalid(_(message), value)
        return value

    return Kind("true | false | file", read, {"type": ["boolean", "string"]})


def format_of(uri: str) -> str | None:
    """Return the format a URI's suffix stands for."""
    return SUFFIXES.get(uri.removesuffix(".gz").rpartition(".")[2].lower())


_ELSEWHERE = {
    "encoding": N_('write options = { encoding = "gb18030" }, which is handed to Scrapy as it is'),
    "overwrite": N_("write options = { overwrite = true }, which is handed to Scrapy as it is"),
    "batch_item_count": N_(
        "write options = { batch_item_count = 5000 }, which is handed to Scrapy as it is"
    ),
}
_BATCH = re.compile(r"%\(batch_(?:id\)\d*d|time\)s)")


# fmt: off
class FeedTable(Table, path="output.feeds", doc="files beside the database: Scrapy's FEEDS, with its %(name)s and %(time)s", shape="named", placeholder="URI", called="an address", elsewhere=_ELSEWHERE):
    """One [output.feeds."URI"]. ``fields`` maps columns to their titles; None: all."""

    format: str = key(feed_format(), None,
        "json and xml ask for options = { overwrite = true }.",
        'format = "csv"', "by the suffix", sets=("FEEDS",))
    items: tuple[str, ...] = key(feed_items(), ["article"],
        "What goes in: article, page, change, thread, post, or the NAME of a record.",
        'items = ["page"]')
    fields: dict[str, str] | None = key(feed_fields(), None,
        "The columns and their order; a table gives them titles.",
        'fields = { published = "日期", title = "题目", url = "链接" }', "all, fixed order")
    options: Json = key(scrapy_options(), None,
        "Scrapy's own options of a feed, handed to it as they are: `overwrite`, `encoding` (without it csv begins with a mark that tells Excel it is UTF-8), `batch_item_count` with %(batch_id)d in the name, and so on.",
        'options = { overwrite = true, encoding = "gb18030" }', "as Scrapy has it")
    uri: str
# fmt: on

    @classmethod
    def fill(cls, entry: Entry) -> None:
        """Tell the format by the suffix."""
        plain = entry.plain
        plain["format"] = plain["format"] or format_of(entry.name)

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through formats that cannot be written, and items that nothing fills."""
        plain, uri = entry.plain, entry.name
        options: Json = plain["options"] or {}
        kind, title = plain["format"], entry.form.title(uri)
        if kind is None:
            advice = _('unknown file type; write format = "csv" or "jsonl"')
            yield Problem(entry.origin("format"), f"{title}: {advice}")
        elif kind in {"json", "xml"} and not options.get("overwrite"):
            other = uri.removesuffix(f".{kind}") + ".jsonl"
            reason = _("a second run cannot go on with a finished {kind} file").format(kind=kind)
            advice = _("write options = {{ overwrite = true }}, or use jsonl: {title}").format(title=entry.form.title(other))
            text = _("{title} options: not overwrite = true: {reason}; {advice}").format(title=title, reason=reason, advice=advice)
            yield Problem(entry.origin("format"), text)
        if options.get("batch_item_count") and not _BATCH.search(uri):
            advice = _('the address needs %(batch_id)d, as in "items-%(batch_id)d.csv"')
            yield entry.problem("options", f" batch_item_count: {advice}")
        yield from cls._out_of_reach(entry, title)
        known = [*FEED_ITEMS, *entry.merged.language.feed_items, *entry.whole["record"]]
        for item in plain["items"] if entry.complete else ():
            if item not in known:
                near = get_close_matches(item, known, 1)
                advice = _("one of {names}").format(names=", ".join(f'"{one}"' for one in known))
                advice += _('; nearest: "{name}"').format(name=near[0]) if near else ""
                yield entry.problem("items", f" = {toml_text(item)}: {advice}")


    @classmethod
    def _out_of_reach(cls, entry: Entry, title: str) -> Iterator[Problem]:
        """Tell a feed by which an inline template would write elsewhere."""
        uri, reach = entry.name, entry.around.reach
        if reach is None:
            return
        path, origin = reach.feed_file(uri), entry.merged.origin(*entry.place)
        for name, why in reach.setting_problems(entry.plain["options"] or {}):
            yield entry.problem("options", f" {name}: {why}")
        try:
            reach.check_placeholders(uri)
            if path is not None:
                reach.check(path)
        except FileError as error:
            yield Problem(origin, f"{title}: {error}")
        if path is not None and format_of(uri) is None:  # the databases lie there, too
            advice = _('an inline template writes files whose suffix is their format: "x.csv"')
            yield Problem(origin, f"{title}: {advice}")


# fmt: off
class Output(Table, path="output", doc="what is stored (where is the setting FOCUSCRAWL_RESULTS)"):
    """[output]: what is stored. ``keep`` is in seconds."""

    text: Literal["full", "lead", "none"] = key(choice("full", "lead", "none"), "full",
        "How much of an article's text is stored: all, its first 300 characters, nothing.",
        'text = "full"')
    history: Literal["diff", "full", "none"] = key(choice("diff", "full", "none"), "diff",
        "How earlier versions of changed articles and records are kept: as the way back from the next version, whole, not at all.",
        'history = "full"')
    keep: float = key(either("forever", duration(), float("inf")), "forever",
        "What was last seen longer ago is deleted when a run ends: pages with all that is theirs. Its addresses are not fetched again.",
        'keep = "400d"')
    report: bool | str = key(report_file(), True,
        "Whether a page is written when a run ends: what is new, and how it went (`scrapy report`). `true`: NAME.report.html beside the results; a name: that file, below the same folder unless it begins with /. Takes about a second at the end of a run; read-only.",
        'report = "/var/www/metro.html"')
    feeds: tuple[FeedTable, ...]
# fmt: on

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Tell a report by which an inline template would write elsewhere."""
        wish, reach = entry.plain["report"], entry.around.reach
        if reach is not None and isinstance(wish, str):
            try:
                reach.check(reach.data / wish)
            except FileError as error:
                yield entry.problem("report", f": {error}")

    @classmethod
    def built(cls, plain: Json, place: KeyPlace, **others: Any) -> Self:
        """Build the feeds, too."""
        feeds = (FeedTable.built(one, place, uri=uri) for uri, one in plain["feeds"].items())
        return super().built(plain, place, feeds=tuple(feeds), **others)
