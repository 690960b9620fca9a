"""What search engines are asked for (C2): subject and area, the area first."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from focuscrawl.search.table import Search
from focuscrawl.template.table import Topic


class Query(NamedTuple):
    """One search: an engine and the text it is asked for ("" for a list, which is not asked)."""

    engine: str
    text: str


def search_texts(search: Search, topic: Topic) -> tuple[str, ...]:
    """Return the texts every engine is asked for: areas × queries × sites.

    Without ``queries`` it is each synonym of each keyword group, with the first word of each
    required group before it; without keywords the required words alone.
    """
    queries = search.queries or _from_topic(topic)
    sites = [f"site:{host.removeprefix('=')}" for host in search.sites.written]
    parts = (search.areas or ("",), queries, sites or ("",))
    joined = (" ".join(part for part in chosen if part) for chosen in product(*parts))
    return tuple(dict.fromkeys(joined))


def all_queries(search: Search, topic: Topic) -> tuple[Query, ...]:
    """Return the searches of one cycle, engine by engine."""
    texts = search_texts(search, topic)
    return tuple(
        Query(name, text)
        for name in dict.fromkeys(search.engines)
        for text in (("",) if search.engine[name].urls else texts)
    )


def _from_topic(topic: Topic) -> tuple[str, ...]:
    def spoken(name: str, parts: tuple[str, ...]) -> str:
        return " ".join(" ".join(parts).split())

    required = [
        spoken(group.written, group.synonyms[0].parts)
        for group in topic.require.groups
        if group.synonyms
    ]
    subjects = [
        spoken(synonym.written, synonym.parts)
        for group in topic.keywords.groups
        for synonym in group.synonyms
    ]
    around = " ".join(required)
    if not subjects:
        return (around,) if around else ()
    return tuple(
        dict.fromkeys(" ".join(part for part in (around, one) if part) for one in subjects)
    )
