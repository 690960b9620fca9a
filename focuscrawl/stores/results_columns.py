"""Column types of the results: how times, words and JSON are stored in each database (rules 4-7).

Every page is hostile, so what a column takes is cleaned here, where nobody can forget it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import CHAR, JSON, TIMESTAMP, Column, LargeBinary, MetaData, String, Text
from sqlalchemy.dialects.mysql import LONGBLOB, LONGTEXT
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

MYSQL = frozenset({"mysql", "mariadb"})
"""Names SQLAlchemy has for the two."""

TIME_TEXT = 24
"""Characters of ``2026-11-20T01:30:00.000Z``."""

LINE_ENDS = re.compile(r"\r\n?")
FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What PostgreSQL, XML, a spreadsheet or UTF-8 refuses; tab and line feed are kept."""

BLANKS = re.compile(r"[\t\n\r\x0b\x0c]+")
JOINERS = frozenset("\u200d\ufe0e\ufe0f")
LONGEST_CHARACTER = 32
"""Code points looked back over for the start of a character: hostile text stacks accents."""


def clean_text(text: str) -> str:
    """Return ``text`` without NUL, other control characters and broken surrogates; lines stay."""
    if text.isprintable():
        return text
    return FORBIDDEN.sub("", LINE_ENDS.sub("\n", text))


def clean_line(text: str) -> str:
    """Return ``text`` as one line: cleaned, with line feeds and tabs made spaces."""
    if text.isprintable():
        return text
    return FORBIDDEN.sub("", BLANKS.sub(" ", text))


def cut(text: str, length: int) -> str:
    """Return at most ``length`` code points of ``text``, never half a character (rule 7)."""
    if len(text) <= length:
        return text
    end = length
    while end > max(0, length - LONGEST_CHARACTER) and _continues(text, end):
        end -= 1
    return text[:end]


def _continues(text: str, at: int) -> bool:
    return (
        unicodedata.combining(text[at]) != 0
        or text[at] in JOINERS
        or (at > 0 and text[at - 1] == "\u200d")
    )


@lru_cache(maxsize=1024)
def time_text(seconds: float) -> str:
    """Return seconds since 1970 UTC as ``2026-11-20T01:30:00.000Z``, which sorts as text.

    Raises ValueError or OverflowError outside the years 1 to 9999.
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(round(seconds, 3), UTC)


def time_or_none(seconds: float | None) -> float | None:
    """Return ``seconds`` when a database can hold it, else None: pages print any date."""
    if seconds is None or not math.isfinite(seconds):
        return None
    return seconds if -62_135_596_800 < seconds < 253_402_214_400 else None


def json_text(value: Any) -> str:
    """Return ``value`` as JSON with Chinese kept readable (rule 6).

    NaN becomes null, dates ISO text, anything JSON cannot say its ``str``; control characters go.
    """
    try:
        text = msgspec.json.encode(value, enc_hook=str).decode()
    except (UnicodeEncodeError, OverflowError, TypeError):
        return msgspec.json.encode(_plain(value), enc_hook=str).decode()
    if "\\u00" in text or FORBIDDEN.search(text):
        return msgspec.json.encode(_plain(value), enc_hook=str).decode()
    return text


def _plain(value: Any) -> Any:
    """Rebuild a value with clean texts, text keys and numbers JSON can hold."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_line(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value


class Time(TypeDecorator[float]):
    """A moment: takes seconds since 1970 UTC or an aware datetime, gives seconds (rule 4)."""

    impl = TIMESTAMP
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose timestamptz in PostgreSQL, sortable text elsewhere."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(TIMESTAMP(timezone=True))
        return dialect.type_descriptor(CHAR(TIME_TEXT))

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """Return the conversion: the times of one page are mostly the same moment."""
        convert: Callable[[float], Any] = time_text
        if dialect.name == "postgresql":
            convert = _moment

        def process(value: float | datetime | None) -> Any:
            if value is None:
                return None
            return convert(value.timestamp() if isinstance(value, datetime) else value)

        return process

    def process_result_value(self, value: Any, dialect: Dialect) -> float | None:
        """Turn what the database gives into seconds."""
        if value is None:
            return None
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        return moment.timestamp()


class Line(TypeDecorator[str]):
    """One line of text, cleaned and cut at the column's length; empty is NULL where allowed."""

    impl = String
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """Return the cleaning as a closure: it runs a dozen times for every page."""
        length = self.impl_instance.length  # type: ignore[attr-defined]

        def process(value: str | None) -> str | None:
            if value is None:
                return None
            if not value.isprintable():
                value = clean_line(value)
            return value if len(value) <= length else cut(value, length)

        return process


class Words(TypeDecorator[str]):
    """Text of any length, cleaned; its lines are kept."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose LONGTEXT in MySQL, whose TEXT ends after 64 KB."""
        return dialect.type_descriptor(LONGTEXT() if dialect.name in MYSQL else Text())

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Clean the text."""
        return None if value is None else clean_text(value)


JSON_COLUMN = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
BYTES_COLUMN = LargeBinary().with_variant(LONGBLOB(), "mysql", "mariadb")
KEY_COLUMN = CHAR(32)
"""An MD5 in hexadecimal (rule 5)."""

METADATA = MetaData()


def key(name: str, kind: Any) -> Column[Any]:
    """Return a column of the primary key."""
    return Column(name, kind, primary_key=True, autoincrement=False)


def must(name: str, kind: Any) -> Column[Any]:
    """Return a column that always has a value."""
    return Column(name, kind, nullable=False)


def may(name: str, kind: Any) -> Column[Any]:
    """Return a column that may be empty."""
    return Column(name, kind, nullable=True)
