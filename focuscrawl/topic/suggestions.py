"""What is known instead of a key or a table that is not."""

from __future__ import annotations

from difflib import SequenceMatcher, get_close_matches

from focuscrawl.template.keys import Form
from focuscrawl.topic.tables import LATER_TABLES, TABLES


def unknown(table: Form, name: str) -> str:
    """Say what is known instead of a key: the table it is in, the nearest, or all."""
    if name in table.later:
        return f"not built yet; it comes with {table.later[name]}"
    holding = [one for one in TABLES if one.key(name) or name in one.later]
    plain = [one.heading for one in holding if one.shape != "named"]
    if holding:
        places = plain or [one.heading for one in holding]
        return "unknown key here; it exists in " + " and ".join(places)
    own = [key.name for key in table.keys]
    others: dict[str, list[str]] = {}
    for one in sorted(TABLES, key=lambda one: one.shape == "named"):
        for key in one.keys:
            others.setdefault(key.name, []).append(one.heading or "the top of the file")
    near = get_close_matches(name.lower(), own, 1)
    far = get_close_matches(name.lower(), others, 1, 0.75)
    if near and not (far and _likeness(name, far[0]) > _likeness(name, near[0]) + 0.1):
        return f"unknown key; nearest: {near[0]}"
    if far:
        places = [place for place in others[far[0]] if not place.endswith('"]')]
        return f"unknown key; nearest: {far[0]} in {' or '.join(places or others[far[0]])}"
    if table.shape == "open":
        return "unknown key; here stand settings of Scrapy, in capitals"
    return "unknown key; allowed: " + ", ".join([*own, *(["the tables"] if not table.path else [])])


def _likeness(name: str, other: str) -> float:
    return SequenceMatcher(None, name.lower(), other).ratio()


def unknown_table(name: str) -> str:
    """Say which table comes nearest."""
    tables = {one.path[0]: one.heading for one in TABLES if len(one.path) == 1}
    tables |= {later: f"[{later}]" for later in LATER_TABLES}
    near = get_close_matches(name.lower(), tables, 1)
    if near:
        return f"unknown table; nearest: {tables[near[0]]}"
    allowed = ", ".join(one.heading for one in TABLES if one.path)
    return f"unknown table; allowed: {allowed}"
