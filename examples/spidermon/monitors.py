"""What must be true at the end of a crawl, for Spidermon: docs/deploy.md, "Monitors"."""

from __future__ import annotations

from typing import Any

from spidermon import Monitor, MonitorSuite, monitors

GOOD_ENDS = {"finished", "nothing_due", "outside_hours"}
MOST_ERRORS = 0.2
"""Fetches of a hundred that may fail."""


class TopicMonitor(Monitor):
    """Looks at what focuscrawl has counted; a topic's counters begin with ``focuscrawl/``."""

    @property
    def counted(self) -> dict[str, Any]:
        """The statistics of the crawl."""
        return dict(self.data.stats)

    @monitors.name("it ended by itself")
    def test_end(self) -> None:
        """A kill has no end at all: see `scrapy topic status`."""
        self.assertIn(self.counted["focuscrawl/end_reason"], GOOD_ENDS)

    @monitors.name("few fetches failed")
    def test_errors(self) -> None:
        """Many are a site in trouble, or one that refuses us."""
        asked = self.counted.get("focuscrawl/requests", 0)
        failed = self.counted.get("focuscrawl/errors", 0)
        self.assertLessEqual(failed, MOST_ERRORS * max(1, asked))

    @monitors.name("all that was read was made out")
    def test_recognised(self) -> None:
        """What was not is told in the summary, with what to do."""
        kinds = [name for name in self.counted if name.startswith("focuscrawl/unrecognised/")]
        self.assertEqual(kinds, [])


class TopicSuite(MonitorSuite):
    """SPIDERMON_SPIDER_CLOSE_MONITORS = ("monitors.TopicSuite",)."""

    monitors = [TopicMonitor]
