"""The numbers in the rows of a board, and which of them count replies, which views."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple
from urllib.parse import urldefrag

from lxml import etree

from focuscrawl.features.forums.elements import (
    BoardRow,
    TextPiece,
    column_of,
    elements_of,
    outward,
    path_in,
    pieces,
)
from focuscrawl.features.forums.words import (
    LAST_REPLY,
    LONGEST_NUMBER,
    NONE_YET,
    PAIR,
    REPLIES,
    TOPICS,
    VIEWS,
    count_in,
)
from focuscrawl.readers.pages.texts import element_text

HINTS = ("class", "id", "title", "aria-label", "data-title", "data-label")
NOT_A_LABEL = re.compile(r"[\d\s,.:：()（）/|·•\[\]【】+]+|个|條|条|次|件")

NumberPlace = tuple[object, ...]


class Number(NamedTuple):
    """A number in a row: its value, its place, what its label says ("" none).

    ``of_title``: it leads where the title does; ``behind``: it stands behind the title.
    """

    value: int
    place: NumberPlace
    says: str
    of_title: bool = False
    behind: bool = True


def numbers_in(url: str, row: BoardRow, heads: dict[etree._Element, list[str]]) -> list[Number]:
    """Return the numbers of a row whose title leads to ``url``; ``heads`` remembers the heads of tables."""
    found: list[Number] = []
    own = frozenset(row.elements)
    is_behind = False
    for piece in pieces(row):
        is_behind = is_behind or _is_title(piece, own, url)
        if len(piece.text) > LONGEST_NUMBER or LAST_REPLY.search(piece.text):
            continue
        if NONE_YET.search(piece.text):
            found.append(Number(0, _place(piece, row), "replies"))
            continue
        pair = PAIR.fullmatch(piece.text)
        if pair is not None:
            label = _label(piece, row, heads)
            found += _numbers_of(pair, label, _place(piece, row))
            continue
        counted = _counted(piece.text)
        if counted is None:
            continue
        value, says = counted
        anchor = _anchor(piece.element, own)
        of_title = anchor is not None and _leads_to(anchor, url)
        says = says or _label(piece, row, heads)
        if "/" in says:
            says = ""
        if anchor is not None and not of_title and not says:
            continue  # the number of a page, or of a user
        found.append(Number(value, _place(piece, row), says, of_title, is_behind))
    return found


def _numbers_of(pair: re.Match[str], label: str, place: NumberPlace) -> list[Number]:
    """Return the two numbers of 12/345, by the label of both."""
    names = {"replies/views": ("replies", "views"), "views/replies": ("views", "replies")}
    both = zip((count_in(pair[1]), count_in(pair[2])), names.get(label, ("", "")), strict=True)
    return [
        Number(value, (*place, index), name)
        for index, (value, name) in enumerate(both)
        if value is not None
    ]


def _counted(text: str) -> tuple[int, str] | None:
    """Return the number that is all of a text, and what its words say of it, "" without words; None for
    what is something else: a date, a level.
    """
    bare = NOT_A_LABEL.sub("", text) if any(map(str.isdigit, text)) else "-"
    digits = re.search(r"\d[\d,，]*(?:\.\d+)?\s*[kKmMwW千万萬]?", text)
    if digits is None or len(bare) > 12:
        return None
    value, words = count_in(digits[0]), bare.strip("kKmMwW千万萬")
    says = _says(bare) if words else ""
    if value is None or (not says and (words or not _is_bare(text))):
        return None
    return value, says


def _is_title(piece: TextPiece, own: frozenset[etree._Element], url: str) -> bool:
    if count_in(piece.text) is not None:
        return False
    anchor = _anchor(piece.element, own)
    return anchor is not None and _leads_to(anchor, url)


def _is_bare(text: str) -> bool:
    return count_in(text.strip("()（）[]【】 ")) is not None


def _both(text: str) -> str:
    """Tell what words say that stand over a number, or over two; "" when it is something of the last reply."""
    return "" if LAST_REPLY.search(text) else _says(text)


def _says(text: str) -> str:
    replies, views = REPLIES.search(text), VIEWS.search(text)
    if replies and views:
        return "replies/views" if replies.start() < views.start() else "views/replies"
    return "replies" if replies else "views" if views else "topics" if TOPICS.search(text) else ""


def _label(piece: TextPiece, row: BoardRow, heads: dict[etree._Element, list[str]]) -> str:
    """Tell what the label of a number says: beside it, in a class around it, over its column."""
    element = piece.element
    own = row.elements
    for above in islice(outward(element), 4):
        hints = " ".join(above.get(name, "") for name in HINTS)
        if hints.strip() and (says := _both(hints)) and above not in own:
            return says
        if above in own:
            break
        text = element_text(above)
        if len(text) <= LONGEST_NUMBER and (says := _both(text)):
            return says
        if above.tag in {"td", "th", "li"}:
            break
    before = _before(piece)
    if before and (says := _both(before)) and "/" not in says:
        return says
    return _heading(element, row, heads)


def _before(piece: TextPiece) -> str:
    """Return a short text right before a number."""
    element = piece.element
    if piece.tail:
        return ""
    previous = element.getprevious()
    text = (previous.tail if previous is not None else None) or ""
    if not text.strip() and previous is not None:
        text = element_text(previous)
    if previous is None and (above := element.getparent()) is not None:
        text = above.text or ""
    text = text.strip()
    return text if len(text) <= LONGEST_NUMBER and not any(map(str.isdigit, text)) else ""


def _heading(element: etree._Element, row: BoardRow, heads: dict[etree._Element, list[str]]) -> str:
    """Tell what stands over the column of a cell."""
    cell = next((one for one in outward(element) if one.tag in {"td", "th"}), None)
    if cell is None or (line := cell.getparent()) is None:
        return ""
    table = next((one for one in line.iterancestors() if one.tag == "table"), None)
    if table is None:
        return ""
    if table not in heads:
        heads[table] = _headings(table, line)
    column = column_of(cell)
    names = heads[table]
    return (
        _both(names[column]) if column < len(names) and len(names[column]) <= LONGEST_NUMBER else ""
    )


def _headings(table: etree._Element, line: etree._Element) -> list[str]:
    """Return the texts of the first row of a table, one for each column; it must not be the row itself."""
    for first in islice(table.iter("tr"), 4):
        if first is line:
            break
        cells = [cell for cell in first if cell.tag in {"th", "td"}]
        if len(cells) < 3 or any(map(str.isdigit, element_text(cells[-1]))):
            continue
        names: list[str] = []
        for cell in cells:
            names += [""] * (column_of(cell) - len(names))
            names.append(element_text(cell))
        return names
    return []


def _place(piece: TextPiece, row: BoardRow) -> NumberPlace:
    return (*path_in(piece.element, row), piece.tail)


def _anchor(element: etree._Element, own: frozenset[etree._Element]) -> etree._Element | None:
    """Return the link an element of a row stands in; ``own`` are the row's elements."""
    for above in outward(element):
        if above.tag == "a" and above.get("href"):
            return above
        if above in own:
            break
    return None


def _leads_to(anchor: etree._Element, url: str) -> bool:
    """Whether a link leads to the page a title leads to, by the end of its address."""
    href = urldefrag(anchor.get("href", "")).url.strip()
    tail = href.rpartition("/")[2]
    return bool(tail) and url.endswith(tail)


FRAGMENT = re.compile(r"^(?:reply|comment)s?[_-]?(\d{1,7})$", re.IGNORECASE)
_MOST_COUNTED_ELEMENTS = 2_000  # of a row that are looked at: a row of a board has some dozens
# Share of rows that must have a number somewhere for it to be a column without a label. On six labelled
# boards .3 and .9 find the same counts.
FEWEST_SHARE = 0.6


class Counts(NamedTuple):
    """What a row counts; None where it does not say."""

    replies: int | None = None
    views: int | None = None


def counts_in(rows: Sequence[tuple[str, BoardRow]], fewest: int) -> list[Counts] | None:
    """Read the counts of rows, given with the addresses their titles lead to.

    ``fewest`` rows are needed where nothing labels a number. None: these are no rows of threads, for
    they count threads.
    """
    heads: dict[etree._Element, list[str]] = {}
    read = [numbers_in(urldefrag(url).url, row, heads) for url, row in rows]
    topics = sum(any(number.says == "topics" for number in numbers) for numbers in read)
    if topics and 2 * topics >= len(rows):
        return None
    told = [_by_fragment(row) for _, row in rows]
    replies = _labelled(read, "replies")
    views = _labelled(read, "views")
    if not any(one is not None for one in (*told, *replies)):
        unlabelled = _unlabelled(read, fewest)
        if unlabelled:
            replies, views = unlabelled
    known = [
        first if first is not None else second for first, second in zip(told, replies, strict=True)
    ]
    known = _none_is_nought(rows, known)
    return [Counts(*pair) for pair in zip(known, views, strict=True)]


def _by_fragment(row: BoardRow) -> int | None:
    """Read #reply35 of an address that leads to the last reply."""
    for element in islice(elements_of(row), _MOST_COUNTED_ELEMENTS):
        if element.tag == "a":
            _, mark, fragment = element.get("href", "").rpartition("#")
            if mark and (found := FRAGMENT.match(fragment.strip())):
                return int(found[1])
    return None


def _labelled(rows: Sequence[Sequence[Number]], what: str) -> list[int | None]:
    """Return each row's number of this label, from the place that has it most often."""
    places = Counter(number.place for numbers in rows for number in numbers if number.says == what)
    values: list[int | None] = []
    for numbers in rows:
        own = [number for number in numbers if number.says == what]
        best = max(own, key=lambda number: places[number.place], default=None)
        values.append(best.value if best is not None else None)
    return values


def _unlabelled(
    rows: Sequence[Sequence[Number]], fewest: int
) -> tuple[list[int | None], list[int | None]] | None:
    """Tell replies from views by their size, where no number has a label.

    A number that links to the thread counts its replies. Of two columns the smaller does: each
    reply is also a view.
    """
    if len(rows) < fewest:
        return None
    full = _full_columns(rows)
    if not full:
        return None
    linked = [column for column in full if all(number.of_title for number in column.values())]
    replies = (linked or sorted(full, key=_total))[0]
    rest = [column for column in full if column is not replies and _total(column) > _total(replies)]
    views = max(rest, key=_total, default={})

    def values(column: dict[int, Number]) -> list[int | None]:
        return [column[index].value if index in column else None for index in range(len(rows))]

    return values(replies), values(views)


def _full_columns(rows: Sequence[Sequence[Number]]) -> list[dict[int, Number]]:
    """Return the numbers without a label of each place that most rows have, by row: no numbers of the rows
    themselves, and none before the titles where some stand behind them.
    """
    columns = _columns_without_label(rows)
    full = [column for column in columns if len(column) >= FEWEST_SHARE * len(rows)]
    full = [column for column in full if not _counts_rows(column)]
    behind = [column for column in full if all(number.behind for number in column.values())]
    return behind or full


def _columns_without_label(rows: Sequence[Sequence[Number]]) -> list[dict[int, Number]]:
    columns: dict[NumberPlace, dict[int, Number]] = {}
    for index, numbers in enumerate(rows):
        for number in numbers:
            if not number.says:
                columns.setdefault(number.place, {}).setdefault(index, number)
    return list(columns.values())


def _total(column: dict[int, Number]) -> int:
    return sum(number.value for number in column.values())


def _counts_rows(column: dict[int, Number]) -> bool:
    """Whether a column numbers the rows: 1, 2, 3, …"""
    values = [number.value for number in column.values()]
    return len(values) > 1 and all(b - a == 1 for a, b in pairwise(values))


def _none_is_nought(
    rows: Sequence[tuple[str, BoardRow]], known: list[int | None]
) -> list[int | None]:
    """A row like the others whose count is left blank has no replies."""
    parents = Counter(
        (row.top.getparent(), row.top.tag)
        for (_, row), value in zip(rows, known, strict=True)
        if value is not None
    )
    return [
        0
        if value is None and parents[row.top.getparent(), row.top.tag] >= max(2, len(rows) // 2)
        else value
        for (_, row), value in zip(rows, known, strict=True)
    ]
