"""The table [output.exports.FILE]: what is written of the results when a crawl ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from focuscrawl.template.files import FileError
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import choice, listed, text
from focuscrawl.template.kinds.times import duration
from focuscrawl.template.merge import Entry
from focuscrawl.template.toml import Problem

EXPORTED = ("articles", "stories", "changes", "records", "sources", "threads")


# fmt: off
class ExportTable(Table, path="output.exports", doc="files of what is stored, written anew when a crawl ends: .xlsx, .csv, .jsonl or .atom; in the name {topic}, {date}, {time}, for Atom also {tag}, {story}", shape="named", placeholder="FILE", called="a file"):
    """One [output.exports."FILE"]; ``name`` is the FILE."""

    table: str = key(choice(*EXPORTED), None,
        "Which table goes out.",
        'table = "records"', "all in xlsx; else articles, or what there is instead")
    columns: tuple[str, ...] = key(listed(text(), "texts"), None,
        "Its columns in order, by the names in docs/results.md or the heads of the xlsx.",
        'columns = ["published", "title", "url"]', "the usual ones")
    where: str = key(text(), None,
        "Which rows: COLUMN and one of = != < <= > >= contains, not contains, is empty, is not empty; joined by `and`. In Atom it is about the articles of the entries.",
        'where = "score >= 0.5 and title contains 地铁"', "all")
    since: str = key(text(), None,
        "Only what is new or changed: since this file was written last (`last-export`), in the last run (`run`), for so long, or from a date.",
        'since = "last-export"', "everything")
    lang: Literal["zh", "en"] | None = key(choice("zh", "en"), None,
        "The language of heads and sheets.",
        'lang = "en"', "that of the topic in xlsx and Atom; in csv the names of the columns")
    one_per: str = key(text(), None,
        "Records that have the same in this column are one row, with all that they say: a company that several pages show.",
        'one_per = "name"', "a row for each record")
    every: float = key(duration(), "1h",
        "How often a crawl that stays writes it anew.",
        'every = "10m"')
    name: str
# fmt: on

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through names, columns and conditions that no export can have."""
        # XlsxWriter and the database are imported by those alone who name an export.
        from focuscrawl.output.export.files import (  # noqa: PLC0415
            ExportError,
            ExportOrder,
            check_order,
            file_form,
        )

        plain, title = entry.plain, entry.form.title(entry.name)
        fields = [name for one in entry.whole["record"].values() for name in one["fields"]]
        try:
            order = ExportOrder(
                entry.name,
                file_form(entry.name),
                plain["table"] or "",
                tuple(plain["columns"] or ()),
                plain["where"] or "",
                plain["since"] or "",
                one_per=plain["one_per"] or "",
            )
            check_order(order, fields)
        except ExportError as error:
            yield Problem(entry.merged.origin(*entry.place), f"{title}: {error}")
        if (reach := entry.around.reach) is not None and (path := reach.feed_file(entry.name)):
            try:
                reach.check(path)
            except FileError as error:
                yield Problem(entry.merged.origin(*entry.place), f"{title}: {error}")
