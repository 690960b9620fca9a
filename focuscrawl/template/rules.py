"""What a template asks of the world around it: secrets, files, models, and searches without end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from focuscrawl.relevance.model import ModelError, PageModel
from focuscrawl.search.table import all_queries
from focuscrawl.template.files import FileError, Reach
from focuscrawl.template.merge import Merged
from focuscrawl.template.output import FeedTable, format_of
from focuscrawl.template.problems import Problem
from focuscrawl.template.secrets import SecretError, is_secret, read_cookies, reveal
from focuscrawl.template.template import Template
from focuscrawl.template.toml import toml_text
from focuscrawl.values import Json

SECRET_KEYS = ("headers", "cookies", "proxy")
MOST_SEARCHES = 200
"""More searches in one cycle are seldom meant: 42 pages an hour at the usual pause."""


def missing_secrets(
    merged: Merged, environment: Mapping[str, str], folder: Path, reach: Reach | None = None
) -> Iterator[Problem]:
    """Go through the secrets that cannot be read."""
    for path, plain in merged.values.items():
        if path[-1] not in SECRET_KEYS or path[0] not in {"request", "site"}:
            continue
        names = [str(one) for one in path[:-1]]
        form = merged.language.at(names[0], *names[2:])
        title = form.title(*names[1:2])
        if path[-1] == "cookies" and isinstance(plain, str):
            entries = [plain]
        else:
            entries = list(plain.values() if isinstance(plain, dict) else plain)
        for entry in filter(is_secret, entries):
            try:
                if entry is plain:
                    read_cookies(entry, environment, folder, reach)
                else:
                    reveal(entry, environment, folder, reach)
            except SecretError as error:
                where = f"{title} {path[-1]} = {toml_text(entry)}"
                yield Problem(merged.origin(*path), f"{where}: {error}")


def out_of_reach(merged: Merged, resolved: Json, reach: Reach) -> Iterator[Problem]:
    """Go through the feeds and settings by which an inline template would write elsewhere."""
    for uri in resolved["output"]["feeds"]:
        path = reach.feed_file(uri)
        title, origin = FeedTable.form.title(uri), merged.origin(*FeedTable.form.path, uri)
        try:
            reach.check_placeholders(uri)
            if path is not None:
                reach.check(path)
        except FileError as error:
            yield Problem(origin, f"{title}: {error}")
        if path is not None and format_of(uri) is None:  # the databases lie there, too
            advice = 'an inline template writes files whose suffix is their format: "x.csv"'
            yield Problem(origin, f"{title}: {advice}")
    for name, why in reach.setting_problems(resolved["settings"]):
        yield Problem(merged.origin("settings", name), f"[settings] {name}: {why}")


def unusable_model(
    merged: Merged, resolved: Json, folder: Path, reach: Reach | None = None
) -> Iterator[Problem]:
    """Go through what is wrong with relevance.model, which a crawl needs."""
    given = resolved["relevance"]["model"]
    if given:
        try:
            path = folder / Path(given).expanduser()
            if reach is not None:
                reach.check(path)
            PageModel.read(path)
        except (FileError, ModelError) as error:
            where = f"[relevance] model = {toml_text(given)}"
            yield Problem(merged.origin("relevance", "model"), f"{where}: {error}")


def nowhere_to_start(merged: Merged, resolved: Json) -> Iterator[Problem]:
    """Tell a template that has neither a source nor a search engine."""
    if not resolved["source"] and not resolved["search"]["engines"]:
        advice = 'write at least one [[source]] with urls = ["https://…"], or [search] engines'
        yield Problem(merged.origin("source"), f"nowhere to start: {advice}")


def endless_searches(merged: Merged, template: Template) -> Iterator[Problem]:
    """Warn of more searches than a cycle can make."""
    asked = [name for name in template.search.engines if not template.search.engine[name].urls]
    count = (
        sum(1 for query in all_queries(template.search, template.topic) if query.text)
        if asked
        else 0
    )
    if count > MOST_SEARCHES:
        text = f"[search]: {count} searches per cycle: more than {MOST_SEARCHES} seldom end in time; name fewer queries, areas or sites"
        yield Problem(merged.origin("search", "engines"), text)
