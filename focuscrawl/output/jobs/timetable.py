"""Which topics are crawled when: those of one process, some at once, some again and again.

A topic without ``every`` is crawled once, one that stays (revisit.continuous) never ends by itself, and
one with ``every`` comes again so long after its last run began; when that took longer, at once. The topic
that has been due longest is first. Times are wall time, in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

GRAVEST = (1, 2, 4, 5, 3, 0)
"""Exit statuses, the gravest first: a crash or a store that failed, a template, no answer, busy, empty, done."""


@dataclass(slots=True)
class TurnPlan:
    """How often a topic is crawled: every so many seconds, or once (None); ``stays``: it has no end."""

    every: float | None = None
    stays: bool = False

    @property
    def comes_again(self) -> bool:
        """Whether a process that has it goes on when all else has ended."""
        return self.every is not None or self.stays


def next_turn(plan: TurnPlan, began: float, now: float, *, was_cut_off: bool = False) -> float:
    """Return when a topic is due whose last run began then; infinity: not any more.

    One that was cut off (a kill, a signal) goes on at once.
    """
    if was_cut_off:
        return now
    return inf if plan.every is None else max(began + plan.every, now)


@dataclass(slots=True)
class Timetable:
    """The topics of a process; at most ``most`` are crawled at once."""

    most: float = inf
    plans: dict[str, TurnPlan] = field(default_factory=dict)
    _due: dict[str, float] = field(default_factory=dict)
    _began: dict[str, float] = field(default_factory=dict)

    def expect(self, name: str, plan: TurnPlan, at: float) -> None:
        """Let a topic have its turn at a time."""
        self.plans[name] = plan
        self._due[name] = at

    def drop(self, name: str) -> None:
        """Let a topic have no more turns; a run that is under way ends by itself."""
        self.plans.pop(name, None)
        self._due.pop(name, None)

    def knows(self, name: str) -> bool:
        """Whether a topic has a plan, or is being crawled."""
        return name in self.plans or name in self._began

    @property
    def running(self) -> tuple[str, ...]:
        """The topics that are being crawled."""
        return tuple(self._began)

    def begin(self, now: float) -> str | None:
        """Return the topic whose turn begins now; None: none is due, or all places are taken."""
        if len(self._began) >= self.most:
            return None
        at, name = min(self._next(), default=(inf, ""))
        if at > now:
            return None
        del self._due[name]
        self._began[name] = now
        return name

    def ended(self, name: str, now: float, plan: TurnPlan | None = None) -> None:
        """Plan the next turn of a topic whose run has ended; ``plan``: that of its file when it began."""
        began = self._began.pop(name)
        if name not in self.plans:  # dropped meanwhile
            return
        plan = self.plans[name] = plan or self.plans[name]
        at = next_turn(plan, began, now)
        self._due.pop(name, None)
        if at < inf:
            self._due[name] = at

    def seconds(self, now: float) -> float:
        """Return in how many seconds the next topic is due; infinity: none by waiting."""
        if len(self._began) >= self.most:
            return inf
        at, _ = min(self._next(), default=(inf, ""))
        return max(0.0, at - now)

    def _next(self) -> Iterator[tuple[float, str]]:
        """Go through the turns to come, but of topics that are being crawled."""
        return ((at, name) for name, at in self._due.items() if name not in self._began)

    def is_over(self) -> bool:
        """Whether nothing is being crawled, and nothing will be."""
        return not self._began and not self._due


def gravest_status(statuses: list[int]) -> int:
    """Return the exit status of a process whose topics ended with these."""
    return min(statuses, key=lambda status: (*GRAVEST, status).index(status), default=0)
