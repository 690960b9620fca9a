"""How well every kind of page is read: articles, records, answers of search engines, boards, threads.

``python -m benchmarks.quality --data DIR`` reads each set of labelled real pages below DIR, prints a
table of figures, for articles with the anchors (parts/readers.py) on the same pages in the same run,
and one JSON line ``{set: {figure: number}}``. Without ``--data`` it reads the project's own pages:
``benchmarks/pages``, written for this in the markup of several systems, three of each kind at least, and
those that parts/own_pages.py makes. ``--sets a,b`` reads these alone; ``--explain SET`` lists each miss of a set,
with what was found and what is printed; ``--half 1`` or ``2`` reads half of each set, by a hash of
the page's name: one to work on, the other to look at in the end.

With ``--data`` the floors of ``floors.json`` under ``data`` of ``quality`` hold: status 1 below them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.parts import own_pages, readers, world_pages
from benchmarks.parts.children import finish
from benchmarks.parts.labelled import day, read
from benchmarks.parts.scores import (
    Score,
    score_answer,
    score_article,
    score_board,
    score_class,
    score_paging,
    score_records,
    score_thread,
    score_whole_thread,
    score_words,
)

FLOORS = Path(__file__).with_name("floors.json")
OWN_PAGES = Path(__file__).with_name("pages")
NOWHERE = "http://example.com/"  # the address of a page whose label has none
Row = tuple[str, bytes, Mapping[str, Any]]
Compare = Callable[[Score, str, Mapping[str, Any], Any], None]
Call = Callable[[bytes, Mapping[str, Any]], Any]


class PageSet(NamedTuple):
    """Pages, who reads them (ours first, then the anchors) and how an answer is compared."""

    rows: list[Row]
    calls: dict[str, Call]
    compare: Compare


def _at(call: Callable[[bytes, str], Any]) -> Call:
    return lambda body, label: call(body, label.get("url") or NOWHERE)


def _answer(body: bytes, label: Mapping[str, Any]) -> Any:
    try:
        return readers.answer(body, label["engine"])
    except KeyError:
        return None  # no reader for this engine


ARTICLES = {"ours": _at(readers.article)} | {n: _at(call) for n, call in readers.ANCHORS.items()}


def _seen(call: Callable[..., Any]) -> Call:
    return lambda body, label: call(body, label.get("url") or NOWHERE, label.get("now"))


KINDS: dict[str, tuple[dict[str, Call], Compare]] = {
    "articles": (ARTICLES, score_article),
    "records": ({"ours": _at(readers.contact_records)}, score_records),
    "answers": ({"ours": _answer}, score_answer),
    "boards": ({"ours": _seen(readers.forum_boards)}, score_board),
    "threads": ({"ours": _seen(readers.thread_posts)}, score_thread),
    "paging": ({"ours": _at(readers.paging)}, score_paging),
    "whole threads": ({"ours": _seen(readers.thread_posts)}, score_whole_thread),
    "classes": ({"ours": _at(readers.page_class)}, score_class),
    "words": (ARTICLES, score_words),
}
FOLDERS = {
    "pages2": "articles",
    "contact": "records",
    "contact2": "records",
    "contact3": "records",
    "serp": "answers",
    "serp2": "answers",
    "forum": "boards",
    "threads2": "threads",
    "boards": "paging",
}
OWN: dict[str, Callable[[], Iterator[Row]]] = {
    "articles": own_pages.articles,
    "records": own_pages.contacts,
    "answers": own_pages.answers,
    "boards": own_pages.boards,
    "threads": own_pages.threads,
}
OWN_KINDS = {kind: kind for kind in OWN} | {"notices": "articles", "short": "articles"}


def _labelled(folder: Path) -> Iterator[Row]:
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    for name, label in labels.items():
        for page in label.get("pages", [label]):
            url = label.get("url") or (NOWHERE.rstrip("/") + page["path"] if "path" in page else "")
            told = {"chinese": True} | page | {"url": url}
            yield page["file"] if page is not label else name, (folder / page["file"]).read_bytes(), told  # fmt: skip


def _articles(folder: Path) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for number, page in enumerate(read(folder)):
        label = {"text": page.text, "chinese": page.is_chinese, "url": page.url}
        if page.date:
            label["published"] = day(page.date)
        if page.author:
            label["author"] = None if page.author == "UNKNOWN" else page.author
        found.setdefault(page.name, []).append((f"{page.name}-{number}", page.body, label))
    return found


def sets_of(data: Path | None, wanted: Collection[str] = ()) -> dict[str, PageSet]:
    """Return the sets below a folder, of the newer ones only the ``wanted``, or the project's own pages without one."""
    if data is None:
        drawn = {name: list(OWN[name]()) if name in OWN else [] for name in OWN_KINDS}
        return {
            f"own {name}": PageSet([*drawn[name], *_labelled(OWN_PAGES / name)], *KINDS[kind])
            for name, kind in OWN_KINDS.items()
        }
    found = {name: PageSet(rows, *KINDS["articles"]) for name, rows in _articles(data / "articles").items()}  # fmt: skip
    for name, kind in FOLDERS.items():
        if (data / name / "labels.json").is_file():
            found[name] = PageSet(list(_labelled(data / name)), *KINDS[kind])
    for name, kind, rows in world_pages.sets_below(data, wanted):
        found[name] = PageSet(rows, *KINDS[kind])
    return found


def half_of(name: str) -> int:
    """Return 1 or 2: the half of its set a page is in, wherever it is run."""
    return 1 + zlib.crc32(name.encode()) % 2


def measure(pages: PageSet, call: Call) -> tuple[Score, float]:
    """Read every page of a set; returns the score and milliseconds a page."""
    score, spent = Score(), 0.0
    for name, body, label in pages.rows:
        begun = time.process_time()
        try:
            found = call(body, label)
        except Exception as error:  # noqa: BLE001 - counts as a page that gives nothing
            score.count["failed"] += 1
            score.misses.append(f"{name}: {type(error).__name__}: {error}")
            found = None
        spent += time.process_time() - begun
        if found is not None or pages.compare is score_answer:
            pages.compare(score, name, label, found)
        else:
            nothing: dict[Compare, Any] = {
                score_article: {},
                score_paging: {"links": [], "next": ""},
                score_words: {},
                score_class: "",
            }
            pages.compare(score, name, label, nothing.get(pages.compare, []))
    return score, 1000 * spent / max(1, len(pages.rows))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="ours alone, no anchors")
    parser.add_argument("--data", type=Path, help="folder with the sets of labelled real pages")
    parser.add_argument("--sets", default="", help="names of sets, commas between them")
    parser.add_argument("--explain", default="", metavar="SET", help="list the misses of a set")
    parser.add_argument("--half", type=int, choices=(1, 2))
    asked = parser.parse_args()
    if asked.data and not asked.data.is_dir():
        parser.error(f"there is no folder {asked.data}")
    wanted = set(filter(None, (asked.explain or asked.sets).split(",")))
    result: dict[str, dict[str, Any]] = {}
    for name, pages in sets_of(asked.data, wanted).items():
        if wanted and name not in wanted:
            continue
        if asked.half:
            pages = pages._replace(
                rows=[row for row in pages.rows if half_of(row[0]) == asked.half]
            )
        result[name] = {"pages": len(pages.rows)}
        for who, call in pages.calls.items():
            if who != "ours" and (asked.quick or asked.explain):
                continue
            score, spent = measure(pages, call)
            figures = score.figures() | {"ms": round(spent, 2)}
            said = ", ".join(f"{key} {value}" for key, value in figures.items())
            print(f"{name:>10} {who:>12}: {said}", flush=True)
            result[name] |= figures if who == "ours" else {who: figures}
            if asked.explain:
                print("\n".join(score.misses))
    if readers.MISSING:
        print(f"not installed, so not compared: {', '.join(readers.MISSING)}")
    if wanted - result.keys():
        print(f"no such set here: {', '.join(sorted(wanted - result.keys()))}")
    below = list(_below(result)) if asked.data and not (wanted or asked.half) else []
    print(*below, sep="\n", end="\n" if below else "")
    finish(result)
    return int(bool(below))


def _below(result: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Go through the figures of real pages that are below their floors."""
    floors = json.loads(FLOORS.read_text(encoding="utf-8"))["quality"]["data"]
    for key, (least, most) in floors.items():
        name, _, figure = key.rpartition(".")
        seen = result.get(name, {}).get(figure, 0)
        if not least <= seen <= most:
            yield f"{key} is {seen}, {least} to {most} is asked"


if __name__ == "__main__":
    sys.exit(main())
