"""Harvests as a person reads them: a table of the terminal, a plot (SVG, or an HTML file around it), a CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from html import escape

from focuscrawl.compare.harvest import Harvest
from focuscrawl.locale.messages import _
from focuscrawl.text.characters import padded, width_of

_COLOURS = ("#0b6e99", "#c2410c", "#15803d", "#7c3aed", "#b91c1c", "#a16207", "#0f766e", "#be185d")
_DASHES = ("", "6 3", "2 3")
"""The ninth run has the colour of the first, and another line."""

WIDTH, HEIGHT = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 16, 40
MOST_POINTS = 400
"""Points of a curve that are drawn: more than half the pixels of the plot show nothing more."""

_STEPS = (1, 2, 5)


def table_text(harvests: Sequence[Harvest]) -> str:
    """Return a line for each run: its figures, and what it had after as many pages as all have."""
    common = min((one.pages for one in harvests), default=0)
    after = _("after {common:,}").format(common=common)
    head = (
        _("run"), _("order"), _("seed"), _("pages"), _("relevant"), _("harvest"), after, _("seconds"),
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
    best = max(harvests, key=lambda one: one.at(common), default=None)
    if best is not None and common and len(harvests) > 1:
        lines.append(
            _("after {common:,} pages each: most relevant ones by {name}").format(
                common=common, name=best.name
            )
        )
    return "\n".join(lines)


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
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Harvest</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem auto;"
        "max-width:60rem;padding:0 1rem}svg{max-width:100%;height:auto}pre{overflow-x:auto}</style>\n"
        "</head><body>\n<h1>Relevant pages over pages fetched</h1>\n"
        f"{svg_text(harvests)}\n<pre>{escape(table_text(harvests))}</pre>\n</body></html>\n"
    )


def svg_text(harvests: Sequence[Harvest]) -> str:
    """Return the plot: pages fetched to the right, relevant ones upwards, a line for each run."""
    most_pages = max([1, *(one.pages for one in harvests)])
    most_relevant = max([1, *(one.at(one.pages) for one in harvests)])
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
            ' font-family="system-ui, sans-serif" font-size="12" fill="currentColor">'
        ),
        "<title>Relevant pages over pages fetched</title>",
        *_axes(most_pages, most_relevant),
    ]
    for number, one in enumerate(harvests):
        colour = _COLOURS[number % len(_COLOURS)]
        dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
        style = f'stroke="{colour}"' + f' stroke-dasharray="{dash}"' * bool(dash)
        points = " ".join(
            f"{_across(page, most_pages):.1f},{_up(relevant, most_relevant):.1f}"
            for page, relevant in _points(one)
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke-width="2" {style}/>')
        line = _TOP + 14 + 18 * number
        label = escape(
            _("{name}: {relevant:,} of {pages:,}").format(
                name=one.name, relevant=one.at(one.pages), pages=one.pages
            )
        )
        parts.append(
            f'<line x1="{_LEFT + 12}" x2="{_LEFT + 36}" y1="{line}" y2="{line}" stroke-width="2" {style}/>'
            f'<text x="{_LEFT + 42}" y="{line + 4}">{label}</text>'
        )
    return "\n".join([*parts, "</svg>"])


def _points(one: Harvest) -> Iterator[tuple[int, int]]:
    yield 0, 0
    step = max(1, one.pages // MOST_POINTS)
    for page in range(step, one.pages, step):
        yield page, one.at(page)
    yield one.pages, one.at(one.pages)


def _across(pages: int, most: int) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * pages / most


def _up(relevant: int, most: int) -> float:
    return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * relevant / most


def _axes(most_pages: int, most_relevant: int) -> Iterator[str]:
    """Go through the axes with round numbers, and the line that a crawl without a miss would be."""
    faint = 'stroke="currentColor" stroke-opacity=".2"'
    for number in _round_numbers(most_relevant):
        y = f"{_up(number, most_relevant):.1f}"
        yield f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y}" y2="{y}" {faint}/>'
        yield f'<text x="{_LEFT - 6}" y="{y}" dy="4" text-anchor="end">{number:,}</text>'
    for number in _round_numbers(most_pages):
        x = f"{_across(number, most_pages):.1f}"
        yield f'<text x="{x}" y="{HEIGHT - _BOTTOM + 16}" text-anchor="middle">{number:,}</text>'
    right, top = _across(most_relevant, most_pages), _up(most_relevant, most_relevant)
    yield (
        f'<line x1="{_LEFT}" y1="{HEIGHT - _BOTTOM}" x2="{right:.1f}" y2="{top:.1f}" {faint} stroke-dasharray="3 3"/>'
    )
    middle = (WIDTH + _LEFT - _RIGHT) / 2
    yield f'<text x="{middle:.0f}" y="{HEIGHT - 6}" text-anchor="middle">pages fetched</text>'


def _round_numbers(most: int) -> list[int]:
    """Return 0 and some five round numbers up to the largest."""
    size = 1
    while True:
        for step in _STEPS:
            if most <= 5 * step * size:
                return [*range(0, most + 1, step * size)]
        size *= 10
