"""Pages of a list that only a script links to: their addresses, where they stand on the page word for word.

Scripts are not run. But many pagers are written by a call that names count, place and name of the pages, by a
``select`` of their addresses, by ``onclick``, or by an element that names what fills it (``data-api``): what stands
there as a literal is followed as a link is. What only code could tell is reported (``shows_more``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import cast

from lxml import etree

from focuscrawl.readers.pages.document import Document, Joiner
from focuscrawl.readers.pages.links import FoundLink
from focuscrawl.readers.pages.texts import short_text

_MOST_ELEMENTS = 2_000
LONGEST_SCRIPT = 50_000
"""Characters of one script that are looked at: pagers are written by short ones in the page itself."""

_LONGEST_PAGER_LABEL = 40
_PAGE_EXTENSION = r"\.?(s?html?|php|jsp|aspx?|do)"
_PAGER_NUMBER = r"""["']?(\d{1,4})["']?"""
CALL = re.compile(
    rf"""\b[A-Za-z_]\w{{3,39}}\s*\(\s*(["'][\w#.-]{{0,40}}["']\s*,\s*)?{_PAGER_NUMBER}\s*,\s*{_PAGER_NUMBER}\s*,"""
    rf"""\s*["']([\w./-]{{1,80}})["']\s*,\s*["']{_PAGE_EXTENSION}["']"""
)
"""A call of (how many pages, which one this is, their name, their suffix). The publishing systems of authorities count
from nought, so that the second page is NAME_1; with the id of an element in front they count from one."""

_COUNT_OF_PAGES = re.compile(
    rf"\b(?:count_?pages?|page_?counts?|total_?pages?|max_?page)\s*=\s*{_PAGER_NUMBER}",
    re.IGNORECASE,
)
_PAGE_INDEX = re.compile(
    rf"\b(?:cur(?:rent)?_?page(?:_?index)?|page_?index|now_?page)\s*=\s*{_PAGER_NUMBER}",
    re.IGNORECASE,
)
_VARIABLE_NAME = re.compile(r"""\b([A-Za-z][\w-]{0,40}?)(?:_["']|["']\s*\+\s*["']_["'])\s*\+""")
_SUFFIX = re.compile(r"""["']?\.["']?\s*+\+?\s*+["']?(s?html?|php|jsp|aspx?)\b""")

GOES_THERE = re.compile(
    r"""(?:location(?:\.href)?\s*=|location\.(?:assign|replace)\(|window\.open\()\s*["']([^"'\s]{1,500})["']"""
)
_WITH_ADDRESS = etree.XPath(
    "//*[@onclick or @data-url or @data-href or @data-api or starts-with(@href, 'javascript:')]"
)
_OPTIONS = etree.XPath("//select/option[@value]")
_GIVES_JSON = re.compile(r"/api/|\.json(?:[?#]|$)|[?&](?:format|type)=json\b", re.IGNORECASE)
"""An address that answers a script: what stands on an element without words of its own may else be a picture's."""

LOOKS_LIKE_ADDRESS = re.compile(r"(?:https?://|[./?])|[\w-]+\.(?:s?html?|php|jsp|aspx?)\b")

MORE = re.compile(
    r"(?i)(?:点击|上拉|下拉|滑动)?(?:加载|查看|显示|浏览|展开|載入|顯示)更多(?:内容|新闻|文章|消息)?|更多加载"
    r"|(?:load|show|view|see) ?more(?: ?(?:posts?|articles?|news|stories|results|items|entries))?"
)
POST_BACK = re.compile(r"__doPostBack\s*\([^)]{0,300}?(?:page|pager)", re.IGNORECASE)
_BUTTONS = frozenset(("a", "button", "div", "span", "p", "input", "li"))
_DECORATION = re.compile(r"[\s.…>»›↓▼+·:：-]+")


def scripted_links(document: Document, here: str) -> list[FoundLink]:
    """Return the links to further pages that scripts would make; their text is a page number or the element's."""
    join = Joiner(document.base_url, document.encoding).join
    found: list[FoundLink] = []
    for reference, label, element in (
        *_called(document),
        *_chosen(document),
        *_clicked(document),
    ):
        url = join(reference)
        if url is not None and url != here:
            found.append(FoundLink(url, label, "", "script", "", element))
    return found


def _called(document: Document) -> Iterator[tuple[str, str, etree._Element]]:
    for script in islice(document.root.iter("script"), _MOST_ELEMENTS):
        code = (script.text or "")[:LONGEST_SCRIPT]
        if call := CALL.search(code):
            first = 1 if call[1] else 0
            yield from _series(call[4], call[5], int(call[2]), int(call[3]), first, script)
        elif (count := _COUNT_OF_PAGES.search(code)) and (place := _PAGE_INDEX.search(code)):
            name, suffix = _VARIABLE_NAME.search(code), _SUFFIX.search(code)
            if name and suffix:
                yield from _series(name[1], suffix[1], int(count[1]), int(place[1]), 0, script)


def _series(
    name: str, suffix: str, count: int, place: int, first: int, script: etree._Element
) -> Iterator[tuple[str, str, etree._Element]]:
    """Go through the next page of a series whose pages are NAME.SUFFIX, NAME_1._SUFFIX … or from 2 on."""
    following = place + 1
    if first <= place and following < count + first:
        yield f"{name}_{following}.{suffix}", str(following + 1 - first), script


def _chosen(document: Document) -> Iterator[tuple[str, str, etree._Element]]:
    for option in _first(_OPTIONS, document):
        value, label = option.get("value", "").strip(), short_text(option, _LONGEST_PAGER_LABEL)
        if len(label) <= _LONGEST_PAGER_LABEL and LOOKS_LIKE_ADDRESS.match(value):
            yield value, label, option


def _clicked(document: Document) -> Iterator[tuple[str, str, etree._Element]]:
    for element in _first(_WITH_ADDRESS, document):
        given = element.get("data-api") or element.get("data-url") or ""
        is_named = element.get("data-api") or _GIVES_JSON.search(given)
        if is_named and LOOKS_LIKE_ADDRESS.match(given):
            yield given, "下一页", element
            continue
        label = short_text(element, _LONGEST_PAGER_LABEL) or element.get("value", "")
        if not label or len(label) > _LONGEST_PAGER_LABEL:
            continue
        code = f"{element.get('onclick', '')} {element.get('href', '')}"[:LONGEST_SCRIPT]
        said = GOES_THERE.search(code)
        for reference in (element.get("data-url"), element.get("data-href"), said and said[1]):
            if reference and LOOKS_LIKE_ADDRESS.match(reference):
                is_more = MORE.fullmatch(_DECORATION.sub(" ", label).strip())
                yield reference, "下一页" if is_more else label, element
                break


def _first(find: etree.XPath, document: Document) -> Iterator[etree._Element]:
    return islice(cast("list[etree._Element]", find(document.root)), _MOST_ELEMENTS)


def shows_more(document: Document) -> bool:
    """Whether a list says that more of it comes by script: a button that names no address, or a form sent back."""
    for element in islice(document.root.iter(*_BUTTONS), _MOST_ELEMENTS):
        if len(element) > 2:
            continue
        code = f"{element.get('href', '')} {element.get('onclick', '')}"[:LONGEST_SCRIPT]
        if POST_BACK.search(code):
            return True
        href = element.get("href", "")
        if href and not href.startswith(("#", "javascript:")):
            continue
        label = short_text(element, _LONGEST_PAGER_LABEL) or element.get("value", "")
        if len(label) <= _LONGEST_PAGER_LABEL and MORE.fullmatch(
            _DECORATION.sub(" ", label).strip()
        ):
            return True
    return False
