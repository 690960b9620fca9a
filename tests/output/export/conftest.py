"""Results with something of everything, some of it hostile, and the files that exports make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from focuscrawl.output.export.files import (
    ExportedFile,
    ExportOrder,
    TopicResults,
    file_form,
    write_export,
)
from focuscrawl.output.export.sheets import ResultTables
from focuscrawl.stores.results.kinds.runs import RunStart
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoryArticle, StoryState
from focuscrawl.values import Article, Page, PageChange, PageClass, Record, Thread
from tests.clock import NOON
from tests.databases import Database
from tests.kinds import KINDS

ZONE = ZoneInfo("Asia/Shanghai")
DAY = 86_400.0
STORY = "ab" * 16
KEYS = [f"{number}" * 32 for number in range(4)]
HOSTILE = '=HYPERLINK("http://evil.test")<script>alert(1)</script>'
TURNED = "\u202egpj.exe 照片"


def article(number: int, title: str, at: float, **more: object) -> Article:
    values: dict[str, object] = {
        "url": f"http://www.site{number}.cn/a/{number}.html",
        "host": f"www.site{number}.cn",
        "text": f"正文{number}。\n第二段，四川省成都市。",
        "published": at - 3600,
        "fetched": at,
        "score": 0.25 * number,
        "hits": {"地铁": number + 1},
        "tags": ["官方"] if number % 2 else ["民间"],
        "story_id": STORY if number < 2 else "",
        "keywords": [("地铁", 0.5)],
    } | more
    return Article(KEYS[number], title=title, **values)  # type: ignore[arg-type]


ARTICLES = [
    article(0, "成都地铁开通新线", NOON - DAY),
    article(1, "成都地铁开通新线（转）", NOON, medium="四川日报", is_copy=True),
    article(2, HOSTILE, NOON, url="javascript:alert(1)"),
    article(3, TURNED, NOON, text="长" * 40_000, author="<r><t>粗</b></r>"),
]
CHANGES = [
    PageChange(f"{number}c" * 16, one.fetched, one.url_key, one.url, "new", "article", title=one.title)
    for number, one in enumerate(ARTICLES)
]  # fmt: skip
CHANGES.append(
    PageChange(
        *("ee" * 16, NOON + 60, KEYS[0], ARTICLES[0].url, "major", "article"),
        diff="- 旧<b>\n+ 新",
        title=ARTICLES[0].title,
        version=2,
    )
)
RECORD = Record(
    *("company", "1" * 32, "www.firma.cn", "7" * 32, "http://www.firma.cn/"),
    {"name": "成都某某有限公司", "phone": "02812345678", "code": "91510100012345678X"},
    fetched=NOON,
)
THREAD = Thread("8" * 32, "http://bbs.cn/t/8", "bbs.cn", "地铁讨论", replies=5, fetched=NOON)
PAGES = [
    Page(
        *(f"{number}f" * 16, f"http://www.site{number}.cn/", f"www.site{number}.cn"),
        PageClass.BOARD,
        "list",
        source_id=f"www.site{number}.cn/",
        first_seen=NOON,
        last_fetched=NOON,
        status=200,
        title="首页",
    )
    for number in range(2)
]
FIELDS = ["name", "phone", "code", "staff", "founded", "listed", "closed"]


@dataclass
class Stored:
    """Results of the topic ``metro`` with all of that in them."""

    folder: Path
    results: Results
    database: Database

    def topic(self, connection: object) -> TopicResults:
        tables = ResultTables("metro", KINDS.tables, FIELDS)
        return TopicResults("成都地铁", "zh", ZONE, tables, connection)  # type: ignore[arg-type]

    def export(self, name: str, now: float = NOON + 120, **order: object) -> list[ExportedFile]:
        path = str(self.folder / name)
        asked = ExportOrder(path, file_form(name), **order)  # type: ignore[arg-type]
        with self.results.reading() as connection:
            return write_export(asked, [self.topic(connection)], now)


@pytest.fixture
def open_stored(tmp_path: Path, database: Database) -> Iterator[Callable[[], Stored]]:
    opened = []

    def make() -> Stored:
        clock = database.clock
        results = Results.open(
            database.url,
            "metro",
            kinds=KINDS,
            clock=clock,
            timezone="Asia/Shanghai",
            records={"company": FIELDS},
        )
        opened.append(results)
        results.begin_run(RunStart("run-1", "{}", {}))
        first, copy = (bytes.fromhex(key) for key in KEYS[:2])
        member = StoryArticle(1, first, NOON, STORY, "first", "", 1.0, "", b"", ())
        results.write(
            ResultBatch(
                pages=PAGES,
                articles=ARTICLES,
                records=[RECORD],
                threads=[THREAD],
                changes=CHANGES,
                stories=[
                    StoryState(
                        *(STORY, "成都地铁开通新线", KEYS[0], "www.site0.cn", NOON - DAY, NOON),
                        *(2, 1, ("www.site0.cn", "www.site1.cn"), (("地铁", 0.5),)),
                    )
                ],
                members=[member, member._replace(key=copy, number=2, relation="copy")],
            )
        )
        return Stored(tmp_path, results, database)

    yield make
    for results in opened:
        results.close()


@pytest.fixture
def stored(open_stored: Callable[[], Stored]) -> Stored:
    return open_stored()
