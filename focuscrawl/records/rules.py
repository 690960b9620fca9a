"""What a record is (C7): its fields, how their values look, and what was found of them. Values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import regex

from focuscrawl.values import Selector

FieldType = Literal[
    "text", "phone", "mobile", "fax", "email", "url", "zip", "qq", "wechat", "address", "number",
    "date", "code",
]  # fmt: skip
OnePer = Literal["block", "page", "site"]
Value = str | float

NOT_WORDS = re.compile(r"[\W_]+")


class LabelPlace(NamedTuple):
    """A label found in a text: the names of the fields it stands for, and its span."""

    fields: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FieldRule:
    """One field. ``places`` are where its value is looked for, in that order: "labels", "title",
    "copyright", or a selector. ``pattern`` must match a value; its group 1, if any, is the value.
    """

    name: str
    type: FieldType = "text"
    required: bool = False
    many: bool = False
    pattern: regex.Pattern[str] | None = None
    places: tuple[str | Selector, ...] = ("labels",)


@dataclass(frozen=True, slots=True)
class RecordRules:
    """A kind of record. ``find_labels`` goes through the labels in a text, in their order and
    without overlaps; ``key`` names the fields that tell two records apart. ``strict``: a page has
    one record, that of its heaviest tag, as published.
    """

    name: str
    fields: tuple[FieldRule, ...]
    find_labels: Callable[[str], Iterator[LabelPlace]]
    one_per: OnePer = "block"
    key: tuple[str, ...] = ()
    strict: bool = False
    by_name: dict[str, FieldRule] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {rule.name: rule for rule in self.fields})

    def of_type(self, *types: FieldType) -> FieldRule | None:
        """Return the first field of one of these types, the types in their order."""
        return next((rule for kind in types for rule in self.fields if rule.type == kind), None)

    @property
    def naming(self) -> FieldRule | None:
        """The field that names the record: the first text among key and required ones."""
        wanted = [rule for rule in self.fields if rule.name in self.key or rule.required]
        return next((rule for rule in wanted if rule.type == "text"), None)


class Found(NamedTuple):
    """A value: normalised, as printed, and the label it was found by ("" without one)."""

    value: Value
    raw: str
    label: str = ""


class FoundRecord(NamedTuple):
    """A record of a page: field → its values, the best first.

    A field that is not ``many`` may have several when the page contradicts itself.
    """

    values: dict[str, list[Found]]


def squeezed(value: Value) -> str:
    """Return what two spellings of one value have in common: letters and digits."""
    return NOT_WORDS.sub("", str(value).lower())
