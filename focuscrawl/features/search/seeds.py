"""Seeds: the addresses that searches have shown (C2), which are crawled, in which order (C5), and what
became of each.

N is what all searches of a cycle found, each address once, by rank and then in order of the
searches. The published form (strict) goes through it and flips a coin for each seed, one at a time;
ours takes the probability for a priority and crawls them all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from focuscrawl.values import Json

if TYPE_CHECKING:
    from focuscrawl.urls.sites import Partitions

PRIORITIES = 1000
"""A probability of 1 as a whole-numbered priority."""

_KEPT_FIELDS = ("cycle", "failures", "place", "current", "complete", "closed")
"""What of a sequence is stored beside its seeds."""


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
    """One address of N. ``key`` is its MD5 in hexadecimal, ``useful`` counts what it led to, ``reached`` what
    the walks of this cycle reached with data, new or known (C5 in its published form).

    ``cycle`` is the last cycle whose N it belongs to, ``rank`` and ``search`` its best place in
    that one. ``redirect``: the address is the engine's own and leads on. ``walked`` is the last
    cycle in which its walk came to its end, ``failed`` the last one in which a page of the walk did
    not answer that answered before (C8). ``counted`` is how much of ``useful`` SeedCounts say.
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
    counted: int = 0
    reached: int = 0
    finds: list[Find] = field(default_factory=list)

    def to_plain(self) -> Json:
        """Return the seed as plain values, to be stored as a fact of kind ``seed`` by its key."""
        plain: Json = msgspec.to_builtins(self)
        del plain["key"]
        return plain

    @classmethod
    def from_plain(cls, key: str, plain: Json) -> Seed:
        """Return the seed that ``to_plain`` has described."""
        return msgspec.convert({"key": key, **plain}, cls)

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


def probability(place: int, failures: int, count: int) -> float:
    """Return P = 1 − (s + f) ÷ 2n of the seed at place s (from 1) of n, after f failures (C5)."""
    return max(0.0, 1.0 - (place + failures) / (2 * count))


class SeedSequence:
    """The seeds of one topic over its cycles.

    ``topic`` seeds the coin, so that a run continued after a crash throws as it would have.
    ``expected`` is how many results a cycle may bring at most (searches × results); ``searches``
    how many searches there are. ``seeds`` are those of earlier runs, ``state`` is ``to_plain()``.
    ``closed`` is the last cycle at whose end the pages it did not reach were deleted (strict).
    """

    def __init__(
        self,
        topic: str,
        *,
        strict: bool = False,
        searches: int = 1,
        expected: int = 1,
        seeds: Iterable[Seed] = (),
        state: Json | None = None,
    ) -> None:
        state = state or {}
        self.strict = strict
        self.seeds: dict[str, Seed] = {seed.key: seed for seed in seeds}
        self.cycle: int = state.get("cycle", 0)
        self.failures: int = state.get("failures", 0)
        self.place: int = state.get("place", 0)
        self.current: str = state.get("current", "")
        self.complete: bool = state.get("complete", False)
        self.closed: int = state.get("closed", 0)
        self._topic = topic
        self._searches = max(1, searches)
        self._expected = max(1, expected)
        self._order: list[Seed] | None = None
        self._changed: dict[str, Seed] = {}

    def to_plain(self) -> Json:
        """Return all but the seeds as plain values."""
        return {name: getattr(self, name) for name in _KEPT_FIELDS}

    @property
    def have_changed(self) -> bool:
        """Whether there is anything to be stored."""
        return bool(self._changed)

    def take_changed(self) -> dict[str, Seed]:
        """Return the seeds that have changed since the last call, by key: what is to be stored."""
        changed, self._changed = self._changed, {}
        return changed

    def begin(self) -> None:
        """Begin the next cycle: N is empty but for the seeds skipped before, which come last."""
        self.cycle += 1
        self.failures = self.place = 0
        self.current, self.complete, self._order = "", False, None
        for seed in self.seeds.values():
            if seed.state is SeedState.SKIPPED:
                seed.state, seed.cycle = SeedState.WAITING, self.cycle
                seed.rank = seed.search = seed.reached = 0
                self._changed[seed.key] = seed

    def found(
        self, key: str, url: str, find: Find, search: int, *, redirect: bool = False
    ) -> Seed | None:
        """Note a result of the cycle; ``search`` is the number of the search, from 1.

        Returns the seed when it is to be queued now: without strict, the first time in a cycle.
        """
        seed = self.seeds.get(key)
        if seed is None:
            seed = self.seeds[key] = Seed(key, url, redirect=redirect)
        seed.note(find)
        place = (find.rank, search)
        if seed.cycle != self.cycle or not seed.rank or place < (seed.rank, seed.search):
            seed.rank, seed.search = place
        new = seed.cycle != self.cycle
        if self.strict and new:
            seed.state, seed.reached = SeedState.WAITING, 0  # each cycle draws anew (C8)
        seed.cycle = self.cycle
        self._changed[key] = seed
        self._order = None
        if self.strict or not new:
            return None
        seed.state = SeedState.TAKEN
        return seed

    def left_over(self) -> list[Seed]:
        """Without strict: take the seeds an earlier, strict cycle has skipped; to be queued."""
        if self.strict:
            return []
        waiting = [seed for seed in self.order if seed.state is SeedState.WAITING]
        for seed in waiting:
            seed.state = SeedState.TAKEN
            self._changed[seed.key] = seed
        return waiting

    def close(self) -> None:
        """All searches have been answered: N is complete, drawing may begin."""
        self.complete = True

    def missing(self, engine: str, query: str, since: float, now: float) -> list[Seed]:
        """Note what a search that was answered in full no longer shows; return what is new there.

        ``since`` is when the cycle began. The caller fetches them to see whether they are gone.
        """
        lost = [seed for seed in self.seeds.values() if seed.miss(engine, query, since, now)]
        self._changed.update((seed.key, seed) for seed in lost)
        return lost

    @property
    def walked(self) -> set[str]:
        """The seeds of which is known in this cycle where they lead: those walked to their end, and
        those that every search has stopped showing, which lead nowhere any more (C8).
        """
        return {
            seed.key
            for seed in self.seeds.values()
            if (seed.walked == self.cycle != seed.failed) or (self.complete and self._is_lost(seed))
        }

    @property
    def lost(self) -> list[str]:
        """The seeds that every search has stopped showing."""
        return [seed.key for seed in self.seeds.values() if self._is_lost(seed)]

    def _is_lost(self, seed: Seed) -> bool:
        shown = seed.cycle == self.cycle or not seed.finds
        return not shown and all(find.missing_since is not None for find in seed.finds)

    def is_drawn(self, key: str) -> bool:
        """Whether a seed is crawled in this cycle; strict: the coin has taken it, and not skipped."""
        seed = self.seeds.get(key)
        if seed is None or seed.cycle != self.cycle:
            return False
        return seed.state not in {SeedState.WAITING, SeedState.SKIPPED}

    def are_skipped(self, keys: Collection[str]) -> bool:
        """Whether all of some seeds, at least one, were skipped by the coin in this cycle."""
        found = [self.seeds[key] for key in keys if key in self.seeds]
        return bool(found) and all(
            seed.cycle == self.cycle and seed.state is SeedState.SKIPPED for seed in found
        )

    def walk_ended(self, key: str) -> bool:
        """Note that a seed's walk is at its end; whether all of it was walked."""
        seed = self.seeds[key]
        if seed.walked != self.cycle:
            seed.walked = self.cycle
            self._changed[key] = seed
        return seed.failed != self.cycle

    def walk_failed(self, key: str) -> None:
        """Note that a page of a seed's walk did not answer: what is behind it was not walked."""
        seed = self.seeds[key]
        if seed.failed != self.cycle:
            seed.failed = self.cycle
            self._changed[key] = seed

    @property
    def order(self) -> list[Seed]:
        """N: the seeds of this cycle by rank, then by search; those skipped before come last."""
        if self._order is None:
            members = [seed for seed in self.seeds.values() if seed.cycle == self.cycle]
            members.sort(key=lambda seed: (not seed.rank, seed.rank, seed.search, seed.key))
            self._order = members
        return self._order

    def priority(self, seed: Seed) -> int:
        """Return a seed's P as a priority from 0 to PRIORITIES; N is as long as is expected."""
        place = (seed.rank - 1) * self._searches + seed.search if seed.rank else self._expected
        chance = probability(min(place, self._expected), self.failures, self._expected)
        return round(PRIORITIES * chance)

    def draw(self) -> Seed | None:
        """Strict: go on through N until the coin takes a seed; None at its end.

        None as well while the one before has not finished, or while N is not complete.
        """
        if not self.complete or self.current:
            return None
        order = self.order
        while self.place < len(order):
            seed = order[self.place]
            self.place += 1
            if seed.state is not SeedState.WAITING:
                continue
            chance = probability(self.place, self.failures, len(order))
            coin = Random(f"{self._topic}/{self.cycle}/{self.place}").random()
            seed.state = SeedState.TAKEN if coin < chance else SeedState.SKIPPED
            self._changed[seed.key] = seed
            if seed.state is SeedState.TAKEN:
                self.current = seed.key
                return seed
        return None

    @property
    def drawn(self) -> bool:
        """Strict: whether the draw has gone through N and the last seed is at its end."""
        return self.complete and not self.current and self.place >= len(self.order)

    def led_to(self, key: str, count: int = 1) -> None:
        """Note relevant articles or records that a seed has led to."""
        seed = self.seeds.get(key)
        if seed is not None and count:
            seed.useful += count
            seed.reached += count
            if seed.state is SeedState.USELESS:
                self.failures -= seed.cycle == self.cycle
            if seed.state in {SeedState.USELESS, SeedState.GONE}:
                seed.state = SeedState.USEFUL
            self._changed[key] = seed

    def reach(self, key: str) -> None:
        """Note an article or record that is known already, which a walk of this cycle reached."""
        seed = self.seeds.get(key)
        if seed is not None:
            seed.reached += 1
            self._changed[key] = seed

    def have_led_to(self, counts: Mapping[str, int]) -> None:
        """Note how much all processes have counted; while one takes over from another it may be less."""
        for key, count in counts.items():
            seed = self.seeds.get(key)
            if seed is not None and count > seed.counted:
                self.led_to(key, count - seed.counted)
                seed.counted = count

    def finished(self, key: str, *, gone: bool = False) -> None:
        """Note that a seed was crawled to its end; a useless one counts as a failure (f). In the published form
        useful is what reached data in this cycle, whatever it led to in earlier ones.

        ``gone``: there is no such page any more, whatever it led to before.
        """
        seed = self.seeds.get(key)
        if seed is None or seed.state is not SeedState.TAKEN:
            return
        is_useful = bool(seed.reached if self.strict else seed.useful)
        useful = SeedState.USEFUL if is_useful else SeedState.USELESS
        seed.state = SeedState.GONE if gone else useful
        self.failures += not is_useful
        self._changed[key] = seed
        if self.current == key:
            self.current = ""

    def is_gone(self, key: str) -> None:
        """Note that a page is gone, which may be a seed, under way or not."""
        seed = self.seeds.get(key)
        self.finished(key, gone=True)
        if seed is not None and seed.state is not SeedState.GONE:
            seed.state = SeedState.GONE
            self._changed[key] = seed


class SeedCount(NamedTuple):
    """How many URLs ``waiting`` were found through a seed, and how many of what it has led to were ``useful``;
    ``gone``: its own page is not there (1)."""

    waiting: int = 0
    useful: int = 0
    gone: int = 0


class SeedCounts:
    """How many URLs wait that were found through each seed, what they have led to, and whether its own page
    is gone, by partition.

    They are kept with the rows of a partition, and go with it from process to process, so that together
    they are neither too many nor too few whichever process is killed.
    """

    def __init__(self) -> None:
        self._of: defaultdict[int, dict[str, list[int]]] = defaultdict(dict)
        self._changed: set[tuple[int, str]] = set()

    def load(self, partitions: Partitions, facts: Mapping[str, list[int]]) -> None:
        """Take up partitions; ``facts`` are those that ``take_changed`` returned, of these and others."""
        for name, counts in facts.items():
            partition, _, seed = name.partition(" ")
            if int(partition) in partitions:
                self._of[int(partition)][seed] = list(counts)

    def release(self, partitions: Partitions) -> None:
        """Let go of partitions."""
        for partition in partitions & self._of.keys():
            del self._of[partition]
        self._changed = {one for one in self._changed if one[0] not in partitions}

    def found(self, partition: int, seed: str, *, gone: bool) -> None:
        """Note what the seed's own page has answered."""
        counts = self._of[partition].setdefault(seed, [0, 0, 0])
        if counts[2] != gone:
            counts[2] = int(gone)
            self._changed.add((partition, seed))

    def count(self, partition: int, seed: str, *, waiting: int = 0, useful: int = 0) -> None:
        """Count URLs that begin or cease to wait, and relevant articles or records."""
        counts = self._of[partition].setdefault(seed, [0, 0, 0])
        counts[0] = max(
            0, counts[0] + waiting
        )  # rows of a crawl that was moved here are not counted
        counts[1] += useful
        self._changed.add((partition, seed))

    def take_changed(self) -> dict[tuple[int, str], list[int]]:
        """Return by partition and name what has changed since the last call: facts to be stored there."""
        changed, self._changed = self._changed, set()
        return {
            (partition, f"{partition} {seed}"): self._of[partition][seed]
            for partition, seed in sorted(changed)
        }

    def sums(self) -> dict[str, SeedCount]:
        """Return the counts of each seed in all partitions."""
        return added_up(counts for of in self._of.values() for counts in of.items())


def added_up(counts: Iterable[tuple[str, Sequence[int]]]) -> dict[str, SeedCount]:
    """Add up counts of seeds."""
    sums: dict[str, SeedCount] = {}
    for seed, (waiting, useful, gone) in counts:
        one = sums.get(seed, SeedCount())
        sums[seed] = SeedCount(one.waiting + waiting, one.useful + useful, one.gone + gone)
    return sums
