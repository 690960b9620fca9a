"""Pages of an article with dates on them, and reading these as a crawl does in Shanghai."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from focuscrawl.features.articles.article import ArticleText, read_article
from focuscrawl.readers.pages.document import Document

ZONE = ZoneInfo("Asia/Shanghai")
FETCHED = datetime(2026, 11, 20, 18, 20, tzinfo=ZONE).timestamp()
URL = "http://news.example/city/123.html"
H1 = "<h1>新馆向读者开放</h1>"
E1 = "<h1>The new library opens</h1>"
CHINESE = [
    "市图书馆的新馆向读者开放，馆里有三十万册图书，二楼是儿童阅览室，三楼可以借外文期刊。",
    "“我们等了五年，”一位退休教师说，“现在走路十分钟就能到，周末可以带着孩子来看书。”",
    "据馆长介绍，新馆的建设用了三年，屋顶的太阳能板可以供给全馆三分之一的用电，夏天还有余。",
]
ENGLISH = [
    "The city library opened its new building to readers, with three hundred thousand books on four floors.",
    "“We have waited five years,” a retired teacher said, “and now it is a walk of ten minutes from home.”",
    "Solar panels on the roof give a third of the power that the house needs, and more than that in summer.",
]


def page(
    parts: str, *, head: str = "", title: str = "新馆向读者开放", english: bool = False
) -> str:
    """Return a page: {text} in ``parts`` is where the article's paragraphs stand."""
    text = "".join(f"<p>{line}</p>" for line in (ENGLISH if english else CHINESE))
    return f"<html><head><title>{title}</title>{head}</head><body>{parts.replace('{text}', text)}</body></html>"


def article_of(markup: str, url: str = URL, language: str = "zh") -> ArticleText:
    """Read the article of a page."""
    document = Document.read(markup.encode(), url=url)
    article = read_article(document, fetched=FETCHED, timezone="Asia/Shanghai", language=language)
    assert article is not None
    return article


def read(markup: str, url: str = URL) -> str:
    """Return the date found in Shanghai's time, as precise as printed; "" when there is none."""
    article = article_of(markup, url)
    assert (article.published is None) == (article.date == "")
    if article.published is None:
        return ""
    moment = datetime.fromtimestamp(article.published, ZONE)
    return f"{moment:%Y-%m-%d}" if len(article.date) == 10 else f"{moment:%Y-%m-%d %H:%M}"


def read_english(parts: str) -> str:
    """Return the date of an English page."""
    return read(page(parts, title="The new library opens", english=True))
