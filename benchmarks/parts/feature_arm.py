"""One crawl of ``benchmarks.many_features`` in a process of its own: what a page cost, or what was called."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from collections import Counter
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.settings import Settings

import focuscrawl
from benchmarks.parts.children import arguments, finish
from benchmarks.parts.crawl_arm import SAME, TOPIC, Errors
from focuscrawl.features import FEATURES
from focuscrawl.spiders.topic import TopicSpider

ROOT = Path(focuscrawl.__file__).parent
ALWAYS = "focuscrawl.features.politeness.feature.SitePoliteness"
"""On in every crawl, see benchmarks.many_features."""
SHARED = ("table.py", "rows.py", "__init__.py")
"""Of a folder these are the template's and the results', whether its feature is on or off."""


def short(name: str) -> str:
    """Return the folder of a feature: "records" of "focuscrawl.features.records.feature.Records"."""
    return name.partition(".feature.")[0].split(".", 2)[-1]


def place(name: str) -> Path:
    """Return where the folder of a feature is."""
    return ROOT.joinpath(*name.partition(".feature.")[0].split(".")[1:])


SWITCHED = {short(name): name for name in FEATURES if name != ALWAYS}
"""The features that can be off, by their folders."""


class Calls:
    """Counts calls of Python functions by the file of the package in which they stand."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()

    def __call__(self, frame: FrameType, event: str, given: object) -> None:
        # Bodies of modules and classes are not optimized: these are imports, not calls.
        if event == "call" and frame.f_code.co_flags & CO_OPTIMIZED:
            self.files[frame.f_code.co_filename] += 1

    def of(self, folder: str) -> dict[str, int]:
        """Return the calls in a feature's folder, by file, without what is the template's or results'."""
        own = place(SWITCHED[folder])
        deeper = [place(name) for other, name in SWITCHED.items() if other.startswith(f"{folder}.")]
        return {
            path.relative_to(ROOT).as_posix(): count
            for name, count in self.files.items()
            if (path := Path(name)).is_relative_to(own)
            and path.name not in SHARED
            and "rows" not in path.parts
            and not any(path.is_relative_to(each) for each in deeper)
        }


def crawl(on: set[str], start: str, crawled: int, *, count: bool) -> dict[str, Any]:
    """Crawl with some features. Raises RuntimeError on an error in the log, or where pages are missing."""
    calls, errors, answers = Calls(), Errors(), [0.0, 0.0]
    if count:
        sys.setprofile(calls)

    def answered(**given: object) -> None:
        answers[0] += 1
        if answers[0] == crawled // 5:
            answers[1] = time.process_time()

    settings = Settings()
    settings.setmodule("focuscrawl.settings")
    settings.setdict(SAME, priority="cmdline")
    off = {name: None for folder, name in SWITCHED.items() if folder not in on}
    settings.set("FOCUSCRAWL_FEATURES", off, priority="cmdline")
    process = CrawlerProcess(settings)
    logging.getLogger().addHandler(errors)
    crawler = process.create_crawler(TopicSpider)
    crawler.signals.connect(answered, signals.response_received)
    process.crawl(
        crawler, template=TOPIC.format(start=start, crawled=crawled, scope='scope = "web"')
    )
    process.start()
    sys.setprofile(None)
    if errors.messages or answers[0] < crawled:
        raise RuntimeError("\n".join([f"{answers[0]:.0f} answers", *errors.messages[:5]]))
    cpu = (time.process_time() - answers[1]) / (answers[0] - crawled // 5) * 1000
    absent = [folder for folder in SWITCHED if folder not in on]
    return {
        "cpu_ms": cpu,
        "imported": [one for one in absent if SWITCHED[one].rpartition(".")[0] in sys.modules],
        "called": {one: found for one in absent if (found := calls.of(one))},
    }


def main() -> None:
    """Crawl in a temporary folder; ``--on`` names folders with commas, ``--count`` counts calls."""
    given = arguments(__doc__, "on", "start", "crawled", "count")
    with tempfile.TemporaryDirectory(prefix="focuscrawl-features-") as folder:
        os.environ["FOCUSCRAWL_DATA_DIR"] = str(Path(folder))
        os.environ["FOCUSCRAWL_PRIVATE"] = "127.0.0.0/8"  # its site is on loopback
        on = {name for name in given.on.split(",") if name}
        finish(crawl(on, given.start, int(given.crawled), count=bool(given.count)))


if __name__ == "__main__":
    main()
