"""``scrapy topic check-data``: is everything there, and do crawl and results agree?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select

from focuscrawl.commands.crawl_file import Places, places_of
from focuscrawl.commands.trial import CannotDo
from focuscrawl.results.checking import disagreements, results_problems, told
from focuscrawl.results.database import results_to_read
from focuscrawl.results.schema import ARTICLES
from focuscrawl.store.protocol import StoreError
from focuscrawl.store.reading import open_read_only
from focuscrawl.store.sqlite_checking import CrawlLook

if TYPE_CHECKING:
    from focuscrawl.commands.topic import Command

PROBLEMS_STATUS = 1


def check_data(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """Look over crawl and results of a topic and say what is wrong; changes nothing (status 1: something is)."""
    places = places_of(command, command.loaded(args, opts, secrets=False))
    if isinstance(places.results, Path) and not places.results.exists():
        raise CannotDo(f"{places.name} has no results here ({places.results} is not there)")
    try:
        look = _look(places)
        if look.differences:  # a crawl that runs may have been between two commits
            look = _in_both(look, _look(places))
    except StoreError as error:
        look = Look([str(error)], {}, "")
    problems = look.problems + [
        told(len(urls), what, urls) for what, urls in look.differences.items()
    ]
    if not problems:
        return f"{places.name}: nothing is wrong with its data ({look.held})"
    command.exitcode = PROBLEMS_STATUS
    first = (
        f"{places.name}: {len(problems)} problems in {places.config.data_dir}, nothing was changed"
    )
    last = (
        "Damaged files: go back to a backup. Pages the crawl does not know, or whose articles are"
        f" missing: scrapy topic forget {places.name} --url URL --again, and they are fetched anew."
    )
    return "\n".join([first, *(f"  {one}" for one in problems), last])


class Look(NamedTuple):
    """What is wrong, what crawl and results say differently, and in a few words what there is."""

    problems: list[str]
    differences: dict[str, list[str]]
    held: str


def _in_both(first: Look, second: Look) -> Look:
    """Return the second look with those differences that the first had, too."""
    both = {
        what: [url for url in urls if url in set(first.differences.get(what, ()))]
        for what, urls in second.differences.items()
    }
    return second._replace(differences={what: urls for what, urls in both.items() if urls})


def _look(places: Places) -> Look:
    """Look at both as they are at one moment, the results first.

    A crawl writes to the results first, so whatever they know its file knows a moment later.
    """
    differences = {}
    with results_to_read(places.results) as connection:
        problems = results_problems(connection, places.name)
        articles = select(func.count()).select_from(ARTICLES).where(ARTICLES.c.topic == places.name)
        count = connection.scalar(articles) if not problems else 0
        with closing(open_read_only(places.crawl)) as database:
            crawl = CrawlLook(database)
        problems += crawl.problems
        if not problems:
            differences = disagreements(connection, places.name, crawl)
    held = f"{crawl.waiting:,} URLs to do, {crawl.pages:,} pages to see again, {count:,} articles"
    return Look(problems, differences, held)
