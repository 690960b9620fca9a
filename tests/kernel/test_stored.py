"""What the results know of an article or record before it is stored, over real stores and runs."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.features.records.feature import RecordStore
from focuscrawl.features.records.rows import RecordKey, stored_records
from focuscrawl.kernel.commit import (
    IN_WORK,
    NOTHING_LOST,
    Commits,
    LostResults,
    StoredLookup,
    lost_results,
)
from focuscrawl.kernel.feature import Hooks
from focuscrawl.kernel.items import ChangeFailed
from focuscrawl.stores.results.kinds.runs import CommitMark, RunStart
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import Article, PageChange, Record
from tests.clock import NOON, StandingClock
from tests.frontiers import frontier_over
from tests.kinds import KINDS
from tests.turns import turns

pytestmark = pytest.mark.announced_first

KEY, ID = "0" * 32, "1" * 32


@dataclass
class Run:
    """A run as far as it stores what is found."""

    commits: Commits
    knowing: StoredLookup
    results: Results

    def store(self, *articles: Article) -> None:
        self.commits.pending.rows["articles"] += articles
        self.commits.now()


class Topic:
    """The two files of a topic, and runs over them; ``name`` is the crawl's file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = StandingClock()
        self.runs = 0

    @contextmanager
    def run(self, name: str = "x", *, killed: bool = False) -> Iterator[Run]:
        """Run; when it is killed, its end is not written."""
        self.clock.now += 60
        self.runs += 1
        store = SQLiteStore(self.folder / f"{name}.crawl.db")
        store.own()
        frontier = frontier_over(store, random.Random(1).random)
        commits = Commits(
            store,
            frontier,
            self.clock,
            Counter(),
            KINDS,
            hooks=Hooks(),
            broke=pytest.fail,
        )
        knowing = StoredLookup(commits, frontier)
        with Results.open(self.folder / "x.db", "x", kinds=KINDS, clock=self.clock) as results:
            asyncio.run(knowing.begin(store, results, f"run-{self.runs}"))
            results.begin_run(RunStart(f"run-{self.runs}", "{}", {}))
            commits.results = results
            commits.now()
            yield Run(commits, knowing, results)
            if not killed:
                knowing.end()
                commits.now()
        store.release()


@pytest.fixture
def topic(tmp_path: Path) -> Topic:
    return Topic(tmp_path)


def article(*, complete: bool = True) -> Article:
    return Article(KEY, "http://a.cn/1", "a.cn", "抽检", "正文", complete=complete, fetched=NOON)


def test_a_first_crawl_and_those_that_follow_it_need_not_ask(topic: Topic) -> None:
    for _ in range(3):
        with topic.run() as run:
            assert run.knowing.in_step
            run.store(article())


def test_after_a_kill_the_results_are_asked_until_a_run_ends(topic: Topic) -> None:
    with topic.run(killed=True) as run:
        run.store(article())
    with topic.run() as run:
        assert not run.knowing.in_step
    with topic.run() as run:
        assert run.knowing.in_step


def test_results_that_another_file_has_written_are_asked_for_good(topic: Topic) -> None:
    with topic.run() as run:
        run.store(article())
    for _ in range(2):
        with topic.run("other") as run:
            assert not run.knowing.in_step
    with topic.run() as run:
        assert not run.knowing.in_step, "the other one may have stored something"
    (topic.folder / "x.db").unlink()
    with topic.run() as run:
        assert run.knowing.in_step, "there is nothing it could not know"


def test_an_article_that_waits_for_the_next_commit_counts_as_stored(topic: Topic) -> None:
    with topic.run() as run:
        run.commits.pending.add(article(complete=False))
        assert asyncio.run(run.knowing.is_complete(KEY)) is False
        run.commits.now()
        assert asyncio.run(run.knowing.is_complete(KEY)) is False
        run.commits.pending.add(article())
        assert asyncio.run(run.knowing.is_complete(KEY)) is True
        assert asyncio.run(run.knowing.is_complete(ID)) is None


# Records ------------------------------------------------------------------------------------------


class Pipelines:
    """What changes pass through: they may be dropped, or fail, and take their time."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, object]]] = []
        self.drops = self.fails = False

    async def announce(self, change: PageChange) -> PageChange | None:
        self.told.append((change.kind, change.fields))
        await turns(10)
        if self.fails:
            raise ChangeFailed(change.url)
        return None if self.drops else change


def company(page: str = "a", number: str = ID, **data: str) -> Record:
    url = f"http://a.cn/{page}"
    evidence = {
        name: {"value": value, "raw": value, "label": name, "url": url, "at": NOON}
        for name, value in data.items()
    }
    return Record("company", number, "a.cn", page * 32, url, data, evidence, fetched=NOON)


def recording(run: Run, pipelines: Pipelines) -> RecordStore:
    return RecordStore(run.commits, pipelines.announce, run.knowing, StandingClock())


def rows(run: Run) -> list[str]:
    """Write everything; return the kinds of the rows there are."""
    kinds = [change.kind for change in run.commits.pending.rows["changes"]]
    run.commits.now()
    return kinds


def test_a_record_of_two_pages_is_new_once_though_both_come_at_a_time(topic: Topic) -> None:
    pipelines = Pipelines()

    async def both(records: RecordStore) -> None:
        pages = (company(name="云杉"), company("b", name="云杉", phone="028-1"))
        await asyncio.gather(*(records.keep(record, None) for record in pages))

    with topic.run() as run:
        asyncio.run(both(recording(run, pipelines)))
        assert pipelines.told == [("new", {})]
        assert rows(run) == ["new"]
        (stored,) = run.results.ask(stored_records, [("company", ID)]).values()
        assert stored["data"] == {"name": "云杉", "phone": "028-1"}


@pytest.mark.parametrize("committed", [False, True])
def test_a_record_tells_what_its_page_says_otherwise(topic: Topic, *, committed: bool) -> None:
    pipelines = Pipelines()
    with topic.run() as run:
        records = recording(run, pipelines)
        asyncio.run(records.keep(company(name="云杉", phone="028-1"), None))
        if committed:
            assert rows(run) == ["new"]
        asyncio.run(records.keep(company(name="云杉", phone="028-2"), 2))
        asyncio.run(records.keep(company(name="云杉", phone="028-2"), 2))
        assert pipelines.told == [("new", {}), ("major", {"phone": ["028-1", "028-2"]})]


def test_a_dropped_change_leaves_the_record_and_a_failed_one_does_not(topic: Topic) -> None:
    pipelines = Pipelines()
    with topic.run() as run:
        records = recording(run, pipelines)
        pipelines.fails = True
        with pytest.raises(ChangeFailed):
            asyncio.run(records.keep(company(name="云杉"), None))
        assert rows(run) == []
        assert run.results.ask(stored_records, [("company", ID)]) == {}
        pipelines.fails, pipelines.drops = False, True
        asyncio.run(records.keep(company(name="云杉"), None))
        assert rows(run) == []
        assert len(run.results.ask(stored_records, [("company", ID)])) == 1
        assert pipelines.told == [("new", {})] * 2, "the page has come again"


def test_the_records_of_a_page_are_asked_for_at_once(
    topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = [company(number=f"{number:032x}", name=f"公司{number}") for number in range(40)]
    with topic.run() as run:
        records, answer = recording(run, Pipelines()), run.results.ask
        asked: list[int] = []

        def counted(question: Any, keys: Sequence[RecordKey]) -> Any:
            asked.append(len(keys))
            return answer(question, keys)

        monkeypatch.setattr(run.results, "ask", counted)
        records.expect(page)
        for record in page:
            asyncio.run(records.keep(record, None))
        assert asked == [40]
        assert len(rows(run)) == 40


@pytest.mark.parametrize(
    ("told", "marks", "before", "expected"),
    [
        ({}, {}, "", NOTHING_LOST),
        ({"a": [3, 5]}, {"a": CommitMark(3, 5, NOON)}, "a", NOTHING_LOST),
        (
            {"a": [3, 5]},
            {"a": CommitMark(4, 7, NOON)},
            "a",
            NOTHING_LOST,
        ),  # killed between the two commits
        ({"a": [3, 5]}, {"a": CommitMark(2, 1, NOON)}, "a", LostResults(NOON - IN_WORK, 4)),
        ({"a": [3, 5]}, {}, "a", LostResults(-IN_WORK, 5)),
        ({"b": [3, 5]}, {"a": CommitMark(9, 9, NOON)}, "b", LostResults(NOON - IN_WORK, 5)),
        ({}, {"a": CommitMark(9, 9, NOON)}, "b", LostResults(NOON - IN_WORK, 0)),
        ({}, {"a": CommitMark(0, 0, NOON)}, "a", NOTHING_LOST),  # of an older focuscrawl
    ],
)
def test_results_lack_what_their_commits_do_not_reach(
    told: dict[str, list[int]],
    marks: dict[str, CommitMark],
    before: str,
    expected: LostResults,
) -> None:
    assert lost_results(told, marks, before) == expected
