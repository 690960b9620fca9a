"""A Scrapy extension that notes how long a crawl takes from opening its scheduler to a request."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.utils.misc import load_object


class ResumeClock:
    """Times ``scheduler.open`` to the first request it gives, in seconds, into RESUME_LOG."""

    def __init__(self, crawler: Crawler) -> None:
        scheduler: Any = load_object(crawler.settings["SCHEDULER"])
        log = Path(crawler.settings["RESUME_LOG"])
        opens, gives = scheduler.open, scheduler.next_request
        opened = 0.0
        waits = True

        def open_timed(self: Any, *given: Any) -> Any:
            nonlocal opened
            opened = time.perf_counter()
            return opens(self, *given)

        def next_request(self: Any) -> Any:
            nonlocal waits
            request = gives(self)
            if waits and request is not None:
                waits = False
                with log.open("a", encoding="ascii") as lines:
                    lines.write(f"{time.perf_counter() - opened}\n")
            return request

        scheduler.open, scheduler.next_request = open_timed, next_request

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ResumeClock:
        """Make it before the scheduler is made."""
        return cls(crawler)
