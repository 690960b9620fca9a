"""What changed in a template between two runs, and what sources were called before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from focuscrawl.values import Json

LINK_KEYS = ("scope", "sites", "allow", "deny", "refuse", "depth")
_SITE_KEYS = ("skip", "aliases")


@dataclass(frozen=True, slots=True)
class TemplateChanges:
    """The differences that matter to a crawl under way; falsy when there are none.

    ``sources_added`` and ``sources_removed`` are addresses. ``links`` tells that other links may
    be followed than before: scope, sites, allow, deny, refuse, depth, explore.banned or hosts of sources.
    ``levels`` is (before, now). ``words`` tells that pages would be judged otherwise. ``keys`` tells
    that addresses may get other keys ([url]), ``records`` that pages would be read otherwise.
    """

    sources_added: tuple[str, ...] = ()
    sources_removed: tuple[str, ...] = ()
    links: bool = False
    levels: tuple[int, int] | None = None
    words: bool = False
    keys: bool = False
    records: bool = False

    def __bool__(self) -> bool:
        return self != TemplateChanges()


def compare(before: Json, now: Json) -> TemplateChanges:
    """Compare two resolved templates; ``before`` may be of an older version with fewer keys."""
    old, new = _addresses(before), _addresses(now)
    earlier, later = _get(before, "queues", "levels"), _get(now, "queues", "levels")
    both = isinstance(earlier, int) and isinstance(later, int)
    return TemplateChanges(
        sources_added=tuple(one for one in new if one not in old),
        sources_removed=tuple(one for one in old if one not in new),
        links=_links(before) != _links(now),
        levels=(earlier, later) if both and earlier != later else None,
        words=any(
            _get(before, "topic", key) != _get(now, "topic", key)
            for key in ("keywords", "require", "exclude")
        )
        or before.get("relevance") not in (None, now.get("relevance")),
        keys=_keys(before) != _keys(now),
        records=_records(before) != _records(now),
    )


def _get(resolved: Json, table: str, key: str) -> Any:
    return resolved.get(table, {}).get(key)


def _addresses(resolved: Json) -> list[str]:
    return list(dict.fromkeys(url for one in resolved.get("source", ()) for url in one["urls"]))


def _links(resolved: Json) -> Json:
    """Return all that decides which links are followed; the order of lists does not matter."""
    found: Json = {key: _sorted(_get(resolved, "follow", key)) for key in LINK_KEYS}
    if banned := _get(resolved, "explore", "banned"):
        found["banned"] = _sorted(banned)
    if found["scope"] == "sources":
        found["hosts"] = sorted({url.split("/")[2] for url in _addresses(resolved)})
    for host, site in resolved.get("site", {}).items():
        follow = site.get("follow", {})
        given = {key: _sorted(follow[key]) for key in LINK_KEYS if key in follow}
        given |= {key: _sorted(site[key]) for key in _SITE_KEYS if key in site}
        if given:
            found[f"site {host}"] = given
    return found


def _keys(resolved: Json) -> Json:
    found: Json = {"": resolved.get("url", {})}
    for host, site in resolved.get("site", {}).items():
        if given := site.get("url"):
            found[host] = given
    return found


def _records(resolved: Json) -> Json:
    """Return what is read of records; older templates do not say ``strict``."""
    return {name: {"strict": False} | table for name, table in resolved.get("record", {}).items()}


def _sorted(value: object) -> object:
    return sorted(value) if isinstance(value, list) else value


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
