"""A project of Scrapy's over a small web: its files, its commands, and what they have stored."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from resource import RLIMIT_FSIZE, prlimit
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from focuscrawl.stores.redis.rows import facts_from, page_from, sites_from
from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.values import PageState
from tests.clock import NOON
from tests.in_process import Ended, JumpingTime, run_command
from tests.programs import LOOK_EVERY, ONE_WORKER, Programs, Running

if TYPE_CHECKING:
    from tests.servers.redis_server import RedisServer
    from tests.web import Web

CLOCK = """
import os
import time


class Shifted:
    def wall(self):
        return time.time() + float(os.environ.get("FOCUSCRAWL_SHIFT", "0"))

    def steady(self):
        return time.monotonic()


clock = Shifted()
"""
READ = ("PATH", "HOME", "TMPDIR", "LANG", "LC_", "PYTHON", "COVERAGE")
"""Variables that a command inside the test's process has: each request of Scrapy's goes through all of them."""

WITHOUT_REPORT = {"focuscrawl.report.Report": None}
PORT = 9
PROXY = f"http://127.0.0.1:{PORT}"
"""What commands inside the test's process take for their proxy: nothing is sent there."""


@dataclass
class Project:
    """A folder with scrapy.cfg and topics, whose commands reach nothing but the small web.

    Commands run inside the test's process, unless ``programs`` are given to start them. ``stands_in`` is where,
    below the folder, they are typed. ``server``: crawls are on this Redis, each of one worker.
    """

    folder: Path
    web: Web
    root: Path
    programs: Programs | None = None
    stands_in: str = "."
    server: RedisServer | None = None
    features: str = ""
    reports: bool = False
    """Whether crawls write their report, which is a tenth of the time of a small one."""
    time: JumpingTime = field(default_factory=lambda: JumpingTime(NOON))
    kept: Mapping[str, Mapping[bytes, bytes]] | None = None
    """What stood in the Redis by key, of a project that is only to be looked at."""

    @property
    def port(self) -> int:
        """Return the port, on this machine, of what commands take for their proxy."""
        return self.programs.port_of(self.web) if self.programs else PORT

    @property
    def data(self) -> Path:
        return self.folder / "crawls"

    def topic(self, text: str = "", name: str = "news", sources: str = "http://a.test/") -> None:
        """Write a topic over one or more sources; ``text`` are further tables of its own."""
        urls = ", ".join(f'"{url}"' for url in sources.split())
        head = f'[topic]\nkeywords = ["食品"]\n[[source]]\nurls = [{urls}]\nname = "source"\n'
        polite = "" if "[politeness]" in text else '[politeness]\ndelay = "0s"\n'
        if polite and "[settings]" in text:
            text = text.replace("[settings]\n", "[settings]\nRETRY_TIMES = 0\n")
        elif polite:
            polite += "[settings]\nRETRY_TIMES = 0\n"
        self.write(f"topics/{name}.toml", head + polite + text)

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file of the project."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def spider(self, text: str, settings: str = "") -> None:
        """Make the project one with a spider of its own."""
        self.write("scrapy.cfg", "[settings]\ndefault = mine.settings\n")
        self.write("mine/__init__.py", "")
        self.write("mine/spiders.py", text)
        own = 'from focuscrawl.settings import *\nSPIDER_MODULES = ["mine.spiders"]\nDOWNLOAD_DELAY = 0\nRETRY_TIMES = 0\n'
        self.write("mine/settings.py", own + settings)

    def _environment(self, environment: Mapping[str, str], proxy: str) -> dict[str, str]:
        """Return the environment of a command, ``environment`` being what a test says of its own."""
        ours = ("FOCUSCRAWL_", "SCRAPY_", "SHUB_")
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(ours) and (self.programs or name.startswith(READ))
        }
        usual = {
            "PYTHONPATH": str(self.root),
            "http_proxy": proxy,
            "https_proxy": proxy,
            "FOCUSCRAWL_RETRY_WAITS": "200ms",
            "FOCUSCRAWL_CLOCK": "shifted:clock",
        }
        own = json.loads(self.features or "{}") | ({} if self.reports else WITHOUT_REPORT)
        if self.features or not (self.folder / "mine").exists():  # whose settings name features
            usual["FOCUSCRAWL_FEATURES"] = json.dumps(own)
        return {**kept, **usual, **environment}

    def _is_one_worker(self, command: Sequence[str]) -> bool:
        return self.server is not None and "move" not in command  # which names a Redis itself

    def _over_redis(self, command: Sequence[str]) -> Sequence[str]:
        if self.server is None or not self._is_one_worker(command):
            return command
        return (*command, "-s", f"REDIS_URL={self.server.url}")

    def start(self, *command: str, **environment: str) -> Running:
        """Start a scrapy command as a program; only tests that are marked so may."""
        assert self.programs, "a test that starts programs is marked as one: pytest.mark.program"
        environment = self._environment(environment, self.programs.proxy_of(self.web))
        if self._is_one_worker(command):
            environment[ONE_WORKER] = "1"
        folder = self.folder / self.stands_in
        return self.programs.launcher.start(self._over_redis(command), folder, environment)

    def run(
        self,
        *command: str,
        kill: Callable[[], bool] | None = None,
        traceback: bool = False,
        largest_file: int = 0,
        **environment: str,
    ) -> Ended:
        """Run a scrapy command to its end, or until ``kill`` says so; it must say no traceback.

        In a test of programs it is one: only that can be killed, or have a ``largest_file`` in bytes beyond
        which no file can grow, as on a disk that is full.
        """
        if self.programs:
            ended, pid = self._run_program(command, kill, largest_file, environment)
        else:
            assert kill is None and not largest_file, "only programs are killed"  # noqa: PT018
            pid = os.getpid()
            ended = run_command(
                self._over_redis(command),
                self.folder / self.stands_in,
                self._environment(environment, PROXY),
                self.web,
                self.time,
                one_worker=self._is_one_worker(command),
            )
        assert traceback or "Traceback" not in ended.said, ended.said
        if self.server:  # lines of the log have the worker's name
            said = ended.said.replace(f": {socket.gethostname()}:{pid}: ", ": ")
            ended = replace(ended, said=said)
        return ended

    def _run_program(
        self,
        command: Sequence[str],
        kill: Callable[[], bool] | None,
        largest_file: int,
        environment: Mapping[str, str],
    ) -> tuple[Ended, int]:
        process = self.start(*command, **environment)
        if largest_file:
            prlimit(process.pid, RLIMIT_FSIZE, (largest_file, largest_file))
        if kill is not None:
            while process.poll() is None and not kill():
                time.sleep(LOOK_EVERY)
            process.send_signal(signal.SIGKILL)
        try:
            said, _ = process.communicate()
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            pytest.fail(f"did not end: {said}")
        assert process.returncode is not None
        return Ended(process.returncode, said), process.pid

    def crawl(self, *arguments: str, name: str = "news", **options: Any) -> Ended:
        """Crawl a topic."""
        return self.run("crawl", name, *arguments, **options)

    def crawl_killed(self, answers: int, name: str = "news", **options: Any) -> None:
        """Crawl until so many more requests have arrived, then SIGKILL."""
        goal = len(self.web.asked()) + answers
        ended = self.crawl(name=name, kill=lambda: len(self.web.asked()) >= goal, **options)
        assert ended.status == -signal.SIGKILL, ended.said

    def rows(self, query: str, name: str = "news") -> list[sqlite3.Row]:
        """Ask the results."""
        path = self.data / f"{name}.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            return database.execute(query).fetchall()

    def stored_rows(self, name: str = "news") -> int:
        """Return how many URLs the crawl has stored."""
        if self.server:
            return len([*self.in_redis("rows", name), *self.in_redis("aside", name)])
        path = self.data / f"{name}.crawl.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM urls").fetchone()[0])

    def facts(self, kind: str, name: str = "news") -> list[str]:
        """Return the keys of the facts of a kind that the crawl has stored."""
        if self.server:
            facts = facts_from(self.in_redis("facts", name))
            return sorted(key for of, key in facts if of == kind)
        path = self.data / f"{name}.crawl.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            found = database.execute("SELECT key FROM facts WHERE kind = ?", (kind,)).fetchall()
            return sorted(key for (key,) in found)

    def site_record(self, site: str, name: str = "news") -> dict[str, Any]:
        """Return what the crawl has stored of a site, by part."""
        if self.server:
            return dict(sites_from(self.in_redis("sites", name))[site])
        path = self.data / f"{name}.crawl.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            query = "SELECT parts FROM sites WHERE name = ?"
            (parts,) = database.execute(query, (site,)).fetchone()
            return dict(msgspec.msgpack.decode(parts))

    def states(self, name: str = "news") -> dict[str, PageState]:
        """Return the states of pages that the crawl has stored, by address."""
        if self.server:
            found = [page_from(value) for _, value in self.in_redis("pages", name)]
        else:
            path = self.data / f"{name}.crawl.db"
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
                bodies = database.execute("SELECT body FROM pages").fetchall()
            found = [page_from(body) for (body,) in bodies]
        return {state.url: state for state in found}

    def in_redis(self, part: str, name: str) -> Iterator[tuple[bytes, bytes]]:
        """Go through names and values of a part of a crawl in all partitions."""
        for partition in range(PARTITIONS):
            yield from self._in_redis(f"{name}:focuscrawl:{part}:{partition}").items()

    def _in_redis(self, key: str) -> Mapping[bytes, bytes]:
        if self.kept is not None:
            return self.kept.get(key, {})
        assert self.server
        found: Any = self.server.client().hgetall(key)
        return dict(found)

    def as_it_is(self) -> Project:
        """Return a copy of the project, its web and its Redis, only to be looked at: later crawls change nothing of it.

        So each claim about a crawl of several runs is a test of its own, and the runs happen once.
        """
        number = sum(1 for _ in self.folder.parent.glob(f"{self.folder.name}-seen-*"))
        folder = self.folder.with_name(f"{self.folder.name}-seen-{number}")
        shutil.copytree(self.folder, folder, symlinks=True)
        kept: dict[str, Mapping[bytes, bytes]] = {}
        if self.server:
            keys: Any = self.server.client().scan_iter(match="*:focuscrawl:*", _type="hash")
            kept = {key.decode(): self._in_redis(key.decode()) for key in keys}
        return replace(
            self, folder=folder, web=self.web.as_it_is(), time=copy(self.time), kept=kept
        )

    def articles(self, name: str = "news") -> set[str]:
        """Return the addresses of the articles that are stored."""
        return {row["url"] for row in self.rows("SELECT url FROM articles", name)}

    def outcomes(self, name: str = "news") -> dict[str, tuple[str, str]]:
        """Return outcome and reason of every address in the log book."""
        found = self.rows("SELECT url, outcome, reason FROM pages", name)
        return {row["url"]: (row["outcome"], row["reason"] or "") for row in found}

    def last_run(self, name: str = "news") -> sqlite3.Row:
        """Return the row of the run that was begun last."""
        return self.rows("SELECT * FROM crawl_runs ORDER BY rowid DESC LIMIT 1", name)[0]

    def files(self) -> dict[str, bytes]:
        """Return every file of the data folder with its content."""
        return {
            path.relative_to(self.data).as_posix(): path.read_bytes()
            for path in sorted(self.data.rglob("*"))
            if path.is_file()
        }


def made_project(folder: Path, web: Web, root: Path, programs: Programs | None = None) -> Project:
    """Make an empty project over a web."""
    made = Project(folder, web, root, programs)
    made.write("scrapy.cfg", "[settings]\ndefault = focuscrawl.settings\n")
    made.write("shifted.py", CLOCK)
    return made
