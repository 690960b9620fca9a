"""A web archive crawled by one process, by three that share the crawl, and by one crawl that moves: is it the same?

``python -m benchmarks.shared_archive --warc FILE`` serves the pages of a WARC file (several: with commas) on loopback
and crawls all of its hosts from the page that leads to most others; without ``--warc`` the web is that of
``focuscrawl demo``. Each arm has a project, a results database and a web of its own:

- ``one``: one process with its crawl file. ``order``: one process that asks for one page at a time, so in another
  order: what differs there (pages of forms that were not learned yet when they came) sharing is not to blame for.
- ``three``: three workers on one crawl in a Redis.
- ``moved``: one process is killed after a third of the pages, ``scrapy topic move`` takes the crawl into a Redis,
  three workers go on and are told to stop after two thirds, and it comes back into a file and is crawled to its end.

Of each arm but the first ``articles``, ``stories`` and ``outcomes`` count what differs from ``one``: articles by
address, title and text, stories by the pages they have, pages by outcome, reason and class. ``same``: nothing does.
Which page of a text that stands on several is its article, and which are copies, is decided by who comes first, in
each crawl anew: of these the story alone is compared, and ``first_come`` counts where another page was first. So it
is with two addresses that lead to one page, of which the second is written down as its other address.

Words are weighed by how many of the articles so far have them, so stories depend on the order in which articles
come, which is never the same twice. ``in_order`` counts the stories that differ from those which one index makes of
the articles of that very arm in the order in which they came: what differs there is a fault, and what differs from
``one`` while nothing differs there is the order. The stories that differ are printed. ``orders``: how many of twenty
random orders of one index would give other stories than ``one``.

``by_worker`` are the pages of each process: a crawl of three of which one did nothing shows nothing. ``asked`` counts
the requests that were answered.

``--quick``: the small web of the demo. ``--arms`` names some of the arms.
"""

from __future__ import annotations

import signal
import sqlite3
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmarks.parts.archive import TOPIC, Archive, responses
from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.retold import IN_ORDER, WORDS, retold
from benchmarks.parts.shared_crawl import Worker
from benchmarks.parts.web import NOT_FOUND, Web, answer
from focuscrawl.demo.running import answered, served, surroundings, topic_text
from focuscrawl.demo.web import DemoWeb
from focuscrawl.template.load import load
from focuscrawl.values import Json
from tests.servers.redis_server import RedisServer

COLUMNS = (
    "same",
    "articles",
    "stories",
    "in_order",
    "outcomes",
    "first_come",
    "asked",
    "seconds",
    "by_worker",
)
ARMS = ("one", "order", "three", "moved")
LEASE = "3s"
WORKERS = 3
SPEED = 5.0
"""Divides the delays of the demo's web: one of its sites takes a second for each answer."""

ANSWER_DELAY = 0.03
"""Seconds before each answer of an archive. Its topic leaves sites for ten times as long: a worker keeps what it asks
just then, and of few sites that always have a request under way none would go to another.
"""

LONGEST = 900.0
MEMBERS = "SELECT story_id, url FROM story_members JOIN pages USING (topic, url_key)"
HOLD = "hold"
"""As long as this file is there, the web of an archive answers nothing."""

SHOWN = 10
ORDERS = 20
STORED, COPY, ALIAS = "stored", "copy", "alias"
Rows = dict[str, tuple[object, ...]]
"""What was found, by address."""

DEMO_POLITENESS, PATIENT = 'delay   = "50ms"', 'delay   = "300ms"'
FOLLOWS = """
[follow]
sites = {hosts}
depth = 50
pages = 1000

[politeness]
delay = "300ms"
robots = false

[settings]
RETRY_TIMES = 0
"""


class Ground(NamedTuple):
    """What is crawled: the topic's text, its web, and how many pages it has or so.

    ``serve(folder)`` is a context manager that gives the web's address as a proxy, the environment of a crawl and a
    function that counts the requests so far.
    """

    topic: str
    serve: Callable[[Path], Any]


class Crawled(NamedTuple):
    """What an arm has to show."""

    articles: Rows
    stories: set[frozenset[str]]
    in_order: set[frozenset[str]]
    shuffled: list[set[frozenset[str]]]
    outcomes: Rows
    by_worker: list[int]
    asked: int
    seconds: float


class Project:
    """One arm: a folder with a topic, over a web that is served."""

    def __init__(
        self, folder: Path, ground: Ground, environment: dict[str, str], asked: Callable[[], int]
    ) -> None:
        self.asked = asked
        self.server = RedisServer(folder / "redis").start()
        self.workers: list[Worker] = []
        self.hold = folder / HOLD
        self._folder = folder
        self._template = load(ground.topic).template
        self._environment = environment | {"FOCUSCRAWL_LEASE": LEASE}
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
        (folder / "topics").mkdir(exist_ok=True)
        (folder / "topics/archive.toml").write_text(ground.topic, encoding="utf-8")

    def start(self, *words: str) -> Worker:
        """Start a command."""
        name = f"process{len(self.workers)}"
        worker = Worker(name, self._folder, [*words], self._environment)
        self.workers.append(worker)
        return worker

    def crawl(self, *, shared: bool) -> list[Worker]:
        """Start to crawl: one process, or so many workers."""
        if not shared:
            return [self.start("crawl", "archive")]
        words = ("crawl", "archive", "-s", f"REDIS_URL={self.server.url}")
        return [self.start(*words) for _ in range(WORKERS)]

    def move(self, to: str) -> None:
        """Move the crawl."""
        redis = () if to != "file" else ("-s", f"REDIS_URL={self.server.url}")
        self.to_its_end([self.start("topic", "move", "archive", "--to", to, *redis)])

    def until_asked(self, count: int, workers: Sequence[Worker]) -> None:
        """Wait until so many requests have been answered, or a process has ended."""
        while self.asked() < count and all(one.process.poll() is None for one in workers):
            time.sleep(0.02)

    def until_shared(self, workers: Sequence[Worker]) -> None:
        """Wait until each of some workers holds partitions, or a process has ended."""
        client = self.server.client()
        while all(one.process.poll() is None for one in workers):
            owners: Any = client.hvals("archive:focuscrawl:owners")
            names = {owner.partition(b":")[2] for owner in owners} - {b"", b"?"}
            if len(names) == len(workers):
                return
            time.sleep(0.02)

    def to_its_end(self, workers: Sequence[Worker], status: int = 0) -> None:
        """Wait until some processes have ended. Raises RuntimeError when one has failed."""
        for one in workers:
            if one.process.wait(LONGEST) != status or "Traceback" in one.said:
                raise RuntimeError(f"{one.name} failed:\n{one.said[-4000:]}")

    def close(self) -> None:
        """Stop whatever runs."""
        for one in self.workers:
            if one.process.poll() is None:
                one.process.kill()
                one.process.wait()
        self.server.stop(kill=True)

    def crawled(self, seconds: float, orders: int) -> Crawled:
        """Read what was found, and tell its articles anew in the order in which they came and in others."""
        stories: defaultdict[str, set[str]] = defaultdict(set)
        path = next(self._folder.rglob("archive.db"))
        with closing(sqlite3.connect(path)) as results:
            for story, page in results.execute(MEMBERS):
                stories[story].add(page)
            articles = results.execute("SELECT url, title, text FROM articles").fetchall()
            pages = results.execute("SELECT url, outcome, reason, page_class FROM pages").fetchall()
            runs = results.execute(
                "SELECT pages FROM crawl_runs ORDER BY started, worker"
            ).fetchall()
            told = results.execute(IN_ORDER, {**WORDS, "topic": "archive"}).fetchall()
            in_order = retold(told, self._template)
            shuffled = [retold(told, self._template, Random(seed)) for seed in range(orders)]
        return Crawled(
            {url: (*more,) for url, *more in articles},
            {frozenset(keys) for keys in stories.values()},
            in_order,
            shuffled,
            {url: (*more,) for url, *more in pages},
            [count or 0 for (count,) in runs],
            self.asked(),
            seconds,
        )


def one(project: Project, usual: int) -> None:
    """Crawl with one process."""
    project.to_its_end(project.crawl(shared=False))


def order(project: Project, usual: int) -> None:
    """Crawl with one process that has one request under way."""
    project.to_its_end([project.start("crawl", "archive", "-s", "CONCURRENT_REQUESTS=1")])


def three(project: Project, usual: int) -> None:
    """Crawl with three workers, none of which gets a page before each has its share."""
    project.hold.touch()
    workers = project.crawl(shared=True)
    project.until_shared(workers)
    project.hold.unlink()
    project.to_its_end(workers)


def moved(project: Project, usual: int) -> None:
    """Crawl with one process, after a third of the usual requests with three workers, and again with one."""
    alone = project.crawl(shared=False)
    project.until_asked(usual // 3, alone)
    for worker in alone:
        worker.process.kill()
    project.to_its_end(alone, -signal.SIGKILL)
    project.move(project.server.url)
    workers = project.crawl(shared=True)
    project.until_shared(workers)
    project.until_asked(2 * usual // 3, workers)
    for worker in workers:
        worker.process.send_signal(signal.SIGTERM)
    project.to_its_end(workers)
    project.move("file")
    project.to_its_end(project.crawl(shared=False))


def measured(
    ground: Ground, arm: Callable[[Project, int], None], usual: int, orders: int = 0
) -> Crawled:
    """Crawl as one arm does; ``usual`` are the requests that a crawl takes, ``orders`` how many random ones to tell."""
    with tempfile.TemporaryDirectory(prefix="archive-") as name:
        folder = Path(name)
        with ground.serve(folder) as (environment, asked):
            project = Project(folder, ground, environment, asked)
            begun = time.monotonic()
            try:
                arm(project, usual)
                return project.crawled(time.monotonic() - begun, orders)
            finally:
                project.close()


def compare(ground: Ground, arms: Sequence[str]) -> dict[str, Json]:
    """Crawl by all arms, and count what differs from the first."""
    ways = {"order": order, "three": three, "moved": moved}
    alone = measured(ground, one, 0, ORDERS)
    result: dict[str, Any] = {
        "articles": len(alone.articles),
        "stories": len(alone.stories),
        "pages": len(alone.outcomes),
        "in_order": len(alone.in_order ^ alone.stories),
        "orders": sum(stories != alone.stories for stories in alone.shuffled),
        "asked": alone.asked,
        "seconds": round(alone.seconds, 1),
    }
    for name in arms:
        if name not in ways:
            continue
        found = measured(ground, ways[name], alone.asked)
        _show_stories(found.stories, name, alone.stories, "one")
        _show_stories(found.stories, name, found.in_order, "one index in that order")
        copies = _of(COPY, found) | _of(COPY, alone) | _of(ALIAS, found) | _of(ALIAS, alone)
        first_come = {url for url in copies if found.outcomes.get(url) != alone.outcomes.get(url)}
        differ: dict[str, Any] = {
            "articles": _differ(found.articles, alone.articles, copies),
            "stories": len(found.stories ^ alone.stories),
            "outcomes": _differ(
                _read(found.outcomes, copies), _read(alone.outcomes, copies), set()
            ),
        }
        by_worker: Any = found.by_worker
        more = {
            "in_order": len(found.in_order ^ found.stories),
            "first_come": len(first_come),
            "asked": found.asked,
            "seconds": round(found.seconds, 1),
            "by_worker": by_worker,
        }
        result[name] = differ | {"same": not any(differ.values())} | more
    return result


def _show_stories(
    found: set[frozenset[str]], name: str, others: set[frozenset[str]], whose: str
) -> None:
    for story in found ^ others:
        print(f"a story of {name if story in found else whose} alone: {sorted(story)}")


def _of(outcome: str, crawled: Crawled) -> set[str]:
    return {url for url, found in crawled.outcomes.items() if found[0] == outcome}


def _read(outcomes: Rows, copies: set[str]) -> Rows:
    """Let pages that were an article, or a copy of one, be the same, and leave out other addresses of pages: which
    of two addresses leads to a page that is there is that which comes second, and a kill changes their order.
    """
    as_read = {
        url: ("an article or a copy",)
        for url in copies & outcomes.keys()
        if outcomes[url][0] in (STORED, COPY)
    }
    return {url: found for url, found in (outcomes | as_read).items() if found[0] != ALIAS}


def _differ(found: Rows, alone: Rows, left_out: set[str]) -> int:
    """Count what is not the same, and print some of it."""
    every = sorted((found.keys() | alone.keys()) - left_out)
    odd = [url for url in every if found.get(url) != alone.get(url)]
    for url in odd[:SHOWN]:
        print(f"{url}: {str(found.get(url))[:120]}, alone {str(alone.get(url))[:120]}")
    return len(odd)


# What is crawled --------------------------------------------------------------------------------


def of_archive(files: list[str]) -> Ground:
    """Return the web of WARC files."""
    archive = Archive(files)
    made = {url: answer(body, kind) for url, kind, body in responses(files)}
    hosts = sorted({url.split("/")[2] for url in archive.urls})
    start = archive.urls[archive.starts[0]]
    text = TOPIC.replace("http://start.example/", start)

    @contextmanager
    def serve(folder: Path) -> Iterator[tuple[dict[str, str], Callable[[], int]]]:
        asked: list[str] = []

        def found(url: str) -> bytes:
            while (folder / HOLD).exists():
                time.sleep(0.02)
            asked.append(url)
            others = (url, url.rstrip("/"), f"{url}/")
            return next((made[one] for one in others if one in made), NOT_FOUND)

        with Web(found, delay=ANSWER_DELAY) as web:
            yield {"http_proxy": f"http://127.0.0.1:{web.port}"}, lambda: len(asked)

    quoted = "[" + ", ".join(f'"{host}"' for host in hosts) + "]"
    return Ground(text + FOLLOWS.format(hosts=quoted), serve)


def of_demo(size: str) -> Ground:
    """Return the web of the demo, whose sites are left for so long that three workers get some."""
    text = topic_text("demo.toml").replace('name     = "demo"', 'name     = "archive"')
    if DEMO_POLITENESS not in text:
        raise RuntimeError(f"demo.toml has no {DEMO_POLITENESS}")

    @contextmanager
    def serve(folder: Path) -> Iterator[tuple[dict[str, str], Callable[[], int]]]:
        log = folder / "access.jsonl"
        with served(DemoWeb(1, size), size, log, speed=SPEED) as demo:
            around = surroundings(folder, demo.address) | {
                "FOCUSCRAWL_CLOCK": "focuscrawl.demo.clock:clock"
            }
            yield around, lambda: answered(log)

    return Ground(text.replace(DEMO_POLITENESS, PATIENT), serve)


def main() -> None:
    """Crawl, print a table and the result."""
    given = arguments(__doc__, "warc", "arms")
    if given.warc:
        ground = of_archive(given.warc.split(","))
    else:
        ground = of_demo("small" if given.quick else "full")
    result = compare(ground, given.arms.split(",") if given.arms else ARMS)
    rows: list[list[object]] = []
    for name in ARMS:
        seen: Any = result.get(name)
        if seen:
            rows.append([name, *(seen[key] for key in COLUMNS)])
    columns = ["arm", *COLUMNS]
    print(
        f"one: {result['articles']} articles, {result['stories']} stories, {result['pages']} pages;"
        f" {result['in_order']} stories differ in order, {result['orders']} of {ORDERS} other orders tell others"
    )
    table(columns, rows)
    finish(result)


if __name__ == "__main__":
    main()
