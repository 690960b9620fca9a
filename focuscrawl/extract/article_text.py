"""An article as it is kept: main text and what the page says about it."""

from __future__ import annotations

import re
from typing import NamedTuple

from focuscrawl.extract.document import Document
from focuscrawl.extract.main_text import read_main_text
from focuscrawl.extract.metadata import read_metadata
from focuscrawl.extract.trim import trimmed

LANGUAGE_SAMPLE = 2_000
HAN = re.compile(r"[\u4e00-\u9fff]")
KANA = re.compile(r"[\u3040-\u30ff]")
HANGUL = re.compile(r"[\uac00-\ud7a3]")
WORD = re.compile(r"[^\W\d_\u3040-\ud7a3]{2,}")
"""Words of a script with spaces; one Han character counts as much as one of them, since Chinese
texts hold program code and names."""


class ArticleText(NamedTuple):
    """One page's article; times are seconds since 1970 UTC.

    ``text`` has one paragraph a line. ``published`` is None when the page shows no date, else
    ``published_raw`` is what it shows and ``published_by`` how it was found (json-ld, meta, rule,
    url). ``date`` is the same by ISO 8601, in the zone and as precise as it is printed.
    ``source_name`` is the 来源 as printed. ``images`` are addresses found in the text.
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


def read_article(
    document: Document, *, fetched: float | None, timezone: str, language: str
) -> ArticleText | None:
    """Read the article of a content page; None when the page has neither text nor images.

    ``fetched`` is the wall time of the fetch, ``timezone`` an IANA name for dates without a zone,
    ``language`` the topic's, for texts that do not show their own.
    """
    main = read_main_text(document)
    if not main.text and not main.images:
        return None
    said = read_metadata(document, fetched=fetched, timezone=timezone)
    return ArticleText(
        title=said.title,
        text=trimmed(main.text, said.title),
        published=said.published,
        published_raw=said.published_raw,
        published_by=said.published_by,
        date=said.date,
        author=said.author,
        source_name=said.source_name,
        language=language_of(main.text, document.root.get("lang", ""), language),
        images=main.images,
    )


def language_of(text: str, declared: str, expected: str) -> str:
    """Tell a text's language by its script (zh, ja, ko), else by what is declared or expected."""
    sample = text[:LANGUAGE_SAMPLE]
    words = len(WORD.findall(sample))
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
