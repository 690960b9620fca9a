"""Folders: the first part of an address's path, the unit in which a site's topics differ."""

from __future__ import annotations

import re
from functools import lru_cache
from zlib import crc32

LONGEST_FOLDER = 80

NUMBERED = "/<number>"
"""The folder of pages below a number or a date. No address has such a folder."""

NUMBER = re.compile(r"/[0-9]+(?:[-_.][0-9]+)*")


def folder_of(url: str) -> str:
    """Return the first folder of an address: ``http://a.cn/news/2026/1.html`` → ``/news``.

    Pages that lie directly on the site share "", except those a script makes, which show what the
    script does: ``/list.php?page=2`` → ``/list.php``. A number or a date does not say what the pages
    below it are about, and all such folders of a site are one: ``/2026/11/1.html`` → NUMBERED.
    Never longer than 80 characters.
    """
    folder = first_part(url)
    return NUMBERED if folder[1:2].isdecimal() and NUMBER.fullmatch(folder) else folder


def folder_named(url: str, number: int) -> str:
    """Return the name of an address's folder that has this number.

    It is that of ``folder_of``; a row of an older crawl file may have the number or date itself.
    """
    folder = folder_of(url)
    if folder is NUMBERED and folder_number(folder) != number:
        return first_part(url)
    return folder


def first_part(url: str) -> str:
    """Return the first folder or script of an address as it is written there, or ""."""
    start = url.find("://") + 3
    slash = url.find("/", start)
    if slash < 0:
        return ""
    end = url.find("/", slash + 1)
    query = url.find("?", slash + 1)
    if query >= 0 and not 0 <= end < query:
        end = query
    return url[slash:end][:LONGEST_FOLDER] if end > slash + 1 else ""


@lru_cache(maxsize=50_000)
def folder_number(folder: str) -> int:
    """Return a number of 32 bits for a folder's name, the same in every process."""
    return crc32(folder.encode("utf-8", "surrogatepass"))
