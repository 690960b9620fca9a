"""Runs side by side: curves of the results, as a table, a plot and a CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from benchmarks.compare import compare_runs
from benchmarks.parts.harvest_plot import MOST_POINTS, csv_text, html_text, svg_text, table_text
from benchmarks.parts.harvests import Harvest, NoSuchRun, read_harvest
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.results.kinds.runs import RunRow, RunStart
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import Page, PageClass
from tests.clock import StandingClock
from tests.kinds import KINDS

SVG = "{http://www.w3.org/2000/svg}"


def curve(name: str, *found: int, order: str = "portfolio") -> Harvest:
    """A run whose pages were relevant (1) or not."""
    sums = [sum(found[: number + 1]) for number in range(len(found))]
    return Harvest(name, "metro", f"run-{name}", 0.0, 12.4, "7", order, sums)


def test_the_table_compares_after_as_many_pages_as_all_have() -> None:
    told = table_text([curve("a", 1, 0, 0, 0), curve("b", 0, 1, 1, order="breadth-first")])
    assert told.splitlines() == [
        "run  order          seed  pages  relevant  harvest  after 3  seconds",
        "a    portfolio      7         4         1    25.0%        1       12",
        "b    breadth-first  7         3         2    66.7%        2       12",
        "after 3 pages each: most relevant ones by b",
    ]


def test_of_runs_that_have_found_as_many_none_is_named_alone() -> None:
    alike = [curve("a", 1, 0, 1), curve("b", 0, 1, 1)]
    said = table_text(alike).splitlines()[-1]
    assert said == "after 3 pages each: all have found as many relevant ones"
    said = table_text([*alike, curve("c", 1, 0, 0)]).splitlines()[-1]
    assert said == "after 3 pages each: most relevant ones by a, b"


def test_a_run_without_a_page_has_no_harvest_and_is_drawn_all_the_same() -> None:
    empty = curve("none")
    assert (empty.at(10), empty.share(10)) == (0, 0.0)
    assert "0.0%" in table_text([empty])
    assert etree.fromstring(svg_text([empty])).tag == f"{SVG}svg"


def test_the_csv_has_a_row_for_each_page() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text([curve("a", 1, 0), curve("b", 1)]))))
    assert [(row["run"], row["pages"], row["relevant"]) for row in rows] == [
        ("a", "1", "1"), ("a", "2", "1"), ("b", "1", "1"),
    ]  # fmt: skip


def test_the_page_needs_nothing_from_elsewhere_and_shows_names_as_text() -> None:
    page = html_text([curve("<script>alert(1)</script>", 1, 0, 1)])
    tree = html.fromstring(page)
    assert not tree.xpath("//script | //link | //img | //@src | //@href")
    assert "<script>alert(1)</script>: 2 of 3" in "".join(map(str, tree.itertext()))


@given(st.lists(st.lists(st.integers(0, 1), max_size=60), min_size=1, max_size=12))
def test_every_curve_stays_inside_the_plot_and_never_falls(runs: list[list[int]]) -> None:
    drawn = etree.fromstring(svg_text([curve(f"{n}", *run) for n, run in enumerate(runs)]))
    lines = drawn.findall(f"{SVG}polyline")
    assert len(lines) == len(runs)
    for line in lines:
        points = [tuple(map(float, one.split(","))) for one in str(line.attrib["points"]).split()]
        assert all(0 <= x <= 760 and 0 <= y <= 420 for x, y in points)
        assert points == sorted(points, key=lambda point: (point[0], -point[1]))


def test_a_long_curve_is_drawn_by_few_points() -> None:
    long = Harvest("a", "a", "r", 0.0, None, "-", "-", range(100_000))
    assert len(svg_text([long])) < 25 * 2 * MOST_POINTS


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Results of one topic with two runs, of three new pages and one, and a visit of a known page."""
    path, clock = tmp_path / "metro.db", StandingClock()
    for run, pages in (("run-1", (1, 0, 1)), ("run-2", (0,))):
        clock.now += 1000
        stored = Results.open(path, "metro", kinds=KINDS, clock=clock)
        template = '{"explore": {"order": "portfolio"}}'
        stored.begin_run(RunStart(run, template, {"seed": 7}))
        rows = [
            page(f"{run}/{number}", clock.now + number, relevant=bool(relevant))
            for number, relevant in enumerate(pages)
        ]
        if run == "run-2":
            rows.append(page("run-1/1", clock.now + 5, relevant=True))
        stored.write(ResultBatch(pages=rows))
        clock.now += 60
        stored.end_run("finished", "", 0, RunRow(pages=len(rows)))
        stored.close()
    return path


def page(name: str, at: float, *, relevant: bool) -> Page:
    """A page of the log book."""
    url = f"http://a.cn/{name}"
    return Page(
        url_key=name.encode().hex().ljust(32, "0")[:32], url=url, host="a.cn",
        page_class=PageClass.ARTICLE, outcome="stored", level=3, first_seen=at, last_fetched=at,
        status=200, relevant=relevant,
    )  # fmt: skip


def test_a_run_is_read_with_the_pages_it_fetched_first(results: Path) -> None:
    with results_to_read(results) as connection:
        last = read_harvest(connection, "metro")
        first = read_harvest(connection, "metro:run-1", "metro", "run-1")
    assert (last.run_id, list(last.relevant), last.seconds) == ("run-2", [0], 60.0)
    assert (first.run_id, first.pages, first.seed, first.order) == ("run-1", 3, "7", "portfolio")
    assert first.relevant[0] == 1


def test_a_run_that_is_not_there_is_told_with_those_that_are(results: Path) -> None:
    with results_to_read(results) as connection:
        with pytest.raises(
            NoSuchRun, match="no run begins with 'x'; the last ones of metro: run-1, run-2"
        ):
            read_harvest(connection, "metro:x", "metro", "x")
        with pytest.raises(NoSuchRun, match="several runs begin"):
            read_harvest(connection, "metro:run", "metro", "run")


@pytest.mark.parametrize(
    ("ending", "begins"), [(".html", "<!doctype html>"), (".svg", "<svg "), (".csv", "run,topic,")]
)
def test_the_plot_is_what_the_name_of_its_file_says(
    ending: str, begins: str, results: Path, tmp_path: Path
) -> None:
    written = tmp_path / f"harvest{ending}"
    told = compare_runs([str(results), f"{results}:run-1"], written)
    assert f"{results}:run-1" in told
    assert written.read_text("utf-8").startswith(begins)
    assert not [*tmp_path.glob("*.part")]


def test_a_database_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoSuchRun, match=r"metro.db: name a results database"):
        compare_runs([str(tmp_path / "metro.db")])
