"""The main text of a page: what readability finds, corrected by what resiliparse finds.

Extractors err in different ways: the one takes a box from beside the text with it, the other the
comments below. So a line that only one of them has is not of the text. And an article begins with
its beginning: where the careful one starts behind paragraphs of prose that the other has, it took a
table or a reply for the article.
"""

from __future__ import annotations

import logging
import re
from copy import copy, deepcopy
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple, cast

from lxml import etree
from lxml.html import HtmlElement, HTMLParser
from readability import Document as ReadabilityDocument
from readability.cleaners import html_cleaner
from readability.readability import REGEXES, Unparseable, text_length
from resiliparse.extract.html2text import extract_plain_text

from focuscrawl.features.articles.boilerplate import (
    CLAUSE_END,
    comments_of,
    drop_captions,
    drop_comments,
    name_no_quotations,
    taken_listings,
    text_of_listings,
    text_of_quotations,
    unbox_listings,
)
from focuscrawl.features.articles.contents.images import images_in, pictures, show_substitutes
from focuscrawl.features.articles.contents.lists import with_lists
from focuscrawl.features.articles.contents.twice import shown_once
from focuscrawl.features.articles.readings import (
    PROSE_LETTERS,
    Readings,
    chosen,
    corrected,
    is_doubtful,
)
from focuscrawl.readers.pages.advertisements import drop_advertisements
from focuscrawl.readers.pages.document import Document, fresh_root, is_quickly_read
from focuscrawl.readers.pages.kind import pieces_of_prose, prose_length
from focuscrawl.readers.pages.texts import paragraphs, short_text, tidy

EXTRACTOR_PARSER = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
logging.getLogger("readability.readability").setLevel(logging.CRITICAL)  # it logs what it raises


# As readability's own, which looks at every link twice for scripts that never run here: half of
# what it cost.
_CLEANER = copy(html_cleaner)
_CLEANER.javascript = False
# Never //*[…]: libxml2 then looks at each element by its parent and joins what it finds, by the square of
# those side by side: .77 s for 9,300 links with a style, .01 so.
_FIND_HIDDEN = etree.XPath("/descendant::*[@hidden or @style]")
_IS_HIDDEN = REGEXES["displayNoneRe"]


# Candidates times elements above the best; of 221 real pages the largest has 889.
_MOST_COMPARED_BLOCKS = 10_000


class _Readability(ReadabilityDocument):  # type: ignore[misc]
    """Readability without what prepares a page for display: no page is displayed."""

    def _parse(self, root: HtmlElement) -> HtmlElement:
        root = deepcopy(root)  # it is asked for anew when too little was found
        for one in cast("list[HtmlElement]", _FIND_HIDDEN(root)):
            if one.getparent() is not None and (
                one.get("hidden") is not None or _IS_HIDDEN.search(one.get("style", ""))
            ):
                one.drop_tree()
        _CLEANER(root)
        return root

    _densities: dict[HtmlElement, float] | None = None

    def __init__(self, root: HtmlElement) -> None:
        super().__init__(root)
        self._links: dict[HtmlElement, int] = {}

    def merge_article_segments(
        self, candidates: dict[HtmlElement, Any], best_candidate: dict[str, Any], *more: Any
    ) -> None:
        """Merge as it does, which changes nothing until all candidates have been looked at: once for
        each element above the best, so that 250 of them inside each other took two minutes.
        """
        above = sum(1 for _ in best_candidate["elem"].iterancestors())
        if above * len(candidates) > _MOST_COMPARED_BLOCKS:
            return
        self._densities = {}
        super().merge_article_segments(candidates, best_candidate, *more)
        self._densities = None

    def get_link_density(self, elem: HtmlElement) -> float:
        if self._densities is None:
            return self._link_density(elem)
        if elem not in self._densities:
            self._densities[elem] = self._link_density(elem)
        return self._densities[elem]

    def _link_density(self, elem: HtmlElement) -> float:
        """Return the share of links in a text, as it does; it reads a link anew for each element around
        it, so that 63 links in 250 of them inside each other took three seconds.
        """
        links = 0
        for link in elem.findall(".//a"):
            if link not in self._links:
                self._links[link] = text_length(link)
            links += self._links[link]
        return links / max(int(text_length(elem)), 1)


# Readability counts commas, and only these of ASCII: beside each of another script stands one for it,
# behind a mark that no text holds. Without, of 137 pages in Japanese markup paragraphs were dropped
# where the same pages in English kept them: F1 .961, with them .964; Chinese .970 and .976.
_COMMAS = tuple(map(str.encode, "，、；،"))
_MARK_OF_LINE = "\ufdd1,".encode()


def by_readability(document: Document) -> etree._Element | None:
    """Return the block readability takes for the text: precise, but now and then a wrong one."""
    markup = document.markup
    for comma in _COMMAS:
        markup = markup.replace(comma, comma + _MARK_OF_LINE)
    root = fresh_root(markup, EXTRACTOR_PARSER)
    if not isinstance(root, HtmlElement):
        return None
    drop_advertisements(root)
    drop_comments(root)
    name_no_quotations(root)
    unbox_listings(root)
    show_substitutes(root)
    try:
        summary = _Readability(root).summary(html_partial=True)
    except (Unparseable, RecursionError):
        return None
    block = fresh_root(
        summary.encode("utf-8", "replace").replace(_MARK_OF_LINE, b""), EXTRACTOR_PARSER
    )
    drop_captions(block)  # no sooner: it drops images that have no text beside them
    return block


def by_resiliparse(markup: str, *, comments: bool = True) -> str:
    """Return resiliparse's text: quick and next to complete, with more of what stands around it.

    Without ``comments`` it leaves out all that is called so, be it the article.
    """
    return tidy(
        extract_plain_text(
            markup,
            main_content=True,
            preserve_formatting=True,
            list_bullets=False,
            alt_texts=False,
            comments=comments,
        )
    )


FEWEST_CHARACTERS = 120  # characters under which what readability found is not trusted
# Elements of a page readability is asked about, by the depth it is nested past: its cost grows
# with elements times depth, some 2.4 µs each.
_ELEMENTS_BY_DEPTH = ((0, 15_000), (40, 7_500), (80, 3_700), (160, 2_300))
_MOST_TEXT_MARKUP = 1_500_000  # bytes of markup it is asked about
# Characters of a page's text, each counted as often as elements hold it: readability looks at the
# whole text of every paragraph, cell and block anew, some 0.12 µs a character.
MOST_NESTED_TEXT = 5_000_000
# Bytes of markup whose text is taken as it stands when no extractor is asked.
MOST_PLAIN_MARKUP = 750_000
# Characters up to which two readings are compared; longer ones are a book or made to be long.
MOST_COMPARED = 200_000
_LONGEST_MAIN_TEXT = 1_000_000  # characters of a text

_COUNT_ELEMENTS = etree.XPath("count(//*)")
FIND_HIDDEN = etree.XPath("//body/descendant-or-self::*[contains(@style, 'visibility')]")
FIND_SHOWN = etree.XPath("//body/descendant::text()[not(parent::script or parent::style)]")
HIDES = re.compile(r"visibility\s*:\s*hidden", re.IGNORECASE)
HIDES_IN_MARKUP = re.compile(rb"visibility\s{0,9}:\s{0,9}hidden", re.IGNORECASE)
MOST_PIECES = 3_000  # pieces of prose by which the block of a text is found
NESTED_PAST = {
    depth: etree.XPath(f"boolean({'/*' * depth})") for depth, _ in _ELEMENTS_BY_DEPTH if depth
}


class MainText(NamedTuple):
    """Paragraphs separated by one newline, the addresses of the images among them, who found it."""

    text: str
    images: tuple[str, ...]
    found_by: str


def read_main_text(
    document: Document, plain: str | None = None, *, is_article: bool = False
) -> MainText:
    """Return the main text, empty when there is none; costs 10 to 30 ms for a usual page.

    ``plain`` is what read_plain_text gave, if that has been asked. A page of so many elements that
    the extractors could take seconds gives all its text. Of a page that is dated or says that it ``is_article``
    another reading may be taken than what two agree on.
    """
    if len(document.markup) > _MOST_TEXT_MARKUP:
        document = _without_programs(document)
    if _is_costly(document):
        root = fresh_root(document.markup[:MOST_PLAIN_MARKUP], EXTRACTOR_PARSER)
        return MainText(paragraphs(root)[:_LONGEST_MAIN_TEXT], (), "all text")
    agreed = read_both(document, plain)
    main = _most_likely(agreed) if is_article else agreed.main
    document, (text, images, found_by) = agreed.document, main
    if len(text) < LONGEST_BARE_NOTICE and (of_files := by_files(document, text)):
        text, found_by = of_files, "files"
    if len(text) < FEWEST_CHARACTERS:
        images = pictures(document) or images
    return MainText(shown_once(text[:_LONGEST_MAIN_TEXT], document.root), images, found_by)


class AgreedText(NamedTuple):
    """What two readings of a page agree on; ``document`` is the page as they read it, ``careful`` and ``complete`` are what
    readability and resiliparse found."""

    document: Document
    main: MainText
    careful: str
    complete: str


def read_both(document: Document, plain: str | None = None) -> AgreedText:
    """Read the main text of a page in two ways that correct each other. ``plain`` as for read_main_text."""
    document = with_lists(_shown(document))
    block = by_readability(document)
    listings, quotations, text = "", "", ""
    images: tuple[str, ...] = ()
    if block is not None:
        listings, quotations = taken_listings(block), text_of_quotations(block)
        images, text = (
            images_in(block, document),
            paragraphs(block),
        )  # which empties what is not shown
    other = _plain_text(document) if plain is None else plain
    careful, found_by = text, "readability"
    if len(text) < FEWEST_CHARACTERS and (
        len(other) > 2 * len(text) or _has_files_beside(document, text, other)
    ):
        text, found_by = other, "resiliparse"
    elif len(other) < FEWEST_CHARACTERS <= len(text):
        pass  # what found nothing corrects nothing: a bare list
    elif len(text) + len(other) <= MOST_COMPARED:
        checked = corrected(text, other, listings)
        if quotations and len(checked) >= FEWEST_CHARACTERS:  # quotations alone are no text
            checked = corrected(text, other, f"{listings}\n{quotations}")
        text = checked
    if len(text) < FEWEST_CHARACTERS:
        of_prose = by_prose(document)
        if len(of_prose) > 2 * max(len(text), FEWEST_CHARACTERS / 2):
            text, found_by = of_prose, "prose"
    found = _with_most_prose(document, MainText(text, images, found_by), other)
    return AgreedText(document, found, careful, other)


_SMALL_PART, _LARGE_PART = 0.2, 0.6
"""Of a page's prose: where a text has less than the one and the complete reading has more than the other, it is one box of
many. Of 494 pages of seven types F1 of words .806, with these .817; of 383 articles of seven sets none changes (at .3 five
do, four for the worse)."""
_HARDLY_ANY = 0.1  # of a page's prose; then the block of it is the text: one of 87 pages of publishers, and no other


def _with_most_prose(document: Document, found: MainText, complete: str) -> MainText:
    """Return a text, or another reading where it is next to nothing of what its page says in sentences."""
    prose = prose_length(document)
    if len(found.text) >= _SMALL_PART * prose:
        return found
    if len(complete) >= _LARGE_PART * prose:
        return MainText(complete, found.images, "resiliparse")
    if len(found.text) >= _HARDLY_ANY * prose:
        return found
    block = by_prose(document)
    return MainText(block, found.images, "prose") if len(block) >= _LARGE_PART * prose else found


_FEWEST_OF_LINK = 4  # characters of what a link says, to tell a line that is one


def _most_likely(agreed: AgreedText) -> MainText:
    """Return the text that two readings agree on, or another reading that is clearly more likely to be the text."""
    found, careful, complete = agreed.main, agreed.careful, agreed.complete
    longest = len(found.text) + len(careful) + len(complete)
    if longest > MOST_COMPARED or not is_doubtful(found.text, complete):
        return found
    readings = readings_of(agreed)
    match chosen(readings):
        case "careful":
            return found._replace(text=careful, found_by="readability")
        case "complete":
            return found._replace(text=complete, found_by="resiliparse")
        case "block":
            return found._replace(text=readings.block, found_by="prose")
    return found


def readings_of(agreed: AgreedText) -> Readings:
    """Return all readings of a page, and what is weighed of them."""
    document = agreed.document
    links = cast("list[etree._Element]", _FIND_LINKS(document.root))
    said = (short_text(one, _LONGEST_CLASS_NAME) for one in islice(links, _MOST_TEXT_LINKS))
    names = frozenset(name for name in said if len(name) >= _FEWEST_OF_LINK)
    texts = (agreed.main.text, agreed.careful, agreed.complete, by_prose(document))
    return Readings(*texts, names, prose_length(document))


_FIND_LINKS = etree.XPath("//body/descendant::a[@href]")
IS_ATTACHMENT = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|wps|ofd|zip|rar)$", re.IGNORECASE)
LONGEST_ENDING = 8  # characters of an address that hold its ending
_LONGEST_CLASS_NAME = 120  # characters of what names a file
_MOST_TEXT_LINKS = 3_000  # links of one page among which its files are looked for
_MOST_FILES = 20  # files of one page whose names are looked for
LONGEST_BARE_NOTICE = (
    300  # characters of a byline and a footer, which a notice of files alone has beside them
)
MOST_AROUND_FILES = 12  # elements around the first file in which the rest of a notice may stand
OF_PROSE = 0.8  # share of a page's prose that the block it is the text of must hold


def by_prose(document: Document) -> str:
    """Return the text of the smallest block that holds most of a page's sentences, "" without any.

    For pages whose markup leads both extractors astray: paragraphs right inside a list, in spans.
    """
    root = fresh_root(document.markup, EXTRACTOR_PARSER)
    drop_advertisements(root)
    drop_comments(root)
    held: dict[etree._Element, int] = {}
    whole = 0
    for length, element in islice(pieces_of_prose(root), MOST_PIECES):
        whole += length
        for above in (element, *element.iterancestors()):
            held[above] = held.get(above, 0) + length
    blocks = [one for one, prose in held.items() if prose >= OF_PROSE * whole]
    deepest = max(blocks, key=lambda one: sum(1 for _ in one.iterancestors()), default=None)
    return "" if deepest is None or deepest.tag == "body" else paragraphs(deepest)


def is_attachment(url: str, name: str) -> bool:
    """Whether a link leads to a document, by its address or by what it is called: many systems hand
    out 课程表.docx by download.jsp?id=81.
    """
    return any(IS_ATTACHMENT.search(one[-LONGEST_ENDING:]) for one in (url, name))


def _files(root: etree._Element) -> list[etree._Element]:
    """Return the first links of a page to files."""
    links = cast("list[etree._Element]", _FIND_LINKS(root))
    files = (
        one
        for one in islice(links, _MOST_TEXT_LINKS)
        if is_attachment(one.get("href", "").strip(), short_text(one, _LONGEST_CLASS_NAME))
    )
    return list(islice(files, _MOST_FILES))


def _has_files_beside(document: Document, text: str, other: str) -> bool:
    """Whether only the other reading names a file the page links to: a notice with an attachment."""
    names = (short_text(one, _LONGEST_CLASS_NAME) for one in _files(document.root))
    return any(name and name not in text and name in other for name in names)


def by_files(document: Document, text: str) -> str:
    """Return what stands around the files a page links to when a text names none of them, "" without
    any: an announcement whose attachments are all it has, or its text with them. What holds another
    link is not of it, nor is it when it lacks a sentence of the text.
    """
    root = fresh_root(document.markup, EXTRACTOR_PARSER)
    files = _files(root)
    names = {name for one in files if (name := short_text(one, _LONGEST_CLASS_NAME))}
    if not names or any(name in text for name in names):
        return ""
    found = files[0]
    for block in islice(files[0].iterancestors(), MOST_AROUND_FILES):
        others = sum(1 for one in block.iter("a") if one.get("href") and one not in files)
        if block.tag == "body" or others:
            break
        found = block
    around = paragraphs(found)
    sentences = (line for line in text.split("\n") if CLAUSE_END.search(line))
    return around if all(line in around for line in sentences) else ""


def _shown(document: Document) -> Document:
    """Return a page with what hides its text taken off: a script shows it once it is loaded."""
    if b"visibility" not in document.markup:
        return document
    root = document.root
    hidden = [one for one in cast("list[etree._Element]", FIND_HIDDEN(root)) if HIDES.search(one.get("style", ""))]  # fmt: skip
    most = max((sum(map(len, map(str, one.itertext()))) for one in hidden), default=0)
    whole = sum(map(len, cast("list[str]", FIND_SHOWN(root)))) if most < FEWEST_CHARACTERS else 0
    if most < PROSE_LETTERS or 2 * most < whole:
        return document
    markup = HIDES_IN_MARKUP.sub(b"", document.markup)
    # Its tree, too: lists of the text are renamed there, and markup is made of that.
    return replace(document, markup=markup, root=fresh_root(markup, EXTRACTOR_PARSER))


def _without_programs(document: Document) -> Document:
    """Return a page without its scripts, styles and drawings: of 2 MB they are nearly all."""
    markup = document.markup
    lower = markup.lower()
    for name in (b"script", b"style", b"svg"):
        kept: list[bytes] = []
        place = 0
        while (begins := lower.find(b"<" + name, place)) >= 0:
            ends = lower.find(b"</" + name, begins)
            if ends < 0:
                break
            kept.append(markup[place:begins])
            place = lower.find(b">", ends) + 1 or len(markup)
        markup = b"".join((*kept, markup[place:]))
        lower = markup.lower()
    return replace(document, markup=markup, root=fresh_root(markup, EXTRACTOR_PARSER))


class FirstSight(NamedTuple):
    """What a page says, found quickly: ``plain`` as read_plain_text gives it, ``listings`` of
    programs, which that leaves out."""

    plain: str
    listings: str


def at_first_sight(document: Document) -> FirstSight | None:
    """Look at a page quickly; None when that cannot tell what is in it, or would not be quick."""
    if _is_costly(document):
        return None
    plain = read_plain_text(document)
    if len(plain) < FEWEST_CHARACTERS:
        return None
    return FirstSight(plain, text_of_listings(document.root))


def _is_costly(document: Document) -> bool:
    elements = cast("float", _COUNT_ELEMENTS(document.root))
    return (
        len(document.markup) > _MOST_TEXT_MARKUP
        or any(
            elements > most and (not depth or cast("bool", NESTED_PAST[depth](document.root)))
            for depth, most in _ELEMENTS_BY_DEPTH
        )
        or _nests_much_text(document.root)
    )


def _nests_much_text(root: etree._Element) -> bool:
    depths: dict[etree._Element | None, int] = {None: 0}
    held = 0
    for element in root.iter():
        above = element.getparent()
        depth = depths[element] = depths.get(above, 0) + 1
        held += depth * len(element.text or "") + (depth - 1) * len(element.tail or "")
        if held > MOST_NESTED_TEXT:
            return True
    return False


def read_plain_text(document: Document) -> str:
    """Return resiliparse's text of a document: quick, and hardly anything of the article missing."""
    return _plain_text(with_lists(document))


def _plain_text(document: Document) -> str:
    comments = not comments_of(document.root)
    if is_quickly_read(document.markup):
        return by_resiliparse(document.markup.decode("utf-8", "replace"), comments=comments)
    root = fresh_root(
        document.markup, EXTRACTOR_PARSER
    )  # its tree is no deeper than the parser allows
    markup = etree.tostring(root, encoding="unicode", method="html")
    return by_resiliparse(markup, comments=comments)
