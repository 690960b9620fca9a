"""``scrapy topic compare``: runs side by side, by what each has found for its pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from scrapy.exceptions import UsageError

from focuscrawl.compare.harvest import Harvest, NoSuchRun, read_harvest
from focuscrawl.compare.plot import csv_text, html_text, svg_text, table_text
from focuscrawl.locale.messages import N_, _
from focuscrawl.results.database import missing_file, results_to_read
from focuscrawl.store.drafts import draft_of
from focuscrawl.template.load import shown
from focuscrawl.verbs.call import Call, CannotDo, write_error

PLOTS: dict[str, Callable[[Sequence[Harvest]], str]] = {
    ".html": html_text,
    ".svg": svg_text,
    ".csv": csv_text,
}
"""What is written into a file, by the ending of its name."""

_USAGE = N_(
    "name the runs: scrapy topic compare RUN RUN…, each the name of a topic (its last"
    " run), NAME:RUN_ID, or the path of a results database, FILE.db or FILE.db:RUN_ID"
)


def compare_runs(call: Call, args: Sequence[str]) -> str:
    """Return a table of runs (RUN…), and write their plot (--output FILE.html, .svg or .csv)."""
    if not args:
        raise UsageError(_(_USAGE))
    output = Path(call.options.output or "")
    if call.options.output and output.suffix.lower() not in PLOTS:
        raise CannotDo(
            _("{output}: a plot ends in {endings}").format(output=output, endings=", ".join(PLOTS))
        )
    harvests = [_harvest(call, name) for name in args]
    told = table_text(harvests)
    if not call.options.output:
        return told
    try:
        with draft_of(output) as draft:
            draft.write_text(PLOTS[output.suffix.lower()](harvests), "utf-8")
    except OSError as error:
        raise write_error(output, error) from None
    return f"{told}\n" + _("{output} written").format(output=shown(output))


def _harvest(call: Call, name: str) -> Harvest:
    """Read a run by what it is called on the command line."""
    place, colon, run = name.rpartition(":")
    if not colon or name.endswith(".db"):
        place, run = name, ""
    file: str | Path = Path(place)
    topic = ""
    if not place.endswith(".db"):
        config = call.config()
        topic, file = place, config.results_of(place)
    if missing := missing_file(file):
        raise CannotDo(
            _("{file} is not there: no results yet; {usage}").format(
                file=shown(missing), usage=_(_USAGE)
            )
        )
    try:
        with results_to_read(file) as connection:
            return read_harvest(connection, name, topic, run)
    except NoSuchRun as error:
        raise CannotDo(str(error)) from None
