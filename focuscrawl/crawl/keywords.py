"""The keywords of an article that is kept (D2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from focuscrawl.text.keywords import general_idf, keywords

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template
    from focuscrawl.values import Article


def keywords_of(
    article: Article, template: Template, idf: Callable[[str], float] = general_idf
) -> list[tuple[str, float]]:
    """Return what an article is about: its heaviest words, title and text together, with weights."""
    cut = template.splitter.cut
    return keywords(cut(article.title) + cut(article.text), idf=idf)
