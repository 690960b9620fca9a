"""Attachments and images of articles (A2): returned pages, which wait in the top level (A3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from focuscrawl.pages.content import Fetched, Judged, page_of
from focuscrawl.urls.actions import suffix_of
from focuscrawl.values import File, Link, LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.links.admission_rules import AdmissionRules

IMAGE = "image"  # what stands for all images of a text among the endings of article.files
MOST_FILES = 200  # files of one page
# Nothing that was matched is given back: each of many comments could else be read in many ways, and
# 24 empty ones took seconds.
MARKUP = re.compile(
    rb"\s*+(?:<!--(?:(?!-->).){0,2000}+-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)


def with_files(
    batch: LinkBatch, images: Iterable[str], wanted: tuple[str, ...], rules: AdmissionRules
) -> tuple[LinkBatch, list[str]]:
    """Return the links of an article with its files as such, and the keys of these (hex).

    What its page links to counts by the ending of its name, images when they stand in the text.
    """
    if not wanted:
        return batch, []
    shown = dict.fromkeys(images) if IMAGE in wanted else {}
    files: dict[str, Link] = {}
    others: list[Link] = []
    for link in batch.links:
        is_file = link.url in shown or suffix_of(link.url.partition("#")[0]) in wanted
        if is_file and len(files) < MOST_FILES:
            files.setdefault(link.url, link._replace(page_class=PageClass.FILE))
        else:
            others.append(link)
    for url in shown:
        if len(files) < MOST_FILES:
            files.setdefault(url, Link(url, page_class=PageClass.FILE))
    looks = [rules.look(url) for url in files]
    keys = list(dict.fromkeys(look.address.key.hex() for look in looks if not look.refused))
    return replace(batch, links=(*files.values(), *others)), keys


def is_file_of_article(waiting: Waiting) -> bool:
    """Whether a URL waits as a file of an article."""
    return waiting.page_class is PageClass.FILE and bool(waiting.first_key)


def judge_file(fetched: Fetched, waiting: Waiting) -> Judged:
    """Judge what was fetched as a file of an article: it is one unless a page came instead."""
    page = page_of(fetched, waiting, PageClass.FILE)
    if MARKUP.match(fetched.body):
        page.outcome, page.reason = "refused", "a page instead of a file"
        return Judged(page, why="a page instead of a file")
    page.outcome = "stored"
    file = File(
        file_key=waiting.key.hex(),
        url=waiting.url,
        parent_key=waiting.first_key.hex(),
        sha256=sha256(fetched.body).hexdigest(),
        content_type=fetched.content_type,
        bytes=len(fetched.body),
        fetched=fetched.at,
    )
    return Judged(page, why="a file of an article", file=file)
