"""A crawl on several workers over a real Redis, whose web knows each of them."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from redis import Redis

from benchmarks.parts import store_clock
from benchmarks.parts.children import start_crawl
from benchmarks.parts.shared_web import SharedWeb
from focuscrawl.kernel.figures import EXIT_DONE, EXIT_EMPTY
from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from tests.servers.redis_server import RedisServer

LONGEST_CRAWL = 900.0
ENDED = (EXIT_DONE, EXIT_EMPTY, -signal.SIGKILL)
SETTINGS = """
from focuscrawl.settings import *
EXTENSIONS = {**EXTENSIONS, "benchmarks.parts.store_clock.StoreClock": 1}
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "INFO"
"""
TOPIC = """
[topic]
keywords = ["食品"]

[[source]]
url = "{root}"
kind = "article"
relevant = "all"

[follow]
{scope}
articles = ["/article/"]
depth = 50

[article]
keep = "all"

[politeness]
delay = "{delay}s"
robots = false

[stories]
copies = "{copies}"
events = false

[settings]
RETRY_TIMES = 0
RANDOMIZE_DOWNLOAD_DELAY = false
"""

EXPLORES = "[explore]\nsteps = 2\n"


class Worker:
    """One process; ``name`` is that under which the web knows it."""

    def __init__(
        self, name: str, folder: Path, words: list[str], environment: dict[str, str]
    ) -> None:
        self.name = name
        self.calls = folder / f"{name}.calls"
        self._log = folder / f"{name}.log"
        words = [*words, "-s", f"STORE_LOG={self.calls}"]
        self.process = start_crawl(words, folder, self._log, environment)

    @property
    def said(self) -> str:
        """Its log."""
        return self._log.read_text("utf-8", "replace")

    def calls_made(self) -> list[dict[str, Any]]:
        """Return what it has noted of its calls (store_clock)."""
        return store_clock.read(self.calls)


class SharedCrawl:
    """A project, the web it crawls and the Redis it stands in; use it as a context manager.

    ``delay`` are the seconds that a site is left between two pages. Without a server it is embedded.
    One that ``explores`` goes to sites that it does not know, and counts the pages of each; ``stories``: copies
    of a text are told as one story.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        web: SharedWeb,
        server: RedisServer | None,
        *,
        delay: float,
        environment: Mapping[str, str],
        explores: bool = False,
        stories: bool = False,
    ) -> None:
        self.name = name
        self.web = web
        self.server = server
        self.workers: list[Worker] = []
        self._folder = folder
        self._environment = dict(environment)
        (folder / "topics").mkdir(parents=True, exist_ok=True)
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = shared_settings\n")
        (folder / "shared_settings.py").write_text(SETTINGS)
        scope, further = ("", EXPLORES) if explores else ('sites = ["test"]', "")
        text = TOPIC.format(
            root=web.urls[0], delay=f"{delay:g}", scope=scope, copies="join" if stories else "off"
        )
        (folder / f"topics/{name}.toml").write_text(text + further, encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.process.kill()
                worker.process.wait()

    def start(self, *words: str) -> Worker:
        """Start one more worker."""
        name = f"{self.name}{len(self.workers)}"
        environment = {**self._environment, "http_proxy": self.web.door(name)}
        shared = ("-s", f"REDIS_URL={self.server.url}") if self.server else ()
        command = ["crawl", self.name, *shared, *words]
        worker = Worker(name, self._folder, command, environment)
        self.workers.append(worker)
        return worker

    @property
    def template(self) -> Template:
        """Its topic."""
        return load(self._folder / f"topics/{self.name}.toml").template

    def story_places(self) -> dict[str, int]:
        """Return by their keys at which place articles were told, among those of all workers."""
        notes = [noted for one in self.workers for noted in one.calls_made() if "told" in noted]
        return {noted["told"]: noted["place"] for noted in notes}

    def live(self) -> list[Worker]:
        """Return the workers that have not ended."""
        return [one for one in self.workers if one.process.poll() is None]

    def to_its_end(self, *, strict: bool = True) -> None:
        """Wait until all have ended. Raises RuntimeError when one fails, or they do not end.

        That nothing was found, where nothing is read of articles, is no failure; unless it is ``strict``
        nothing is.
        """
        end = time.monotonic() + LONGEST_CRAWL
        while self.live():
            if time.monotonic() > end:
                raise RuntimeError(f"{self.name} does not end:\n{self._last_words()}")
            time.sleep(0.05)
        if strict and any(one.process.returncode not in ENDED for one in self.workers):
            raise RuntimeError(f"{self.name} failed:\n{self._last_words()}")

    def _last_words(self) -> str:
        return "\n".join(f"{one.name}: {one.said[-2000:]}" for one in self.workers)

    # What it leaves -----------------------------------------------------------------------------

    def query(self, query: str, **words: object) -> Iterator[tuple[Any, ...]]:
        """Ask the results."""
        with closing(sqlite3.connect(self._folder / f"crawls/{self.name}.db")) as results:
            yield from results.execute(query, words)

    def key(self, name: str) -> str:
        """Return the name of a key in Redis."""
        return f"{self.name}:focuscrawl:{name}"

    def client(self) -> Redis:
        """Return a client of its Redis."""
        if self.server is None:
            raise RuntimeError(f"{self.name} is not shared")
        return self.server.client()

    def held(self) -> list[int]:
        """Return how many partitions each worker holds that holds any, most first."""
        owners: Any = self.client().hgetall(self.key("owners"))
        names = (owner.partition(b":")[2] for owner in owners.values())
        return [count for _, count in Counter(filter(None, names)).most_common()]

    def rows_left(self) -> int:
        """Count what is still to do, and links that nobody has taken in."""
        client = self.client()
        names = [
            self.key(f"{part}:{one}") for part in ("rows", "aside") for one in range(PARTITIONS)
        ]
        sent = [self.key(f"inbox:{one}") for one in range(PARTITIONS)]
        return sum(int(client.hlen(one)) for one in names) + sum(
            int(client.llen(one)) for one in sent
        )

    def known(self) -> dict[str, dict[bytes, bytes]]:
        """Return what Redis knows of facts, pages and sites, and the numbers that were seen."""
        client = self.client()
        found: dict[str, dict[bytes, bytes]] = {}
        for part in ("facts", "pages", "sites"):
            found[part] = {}
            for one in range(PARTITIONS):
                found[part] |= client.hgetall(self.key(f"{part}:{one}"))
        text = b"".join(
            some
            for one in range(PARTITIONS)
            for some in client.lrange(self.key(f"seen:{one}"), 0, -1)
        )
        found["seen"] = {text[at : at + 8]: b"" for at in range(0, len(text), 8)}
        return found
