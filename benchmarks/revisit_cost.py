"""What revisits cost: time for an update and for a page that is due, with 10⁶ pages in the store.

Method. The store is the real one in a temporary folder, synchronous NORMAL. Pages have addresses of
some sixty characters on 1,000 sites, the MD5 keys of them, digests, SimHashes, ETags and a history
of visits; their dates are spread over thirty days. They are committed 10,000 at a time.

- *rule* is ``Visits.visited`` alone: state, interval and next date after an answer.
- *update* is that with the commit, 500 pages of random keys at a time, as in a crawl.
- *due* is one period with a budget (``taking.take``, 250 taken of the 1,000 looked at): reading,
  decoding and valuing; per page looked at, and with the commit of the reservations per page taken.
- *page_bytes* is the file divided by the pages, *bare_bytes* without their addresses; after all
  updates, when the trees have settled.

Times are microseconds of CPU; *reference_us* is one MD5 of 16 bytes on the machine as busy as it was.
``--quick``: 10⁵ pages; ``--pages`` chooses another multiple of 10⁴.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import md5
from pathlib import Path
from typing import Any

from benchmarks.parts.children import arguments, finish, table
from focuscrawl.features.revisit.agenda import Period, Taken, take
from focuscrawl.features.revisit.table import DAY, HOUR, RevisitRules
from focuscrawl.features.revisit.visits import Visits
from focuscrawl.stores.state.protocol import Changes
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import PageClass, PageState

PAGES, QUICK_PAGES = 1_000_000, 100_000
SITES = 1_000
AT_ONCE = 10_000
COMMIT = 500
UPDATES = 20_000
PERIODS, TAKEN = 40, 250
NOW = 1_790_000_000.0


def url_of(number: int) -> str:
    return f"https://www.site{number % SITES}.example/news/2026/1120/content_{number:09}.html"


def page_of(number: int, luck: random.Random, visits: Visits) -> PageState:
    url = url_of(number)
    state = visits.first_seen(
        md5(url.encode()).digest(), url, f"site{number % SITES}.example", PageClass.ARTICLE, NOW
    )
    observed = luck.uniform(0, 30 * DAY)
    return state._replace(
        last_fetched=NOW - luck.uniform(HOUR, 20 * DAY),
        next_visit=NOW + luck.uniform(-5 * DAY, 25 * DAY),
        first_fetched=NOW - observed,
        visits=luck.randrange(1, 30),
        source_id="省级",
        facts={"depth": 2, "parent": state.key, "layer": 0},
        observed=observed,
        changes=1 + luck.expovariate(1),
        digest=state.key + b"vv",
        simhash=luck.getrandbits(64),
        etag=f'"{luck.getrandbits(64):x}"',
    )


def filled(store: SQLiteStore, pages: int, luck: random.Random, visits: Visits) -> Iterator[None]:
    for start in range(0, pages, AT_ONCE):
        states = [page_of(number, luck, visits) for number in range(start, start + AT_ONCE)]
        states.sort(key=lambda state: state.key)
        store.commit({0: Changes(pages=states)})
        yield


def timed(work: Callable[[], object]) -> float:
    """Return the CPU seconds a piece of work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def updates(
    store: SQLiteStore, pages: int, luck: random.Random, visits: Visits
) -> dict[str, float]:
    """Visit random pages; return the microseconds of the rule and of everything."""
    rule = whole = 0.0
    for _ in range(UPDATES // COMMIT):
        keys = [md5(url_of(luck.randrange(pages)).encode()).digest() for _ in range(COMMIT)]
        states = list(asyncio.run(store.pages(keys)).values())
        changed = [luck.random() < 0.3 for _ in states]
        after: list[PageState] = []

        def visit(
            states: list[PageState] = states,
            changed: list[bool] = changed,
            after: list[PageState] = after,
        ) -> None:
            after.extend(
                visits.visited(state, state.visits, NOW, one)
                for state, one in zip(states, changed, strict=True)
            )

        spent = timed(visit)
        rule += spent
        whole += spent + timed(lambda after=after: store.commit({0: Changes(pages=after)}))  # type: ignore[misc]
    return {"rule_us": rule / UPDATES * 1e6, "update_us": whole / UPDATES * 1e6}


class Counted(Period):
    """A period that counts what it looked at."""

    looked = 0

    def offer(self, pages: Any) -> bool:
        self.looked += len(pages)
        return super().offer(pages)


def periods(store: SQLiteStore, visits: Visits) -> dict[str, float]:
    """Run periods; return the microseconds per page looked at, and per page taken with its commit."""
    looked = taken = 0
    reading = leasing = 0.0
    for number in range(PERIODS):
        period = Counted(visits, NOW + number, TAKEN, by_budget=True)
        found: list[Taken] = []
        reading += timed(lambda: found.append(asyncio.run(take(store, period))))  # noqa: B023
        pages = found[0].pages
        leasing += timed(lambda: store.commit({0: Changes(pages=pages)}))  # noqa: B023
        looked += period.looked
        taken += len(pages)
    return {
        "due_us": reading / looked * 1e6,
        "taken_us": (reading + leasing) / taken * 1e6,
        "looked_per_taken": looked / taken,
    }


def reference() -> float:
    """Return the microseconds of one MD5."""
    data = bytes(16)
    return timed(lambda: [md5(data) for _ in range(200_000)]) / 200_000 * 1e6


def main() -> None:
    asked = arguments(__doc__, "pages")
    pages = int(asked.pages or (QUICK_PAGES if asked.quick else PAGES))
    luck = random.Random(0)
    visits = Visits(RevisitRules())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cost.crawl.db"
        store = SQLiteStore(path)
        store.own()
        fill = timed(lambda: list(filled(store, pages, luck, visits)))
        figures = {"fill_us": fill / pages * 1e6}
        figures |= updates(store, pages, luck, visits)
        figures |= periods(store, visits)
        store.release()
        size = path.stat().st_size
    addresses = sum(len(url_of(number)) for number in range(pages))
    figures["page_bytes"] = size / pages
    figures["bare_bytes"] = (size - addresses) / pages
    figures["reference_us"] = reference()
    table(("figure", "value"), list(figures.items()))
    finish({"pages": pages, **{name: round(value, 2) for name, value in figures.items()}})


if __name__ == "__main__":
    main()
