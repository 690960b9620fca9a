"""focuscrawl in any Scrapy project: ``ADDONS = {"focuscrawl.addon.FocusCrawl": 500}``.

The frontier that no kill loses comes by itself. By their settings come: copies among items
(``FOCUSCRAWL_NEAR_DUPLICATES``), an item for each article (``FOCUSCRAWL_ARTICLES``), and visits to pages that gave items
(``FOCUSCRAWL_VISITS``). Where scrapy-poet is
installed callbacks and page objects may ask for an ``ArticleText``. What a project or a spider sets itself stays.
"""

from __future__ import annotations

import logging
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from scrapy.utils.misc import load_object

from focuscrawl import settings as of_topics
from focuscrawl.addon.article_items import ArticleItems, timezone_of
from focuscrawl.addon.visits import PageVisits, first_interval
from focuscrawl.extensions import RunClock
from focuscrawl.kernel.transport.site_turns import choose_handler
from focuscrawl.middlewares import (
    CrawlDelay,
    LinkBatchMiddleware,
    OutcomeMiddleware,
    RetryAfterMiddleware,
)
from focuscrawl.pipelines import NearDuplicatePipeline, StorePipeline
from focuscrawl.scheduler import Scheduler

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

PRIORITY = "addon"
OF_PROJECT = 20
"""Scrapy's number of what settings.py says."""

FRONTIER_PARTS: dict[str, tuple[type, ...]] = {
    "DOWNLOADER_MIDDLEWARES": (OutcomeMiddleware, RetryAfterMiddleware),
    "SPIDER_MIDDLEWARES": (LinkBatchMiddleware,),
    "ITEM_PIPELINES": (StorePipeline,),
    "EXTENSIONS": (RunClock, CrawlDelay),
}
"""What the frontier needs beside the scheduler: failed addresses come back, what cannot be stored is kept, sites that
ask for a pause get it, and a crawl says at its end what it gave.
"""

COPIES_AT, ARTICLES_AT, VISITS_AT = 200, 50, 20
"""Before the pipelines of most projects, and nearest to the engine: articles that a page gives are items of it, and
Scrapy's HttpError at 50 lets no page through that is gone."""

PROVIDER = "focuscrawl.addon.poet.ArticleProvider"


class FocusCrawl:
    """The add-on."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Switch on what is wanted. Raises ConfigError for a time zone, or a duration, that there is not."""
        visits = first_interval(settings)
        if _takes_scheduler(settings):
            _take_frontier(settings)
            if visits:
                settings.setdefault_in_component_priority_dict(
                    "SPIDER_MIDDLEWARES", PageVisits, VISITS_AT
                )
        choose_handler(settings, os.environ, PRIORITY)
        if settings["FOCUSCRAWL_NEAR_DUPLICATES"]:
            pipeline = NearDuplicatePipeline
            settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", pipeline, COPIES_AT)
        if timezone_of(settings):
            reader = ArticleItems
            settings.setdefault_in_component_priority_dict(
                "SPIDER_MIDDLEWARES", reader, ARTICLES_AT
            )
        if find_spec("scrapy_poet"):
            provided = {PROVIDER: 500} | settings.getdict("SCRAPY_POET_PROVIDERS")
            settings.set("SCRAPY_POET_PROVIDERS", provided, PRIORITY)


def _take_frontier(settings: BaseSettings) -> None:
    for name, parts in FRONTIER_PARTS.items():
        places: dict[str, int] = getattr(of_topics, name)
        for part in parts:
            place = places[f"{part.__module__}.{part.__qualname__}"]
            settings.setdefault_in_component_priority_dict(name, part, place)
    exporters = of_topics.FEED_EXPORTERS | settings.getdict("FEED_EXPORTERS")
    settings.set("FEED_EXPORTERS", exporters, settings.getpriority("FEED_EXPORTERS") or 0)


def _takes_scheduler(settings: BaseSettings) -> bool:
    """Name our scheduler, unless the project names another: then say what that leaves out, and leave all of it out."""
    if (settings.getpriority("SCHEDULER") or 0) < OF_PROJECT:
        settings.set("SCHEDULER", Scheduler, PRIORITY)
        return True
    found = load_object(settings["SCHEDULER"])
    if issubclass(found, Scheduler):
        return True
    logger.warning(
        "SCHEDULER is %s: requests are kept as it keeps them, a kill may lose some, and no page is visited again; take"
        " the line out for the frontier of focuscrawl",
        f"{found.__module__}.{found.__qualname__}",
    )
    return False
