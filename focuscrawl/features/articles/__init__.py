"""What a page says of its article: text, title, date, author, source; and articles of several pages.

Nothing is guessed: what a page does not say is "" or None. An article of several pages is first seen in
parts (``Gathered``): wanted, there, aside or lost; it has ended when none is wanted that may still come.
Text: two readings that correct each other, a line stands when both have half of its runs of letters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.features.articles.article import ArticleText


def read(
    body: bytes,
    url: str,
    *,
    content_type: str = "",
    fetched: float | None = None,
    timezone: str = "Asia/Shanghai",
) -> ArticleText:
    """Read the article of a page, without any topic; its text is "" when the page has none. Of a page that is no article, as
    far as it says, the text is all that it says.

    ``fetched`` is the wall time of the fetch: dates after it are refused, relative ones (3小时前)
    count from it and are not read without it. ``timezone``, an IANA name, holds for dates that name
    no zone. Never fails: an unreadable page is an empty one.
    """
    # Here, since the template's loader imports this folder for its table: `scrapy list` reads no page.
    from focuscrawl.features.articles.article import ArticleText, read_article  # noqa: PLC0415
    from focuscrawl.features.articles.contents.whole_page import whole_text  # noqa: PLC0415
    from focuscrawl.readers.pages.document import Document  # noqa: PLC0415
    from focuscrawl.readers.pages.kind import page_kind, says_article  # noqa: PLC0415
    from focuscrawl.readers.pages.links import find_links  # noqa: PLC0415

    document = Document.read(body, url=url, content_type=content_type)
    found = read_article(document, fetched=fetched, timezone=timezone, language="")
    text = found or ArticleText(document.title, encoding=document.encoding)
    if text.published is None and not says_article(document):
        text = text._replace(text=whole_text(document, text.text) or text.text)
    return text._replace(page_class=page_kind(document, find_links(document)).page_class)
