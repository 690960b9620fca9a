"""What changed in a template since the last run, and what that does to a crawl under way.

No change ever deletes data: what was read by other rules is to come whole, levels are rescaled, links
scored anew before the frontier is loaded, and URLs checked again when they are taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.explore.table import ExploreTable
from focuscrawl.links.admission import COPIES, checked_again
from focuscrawl.links.sources import start_of
from focuscrawl.relevance.link_score import PARENT_SHARE, LinkScorer
from focuscrawl.store.protocol import FAILED, PARKED, WAITING, Changes, Row, Store
from focuscrawl.template.merge import translated
from focuscrawl.template.table import source_ids
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Json, Waiting

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.template.template import Template

KIND = "template"
PLANNED_BY = "planned_by"
"""The fact that holds the rules by which the dates of pages were worked out."""

RENAMED = "renamed"
"""The fact that holds by its earlier names what a source is called now."""

RULE = "rule:"
"""How the reason of a URL begins that a rule of the template set aside."""

SINCE = "read_since"
NOT_READING = frozenset(
    {"revisit", "limits", "politeness", "queues", "output", "request", "search", "source"}
)
"""Tables that say when and how pages are fetched, not what is read of them."""

_BY = "scored by"
"""The fact that holds the words by which waiting links are scored."""

_TABLES = ("topic", "relevance")
_WORDS = {"topic": ("keywords", "require", "exclude"), "relevance": ("threshold", "model")}  # fmt: skip


async def has_other_visits(template: Template | None, store: Store) -> bool:
    """Whether the dates of pages are of other rules than the template's. Ask before apply_changes."""
    facts = await _last(store, template)
    before = facts.get(PLANNED_BY) or ("resolved" in facts and _visits(facts["resolved"]))
    return template is not None and bool(before) and before != _visits(template.resolved)


async def _last(store: Store, template: Template | None) -> Json:
    """Return what is known of the last template, in the words of the present language."""
    facts = dict(await store.facts(KIND))
    if template is None:
        return facts
    for name in ("resolved", _BY):
        if facts.get(name):
            facts[name] = translated(template.language, facts[name])
    if facts.get(PLANNED_BY):
        revisit, every = facts[PLANNED_BY]
        facts[PLANNED_BY] = [translated(template.language, {"revisit": revisit})["revisit"], every]
    return facts


def note_planned(template: Template, frontier: Frontier) -> None:
    """Note that all dates are of the template's rules: only now, for a kill may come before."""
    frontier.note_fact(KIND, PLANNED_BY, _visits(template.resolved))


def _visits(resolved: Json) -> list[object]:
    every = [[one["urls"], one.get("every")] for one in resolved.get("source", ())]
    return [resolved.get("revisit"), every]


async def names_before(template: Template, store: Store, frontier: Frontier) -> dict[str, str]:
    """Return by their earlier names what sources are called now; what they led to knows them by those.

    Ask before apply_changes.
    """
    facts = await _last(store, template)
    earlier: dict[str, str] = facts.get(RENAMED, {})
    if "resolved" not in facts or facts.get("hash") == template.hash:
        return earlier
    before, now = facts["resolved"].get("source", ()), template.resolved["source"]
    names = renamed(before, now, earlier)
    if names != earlier:
        frontier.note_fact(KIND, RENAMED, names)
    return names


async def apply_changes(
    template: Template, rules: AdmissionRules, store: Store, frontier: Frontier
) -> int:
    """Compare with the template of the last run and let the frontier follow.

    Returns the sequence number below which URLs are checked again when they are taken, since they
    were admitted under other rules; 0 when there are none.
    """
    # A trap is to show itself anew, and what was none is fetched now. The rows tell: the record of a
    # site whose trap has opened again in the run that set them aside says nothing of them.
    for row in [row for row in store.rows(PARKED) if row.reason == f"{RULE}{COPIES}"]:
        frontier.unpark(row)
    facts = await _last(store, template)
    recheck_before = int(facts.get("recheck_before", 0))
    if facts.get("hash") == template.hash:
        return recheck_before
    if "resolved" in facts:
        change = compare(facts["resolved"], template.resolved)
        if change.links:
            recheck_before = frontier.next_sequence()
            for row in list(store.rows(PARKED)):
                if row.reason.startswith(RULE) and checked_again(row.waiting, rules) is None:
                    frontier.unpark(row)
        if change.levels is not None:
            rescale(store, frontier, *change.levels)
        if change.sources_added:
            _start_known(template, rules, frontier, change.sources_added)
    frontier.note_fact(KIND, "resolved", template.resolved)
    frontier.note_fact(KIND, "hash", template.hash)
    frontier.note_fact(KIND, "recheck_before", recheck_before)
    return recheck_before


def _start_known(
    template: Template, rules: AdmissionRules, frontier: Frontier, added: Sequence[str]
) -> None:
    """Queue sources that are new to the template, but known as links: they are lists from now on.

    One that waits as a link is fetched as such, too; that is one request.
    """
    for source in template.sources:
        for url in source.urls:
            address = rules.canonicalizer.address(url)
            if url in added and address is not None and address.number in frontier.seen:
                frontier.add_again(start_of(address, source))


async def read_since(
    template: Template | None, store: Store, frontier: Frontier, now: float
) -> float:
    """Return since when (wall time) pages are read by the present rules; ask before apply_changes.

    A page that was read before may hold links and fields that were left then: a 304 would hide them.
    """
    facts = await _last(store, template)
    since = float(facts.get(SINCE, 0.0))
    before = facts.get("resolved")
    if template is None or before is None or _reading(before) == _reading(template.resolved):
        return since
    frontier.note_fact(KIND, SINCE, now)
    return now


def _reading(resolved: Json) -> Json:
    return {name: table for name, table in resolved.items() if name not in NOT_READING}


def rescale(store: Store, frontier: Frontier, before: int, now: int) -> None:
    """Scale the levels of all that waits to a new number of levels."""
    for state in (WAITING, FAILED):
        for row in list(store.rows(state)):
            level = scaled(row.waiting.level, before, now)
            if level != row.waiting.level:
                _move(frontier, row, level, now)


def _move(frontier: Frontier, row: Row, level: int, levels: int) -> None:
    # The frontier was loaded with levels cut off at the new top.
    loaded = row._replace(waiting=row.waiting._replace(level=min(row.waiting.level, levels)))
    passed = min(row.waiting.passed_level, levels)
    frontier.set_level(loaded._replace(waiting=loaded.waiting._replace(passed_level=passed)), level)


def scaled(level: int, before: int, now: int) -> int:
    """Return the level that stands as high among ``now`` levels as ``level`` did among ``before``.

    The top stays the top and the lowest the lowest.
    """
    if before <= 1 or now <= 1:
        return now if level >= before else 1
    return 1 + round((level - 1) * (now - 1) / (before - 1))


class ChangedTemplate(NamedTuple):
    """What is other than in the last run; so many waiting links got another score."""

    changes: TemplateChanges
    rescored: int


async def compare_with_last(template: Template | None, store: Store) -> ChangedTemplate:
    """Compare a template with that of the last run, and score what waits by its words.

    To be called before the frontier is loaded.
    """
    facts = await _last(store, template)
    before = facts.get("resolved")
    if template is None or before is None:
        return ChangedTemplate(TemplateChanges(), 0)
    return ChangedTemplate(compare(before, template.resolved), _rescore(template, store, facts))


def _rescore(template: Template, store: Store, facts: Json) -> int:
    """Score links that explore by the words the topic has now; returns how many had another score.

    What the page of a link was worth to it stays: nobody has read that page anew. A run that is
    killed on the way has scored none or all of them.
    """
    if not template.of(ExploreTable).enabled or template.of(ExploreTable).order == "breadth-first":
        return 0
    before, now = facts.get(_BY) or _tables(facts["resolved"]), _tables(template.resolved)
    if _words(before) == _words(now):
        return 0
    old, new = LinkScorer.of_stored(before), template.once(LinkScorer.of)
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
