"""The commits of a run: results first, then the frontier's changes; and what the results have.

A URL's row leaves the store only after what its page gave is in the results database, so a crash
between the two fetches the page again and writes the same rows. What is stored of an article is asked
before it is stored; not of that of a page which is fetched for the first time, when results and crawl
file are in step: no other crawl has written to them, and the last run has ended in order.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from focuscrawl.frontier.rows import WHOLE_TOPIC
from focuscrawl.locale.messages import _
from focuscrawl.stores.results.database import Unfit
from focuscrawl.stores.results.kinds.history import has_change
from focuscrawl.stores.results.kinds.pages import pages_there
from focuscrawl.stores.results.kinds.runs import CommitMark, RunRow, commit_marks, last_run
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch, Written
from focuscrawl.stores.state.protocol import KEPT, Changes, Fate, Store, StoreError, ignore

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.feature import Hooks
    from focuscrawl.stores.results.kind import Kinds
    from focuscrawl.stores.results.results import Results, StoredText
    from focuscrawl.values import Clock


logger = logging.getLogger(__name__)

HELD_UP_AFTER = 15.0
"""Seconds that a window takes after which its server is taken for one that is away: where nothing comes back
at all, the system says so after a minute or later. A window of a slow server takes one or two."""

LEFT_OUT = "left_out/"
"""How the counters of rows begin that their table could not take."""


def _nothing() -> None:
    """Do nothing."""


class _Pending(ResultBatch):
    """Rows for the results database that wait for the next commit."""

    __slots__ = ("_kinds",)

    def __init__(self, kinds: Kinds) -> None:
        super().__init__()
        self._kinds = kinds

    def add(self, item: object) -> bool:
        """Take an item of ours; False: it is of no kind of rows."""
        if kind := self._kinds.of(item):
            self.rows[kind.part].append(item)
        return bool(kind)

    def completeness(self, key: str) -> list[bool]:
        """Return of what waits of a page whether no part is missing."""
        whole = (kind for kind in self._kinds.finds if "complete" in kind.table.c)
        items = (one for kind in whole for one in self.rows[kind.part])
        return [one.complete for one in items if one.url_key == key]


@dataclass(slots=True)
class CommitWindow:
    """What is about to be written: rows, and the changes of the crawl file by partition.

    ``closing``: it is the run's last.
    """

    pending: _Pending
    changes: dict[int, Changes]
    closing: bool


class Commits:
    """What is to be written, and the writing of it.

    ``kinds`` are all kinds of rows, ``closing``: this is the run's last window. ``before_drain`` is called
    before the frontier's changes are taken for a window, ``after_drain`` when nothing is left in memory but
    this window. ``counted`` is called when what is in the results was counted, ``fated`` with what became of a
    window, when it is more than KEPT. When a store fails, ``broken`` says why, ``broke`` is called with it, and
    nothing is written any more: the pages since the last commit are fetched again next time. What a database
    cannot take is counted as ``left_out/TABLE``.
    """

    def __init__(
        self,
        store: Store,
        frontier: Frontier,
        clock: Clock,
        counters: Counter[str],
        kinds: Kinds,
        *,
        hooks: Hooks,
        broke: Callable[[str], None],
    ) -> None:
        self.pending = _Pending(kinds)
        self.results: Results | None = None
        self.closing = False
        self.broken = ""
        self.store = store
        self._frontier = frontier
        self._clock = clock
        self._counters = counters
        self.kinds = kinds
        self._hooks = hooks
        self._broke = broke
        self._writing: asyncio.Future[None] | None = None
        self._is_out = False
        self._began = 0.0
        self._run_row: RunRow | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self.fated: Callable[[Fate], object] = ignore
        self.before_drain: Callable[[], object] = _nothing
        self.after_drain: Callable[[], object] = _nothing
        self.counted: Callable[[], object] = _nothing

    def now(self, run: RunRow | None = None) -> None:
        """Write everything there is, at once."""
        self._run_row = run or self._run_row
        if self.broken or not self.results or self.is_under_way:
            return
        with self._whatever_fails():
            batch, changes = self._window()
            self._written(self.results.write(batch), changes)

    def beside(self, run: RunRow | None = None) -> None:
        """Write without holding up the crawl: results on a server are written in a thread.

        One window is under way at a time; what comes meanwhile waits for the next, as does the ``run``,
        whose counters are its sign of life. A server that is away is waited for.
        """
        self._run_row = run or self._run_row
        if not self.results or self.results.embedded:
            self.now()
        elif not self.is_under_way and not self.broken:
            with self._whatever_fails():
                batch, changes = self._window()
                self._began = self._clock.steady()
                self._writing = asyncio.ensure_future(self._in_thread(batch, changes))

    @property
    def is_under_way(self) -> bool:
        """Whether a window is being written, or what became of it is not known yet."""
        return self._is_out or bool(self._writing)

    @property
    def is_held_up(self) -> bool:
        """Whether the results database is away: no page is asked for until it answers.

        So what waits in memory is one window, and what came before that was noticed.
        """
        if not self.results or self.broken:
            return False
        took = self._clock.steady() - self._began if self._writing else 0.0
        return self.results.is_away or took > HELD_UP_AFTER

    def stop_waiting(self) -> None:
        """Wait for a results database that is away only seconds more: the run is to stop."""
        if self.results:
            self.results.stop_waiting()

    async def written(self) -> None:
        """Write everything there is and wait until it is written."""
        await self.settled()
        self.beside()
        await self.settled()

    async def store_alone(self, changes: dict[int, Changes]) -> None:
        """Write changes of the crawl file, and nothing else, and wait until they are there.

        What the store reports with it is followed as with any other window. Raises StoreError.
        """
        await self.settled()
        self._hand_over(changes)
        await self.settled()

    async def settled(self, most: float | None = None) -> None:
        """Wait until no window is under way; another caller that waited may have begun the next.

        For the store ``most`` seconds, and for the results as long as they are waited for at all. Raises
        TimeoutError.
        """
        while self.is_under_way:
            if self._writing:
                await self._writing
            else:
                waiter = asyncio.get_running_loop().create_future()
                self._waiters.append(waiter)
                async with asyncio.timeout(most):
                    await waiter

    def break_off(self, error: Exception) -> None:
        """A store failed: nothing more is acknowledged, so nothing is lost."""
        if not self.broken:
            self.broken = str(error)
            if not isinstance(error, StoreError):
                self.broken = f"a window could not be written: {type(error).__name__}: {error}"
            unforeseen = None if isinstance(error, StoreError) else error
            logger.error("%s", self.broken, exc_info=unforeseen)
            self._broke(self.broken)

    async def _in_thread(self, batch: ResultBatch, changes: dict[int, Changes]) -> None:
        try:
            with self._whatever_fails():
                if self.results:
                    self._written(await asyncio.to_thread(self.results.write, batch), changes)
        finally:
            self._writing = None

    @contextmanager
    def _whatever_fails(self) -> Iterator[None]:
        """Break off at any error: a window that was taken and not written must not be missed."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - foreseen or not, it is told
            self.break_off(error)

    def _window(self) -> tuple[ResultBatch, dict[int, Changes]]:
        """Take everything there is to write."""
        frontier = self._frontier
        frontier.checkpoint(self._clock.wall())
        for note in self._hooks.note:
            note(closing=self.closing)
        self._hooks.store_memories(frontier, all_of_it=self.closing)
        pending, self.pending = self.pending, _Pending(self.kinds)
        self.before_drain()
        changes = frontier.drain()
        self.after_drain()
        window = CommitWindow(pending, changes, self.closing)
        for commit in self._hooks.commit:
            commit(window)
        pending.run, self._run_row = self._run_row, None
        return pending, changes

    def _written(self, written: Written, changes: dict[int, Changes]) -> None:
        """Go on when the results are safe: only now may rows leave the store."""
        if written.was_gone:
            logger.warning(
                _(
                    "Others have taken this worker for one that is gone: what it was about to write is fetched"
                    " again"
                )
            )
            for hear in self._hooks.was_gone:
                hear()
            self.store.begin_anew()
        self.count(written)
        self.counted()
        if changes and self.results and (run_id := self.results.run_id):
            whole = changes.setdefault(WHOLE_TOPIC, Changes())
            whole.facts[RESULT_COMMITS, run_id] = self.results.mark[:2]
        if changes or (self.store.is_shared and not self.closing):  # a beat, if nothing else
            self._hand_over(changes)
        else:
            self._settled(KEPT)

    def count(self, written: Written) -> None:
        """Count what was new among rows that are in the results now, and say what could not be."""
        for kind in self.kinds:
            outcome = written.of(kind.part)._asdict()
            for word in outcome.keys() & kind.counters:
                self._counters[f"{kind.table.name}_{word}"] += len(outcome[word])
        for table, of, why in written.left_out:
            self._counters[f"{LEFT_OUT}{table}"] += 1
            logger.error(_("Left out of %s, since it cannot be stored: %s (%s)"), table, of, why)

    def _hand_over(self, changes: dict[int, Changes]) -> None:
        """Give changes to the store, which reports later what became of them; an embedded one at once."""

        def heard(fate: Fate) -> None:
            self._is_out = False
            with self._whatever_fails():
                self._settled(fate)
            waiters, self._waiters = self._waiters, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)

        self._is_out = True
        try:
            self.store.commit(changes, heard)
        except StoreError:
            self._is_out = False
            raise

    def _settled(self, fate: Fate) -> None:
        """Let the frontier, the features and ``fated`` follow what became of the window."""
        self._frontier.committed()
        for hear in self._hooks.committed:
            hear()
        if fate is not KEPT:
            self.fated(fate)


RESULTS = "results"
"""A kind of facts: the ``run`` that wrote to the results last, whether it has ``ended``, and whether
the results are ``apart``: they have articles this file may know nothing of."""

RESULT_COMMITS = "result_commits"
"""A kind of facts: how many commits to the results a run made before its last one to the crawl file, and their
new rows. Results that have fewer are an older copy, or others."""

LOST_ROWS = "lost_rows"
"""The counter of rows that an earlier run stored and the results do not have."""

IN_WORK = 60.0
"""Seconds before the last commit that results have: what was fetched then may have come in a later window."""

NO_MARK = CommitMark()


class LostResults(NamedTuple):
    """What results lack that an earlier run stored: ``found`` rows at least, of what was fetched ``since``."""

    since: float = inf
    found: int = 0


NOTHING_LOST = LostResults()


def lost_results(
    told: Mapping[str, Sequence[int]], marks: Mapping[str, CommitMark], before: str
) -> LostResults:
    """Compare how far the results of runs are by the crawl file (``told``) with how far they really are.

    ``before`` is the run that wrote last, "" for none; an older focuscrawl noted no commits of it.
    """
    behind = {run: of for run, of in told.items() if marks.get(run, NO_MARK).commits < of[0]}
    if before and before not in marks:
        behind.setdefault(before, (0, 0))
    if not behind:
        return NOTHING_LOST
    found = sum(of[1] - marks.get(run, NO_MARK).found for run, of in behind.items())
    missing = behind.keys() - marks.keys()
    known = [one.at for run, one in marks.items() if one.at and (missing or run in behind)]
    last = (max if missing else min)(known, default=0.0)
    return LostResults(last - IN_WORK, max(found, 0))


_T = TypeVar("_T")


class StoredLookup:
    """What the results of one run have. ``in_step``: no article of a page that was not fetched yet."""

    def __init__(self, commits: Commits, frontier: Frontier) -> None:
        self.in_step = False
        self._commits = commits
        self._frontier = frontier

    async def begin(self, store: Store, results: Results, run_id: str) -> LostResults:
        """Find out whether results and file belong together; before the run has its row there.

        Returns what the results lack: they were removed, replaced, or put back from an older copy; or the machine
        lost power and a file its last commits.
        """
        facts, told = await store.facts(RESULTS), await store.facts(RESULT_COMMITS)
        before = facts.get("run", "")
        has_some = results.ever_found()
        is_ours = results.ask(last_run) == facts.get("run")
        apart = has_some and (facts.get("apart", False) or not is_ours)
        self.in_step = not has_some or (not apart and facts.get("ended", False))
        for name, value in (("run", run_id), ("ended", False), ("apart", apart)):
            self._frontier.note_fact(RESULTS, name, value)
        for run in told:
            self._frontier.note_fact(RESULT_COMMITS, run, None)
        return lost_results(told, results.ask(commit_marks), before)

    def end(self) -> None:
        """Note, for the last commit, that the run has ended in order."""
        self._frontier.note_fact(RESULTS, "ended", True)

    async def text(self, key: str) -> StoredText | None:
        """Return the text that is stored of a page, with its title; None when nothing is."""
        return await self._ask(lambda results: results.text(key))

    async def is_complete(self, key: str) -> bool | None:
        """Return whether no part of a page's text is missing; None when it is not stored.

        One that waits for the next commit counts as stored.
        """
        await self._commits.settled()
        waiting = self._commits.pending.completeness(key)
        if any(waiting):
            return True
        stored = await self._ask(lambda results: results.is_complete(key))
        return stored or (False if waiting else stored)

    async def title(self, key: str) -> str:
        """Return the title under which a page is stored, as an article, a thread, in the log book."""
        return await self._ask(lambda results: results.title(key)) or ""

    async def has_change(self, number: str) -> bool:
        """Return whether a change is stored, by its id."""
        return bool(await self._ask(lambda results: results.ask(has_change, number)))

    async def pages_there(self, host: str) -> list[str]:
        """Return addresses of pages of a host that are visited again, a few of any."""
        return await self._ask(lambda results: results.ask(pages_there, host)) or []

    async def ask(self, query: Callable[..., _T], *arguments: Any, **named: Any) -> _T | None:
        """Ask the results something (``Results.ask``); None when there are none."""
        return await self._ask(lambda results: results.ask(query, *arguments, **named))

    async def ask_and_write(
        self,
        question: Callable[..., tuple[_T, ResultBatch]],
        *,
        locked: Callable[[str], int] | None = None,
    ) -> _T | None:
        """Ask the results something and write rows with it (``Results.ask_and_write``); None when there are none."""
        answer = await self._ask(lambda results: results.ask_and_write(question, locked=locked))
        if answer is None:
            return None
        found, written = answer
        self._commits.count(written)
        return found

    async def _ask(self, question: Callable[[Results], _T]) -> _T | None:
        """Ask a file at once, a server in a thread."""
        results = self._commits.results
        try:
            if not results:
                return None
            if results.embedded:
                return question(results)
            return await asyncio.to_thread(question, results)
        except Unfit:  # the question is at fault: the caller deals with it
            raise
        except StoreError as error:
            self._commits.break_off(error)
            raise
