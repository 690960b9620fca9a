"""A kind of rows, declared once: tables, upserts, views, feeds, deletions and checks follow from it.

A kind lives in the ``rows.py`` of what it belongs to. ``Kinds.load`` reads such modules by their dotted
names, as ``focuscrawl.features`` lists them, and takes the kinds that stand in them, in their order; of a
user's own feature (FOCUSCRAWL_FEATURES) those that its class names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field, fields
from enum import Enum
from functools import cached_property
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, get_type_hints

from sqlalchemy import select, tuple_

from focuscrawl.config import feature_named
from focuscrawl.stores.results.columns import (
    Count,
    Figure,
    LineColumn,
    TextColumn,
    Time,
    key_column,
    may,
    table,
    time_or_none,
    time_text,
)
from focuscrawl.stores.results.upsert import AtOnce, Merge, Upsert
from focuscrawl.values import FEED_ITEMS, CutLines

if TYPE_CHECKING:
    from collections import Counter

    from sqlalchemy import Column, Connection, Engine, Table
    from sqlalchemy.engine import Dialect

    from focuscrawl.stores.results.schema import Views

RowValues = dict[str, Any]

TextKept = Literal["full", "lead", "none"]
"""``output.text`` of the template: what is stored of a text."""

HistoryKept = Literal["diff", "full", "none"]
"""``output.history`` of the template."""


_COLUMN_OF: Mapping[type, Any] = {str: TextColumn, int: Count, float: Figure}
"""The columns of fields by their types."""


class RowContext(NamedTuple):
    """What a row is made with besides its item; ``now`` in seconds since 1970 UTC."""

    topic: str
    run_id: str | None
    now: float
    text: TextKept


class RowOutcome(NamedTuple):
    """What writing has made of rows, by their keys: new, of another content than was stored, and
    whole now after a part was missing.
    """

    new: frozenset[Any] = frozenset()
    changed: frozenset[Any] = frozenset()
    completed: frozenset[Any] = frozenset()

    def followed_by(self, later: RowOutcome) -> RowOutcome:
        """Return what two writings of one window have made: what is new is not changed, too."""
        return RowOutcome(
            self.new | later.new,
            self.changed | (later.changed - self.new),
            self.completed | (later.completed - self.new),
        )


_NOTHING = RowOutcome()


@dataclass(slots=True)
class WriteWindow:
    """The transaction in which the rows of one commit window are written.

    ``indexes`` are the full-text indexes of kinds that have one, by part. ``visits`` says at which
    visit a page was found to say something else of a record, ``outcomes`` what was written so far, ``at_once``
    what is written with the last rows.
    """

    connection: Connection
    topic: str
    kinds: Kinds
    upserts: Upserts
    history: HistoryKept
    indexes: Mapping[str, TextIndex]
    visits: Mapping[tuple[str, str], int]
    outcomes: dict[str, RowOutcome] = field(default_factory=dict)
    at_once: AtOnce | None = None

    def put(self, part: str, rows: Iterable[RowValues]) -> None:
        """Write rows as the rule of their kind says."""
        self.upserts[part].write(self.connection, rows)

    def put_at_once(self, part: str, rows: Sequence[RowValues]) -> None:
        """Write rows that are not looked up in this window: a single one with what is written at once, if
        anything is."""
        if self.at_once and len(rows) == 1:
            upsert = self.upserts[part]
            self.at_once.add(upsert.sql, upsert.parameters(rows[0]))
        else:
            self.put(part, rows)

    def outcome(self, part: str) -> RowOutcome:
        """Return what has been made of the rows of a part."""
        return self.outcomes.get(part, _NOTHING)


class Orphans(NamedTuple):
    """Rows that must not be, of a kind's table or of another ``table`` that it has rows in, for check-data.

    ``where`` (SQL, with ``:topic``) says which, ``what`` what is wrong, the column ``name`` names one.
    """

    what: str
    name: str
    where: str
    table: str = ""


class TextIndex(Protocol):
    """Words by which the rows of a kind are found. Every method works in the caller's transaction."""

    def write(self, connection: Connection, rows: Iterable[RowValues]) -> None:
        """Take in rows that are written; those that are as they were cost nothing."""

    def find(self, connection: Connection, topic: str, query: str, most: int) -> list[str]:
        """Return the keys of rows that have all words of a query, latest found first."""


class Forgotten(NamedTuple):
    """Addresses that are being deleted; ``counts`` are the rows that went, by table.

    ``retell``: what is made of them is written anew, without them.
    """

    connection: Connection
    topic: str
    keys: Sequence[str]
    retell: bool
    counts: Counter[str]


@dataclass(frozen=True, eq=False)
class RowKind:
    """One kind of rows of the results; everything but its table has a default."""

    table: Table
    row: Callable[[Any, RowContext], RowValues] | None = None
    """Makes the row of an item, as if it were new; None: each column has the item's field of its name, and
    without an ``item`` no window brings such rows."""

    _: KW_ONLY
    part: str = ""
    """Its name in a window; "": that of the table."""

    item: type[Any] | None = None
    """The class of the items that become such rows."""

    needs: Mapping[str, type] = field(default_factory=dict)
    """Attributes that rows are told apart and merged by: a user's pipelines may set anything."""

    # Writing ------------------------------------------------------------------------------------

    keep: Collection[str] = ()
    """Columns that stay in a row that exists; it takes all others, but its key, from the new one."""

    merge: Mapping[str, Merge] = field(default_factory=dict)
    """Columns whose new value follows from both rows (see upsert)."""

    besides: Collection[str] = ()
    """Columns that others fill."""

    latest: bool = False
    """Of rows of one key in a window only the last is written."""

    write: Callable[[WriteWindow, list[RowValues]], RowOutcome | None] | None = None
    """Writes the rows of a window, where more is to be done than an upsert."""

    cut: Callable[[WriteWindow, Mapping[str, CutLines]], None] | None = None
    """Cuts lines from the ends of stored texts, by page: a text is corrected so, and no other version."""

    # Telling ------------------------------------------------------------------------------------

    feed: str = ""
    """The name of its items in ``output.feeds``, where FEED_ITEMS has none."""

    plain: Callable[[Any], RowValues] | None = None
    """An item as a feed has it, where that is not field by field."""

    counters: tuple[str, ...] = ()
    """What is counted of such rows in a run and reported at its end: new, changed, grown."""

    always_said: bool = False
    """Its line of the summary stands there with zeros, too."""

    what: str = ""
    """What the feed of changes calls it."""

    tell: Callable[[Sequence[RowValues], WriteWindow], Iterable[RowValues]] | None = None
    """Which changes of such rows have become so by what was written."""

    views: Views | None = None
    """The views for people that are made of it."""

    index: Callable[[Engine, str], TextIndex | None] | None = None
    """Opens its full-text index for a topic; None: there is none for such a database."""

    # Forgetting and checking --------------------------------------------------------------------

    address: str = ""
    """The column with the key (hex) of the page it is of: page and row are forgotten together."""

    own_key: str = ""
    """The column by which other tables call a row, where that is not the address."""

    seen: str = ""
    """When a row was last read, of a kind that crawls are for: it is marked gone with its page, and a
    topic that has one is not empty."""

    ages: str = ""
    """When a row came, of a kind whose rows grow old by themselves."""

    confirmed: Callable[[Connection, str, Sequence[str], float], set[str]] | None = None
    """Which of some addresses another page has confirmed since a date."""

    forgetting: Callable[[Forgotten], AbstractContextManager[None]] | None = None
    """Is entered before rows of addresses are deleted, and left when they are."""

    orphans: Sequence[Orphans] = ()

    def __post_init__(self) -> None:
        if not self.part:
            object.__setattr__(self, "part", self.table.name)
        if not self.feed and self.item is not None:
            names = {item: name for name, item in FEED_ITEMS.items()}
            object.__setattr__(self, "feed", names.get(self.item, ""))
        if self.row is None and self.item is not None:
            row = row_by_names(self.table, besides=self.besides)
            object.__setattr__(self, "row", row)

    @property
    def columns(self) -> list[str]:
        """The columns that are written."""
        return [one.name for one in self.table.columns if one.name not in self.besides]

    def upsert(self, dialect: Dialect, *, leaves: bool = False) -> Upsert:
        """Return the statement that writes rows, or with ``leaves`` makes only those that are not there.

        It is compiled once a process: each opening of the results took 7 ms for those of a crawl.
        """
        key = (dialect.name, dialect.driver, leaves)
        if key not in self._upserts:
            self._upserts[key] = Upsert(
                self.table, self.columns, dialect, keep=self.keep, merge=self.merge, leaves=leaves
            )
        return self._upserts[key]

    @cached_property
    def _upserts(self) -> dict[tuple[str, str, bool], Upsert]:
        return {}

    def rows(self, items: Iterable[Any], context: RowContext) -> list[RowValues]:
        """Return the rows of items. Raises TypeError for what rows cannot be told apart by."""
        if self.row is None:
            raise TypeError(f"no window brings rows of {self.part}")
        for item in items if self.needs else ():
            for name, kind in self.needs.items():
                if not isinstance(value := getattr(item, name), kind):
                    raise TypeError(f"a {kind.__name__} is needed, not {type(value).__name__}")
        rows = [self.row(item, context) for item in items]
        if self.latest:
            keys = [one.name for one in self.table.primary_key]
            rows = list({tuple(row[name] for name in keys): row for row in rows}.values())
        return rows

    def put(self, window: WriteWindow, rows: list[RowValues]) -> None:
        """Write rows, and note what has become of them."""
        if self.write is not None:
            outcome = self.write(window, rows)
        else:
            outcome = RowOutcome(self._new(window, rows)) if "new" in self.counters else None
            window.put_at_once(self.part, rows)
        if outcome is not None:
            window.outcomes[self.part] = window.outcome(self.part).followed_by(outcome)

    def _new(self, window: WriteWindow, rows: Iterable[RowValues]) -> frozenset[Any]:
        """Return the keys of rows that are not stored: what stands behind the topic in their key."""
        columns = [one for one in self.table.primary_key if one.name != "topic"]
        keys = {tuple(row[one.name] for one in columns) for row in rows}
        query = select(*columns).where(
            self.table.c.topic == window.topic, tuple_(*columns).in_(keys)
        )
        new = keys.difference(map(tuple, window.connection.execute(query)))
        return frozenset(new if len(columns) > 1 else (key for (key,) in new))

    @cached_property
    def times(self) -> frozenset[str]:
        """The columns that hold times."""
        return frozenset(one.name for one in self.table.columns if isinstance(one.type, Time))

    def as_plain(self, item: Any) -> RowValues:
        """Return an item for a feed: a dict, with times as ISO 8601 UTC."""
        if self.plain is not None:
            return self.plain(item)
        return {
            one.name: _plain(getattr(item, one.name), one.name in self.times)
            for one in fields(item)
        }


def _plain(value: Any, is_time: bool) -> Any:
    if is_time:
        moment = time_or_none(value)
        return None if moment is None else time_text(moment)
    return value.value if isinstance(value, Enum) else value


def kind_of(item: type[Any], name: str, about: str, **more: Any) -> RowKind:
    """Declare a kind of rows from a dataclass, whose fields are the columns of a table ``name``.

    Its first field is the key: ``url_key`` is that of a page, with which its rows are forgotten. A
    field ``seen`` is a time, and rows are marked when their page is gone. ``more`` goes to RowKind.
    Raises TypeError for a field that is no str, int or float.
    """
    columns: list[Column[Any]] = []
    hints = get_type_hints(item)
    for field_ in fields(item):
        kind = Time if field_.name == "seen" else _COLUMN_OF.get(hints[field_.name])
        if kind is None:
            raise TypeError(f"{item.__name__}.{field_.name}: write str, int or float")
        columns.append(
            may(field_.name, kind) if columns else key_column(field_.name, LineColumn(255))
        )
    names = {column.name for column in columns}
    if "seen" in names:
        columns.append(may("gone_at", Time))
        more = {"seen": "seen", "besides": {"gone_at"}} | more
    if "url_key" in names:
        more = {"address": "url_key"} | more
    return RowKind(table(name, *columns, about=about), item=item, **more)


def row_by_names(
    table: Table, *, besides: Collection[str] = (), empty_is_null: Collection[str] = ()
) -> Callable[[Any, RowContext], RowValues]:
    """Return what makes the row of an item whose fields have the names of the columns.

    ``empty_is_null`` are columns that say nothing rather than "".
    """
    # Pages and articles, of which a window has dozens, write theirs out: 4 µs a page instead of 6 to 10.
    names = [one.name for one in table.columns if one.name not in {"topic", *besides}]
    values = attrgetter(*names)

    def row(item: Any, context: RowContext) -> RowValues:
        made: RowValues = dict(zip(names, values(item), strict=False))
        made["topic"] = context.topic
        for name in empty_is_null:
            if not made[name]:
                made[name] = None
        return made

    return row


class Kinds(tuple[RowKind, ...]):
    """All kinds of rows of a database, in the order in which a window writes them."""

    @classmethod
    def load(cls, names: Iterable[str]) -> Self:
        """Read kinds by dotted names: all that stand in a module, or ``rows`` of a feature's class.

        Raises ConfigError.
        """
        found: list[object] = []
        for name in names:
            one = feature_named(name)
            found += vars(one).values() if isinstance(one, ModuleType) else getattr(one, "rows", ())
        return cls(value for value in found if isinstance(value, RowKind))

    @cached_property
    def tables(self) -> dict[str, Table]:
        """All tables by name: two kinds may write to one."""
        return {kind.table.name: kind.table for kind in self}

    @cached_property
    def parts(self) -> dict[str, RowKind]:
        """The kinds that windows bring, by their names there."""
        return {kind.part: kind for kind in self if kind.row is not None}

    @cached_property
    def finds(self) -> tuple[RowKind, ...]:
        """The kinds that crawls are for."""
        return tuple(kind for kind in self if kind.seen)

    @cached_property
    def feeds(self) -> dict[str, RowKind]:
        """The kinds that feeds may hold, by their names in a template."""
        return {kind.feed: kind for kind in self if kind.feed}

    @cached_property
    def _by_class(self) -> dict[type[Any], RowKind | None]:
        return {kind.item: kind for kind in self if kind.item is not None}

    def of(self, item: object) -> RowKind | None:
        """Return the kind that an item becomes; None for items of others."""
        made = type(item)
        if made not in self._by_class:
            found = (self._by_class[one] for one in made.__mro__ if one in self._by_class)
            self._by_class[made] = next(found, None)
        return self._by_class[made]

    def as_plain(self, item: Any) -> Any:
        """Return our items as dicts with times as ISO 8601 UTC; items of others as they are."""
        kind = self.of(item)
        return kind.as_plain(item) if kind is not None else item


class Upserts(dict[str, Upsert]):
    """The statements of all kinds, by part, each compiled for a database when it is first asked for."""

    def __init__(self, kinds: Kinds, dialect: Dialect) -> None:
        super().__init__()
        self._kinds = {kind.part: kind for kind in kinds}
        self._dialect = dialect
        self._missing: dict[str, Upsert] = {}

    def __missing__(self, part: str) -> Upsert:
        """Compile the statement of a kind."""
        self[part] = self._kinds[part].upsert(self._dialect)
        return self[part]

    def missing(self, part: str) -> Upsert:
        """Return the statement that makes those rows of a kind that are not there.

        Then all can be locked: of two transactions that look for a row that is missing, each finds none.
        """
        if part not in self._missing:
            self._missing[part] = self._kinds[part].upsert(self._dialect, leaves=True)
        return self._missing[part]
