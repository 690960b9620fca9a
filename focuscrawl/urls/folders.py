"""Folders: the first part of an address's path, the unit in which a site's topics differ."""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

LONGEST_FOLDER = 80


def folder_of(url: str) -> str:
    """Return the first folder of an address: ``http://a.cn/news/2026/1.html`` → ``/news``.

    Pages that lie directly on the site share "", except those a script makes, which show what the
    script does: ``/list.php?page=2`` → ``/list.php``. Never longer than 80 characters.
    """
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
