"""A report as a text for terminals and mails, and as JSON; a listing alone, whole, as a table of tabs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from focuscrawl.output.report.contents import (
    Anchor,
    Cell,
    Cells,
    Chapter,
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
    plain_value,
)
from focuscrawl.stores.results.columns import clean_line

if TYPE_CHECKING:
    from focuscrawl.output.report.forms.words import Vocabulary
    from focuscrawl.values import Json

MOST_TOPICS_IN_TEXT = 1_000
ROWS_IN_TEXT = 10
"""Rows of what is new that a text shows; of how it went it shows the numbers alone."""


def document_json(document: ReportDocument) -> str:
    """Return a report as JSON: sections by topic, listings by name, times in seconds since 1970 UTC."""
    whole: Json = {
        "made": document.made,
        "overview": [plain_value(one) for one in document.overview],
        "topics": [
            {
                "topic": topic.topic,
                "title": topic.title,
                "since": topic.since,
                "first": topic.is_first,
                "report": topic.place,
                "verdict": plain_value(list(topic.verdict)),
                "news": plain_value(list(topic.news)),
                "course": plain_value(list(topic.course)),
            }
            for topic in document.topics
        ],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1)


def document_lines(document: ReportDocument, words: Vocabulary) -> str:
    """Return a report as text."""
    said = _Text(words)
    lines = [line for one in document.overview for line in said.section(one, MOST_TOPICS_IN_TEXT)]
    for topic in document.topics:
        lines += ["", *said.topic(topic)]
    return "\n".join(lines).strip()


def listing_lines(listing: Listing, words: Vocabulary) -> str:
    """Return all rows of a listing, a line each, cells apart by tabs; the first line names them."""
    said = _Text(words)
    heads = [words.say("column", name) for name in listing.columns]
    rows = (said.cells(row) for row in listing.rows)
    return "\n".join("\t".join(row) for row in (heads, *rows))


class _Text:
    def __init__(self, words: Vocabulary) -> None:
        self._words = words

    def topic(self, topic: TopicReport) -> Iterator[str]:
        """Go through the lines of a topic."""
        words = self._words
        since = words.say("page", "since_ever")
        if topic.is_first:
            since = words.say("page", "first")
        elif topic.since > 0:
            since = words.say("page", "since", since=words.moment(topic.since))
        yield f"{clean_line(topic.title or topic.topic)}: {' '.join(self.cells(topic.verdict))}"
        yield f"== {words.say('page', 'news')} ({since})"
        for section in topic.news:
            if section.name == "news" and section is not topic.news[0]:
                yield f"-- {words.say('section', section.name)}"
            yield from self.section(section, ROWS_IN_TEXT)
        if topic.course:
            yield f"== {words.say('page', 'course')}"
        for section in topic.course:
            yield from self.section(section, 0)

    def section(self, section: Chapter, most: int) -> Iterator[str]:
        """Go through the lines of a section; so many rows of each listing."""
        words = self._words
        if section.name != "news":
            yield f"-- {words.say('section', section.name)}"
        for name, cell in section.facts:
            yield f"  {words.say('fact', name)}: {self.cell(cell)}"
        for one in section.listings:
            name = words.say(*one.term) if one.term else words.say("listing", one.name)
            told = self.cell(one.total if one.number is None else one.number)
            yield f"  {name}: {told}"
            for row in one.rows[:most]:
                yield "    - " + " | ".join(filter(None, self.cells(row)))
            if one.command and most and one.total > len(one.rows[:most]):
                yield f"    … {one.command}"

    def cells(self, row: Sequence[Cell]) -> list[str]:
        """Return the cells of a row as texts without tabs and line feeds."""
        return [clean_line(self.cell(cell)) for cell in row]

    def cell(self, cell: Cell) -> str:
        """Return a cell as text."""
        words = self._words
        match cell:
            case None:
                return ""
            case bool() | int() | float():
                return words.number(cell)
            case Moment():
                return cell.day or words.moment_of(cell)
            case Span(seconds):
                return words.span(seconds)
            case Share(part, whole):
                return words.say(
                    "page", "whole", part=words.number(part), whole=words.number(whole)
                )
            case Term(group, word):
                return words.say(group, word)
            case Anchor(url, said):
                return said if said == url or not said else f"{said} <{url}>"
            case PagePart(_, said):
                return said
            case Hits(counts):
                return ", ".join(
                    f"{word} ×{count}" if count > 1 else word for word, count in counts
                )
            case Difference(lines):
                return " / ".join(
                    "".join(_edit(sign, said) for sign, said in line) for line in lines
                )
            case Cells(cells, more):
                said = ", ".join(self.cell(one) for one in cells)
                return f"{said} {words.say('page', 'more', more=more)}" if more > 0 else said
        return str(cell)


def _edit(sign: str, said: str) -> str:
    return said if sign == "=" else f"[{sign}{said}]"
