"""A small web whose answers a test writes, and whole ``scrapy`` commands that crawl it."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import select
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from itertools import pairwise
from pathlib import Path
from resource import RLIMIT_FSIZE, prlimit
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from benchmarks.parts.redis_server import RedisServer
from focuscrawl.store.protocol import PARTITIONS
from focuscrawl.store.redis.rows import facts_from, page_from, sites_from
from focuscrawl.values import PageState

SENTENCE = "成都市场监管部门昨日公布第{}批食品安全抽检结果,共抽检粮食加工品、乳制品等样品一百二十批次,其中{}批次不合格,已经责令企业立即下架并召回全部产品。"
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
WITHOUT_REPORT = {"focuscrawl.report.document.Report": None}
TLS_HANDSHAKE = b"\x16"
ONE_WORKER = "TESTS_HAVE_ONE_WORKER"
ALL_IS_NEWS = """
from focuscrawl.kernel.feature import Feature


class AllIsNews(Feature):
    name = "all_is_news"
    after = ("baseline",)

    def recast(self, flight):
        flight.waiting = flight.waiting._replace(baseline=0)
"""
LOOK_EVERY = 0.005
LONGEST_CRAWL = 180.0
FILE, REDIS = "file", "redis"
BOTH_STORES, OF_A_FILE = "both_stores", "of_a_file"


class Asked(NamedTuple):
    """A request as it arrived; ``at`` is in seconds of the steady clock, header names lower case."""

    at: float
    method: str
    url: str
    headers: dict[str, str]
    body: bytes

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc


@dataclass(frozen=True)
class Answer:
    """What the web answers. ``fault``: "drop" hangs up, "short" ends early, "silent" says nothing,
    "hold" says nothing until the web holds no longer and then hangs up. ``raw`` is sent byte for
    byte instead of all that, before the web hangs up.
    """

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "text/html; charset=utf-8"
    delay: float = 0.0
    fault: str = ""
    raw: bytes = b""

    def head(self, length: int) -> bytes:
        lines = [
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}",
            f"Content-Type: {self.kind}",
            f"Content-Length: {length}",
            *(f"{name}: {value}" for name, value in self.headers.items()),
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


Script = Answer | Callable[[Asked], Answer]


class Web:
    """An HTTP forward proxy on loopback; ``answers`` says what is where, all else is 404.

    ``anything`` answers every address of a host that has no answer of its own, but robots.txt.

    ``without_https`` are hosts that no connection for https reaches; ``tunnels`` counts who was asked.
    ``pause`` is how long every answer takes that has no delay of its own, in seconds.
    """

    def __init__(self, certificate: Path) -> None:
        self.answers: dict[str, Script] = {}
        self.anything: dict[str, Script] = {}
        self.log: list[Asked] = []
        self.port = 0
        self.pause = 0.0
        self.without_https: set[str] = set()
        self.tunnels: Counter[str] = Counter()
        self.is_holding = True
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificate)
        self._answering: Counter[str] = Counter()
        self._most: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run)

    # What is where ------------------------------------------------------------------------------

    def board(self, url: str, *links: str | tuple[str, str], more: str = "") -> None:
        """Put a list page somewhere; a link is an address or an address and its text."""
        pairs = [(link, f"关于食品安全抽检的通告 {link}") if isinstance(link, str) else link for link in links]  # fmt: skip
        items = "".join(f'<li><a href="{target}">{text}</a></li>' for target, text in pairs)
        self.answers[url] = Answer(
            f"<html><head><title>通告列表</title></head><body><ul>{items}</ul>{more}</body></html>"
        )

    def article(self, url: str, number: int = 1, more: str = "", date: str = "2026-11-18") -> None:
        """Put an article somewhere; its text is its own by its number."""
        text = "".join(f"<p>{SENTENCE.format(number, number + part)}</p>" for part in range(4))
        self.answers[url] = Answer(
            f"<html><head><title>第{number}批食品抽检结果公布</title></head><body>"
            f"<h1>第{number}批食品抽检结果公布</h1><p>发布时间:{date} 08:00 来源:四川日报</p>"
            f"<div>{text}</div>{more}</body></html>"
        )

    def say(self, body: str, status: int = 200) -> Answer:
        """Return an answer for a script of a test's own."""
        return Answer(body, status)

    def page(self, body: str | bytes, kind: str = "text/html; charset=utf-8") -> Answer:
        """Return an answer that is a page as a test writes it."""
        return Answer(body, kind=kind)

    def xml(self, url: str, text: str) -> None:
        """Put a feed or a sitemap somewhere."""
        self.answers[url] = Answer(f'<?xml version="1.0"?>{text}', kind="application/xml")

    def file(self, url: str, content: bytes) -> None:
        """Put bytes somewhere."""
        self.answers[url] = Answer(content, kind="application/octet-stream")

    def redirect(self, url: str, target: str, status: int = 302) -> None:
        """Send whoever asks for an address elsewhere."""
        self.answers[url] = Answer(status=status, headers={"Location": target})

    def robots(self, host: str, text: str) -> None:
        """Give a site a robots.txt."""
        self.answers[f"http://{host}/robots.txt"] = Answer(text, kind="text/plain")

    def fail_first(self, url: str, times: int = 1, **failure: Any) -> None:
        """Answer the first requests for an address otherwise: with a status, a fault."""
        later = self.answers[url]

        def script(asked: Asked) -> Answer:
            if self.times(url) <= times:
                return Answer(**{"body": "<p>稍后再试</p>", **failure})
            return later if isinstance(later, Answer) else later(asked)

        self.answers[url] = script

    def cut(self, url: str) -> None:
        """Let an address's body end early for ever."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        self.answers[url] = replace(answer, fault="short")

    def send_raw(self, url: str, head: str = "HTTP/1.0 200 OK", *lines: str) -> None:
        """Send an address's body without its length, behind a head of one's own."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        body = answer.body.encode() if isinstance(answer.body, str) else answer.body
        start = "\r\n".join((head, f"Content-Type: {answer.kind}", *lines, "", ""))
        self.answers[url] = replace(answer, raw=start.encode() + body)

    def name(self, url: str, headers: Mapping[str, str]) -> None:
        """Send some headers with an address's page."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        self.answers[url] = replace(answer, headers=headers)

    def keep_versions(self, url: str, etag: str = '"one"', modified: str = "") -> None:
        """Answer 304 to whoever has an address's version."""
        self.name(url, {"ETag": etag} | ({"Last-Modified": modified} if modified else {}))
        whole = self.answers[url]
        assert isinstance(whole, Answer)
        nothing = replace(whole, body="", status=304)

        def script(asked: Asked) -> Answer:
            return nothing if asked.headers.get("if-none-match") == etag else whole

        self.answers[url] = script

    def pack(self, url: str) -> None:
        """Send an address's body packed."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        assert isinstance(answer.body, str)
        packed = gzip.compress(answer.body.encode())
        self.answers[url] = replace(answer, body=packed, headers={"Content-Encoding": "gzip"})

    def body(self, url: str) -> str:
        """Return the page that stands at an address."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        assert isinstance(answer.body, str)
        return answer.body

    def packed(self, body: bytes) -> Answer:
        """Return an answer whose body is said to be packed."""
        return Answer(body, headers={"Content-Encoding": "gzip"})

    def news(self, articles: int, host: str = "a.test") -> set[str]:
        """Put a list and its articles on a host; returns the articles' addresses."""
        urls = [f"http://{host}/news/{number}.html" for number in range(1, articles + 1)]
        for number, url in enumerate(urls, start=1):
            self.article(url, number)
        self.board(f"http://{host}/", *urls)
        return set(urls)

    # What was asked -----------------------------------------------------------------------------

    def asked(self, host: str = "") -> list[Asked]:
        """Return the requests so far, but those for robots.txt."""
        return [
            asked
            for asked in [*self.log]
            if not asked.url.endswith("/robots.txt") and host in ("", asked.host)
        ]

    def times(self, url: str) -> int:
        """Return how often an address was asked for."""
        return sum(asked.url == url for asked in [*self.log])

    def gaps(self, host: str) -> list[float]:
        """Return the seconds between requests to a host."""
        return [after.at - before.at for before, after in pairwise(self.asked(host))]

    def most_at_once(self, host: str) -> int:
        """Return how many requests to a host were ever being answered at the same time."""
        return self._most[host]

    # Serving ------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        loop = self._loop
        server = loop.run_until_complete(asyncio.start_server(self._connected, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        loop.run_forever()
        server.close()
        loop.run_until_complete(self._hang_up())
        loop.close()

    def _otherwise(self, asked: Asked) -> Script:
        missing = Answer("没有这个页面", status=404)
        return (
            missing if asked.url.endswith("/robots.txt") else self.anything.get(asked.host, missing)
        )

    async def _hang_up(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        origin = ""
        while True:
            first = await reader.readexactly(1)
            if first == TLS_HANDSHAKE:  # who asks us, and no proxy, for https
                return
            head = first + await reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            method, target, _ = lines[0].split(" ")
            pairs = (line.partition(":") for line in lines[1:] if line)
            headers = {name.lower(): value.strip() for name, _, value in pairs}
            if method == "CONNECT":
                host = target.rpartition(":")[0]
                self.tunnels[host] += 1
                if host in self.without_https:
                    writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
                    await writer.drain()
                    return
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                await writer.start_tls(self._tls)
                origin = "https://" + target.removesuffix(":443")
                continue
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            asked = Asked(time.monotonic(), method, origin + target, headers, body)
            self.log.append(asked)
            answer = self.answers.get(asked.url) or self._otherwise(asked)
            if not isinstance(answer, Answer):
                answer = answer(asked)
            self._answering[asked.host] += 1
            self._most[asked.host] = max(self._most[asked.host], self._answering[asked.host])
            await asyncio.sleep(answer.delay or self.pause)
            self._answering[asked.host] -= 1
            if answer.fault == "silent":
                await reader.read(1)
            while answer.fault == "hold" and self.is_holding:
                await asyncio.sleep(LOOK_EVERY)
            if answer.fault in {"silent", "hold", "drop"}:
                return
            if answer.raw:
                writer.write(answer.raw)
                await writer.drain()
                return
            content = answer.body.encode() if isinstance(answer.body, str) else answer.body
            writer.write(answer.head(len(content)))
            writer.write(content[: len(content) // 2] if answer.fault == "short" else content)
            await writer.drain()
            if answer.fault == "short":
                return


@dataclass(frozen=True)
class Ended:
    """A command that ended: its exit status (negative: the signal) and all that it said."""

    status: int
    said: str

    def line(self, words: str) -> str:
        """Return the first line that holds some words."""
        return next(line for line in self.said.splitlines() if words in line)


class Running:
    """A command under way: what tests need of ``subprocess.Popen``."""

    def __init__(self, launcher: Launcher, pid: int, output: Path) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._launcher = launcher
        self._output = output

    def poll(self) -> int | None:
        """Return the exit status (negative: the signal), None while it runs."""
        if self.returncode is None:
            self.returncode = self._launcher.status(self.pid)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float = LONGEST_CRAWL) -> tuple[str, None]:
        """Wait for the end and return all that was said; raises TimeoutExpired."""
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(LOOK_EVERY)
        return self.said(), None

    def said(self) -> str:
        """Return what was said so far."""
        return self._output.read_text("utf-8", errors="replace")


class Launcher:
    """Starts scrapy commands by way of prepared.py; ``folder`` keeps what they say."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._folder = folder
        self._started = 0
        self._ended: dict[int, int] = {}
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("prepared.py")],
            env={**os.environ, "PYTHONPATH": str(root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asks, self._says = self._process.stdin, self._process.stdout

    def start(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> Running:
        """Start ``scrapy COMMAND`` in a folder."""
        self._started += 1
        output = self._folder / f"{self._started}.txt"
        output.touch()
        asked = {
            "command": command,
            "folder": str(folder.resolve()),
            "environment": environment,
            "output": str(output),
        }
        self._asks.write(json.dumps(asked).encode() + b"\n")
        while "pid" not in (said := self._heard()):
            pass
        return Running(self, said["pid"], output)

    def status(self, pid: int) -> int | None:
        """Return the exit status of a process that has ended."""
        while pid not in self._ended and select.select([self._says], [], [], 0)[0]:
            self._heard()
        return self._ended.pop(pid, None)

    def close(self) -> None:
        """Start nothing more."""
        self._process.communicate(timeout=LONGEST_CRAWL)

    def _heard(self) -> dict[str, int]:
        line = self._says.readline()
        assert line, "prepared.py has ended"
        said: dict[str, int] = json.loads(line)
        if "ended" in said:
            self._ended[said["ended"]] = said["status"]
        return said


@dataclass
class Project:
    """A folder with scrapy.cfg and topics, whose commands reach nothing but the small web.

    ``stands_in`` is where, below the folder, commands are typed. ``server``: crawls are on this Redis, each of
    one worker.
    """

    folder: Path
    web: Web
    root: Path
    launcher: Launcher
    stands_in: str = "."
    server: RedisServer | None = None
    features: str = ""
    reports: bool = False
    """Whether crawls write their report, which is a tenth of the time of a small one."""

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

    def start(self, *command: str, **environment: str) -> Running:
        """Start a scrapy command."""
        proxy = f"http://127.0.0.1:{self.web.port}"
        ours = ("FOCUSCRAWL_", "SCRAPY_", "SHUB_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
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
        folder = self.folder / self.stands_in
        if self.server and "move" not in command:  # which names one itself
            command = (*command, "-s", f"REDIS_URL={self.server.url}")
            usual[ONE_WORKER] = "1"
        return self.launcher.start(command, folder, {**kept, **usual, **environment})

    def run(
        self,
        *command: str,
        kill: Callable[[], bool] | None = None,
        traceback: bool = False,
        largest_file: int = 0,
        **environment: str,
    ) -> Ended:
        """Run a scrapy command to its end, or until ``kill`` says so; it must say no traceback.

        ``largest_file`` in bytes: no file can grow beyond, as on a disk that is full.
        """
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
        assert traceback or "Traceback" not in said, said
        assert process.returncode is not None
        if self.server:  # lines of the log have the worker's name
            said = said.replace(f": {socket.gethostname()}:{process.pid}: ", ": ")
        return Ended(process.returncode, said)

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
        assert self.server
        client = self.server.client()
        for partition in range(PARTITIONS):
            found: Any = client.hgetall(f"{name}:focuscrawl:{part}:{partition}")
            yield from found.items()

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


@pytest.fixture
def all_is_news(project: Project) -> None:
    """Let what a first crawl finds be told as new, for tests of how it is told."""
    project.write("all_is_news.py", ALL_IS_NEWS)
    project.features = '{"all_is_news.AllIsNews": 9000}'


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate for https on loopback."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a.test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = tmp_path_factory.mktemp("certificate") / "both.pem"
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture(scope="session")
def launcher(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[Launcher]:
    """Make ready to start commands."""
    made = Launcher(pytestconfig.rootpath, tmp_path_factory.mktemp("said"))
    yield made
    made.close()


@pytest.fixture
def web(certificate: Path) -> Iterator[Web]:
    """Serve a web that a test writes."""
    with Web(certificate) as served:
        yield served


def made_project(folder: Path, web: Web, root: Path, launcher: Launcher) -> Project:
    """Make an empty project over a web."""
    made = Project(folder, web, root, launcher)
    made.write("scrapy.cfg", "[settings]\ndefault = focuscrawl.settings\n")
    made.write("shifted.py", CLOCK)
    return made


@pytest.fixture
def project(
    tmp_path: Path,
    web: Web,
    launcher: Launcher,
    pytestconfig: pytest.Config,
    crawl_server: RedisServer | None,
) -> Project:
    """Make an empty project over the small web."""
    made = made_project(tmp_path, web, pytestconfig.rootpath, launcher)
    made.server = crawl_server
    return made


@pytest.fixture
def crawl_server(request: pytest.FixtureRequest) -> RedisServer | None:
    """An empty Redis for the crawls of a test; None where they have crawl files (``pytest_generate_tests``)."""
    if getattr(request, "param", FILE) == FILE:
        return None
    server: RedisServer = request.getfixturevalue("redis_of_tests")
    server.client().flushall()
    return server


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test over a crawl file, over Redis, or over both, as its markers and ``--store`` say."""
    if "crawl_server" not in metafunc.fixturenames:
        return
    marked = {mark.name for mark in metafunc.definition.iter_markers()}
    both = [FILE, REDIS] if BOTH_STORES in marked else [FILE]
    stores = both if metafunc.config.getoption("store") == FILE else [REDIS]
    if stores != [FILE]:
        metafunc.parametrize("crawl_server", stores, indirect=True, ids=str)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--store redis`` leave out what is about crawl files here; tests elsewhere know what they do with it."""
    if config.getoption("store") == FILE:
        return
    here = Path(__file__).parent
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        is_one = "crawl_server" in getattr(item, "fixturenames", ())
        of_a_file = any(item.iter_markers(OF_A_FILE))
        is_kept = not item.path.is_relative_to(here) or (is_one and not of_a_file)
        (kept if is_kept else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.fixture(scope="session")
def finished(
    tmp_path_factory: pytest.TempPathFactory,
    certificate: Path,
    launcher: Launcher,
    pytestconfig: pytest.Config,
) -> Path:
    """Crawl three articles once; the data folder of it."""
    with Web(certificate) as web:
        web.news(3)
        folder = tmp_path_factory.mktemp("finished")
        project = made_project(folder, web, pytestconfig.rootpath, launcher)
        project.topic()
        assert project.crawl().status == 0
    return project.data


@pytest.fixture
def crawled(project: Project, finished: Path, certificate: Path) -> Project:
    """Make a project whose topic has been crawled once."""
    project.topic()
    if project.server:
        with Web(certificate) as web:
            web.news(3)
            there = replace(project, web=web)
            assert there.crawl().status == 0
    else:
        shutil.copytree(finished, project.data)
    return project


@pytest.fixture
def elapsed() -> Callable[[], float]:
    """Return the seconds since the test began."""
    began = time.monotonic()
    return lambda: time.monotonic() - began
