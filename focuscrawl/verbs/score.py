"""``scrapy topic score|train``: explain scores, and learn them from labels."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scrapy.exceptions import UsageError
from sqlalchemy import Engine

from focuscrawl.config import project_dir, read_config
from focuscrawl.relevance.model import ModelError
from focuscrawl.relevance.training import Sample, train
from focuscrawl.report.explained import near_text, scored_text
from focuscrawl.report.labelled import labelled_pages
from focuscrawl.report.wording import counted
from focuscrawl.results.database import connect, explaining, place_of
from focuscrawl.results.errors import ResultsError
from focuscrawl.template.load import LoadedTemplate, shown
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.trial import fetch

FETCHED_AT_MOST = 200
"""Addresses of one call; each is a request."""

HOW_TO_LABEL = "label pages in the results, as in UPDATE pages SET label = 'relevant' WHERE url = …"


def score(call: Call, args: Sequence[str]) -> str:
    """Fetch pages (NAME URL…) and explain their scores; --near lists stored pages instead."""
    name, urls = args[:1], args[1:]
    if bool(urls) == bool(call.options.near):
        raise UsageError("scrapy topic score NAME URL…, or scrapy topic score NAME --near")
    loaded = call.loaded(name, secrets=True)
    if call.options.near:
        with _results(call, loaded) as engine:
            return near_text(loaded.template, engine)
    _check_addresses(urls)
    with tempfile.TemporaryDirectory(prefix="focuscrawl-score-") as folder:
        return scored_text(loaded.template, fetch(loaded, urls, Path(folder)))


def learn_model(call: Call, args: Sequence[str]) -> str:
    """Train relevance.model from labels in the results (extra ml); --fetch for missing texts."""
    loaded = call.loaded(args, secrets=call.options.fetch)
    template = loaded.template
    with _results(call, loaded) as engine:
        labelled = labelled_pages(engine, template.name)
    samples = [Sample(one.title, one.text, one.relevant) for one in labelled if one.text]
    without = {one.url: one.relevant for one in labelled if not one.text}
    if without and call.options.fetch:
        samples += _fetched(loaded, without)
    left = _left_out(len(without))
    try:
        trained = train(samples, template.name)
    except ModelError as error:
        raise CannotDo(f"{error}{left}; {HOW_TO_LABEL}") from None
    path = (template.path.parent if template.path else Path.cwd()) / f"{template.name}.model"
    try:
        trained.model.write(path)
    except OSError as error:
        raise CannotDo(f"{shown(path)} cannot be written: {error.strerror}") from None
    told = (
        f"{shown(path)} written: trained on {trained.relevant} relevant and {trained.irrelevant}"
        f" irrelevant pages; of unseen ones it found {trained.recall:.0%} of the relevant, and"
        f" {trained.precision:.0%} of what it found was relevant{left}"
    )
    lines = [told, f'To use it write into the topic:\n  [relevance]\n  model = "{path.name}"']
    return "\n".join([*lines, f"warning: {trained.warning}"] if trained.warning else lines)


def _fetched(loaded: LoadedTemplate, without: dict[str, bool]) -> list[Sample]:
    """Fetch labelled pages, and take those that have a text out of ``without``."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-train-") as folder:
        pages = fetch(loaded, list(without)[:FETCHED_AT_MOST], Path(folder))
    return [
        Sample(page.title, page.text, without.pop(page.url))
        for page in pages
        if page.text and page.url in without
    ]


def _left_out(count: int) -> str:
    if not count:
        return ""
    return (
        f"; {counted(count, 'labelled page')} without a stored text left out (--fetch fetches"
        f' {FETCHED_AT_MOST} of them, article.keep = "all" keeps texts of irrelevant pages)'
    )


def _check_addresses(urls: Sequence[str]) -> None:
    if len(urls) > FETCHED_AT_MOST:
        raise CannotDo(f"{len(urls)} addresses; at most {FETCHED_AT_MOST} at a time")
    for url in urls:
        if not url.startswith(("http://", "https://")):
            raise CannotDo(f"{url!r}: no address; write it whole, with http:// or https://")


@contextmanager
def _results(call: Call, loaded: LoadedTemplate) -> Iterator[Engine]:
    """Open a topic's results to read them."""
    config = read_config(call.settings, os.environ, project_dir())
    file = config.data_dir / f"{loaded.template.name}.db"
    if not config.results and not file.exists():
        raise CannotDo(
            f"{shown(file)} is not there: no results yet; run scrapy crawl {loaded.template.name}"
        )
    try:
        engine = connect(config.results or file, synchronous="NORMAL", busy_timeout=30.0)
        try:
            with explaining(place_of(engine)):
                yield engine
        finally:
            engine.dispose()
    except ResultsError as error:
        raise CannotDo(str(error)) from None
