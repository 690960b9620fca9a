"""A report as one page that stands alone: no script, nothing from elsewhere, never larger than a mail can carry.

Whatever came from the web is text. Only addresses of http and https lead anywhere; each text stands apart
from what is around it (bdi), and characters that would turn the direction of reading are shown by their code.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from jinja2 import DictLoader, Environment
from markupsafe import Markup

from focuscrawl.locale.messages import IN_CHINESE, IN_ENGLISH
from focuscrawl.output.report.contents import (
    FIRST_ROWS,
    Anchor,
    Cell,
    Cells,
    Difference,
    Hits,
    Listing,
    Moment,
    PagePart,
    ReportDocument,
    Share,
    Span,
    Term,
    TopicReport,
    limit_rows,
)
from focuscrawl.output.report.forms.charts import Charts
from focuscrawl.output.summary.markup import TURNING, apart, element, is_link
from focuscrawl.stores.results.columns import clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focuscrawl.output.report.forms.words import Vocabulary

MOST_BYTES_OF_PAGE = 300_000
"""A mail carries so much everywhere, and a telephone opens it at once."""

ROWS_THAT_MAY_STAY = ((FIRST_ROWS, FIRST_ROWS), (FIRST_ROWS, 20), (FIRST_ROWS, 10), (30, 10), (20, 5), (10, 5), (5, 2), (3, 0), (2, 0), (1, 0), (0, 0))  # fmt: skip
"""Rows of what is read first and of the rest, tried in turn until the page is small enough."""

LONGEST_HREF = 1_000
"""Characters of an address that leads somewhere; a longer one is shown and leads nowhere."""

OPEN_ENTRIES = 20
"""Rows of a listing that is open from the beginning: a screen or two."""

OPEN_NEEDS = 3
"""Things that need the user which are open from the beginning: the same ten each morning stand between a telephone and
what is new."""

LONG_COLUMNS = frozenset({"title", "page", "fields", "why", "topic", "said", "missing"})
"""Columns whose cells are long: on a telephone they have a line of their own."""

NUMBER_COLUMNS = frozenset({"articles", "replies", "replies_new", "pages", "new", "changed", "gone", "errors", "score", "level", "waiting", "weight", "tries", "relevant", "watched", "due", "visited", "expected", "late", "known", "found"})  # fmt: skip
"""Columns of numbers, which stand below each other from the right."""

OPENED = Markup(" open")
LIST_SEPARATORS = {IN_CHINESE: Markup("、"), IN_ENGLISH: Markup(", ")}

_FORMS_PACKAGE = "focuscrawl.output.report.forms"


def page_text(document: ReportDocument, words: Vocabulary, folder: Path | None = None) -> str:
    """Return a report as a page of less than MOST_BYTES_OF_PAGE: rows are left out where it would be larger.

    ``folder`` is where the page will lie, beside which it links the reports of its topics; None: anywhere.
    """
    maker = _Page(words, folder)

    def written(step: int) -> str:
        page = maker.text(limit_rows(document, *ROWS_THAT_MAY_STAY[step]))
        return page if len(page.encode()) < MOST_BYTES_OF_PAGE else ""

    few, most = len(ROWS_THAT_MAY_STAY) - 1, 0
    if page := written(most):
        return page
    page = written(few)
    if not page:  # a thousand topics: their table alone
        return maker.text(document._replace(topics=()))
    while few - most > 1:  # the fewer rows the smaller
        middle = (few + most) // 2
        if smaller := written(middle):
            page, few = smaller, middle
        else:
            most = middle
    return page


def visible_text(text: str) -> str:
    """Return a text whose every character is seen: characters that turn others around stand as codes."""
    return TURNING.sub(lambda found: f"[U+{ord(found.group()):04X}]", clean_text(text))


@cache
def _resource(name: str) -> str:
    return files(_FORMS_PACKAGE).joinpath(name).read_text("utf-8")


@cache
def _environment() -> Environment:
    # From a dictionary: a template of a zipped egg has no path.
    return Environment(autoescape=True, loader=DictLoader({"page": _resource("page.html")}))


class _Page:
    """Makes one page."""

    def __init__(self, words: Vocabulary, folder: Path | None) -> None:
        self._words = words
        self._folder = folder
        self._charts = Charts(words, self.cell)
        self._made: dict[int, Markup] = {}  # by the identity of rows, which the report keeps

    def text(self, document: ReportDocument) -> str:
        """Return the page."""
        words, style = self._words, _resource("page.css")
        # A topic's own heading says that its first chapter is what is new.
        first = {id(topic.news[0]) for topic in document.topics if topic.news}
        heading = words.say("page", "topics")
        if not document.overview and document.topics:
            heading = self.name_of(document.topics[0])
        return _environment().get_template("page").render(
            document=document,
            heading=heading,
            title=f"{heading} · {words.say('page', 'report')}",
            style=Markup(style),  # noqa: S704 - our own file
            style_hash=f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}",
            made=document.made,
            say=words.say,
            has=words.has,
            number=words.number,
            moment=words.moment,
            cell=self.cell,
            chart=self._charts.markup,
            listing=self.listing,
            name_of=self.name_of,
            full_name=lambda topic: _full_name(self.name_of(topic), topic.topic),
            told_of=lambda section: [one for one in section.listings if one.total],
            heading_of=lambda section: section.name not in ("news", "topics")
            or (section.name == "news" and id(section) not in first),
            since=self.since,
            own_report=self.own_report,
            verdict=lambda topic: self._joined(topic.verdict, Markup(" ")),
            tiles_of=tiles_of,
        )  # fmt: skip

    def name_of(self, topic: TopicReport) -> str:
        """Return what a topic is called."""
        return visible_text(topic.title or topic.topic)

    def since(self, topic: TopicReport) -> str:
        """Say since when the news is new."""
        if topic.is_first:
            return self._words.say("page", "first")
        if topic.since <= 0:
            return self._words.say("page", "since_ever")
        return self._words.say("page", "since", since=self._words.moment(topic.since))

    def own_report(self, topic: TopicReport) -> Markup:
        """Return a link to the report of one of several topics; "" where it has none."""
        if not topic.place:
            return Markup("")
        place = Path(topic.place)
        href = place.as_uri()
        if self._folder is not None:
            href = quote(Path(os.path.relpath(place, self._folder)).as_posix())
        return element("a", _apart(place.name), href=href)

    # Listings -----------------------------------------------------------------------------------

    def listing(self, one: Listing, page_part: str) -> Markup:
        """Return a number that opens its rows."""
        words = self._words
        name = words.say("listing", one.name)
        mark = one.name
        if one.term is not None:
            name, mark = words.say(one.term.group, one.term.word), f"{one.name}-{one.term.word}"
        told = self.cell(one.total if one.number is None else one.number)
        inside = self._entries(one) if one.shape == "entries" else self._table(one)
        most_open = OPEN_NEEDS if one.name == "needs" else OPEN_ENTRIES
        is_open = (
            one.is_first
            and one.rows
            and (one.shape == "entries" or one.total <= most_open or one.name == "topics")
        )
        return Markup(
            '<details id="{}-{}"{}><summary><b>{}</b> {}</summary><div class="inside">{}{}</div></details>'
        ).format(
            *(
                page_part,
                re.sub(r"[^\w-]", "_", mark),
                OPENED if is_open else Markup(""),
                told,
                name,
            ),
            *(inside if one.rows or not one.total else Markup(""), self._rest(one)),
        )

    def _rest(self, one: Listing) -> Markup:
        if not one.command:
            return Markup("")
        words, shown = self._words, len(one.rows)
        if not shown:
            said = words.say("page", "no_rows")
        elif shown < one.total:
            said = words.say(
                "page", "first_rows", shown=words.number(shown), total=words.number(one.total)
            )
        else:
            said = words.say("page", "all_rows")
        return Markup('<p class="command">{} <code>{}</code></p>').format(said, one.command)

    def _table(self, one: Listing) -> Markup:
        if not one.rows:
            return Markup('<p class="about">{}</p>').format(self._words.say("page", "nothing"))
        said = [self._words.say("column", name) for name in one.columns]
        kinds = [
            "t" if name in LONG_COLUMNS else "n" if name in NUMBER_COLUMNS else ""
            for name in one.columns
        ]
        heads = Markup("").join(
            Markup("<th{}>{}").format(_class(kind if kind == "n" else ""), name)
            for kind, name in zip(kinds, said, strict=True)
        )
        columns = [*zip(kinds, said, strict=True)]
        rows = Markup("").join(
            self._once(row, lambda row: self._row(columns, row)) for row in one.rows
        )
        return Markup(
            '<div class="wide"><table class="stack"><thead><tr>{}<tbody>{}</table></div>'
        ).format(heads, rows)

    def _row(self, columns: Sequence[tuple[str, str]], row: Sequence[Cell]) -> Markup:
        cells = (
            Markup("<td{}{}>{}").format(
                _class(kind), _label(name if kind == "n" else ""), self.cell(cell)
            )
            for cell, (kind, name) in zip(row, columns, strict=True)
        )
        return Markup("<tr>{}").format(Markup("").join(cells))

    def _once(self, row: Sequence[Cell], make: Callable[[Sequence[Cell]], Markup]) -> Markup:
        """Return a row as markup, made once: a page that is too large is made anew with fewer of them."""
        if id(row) not in self._made:
            self._made[id(row)] = make(row)
        return self._made[id(row)]

    def _entries(self, one: Listing) -> Markup:
        if not one.rows:
            return Markup('<p class="about">{}</p>').format(self._words.say("page", "nothing"))
        return Markup('<ol class="entries">{}</ol>').format(
            Markup("").join(
                self._once(row, lambda row: self._entry(one.columns, row)) for row in one.rows
            )
        )

    def _entry(self, columns: Sequence[str], row: Sequence[Cell]) -> Markup:
        meta, below = Markup(""), Markup("")
        for name, cell in [*zip(columns, row, strict=True)][1:]:
            if isinstance(cell, Difference):
                below = self.cell(cell)
            elif cell not in (None, "", Cells(()), Hits(())):
                label = "" if name in ("time", "kind", "hits") else self._words.say("column", name)
                meta += Markup("<span><i>{}</i> {}</span>").format(label, self.cell(cell))
        head = Markup('<div class="head">{}</div>').format(self.cell(row[0]))
        return Markup('<li>{}<div class="meta">{}</div>{}</li>').format(head, meta, below)

    # Cells --------------------------------------------------------------------------------------

    def cell(self, cell: Cell) -> Markup:
        """Return a cell as markup."""
        words = self._words
        match cell:
            case None | "":
                return Markup("")
            case bool() | int() | float():
                return Markup("{}").format(words.number(cell))
            case Moment(at):
                if cell.day:
                    return Markup('<time datetime="{0}">{0}</time>').format(cell.day)
                return Markup('<time datetime="{}">{}</time>').format(
                    words.iso(at), words.moment_of(cell)
                )
            case Span(seconds):
                return Markup("{}").format(words.span(seconds))
            case Share(part, whole):
                return Markup("{}").format(
                    words.say("page", "whole", part=words.number(part), whole=words.number(whole))
                )
            case Term(group, word):
                said = visible_text(words.say(group, word))
                if group == "change":
                    return element("b", said, class_=f"kind {word}")
                return Markup("{}").format(said)
            case Anchor(url, said):
                if not is_link(url, LONGEST_HREF):
                    return _apart(said)
                return element("a", _apart(said), href=url, rel="noopener noreferrer nofollow")
            case PagePart(number, said):
                return element("a", _apart(said), href=f"#p{number}")
            case Hits(counts):
                return Markup(" ").join(_hit(word, count) for word, count in counts)
            case Difference():
                return self._difference(cell)
            case Cells(cells, more):
                said = self._joined(cells, LIST_SEPARATORS[words.language])
                rest = words.say("page", "more", more=words.number(more)) if more > 0 else ""
                return Markup("{} <i>{}</i>").format(said, rest) if rest else said
        return _apart(str(cell))

    def _joined(self, cells: Iterable[Cell], between: Markup) -> Markup:
        return between.join(self.cell(one) for one in cells)

    def _difference(self, difference: Difference) -> Markup:
        if not difference.lines:
            return Markup("")
        tags = {"=": Markup("{}"), "-": Markup("<del>{}</del>"), "+": Markup("<ins>{}</ins>")}
        lines = Markup("").join(
            Markup("<li><bdi>{}</bdi></li>").format(
                Markup("").join(tags[sign].format(visible_text(said)) for sign, said in line)
            )
            for line in difference.lines
        )
        if difference.more:
            rest = self._words.say("page", "more_lines", more=difference.more)
            lines += Markup("<li><i>{}</i></li>").format(rest)
        return Markup('<ul class="diff">{}</ul>').format(lines)


def tiles_of(topic: TopicReport) -> list[Listing]:
    """Return the numbers that stand above what is new."""
    return [one for section in topic.news for one in section.listings]


def _full_name(title: str, topic: str) -> str:
    """Return what a topic is called among others: titles may be the same."""
    return title if title == topic else f"{title} ({topic})"


def _apart(text: str) -> Markup:
    return apart(visible_text(text))


def _hit(word: str, count: int) -> Markup:
    times = f" ×{count}" if count > 1 else ""
    return element("span", _apart(word), times, class_="hit")


def _class(name: str) -> Markup:
    return Markup(' class="{}"').format(name) if name else Markup("")


def _label(name: str) -> Markup:
    return Markup(' data-l="{}"').format(name) if name else Markup("")
