"""Runs side by side: how many of the pages that each had fetched were relevant, page by page (harvest).

``python -m benchmarks.compare RUN RUN… [--output FILE]``: each RUN is the path of a results database, FILE.db (the last
run of its topic) or FILE.db:RUN_ID. Prints a table; ``--output`` writes the curves as .html, .svg or .csv. Two methods are
compared at the same number of pages, since a crawl is paid for by its pages.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.parts.harvest_plot import csv_text, html_text, svg_text, table_text
from benchmarks.parts.harvests import Harvest, NoSuchRun, read_harvest
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.state.drafts import draft_of

PLOTS: dict[str, Callable[[Sequence[Harvest]], str]] = {
    ".html": html_text,
    ".svg": svg_text,
    ".csv": csv_text,
}
"""What is written into a file, by the ending of its name."""


def harvest_of(name: str) -> Harvest:
    """Read a run by what it is called on the command line. Raises NoSuchRun."""
    place, _, run = (name, "", "") if name.endswith(".db") else name.rpartition(":")
    if not Path(place).is_file():
        raise NoSuchRun(
            f"{name}: name a results database, as in crawls/metro.db or metro.db:RUN_ID"
        )
    with results_to_read(Path(place)) as connection:
        return read_harvest(connection, name, run=run)


def compare_runs(names: Sequence[str], output: Path | None = None) -> str:
    """Return a table of runs, and write their plot. Raises NoSuchRun, OSError."""
    harvests = [harvest_of(name) for name in names]
    if output is not None:
        with draft_of(output) as draft:
            draft.write_text(PLOTS[output.suffix.lower()](harvests), "utf-8")
    return table_text(harvests)


def main() -> None:
    """Compare the runs that are named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    if given.output is not None and given.output.suffix.lower() not in PLOTS:
        parser.error(f"{given.output}: a plot ends in {', '.join(PLOTS)}")
    try:
        print(compare_runs(given.runs, given.output))
    except (NoSuchRun, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
