"""Whether a page is an empty frame that a browser's scripts fill: what is read of it says nothing."""

from __future__ import annotations

import re
from itertools import islice
from typing import cast

from lxml import etree

from focuscrawl.pages.document import Document, element_text

LONGEST_FRAME = 200
"""Characters of text that such a frame shows at most: a title, "Loading …", a line of the footer."""

_LONGEST_WAIT = 40
"""Characters that stand where the page is to come."""

MOST_TEXTS = 400
ASKS_FOR_SCRIPT = re.compile(
    r"javascript|(?:启用|开启|打开|啟用|開啟)\W{0,3}(?:js|脚本|腳本)", re.IGNORECASE
)
_MOUNTS = re.compile(
    r"^_{0,2}(?:app|root|next|nuxt|gatsby|main-app|react-root|app-root)$", re.IGNORECASE
)
"""Ids and tags of the element that frameworks build a page in: Vue, React, Next, Nuxt, Angular."""

_FIND_TEXTS = etree.XPath(
    f"(//body/descendant::text())[position() <= {10 * MOST_TEXTS}]"
    "[not(parent::script or parent::style or parent::noscript or parent::template)]",
    smart_strings=False,
)
_FIND_SCRIPTS = etree.XPath("boolean(//script[@src or string-length(.) > 100])")
FIND_ASKING = etree.XPath("//noscript")
FIND_MOUNTS = etree.XPath(
    "/descendant::*[(parent::body and (@id or contains(local-name(), '-')))"
    " or (@id and parent::*/parent::body)]"
)


def needs_script(document: Document) -> bool:
    """Whether a page has a script, hardly a word, and an empty place for what the script shows or a
    word that it must run.
    """
    root = document.root
    texts = islice(cast("list[str]", _FIND_TEXTS(root)), MOST_TEXTS)
    if sum(len(text.strip()) for text in texts) > LONGEST_FRAME or not _FIND_SCRIPTS(root):
        return False
    asking = cast("list[etree._Element]", FIND_ASKING(root))[:10]
    if any(ASKS_FOR_SCRIPT.search(element_text(one)) for one in asking):
        return True
    places = cast("list[etree._Element]", FIND_MOUNTS(root))[:50]
    return any(
        _MOUNTS.match(place.get("id", "") or str(place.tag))
        and len(element_text(place)) < _LONGEST_WAIT
        for place in places
    )
