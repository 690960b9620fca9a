"""What ``benchmarks.kill9`` crawls with: ours, and what people do with Scrapy otherwise."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from redis import Redis


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


class TopicArm(Arm):
    """A topic of ours, called ``name``; its items are the articles in the results."""

    name = ""

    def topic(self, text: str) -> None:
        """Write a project with this topic."""
        self.project("from focuscrawl.settings import *\n")
        (self.folder / "topics").mkdir()
        (self.folder / f"topics/{self.name}.toml").write_text(text, encoding="utf-8")

    def command(self) -> list[str]:
        """Return the arguments of scrapy."""
        return ["crawl", self.name]

    @property
    def crawl_file(self) -> Path:
        """Where what is to do stands."""
        return self.folder / f"crawls/{self.name}.crawl.db"

    @property
    def results(self) -> Path:
        """Where what was done stands."""
        return self.folder / f"crawls/{self.name}.db"

    def logs(self) -> list[Path]:
        """Return the write-ahead logs of crawl file and results."""
        return [Path(f"{path}-wal") for path in (self.crawl_file, self.results)]

    def items(self) -> Iterator[str]:
        """Read the table of articles."""
        with closing(sqlite3.connect(self.results)) as results:
            yield from (url for (url,) in results.execute("SELECT url FROM articles"))


class Ours(TopicArm):
    """A topic of ours over a tree of pages."""

    name = "tree"
    retries = 3

    def prepare(self) -> None:
        """Write the topic."""
        self.topic(
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

[settings]
RETRY_TIMES = {self.retries}
"""
        )


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
