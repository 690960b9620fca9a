"""Lists with excerpts: like entries side by side, each with a heading and a link to a page of its own.

Their sentences make them look like articles. The link of a card may be empty (stretched over it, with a label
for those who do not see), say the heading, or the same words in all of them (阅读全文, Read more).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias
from urllib.parse import urljoin, urlsplit

from lxml import etree

from focuscrawl.readers.pages.texts import names_of, short_text
from focuscrawl.urls.actions import action_in

FEWEST_CARDS = 3
# Of a page's prose that stands in them; below an article stand cards of others.
_SHARE_OF_CARDS = 0.7
# Characters of prose beside them: two of 199 articles have more, and comments or products as cards.
_MOST_BESIDE = 600
_MOST_ABOVE_LEAD = 4  # headings among which is that of an entry which stands whole above others
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MOST_CARD_HEADINGS = 200  # headings of a page that are looked at
_HIGHEST = 6  # elements around a heading among which its card is
_MOST_GROUPS = 40  # groups of blocks that are looked at
_MOST_LISTS = 6  # lists of cards of one page: those of each element around the same headings
_MOST_LINKS = 40  # links of one block
_MOST_LINKS_TO_ONE = (
    3  # links of an entry without a heading: its picture, its words, the rest of it
)
_MOST_LINKS_OF_A_PAGE = 1_000  # links that are looked at for entries without a heading
_MOST_ARTICLES = 60  # elements ``article`` that are looked at
_MOST_CHILDREN = 2_000  # elements side by side that are looked at
_LONGEST_HEADING, _LONGEST_LABEL = 300, 200  # characters


Card = tuple[etree._Element, ...]
"""The elements of an entry, side by side: its block, or what follows its heading up to the next."""


class Prose:
    """How much of a page's prose stands in each element; added up when that is asked for first."""

    __slots__ = ("_inside", "_pieces", "_whole")

    def __init__(self, pieces: Sequence[tuple[int, etree._Element]]) -> None:
        self._pieces = pieces
        self._whole = 0
        self._inside: dict[etree._Element, int] = {}

    def _add_up(self) -> None:
        inside: defaultdict[etree._Element, int] = defaultdict(int)
        for length, element in self._pieces:
            inside[element] += length
            for above in element.iterancestors():
                inside[above] += length
        self._inside = inside
        self._whole = sum(length for length, _ in self._pieces)

    def is_in(self, cards: Iterable[Card]) -> bool:
        """Whether next to all prose stands in cards, none of which is inside another."""
        if not self._inside:
            self._add_up()
        inside = sum(self._inside.get(block, 0) for card in cards for block in card)
        return inside >= _SHARE_OF_CARDS * self._whole and self._whole - inside <= _MOST_BESIDE


_Groups: TypeAlias = defaultdict[tuple[etree._Element, str, str], dict[Card, str]]
"""By the element around them, their tag and class: blocks with the text of their heads."""


def count_cards(root: etree._Element, url: str, prose: Prose) -> int:
    """Return how many entries a page at ``url`` has that hold next to all of its prose; 0: it is no list of such."""
    return next((len(one) for one in _lists_of_cards(root, url, prose) if prose.is_in(one)), 0)


def _lists_of_cards(root: etree._Element, url: str, prose: Prose) -> Iterator[list[Card]]:
    """Go through the lists that may hold the prose, the largest first; some are the heads of entries alone.

    Asked of every page, so links are read of those lists alone.
    """
    groups: _Groups = defaultdict(dict)
    bare: defaultdict[tuple[etree._Element, str], list[tuple[etree._Element, str]]] = defaultdict(
        list
    )
    for heading in islice(root.iter(*_HEADINGS), _MOST_CARD_HEADINGS):
        text = short_text(heading, _LONGEST_HEADING)
        if not text:
            continue
        above = heading.getparent()
        if (
            above is not None and above.tag == "a"
        ):  # a heading inside its link stands where that does
            above = above.getparent()
        if above is not None:
            bare[above, str(heading.tag)].append((heading, text))
        _add_blocks(groups, heading, text, lambda _: True)
    for link, text in _heads_without_heading(root):
        _add_blocks(groups, link, text, _leads_to_one)
    whole = [one for one in groups.values() if len(one) >= FEWEST_CARDS]
    whole += [_runs(above, one) for (above, _), one in bare.items() if len(one) >= FEWEST_CARDS]
    large = sorted(whole, key=len, reverse=True)[:_MOST_GROUPS]
    if next(root.iter("article"), None) is None:  # or one may be a lead
        large = [one for one in large if prose.is_in(one)]
    found = (cards for one in large if (cards := _of_own_pages(one, url)))
    for cards in islice(found, _MOST_LISTS):
        yield [*cards, *_lead(root, cards, url)]


def _add_blocks(
    groups: _Groups,
    head: etree._Element,
    text: str,
    is_one: Callable[[etree._Element], bool],
) -> None:
    """Add the blocks around a head to the groups of what stands beside them and is called like them."""
    for block in islice(head.iterancestors(), _HIGHEST):
        above = block.getparent()
        if above is None or block.tag == "body" or not is_one(block):
            return
        key = above, str(block.tag), names_of(block).split(" ")[0]
        groups[key].setdefault((block,), text)


def _lead(root: etree._Element, cards: Sequence[Card], url: str) -> Iterator[Card]:
    """Return the first entry of a list where it stands whole above the others, an ``article`` whose heading leads to its
    page. What else has such a heading may hold all of an article, with a menu above it.
    """
    own = {block for card in cards for block in card}
    for heading in islice(root.iter(*_HEADINGS), _MOST_ABOVE_LEAD):
        around = [*heading.iterancestors()]
        if not own.isdisjoint(around):
            return
        text = short_text(heading, _LONGEST_HEADING)
        links = _links_of(heading, url)
        if not any(text and said == text and urlsplit(to).path.strip("/") for to, said in links):
            continue  # or it is the name of the site
        article = next((block for block in around if block.tag == "article"), None)
        if article is None or not own.isdisjoint(article.iter()):
            continue
        highest = min(str(one.tag) for one in article.iter(*_HEADINGS))
        if [*article.iter(highest)] == [heading]:
            yield (article,)
            return


def find_linked_articles(root: etree._Element, url: str) -> list[Card]:
    """Return the entries of a list of few: all its elements ``article``, each with a heading that leads to a page of its own.

    One alone is an entry when it stands below the list's own heading, and its last link leads where its heading does and
    says something else (Continue reading). Else: [].
    """
    articles = [*islice(root.iter("article"), _MOST_ARTICLES)]
    targets, said = list[str](), ""
    for article in articles:
        heading = next(article.iter(*_HEADINGS), None)
        said = short_text(heading, _LONGEST_HEADING) if heading is not None else ""
        of_heading = _links_of(heading, url) if heading is not None and said else ()
        targets += [to for to, words in of_heading if words == said][:1]
    if not articles or len({*targets}) < len(articles):
        return []
    own = next(root.iter("h1"), None)
    if len(articles) == 1 and (own is None or articles[0] in own.iterancestors()):
        return []
    links = [*_links_of(articles[0], url)]  # none when its first are all links to other sites
    leads_back = bool(links) and links[-1][0] == targets[0] and links[-1][1] not in ("", said)
    return [(one,) for one in articles] if len(articles) > 1 or leads_back else []


def _heads_without_heading(root: etree._Element) -> list[tuple[etree._Element, str]]:
    """Return links that stand for an entry without a heading: stretched over it, with a label for those who do not
    see, or the same words in all of them (阅读全文)."""
    links = [*islice(root.iter("a"), _MOST_LINKS_OF_A_PAGE)]
    said = [(link, short_text(link, _LONGEST_LABEL)) for link in links if link.get("href")]
    times = Counter([text for _, text in said])
    if len(times) == len(said) and "" not in times:
        return []  # most pages: each says something of its own
    labels = ((link, text or link.get("aria-label", "").strip()) for link, text in said)
    found = [(link, text) for link, text in labels if text and times[text] != 1]
    return [(link, text) for link, text in found if times[text] == 0 or times[text] >= FEWEST_CARDS]


def _leads_to_one(block: etree._Element) -> bool:
    """Whether all links of a block lead to one page; a comment or a post has its author's, too."""
    links = [*islice(block.iter("a"), _MOST_LINKS_TO_ONE + 1)]
    return len(links) <= _MOST_LINKS_TO_ONE and len({link.get("href") for link in links}) == 1


def _runs(above: etree._Element, headings: Sequence[tuple[etree._Element, str]]) -> dict[Card, str]:
    """Return entries that have no element of their own: each heading with what follows it in ``above``."""
    texts = {id(heading): text for heading, text in headings}
    runs: dict[Card, str] = {}
    run: list[etree._Element] = []
    said = ""
    for child in islice(above, _MOST_CHILDREN):
        heading = child[0] if child.tag == "a" and len(child) else child
        if id(heading) in texts:
            if run:
                runs[tuple(run)] = said
            run, said = [], texts[id(heading)]
        if said:
            run.append(child)
    if run:
        runs[tuple(run)] = said
    return runs


def _of_own_pages(cards: dict[Card, str], url: str) -> list[Card]:
    """Return those of some entries that lead to a page of their own by a link that says no more than they do."""
    said = {card: [link for block in card for link in _links_of(block, url)] for card in cards}
    words = Counter(text for links in said.values() for text in {text for _, text in links})
    targets: dict[str, Card] = {}
    for card, heading in cards.items():
        for target, text in said[card]:  # the day below a heading often leads where that does
            if not text or text == heading or words[text] >= max(FEWEST_CARDS, len(cards) // 2):
                targets.setdefault(target, card)
                break
    found = [*dict.fromkeys(targets.values())]
    return found if len(found) >= max(FEWEST_CARDS, len(cards) // 2) else []


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
