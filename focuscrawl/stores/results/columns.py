"""Column types of the results: how times, words and JSON are stored in each database (rules 4-7).

Every page is hostile, so what a column takes is cleaned here, where no caller can forget it.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import (
    CHAR,
    JSON,
    TIMESTAMP,
    BigInteger,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.dialects.mysql import LONGBLOB, LONGTEXT
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine

from focuscrawl.values import LARGEST_COUNT

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

MYSQL = frozenset({"mysql", "mariadb"})  # names SQLAlchemy has for the two

TIME_TEXT = 24  # characters of ``2026-11-20T01:30:00.000Z``

FIRST_MOMENT, LAST_MOMENT = -62_135_596_800, 253_402_214_400
"""Seconds since 1970 UTC between which all databases have dates: the years 1 to 9999."""

LARGEST_SMALL = 2**31 - 1  # what the INTEGER of PostgreSQL and MySQL holds

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


def text_md5(text: str) -> str:
    """Return the MD5 of the normalised text: NFKC, without white space.

    So a text that is laid out anew, or has full-width digits, is the version that is stored. Whether a visit has
    found a change is decided before, by ``features.revisit.change`` (``volatile.digest_of``).
    """
    normal = "".join(unicodedata.normalize("NFKC", clean_text(text)).split())
    return hashlib.md5(normal.encode()).hexdigest()


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
    return seconds if FIRST_MOMENT < seconds < LAST_MOMENT else None


def within_calendar(seconds: float) -> float:
    """Return a moment that is asked for, or the first or last that a database can hold.

    What cannot be held is NULL, and nothing is before or after that.
    """
    return min(max(seconds, FIRST_MOMENT + 1.0), LAST_MOMENT - 1.0)


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
    """Rebuild a value with clean texts, text keys and numbers JSON can hold.

    In loops: a comprehension is a frame of its own, and a page may nest its JSON by the hundred.
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        pairs = {}
        for key, item in value.items():
            pairs[clean_line(str(key))] = _plain(item)
        return pairs
    if isinstance(value, (list, tuple, set, frozenset)):
        items = []
        for item in value:
            items.append(_plain(item))  # noqa: PERF401 - see above
        return items
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value


class Time(TypeDecorator[float]):
    """A moment: takes seconds since 1970 UTC or an aware datetime, gives seconds (rule 4).

    What no database can hold is NULL.
    """

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
            seconds = value.timestamp() if isinstance(value, datetime) else value
            if not FIRST_MOMENT < seconds < LAST_MOMENT:  # NaN is nowhere
                return None
            return convert(seconds)

        return process

    def process_result_value(self, value: Any, dialect: Dialect) -> float | None:
        """Turn what the database gives into seconds."""
        if value is None:
            return None
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        return moment.timestamp()


class Count(TypeDecorator[int]):
    """A whole number from 0 to ``most``; anything else is unknown: NULL, and never clamped."""

    impl = Integer
    cache_ok = True

    def __init__(self, most: int = LARGEST_SMALL) -> None:
        super().__init__()
        self.most = most

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose BIGINT where counts of pages are held."""
        return dialect.type_descriptor(BigInteger() if self.most > LARGEST_SMALL else Integer())

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """Return the check as a closure: it runs several times for every page."""
        most = self.most

        def process(value: object) -> int | None:
            if value is None or type(value) is int:  # nearly always: the rest is for what is odd
                return value if value is None or 0 <= value <= most else None
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if not isinstance(value, int):
                return None
            return int(value) if 0 <= value <= most else None

        return process


class Figure(TypeDecorator[float]):
    """A number that is one; NaN and what is infinite are NULL."""

    impl = Double
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """Return the check."""

        def process(value: object) -> float | None:
            if value is None:
                return None
            if not isinstance(value, int | float):
                return None
            try:
                number = float(value)
            except OverflowError:
                return None
            return number if math.isfinite(number) else None

        return process


class LineColumn(TypeDecorator[str]):
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

    def stored(self, text: str) -> str:
        """Return ``text`` as the column gives it back."""
        return cut(clean_line(text), self.impl_instance.length)  # type: ignore[attr-defined]


class TextColumn(TypeDecorator[str]):
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
KEY_COLUMN = CHAR(32)  # an MD5 in hexadecimal (rule 5)

SMALL_COUNT = Count()  # what the crawl counts itself

LARGE_COUNT = Count(LARGEST_COUNT)  # what pages say that they count

TABLE_OPTIONS: dict[str, Any] = {
    # a collation that tells A from a: keys such as a search query must not fall together
    f"{dialect}_{name}": value
    for dialect in sorted(MYSQL)
    for name, value in (("engine", "InnoDB"), ("charset", "utf8mb4"), ("collate", "utf8mb4_bin"))
}


def table(name: str, *columns: Column[Any] | Index, about: str) -> Table:
    """Return a table, in whose key the topic is the first column (rule 3)."""
    topic = key_column("topic", LineColumn(64), "The name of the topic.")
    return Table(name, MetaData(), topic, *columns, comment=about, **TABLE_OPTIONS)


UNIT_INFO = "unit"
"""Where a column has its unit, in ``Column.info``; its meaning is ``Column.doc``."""


def key_column(name: str, kind: Any, meaning: str = "", unit: str = "") -> Column[Any]:
    """Return a column of the primary key; ``meaning`` is a sentence for people, ``unit`` "" where it has none."""
    info = {UNIT_INFO: unit}
    return Column(name, kind, primary_key=True, autoincrement=False, doc=meaning, info=info)


def must(name: str, kind: Any, meaning: str = "", unit: str = "") -> Column[Any]:
    """Return a column that always has a value."""
    return Column(name, kind, nullable=False, doc=meaning, info={UNIT_INFO: unit})


def may(name: str, kind: Any, meaning: str = "", unit: str = "") -> Column[Any]:
    """Return a column that may be empty."""
    return Column(name, kind, nullable=True, doc=meaning, info={UNIT_INFO: unit})
