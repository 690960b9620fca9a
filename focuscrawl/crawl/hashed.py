"""By which engine the words are cut that SimHashes are made of: hashes of two are not compared.

An engine is what ``Splitter.engine`` names: jieba or rjieba, their version, our rules, and the
topic's dictionary, since other names make other words. The store lists those a crawl has used; a
page's state has the number of the one its hash was made by (none: the first).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.store.protocol import Store
    from focuscrawl.values import Json, PageState

logger = logging.getLogger(__name__)

_FACT, _ENGINES = "words", "engines"
"""Kind and key of the fact that lists the engines, in order of their first use."""

MADE_BY = "words"
"""Fact of a page's state: the number of the engine its SimHash was made by."""


async def number_of_engine(store: Store, frontier: Frontier, name: str) -> int:
    """Return the number of an engine in this crawl; a new one is noted with the next commit."""
    known = [str(one) for one in (await store.facts(_FACT)).get(_ENGINES, ())]
    if name not in known:
        if known:
            logger.info(
                "words are cut by %s, before by %s: SimHashes are made anew, each at its page's"
                " next visit, and stories of both know each other by the words both have",
                name,
                known[-1],
            )
        known.append(name)
        frontier.note_fact(_FACT, _ENGINES, known)
    return known.index(name)


def comparable_state(state: PageState, engine: int) -> PageState:
    """Return a state without its SimHash when another engine made that."""
    if state.simhash is None or state.facts.get(MADE_BY, 0) == engine:
        return state
    return state._replace(simhash=None)


def with_engine(facts: Json, engine: int) -> Json:
    """Return the facts of a state whose SimHash is of this engine."""
    others = {name: value for name, value in facts.items() if name != MADE_BY}
    return others | {MADE_BY: engine} if engine else others
