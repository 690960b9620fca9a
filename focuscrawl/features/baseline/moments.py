"""Since when a topic is looked at, and since when by other rules; what follows from it for a URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.values import Waiting, is_signal_file

if TYPE_CHECKING:
    from focuscrawl.values import Json, PageState

ADMITTING = frozenset({"article", "relevance", "record", "url", "follow"})
"""Tables of a template that decide which pages are admitted and what is read of them."""

ADMITTING_KEYS = frozenset({"keywords", "require", "exclude"})
"""Keys of [topic] that do so."""

NOT_ADMITTING = frozenset({"politeness", "request", "revisit", "tags", "level", "quota"})
"""What a [site."HOST"] may hold that does not."""


class Moments(NamedTuple):
    """What is known of a topic's beginnings, wall time; ``start`` is its first.

    ``changed``: since then its template admits or judges otherwise, 0: never. URLs that wait under numbers
    before ``before`` were found by an earlier version, which noted no baseline, and are known since
    ``upgraded``.
    """

    start: float
    changed: float = 0.0
    before: float = 0
    upgraded: float = 0.0

    def baseline_of(self, waiting: Waiting, sequence: int, state: PageState | None) -> int:
        """Return the baseline of a URL that is about to be read; ``state`` is that of a visit."""
        if waiting.baseline:
            return waiting.baseline
        if state is not None:
            return int(state.last_fetched) if self.is_under_other_rules(state) else 0
        if not waiting.first_walk:
            return 0
        if 0 < sequence < self.before:
            return int(self.upgraded)
        # Only the site has named it; lists of the topic show what is new as well, so that it shows
        # a whole site for the first time when other lists have been read for long.
        return int(self.start) if is_signal_file(waiting.source_id) else 0

    def is_under_other_rules(self, state: PageState) -> bool:
        """Whether a page was read last before the template admitted or judged as it does now."""
        return state.last_fetched < self.changed


def admits_otherwise(before: Json, now: Json) -> bool:
    """Whether a template admits other pages than the last run's, or reads them otherwise.

    A key of a later version, which the last run did not know, counts as unchanged.
    """
    if any(_differs(before.get(name, {}), now.get(name, {})) for name in ADMITTING - {"record"}):
        return True
    topics = (one.get("topic", {}) for one in (before, now))
    old, new = ({key: topic.get(key) for key in ADMITTING_KEYS} for topic in topics)
    if old != new or before.get("record", {}) != now.get("record", {}):
        return True
    return _sites(before) != _sites(now)


def _differs(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return any(key in now and now[key] != value for key, value in before.items())


def _sites(resolved: Json) -> Json:
    found: Json = {}
    for host, site in resolved.get("site", {}).items():
        admitting = {key: value for key, value in site.items() if key not in NOT_ADMITTING}
        if admitting:
            found[host] = admitting
    return found
