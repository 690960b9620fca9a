"""The baseline put on a run: its moments are facts, and URLs that need it get theirs when they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from focuscrawl.features.baseline.moments import Moments, admits_otherwise
from focuscrawl.frontier.rows import WHOLE_TOPIC
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.flight import Purpose
from focuscrawl.values import PageClass

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel, Round
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.template_changes import LastTemplate, TemplateChanges
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Json

BASELINE = "baseline"
"""The kind of the facts that are a topic's moments, by the names of their fields."""

_LEAF = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.FILE})


class Baseline(Feature):
    """Gives its baseline to a URL whose row does not bear it."""

    name = "baseline"
    after = ("revisit",)  # which finds out what is known of a page

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._moments = Moments(kernel.run.started)
        self._noted: dict[str, float] = {}
        self._goes_on_old = False

    async def changed(self, changes: TemplateChanges, last: LastTemplate) -> Iterable[str]:
        """Note when a template admits or judges otherwise, and whether an earlier version has left URLs."""
        kernel = self.kernel
        self._goes_on_old = not (await kernel.store.facts(BASELINE)).get("start")
        if admits_otherwise(last.resolved, kernel.template.resolved):
            self._note(changed=kernel.run.started)
        return ()

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Read the topic's moments; the process that has the whole topic's notes the first of them."""
        self._noted = {**await self.kernel.store.facts(BASELINE), **self._noted}
        self._moments = self._moments._replace(**self._noted)
        if "start" not in self._noted and WHOLE_TOPIC in partitions and not self._goes_on_old:
            self._note(start=self._moments.start)

    async def begin(self, round_: Round) -> int:
        """Note up to which number URLs wait that an earlier version has left."""
        self._note_old()
        return 0

    def _note_old(self) -> None:
        if self._goes_on_old:
            self._goes_on_old = False
            now = self.kernel.run.started
            self._note(start=now, before=self.kernel.frontier.next_sequence(), upgraded=now)

    def _note(self, **moments: float) -> None:
        self._noted |= moments
        self._moments = self._moments._replace(**moments)
        for name, moment in moments.items():
            self.kernel.frontier.note_fact(BASELINE, name, moment)

    async def before_fetch(self, flight: Flight) -> None:
        """Ask for a list whole that was read last under other rules: it may lead elsewhere now."""
        before = flight.before
        if before is not None and before.page_class not in _LEAF:
            flight.of(Purpose).whole |= self._moments.is_under_other_rules(before)

    def correct_url(self, flight: Flight) -> None:
        """Give a URL its baseline, which its links inherit."""
        self._note_old()  # where another process leads, begin was not called here
        waiting = flight.waiting
        baseline = self._moments.baseline_of(waiting, flight.sequence, flight.before)
        if baseline != waiting.baseline:
            flight.waiting = waiting._replace(baseline=baseline)
