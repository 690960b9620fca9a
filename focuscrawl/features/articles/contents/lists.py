"""Lists and small tables of an article's text, told from menus and boxes.

Extractors take a ul for a menu: resiliparse drops one that stands near the root of a page, whatever is in
it, readability one that is short; an ol both keep. Of 14 wrappers of one article around a list of two
sentences ten lost it. So a list that stands among the paragraphs of a text and is no list of links is an ol
when they look. So is a table of a few words (opening hours, a price), which readability drops as it drops any block
of less than 25 characters.

Facts above a text or beside its beginning (who wrote it, an infobox) are none of its lines: both extractors take a
table or a dl of pairs for text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from itertools import islice

from lxml import etree

from focuscrawl.features.articles.boilerplate import CLAUSE_END
from focuscrawl.features.articles.contents.edit_links import (
    MAY_EDIT,
    drop_edit_links,
    edit_links_of,
)
from focuscrawl.readers.pages.advertisements import take_out
from focuscrawl.readers.pages.document import Document

_MOST_LISTS_READ = 200  # lists of one page that are looked at
_NEAREST = 6  # neighbours of a list among which a paragraph must stand: headings and images, too
_MOST_LINES_AROUND = 3  # elements around a list that hold nothing else
_LEAST_PROSE = 20  # characters of a paragraph beside a list; shorter ones are labels
_MOST_OF_NEIGHBOUR = 400  # characters of a neighbour that are looked at
_MOST_LINKED = 0.5  # share of a list's text that may stand in links
_MOST_SMALL = 40  # characters of a table that readability may drop, and elements of it
_MOST_FACTS = (
    400  # characters of facts above a text; a notice that is a table has more of them than of prose
)
_MOST_OF_FACT = 40  # characters of a label or value; a longer one is a sentence
_LIST_TAGS = ("ul", "table", "dl")
_MAY_LIST = re.compile(rb"<(?:ul|table|dl)\b", re.IGNORECASE)
_HAS_FIGURE = re.compile(rb"<figure\b", re.IGNORECASE)
_OUTSIDE = ("nav", "header", "footer", "aside", "ul", "ol", "menu", "form", "select")
_NO_PARAGRAPHS = frozenset(("script", "style", "nav", "ul", "ol", "form"))
_SENTENCE_END = re.compile(r"[。！？；.!?;][”’\"')）]?\s*$")
_ANNOUNCES = re.compile(r"[:：]\s*$")


def with_lists(document: Document) -> Document:
    """Return a page whose lists in the text are named so that no extractor drops them, and whose headings have
    no links to edit; the page itself where there are none.
    """
    document = _without_figures(document)
    has_links = MAY_EDIT.search(document.markup) is not None and bool(edit_links_of(document.root))
    if not has_links and not _MAY_LIST.search(document.markup):
        return document
    lists = [*islice(document.root.iter(*_LIST_TAGS), _MOST_LISTS_READ)]
    apart = {place for place, one in enumerate(lists) if one.tag != "ul" and _is_of_facts(one)}
    places = {
        place
        for place, one in enumerate(lists)
        if place not in apart
        and (_is_of_text(one) if one.tag == "ul" else one.tag == "table" and _is_small_table(one))
    }
    if not places and not apart and not has_links:
        return document
    root = deepcopy(document.root)
    for place, one in enumerate([*islice(root.iter(*_LIST_TAGS), _MOST_LISTS_READ)]):
        if place in apart:
            take_out(one)
        elif place in places:
            if one.tag == "table":
                _list_cells(one)
            one.tag = "ol"
            _lift(one)
    if has_links:
        drop_edit_links(root)
    markup = etree.tostring(root, encoding="utf-8", method="html")
    return replace(document, markup=markup, root=root)


def _without_figures(document: Document) -> Document:
    """Return a page whose tables stand in no figure, where WordPress puts them: extractors take those for images."""
    if not _HAS_FIGURE.search(document.markup):
        return document
    if not any(map(_holds_table, islice(document.root.iter("figure"), _MOST_LISTS_READ))):
        return document
    root = deepcopy(document.root)
    for figure in filter(_holds_table, [*islice(root.iter("figure"), _MOST_LISTS_READ)]):
        for caption in figure.findall("figcaption"):
            take_out(caption)
        figure.tag = "div"
        figure.attrib.clear()
    markup = etree.tostring(root, encoding="utf-8", method="html")
    return replace(document, markup=markup, root=root)


def _holds_table(figure: etree._Element) -> bool:
    """Whether a figure is a table, and none that shows images or the lines of a program."""
    has_others = any(figure.find(f".//{name}") is not None for name in ("img", "pre"))
    return figure.find(".//table") is not None and not has_others


def _is_of_text(one: etree._Element) -> bool:
    """Whether a list stands between paragraphs, or begins or ends a text by sentences of its own."""
    if next(one.iterancestors(*_OUTSIDE), None) is not None or _is_of_links(one):
        return False
    block = _block_of(one)
    before, after = _before(block), _after(block)
    if not any(map(_is_prose, before)):
        return any(map(_is_prose, after)) and _says_sentences(one)
    if any(map(_is_prose, after)):
        return True
    return _is_prose(before[0]) and (bool(_ANNOUNCES.search(before[0])) or _says_sentences(one))


def _is_small_table(one: etree._Element) -> bool:
    """Whether a table of a few words, or of lists, stands between paragraphs, or right behind one that announces it or ends there.

    One above the text says who wrote it, and when.
    """
    items = [*islice(one.iter("li"), _MOST_SMALL)]  # whose lists both extractors drop in cells
    if any(item.find(".//li") is not None for item in items):
        return False
    most, length = (_MOST_FACTS if items else _MOST_SMALL), 0
    for piece in islice(one.itertext(), most):
        length += len(str(piece).strip())
    if not 0 < length < most or len(one) > _MOST_SMALL:
        return False
    if next(one.iterancestors(*_OUTSIDE), None) is not None or one.find(".//a") is not None:
        return False
    if any(one.find(f".//{name}") is not None for name in ("table", "img", "input")):
        return False
    listed = (str(piece).strip() for cell in _cells_of(one) for piece in cell.itertext())
    if items and sum(map(len, listed)) < length:  # words of a cell beside its list
        return False
    block = _block_of(one)
    before, after = _before(block), _after(block)
    is_between = any(map(_is_prose, before)) and any(map(_is_prose, after))
    return is_between or (_is_prose(before[0]) and len(_cells_of(one)) > 1)


def _is_of_facts(one: etree._Element) -> bool:
    """Whether a table or dl of pairs, a label and a few words, stands before a text that is longer."""
    cells = [*islice(one.iter("td", "th", "dt", "dd"), _MOST_SMALL + 1)]
    if not 1 < len(cells) <= _MOST_SMALL or next(one.iterancestors(*_OUTSIDE), None) is not None:
        return False
    if any(
        one.find(f".//{name}") is not None for name in ("table", "dl", "ul", "ol", "img", "input")
    ):
        return False
    texts = ["".join(islice(_pieces(cell), _MOST_OF_NEIGHBOUR)) for cell in cells]
    length = sum(map(len, texts))
    if (
        max(map(len, texts)) > _MOST_OF_FACT
        or length > _MOST_FACTS
        or any(map(_SENTENCE_END.search, texts))
    ):
        return False
    if one.tag == "table" and not all(len(row) == 2 for row in one.iter("tr")):
        return False
    block = _block_of(one)
    cell = block.getparent()
    if cell is not None and cell.tag == "td" and _holds_only(cell, block):
        block = cell
    after = [text for text in _after(block) if _is_prose(text)]
    return not any(map(_is_prose, _before(block))) and sum(map(len, after)) > length


def _cells_of(table: etree._Element) -> list[etree._Element]:
    """Return the cells of a table, and the items instead of a cell that has a list."""
    cells = table.iter("caption", "td", "th", "li")
    return [one for one in cells if one.tag == "li" or one.find(".//li") is None]


def _list_cells(table: etree._Element) -> None:
    """Let the cells of a table be the items of a list."""
    cells = _cells_of(table)
    for child in [*table]:
        table.remove(child)
    table.text = None
    for cell in cells:
        cell.tag, cell.tail = "li", None
        table.append(cell)


def _block_of(one: etree._Element) -> etree._Element:
    """Return a list with the elements around it that hold nothing else."""
    block = one
    for above in islice(one.iterancestors(), _MOST_LINES_AROUND):
        if above.tag in {"body", "td", "th"} or not _holds_only(above, block):
            break
        block = above
    return block


def _lift(one: etree._Element) -> None:
    """Put a list in the place of what holds nothing else: readability drops a div that is short."""
    block = _block_of(one)
    above = block.getparent()
    if block is not one and above is not None:
        tail, block.tail = block.tail, None
        above.replace(block, one)
        one.tail = tail


def _is_of_links(one: etree._Element) -> bool:
    whole = sum(map(len, _pieces(one)))
    linked = sum(sum(map(len, _pieces(link))) for link in one.iter("a"))
    return linked >= _MOST_LINKED * whole


def _holds_only(above: etree._Element, block: etree._Element) -> bool:
    return len(above) == 1 and not (above.text or "").strip() and not (block.tail or "").strip()


def _before(block: etree._Element) -> list[str]:
    """Return the pieces of text before a block, the nearest first: neighbours, and what stands bare."""
    found: list[str] = []
    for one in islice(block.itersiblings(preceding=True), _NEAREST):
        found += [one.tail or "", _beginning(one)]
    above = block.getparent()
    if above is not None and len(found) < 2 * _NEAREST:
        found.append(above.text or "")
    return [text for piece in found if (text := piece.strip())] or [""]


def _after(block: etree._Element) -> list[str]:
    found = [block.tail or ""]
    for one in islice(block.itersiblings(), _NEAREST):
        found += [_beginning(one), one.tail or ""]
    return [text for piece in found if (text := piece.strip())] or [""]


def _beginning(one: etree._Element) -> str:
    """Return the text of a neighbour, whose end counts: "" for what is no paragraph."""
    if not isinstance(one.tag, str) or one.tag in _NO_PARAGRAPHS:
        return ""
    return "".join(islice(_pieces(one), _MOST_OF_NEIGHBOUR))


def _is_prose(text: str) -> bool:
    return len(text) >= _LEAST_PROSE and (
        CLAUSE_END.search(text) is not None
        or _SENTENCE_END.search(text) is not None
        or _ANNOUNCES.search(text) is not None
    )


def _says_sentences(one: etree._Element) -> bool:
    items = ("".join(_pieces(item)) for item in islice(one.iter("li"), _NEAREST))
    return any(len(item) >= _LEAST_PROSE and _SENTENCE_END.search(item) for item in items)


def _pieces(one: etree._Element) -> Iterable[str]:
    return (str(piece).strip() for piece in one.itertext())
