"""What changed in a template since the last run, and what that does to a crawl under way.

No change ever deletes data: levels are rescaled, URLs checked again when they are taken. What else a
change means is the matter of features (``Feature.changed``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from focuscrawl.frontier.levels import LOWEST
from focuscrawl.readers.links.admission import COPIES, LIKE_LISTS, checked_again, waits_for_later
from focuscrawl.readers.links.sources import starts
from focuscrawl.stores.state.protocol import FAILED, PARKED, WAITING, Row, Store
from focuscrawl.template.merge import completed
from focuscrawl.template.table import source_ids
from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.template.template import Template

KIND = "template"
RENAMED = "renamed"
"""The fact that holds by its earlier names what a source is called now."""

RULE = "rule:"
"""How the reason of a URL begins that a rule of the template set aside."""


class LastTemplate:
    """What is known of the template of the last run, in the words of the present language.

    ``facts`` are those of KIND. ``resolved`` is the template with all its keys; {}: this is the first run.
    """

    def __init__(self, facts: Json) -> None:
        self.facts = facts
        self.resolved: Json = facts.get("resolved", {})

    @classmethod
    async def read(cls, template: Template, store: Store) -> Self:
        """Read it from a crawl file. Ask before ``apply_changes``."""
        facts = dict(await store.facts(KIND))
        if facts.get("hash") == template.hash:
            facts["resolved"] = template.resolved
        elif facts.get("resolved"):
            facts["resolved"] = completed(template.language, facts["resolved"])
        return cls(facts)


def names_before(template: Template, last: LastTemplate, frontier: Frontier) -> dict[str, str]:
    """Return by their earlier names what sources are called now; what they led to knows them by those."""
    earlier: dict[str, str] = last.facts.get(RENAMED, {})
    if not last.resolved or last.facts.get("hash") == template.hash:
        return earlier
    names = renamed(last.resolved.get("source", ()), template.resolved["source"], earlier)
    if names != earlier:
        frontier.note_fact(KIND, RENAMED, names)
    return names


def apply_changes(
    template: Template,
    last: LastTemplate,
    rules: AdmissionRules,
    store: Store,
    frontier: Frontier,
    now: float,
) -> int:
    """Compare with the template of the last run and let the frontier follow; ``now`` is wall time.

    Returns the sequence number below which URLs are checked again when they are taken, since they
    were admitted under other rules; 0 when there are none.
    """
    # A trap is to show itself anew, and what was none is fetched now. The rows tell: the record of a
    # site whose trap has opened again in the run that set them aside says nothing of them.
    for row in [row for row in store.rows(PARKED) if row.reason == f"{RULE}{COPIES}"]:
        frontier.unpark(row)
    for row in turns_of_lists(store.rows(PARKED), rules):
        frontier.unpark(row)
    recheck_before = int(last.facts.get("recheck_before", 0))
    if last.facts.get("hash") == template.hash:
        return recheck_before
    if last.resolved:
        change = compare(last.resolved, template.resolved)
        if change.links:
            recheck_before = frontier.next_sequence()
            for row in list(store.rows(PARKED)):
                if row.reason.startswith(RULE) and not checked_again(row.waiting, rules):
                    # It was there before: only the rules are new.
                    known = row.waiting._replace(baseline=int(now))
                    frontier.unpark(row._replace(waiting=known))
        if change.levels:
            rescale(store, frontier, *change.levels)
        if change.sources_added:
            _start_known(template, rules, frontier, change.sources_added, now)
    frontier.note_fact(KIND, "resolved", template.resolved)
    frontier.note_fact(KIND, "hash", template.hash)
    frontier.note_fact(KIND, "recheck_before", recheck_before)
    return recheck_before


LISTS_A_RUN = 10
"""Of the lists of a site that were put off one in so many is read by each run, one at least."""


def turns_of_lists(rows: Iterable[Row], rules: AdmissionRules) -> list[Row]:
    """Return the lists that were put off whose turn has come, as they wait again: the first of each site, and all
    whose form has shown something new meanwhile.
    """
    put_off: dict[str, list[Row]] = {}
    for row in rows:
        if is_put_off(row):
            put_off.setdefault(row.waiting.site, []).append(row)
    found: list[Row] = []
    for rows_of_site in put_off.values():
        turns = max(1, len(rows_of_site) // LISTS_A_RUN)
        for place, row in enumerate(rows_of_site):
            if place < turns:
                found.append(expected_list(row))
            elif not waits_for_later(row.waiting, rules):
                found.append(row)
    return found


def is_put_off(row: Row) -> bool:
    """Whether a row that was set aside is that of a list which waits for later."""
    return row.reason == f"{RULE}{LIKE_LISTS}"


def expected_list(row: Row) -> Row:
    """Return the row of a list that was put off as the list that it is expected to be: it is not put off again.

    It waits behind all else: what it shows counts as seen from the beginning, and what is new is to be found as such
    by the lists that are known.
    """
    waiting = row.waiting._replace(page_class=PageClass.BOARD, level=LOWEST)
    return row._replace(waiting=waiting)


def _start_known(
    template: Template,
    rules: AdmissionRules,
    frontier: Frontier,
    added: Sequence[str],
    now: float,
) -> None:
    """Queue sources that are new to the template, but known as links: they are lists from now on.

    One that waits as a link is fetched as such, too; that is one request.
    """
    new = [
        replace(one, urls=tuple(url for url in one.urls if url in added))
        for one in template.sources
    ]
    for address, start in starts(new, rules):
        if address.number in frontier.seen:
            frontier.add_again(start._replace(baseline=int(now)))


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
    between the templates before. A name that a source has now is no source's earlier one; a source that
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
