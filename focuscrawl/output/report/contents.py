"""What a report holds, as plain values: sections of listings and charts, whose cells know what they are.

Names (of sections, listings, columns, charts) are keys of the catalogue (words.toml): nothing here is written
in a language, but the texts of pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from focuscrawl.readers.text.moments import day_only
from focuscrawl.values import Json

FIRST_ROWS = 50
"""Rows of a listing that a report opens; the rest is one command away."""


class Anchor(NamedTuple):
    """Words with the address they lead to."""

    url: str
    words: str


class PagePart(NamedTuple):
    """Words that lead to the part of a report about its topic of this number, from 1."""

    number: int
    words: str


class Moment(NamedTuple):
    """A time, in seconds since 1970 UTC; ``printed`` is a page's date, by ISO 8601 as precise as it is printed;
    ``is_found``: the page has no date, and was found then.
    """

    at: float
    printed: str = ""
    is_found: bool = False

    @property
    def day(self) -> str:
        """The day, where a page prints no time with it; "" for a moment."""
        return day_only(self.printed)


class Span(NamedTuple):
    """A length of time, in seconds."""

    seconds: float


class Share(NamedTuple):
    """So many of so many."""

    part: int
    whole: int


class Term(NamedTuple):
    """A word of the catalogue, ``group.word``; one that it does not have is shown as it is."""

    group: str
    word: str


class Hits(NamedTuple):
    """Words with how often they were found."""

    counts: tuple[tuple[str, int], ...]


class Edit(NamedTuple):
    """A piece of a text that stayed ("="), went ("-") or came ("+")."""

    sign: Literal["=", "-", "+"]
    words: str


class Difference(NamedTuple):
    """What has changed in a text, line by line, each as pieces; ``more`` lines are not shown."""

    lines: tuple[tuple[Edit, ...], ...]
    more: int = 0


class Cells(NamedTuple):
    """Some cells in one place; ``more`` are not shown."""

    cells: tuple[Any, ...]
    more: int = 0


Cell = (
    str
    | int
    | float
    | Anchor
    | PagePart
    | Moment
    | Span
    | Share
    | Term
    | Hits
    | Difference
    | Cells
    | None
)


class Listing(NamedTuple):
    """A number with its first rows. ``total``: how many rows there are; ``command`` shows all of them.

    ``shape``: rows are lines of a table, or entries that are read one by one. ``number`` is shown
    where it is not the count of the rows. ``is_first``: it keeps its rows longest where the
    file would be too large.
    """

    name: str
    total: int
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    command: str = ""
    shape: Literal["table", "entries"] = "table"
    number: Cell = None
    is_first: bool = False
    term: Term | None = None


class Curve(NamedTuple):
    """A line of a chart: its name and its points, time and value."""

    name: str
    points: Sequence[tuple[float, float]]


class Bar(NamedTuple):
    """A bar of a chart: what it is of, and its parts, each with its name."""

    label: Cell
    parts: tuple[tuple[str, float], ...]
    note: Cell = None


class LineChart(NamedTuple):
    """Values over time."""

    name: str
    lines: Sequence[Curve]


class BarChart(NamedTuple):
    """Bars, one below the other or, ``upright``, side by side; ``group`` names the parts in the catalogue."""

    name: str
    bars: Sequence[Bar]
    group: str
    upright: bool = False


Chart = LineChart | BarChart


class Chapter(NamedTuple):
    """A part of a report; ``facts`` are single values with their names."""

    name: str
    listings: Sequence[Listing] = ()
    charts: Sequence[Chart] = ()
    facts: Sequence[tuple[str, Cell]] = ()


class TopicReport(NamedTuple):
    """The report of one topic: ``news`` is what a person reads first, ``course`` is how it went.

    ``is_first``: it is about the first crawl, whose finds are known and no news. ``place`` is the file of the topic's
    own report ("": there is none).
    """

    topic: str
    title: str
    zone: str
    since: float
    verdict: Sequence[Cell]
    news: Sequence[Chapter]
    course: Sequence[Chapter]
    is_first: bool = False
    place: str = ""


class ReportDocument(NamedTuple):
    """A whole report: ``overview`` are all topics in one table, where there are several."""

    made: float
    zone: str
    topics: Sequence[TopicReport]
    overview: Sequence[Chapter] = ()


def chapters_of(document: ReportDocument) -> Iterator[Chapter]:
    """Go through all sections."""
    yield from document.overview
    for topic in document.topics:
        yield from topic.news
        yield from topic.course


def limit_rows(document: ReportDocument, first: int, others: int) -> ReportDocument:
    """Return a report whose listings have at most so many rows, those that come ``is_first`` and the others."""

    def cut(sections: Sequence[Chapter]) -> list[Chapter]:
        return [
            section._replace(
                listings=[
                    one._replace(rows=one.rows[: first if one.is_first else others])
                    for one in section.listings
                ]
            )
            for section in sections
        ]

    topics = [
        topic._replace(news=cut(topic.news), course=cut(topic.course)) for topic in document.topics
    ]
    return document._replace(
        topics=topics
    )  # the table of all is what many topics are looked at for


def plain_value(value: Any) -> Any:
    """Return a value of a report as plain JSON: tables become objects by the names of their columns."""
    if isinstance(value, Listing):
        rows = [dict(zip(value.columns, map(plain_value, row), strict=False)) for row in value.rows]
        told = value.total if value.number is None else plain_value(value.number)
        return {"number": told, "total": value.total, "rows": rows, "command": value.command}
    if isinstance(value, Moment):
        return value.day or value.at
    if isinstance(value, Span):
        return value.seconds
    if isinstance(value, PagePart):
        return value.words
    if isinstance(value, Term):
        return value.word
    if isinstance(value, Hits):
        return dict(value.counts)
    if isinstance(value, Cells):
        return [plain_value(one) for one in value.cells]
    if isinstance(value, Difference):
        return ["".join(f"{sign}{words}" for sign, words in line) for line in value.lines]
    if isinstance(value, Chapter):
        return _plain_section(value)
    if hasattr(value, "_asdict"):
        return {name: plain_value(one) for name, one in value._asdict().items()}
    return [plain_value(one) for one in value] if isinstance(value, list | tuple) else value


def _plain_section(section: Chapter) -> Json:
    listings: Json = {}
    for one in section.listings:  # several may have a name: pages by outcome
        name = f"{one.name}.{one.term.word}" if one.term else one.name
        listings[name] = plain_value(one)
    return {
        "name": section.name,
        "facts": {name: plain_value(cell) for name, cell in section.facts},
        "listings": listings,
        "charts": plain_value(list(section.charts)),
    }
