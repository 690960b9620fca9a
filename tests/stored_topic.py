"""A topic as its crawls would have left it: results of a size, and a crawl file with what waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import md5
from pathlib import Path

from focuscrawl.features import ROWS
from focuscrawl.features.records.rows import record_change_id
from focuscrawl.stores.results.database import parts_of
from focuscrawl.stores.results.kind import Kinds
from focuscrawl.stores.results.kinds.runs import MinuteFigure, RunRow, RunStart, SiteRow
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import FAILED, PARKED, Changes, Row, StoryArticle, StoryState
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import (
    Article,
    Page,
    PageChange,
    PageClass,
    Record,
    Thread,
    Waiting,
    change_key,
)
from tests.clock import StandingClock

AT_ONCE = 5_000
HOUR, DAY = 3600.0, 86400.0
SITES = 40
SITES_OF_A_STORY = 5
OUTCOMES = ("stored", "unchanged", "list", "irrelevant", "irrelevant", "error", "gone", "copy")
CLASSES = (PageClass.ARTICLE, PageClass.ARTICLE, PageClass.ARTICLE, PageClass.BOARD, PageClass.THREAD)  # fmt: skip
DIFFERENCE = "@@ -3,1 +3,2 @@\n-抽检合格率为百分之九十五。\n+抽检合格率为百分之九十三。\n+市场监管局称将继续公布后续处理情况。"

Say = Callable[[int], str]


def plain_title(number: int) -> str:
    """Return the title of an article."""
    return f"成都市场监管局公布第{number}批食品抽检结果，{number % 7}批次不合格"


def key_of(url: str) -> str:
    """Return the key of an address."""
    return md5(url.encode()).hexdigest()


def url_of(number: int) -> str:
    """Return the address of a page."""
    return f"http://site{number % SITES}.example/news/{number // 100}/{number}.html"


def host_of_page(number: int) -> str:
    """Return its host."""
    return f"site{number % SITES}.example"


def store_topic(
    place: str | Path,
    name: str,
    *,
    pages: int,
    articles: int,
    now: float,
    say: Say = plain_title,
    url: Say = url_of,
) -> None:
    """Write the results of a topic crawled yesterday and an hour ago, a tenth of whose articles is new.

    ``say`` gives titles, names and whatever else pages say, ``url`` the addresses.
    """
    clock = StandingClock(now - DAY)
    results = Results.open(
        place, name, kinds=Kinds.load(ROWS), clock=clock, timezone="Asia/Shanghai"
    )
    with results:
        results.begin_run(RunStart(f"{name}-1", "{}", {}))
        for some in parts_of(range(pages), AT_ONCE):
            rows = [_page(one, now, say, url) for one in some]
            results.write(ResultBatch(pages=rows))
        results.end_run(
            "finished", "", 0, RunRow(requests=pages, pages=pages, articles_new=articles)
        )
        clock.now = now - HOUR
        results.begin_run(RunStart(f"{name}-2", "{}", {}))
        for some in parts_of(range(articles), AT_ONCE):
            made = [_article(one, one >= articles * 9 // 10, now, say, url) for one in some]
            results.write(ResultBatch(articles=made))
        new = range(articles * 9 // 10, articles)
        results.write(_stories(new, now, say, url))
        results.write(_others(max(articles // 100, 3), now, say, url))
        results.write(_record_edits(max(articles // 100, 3), now, say, url))
        results.write(
            ResultBatch(
                series=[*_series(now)], sites=[_site(n, say, url, now) for n in range(SITES)]
            )
        )
        clock.now = now - 60
        results.end_run("finished", "", 0, _run_row(len(new), say, url))


def store_queue(
    path: Path, waiting: int, now: float, say: Say = plain_title, url: Say = url_of
) -> None:
    """Write a crawl file in which so many URLs wait, and some have failed or are parked."""
    store = SQLiteStore(path)
    store.own()
    for part in parts_of(range(1, waiting + 1), AT_ONCE):
        some = [_row(number, waiting, now, say, url) for number in part]
        seen = [key_number(row.waiting.key, partition_of(row.waiting.site)) for row in some]
        store.commit({0: Changes(added=some, seen=seen)})
    store.release()


def _row(number: int, waiting: int, now: float, say: Say, url: Say) -> Row:
    address, site = url(10**7 + number), host_of_page(number)
    level = 1 + number % 5
    found = Waiting(
        address, bytes.fromhex(key_of(address)), site, level, level, anchor=say(number)[:300]
    )
    if waiting > 10 and number > waiting - 3:
        return Row(number, found, FAILED, 2, now - HOUR, now + HOUR, say(number)[:60] or "timeout")
    if waiting > 10 and number > waiting - 6:
        return Row(number, found, PARKED, 0, 0.0, None, "quota")
    return Row(number, found)


def _page(number: int, now: float, say: Say, url: Say) -> Page:
    outcome, seen = OUTCOMES[number % len(OUTCOMES)], now - DAY + number % 3600
    address = url(number)
    return Page(
        url_key=key_of(address),
        url=address,
        host=host_of_page(number),
        page_class=CLASSES[number % len(CLASSES)],
        outcome=outcome,
        level=3,
        first_seen=seen,
        last_fetched=seen,
        status=200,
        reason="timeout" if outcome == "error" else "",
        score=0.4,
        relevant=outcome == "stored",
        title=say(number)[:300],
        next_visit=now + (number % 2000 - 200) * 60 if outcome in ("stored", "list") else None,
    )


def _article(number: int, new: bool, now: float, say: Say, url: Say) -> Article:
    address, found = url(number), now - (HOUR / 2 if new else DAY)
    return Article(
        url_key=key_of(address),
        url=address,
        host=host_of_page(number),
        title=say(number),
        text=f"{say(number)}\n有关部门表示将继续公布结果。",
        published=found - number % 1000,
        source_name=say(number)[:100] if number % 3 else "",
        hits={"食品安全": 3, "抽检": 1 + number % 4, "不合格": 1},
        score=0.8,
        fetched=found,
        story_id=_story_of(number) if new else "",
        known=not new,
    )


def _story_of(number: int) -> str:
    return key_of(f"story {number // SITES_OF_A_STORY}")


def _stories(new: Sequence[int], now: float, say: Say, url: Say) -> ResultBatch:
    """Return the stories of new articles, and who is in which."""
    states, members = [], []
    for some in parts_of(new, SITES_OF_A_STORY):
        first = key_of(url(some[0]))
        sites = tuple(host_of_page(one) for one in some)
        states.append(
            StoryState(
                _story_of(some[0]),
                say(some[0]),
                first,
                sites[0],
                now - DAY,
                now - HOUR,
                len(some),
                0,
                sites,
            )
        )
        members += [
            StoryArticle(
                one,
                bytes.fromhex(key_of(url(one))),
                now - HOUR + one % 60,
                _story_of(one),
                "event",
                "",
                0.5,
                "",
                b"",
            )
            for one in some
        ]
    return ResultBatch(stories=states, members=members)


def _others(count: int, now: float, say: Say, url: Say) -> ResultBatch:
    """Return changes of each kind, records and threads."""
    changes: list[object] = []
    for number in range(count):
        address = url(number)
        for kind, what, fields, diff in (
            (
                "major",
                "article",
                {"title": [say(number), say(number + 1)]},
                DIFFERENCE.replace("九十五", say(number)[:200] or "九十五"),
            ),
            ("gone", "article", {}, ""),
            ("reply", "thread", {"replies": [2, 5]}, say(number)),
        ):
            key = key_of(f"{what} {address}")
            changes.append(
                PageChange(change_key(key, kind, 2), now - 1800, key, address, kind, what, fields, diff, title=say(number))
            )  # fmt: skip
    records: list[object] = [_record(number, now - 1800, say, url) for number in range(count)]
    threads: list[object] = [
        Thread(key_of(f"thread {number}"), url(number), host_of_page(number), say(number), author=say(number)[:100], replies=number, fetched=now - 1800, known=False)
        for number in range(count)
    ]  # fmt: skip
    return ResultBatch(changes=changes, records=records, threads=threads)


def _record(number: int, seen: float, say: Say, url: Say, phone: str = "028-88888888") -> Record:
    data = {"name": say(number), "phone": phone} | ({"address": say(number)} if number % 3 else {})
    address = url(number)
    return Record(
        "company",
        key_of(f"record {number}"),
        host_of_page(number),
        key_of(address),
        address,
        data,
        {name: {"value": value, "url": address, "at": seen} for name, value in data.items()},
        missing=[] if number % 3 else ["address"],
        complete=bool(number % 3),
        fetched=seen,
        known=bool(number % 2),
    )


def _record_edits(count: int, now: float, say: Say, url: Say) -> ResultBatch:
    """Return records whose page says another number at its second visit, and what is told of it."""
    records, changes, visits = [], [], {}
    for number in range(count):
        record = _record(number, now - 900, say, url, "028-99999999")
        records.append(record)
        key = (record.record_type, record.record_id)
        visits[key] = 2
        fields = {"phone": ["028-88888888", say(number)]}
        told = record_change_id(key, "major", 2)
        changes.append(
            PageChange(
                *(told, now - 900, record.record_id, record.url, "major", "record", fields),
                title=say(number),
            )
        )
    return ResultBatch(records=records, changes=changes, record_visits=visits)


def _series(now: float) -> Iterator[MinuteFigure]:
    """Go through the numbers of the minutes of an hour."""
    for minute in range(60):
        at = now - HOUR + 60 * minute
        for name, value in (
            ("pages", 31 * minute), ("relevant", 12 * minute + minute % 7), ("articles", 5 * minute), ("waiting", 4000 - 60 * minute),
            *((f"level_{level}_len", 100 * level) for level in range(1, 6)), ("factor", 2.4),
        ):  # fmt: skip
            yield MinuteFigure(at, name, float(value))


def _site(number: int, say: Say, url: Say, now: float) -> SiteRow:
    is_banned = number % 10 == 9
    return SiteRow(
        host_of_page(number),
        "banned" if is_banned else ("source", "relevant", "unknown")[number % 3],
        {"why": "rate", "pages": 60, "irrelevant": [url(number), url(number + SITES)]}
        if is_banned
        else None,
        until=now + DAY if is_banned else None,
        pages=100 + number,
        relevant=number,
        articles=number,
        errors=number % 4,
        delay_s=2.0,
        last_ok=now - HOUR,
        last_error=say(number)[:200] if number % 4 else None,
    )


def _run_row(new: int, say: Say, url: Say) -> RunRow:
    counters = {
        "relevant": 700,
        "visits_made/article": 420,
        "visits_expected/article": 31,
        "visits_changed/article": 27,
        "visits_made/board": 90,
        "visits_expected/board": 60,
        "visits_changed/board": 66,
        "unrecognised": [
            {"kind": "lists", "number": 12, "where": say(3)[:200], "examples": [url(3), url(4)]},
            {"kind": "scripts", "number": 5, "where": "site9.example", "examples": [url(9)]},
        ],
    }
    return RunRow(2100, 1860, new, new // 10, 3, 2, 1, 9, 31_000_000, counters)
