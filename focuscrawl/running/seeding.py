"""Seeds put into the frontier: all at once, or one after the other as they are drawn (C5).

A seed is queued like a source. When it is the turn of the next one is for its search to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.crawl.search import SOURCE, SearchCycle, draw_seed
from focuscrawl.search.seed_sequence import PRIORITIES
from focuscrawl.search.seeds import Seed
from focuscrawl.values import Waiting

if TYPE_CHECKING:
    from focuscrawl.explore.explorer import Explorer
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.running.walking import Walking
    from focuscrawl.template.template import Template


class Seeding:
    """Queues the seeds of one run, from which its walks start."""

    def __init__(
        self,
        template: Template,
        rules: AdmissionRules,
        walking: Walking,
        explorer: Explorer | None,
    ) -> None:
        self._template = template
        self._rules = rules
        self._walking = walking
        self._explorer = explorer

    def queue(self, cycle: SearchCycle, seed: Seed) -> bool:
        """Queue a seed at the level of sources, by its probability; False when it may not be.

        One whose title and snippet do not name the topic waits in the lane of exploration.
        """
        look = self._rules.look(seed.url)
        if look.refused is not None:
            return False
        address = look.address
        level = max(1, self._rules.top - 1)
        source_id = f"{SOURCE}{seed.key}"
        waiting = Waiting(
            url=address.url,
            key=address.key,
            site=address.site,
            level=level,
            passed_level=level,
            source_id=source_id,
            priority=cycle.seeds.priority(seed),
        )
        if self._explorer is not None and not seed.redirect and not self._template.search.strict:
            words = [(find.title, find.snippet) for find in seed.finds]
            waiting = self._explorer.seed(waiting, waiting.priority / PRIORITIES, words)
        return self._walking.start(waiting, address.number)

    def draw(self, cycle: SearchCycle) -> None:
        """Strict: take the next seed, once the one before has been crawled to its end."""
        if not self._template.search.strict:
            return
        seed = draw_seed(cycle)
        while seed is not None and not self.queue(cycle, seed):
            cycle.seeds.finished(seed.key)
            seed = draw_seed(cycle)
