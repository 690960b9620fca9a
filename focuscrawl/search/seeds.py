"""A seed: an address that searches have shown, where they showed it, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from focuscrawl.values import Json


class SeedState(StrEnum):
    """What became of a seed; the values are those of the results table ``seeds``."""

    WAITING = "waiting"
    SKIPPED = "skipped"
    TAKEN = "taken"
    USEFUL = "useful"
    USELESS = "useless"
    GONE = "gone"


class Find(NamedTuple):
    """One search that shows a seed; times are wall seconds, ``rank`` counts over all its pages."""

    engine: str
    query: str
    rank: int
    title: str = ""
    snippet: str = ""
    dated: float | None = None
    first_found: float = 0.0
    last_found: float = 0.0
    missing_since: float | None = None


@dataclass(slots=True)
class Seed:
    """One address of N. ``key`` is its MD5 in hexadecimal, ``useful`` counts what it led to.

    ``cycle`` is the last cycle whose N it belongs to, ``rank`` and ``search`` its best place in
    that one. ``redirect``: the address is the engine's own and leads on. ``walked`` is the last
    cycle in which its walk came to its end, ``failed`` the last one in which a page of the walk did
    not answer that had answered before (C8).
    """

    key: str
    url: str
    state: SeedState = SeedState.WAITING
    useful: int = 0
    cycle: int = 0
    rank: int = 0
    search: int = 0
    redirect: bool = False
    walked: int = 0
    failed: int = 0
    finds: list[Find] = field(default_factory=list)

    def to_plain(self) -> Json:
        """Return the seed as plain values, to be stored as a fact of kind ``seed`` by its key."""
        return {
            "url": self.url,
            "state": self.state.value,
            "useful": self.useful,
            "cycle": self.cycle,
            "rank": self.rank,
            "search": self.search,
            "redirect": self.redirect,
            "walked": self.walked,
            "failed": self.failed,
            "finds": [list(find) for find in self.finds],
        }

    @classmethod
    def from_plain(cls, key: str, plain: Json) -> Seed:
        """Return the seed that ``to_plain`` has described."""
        finds = [Find(*find) for find in plain["finds"]]
        state = SeedState(plain["state"])
        return cls(key, **{**plain, "state": state, "finds": finds})

    def note(self, find: Find) -> None:
        """Add a find, or renew the one of the same search."""
        for number, known in enumerate(self.finds):
            if (known.engine, known.query) == (find.engine, find.query):
                self.finds[number] = find._replace(first_found=known.first_found)
                return
        self.finds.append(find)

    def miss(self, engine: str, query: str, since: float, now: float) -> bool:
        """Note that a search has not shown the seed since then; say whether that is news."""
        for number, find in enumerate(self.finds):
            if (find.engine, find.query) != (engine, query) or find.last_found >= since:
                continue
            if find.missing_since is None:
                self.finds[number] = find._replace(missing_since=now)
                return True
        return False

    def rows(self, topic: str) -> Iterator[dict[str, Any]]:
        """Go through the seed's rows of the results table ``seeds``: one for each find."""
        for find in self.finds:
            yield {
                "topic": topic,
                "url_key": self.key,
                "url": self.url,
                **find._asdict(),
                "state": self.state.value,
                "useful": self.useful,
            }
