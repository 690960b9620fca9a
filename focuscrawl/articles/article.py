"""An article as it is kept: main text, and what the page says about it. Nothing is guessed.

Where a site's selectors ([site."HOST"]) say where a part stands, what they find wins.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import NamedTuple

from lxml import etree

from focuscrawl.articles.boilerplate import trimmed
from focuscrawl.articles.bylines import find_author, find_source
from focuscrawl.articles.dates.published import find_published
from focuscrawl.articles.main_text import (
    MOST_IMAGES,
    MainText,
    images_in,
    read_main_text,
)
from focuscrawl.articles.statements import read_statements, surroundings_of
from focuscrawl.articles.titles import find_title, site_names
from focuscrawl.pages.document import Document
from focuscrawl.pages.selectors import find
from focuscrawl.pages.texts import element_text, paragraphs, tidy
from focuscrawl.text.characters import HAN
from focuscrawl.text.dates import FoundDate, read_date
from focuscrawl.values import Selector

_LONGEST_TEXT = 1_000_000
MOST_BLOCKS = 2_000  # elements a selector may find for the text
_LONGEST_WORDS = 1_000  # characters of a title, a name or a date
_LABEL = re.compile(r"^(?:文章|稿件|信息)?(?:作者|记者|来源|來源|出处|author|source|by)\s*[:：]\s*", re.IGNORECASE)  # fmt: skip


class PageSelectors(NamedTuple):
    """Where the parts of an article stand on the pages of a site; None: where it is found."""

    title: Selector | None = None
    text: Selector | None = None
    published: Selector | None = None
    author: Selector | None = None
    source: Selector | None = None
    next: Selector | None = None


class Selected(NamedTuple):
    """What selectors found: "" and None where there is none, or it found nothing.

    ``blocks`` are the elements of the text. ``missed`` names the selectors that found nothing, or
    for ``published`` no date.
    """

    title: str = ""
    text: str = ""
    blocks: tuple[etree._Element, ...] = ()
    published: FoundDate | None = None
    author: str = ""
    source: str = ""
    missed: tuple[str, ...] = ()


def read_selected(
    document: Document, selectors: PageSelectors, *, fetched: float | None, timezone: str
) -> Selected:
    """Read what the selectors of a site point at; ``fetched`` and ``timezone`` as read_article."""
    if not any(selectors[:-1]):
        return Selected()
    blocks, text = _text(document.root, selectors.text)
    dated = _words(document.root, selectors.published)
    found = Selected(
        title=_words(document.root, selectors.title),
        text=text,
        blocks=blocks,
        published=read_date(dated, timezone=timezone, now=fetched) if dated else None,
        author=_LABEL.sub("", _words(document.root, selectors.author))[:120],
        source=_LABEL.sub("", _words(document.root, selectors.source))[:120],
    )
    missed = tuple(
        name
        for name in ("title", "text", "published", "author", "source")
        if getattr(selectors, name) and not getattr(found, name)
    )
    return found._replace(missed=missed)


def _text(
    root: etree._Element, selector: Selector | None
) -> tuple[tuple[etree._Element, ...], str]:
    found = find(root, selector)[:MOST_BLOCKS]
    blocks = _outermost([one for one in found if isinstance(one, etree._Element)])
    if blocks:
        lines = (paragraphs(deepcopy(block)) for block in blocks)
        return blocks, "\n".join(filter(None, lines))[:_LONGEST_TEXT]
    return (), tidy("\n".join(map(str, found)))[:_LONGEST_TEXT]


def _outermost(elements: list[etree._Element]) -> tuple[etree._Element, ...]:
    """Leave out elements within another of them: their text would come twice."""
    own = set(elements)
    return tuple(element for element in elements if own.isdisjoint(element.iterancestors()))


def _words(root: etree._Element, selector: Selector | None) -> str:
    """Return the text of the first element or string found that has one, on one line."""
    for one in find(root, selector):
        text = element_text(one) if isinstance(one, etree._Element) else " ".join(str(one).split())
        if text:
            return text[:_LONGEST_WORDS]
    return ""


FOUND_OUT = PageSelectors()  # no selectors: every part is found out


class ArticleText(NamedTuple):
    """One page's article; times are seconds since 1970 UTC.

    ``text`` has one paragraph a line. ``published`` is None when the page shows no date, else
    ``published_raw`` is what it shows and ``published_by`` how it was found (json-ld, meta, rule,
    url). ``date`` is the same by ISO 8601, in the zone and as precise as it is printed.
    ``source_name`` is the 来源 as printed. ``images`` are addresses found in the text. ``missed``
    names the site's selectors that found nothing.
    """

    title: str
    text: str
    published: float | None = None
    published_raw: str = ""
    published_by: str = ""
    date: str = ""
    author: str = ""
    source_name: str = ""
    language: str = ""
    images: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


def read_article(
    document: Document,
    *,
    fetched: float | None,
    timezone: str,
    language: str,
    selectors: PageSelectors = FOUND_OUT,
    plain: str | None = None,
) -> ArticleText | None:
    """Read the article of a content page; None when the page has neither text nor images.

    ``fetched`` is the wall time of the fetch, ``timezone`` an IANA name for dates without a zone,
    ``language`` the topic's, for texts that do not show their own. What ``selectors`` find wins;
    where one finds nothing its part is found out as without it. ``plain`` as for read_main_text.
    """
    chosen = read_selected(document, selectors, fetched=fetched, timezone=timezone)
    main = _chosen_text(document, chosen) if chosen.text else read_main_text(document, plain)
    if not main.text and not main.images:
        return None
    said = read_metadata(document, fetched=fetched, timezone=timezone)
    said = _corrected(said, chosen)
    return ArticleText(
        title=said.title,
        text=main.text if chosen.text else trimmed(main.text, said.title),
        published=said.published,
        published_raw=said.published_raw,
        published_by=said.published_by,
        date=said.date,
        author=said.author,
        source_name=said.source_name,
        language=language_of(main.text, document.root.get("lang", ""), language),
        images=main.images,
        missed=chosen.missed,
    )


def _chosen_text(document: Document, chosen: Selected) -> MainText:
    found = dict.fromkeys(url for block in chosen.blocks for url in images_in(block, document))
    return MainText(chosen.text, tuple(found)[:MOST_IMAGES], "selector")


def _corrected(said: Metadata, chosen: Selected) -> Metadata:
    """Put what selectors found in the place of what was found out."""
    date = chosen.published
    if date is not None:
        said = said._replace(
            published=date.seconds,
            published_raw=date.raw,
            published_by="rule",
            date=date.as_printed(),
        )
    return said._replace(
        title=chosen.title or said.title,
        author=chosen.author or said.author,
        source_name=chosen.source or said.source_name,
    )


class Metadata(NamedTuple):
    """Texts are "" and ``published`` None where the page does not say; ``published_by`` is the
    results table's word for how a date was found: json-ld, meta, rule, url. ``date`` is the date by
    ISO 8601, in its own zone and no more precise than it is printed.
    """

    title: str
    published: float | None
    published_raw: str
    published_by: str
    date: str
    author: str
    source_name: str


def read_metadata(document: Document, *, fetched: float | None, timezone: str) -> Metadata:
    """Read what the page says of its article.

    ``fetched`` is the wall time of the fetch: later dates are refused, relative ones count from
    it. Dates without a zone are in ``timezone``.
    """
    stated = read_statements(document.root, document.url)
    title = find_title(document, stated.metas, stated.lines)
    place_of = surroundings_of(stated.lines, title)
    date, found_by = find_published(document, stated, place_of, fetched=fetched, timezone=timezone)
    return Metadata(
        title=title,
        published=date.seconds if date else None,
        published_raw=date.raw if date else "",
        published_by=found_by if date else "",
        date=date.as_printed() if date else "",
        author=find_author(stated, place_of, site_names(document, stated.metas, title)),
        source_name=find_source(stated, place_of),
    )


def is_dated(document: Document, *, fetched: float | None, timezone: str) -> bool:
    """Whether a page says when it was published, as an article does."""
    return read_metadata(document, fetched=fetched, timezone=timezone).published is not None


LANGUAGE_SAMPLE = 2_000
KANA = re.compile(r"[\u3040-\u30ff]")
HANGUL = re.compile(r"[\uac00-\ud7a3]")
# Words of a script with spaces; one Han character counts as much as one of them, since Chinese
# texts hold program code and names.
_WORD = re.compile(r"[^\W\d_\u3040-\ud7a3]{2,}")


def language_of(text: str, declared: str, expected: str) -> str:
    """Tell a text's language by its script (zh, ja, ko), else by what is declared or expected."""
    sample = text[:LANGUAGE_SAMPLE]
    words = len(_WORD.findall(sample))
    han, kana, hangul = (len(script.findall(sample)) for script in (HAN, KANA, HANGUL))
    if hangul > max(words, han) / 3:
        return "ko"
    if kana > (words + han) / 8:
        return "ja"
    declared = declared.strip().lower().replace("_", "-").partition("-")[0]
    if han > words / (12 if declared == "zh" else 3):
        return "zh"
    if declared.isalpha() and len(declared) in {2, 3} and declared not in {"zh", "ja", "ko"}:
        return declared
    return "en" if expected in {"zh", "ja", "ko", ""} else expected


def article(
    body: bytes,
    url: str,
    *,
    content_type: str = "",
    fetched: float | None = None,
    timezone: str = "Asia/Shanghai",
) -> ArticleText:
    """Read the article of a page; its text is "" when the page has none.

    ``fetched`` is the wall time of the fetch: dates after it are refused, relative ones (3小时前)
    count from it and are not read without it. ``timezone`` holds for dates that name no zone.
    """
    document = Document.read(body, url=url, content_type=content_type)
    found = read_article(document, fetched=fetched, timezone=timezone, language="")
    return found or ArticleText(document.title, "")
