"""What sources are called in results and in the crawl's own file, and how they were called before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from focuscrawl.values import Json

LONGEST_ID = 64


def source_ids(sources: Iterable[Json]) -> list[str]:
    """Name all sources of a resolved template: each by its name, else host and path of its first
    address; one of several of the same name by its addresses, too.
    """
    found: list[str] = []
    for plain in sources:
        parts = urlsplit(plain["urls"][0])
        name = str(plain["name"] or f"{parts.netloc}{parts.path}")[:LONGEST_ID]
        if name in found:  # the same page with other parameters
            digest = hashlib.md5("\n".join(plain["urls"]).encode()).hexdigest()[:8]
            name = f"{name[: LONGEST_ID - 9]}~{digest}"
        found.append(name)
    return found


def renamed(
    before: Sequence[Json], now: Sequence[Json], earlier: Mapping[str, str]
) -> dict[str, str]:
    """Return by all their earlier names what sources are called now that share an address with them.

    ``before`` and ``now`` are the sources of two resolved templates, ``earlier`` is what was found
    between the templates before. A name that a source has now is nobody's earlier one; a source that
    was taken out may come back.
    """
    names = source_ids(now)
    of_address = {
        url: name
        for name, plain in reversed([*zip(names, now, strict=True)])
        for url in plain["urls"]
    }
    successors = {
        old: of_address[url]
        for old, plain in zip(source_ids(before), before, strict=True)
        for url in reversed(plain["urls"])
        if url in of_address
    }
    found = {old: successors.get(name, name) for old, name in earlier.items()} | successors
    return {old: name for old, name in found.items() if old not in names}
