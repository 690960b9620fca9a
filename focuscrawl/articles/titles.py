"""The title of an article, without the name of its site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple, cast

from lxml import etree

from focuscrawl.articles.shown_title import (
    SITE_NAMED,
    TITLE_NAMED,
    columns,
    shown_part,
    shown_title,
)
from focuscrawl.articles.statements import Line, comparable
from focuscrawl.pages.document import Document, short_text

HOME = re.compile(r"(?=.)(?:https?:)?(?://[^/?#]+)?/?(?:index\.\w{3,5})?|\.{1,2}/", re.IGNORECASE)
TITLE_HEADINGS = ("h1", "h2", "h3")
FIND_SHARED = etree.XPath("//meta[@property='og:title' or @name='og:title']/@content")
MOST_HEADINGS = 50
_LONGEST_HEADING = 200
_SURE = 6
"""Characters from which a heading that stands in the page's title is no coincidence."""

SHORTEST_ALONE = 4
"""Characters of a heading that is taken for the title though no <title> says so."""

POWERED = re.compile(r"powered by", re.IGNORECASE)
_SEPARATORS = re.compile(
    r"\s+[-|_–—·»:]+\s+|[|_｜]|\s*--+\s*|——|(?<=[\u4e00-\u9fff”》！？])-(?=[\u4e00-\u9fff])"
)
NAME_OF_SITE = re.compile(
    r"[^\s，。！？,|_-]{1,12}(?:网|网站|在线|博客|频道|主页|首页|论坛)|home(?:page)?", re.IGNORECASE
)
_NO_TITLE = re.compile(r"(?:无标题|新建网页|untitled)\b.*|new page \d+", re.IGNORECASE)


class _Heading(NamedTuple):
    """A heading that is not known to be the site's; ``named``: its class says that it is a title."""

    text: str
    plain: str
    named: bool
    tag: str


def find_title(document: Document, metas: Mapping[str, str], lines: list[Line]) -> str:
    """Choose the heading that <title> contains, else og:title, else the longest part of <title>;
    the first heading where <title> is missing or names the site alone, or what looks like one
    above the text where <title> is not printed on the page at all. ``lines`` are the page's.
    """
    page_title = "" if _NO_TITLE.fullmatch(document.title) else document.title
    site = comparable(metas.get("og:site_name", ""))
    headings = list(_headings(document.root))
    best, shared = _heading_in(page_title, headings), metas.get("og:title", "")
    if best is not None and (
        best.named or len(best.text) >= _SURE or not shared or page_title.startswith(best.text)
    ):
        return best.text
    if shared and comparable(shared) != site:
        return _longest_part(shared, site) if shared == page_title else _without(shared, site)
    if not page_title or comparable(page_title) == site or NAME_OF_SITE.fullmatch(page_title):
        return _heading_alone(headings) or shown_title(lines, page_title) or page_title
    parts = _parts(page_title)
    longest = shown_part(lines, page_title, parts) or _longest_part(page_title, site)
    return shown_title(lines, longest) or longest


def all_titles(document: Document) -> str:
    """Return everything on a page that could be its title, to look words up in."""
    shared = cast("list[str]", FIND_SHARED(document.root))
    headings = islice(document.root.iter(*TITLE_HEADINGS), MOST_HEADINGS)
    texts = (short_text(heading, _LONGEST_HEADING) for heading in headings)
    return "\n".join((document.title, *shared[:2], *texts))


def site_names(document: Document, metas: Mapping[str, str], title: str) -> frozenset[str]:
    """Return the comparable names of a page's site: what stands in <title> beside its own title."""
    parts = (comparable(part) for part in _SEPARATORS.split(document.title))
    named = comparable(metas.get("og:site_name", ""))
    return frozenset(filter(None, (*parts, named))) - {comparable(title)}


def _headings(root: etree._Element) -> Iterator[_Heading]:
    for heading in islice(root.iter(*TITLE_HEADINGS), MOST_HEADINGS):
        link = heading.find(".//a[@href]")
        if link is not None and HOME.fullmatch(link.get("href", "").strip()):
            continue  # the name of the site
        above = heading.getparent()
        names = f"{heading.get('class') or ''} {heading.get('id') or ''}"
        if above is not None and not TITLE_NAMED.search(names):
            names += f" {above.get('class') or ''} {above.get('id') or ''}"
        text = short_text(heading, _LONGEST_HEADING).rstrip("¶# ")
        if len(text) >= 2 and not SITE_NAMED.search(names):
            named = TITLE_NAMED.search(names) is not None
            yield _Heading(text, comparable(text), named, str(heading.tag))


def _heading_in(page_title: str, headings: list[_Heading]) -> _Heading | None:
    """Return the longest heading the page's title contains: as a part of its own, or a long one."""
    plain = comparable(page_title)
    parts = {comparable(part) for part in _SEPARATORS.split(page_title)} | {plain}
    found = [
        one
        for one in headings
        if (one.plain or one.text in page_title)
        and one.plain in plain
        and (len(one.text) >= _SURE or (one.plain in parts and _is_prominent(one, page_title)))
    ]
    return max(found, key=lambda one: (one.named, len(one.text)), default=None)


def _is_prominent(heading: _Heading, page_title: str) -> bool:
    return heading.named or heading.tag == "h1" or page_title.startswith(heading.text)


def _heading_alone(headings: list[_Heading]) -> str:
    """Return what is a title without <title> saying so: a named heading, the first h1, the only one."""
    for one in headings:
        if one.named:
            return one.text
    highest = min((one.tag for one in headings), default="")
    found = [one.text for one in headings if one.tag == highest]
    alone = bool(found) and (highest == "h1" or len(found) == 1)
    return found[0] if alone and len(found[0]) >= SHORTEST_ALONE else ""


def _parts(title: str) -> list[str]:
    return [part.strip(" -_|–—") for part in _SEPARATORS.split(title)]


def _longest_part(title: str, site: str) -> str:
    parts = _parts(title)
    others = [part for part in parts if comparable(part) != site]
    return max(others or parts, key=_weight, default="")


def _without(title: str, site: str) -> str:
    """Return a title without the name of its site at the end."""
    if site and comparable(title).endswith(site):
        parts = [*_SEPARATORS.finditer(title)]
        if parts and comparable(title[parts[-1].end() :]) == site:
            return title[: parts[-1].start()].strip()
    return title


def _weight(part: str) -> int:
    return 0 if POWERED.search(part) else columns(part)
