"""Lists of feeds as feed readers export them (OPML): addresses with their names, folders as tags.

Such a file comes from anywhere: entities, other files and a document type are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from focuscrawl.locale.messages import _

SUFFIX = ".opml"
MOST_FEEDS = 5_000
URL_SHOWN = 100
"""Characters of an address that is none."""

_FEED_SCHEME = re.compile(r"^feed:(?:(https?://)|//)", re.IGNORECASE)
"""How feed readers write addresses: ``feed://a.cn/rss``, ``feed:https://a.cn/rss``."""

_WEB_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
DOCTYPE = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)


class ListedFeed(NamedTuple):
    """A feed of a list: its address, what it is called ("": nothing), and the folders it lies in, outermost first."""

    url: str
    title: str
    folders: tuple[str, ...]


class OpmlError(ValueError):
    """A file that is no OPML, or does what none needs; the message says why."""


def feeds_of(raw: bytes) -> list[ListedFeed]:
    """Return the feeds of an OPML file in their order, each once, with all folders it lies in. Raises OpmlError."""
    found: dict[str, ListedFeed] = {}
    for feed in _outlines(raw):
        first = found.get(feed.url, feed)
        folders = dict.fromkeys((*first.folders, *feed.folders))
        found[feed.url] = first._replace(title=first.title or feed.title, folders=tuple(folders))
    return [*found.values()]


def _outlines(raw: bytes) -> Iterator[ListedFeed]:
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
    )
    if DOCTYPE.search(raw):
        raise OpmlError(_("it declares a document type or entities, which no OPML needs"))
    try:
        root = etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise OpmlError(
            _("it is no XML: {error}").format(error=" ".join(str(error).split()))
        ) from None
    if root.getroottree().docinfo.doctype:  # type: ignore[union-attr]  # in an encoding in which nothing above was seen
        raise OpmlError(_("it declares a document type, which no OPML needs"))
    if etree.QName(root).localname.lower() != "opml":
        raise OpmlError(
            _("its root is <{root}>, not <opml>").format(root=etree.QName(root).localname)
        )
    count = 0
    for element in root.iter("{*}outline", "outline"):
        url = _said(element, "xmlUrl") or (_said(element, "url") if _is_link(element) else "")
        if not url:
            continue
        count += 1
        if count > MOST_FEEDS:
            raise OpmlError(_("it lists more than {most:,} feeds").format(most=MOST_FEEDS))
        url = _FEED_SCHEME.sub(lambda said: said[1] or "http://", url)
        if not _WEB_ADDRESS.match(url):  # "@FILE" would be read as a list, and shown
            told = _(
                "its feed {title} has the address {url}, which begins with neither http:// nor https://"
            )
            raise OpmlError(
                told.format(title=_name(element) or count, url=" ".join(url.split())[:URL_SHOWN])
            )
        around = [_name(one) for one in element.iterancestors("{*}outline", "outline")]
        yield ListedFeed(url, _name(element), tuple(filter(None, reversed(around))))


def _is_link(element: etree._Element) -> bool:
    return _said(element, "type").lower() in ("link", "rss", "atom", "feed")


def _name(element: etree._Element) -> str:
    return " ".join((_said(element, "title") or _said(element, "text")).split())


def _said(element: etree._Element, name: str) -> str:
    """Return an attribute, however its name is spelled."""
    for key, value in element.attrib.items():
        if str(key).lower() == name.lower():
            return str(value).strip()
    return ""
