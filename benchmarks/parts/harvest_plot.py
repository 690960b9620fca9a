"""Harvests as a person reads them: a table of the terminal, a plot (SVG, or an HTML file around it), a CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from benchmarks.parts.harvests import Harvest
from focuscrawl.output.summary.lines import listed_words
from focuscrawl.output.summary.markup import drawing, element, polyline
from focuscrawl.readers.text.characters import padded, width_of

_COLOURS = ("#0b6e99", "#c2410c", "#15803d", "#7c3aed", "#b91c1c", "#a16207", "#0f766e", "#be185d")
_DASHES = ("", "6 3", "2 3")
"""The ninth run has the colour of the first, and another line."""

_STYLE = Markup(
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem auto;"
    "max-width:60rem;padding:0 1rem}svg{max-width:100%;height:auto}pre{overflow-x:auto}"
)
_TITLE = "Relevant pages over pages fetched"

WIDTH, HEIGHT = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 16, 40
_FONT, _LINE, _SAMPLE = 12, 18, 24
"""Units of the drawing, of its margins (numbers stand left and below), of letters, and of a line of the
legend with the sample of a curve in it."""

MOST_POINTS = 400
"""Points of a curve that are drawn: more than half the pixels of the plot show nothing more."""

_STEPS, _MOST_NUMBERS = (1, 2, 5), 5
"""Steps between the numbers of an axis, times a power of ten, and how many numbers there may be above 0."""


def table_text(harvests: Sequence[Harvest]) -> str:
    """Return a line for each run: its figures, and what it had after as many pages as all have."""
    common = min((one.pages for one in harvests), default=0)
    after = f"after {common:,}"
    head = (
        "run", "order", "seed", "pages", "relevant", "harvest", after, "seconds",
    )  # fmt: skip
    rows = [
        (
            one.name, one.order, one.seed, f"{one.pages:,}", f"{one.at(one.pages):,}",
            f"{one.share(one.pages):.1%}", f"{one.at(common):,}",
            "-" if one.seconds is None else f"{one.seconds:,.0f}",
        )
        for one in harvests
    ]  # fmt: skip
    widths = [max(width_of(row[place]) for row in (head, *rows)) for place in range(len(head))]
    words = 3  # columns of words are set to the left, figures to the right
    lines = []
    for row in (head, *rows):
        cells = [
            padded(cell, width) if place < words else " " * (width - width_of(cell)) + cell
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    if common and len(harvests) > 1:
        lines.append(_best(harvests, common))
    return "\n".join(lines)


def _best(harvests: Sequence[Harvest], common: int) -> str:
    """Say which runs had most after as many pages as all have; of a tie none is the first."""
    most = max(one.at(common) for one in harvests)
    best = [one.name for one in harvests if one.at(common) == most]
    told = "after {common:,} pages each: most relevant ones by {name}"
    if len(best) == len(harvests):
        told = "after {common:,} pages each: all have found as many relevant ones"
    return told.format(common=common, name=listed_words(best))


def csv_text(harvests: Sequence[Harvest]) -> str:
    """Return all curves, a row for each page: run, topic, run_id, order, seed, pages, relevant."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(("run", "topic", "run_id", "order", "seed", "pages", "relevant"))
    for one in harvests:
        for number, relevant in enumerate(one.relevant, start=1):
            rows.writerow((one.name, one.topic, one.run_id, one.order, one.seed, number, relevant))
    return written.getvalue()


def html_text(harvests: Sequence[Harvest]) -> str:
    """Return a page of its own with the plot and the table; it needs no network and no script."""
    head = element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", "Harvest"),
        element("style", _STYLE),
    )
    table = element("pre", table_text(harvests))
    body = element("body", element("h1", _TITLE), svg_text(harvests), table)
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def svg_text(harvests: Sequence[Harvest]) -> Markup:
    """Return the plot: pages fetched to the right, relevant ones upwards, a line for each run."""
    most_pages = max([1, *(one.pages for one in harvests)])
    most_relevant = max([1, *(one.at(one.pages) for one in harvests)])
    shapes = [*_axes(most_pages, most_relevant)]
    for number, one in enumerate(harvests):
        shapes += _curve(number, one, most_pages, most_relevant)
    return drawing(
        WIDTH,
        HEIGHT,
        _TITLE,
        *shapes,
        name="harvest",
        xmlns="http://www.w3.org/2000/svg",
        font_family="system-ui, sans-serif",
        font_size=_FONT,
        fill="currentColor",
    )


def _curve(number: int, one: Harvest, most_pages: int, most_relevant: int) -> Iterator[Markup]:
    """Go through the line of a run and its place in the legend."""
    style = {
        "stroke": _COLOURS[number % len(_COLOURS)],
        "stroke_dasharray": _DASHES[number // len(_COLOURS) % len(_DASHES)],
        "stroke_width": 2,
    }
    places = (
        (_x_of(page, most_pages), _y_of(relevant, most_relevant)) for page, relevant in _points(one)
    )
    yield polyline(places, 1, fill="none", **style)
    left, line = _LEFT + _FONT, _TOP + 14 + _LINE * number
    yield element("line", x1=left, x2=left + _SAMPLE, y1=line, y2=line, **style)
    label = f"{one.name}: {one.at(one.pages):,} of {one.pages:,}"
    yield element("text", label, x=left + _SAMPLE + 6, y=line + 4)


def _points(one: Harvest) -> Iterator[tuple[int, int]]:
    yield 0, 0
    step = max(1, one.pages // MOST_POINTS)
    for page in range(step, one.pages, step):
        yield page, one.at(page)
    yield one.pages, one.at(one.pages)


def _x_of(pages: int, most: int) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * pages / most


def _y_of(relevant: int, most: int) -> float:
    return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * relevant / most


def _axes(most_pages: int, most_relevant: int) -> Iterator[Markup]:
    """Go through the axes with round numbers, and the line that a crawl without a miss would be."""
    faint = {"stroke": "currentColor", "stroke_opacity": ".2"}
    for number in _round_numbers(most_relevant):
        y = f"{_y_of(number, most_relevant):.1f}"
        yield element("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y, y2=y, **faint)
        yield element("text", f"{number:,}", x=_LEFT - 6, y=y, dy=4, text_anchor="end")
    for number in _round_numbers(most_pages):
        x = f"{_x_of(number, most_pages):.1f}"
        yield element("text", f"{number:,}", x=x, y=HEIGHT - _BOTTOM + 16, text_anchor="middle")
    right = f"{_x_of(most_relevant, most_pages):.1f}"
    top = f"{_y_of(most_relevant, most_relevant):.1f}"
    foot = {"x1": _LEFT, "y1": HEIGHT - _BOTTOM}
    yield element("line", x2=right, y2=top, stroke_dasharray="3 3", **foot, **faint)
    middle = f"{(WIDTH + _LEFT - _RIGHT) / 2:.0f}"
    yield element("text", "pages fetched", x=middle, y=HEIGHT - 6, text_anchor="middle")


def _round_numbers(most: int) -> list[int]:
    """Return 0 and some five round numbers up to the largest."""
    size = 1
    while True:
        for step in _STEPS:
            if most <= _MOST_NUMBERS * step * size:
                return [*range(0, most + 1, step * size)]
        size *= 10
