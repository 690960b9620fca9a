"""The images of a text: the address that a browser shows in the end, never a placeholder.

Pages that load images late write the address in an attribute of their own program's (data-src,
data-original, data-lazy-src, file of Discuz!), in srcset, in the sources of a picture or in noscript, and in
src what is shown until then: nothing, a data: address, or one small file for all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile
from typing import cast

from lxml import etree

from focuscrawl.readers.pages.document import Document, Joiner

MOST_IMAGES = 100  # images of one article
_MOST_LOOKED_AT = 1_000  # image elements of one text
SMALLEST_PICTURE = 100  # pixels of a side under which an image is an icon
_MOST_SOURCES = 8  # sources of one picture
_FEWEST_ALIKE = 3  # images of one text with the same src: then it stands for others, or is a bullet
FIND_PICTURES = etree.XPath(
    "//body/descendant::img[not(ancestor::a or ancestor::header or ancestor::nav or ancestor::footer)]"
)
_IMAGE_ADDRESS = re.compile(
    r"\S{1,2000}\.(?:jpe?g|png|webp|gif|avif|bmp|jfif)(?:[?!@#]\S*)?", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?!data:|javascript:|about:|#)\S*[/.]\S*", re.IGNORECASE)
# Attributes of programs that load late, and those that hold another thing than the image shown.
_LATE = re.compile(r"src|original|lazy|^file$|^echo$", re.IGNORECASE)
_ANOTHER = re.compile(
    r"srcset|thumb|small|tiny|low|lqip|placeholder|preview|avatar|error|default|fallback|link|href|page|icon|alt|title|caption",
    re.IGNORECASE,
)
_OF_BROWSERS = frozenset(("src", "srcset", "alt", "title", "class", "id", "style", "sizes", "href"))
_PLACEHOLDER_IMAGE = re.compile(
    r"(?:^|[/_-])(?:loading|lazy(?:load)?|placeholder|blank|spacer|gr[ae]y|transparent|pixel|1x1|none|clear|empty)\d*\.\w{3,4}(?:$|\?)",
    re.IGNORECASE,
)


def images_in(block: etree._Element, document: Document) -> tuple[str, ...]:
    """Return the addresses of the images under an element, in order, without repetition."""
    return _addresses(block.iter("img"), document)


def pictures(document: Document) -> tuple[str, ...]:
    """Return the images of a page that shows little else: those that are no links, logos, icons."""
    found = cast("list[etree._Element]", FIND_PICTURES(document.root))
    return _addresses((image for image in found if not _is_small(image)), document)


def _is_small(image: etree._Element) -> bool:
    sizes = (image.get(side, "").removesuffix("px") for side in ("width", "height"))
    return any(size.isdecimal() and int(size[:6]) < SMALLEST_PICTURE for size in sizes)


def _addresses(images: Iterable[etree._Element], document: Document) -> tuple[str, ...]:
    join = Joiner(document.base_url, document.encoding).join
    looked_at = [*islice(images, _MOST_LOOKED_AT)]
    shown = Counter(image.get("src", "") for image in looked_at)
    alike = {source for source, times in shown.items() if times >= _FEWEST_ALIKE}
    found: dict[str, None] = {}
    for image in looked_at:
        # A blank at its end comes out of a tree as %20.
        source = _source_of(image, alike).strip().removesuffix("%20")
        if source and (url := join(source)):
            found[url] = None
    return tuple(found)[:MOST_IMAGES]


def _source_of(image: etree._Element, alike: set[str]) -> str:
    """Return the address that an image shows in the end, "" for a placeholder alone."""
    if _has_substitute(image):
        return ""
    late = [*_late_attributes(image)]
    for name, value in late:
        if _LATE.search(name):
            return value
    source = image.get("src", "").strip()
    is_shown = _ADDRESS.fullmatch(source) and not _PLACEHOLDER_IMAGE.search(source)
    if is_shown and source not in alike:
        return source
    others = (*(value for _, value in late), *_in_sets(image))
    if other := next(iter(others), ""):
        return other
    # What stands many times is shown, if nothing else is: a picture that the text repeats.
    return source if is_shown else ""


def _late_attributes(image: etree._Element) -> Iterator[tuple[str, str]]:
    """Go through the attributes of an image that may hold its address, by what they are called or hold."""
    for name, value in image.attrib.items():
        name, value = str(name), str(value).strip()
        if name in _OF_BROWSERS or _ANOTHER.search(name) or _PLACEHOLDER_IMAGE.search(value):
            continue
        if _IMAGE_ADDRESS.fullmatch(value) or (_LATE.search(name) and _ADDRESS.fullmatch(value)):
            yield name, value


def _in_sets(image: etree._Element) -> Iterator[str]:
    """Go through the first addresses of an image's sets: its own, and those of the picture around it.

    A source has no end tag; libxml2 takes what stands behind it for what stands in it.
    """
    above = islice(image.iterancestors(), _MOST_SOURCES)
    for holder in (image, *takewhile(lambda one: one.tag == "source", above)):
        for name in ("data-srcset", "data-lazy-srcset", "srcset"):
            words = holder.get(name, "").split(None, 1)
            if words and _ADDRESS.fullmatch(first := words[0].rstrip(",")):
                yield first


def show_substitutes(root: etree._Element) -> None:
    """Put what is shown without scripts in the place of the images before it: readability drops noscript."""
    for instead in islice(root.iter("noscript"), _MOST_LOOKED_AT):
        image, before = instead.find(".//img"), instead.getprevious()
        if image is None or before is None or (before.tail or "").strip():
            continue
        if before.tag == "picture":
            before = before.find(".//img")
        if before is not None and before.tag == "img":
            before.attrib.clear()
            before.attrib.update(image.attrib)


def _has_substitute(image: etree._Element) -> bool:
    """Whether what is shown without scripts stands behind an image: then that is the image."""
    block = next((one for one in islice(image.iterancestors(), _MOST_SOURCES) if one.tag == "picture"), image)  # fmt: skip
    behind = block.getnext()
    if behind is None or behind.tag != "noscript" or (block.tail or "").strip():
        return False
    return behind.find(".//img") is not None
