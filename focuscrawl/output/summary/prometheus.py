"""Numbers of crawls for Prometheus (FOCUSCRAWL_PROMETHEUS): on a port, or in a file for its node exporter.

They are taken in the crawl's own thread, every few seconds, and only then read by others. All topics of a
process have one port or one file; the label ``topic`` tells them apart.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from focuscrawl.config import ConfigError
from focuscrawl.locale.messages import _

logger = logging.getLogger(__name__)

SAMPLE_EVERY = 5.0
"""Seconds between two looks: Prometheus asks every 15 as a rule, and a look costs a fraction of a page."""

WHAT_IT_IS = {
    "requests_total": "Requests of the run, retries left out",
    "pages_total": "Pages the run has read",
    "new_total": "Rows the run has found that were not there before: articles, records, threads",
    "errors_total": "Fetches that failed",
    "bytes_total": "Bytes of answers",
    "waiting": "URLs that wait",
    "in_flight": "URLs that are being fetched",
    "failed": "URLs that have failed and are tried again",
    "sites": "Sites the run has asked",
    "started_seconds": "When the run began, seconds since 1970 UTC",
    "ended_seconds": "When the run ended, 0 while it goes on",
    "exit_status": "The exit status of the run, -1 while it goes on",
}
"""By the name behind ``focuscrawl_``."""

TOPIC_NAME = "%(name)s"
"""In the name of a file: the topic's name, so that each process of many writes its own."""


class TopicNumbers(NamedTuple):
    """The numbers of a topic, by the names of WHAT_IT_IS."""

    topic: str
    values: dict[str, float]


class Shown:
    """The numbers of all topics of this process, as Prometheus' client collects them."""

    def __init__(self) -> None:
        self._numbers: dict[str, TopicNumbers] = {}

    def show(self, numbers: TopicNumbers) -> None:
        """Take the latest numbers of a topic."""
        self._numbers = {**self._numbers, numbers.topic: numbers}  # anew: another thread reads it

    def collect(self) -> Iterable[Any]:
        """Give them out. Prometheus' client calls this in a thread of its own."""
        from prometheus_client.core import (  # noqa: PLC0415 - an extra
            CounterMetricFamily,
            GaugeMetricFamily,
        )

        latest = self._numbers
        for name, what in WHAT_IT_IS.items():
            kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            family = kind(f"focuscrawl_{name}", what, labels=["topic"])
            for topic, numbers in latest.items():
                family.add_metric([topic], numbers.values[name])
            yield family


class Outlet:
    """One place where numbers go: all topics that name it share it. Raises ConfigError without the extra."""

    def __init__(self, place: tuple[str, int] | Path) -> None:
        try:
            from prometheus_client import (  # noqa: PLC0415 - an extra
                CollectorRegistry,
                start_http_server,
                write_to_textfile,
            )
        except ModuleNotFoundError:
            raise ConfigError(
                _(
                    'FOCUSCRAWL_PROMETHEUS needs prometheus-client: pip install "focuscrawl[prometheus]"'
                )
            ) from None
        self.shown = Shown()
        self._place = place
        self._write = write_to_textfile
        self._registry = CollectorRegistry()
        self._registry.register(self.shown)
        if isinstance(place, Path):
            return
        host, port = place
        try:
            start_http_server(port, host, registry=self._registry)
        except OSError as error:
            logger.warning(
                _("FOCUSCRAWL_PROMETHEUS: nothing is shown, since %s:%d is not free (%s)"),
                *(host, port, error.strerror),
            )

    def show(self, numbers: TopicNumbers) -> None:
        """Take the latest numbers of a topic, and write the file where it is one."""
        self.shown.show(numbers)
        if isinstance(self._place, Path):
            try:
                self._write(str(self._place), self._registry)  # beside it, and renamed
            except OSError as error:
                logger.warning("FOCUSCRAWL_PROMETHEUS: %s: %s", self._place, error.strerror)


@cache
def outlet_at(place: tuple[str, int] | Path) -> Outlet:
    """Return the outlet of this process at a place. Raises ConfigError."""
    return Outlet(place)
