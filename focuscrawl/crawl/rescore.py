"""What a template that has changed does before the frontier is loaded: links are scored anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.crawl.changes import KIND
from focuscrawl.store.protocol import FAILED, PARKED, WAITING, Changes, Row, Store
from focuscrawl.topic.build import link_scorer_of
from focuscrawl.topic.changes import TemplateChanges, compare
from focuscrawl.topic.link_scoring import PARENT_SHARE, LinkScorer
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Json, Waiting

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template

_BY = "scored by"
"""The fact that holds the words by which waiting links are scored."""

_TABLES = ("topic", "relevance")
_WORDS = {"topic": ("keywords", "require", "exclude"), "relevance": ("hints", "threshold", "title_weight", "model")}  # fmt: skip


class Otherwise(NamedTuple):
    """What is other than in the last run; so many waiting links got another score."""

    changes: TemplateChanges
    rescored: int


async def compare_with_last(template: Template | None, store: Store) -> Otherwise:
    """Compare a template with that of the last run, and score what waits by its words.

    To be called before the frontier is loaded.
    """
    facts = await store.facts(KIND)
    before = facts.get("resolved")
    if template is None or before is None:
        return Otherwise(TemplateChanges(), 0)
    return Otherwise(compare(before, template.resolved), _rescore(template, store, facts))


def _rescore(template: Template, store: Store, facts: Json) -> int:
    """Score links that explore by the words the topic has now; returns how many had another score.

    What the page of a link was worth to it stays: nobody has read that page anew. A run that is
    killed on the way has scored none or all of them.
    """
    if not template.explore.enabled or template.explore.order == "breadth-first":
        return 0
    before, now = facts.get(_BY) or _tables(facts["resolved"]), _tables(template.resolved)
    if _words(before) == _words(now):
        return 0
    old, new = link_scorer_of(before), template.link_scorer
    changes: dict[int, Changes] = {0: Changes(facts={(KIND, _BY): now})}
    count = 0
    for state in (WAITING, FAILED, PARKED):
        for row in store.rows(state):
            moved = _rescored(row, old, new)
            if moved is not None:
                count += 1
                partition = partition_of(row.waiting.site)
                changes.setdefault(partition, Changes()).moved.append(moved)
    store.commit(changes)
    return count


def _rescored(row: Row, old: LinkScorer | None, new: LinkScorer) -> Row | None:
    waiting = row.waiting
    if not waiting.explore:
        return None
    score = score_again(waiting, old, new)
    return None if score == waiting.score else row._replace(waiting=waiting._replace(score=score))


def score_again(waiting: Waiting, old: LinkScorer | None, new: LinkScorer) -> float:
    """Return the score of a waiting link by other words: what is its own anew, the rest as it was."""
    own = old.link_score(waiting.anchor, waiting.url) if old is not None else 0.0
    parent = min(max((waiting.score - own) / PARENT_SHARE, 0.0), 1.0)
    return new.link_score(waiting.anchor, waiting.url, parent)


def _tables(resolved: Json) -> Json:
    return {table: resolved[table] for table in _TABLES if table in resolved}


def _words(tables: Json) -> list[Any]:
    return [tables.get(table, {}).get(key) for table, keys in _WORDS.items() for key in keys]
