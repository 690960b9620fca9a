"""Charts as inline SVG that stretches with the page: shapes alone, with words and numbers as text around them.

A drawing that is scaled as a whole would have letters of five pixels on a telephone. So only what may be
stretched is drawn, and each drawing has a title that says in words what it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

from markupsafe import Markup

from focuscrawl.output.report.contents import Bar, BarChart, Cell, Chart, Curve, LineChart
from focuscrawl.output.summary.markup import drawing, element, polyline

if TYPE_CHECKING:
    from focuscrawl.output.report.forms.words import Vocabulary

WIDTH, HEIGHT = 720, 160
"""Units of a drawing; how large one is, the page says."""

FEWEST_PLACES = 12
"""Places for bars side by side: two would be as wide as walls."""

BAR_STEP, BAR_WIDTH = 10, 8
"""Units from one bar to the next, and of a bar, where they stand side by side."""

LONGEST_BAR, BAR_HEIGHT, SHORTEST_BAR = 1_000, 10, 1.5
"""Units of bars below each other; the shortest can still be seen."""

COLOURS = 8
"""Colours of the page's style; the rest of the parts share the last one."""

CellMarkup = Callable[[Cell], Markup]


class Charts:
    """Draws the charts of one page: ids are never twice the same. ``cell`` makes a cell markup."""

    def __init__(self, words: Vocabulary, cell: CellMarkup) -> None:
        self._words = words
        self._cell = cell
        self._numbers = count(1)

    def markup(self, chart: Chart) -> Markup:
        """Return a chart as a figure."""
        if isinstance(chart, LineChart):
            return self._lines(chart)
        return self._upright(chart) if chart.upright else self._bars(chart)

    # Over time ----------------------------------------------------------------------------------

    def _lines(self, chart: LineChart) -> Markup:
        lines = [line for line in chart.lines if line.points]
        times = [time for line in lines for time, _ in line.points]
        first, last = min(times), max(times)
        most = max(1.0, *(value for line in lines for _, value in line.points))
        drawn = Markup("").join(
            polyline(_points(line, first, last, most), 0, class_=f"s{number}")
            for number, line in enumerate(lines)
        )
        grid = Markup("").join(
            element("path", class_="grid", d=f"M0 {HEIGHT * part // 4}H{WIDTH}")
            for part in range(1, 4)
        )
        said = [(line.name, line.points[-1][1]) for line in lines]
        title = ", ".join(
            f"{self._words.say('line', name)} {self._words.number(value)}" for name, value in said
        )
        return self._figure(
            chart.name,
            self._legend("line", [name for name, _ in said], dict(said)),
            Markup('<div class="plot"><span class="top">{}</span>{}</div>{}').format(
                self._words.number(most),
                self._drawing(title, WIDTH, HEIGHT, grid + drawn),
                self._ends(first, last),
            ),
        )

    def _ends(self, first: float, last: float) -> Markup:
        times = [self._words.moment(first), self._words.moment(last)]
        return Markup('<div class="ends"><span>{}</span><span>{}</span></div>').format(*times)

    # Bars ---------------------------------------------------------------------------------------

    def _upright(self, chart: BarChart) -> Markup:
        names = [*dict.fromkeys(name for bar in chart.bars for name, _ in bar.parts)]
        most = max(1.0, *(sum(value for _, value in bar.parts) for bar in chart.bars))
        shapes = Markup("")
        for place, bar in enumerate(chart.bars):
            foot = float(HEIGHT)
            for name, value in bar.parts:
                height = value / most * HEIGHT
                foot -= height
                if height:
                    shapes += element(
                        "rect",
                        class_=f"f{names.index(name)}",
                        x=place * BAR_STEP + 1,
                        y=f"{foot:.1f}",
                        width=BAR_WIDTH,
                        height=f"{height:.1f}",
                    )
        totals = {
            name: sum(value for bar in chart.bars for one, value in bar.parts if one == name)
            for name in names
        }
        title = self._in_words(chart.group, [*totals.items()])
        ends = Markup('<div class="ends"><span>{}</span><span>{}</span></div>').format(
            self._cell(chart.bars[0].label), self._cell(chart.bars[-1].label)
        )
        width = BAR_STEP * max(len(chart.bars), FEWEST_PLACES)
        return self._figure(
            chart.name,
            self._legend(chart.group, names, totals),
            Markup('<div class="plot"><span class="top">{}</span>{}</div>{}').format(
                self._words.number(most), self._drawing(title, width, HEIGHT, shapes), ends
            ),
        )

    def _bars(self, chart: BarChart) -> Markup:
        names = [*dict.fromkeys(name for bar in chart.bars for name, _ in bar.parts)]
        most = max(1.0, *(sum(value for _, value in bar.parts) for bar in chart.bars))
        rows = Markup("").join(self._bar(bar, chart.group, names, most) for bar in chart.bars)
        legend = self._legend(chart.group, names, {}) if len(names) > 1 else Markup("")
        return self._figure(chart.name, legend, Markup('<ul class="bars">{}</ul>').format(rows))

    def _bar(self, bar: Bar, group: str, names: Sequence[str], most: float) -> Markup:
        at, shapes = 0.0, Markup("")
        for name, value in bar.parts:
            width = value / most * LONGEST_BAR
            if value:
                shapes += element(
                    "rect",
                    class_=f"f{min(names.index(name), COLOURS - 1)}",
                    x=f"{at:.1f}",
                    width=f"{max(width, SHORTEST_BAR):.1f}",
                    height=BAR_HEIGHT,
                )
            at += width
        title = self._in_words(group, bar.parts)
        note = bar.note
        if note is None:
            note = " / ".join(self._words.number(value) for _, value in bar.parts)
        return Markup("<li><span>{}</span>{}<b>{}</b></li>").format(
            self._cell(bar.label),
            self._drawing(title, LONGEST_BAR, BAR_HEIGHT, shapes),
            self._cell(note),
        )

    # What all share -----------------------------------------------------------------------------

    def _drawing(self, title: str, width: int, height: int, shapes: Markup) -> Markup:
        name = f"t{next(self._numbers)}"
        return drawing(width, height, title, shapes, name=name, preserveAspectRatio="none")

    def _figure(self, name: str, legend: Markup, inside: Markup) -> Markup:
        caption = self._words.say("chart", name)
        return Markup("<figure><figcaption>{}{}</figcaption>{}</figure>").format(
            caption, legend, inside
        )

    def _legend(self, group: str, names: Sequence[str], values: dict[str, float]) -> Markup:
        marks = Markup("").join(
            Markup('<span class="k{}">{}{}</span>').format(
                min(place, COLOURS - 1),
                self._words.say(group, name),
                f" {self._words.number(values[name])}" if name in values else "",
            )
            for place, name in enumerate(names)
        )
        return Markup('<span class="legend">{}</span>').format(marks)

    def _in_words(self, group: str, parts: Sequence[tuple[str, float]]) -> str:
        said = (
            f"{self._words.say(group, name)} {self._words.number(value)}" for name, value in parts
        )
        return ", ".join(said)


def _points(line: Curve, first: float, last: float, most: float) -> Iterator[tuple[float, float]]:
    wide = max(1.0, last - first)
    for time, value in line.points:
        yield (time - first) / wide * WIDTH, HEIGHT - value / most * HEIGHT
