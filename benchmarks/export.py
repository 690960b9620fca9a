"""What it takes to write what is stored into files: rows a second, and memory beyond the start.

Method. The results of one topic of 10^5 pages and 10^4 articles (one in ten of 6,000 characters, the others of
300 to 1,500, cut out of a text of 3,000 different characters; ten of a story) are written once. Then each form
is written in a process of its own: ``rows_s`` is the rows over the seconds of CPU from the first question to the
file's name, ``memory_mb`` the largest resident memory during it (VmHWM) less what the process held before, with all
imports done. ``xlsx`` is the whole workbook of five sheets, texts included; its rows are those of all sheets.

Targets: ``export_xlsx_rows_s`` ≥ 5,000 at ``export_xlsx_memory_mb`` ≤ 100.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

from benchmarks.parts.children import arguments, finish, in_child, resident_bytes, table
from focuscrawl.features import ROWS
from focuscrawl.output.export.files import ExportOrder, TopicResults, file_form, write_export
from focuscrawl.output.export.sheets import ResultTables
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.results.kind import Kinds
from focuscrawl.stores.results.kinds.runs import RunStart
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoryState
from focuscrawl.values import Article, Page, PageChange, PageClass, SystemClock

PAGES, ARTICLES = 100_000, 10_000
QUICK_PAGES, QUICK_ARTICLES = 10_000, 2_000
AT_ONCE, OF_A_STORY = 500, 10
NOW = 1_795_147_200.0
FORMS = ("xlsx", "csv", "jsonl", "atom")
MB = 1_000_000


def texts(dice: random.Random) -> Iterator[str]:
    """Go on through texts of Chinese characters, with paragraphs, that hardly repeat."""
    characters = [chr(0x4E00 + number * 5) for number in range(3_000)]
    base = "".join(
        dice.choices(characters, weights=[1 / (1 + n) ** 0.7 for n in range(3_000)], k=200_000)
    )
    while True:
        length = 6_000 if dice.random() < 0.1 else dice.randint(300, 1_500)
        start = dice.randrange(len(base) - length)
        text = base[start : start + length]
        yield "\n".join(text[at : at + 150] for at in range(0, length, 150))


def fill(path: Path, pages: int, articles: int) -> None:
    """Write the results of a topic."""
    dice = random.Random(1)
    body = texts(dice)
    with Results.open(path, "bench", kinds=Kinds.load(ROWS), clock=SystemClock()) as results:
        results.begin_run(RunStart("run-1", "{}", {}))
        for start in range(0, pages, AT_ONCE):
            numbers = range(start, start + AT_ONCE)
            found = [_article(number, next(body)) for number in numbers if number < articles]
            results.write(
                ResultBatch(
                    pages=[_page(number) for number in numbers],
                    articles=found,
                    changes=[_change(one) for one in found],
                    stories=[_story(one) for one in found[::OF_A_STORY]],
                )
            )


def _key(number: int) -> str:
    return f"{number:032x}"


def _url(number: int) -> str:
    return f"http://www.site{number % 400}.cn/2026/1120/{number}.html"


def _page(number: int) -> Page:
    is_source = number % 250 == 7
    return Page(
        *(_key(number), _url(number), f"www.site{number % 400}.cn", PageClass.BOARD, "list"),
        source_id=f"www.site{number % 400}.cn/",
        parent_key="" if is_source else _key(0),
        first_seen=NOW,
        last_fetched=NOW,
        status=200,
        title="列表",
    )


def _article(number: int, text: str) -> Article:
    return Article(
        *(_key(number), _url(number), f"www.site{number % 400}.cn"),
        title=text[3:33].replace("\n", ""),
        text=text,
        published=NOW - number,
        source_name="某某日报",
        hits={"地铁": 3, "成都": 2},
        keywords=[(text[at : at + 2], 0.5) for at in range(40, 80, 2)],
        tags=["官方"],
        score=0.5,
        fetched=NOW - number / 10,
        source_id=f"www.site{number % 400}.cn/",
        story_id=_key(number // OF_A_STORY * OF_A_STORY),
    )


def _change(one: Article) -> PageChange:
    return PageChange(
        one.url_key, one.fetched, one.url_key, one.url, "new", "article", title=one.title
    )


def _story(one: Article) -> StoryState:
    return StoryState(
        *(one.story_id, one.title, one.url_key, one.host, NOW, NOW),
        *(OF_A_STORY, 0, (one.host,), ()),
    )


def measure(path: Path, form: str) -> dict[str, float]:
    """Write one form and return what it took."""
    kinds = Kinds.load(ROWS)
    target = path.with_name(f"out.{form}")
    order = ExportOrder(str(target), file_form(target.name))
    with results_to_read(path) as connection:
        tables = ResultTables("bench", kinds.tables)
        topic = TopicResults("bench", "zh", ZoneInfo("Asia/Shanghai"), tables, connection)
        before, started = resident_bytes(), time.process_time()
        (written,) = write_export(order, [topic], NOW)
        seconds = time.process_time() - started
    rows = sum(written.rows.values())
    return {
        "rows": rows,
        "rows_s": round(rows / seconds),
        "memory_mb": round((largest_resident_bytes() - before) / MB, 1),
        "file_mb": round(target.stat().st_size / MB, 1),
    }


def largest_resident_bytes() -> int:
    """Return the most memory that this process ever held (Linux)."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    (line,) = (one for one in lines if one.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def main() -> None:
    """Measure all forms."""
    options = arguments(__doc__, "path", "form")
    if options.form:
        finish(measure(Path(options.path), options.form))
        return
    pages, articles = (QUICK_PAGES, QUICK_ARTICLES) if options.quick else (PAGES, ARTICLES)
    result: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        fill(path, pages, articles)
        seen = {one: in_child("benchmarks.export", {"path": path, "form": one}) for one in FORMS}
    columns = ("rows", "rows_s", "memory_mb", "file_mb")
    table(
        ("form", *columns), [(form, *(row[one] for one in columns)) for form, row in seen.items()]
    )
    for form, row in seen.items():
        result |= {f"export_{form}_{name}": row[name] for name in ("rows_s", "memory_mb")}
    finish(result)


if __name__ == "__main__":
    sys.exit(main())
