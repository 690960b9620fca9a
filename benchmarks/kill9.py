"""What ``kill -9`` costs: a tree of pages, killed several times and resumed each time.

Method. A tree of 2,000 pages (``--quick``: 400), four links a page, 10 ms an answer, on loopback.
The crawl's process gets SIGKILL when the web has answered about 1 %, 35 % and 70 % of the pages,
and is started again with the same command; after the last kill it runs to its end. Counted on the
side of the web: ``never_fetched`` pages that were never answered with 200, ``fetched_again``
answers with 200 beyond the first of a page. Counted in what the crawl stored: ``items_missing``
pages without an item, ``items_twice`` items beyond the first of a page. ``resume_s`` is the longest
time from opening the scheduler to the first request after a kill. Each arm stores its items as its
users do:

- ours: a topic, articles in the results database (the table ``articles``).
- ``scrapy_jobdir``: Scrapy with JOBDIR and a JSON lines feed.
- ``scrapy_redis``: scrapy-redis with SCHEDULER_PERSIST and its RedisPipeline, over a real Redis.
- ``in_commit``: ours again, every kill aimed inside a commit: when its moment has come, the next
  change of the write-ahead log of the crawl file or of the results database (in turn) is the
  trigger. 12 kills (``--quick``: 4), spread evenly.

``--errors 0.1`` lets that share of answers be a 500 or a dropped connection. Our arm then runs
without Scrapy's own retries and with FOCUSCRAWL_RETRY_WAITS of five times 1s, so that every failed
URL goes through the frontier and comes back within the run; Scrapy's arms keep their retries.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from redis import Redis

from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.redis_server import redis_server
from benchmarks.parts.web import FAILED, NOT_FOUND, Web, answer

PAGES, QUICK = 2_000, 400
FAN_OUT = 4
ANSWER_DELAY = 0.01
MOMENTS = (0.01, 0.35, 0.70)
KILLS_IN_COMMIT, QUICK_KILLS_IN_COMMIT = 12, 4
LONGEST_RUN = 600.0
LOOK_EVERY = 0.0002
WORDS = [
    "食品",
    "抽检",
    "市场",
    "监管",
    "成都",
    "公布",
    "批次",
    "合格",
    "企业",
    "下架",
    "召回",
    "产品",
    "乳制品",
    "样品",
    "检验",
    "结果",
    "通告",
    "责令",
    "消费者",
    "农产品",
    "餐饮",
    "粮食",
    "饮料",
    "糕点",
    "蔬菜",
    "水果",
    "超市",
    "商户",
    "生产",
    "日期",
    "标准",
    "安全",
    "部门",
    "昨日",
    "今天",
    "记者",
    "了解",
    "情况",
    "调查",
    "处理",
]


def path(page: int) -> str:
    """Return a page's path."""
    return f"/article/{page}.html"


def page_body(page: int, pages: int) -> bytes:
    """Write a page: an article of its own words, and links to its children."""
    luck = random.Random(page)
    paragraphs = "".join(
        f"<p>{''.join(luck.choices(WORDS, k=24))}，{''.join(luck.choices(WORDS, k=20))}。</p>"
        for _ in range(6)
    )
    children = range(FAN_OUT * page + 1, min(FAN_OUT * page + FAN_OUT + 1, pages))
    links = "".join(f'<li><a href="{path(child)}">第{child}号通告</a></li>' for child in children)
    return (
        f"<html><head><title>第{page}号通告</title></head><body><article><h1>第{page}号通告</h1>"
        f"<p>发布时间：2026-11-18 08:00</p>{paragraphs}</article><ul>{links}</ul></body></html>"
    ).encode()


class Tree:
    """The web's side: answers, and how often each page was answered with 200."""

    def __init__(self, pages: int, errors: float) -> None:
        self.pages = pages
        self.answered: Counter[int] = Counter()
        self._errors = errors
        self._luck = random.Random(1)
        self._made = {path(page): (page, answer(page_body(page, pages))) for page in range(pages)}

    def __call__(self, asked: str) -> bytes | None:
        """Answer; some answers fail."""
        if asked not in self._made:
            return NOT_FOUND
        draw = self._luck.random()
        if draw < self._errors:
            return FAILED if draw < self._errors / 2 else None
        page, made = self._made[asked]
        self.answered[page] += 1
        return made


class Trigger(NamedTuple):
    """Kill once so many pages were answered; with a file, at its next change after that."""

    pages: int
    file: Path | None = None


class Arm:
    """A project folder, the command that crawls in it, and the items it stored."""

    def __init__(self, folder: Path, root_url: str) -> None:
        self.folder = folder
        self.root_url = root_url
        self.environment: dict[str, str] = {}
        self.resumes = folder / "resumes"
        self.prepare()

    def prepare(self) -> None:
        """Write the project."""
        raise NotImplementedError

    def command(self) -> list[str]:
        """Return the arguments of scrapy."""
        return ["crawl", "tree", "-a", f"url={self.root_url}"]

    def items(self) -> Iterator[str]:
        """Go through the addresses of the items that were stored."""
        raise NotImplementedError

    def project(self, settings: str) -> None:
        """Write a project with these settings."""
        (self.folder / "scrapy.cfg").write_text("[settings]\ndefault = tree_settings\n")
        common = (
            f'RESUME_LOG = {str(self.resumes)!r}\nEXTENSIONS = {{**globals().get("EXTENSIONS", {{}}),'
            ' "benchmarks.parts.resume_clock.ResumeClock": 1}\nLOG_LEVEL = "WARNING"\n'
            "TELNETCONSOLE_ENABLED = False\nCONCURRENT_REQUESTS_PER_DOMAIN = 16\n"
        )
        (self.folder / "tree_settings.py").write_text(settings + common)


class Ours(Arm):
    """A topic of ours."""

    retries = 3

    def prepare(self) -> None:
        """Write the topic."""
        self.project("from focuscrawl.settings import *\n")
        topics = self.folder / "topics"
        topics.mkdir()
        (topics / "tree.toml").write_text(
            f"""
[topic]
name = "tree"
keywords = ["食品"]

[[source]]
url = "{self.root_url}"
kind = "article"
relevant = "all"

[follow]
articles = ["/article/"]
depth = 20

[article]
keep = "all"

[politeness]
delay = "0s"
robots = false
concurrency = 16
retries = {self.retries}
""",
            encoding="utf-8",
        )

    def command(self) -> list[str]:
        """Return the arguments of scrapy."""
        return ["crawl", "tree"]

    def files(self) -> list[Path]:
        """Return the write-ahead logs of crawl file and results."""
        crawls = self.folder / "crawls"
        return [crawls / "tree.crawl.db-wal", crawls / "tree.db-wal"]

    def items(self) -> Iterator[str]:
        """Read the table of articles."""
        with closing(sqlite3.connect(self.folder / "crawls/tree.db")) as results:
            yield from (url for (url,) in results.execute("SELECT url FROM articles"))


class OursWithErrors(Ours):
    """Ours, every failed URL through the frontier."""

    retries = 0

    def prepare(self) -> None:
        """Let failed URLs come back soon."""
        super().prepare()
        self.environment["FOCUSCRAWL_RETRY_WAITS"] = ",".join(["1s"] * 5)


class JobDir(Arm):
    """Scrapy with JOBDIR and a feed."""

    def prepare(self) -> None:
        """Write the settings."""
        feed = str(self.folder / "items.jl")
        self.project(
            'SPIDER_MODULES = ["benchmarks.parts.tree_spider"]\nROBOTSTXT_OBEY = False\n'
            f"JOBDIR = {str(self.folder / 'job')!r}\n"
            f'FEEDS = {{{feed!r}: {{"format": "jsonlines"}}}}\n'
        )

    def items(self) -> Iterator[str]:
        """Read the feed; a kill may have torn its last line."""
        feed = self.folder / "items.jl"
        for line in feed.read_text("utf-8").splitlines() if feed.exists() else ():
            try:
                yield json.loads(line)["url"]
            except ValueError:
                continue


class ScrapyRedis(Arm):
    """scrapy-redis with its own pipeline."""

    port = 0

    def prepare(self) -> None:
        """Write the settings."""
        self.project(
            'SPIDER_MODULES = ["benchmarks.parts.tree_spider"]\nROBOTSTXT_OBEY = False\n'
            'SCHEDULER = "scrapy_redis.scheduler.Scheduler"\nSCHEDULER_PERSIST = True\n'
            'DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"\n'
            'ITEM_PIPELINES = {"scrapy_redis.pipelines.RedisPipeline": 300}\n'
            f'REDIS_URL = "redis://127.0.0.1:{self.port}"\n'
        )

    def items(self) -> Iterator[str]:
        """Read the list of items."""
        with closing(Redis(port=self.port)) as server:
            for line in server.lrange("tree:items", 0, -1):
                yield json.loads(line)["url"]


# Killing -----------------------------------------------------------------------------------------


def start(arm: Arm) -> subprocess.Popen[bytes]:
    """Start the arm's crawl."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("FOCUSCRAWL_")}
    with (arm.folder / "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "scrapy", *arm.command()],
            cwd=arm.folder,
            env={**kept, "PYTHONPATH": str(Path.cwd()), **arm.environment},
            stdout=log,
            stderr=log,
        )


def stamp(file: Path) -> tuple[int, int]:
    """Return what changes when a file is written to."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def killed(process: subprocess.Popen[bytes], tree: Tree, trigger: Trigger) -> bool:
    """Kill the process at the trigger; False when it ended before."""
    while len(tree.answered) < trigger.pages:
        if process.poll() is not None:
            return False
        time.sleep(LOOK_EVERY)
    if trigger.file is not None:
        before = stamp(trigger.file)
        while stamp(trigger.file) == before:  # no sleep: a commit takes a millisecond or two
            if process.poll() is not None:
                return False
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def run(arm: Arm, tree: Tree, triggers: Sequence[Trigger]) -> dict[str, Any]:
    """Crawl, kill, resume, and count. Raises RuntimeError when the last run fails."""
    kills = 0
    for trigger in triggers:
        kills += killed(start(arm), tree, trigger)
    last = start(arm)
    try:
        status = last.wait(LONGEST_RUN)
    except subprocess.TimeoutExpired:
        last.kill()
        status = last.wait()
    if status:
        log = (arm.folder / "log").read_text("utf-8", "replace")
        raise RuntimeError(f"{type(arm).__name__} ended with status {status}:\n{log[-4000:]}")
    stored = Counter(arm.items())
    expected = {f"{arm.root_url.removesuffix(path(0))}{path(page)}" for page in range(tree.pages)}
    waits = [float(line) for line in arm.resumes.read_text().splitlines()]
    return {
        "pages": tree.pages,
        "kills": kills,
        "never_fetched": tree.pages - len(tree.answered),
        "items_missing": len(expected - stored.keys()),
        "items_twice": stored.total() - len(stored),
        "fetched_again": tree.answered.total() - len(tree.answered),
        "resume_s": round(max(waits[1:], default=0.0), 3),
    }


@contextmanager
def served(pages: int, errors: float) -> Iterator[tuple[Tree, str, Path]]:
    """Serve a tree for one arm; gives it, the address of its root, and a folder."""
    tree = Tree(pages, errors)
    with (
        tempfile.TemporaryDirectory(prefix="focuscrawl-kill9-") as folder,
        Web(tree, delay=ANSWER_DELAY) as web,
    ):
        yield tree, f"http://127.0.0.1:{web.port}{path(0)}", Path(folder)


def at_moments(pages: int) -> list[Trigger]:
    """Return the triggers of the ordinary arms."""
    return [Trigger(max(1, round(pages * moment))) for moment in MOMENTS]


def measure(
    make: Callable[[Path, str], Arm], pages: int, errors: float, kills_in_commit: int = 0
) -> dict[str, Any]:
    """Run one arm over a web of its own."""
    with served(pages, errors) as (tree, root_url, folder):
        arm = make(folder, root_url)
        triggers = at_moments(pages)
        if kills_in_commit and isinstance(arm, Ours):
            files = arm.files()
            triggers = [
                Trigger(pages * number // (kills_in_commit + 1), files[number % 2])
                for number in range(1, kills_in_commit + 1)
            ]
        return run(arm, tree, triggers)


def measure_redis(pages: int, errors: float) -> dict[str, Any]:
    """Run scrapy-redis over a Redis server of its own."""
    with tempfile.TemporaryDirectory() as data, redis_server(Path(data)) as port:
        arm = type("ScrapyRedisHere", (ScrapyRedis,), {"port": port})
        return measure(arm, pages, errors)


def main() -> None:
    """Run all arms, or those named by ``--arms``."""
    given = arguments(__doc__, "errors", "pages", "arms")
    pages = int(given.pages or (QUICK if given.quick else PAGES))
    errors = float(given.errors or 0)
    aimed = QUICK_KILLS_IN_COMMIT if given.quick else KILLS_IN_COMMIT
    ours = OursWithErrors if errors else Ours
    arms: dict[str, Callable[[], dict[str, Any]]] = {
        "ours": lambda: measure(ours, pages, errors),
        "in_commit": lambda: measure(ours, pages, errors, aimed),
        "scrapy_jobdir": lambda: measure(JobDir, pages, errors),
        "scrapy_redis": lambda: measure_redis(pages, errors),
    }
    chosen = given.arms.split(",") if given.arms else [*arms]
    results = {}
    for name in chosen:
        results[name] = arms[name]()
        print(name, results[name], flush=True)
    columns = [*next(iter(results.values()))]
    table(["arm", *columns], [[name, *row.values()] for name, row in results.items()])
    finish({**results.pop("ours", {}), "errors": errors, **results})


if __name__ == "__main__":
    main()
