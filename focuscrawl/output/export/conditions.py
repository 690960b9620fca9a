"""What a person wants of a table: ``score >= 0.5 and host = www.example.cn and title contains 地铁``.

It is read by ourselves and becomes an expression of SQLAlchemy, whose values are bound: nothing that
is written there ever stands in SQL.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from datetime import UTC, tzinfo
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ColumnElement,
    Float,
    Integer,
    Text,
    and_,
    case,
    cast,
    false,
    func,
    not_,
    or_,
    true,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import BinaryExpression
from sqlalchemy.sql.functions import GenericFunction

from focuscrawl.locale.messages import _
from focuscrawl.output.export.sheets import (
    LINK,
    TIME,
    ResultTables,
    Sheet,
    SheetColumn,
    printed_day,
)
from focuscrawl.readers.text.moments import read_day, read_moment
from focuscrawl.stores.results.columns import json_text, within_calendar

COMPARISON = re.compile(
    r"""\s*+(?P<name>[^\s=!<>]+)\s*+
    (?:(?P<empty>is\s++(?:not\s++)?empty)
     |(?P<sign>==|=|!=|<>|<=|>=|<|>|(?:not\s++)?contains\b)\s*+
      (?P<value>'[^']*'|"[^"]*"|[^\s'"]++(?:\s++(?!and\s)[^\s'"]++)*+))
    \s*+(?:$|(?<=\s)and\s)""",
    re.VERBOSE | re.IGNORECASE,
)
"""One comparison, up to the next ``and``. Nothing that was read is read again: with quantifiers that give back a value
followed by 1,000 blanks took 5.9 s, by the third power of their number."""

_CONDITION_EXAMPLE = "score >= 0.5 and host = www.example.cn and title contains 地铁"

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TRUTHS = {"true": True, "1": True, "yes": True, "是": True, "false": False, "0": False, "no": False, "否": False}  # fmt: skip


class ConditionError(ValueError):
    """A condition that cannot be read; the message says what is allowed."""


class Comparison(NamedTuple):
    """One part of a condition: the sign is lower case, with one blank between its words."""

    name: str
    sign: str
    value: str

    @property
    def text(self) -> str:
        """It as a person would write it."""
        return f"{self.name} {self.sign} {self.value}"


def comparisons(text: str) -> Iterator[Comparison]:
    """Go through the comparisons of a condition. Raises ConditionError."""
    at = 0
    while at < len(text):
        found = COMPARISON.match(text, at)
        if found is None:
            told = _(
                "{text!r} is no comparison: write COLUMN = VALUE, with = != < <= > >= contains, not"
                " contains, is empty or is not empty, joined by and: {example}"
            )
            raise ConditionError(told.format(text=text[at:].strip(), example=_CONDITION_EXAMPLE))
        sign = " ".join((found["empty"] or found["sign"]).lower().split())
        value = found["value"] or ""
        yield Comparison(found["name"], sign, value[1:-1] if value[:1] in "'\"" else value.strip())
        at = found.end()


def condition_of(
    text: str, results: ResultTables, sheet: Sheet, zone: tzinfo = UTC
) -> ColumnElement[bool]:
    """Return a condition on the rows of a sheet. Raises ConditionError.

    ``zone`` is that of dates that name none.
    """
    found: ColumnElement[bool] = true()
    for one in comparisons(text):
        found = and_(found, _compared(one, results, sheet, zone))
    return found


def known_column(sheet: Sheet, name: str) -> SheetColumn:
    """Return a column of a sheet. Raises ConditionError."""
    column = sheet.column(name)
    if column is None:
        raise ConditionError(no_column(sheet, name))
    return column


def no_column(sheet: Sheet, name: str) -> str:
    """Say which columns a sheet has."""
    told = _("{sheet} has no column {name!r}; it has {columns}")
    columns = ", ".join(known.name for known in sheet.columns)
    return told.format(sheet=sheet.name, name=name, columns=columns)


def _compared(
    one: Comparison, results: ResultTables, sheet: Sheet, zone: tzinfo
) -> ColumnElement[bool]:
    column = known_column(sheet, one.name)
    value = results.expression(sheet, column.name)
    is_json = isinstance(value.type, JSON)
    # What a field of a record says, not its JSON, in which a text stands in quotes and nothing is null.
    is_field = is_json and not isinstance(value, Column)
    as_text = cast(value.as_string(), Text) if is_field else value if column.holds == LINK else cast(value, Text)  # fmt: skip
    said = as_text if is_json else value
    if one.sign.endswith("empty"):
        nothing = ("", "[]", "{}") if is_json else ("",)
        empty = said.is_(None) if column.holds == TIME else or_(said.is_(None), as_text.in_(nothing))  # fmt: skip
        return not_(empty) if "not" in one.sign else empty
    if one.sign.endswith("contains"):
        within = as_text.contains(one.value, autoescape=True)
        return or_(said.is_(None), not_(within)) if one.sign.startswith("not") else within
    is_unequal = one.sign in ("!=", "<>")
    if is_json and (is_unequal or one.sign in ("=", "==")):
        equal = or_(as_text == one.value, _is_among(one.value, as_text))
        if is_field:
            equal = _equals_field(one, value, as_text)
        return or_(said.is_(None), not_(equal)) if is_unequal else equal
    if is_field:
        return _compared_field(one, value, as_text)
    if is_json:
        told = _("{comparison}: {name} has several values; write =, !=, contains, is empty or is not empty")  # fmt: skip
        raise ConditionError(told.format(comparison=one.text, name=one.name))
    if column.holds == TIME and (day := read_day(one.value, zone)) is not None:
        begun, over = map(within_calendar, day)
        compared = _compared_with_day(one.sign, value, begun, over)
        printed = printed_day(results, sheet, column.name)
        if printed is not None:  # it is that day, whatever zone its first second is of
            compared = case(
                (printed.is_not(None), _SIGNS[one.sign](printed, one.value)), else_=compared
            )
    else:
        compared = _SIGNS[one.sign](value, _typed(one, value, column.holds, zone))
    # What says nothing is not that either.
    return or_(value.is_(None), compared) if is_unequal else compared


def _equals_field(
    one: Comparison, value: ColumnElement[Any], as_text: ColumnElement[str]
) -> ColumnElement[bool]:
    """Whether a field of a record is a value, or one of several is: as a text, a number or a truth."""
    several = json_kind(value).in_(_SEVERAL)
    equal = or_(as_text == one.value, and_(several, _is_among(one.value, as_text)))
    if (number := _number(one.value)) is not None:  # 100 and 100.0 are one
        equal = or_(equal, func.coalesce(_as_number(value) == number, false()))
    if (word := one.value.lower()) in _TRUTHS:
        kind = json_kind(value)
        equal = or_(equal, kind == word, and_(kind == "boolean", as_text == word))
    return equal


def _compared_with_day(
    sign: str, value: ColumnElement[Any], begun: float, over: float
) -> ColumnElement[bool]:
    """Compare a time with a day, which is all of it."""
    within = and_(value >= begun, value < over)
    compared: dict[str, ColumnElement[bool]] = {
        "<": value < begun,
        "<=": value < over,
        ">": value >= over,
        ">=": value >= begun,
        "!=": not_(within),
        "<>": not_(within),
    }
    return compared.get(sign, within)


class json_kind(GenericFunction[str]):
    """What a JSON value is, as each database calls it."""

    type = Text()
    inherit_cache = True


@compiles(json_kind)
def _json_kind(element: json_kind, compiler: Any, **options: Any) -> str:
    name = "jsonb_typeof" if compiler.dialect.name == "postgresql" else "json_type"
    (value,) = element.clauses
    # A value that SQLite has taken out is 1 where the JSON says true.
    is_inside = compiler.dialect.name == "sqlite" and isinstance(value, BinaryExpression)
    asked = (value.left, value.right) if is_inside else (value,)
    told = ", ".join(compiler.process(one, **options) for one in asked)
    return f"lower({name}({told}))"


_NUMBER_TYPES = ("number", "integer", "real", "double", "decimal", "unsigned integer")
"""What PostgreSQL, SQLite and MySQL call a number."""

_SEVERAL = ("array", "object")
"""What all of them call what has parts."""


def _is_among(value: str, as_text: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a list, or the names of an object, have a value."""
    return as_text.contains(json_text(value), autoescape=True)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _as_number(value: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a JSON value that is a number, else NULL: PostgreSQL refuses to make one of a text."""
    return case((json_kind(value).in_(_NUMBER_TYPES), value.as_float()), else_=None)


def _compared_field(
    one: Comparison, value: ColumnElement[Any], as_text: ColumnElement[str]
) -> ColumnElement[bool]:
    """Whether a field of a record is above or below a value: numbers as such, all else as texts, so
    that a date is.
    """
    number = _number(one.value)
    compared: ColumnElement[bool] = (
        _SIGNS[one.sign](as_text, one.value)
        if number is None
        else _SIGNS[one.sign](_as_number(value), number)
    )
    return compared


def _typed(one: Comparison, value: ColumnElement[Any], holds: str, zone: tzinfo) -> Any:
    """Return a value in the type of its column. Raises ConditionError."""
    kind = value.type
    try:
        if holds == TIME:
            return within_calendar(read_moment(one.value, zone))
        if isinstance(kind, Boolean):
            return _TRUTHS[one.value.lower()]
        if isinstance(kind, Integer) or isinstance(getattr(kind, "impl", None), Integer):
            return int(one.value)
        if isinstance(kind, Float) or isinstance(getattr(kind, "impl", None), Float):
            return float(one.value)
    except (ValueError, KeyError):
        told = _("{comparison}: write a number")
        if holds == TIME:
            told = _("{comparison}: write a date: 2026-11-20")
        elif isinstance(kind, Boolean):
            told = _("{comparison}: write true or false")
        raise ConditionError(told.format(comparison=one.text)) from None
    return one.value
