"""Writing one HTML page and knowing its links: what a page links to is true by construction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from urllib.parse import urldefrag, urljoin

from focuscrawl.demo.truth import Page
from focuscrawl.values import PageClass

TRACKING = re.compile(r"([?&])(?:utm_source|spm)=[^&]*(&|$)")


def canonical(url: str) -> str:
    """Return the address without fragment and tracking parameters, as the demo web spells it."""
    url = urldefrag(url).url
    while match := TRACKING.search(url):
        url = url[: match.start()] + (match[1] if match[2] else "") + url[match.end() :]
    return url


class Draft:
    """An HTML page being written; remembers each link in page order."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._links: dict[str, None] = {}

    def link(self, href: str, text: str, attributes: str = "") -> str:
        """Write a link and remember where it leads."""
        target = canonical(urljoin(self.url, href))
        self._links.setdefault(target)
        space = " " if attributes else ""
        return f'<a href="{escape(href)}"{space}{attributes}>{escape(text)}</a>'

    def list(self, links: Iterable[tuple[str, str]], name: str = "list") -> str:
        """Write a list of (address, text) links."""
        rows = "\n".join(f"<li>{self.link(href, text)}</li>" for href, text in links)
        return f'<ul class="{name}">\n{rows}\n</ul>'

    @property
    def links(self) -> tuple[str, ...]:
        """The targets so far: absolute, canonical, each once, without the page itself."""
        own = canonical(self.url)
        return tuple(link for link in self._links if link != own)

    def page(
        self,
        page_class: PageClass,
        html: str,
        title: str,
        encoding: str = "utf-8",
        content_type: str = "text/html; charset=utf-8",
    ) -> Page:
        """Return what is at the address now that all its links are written."""
        body = html.encode(encoding, "xmlcharrefreplace")
        return Page(
            self.url,
            page_class,
            body,
            self.links,
            title=title,
            encoding=encoding,
            content_type=content_type,
        )


def document(title: str, body: str, meta: str = '<meta charset="utf-8">', head: str = "") -> str:
    """Put a page together: ``meta`` is its charset declaration, ``head`` goes in after the title."""
    return (
        f'<!DOCTYPE html>\n<html lang="zh-CN">\n<head>\n{meta}\n<title>{escape(title)}</title>\n'
        f"{head}</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def paragraphs(text: Iterable[str]) -> str:
    """Write paragraphs as ``<p>``."""
    return "\n".join(f"<p>{escape(paragraph)}</p>" for paragraph in text)


def table(rows: Iterable[Iterable[str]]) -> str:
    """Write rows of ready HTML cells."""
    lines = ("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def pager(draft: Draft, number: int, last: int, address: list[str], style: str) -> str:
    """Write the links to the other pages of a board or article.

    ``address`` holds the address of each page, first page first. Styles: ``next`` (上一页 下一页),
    ``numbers`` (1 2 3), ``both``, ``few`` (first, neighbours, last) and ``single`` (numbers; the
    caller adds 单页).
    """
    if last < 2:
        return ""
    pieces: list[str] = []
    if style in {"next", "both", "few"} and number > 1:
        pieces.append(draft.link(address[number - 2], "上一页"))
    if style != "next":
        shown = (
            {1, number - 1, number, number + 1, last} if style == "few" else set(range(last + 1))
        )
        for page in range(1, last + 1):
            if page == number:
                pieces.append(f"<span>{page}</span>")
            elif page in shown:
                pieces.append(draft.link(address[page - 1], str(page)))
    else:
        pieces.append(f"<em>第{number}页 共{last}页</em>")
    if style in {"next", "both", "few"} and number < last:
        pieces.append(draft.link(address[number], "下一页"))
    return f'<div class="pages">{" ".join(pieces)}</div>'
