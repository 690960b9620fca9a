"""How well boards and threads of forums are read (A9), by the bundled web's forum and its truth.

``python -m benchmarks.forums`` reads every board page and every page of a thread on some virtual days.
Its last line is JSON: ``threads`` found on boards, ``counts`` (replies and views) and ``posts`` right
(number, author, time and text), each a share; ``board_ms`` and ``thread_ms`` a page with its parsing.

``forum_boards(body, url)`` is for a scorer with labelled pages of its own.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Any

from benchmarks.parts.children import finish, table
from focuscrawl.demo.forum import POSTS_OF_A_PAGE
from focuscrawl.demo.truth import DAY_ZERO, Page
from focuscrawl.demo.web import DemoWeb
from focuscrawl.forums.board import read_board
from focuscrawl.forums.threads.page import read_thread
from focuscrawl.pages.document import Document

ZONE = "Asia/Shanghai"
DAYS = (0.0, 5.0, 10.0)
MOST_PAGES = 20


def forum_boards(body: bytes, url: str) -> list[dict[str, Any]]:
    """Return the threads of a board with their reply counts as plain dicts."""
    found = read_board(Document.read(body, url=url), timezone=ZONE).threads
    return [{"url": thread.url, "replies": thread.replies} for thread in found]


def boards(web: DemoWeb, day: float, counts: Counter[str]) -> None:
    """Read the boards of a day and count what is right."""
    now = DAY_ZERO.timestamp() + 86400 * (day + 1)
    for board, *_ in web.forum.boards:
        truth = {one.address(1): one.truth(day) for one in web.forum.threads if one.board == board and one.written(day)}  # fmt: skip
        for number in range(1, MOST_PAGES):
            page = web.forum.page(f"http://{web.forum.host}/forum-{board}-{number}.html", day)
            if page is None:
                break
            started = time.perf_counter()
            document = Document.read(page.body, url=page.url)
            found = read_board(document, timezone=ZONE, now=now).threads
            counts["board_us"] += round(1e6 * (time.perf_counter() - started))
            counts["boards"] += 1
            counts["found"] += sum(one.url in truth for one in found)
            counts["counted"] += sum(
                one.url in truth
                and (one.replies, one.views) == (truth[one.url].replies, truth[one.url].views)
                for one in found
            )
        counts["there"] += len(truth)


def threads(web: DemoWeb, day: float, counts: Counter[str]) -> None:
    """Read the threads of a day page by page and count posts that are right."""
    now = DAY_ZERO.timestamp() + 86400 * (day + 1)
    for thread in web.forum.threads:
        for number in range(1, MOST_PAGES):
            page = web.forum.page(thread.address(number), day)
            if page is None:
                break
            started = time.perf_counter()
            document = Document.read(page.body, url=page.url)
            found = read_thread(document, timezone=ZONE, now=now)
            counts["thread_us"] += round(1e6 * (time.perf_counter() - started))
            counts["thread_pages"] += 1
            said = {
                (one.floor, one.author, one.posted, "".join(one.text.split()))
                for one in (found.posts if found else ())
            }
            truth = _posts(page, number)
            counts["posts"] += len(truth)
            counts["posts_right"] += len(truth & said)


def _posts(page: Page, number: int) -> set[tuple[int | None, str, float | None, str]]:
    posts = page.thread.posts if page.thread else ()
    return {
        (
            one.number,
            one.author,
            one.posted.replace(second=0, microsecond=0).timestamp(),
            "".join(one.text.split()),
        )
        for one in posts[(number - 1) * POSTS_OF_A_PAGE : number * POSTS_OF_A_PAGE]
    }


def main() -> int:
    """Measure, print a table, and the figures as JSON in the last line; 1 below the floor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no other: it is quick")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--floor", type=float, default=0.0, help="least share of threads and posts")
    options = parser.parse_args()
    web = DemoWeb(options.seed, "full")
    counts: Counter[str] = Counter()
    for day in DAYS:
        boards(web, day, counts)
        threads(web, day, counts)
    figures = {
        "threads": round(counts["found"] / counts["there"], 4),
        "counts": round(counts["counted"] / counts["there"], 4),
        "posts": round(counts["posts_right"] / counts["posts"], 4),
        "board_ms": round(counts["board_us"] / counts["boards"] / 1000, 1),
        "thread_ms": round(counts["thread_us"] / counts["thread_pages"] / 1000, 1),
    }
    table(["", "share or ms"], [[name, value] for name, value in figures.items()])
    too_low = min(figures["threads"], figures["counts"], figures["posts"]) < options.floor
    finish({"benchmark": "forums", "seed": options.seed, **figures})
    return int(too_low)


if __name__ == "__main__":
    sys.exit(main())
