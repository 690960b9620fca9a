"""What features share, for tests of one of them: a store, a frontier, a clock that stands; and a run over them."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

from focuscrawl.frontier.rows import PageStates
from focuscrawl.kernel.commit import Commits
from focuscrawl.kernel.feature import Hooks, Kernel, RunFacts, Transport
from focuscrawl.kernel.figures import Tally
from focuscrawl.kernel.ports import SitePolicy
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.links.criteria import Criteria
from focuscrawl.scheduler import Scheduler
from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.urls.sites import ALL_PARTITIONS
from tests.clock import StandingClock
from tests.frontiers import frontier_over
from tests.kinds import KINDS

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.kernel.feature import Feature
    from focuscrawl.stores.state.protocol import Store
    from focuscrawl.template.template import Template


def kernel_over(store: Store, template: Template, clock: StandingClock, **others: Any) -> Kernel:
    """Return what features share; ``others`` replace parts, those that nobody asks for are None."""
    frontier, tally, hooks = frontier_over(store, random.Random(1).random), Tally(), Hooks()
    hooks.sites = SitePolicy()  # which closes no site
    rules = AdmissionRules.from_template(template, clock.now)
    sources = others.pop("sources", {one.source_id: one for one in template.sources})
    commits = Commits(
        *(store, frontier, clock, tally.counters, KINDS),
        hooks=hooks,
        broke=lambda _: None,
    )
    parts: dict[str, Any] = {
        "run": RunFacts("", "x", clock.now, 0.0, has_topic=True, random=random.Random(7)),
        "criteria": Criteria(template, rules, sources),
        "frontier": frontier,
        "commits": commits,
        "pages": PageStates(frontier, clock),
        "clock": clock,
        "tally": tally,
        "hooks": hooks,
    }
    asked = {name: others.pop(name, None) for name in Transport._fields}
    transport = Transport(**(asked | {"flights": {}, "tunnel": Scheduler.tunnel}))
    absent: dict[str, Any] = {"stored": None, "items": None, "transport": transport}
    return Kernel(**(absent | parts | others))


class TopicRun:
    """A run of a topic over a file: its store, its clock, and the kernel that its features get.

    A test's own run has ``open``, which makes the features it is about.
    """

    def __init__(self, folder: Path, topic: str) -> None:
        self.clock = StandingClock()
        self.template = load(topic, {}, {}).template
        self.store = SQLiteStore(folder / "x.crawl.db")
        self.store.own()
        self.open()

    def open(self) -> None:
        """Make the parts of a run, as after a restart; ``self.kernel`` is the first of them."""
        raise NotImplementedError

    def make_kernel(self, **others: Any) -> None:
        """Make the kernel anew over the store."""
        self.kernel = kernel_over(self.store, self.template, self.clock, **others)

    def open_features(self, *features: Feature) -> None:
        """Let features load what the store remembers, as those of a run."""
        hooks = self.kernel.hooks
        hooks.collect(features)
        asyncio.run(hooks.open_partitions(ALL_PARTITIONS, self.load_records()))

    def load_records(self) -> dict[str, dict[str, Any]]:
        """Return what the store remembers for features."""
        return asyncio.run(self.store.load(range(PARTITIONS))).records

    def commit(self) -> None:
        """Write what the frontier holds, and what was learnt of sites."""
        self.kernel.hooks.store_memories(self.kernel.frontier, all_of_it=False)
        self.store.commit(self.kernel.frontier.drain())
        self.kernel.frontier.committed()
