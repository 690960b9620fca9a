"""The spider of Scrapy's arms in ``benchmarks.kill9``: an item and all links of every page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.http import Response


class TreeSpider(scrapy.Spider):
    """Walks the tree; ``url`` is its root."""

    name = "tree"

    def __init__(self, url: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.start_urls = [url]

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield the page and follow its links."""
        yield {"url": response.url, "title": response.css("h1::text").get()}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)
