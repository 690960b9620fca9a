"""The tables [record.NAME] and [record.NAME.fields]: what a record is, and how its fields are read (C7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal, Self, get_args

import regex

from focuscrawl.features.records.labels import LabelFinder
from focuscrawl.locale.messages import N_, _
from focuscrawl.readers.text.expressions import compiled
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import (
    KeyPlace,
    Kind,
    check_selector,
    checked,
    choice,
    flag,
    listed,
    selector,
    text,
)
from focuscrawl.template.kinds.words import Words, words
from focuscrawl.template.merge import Entry
from focuscrawl.template.output import ITEM_NAME
from focuscrawl.template.toml import Problem, toml_text
from focuscrawl.values import FEED_ITEMS, Json, Selector

FieldType = Literal[
    "text", "phone", "mobile", "fax", "email", "url", "zip", "qq", "wechat", "address", "number",
    "date", "code",
]  # fmt: skip

FIELD_NAME = r"[^\W\d]\w{0,39}"
TAKEN_NAMES = frozenset((*FEED_ITEMS, "story"))
COLUMNS = ("url", "host", "complete", "found", "updated", "gone_at")  # of every record's view
_FIELD_ADVICE = N_(
    "a field's name is a column: letters, digits and _, at most 40, and begins with a letter"
)
_SELECTOR = "selector:"


def record_name(name: str) -> str:
    """Return the name of a record; raises ValueError."""
    if name in TAKEN_NAMES:
        raise ValueError(_("an item of this name is there already"))
    if not re.fullmatch(ITEM_NAME, name):
        what = _("a-z 0-9 _, at most 40, and begins with a letter")
        raise ValueError(_("a record's name is a view's and an item's: {what}").format(what=what))
    return name


def field_name(name: str) -> str:
    """Return the name of a field; raises ValueError."""
    if name in COLUMNS:
        taken = ", ".join(COLUMNS)
        raise ValueError(_("every record has columns {taken}; choose another").format(taken=taken))
    if not re.fullmatch(FIELD_NAME, name):
        raise ValueError(_(_FIELD_ADVICE))
    return name


def _pattern() -> Kind:
    """A regular expression; built under the library that knows a time limit."""

    def build(value: str) -> regex.Pattern[str]:
        return compiled(value.removeprefix("re:"))

    def check(value: str) -> str:
        try:
            build(value)
        except ValueError as error:
            raise ValueError(_("not a regular expression: {error}").format(error=error)) from None
        return value

    return checked("regular expression", check, build)


def _places() -> Kind:
    """Where a value is looked for; built as names and values.Selector."""
    words = "choice or list: labels, title, copyright, selector:…"

    def check(value: str) -> str:
        if value in {"labels", "title", "copyright"}:
            return value
        plain = value.removeprefix(_SELECTOR)
        if not plain.startswith(("css:", "xpath:")):
            raise ValueError(
                _('"labels", "title", "copyright" or a selector: "selector:css:h1::text"')
            )
        return _SELECTOR + check_selector(plain)

    def build(plain: list[str]) -> tuple[str | Selector, ...]:
        own = selector().build
        return tuple(
            own(one.removeprefix(_SELECTOR)) if one.startswith(_SELECTOR) else one for one in plain
        )

    return listed(checked(words, check), words, build)


# fmt: off
class RecordField(Table, path="record.fields", doc='the fields of a record: `field = "label|synonym"`, or a table with these keys', shape="fields", placeholder="NAME", names=field_name):
    """One field of [record.NAME.fields]; ``places`` is the key ``from``."""

    labels: Words = key(words(), None,
        "What stands before a value, beside or above it.",
        'labels = "电话|总机|热线"', "-")
    type: FieldType = key(choice(*get_args(FieldType)), "text",
        "What a value is; others are not taken, and each kind has one spelling.",
        'type = "phone"')
    required: bool = key(flag(), False,
        "Whether a record without it counts as incomplete.",
        "required = true")
    many: bool = key(flag(), False,
        "Whether it is a list.",
        "many = true")
    pattern: regex.Pattern[str] | None = key(_pattern(), None,
        "What a value must match; group 1, if there is one, is taken.",
        "pattern = '[0-9A-Z]{18}'", "none")
    places: tuple[str | Selector, ...] = key(_places(), ["labels"],
        "Where a value is looked for, in this order: behind labels, in the title, in the line about copyright, by a selector.",
        'from = ["labels", "copyright", "selector:css:h1::text"]', name="from")
    name: str


class RecordTable(Table, path="record", doc="what pages hold besides text: fields by their labels. NAME is the item, and a view record_NAME", shape="named", placeholder="NAME", names=record_name):
    """One [record.NAME]: what is read of which pages."""

    pages: Literal["last-layer", "relevant", "all"] = key(choice("last-layer", "relevant", "all"), None,
        "Which pages are read for it.",
        'pages = "all"', '"last-layer" with follow.layers, else "relevant"')
    one_per: Literal["block", "page", "site"] = key(choice("block", "page", "site"), "block",
        "How many there are: one for each block of labels, for each page, or one that all pages of a site fill.",
        'one_per = "site"')
    identity: tuple[str, ...] = key(listed(text("name", FIELD_NAME, _FIELD_ADVICE), "field names"), None,
        "The fields by which two are the same; what comes later fills gaps, what contradicts stays in the evidence.",
        'key = ["name"]', "all required fields", name="key")
    strict: bool = key(flag(), False,
        "The published form: the innermost tag with the most labels under it is the one record of a page; without it a page may hold several, each grown from its own labels.",
        "strict = false")
    name: str
    fields: tuple[RecordField, ...]

    @cached_property
    def find_labels(self) -> LabelFinder:
        """What finds the labels of all fields in a text."""
        return LabelFinder({field.name: field.labels for field in self.fields})

    @cached_property
    def by_name(self) -> Mapping[str, RecordField]:
        """The fields by their names."""
        return {field.name: field for field in self.fields}

    @cached_property
    def naming(self) -> RecordField | None:
        """The field that names a record: the first text among key and required ones."""
        wanted = (one for one in self.fields if one.name in self.identity or one.required)
        return next((one for one in wanted if one.type == "text"), None)

    def of_type(self, *types: FieldType) -> RecordField | None:
        """Return the first field of one of these types, the types in their order."""
        return next((one for kind in types for one in self.fields if one.type == kind), None)

# fmt: on
    @classmethod
    def built(cls, plain: Json, place: KeyPlace, **others: Any) -> Self:
        """Build the fields, too."""
        fields = (RecordField.built(one, place, name=name) for name, one in plain["fields"].items())
        return super().built(plain, place, fields=tuple(fields), **others)

    @classmethod
    def fill(cls, entry: Entry) -> None:
        """Read the pages of the last layer, and tell records apart by what they must have."""
        plain = entry.plain
        if plain["pages"] is None:
            plain["pages"] = "last-layer" if entry.whole["follow"]["layers"] else "relevant"
        if plain["key"] is None:
            plain["key"] = [one for one, keys in plain["fields"].items() if keys["required"]]

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through what is missing or named wrongly."""
        if not entry.complete:
            return
        name, plain, fields = entry.name, entry.plain, entry.plain["fields"]
        if not fields:
            advice = _('write [record.{name}.fields] with lines such as phone = "电话|热线"').format(name=name)
            yield entry.problem("", _(": no fields; {advice}").format(advice=advice))
            return
        for one in plain["key"]:
            if one not in fields:
                known = ", ".join(fields)
                yield entry.problem("key", _(" = {value}: one of the fields: {known}").format(value=toml_text(one), known=known))
        if not plain["key"] and plain["one_per"] != "site":
            advice = _('write key = ["name"], or required = true at a field')
            yield entry.problem("key", _(": nothing tells two records apart; {advice}").format(advice=advice))
        for one, keys in fields.items():
            if not keys["labels"] and "labels" in keys["from"]:
                place = entry.merged.origin("record", name, "fields", one)
                advice = _('write {name} = "…", or from = ["title"] without labels').format(name=one)
                text = _("[record.{name}.fields] {field}: labels are missing; {advice}").format(name=name, field=one, advice=advice)
                yield Problem(place, text)
