"""An article as it is kept: main text, and what the page says about it. Nothing is guessed.

Where a site's selectors ([site."HOST"]) say where a part stands, what they find wins.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any, NamedTuple

from lxml import etree

from focuscrawl.features.articles.boilerplate import trimmed
from focuscrawl.features.articles.bylines import find_author, find_source
from focuscrawl.features.articles.contents.images import MOST_IMAGES, images_in
from focuscrawl.features.articles.dates.published import find_published
from focuscrawl.features.articles.main_text import MainText, read_main_text
from focuscrawl.features.articles.statements import read_statements, surroundings_of
from focuscrawl.features.articles.titles import find_title, site_names
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.kind import says_article
from focuscrawl.readers.pages.selectors import FOUND_OUT, PageSelectors, find
from focuscrawl.readers.pages.texts import element_text, paragraphs, tidy
from focuscrawl.readers.text.characters import HAN, without_unseen
from focuscrawl.readers.text.dates import DateReader, FoundDate
from focuscrawl.values import PageClass, Selector

_LONGEST_TEXT = 1_000_000  # characters of a text that selectors find
MOST_BLOCKS = 2_000  # elements a selector may find for the text
_LONGEST_WORDS = 1_000  # characters of a title, a name or a date
_MOST_OF_NAME = 120  # characters of an author or a source
_LABEL = re.compile(r"^(?:文章|稿件|信息)?(?:作者|记者|来源|來源|出处|author|source|by)\s*[:：]\s*", re.IGNORECASE)  # fmt: skip


class ArticleText(NamedTuple):
    """One page's article; times are seconds since 1970 UTC.

    ``text`` has one paragraph a line. ``published`` is None when the page shows no date, else
    ``published_raw`` is what it shows and ``published_by`` how it was found (json-ld, meta, rule,
    url: the results table's words). ``date`` is the same by ISO 8601, in its own zone and no more
    precise than it is printed, ``precision`` says how precise: second, minute, hour or day.
    ``source_name`` is the 来源 as printed. ``images`` are addresses found in the text. ``missed``
    names the site's selectors that found nothing. ``encoding`` is a Python codec's name.
    ``page_class``, what the page is, is set by focuscrawl.features.articles.read alone: a crawl knows it before.
    """

    title: str
    text: str = ""
    published: float | None = None
    published_raw: str = ""
    published_by: str = ""
    date: str = ""
    precision: str = ""
    author: str = ""
    source_name: str = ""
    site_name: str = ""
    language: str = ""
    images: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    encoding: str = ""
    page_class: PageClass | None = None


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
    dates = DateReader(timezone, fetched)
    chosen = read_selected(document, selectors, dates) if any(selectors[:-1]) else Selected({})
    said = read_metadata(document, dates)._replace(**chosen.parts)
    is_article = said.published is not None or says_article(document)
    main = chosen.main or read_main_text(document, plain, is_article=is_article)
    if not main.text and not main.images:
        return None
    return said._replace(
        title=without_unseen(said.title),
        text=main.text if chosen.main else trimmed(main.text, said.title),
        language=text_language(main.text, document.root.get("lang", ""), language),
        images=main.images,
        missed=chosen.missed,
    )


def read_metadata(document: Document, dates: DateReader) -> ArticleText:
    """Read what the page says of its article: all but its text."""
    stated = read_statements(document.root, document.url)
    title = find_title(document, stated.metas, stated.lines)
    place_of = surroundings_of(stated.lines, title)
    date, found_by = find_published(document, stated, place_of, dates)
    return ArticleText(
        title=title,
        author=find_author(stated, place_of, site_names(document, stated.metas, title)),
        source_name=find_source(stated, place_of),
        site_name=stated.metas.get("og:site_name", "")[:_MOST_OF_NAME],
        encoding=document.encoding,
        **(_dated(date, found_by) if date else {}),
    )


def _dated(date: FoundDate, found_by: str) -> dict[str, Any]:
    return {
        "published": date.seconds,
        "published_raw": date.raw,
        "published_by": found_by,
        "date": date.as_printed(),
        "precision": date.precision,
    }


def is_dated(document: Document, *, fetched: float | None, timezone: str) -> bool:
    """Whether a page says when it was published, as an article does."""
    stated = read_statements(document.root, document.url)
    place_of = surroundings_of(stated.lines, find_title(document, stated.metas, stated.lines))
    date, _ = find_published(document, stated, place_of, DateReader(timezone, fetched))
    return date is not None


class Selected(NamedTuple):
    """What a site's selectors found: fields of ArticleText, and the text if there is one for it.

    ``missed`` names the selectors that found nothing, or for ``published`` no date.
    """

    parts: dict[str, Any]
    main: MainText | None = None
    missed: tuple[str, ...] = ()


def read_selected(document: Document, selectors: PageSelectors, dates: DateReader) -> Selected:
    """Read what the selectors of a site point at."""
    root = document.root
    main = _selected_text(document, selectors.text)
    date = dates.read(_words(root, selectors.published))
    parts = {
        "title": _words(root, selectors.title),
        "author": _LABEL.sub("", _words(root, selectors.author))[:_MOST_OF_NAME],
        "source_name": _LABEL.sub("", _words(root, selectors.source))[:_MOST_OF_NAME],
    }
    found = (parts["title"], main, date, parts["author"], parts["source_name"])
    missed = [
        name
        for name, selector, one in zip(selectors._fields, selectors, found, strict=False)
        if selector and not one
    ]
    given = {name: words for name, words in parts.items() if words}
    return Selected(given | (_dated(date, "rule") if date else {}), main, tuple(missed))


def _selected_text(document: Document, selector: Selector | None) -> MainText | None:
    found = find(document.root, selector)[:MOST_BLOCKS]
    elements = [one for one in found if isinstance(one, etree._Element)]
    own = set(elements)  # those within another of them are left out: their text would come twice
    blocks = [one for one in elements if own.isdisjoint(one.iterancestors())]
    if blocks:
        text = "\n".join(filter(None, (paragraphs(deepcopy(block)) for block in blocks)))
    else:
        text = tidy("\n".join(map(str, found)))
    images = dict.fromkeys(url for block in blocks for url in images_in(block, document))
    return MainText(text[:_LONGEST_TEXT], tuple(images)[:MOST_IMAGES], "selector") if text else None


def _words(root: etree._Element, selector: Selector | None) -> str:
    """Return the text of the first element or string found that has one, on one line."""
    for one in find(root, selector):
        text = element_text(one) if isinstance(one, etree._Element) else " ".join(str(one).split())
        if text:
            return text[:_LONGEST_WORDS]
    return ""


LANGUAGE_SAMPLE = 2_000  # characters of a text that decide its language
KANA = re.compile(r"[\u3040-\u30ff]")
HANGUL = re.compile(r"[\uac00-\ud7a3]")
# Words of a script with spaces; one Han character counts as much as one of them, since Chinese
# texts hold program code and names.
_LATIN_WORD = re.compile(r"[^\W\d_\u3040-\ud7a3]{2,}")


def text_language(text: str, declared: str, expected: str) -> str:
    """Tell a text's language by its script (zh, ja, ko), else by what is declared or expected."""
    sample = text[:LANGUAGE_SAMPLE]
    words = len(_LATIN_WORD.findall(sample))
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
    return "en" if expected in {"zh", "ja", "ko", "", "auto"} else expected
