"""Lists with excerpts: like blocks side by side, each with a heading and a link to a page of its own.

Their sentences make them look like articles. The link of a card may be empty (stretched over it, with a label
for those who do not see), say the heading, or the same words in all of them (阅读全文, Read more).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from urllib.parse import urljoin, urlsplit

from lxml import etree

from focuscrawl.pages.texts import names_of, short_text
from focuscrawl.urls.actions import action_in

FEWEST_CARDS = 3
# Of a page's prose that stands in them; below an article stand cards of others.
_SHARE_OF_CARDS = 0.7
# Characters of prose beside them: of 199 articles two had more, and comments or products as cards.
_MOST_BESIDE = 600
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MOST_HEADINGS = 200  # headings of a page that are looked at
_HIGHEST = 6  # elements around a heading among which its card is
_MOST_GROUPS = 40  # groups of blocks that are looked at
_MOST_LINKS = 40  # links of one block
_LONGEST_HEADING, _LONGEST_LABEL = 300, 200  # characters


def find_cards(root: etree._Element, url: str) -> list[etree._Element]:
    """Return the blocks of the largest list of cards of a page at ``url``; none where it has no such list."""
    groups: defaultdict[tuple[etree._Element, str, str], dict[etree._Element, str]] = defaultdict(
        dict
    )
    for heading in islice(root.iter(*_HEADINGS), _MOST_HEADINGS):
        text = short_text(heading, _LONGEST_HEADING)
        if not text:
            continue
        for block in islice(heading.iterancestors(), _HIGHEST):
            above = block.getparent()
            if above is None or block.tag == "body":
                break
            groups[above, str(block.tag), names_of(block).split(" ")[0]].setdefault(block, text)
    large = sorted(
        (one for one in groups.values() if len(one) >= FEWEST_CARDS), key=len, reverse=True
    )
    for blocks in large[:_MOST_GROUPS]:
        if cards := _of_own_pages(blocks, url):
            return cards
    return []


def _of_own_pages(blocks: dict[etree._Element, str], url: str) -> list[etree._Element]:
    """Return those of some blocks that lead to a page of their own by a link that says no more than they do."""
    said = {block: dict(_links_of(block, url)) for block in blocks}
    words = Counter(text for links in said.values() for text in {*links.values()})
    targets: dict[str, etree._Element] = {}
    for block, heading in blocks.items():
        for target, text in said[block].items():
            if not text or text == heading or words[text] >= max(FEWEST_CARDS, len(blocks) // 2):
                targets.setdefault(target, block)
                break
    cards = [*dict.fromkeys(targets.values())]
    return cards if len(cards) >= max(FEWEST_CARDS, len(blocks) // 2) else []


def _links_of(block: etree._Element, url: str) -> Iterator[tuple[str, str]]:
    """Go through the links of a block to other pages of its site, and what they say."""
    here = urlsplit(url)
    for link in islice(block.iter("a"), _MOST_LINKS):
        href = link.get("href", "").strip()
        if not href or href[0] == "#":
            continue
        try:
            target = urljoin(url, href).partition("#")[0]
            there = urlsplit(target)
        except ValueError:
            continue
        is_own = there.netloc == here.netloc and there.path != here.path
        if is_own and action_in(target) is None:
            yield (
                target,
                short_text(link, _LONGEST_LABEL),
            )  # "" for one that is stretched over its card


def hold_all(cards: Iterable[etree._Element], pieces: Iterable[tuple[int, etree._Element]]) -> bool:
    """Whether next to all of some pieces of prose (length, element) stands in cards."""
    own, whole, inside = {*cards}, 0, 0
    for length, element in pieces:
        whole += length
        inside += length * (not own.isdisjoint((element, *element.iterancestors())))
    return inside >= _SHARE_OF_CARDS * whole and whole - inside <= _MOST_BESIDE
