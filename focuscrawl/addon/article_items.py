"""The article of a page as an item, for spiders that know nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from scrapy.http import TextResponse

from focuscrawl.config import ConfigError
from focuscrawl.features import articles
from focuscrawl.locale.messages import _
from focuscrawl.values import PageClass, SystemClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from focuscrawl.features.articles.article import ArticleText
    from focuscrawl.values import Json

USUAL_ZONE = "Asia/Shanghai"

ITEM_FIELDS = (
    *("title", "text", "date", "published", "author", "source_name", "site_name", "language"),
    "images",
)
"""Fields of an article that its item has, beside its address."""


class ArticleItems:
    """Gives an item for each page that is an article, beside what the callback gives: a dictionary of ``url`` and ITEM_FIELDS."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawler."""
        return cls(timezone_of(crawler.settings) or USUAL_ZONE)

    def __init__(self, timezone: str) -> None:
        self._timezone = timezone

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Give the article, and then what the callback gives."""
        if isinstance(response, TextResponse):
            found = article_of(response, SystemClock().wall(), self._timezone)
            if found.text and found.page_class is PageClass.ARTICLE:
                yield item_of(found, response.url)
        async for output in result:
            yield output


def timezone_of(settings: BaseSettings) -> str:
    """Return of FOCUSCRAWL_ARTICLES the time zone of dates that name none, "" where no article is to be read. Raises
    ConfigError.
    """
    value = str(settings["FOCUSCRAWL_ARTICLES"] or "")
    if value.lower() in {"", "false", "0"}:
        return ""
    if value.lower() in {"true", "1"}:
        return USUAL_ZONE
    try:
        return ZoneInfo(value).key
    except (ValueError, ZoneInfoNotFoundError, OSError) as error:
        told = _(
            "FOCUSCRAWL_ARTICLES = {value!r}: write True, or the time zone of dates that name none, as"
            ' in "Europe/Berlin"'
        )
        raise ConfigError(told.format(value=value)) from error


def article_of(response: Response, fetched: float, timezone: str) -> ArticleText:
    """Read the article of a response."""
    said = (response.headers.get("Content-Type") or b"").decode("latin-1")
    return articles.read(
        response.body, response.url, content_type=said, fetched=fetched, timezone=timezone
    )


def item_of(found: ArticleText, url: str) -> Json:
    """Return an article as an item."""
    return {"url": url} | {name: getattr(found, name) for name in ITEM_FIELDS}
