"""What a page says: encoding, kind, main text, title, date, paging, feeds and sitemaps."""

from focuscrawl.extract.article_text import ArticleText
from focuscrawl.extract.tiers import article, fast

__all__ = ["ArticleText", "article", "fast"]
