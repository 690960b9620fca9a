"""Articles for scrapy-poet: ``def parse(self, response, article: ArticleText)``, in callbacks and in page objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider

from focuscrawl.addon.article_items import USUAL_ZONE, article_of, timezone_of
from focuscrawl.features.articles.article import ArticleText
from focuscrawl.values import SystemClock


class ArticleProvider(PageObjectInputProvider):
    """Reads the article of a page when a callback or page object asks; without one its text is ""."""

    provided_classes = {ArticleText}  # noqa: RUF012 - an instance variable of its base
    name: ClassVar[str] = "focuscrawl"

    # scrapy-poet finds out by the annotations what to hand in, when the spider begins.
    def __call__(
        self, to_provide: AbstractSet[Callable[..., object]], response: Response
    ) -> Sequence[ArticleText]:
        """Return the article of the response."""
        zone = timezone_of(self.injector.crawler.settings) or USUAL_ZONE
        return [article_of(response, SystemClock().wall(), zone)]
