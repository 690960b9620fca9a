"""Links to edit a part of a page, in brackets beside its heading, as wikis print them: [编辑 | 编辑源代码].

Readability drops a heading that is half a link, and takes a pair of such links for a line of the text.
"""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from focuscrawl.readers.pages.advertisements import take_out
from focuscrawl.readers.pages.texts import short_text
from focuscrawl.urls.actions import EDIT, action_in

MAY_EDIT = re.compile(rb"(?i)[?&;](?:amp;)?(?:ve)?(?:action|do)=edit|/edit\b")
_MOST_EDIT_LINKS = 3_000  # links of one page that are looked at
_LONGEST_EDIT_LINE = 60  # characters of what is printed for such links
_LINES_AROUND = 3  # elements around a link that hold nothing else
_BRACKETED = re.compile(r"[\[【(（［].*[\]】)）］]")


def edit_links_of(root: etree._Element) -> list[etree._Element]:
    """Return the elements that hold links to edit and nothing but their brackets."""
    found: dict[etree._Element, None] = {}
    for link in islice(root.iter("a"), _MOST_EDIT_LINKS):
        address = link.get("href", "")
        if not address or not _edits(address):
            continue
        for around in islice(link.iterancestors(), _LINES_AROUND):
            text = short_text(around, _LONGEST_EDIT_LINE)
            if not text or around.tag in {
                "h1",
                "h2",
                "h3",
                "h4",
                "h5",
                "h6",
                "p",
                "li",
                "td",
                "body",
            }:
                break
            if _BRACKETED.fullmatch(text) and all(
                _edits(one.get("href", "")) for one in around.iter("a")
            ):
                found[around] = None
                break
    return [*found]


def drop_edit_links(root: etree._Element) -> None:
    """Take such elements out of a page."""
    for one in edit_links_of(root):
        take_out(one)


def _edits(address: str) -> bool:
    return action_in(f"http://h{address}" if address.startswith("/") else address) == EDIT
