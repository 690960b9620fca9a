"""Boxes that lie over a page: dialogs, and boxes that ask for consent. They are no part of what the page says.

Software says what a dialog is (the element, its role, aria-modal). A box that asks for consent is known by
what it says: it speaks of cookies or consent and has a button for it, or is named so. Neither is dropped
where it holds most of a page's text, the page's article or a menu: some pages are nothing else. One that begins with
cookies or consent may hold most of a text beside which the page's heading stands: the list of all cookies of a site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import cast

from lxml import etree

from focuscrawl.readers.pages.advertisements import take_out
from focuscrawl.readers.pages.texts import names_of

_SIGNS_OF_BOXES = (b"aria-modal", b"cookie", b"consent", b"gdpr")
_ELEMENT = b"<dialog"
_ROLE = re.compile(rb"role\s{0,3}=\s{0,3}[\"']?(?:alert)?dialog")
_FIND_DIALOGS = etree.XPath(
    "/descendant::*[self::dialog or @role='dialog' or @role='alertdialog' or @aria-modal='true']"
)
_MOST_DIALOG_LINKS = (
    10  # links of a dialog; menus for telephones have more, and their links are the site's
)
_MOST_BOXES = 20  # of each kind that are looked at on one page
_MOST_BUTTONS = 200  # buttons and links of one page that may give consent
_MOST_BOXES_AROUND = 4  # elements around a button in which the words that it answers stand
_LONGEST_BOX = 3_000  # characters of a box that is known by its words
_MOST_DIALOG_ELEMENTS = 600  # of such a box
_LONGEST_BUTTON = 40  # characters
_SHARE_OF_TEXT = 0.5  # of a page's text that a box may hold
_BEGINNING = 600  # characters of a box, by which a long one is known
_NAMED_DIALOG = re.compile(
    r"(?i)(?:^|[\s_-])(?:cookies?|consent|gdpr)(?:$|[\s_-])|cookie-?(?:consent|banner|notice|bar|law)|consent-?(?:banner|box|manager|modal)"
)
_SPEAKS = re.compile(r"(?i)cookie|consent|gdpr|隐私(?:政策|协议|条款)|隱私")
_ANSWERS = re.compile(
    r"(?i)(?:i |yes,? ?i )?(?:accept|agree|allow|reject|decline|got it|ok(?:ay)?|understood|consent|manage)\b.*"
    r"|(?:我)?(?:已)?(?:同意|接受|拒绝|拒絕|允许|允許|知道了|好的).*|.*(?:akzeptieren|zustimmen|ablehnen|accepter|refuser|aceptar|rechazar|accetta|aceitar|accepteren|akceptuj|принять|同意する)"
)  # fmt: skip
_PROGRAMS = frozenset(("script", "style", "noscript", "template"))
_TAGS = ("div", "section", "aside", "form", "dialog", "footer")


def may_have_boxes(markup: bytes) -> bool:
    """Whether a page may have a box at all; of one that has none nothing more is asked.

    Asked of every page: one expression for all signs took 540 µs of 14 kB, this takes 40.
    """
    written = markup.lower()
    return any(map(written.__contains__, _SIGNS_OF_BOXES)) or (
        b"dialog" in written and (_ELEMENT in written or _ROLE.search(written) is not None)
    )


def find_boxes(root: etree._Element) -> list[etree._Element]:
    """Return the boxes of a page that lie over it, each once, none inside another."""
    body = root.find("body")
    if body is None:
        return []
    candidates = dict.fromkeys((*_dialogs(root), *_consent(body)))
    outermost = [one for one in candidates if candidates.keys().isdisjoint(one.iterancestors())]
    if not outermost:
        return []
    whole, headings = _length(body), sum(1 for _ in islice(body.iter("h1"), 2))
    return [one for one in outermost if not _holds_page(one, whole, headings)]


def _asks_for_consent(one: etree._Element) -> bool:
    """Whether a box begins with cookies or consent, or is called so."""
    pieces, size = [one.get("aria-label", "")], 0
    for inner in islice(one.iter(), _MOST_DIALOG_ELEMENTS):
        shows = isinstance(inner.tag, str) and inner.tag not in _PROGRAMS
        pieces.append((shows and inner.text) or "")
        pieces.append(inner.tail or "" if inner is not one else "")
        size += len(pieces[-1].strip()) + len(pieces[-2].strip())
        if size > _BEGINNING:
            break
    return _SPEAKS.search(" ".join(pieces)) is not None


def drop_boxes(root: etree._Element) -> bool:
    """Take the boxes out of a page; whether there were any."""
    boxes = find_boxes(root)
    for one in boxes:
        take_out(one)
    return bool(boxes)


def _dialogs(root: etree._Element) -> Iterator[etree._Element]:
    for one in islice(cast("list[etree._Element]", _FIND_DIALOGS(root)), _MOST_BOXES):
        is_short = (
            sum(1 for _ in islice(one.iter("a"), _MOST_DIALOG_LINKS + 1)) <= _MOST_DIALOG_LINKS
        )
        if is_short or _SPEAKS.search(one.get("aria-label", "")):
            yield one


def _consent(body: etree._Element) -> Iterator[etree._Element]:
    named = (one for one in body.iterdescendants(*_TAGS) if _NAMED_DIALOG.search(names_of(one)))
    yield from filter(_asks_for_consent, islice(named, _MOST_BOXES))
    for button in islice(body.iterdescendants("button", "a", "input"), _MOST_BUTTONS):
        words = button.get("value", "") if button.tag == "input" else _text(button, _LONGEST_BUTTON)
        if not words or not _ANSWERS.fullmatch(words.strip()):
            continue
        for around in islice(button.iterancestors(), _MOST_BOXES_AROUND):
            if around.tag == "body":
                break
            if _SPEAKS.search(_text(around)):
                if around.tag in _TAGS:
                    yield around
                break


def _holds_page(one: etree._Element, whole: int, headings: int) -> bool:
    """Whether a box holds a page's article, its only heading, or most of its text."""
    if any(one.tag == tag or one.find(f".//{tag}") is not None for tag in ("article", "main")):
        return True
    has_heading = one.find(".//h1") is not None
    if headings and not has_heading and _asks_for_consent(one):
        return False
    return (headings == 1 and has_heading) or _length(one) >= _SHARE_OF_TEXT * whole


def _text(one: etree._Element, longest: int = _LONGEST_BOX) -> str:
    """Return the text of a box, "" when it is larger than one."""
    pieces: list[str] = []
    size = 0
    for number, inner in enumerate(one.iter()):
        text = inner.text if inner.tag not in _PROGRAMS and isinstance(inner.tag, str) else None
        tail = inner.tail if inner is not one else None
        size += len(text or "") + len(tail or "")
        if size > 2 * longest or number > _MOST_DIALOG_ELEMENTS:
            return ""
        pieces += [text or "", tail or ""]
    return " ".join("".join(pieces).split())


def _length(one: etree._Element) -> int:
    """Return how many characters an element shows."""
    size = 0
    for inner in one.iter():
        if inner.tag not in _PROGRAMS and isinstance(inner.tag, str):
            size += len((inner.text or "").strip())
        if inner is not one:
            size += len((inner.tail or "").strip())
    return size
