"""The kinds of values of [record.NAME] and of its fields."""

from __future__ import annotations

import re

import regex

from focuscrawl.template.kinds.kind import Kind, checked, choice, listed, text
from focuscrawl.template.kinds.selectors import check_selector, selector
from focuscrawl.values import Selector

RECORD_NAME = r"[a-z][a-z0-9_]{0,39}"
RECORD_ADVICE = (
    "a record's name is a view's and an item's: a-z 0-9 _, at most 40, and begins with a letter"
)
FIELD_NAME = re.compile(r"[^\W\d]\w{0,39}")
FIELD_ADVICE = (
    "a field's name is a column: letters, digits and _, at most 40, and begins with a letter"
)
TAKEN_NAMES = frozenset(("article", "page", "change", "story", "thread", "post"))
"""Items of other kinds."""

COLUMNS = ("url", "host", "complete", "found", "updated", "gone_at")
"""Columns that every record has in its view and in feeds, which no field may be called."""

TYPES = (
    "text", "phone", "mobile", "fax", "email", "url", "zip", "qq", "wechat", "address", "number",
    "date", "code",
)  # fmt: skip
PLACES = ("labels", "title", "copyright")
SELECTOR = "selector:"


def field_names() -> Kind:
    """Names of fields."""
    return listed(text("name", FIELD_NAME.pattern, FIELD_ADVICE), "field names")


def field_type() -> Kind:
    """What values of a field are."""
    return choice(*TYPES)


def pattern() -> Kind:
    """A regular expression; built under the library that knows a time limit."""

    def check(value: str) -> str:
        try:
            regex.compile(value.removeprefix("re:"))
        except regex.error as error:
            raise ValueError(f"not a regular expression: {error}") from None
        return value

    return checked(
        "regular expression", check, lambda plain: regex.compile(plain.removeprefix("re:"))
    )


def places() -> Kind:
    """Where a value is looked for; built as names and values.Selector."""
    words = "choice or list: labels, title, copyright, selector:…"

    def check(value: str) -> str:
        if value in PLACES:
            return value
        plain = value.removeprefix(SELECTOR)
        if not plain.startswith(("css:", "xpath:")):
            raise ValueError(
                '"labels", "title", "copyright" or a selector: "selector:css:h1::text"'
            )
        return SELECTOR + check_selector(plain)

    return listed(checked(words, check), words, _places)


def _places(plain: list[str]) -> tuple[str | Selector, ...]:
    build = selector().build
    return tuple(
        build(one.removeprefix(SELECTOR)) if one.startswith(SELECTOR) else one for one in plain
    )
