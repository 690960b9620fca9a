"""Deleting what was not seen for longer than output.keep."""

from __future__ import annotations

import logging
from collections import Counter
from math import inf
from typing import TYPE_CHECKING

from focuscrawl.kernel.commit import Commits
from focuscrawl.results.forgetting import MOST_AT_ONCE
from focuscrawl.store.protocol import StoreError
from focuscrawl.values import Clock

if TYPE_CHECKING:
    from focuscrawl.results.results import Results
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

EVERY, MEANWHILE = 3600.0, 2_000
"""Seconds, and about so many rows (a second's work) that are deleted in the midst of a run."""


class Forgetting:
    """Deletes a little every hour, since a run that stays has no end, and the rest at the end."""

    def __init__(
        self, template: Template | None, commits: Commits, clock: Clock, counters: Counter[str]
    ) -> None:
        self._keep = template.output.keep if template is not None else inf
        self._commits = commits
        self._clock = clock
        self._counters = counters
        self._last = clock.wall()

    def meanwhile(self) -> None:
        """Delete some, when it is time."""
        now, commits = self._clock.wall(), self._commits
        if now - self._last < EVERY or commits.broken or commits.results is None:
            return
        self._last = now
        try:
            self.forget(commits.results, MEANWHILE)
        except StoreError as error:
            commits.break_off(error)

    def forget(self, results: Results, most: int = MOST_AT_ONCE) -> None:
        """Delete about so many rows. Raises StoreError."""
        if self._keep == inf:
            return
        deleted = results.forget_old(self._keep, most)
        if deleted:
            rows = ", ".join(f"{count} {table}" for table, count in deleted.most_common())
            logger.info("output.keep: deleted what was last seen longer ago: %s", rows)
            self._counters["deleted"] += deleted.total()
