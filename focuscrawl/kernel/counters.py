"""What is counted in a run: for the results table crawl_runs, the minute line and the summary."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

from focuscrawl.results.kinds.runs import RunRow
from focuscrawl.values import Page, PageClass

FAILED_KEPT = 5
_COLUMNS = tuple(one.name for one in fields(RunRow) if one.name != "counters")
NO_ARTICLES = frozenset({PageClass.RECORD, PageClass.THREAD})
NOT_FETCHED = frozenset({"refused", "parked"})


class Tally:
    """Counts of one run. ``counters`` by name, ``refused`` links by rule, the rest about pages."""

    def __init__(self) -> None:
        self.counters: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.page_reasons: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.failed_urls: dict[str, str] = {}
        self.last_errors: dict[str, str] = {}
        self.last_gone: dict[str, str] = {}
        self.sites: dict[str, Counter[str]] = {}
        self.last_ok: dict[str, float] = {}

    def count_page(self, page: Page, *, failed: bool, now: float) -> None:
        """Count what became of one URL; ``failed`` ones come back."""
        site = self.sites.get(page.host)
        if site is None:
            site = self.sites[page.host] = Counter()
        self.outcomes[page.outcome] += 1
        if failed or page.outcome == "error":
            self.counters["errors"] += 1
            site["errors"] += 1
            self.failures[page.reason] += 1
            self.last_errors[page.host] = page.reason
        elif page.outcome == "gone":
            self.last_gone[page.host] = page.reason
        elif page.outcome in NOT_FETCHED:
            self.page_reasons[page.reason] += 1
        self.failed_urls.pop(page.url, None)
        if failed:
            self.failed_urls[page.url] = page.reason
            if len(self.failed_urls) > FAILED_KEPT:
                del self.failed_urls[next(iter(self.failed_urls))]
        elif page.status:
            self.counters["pages"] += 1
            self.counters["bytes"] += page.bytes
            site["pages"] += 1
            self.last_ok[page.host] = now
        if page.outcome == "stored" and page.page_class not in NO_ARTICLES:
            site["articles"] += 1
        if page.relevant:
            site["relevant"] += 1
            self.counters["relevant"] += 1

    def judged_again(self, page: Page, before: str) -> None:
        """Count a page whose outcome was another one ``before``."""
        if self.outcomes[before]:
            self.outcomes[before] -= 1
        self.outcomes[page.outcome] += 1
        if "stored" in (before, page.outcome) and before != page.outcome:
            site = self.sites.setdefault(page.host, Counter())
            site["articles"] += 1 if page.outcome == "stored" else -1

    def run_row(self) -> RunRow:
        """Return the counters as the results keep them."""
        rest = {name: count for name, count in self.counters.items() if name not in _COLUMNS}
        rest |= {f"outcome/{name}": count for name, count in self.outcomes.items()}
        rest |= {f"refused/{reason}": count for reason, count in self.refused.items()}
        return RunRow(
            **{name: self.counters[name] for name in _COLUMNS}, counters=dict(sorted(rest.items()))
        )
