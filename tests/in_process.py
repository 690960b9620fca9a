"""Whole ``scrapy`` commands inside the test's process: no socket, no thread, no waiting.

A command runs as ``python -m scrapy COMMAND`` would: with the same settings, spider, scheduler, middlewares,
pipelines, stores, lines of the log and exit status. Three things differ from a program:

- Pages come from functions: ``WebHandler`` is a download handler of Scrapy's that asks a ``Web``.
- Time stands still while something is done, and jumps to the next moment at which something is due
  (``JumpingLoop``). Delays, retries and days cost nothing, and no machine is too busy for them.
- What a program leaves behind at its end (log handlers, modules of the project, environment, signals) is put
  back (``as_a_program``).

Scrapy can do without a Twisted reactor (TWISTED_REACTOR_ENABLED), so one process can run many commands.
"""

from __future__ import annotations

import asyncio
import gc
import io
import logging
import os
import selectors
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from contextlib import ExitStack, asynccontextmanager, contextmanager
from contextvars import copy_context
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib import import_module, invalidate_caches
from ipaddress import ip_address
from logging.config import dictConfig
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, ClassVar, TextIO
from unittest.mock import patch

from scrapy import Request, cmdline, middleware
from scrapy.core import downloader
from scrapy.core.downloader.handlers._base_streaming import (
    BaseStreamingDownloadHandler,
    _BaseResponseArgs,
)
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import Headers
from scrapy.settings import BaseSettings, SettingsAttribute, default_settings
from scrapy.utils import log
from scrapy.utils.deprecate import argument_is_required
from scrapy.utils.versions import get_versions
from twisted.python.log import theLogPublisher

from focuscrawl import scheduler
from focuscrawl.features import FEATURES, ROWS, TABLES
from focuscrawl.kernel import opening
from focuscrawl.locale.messages import language_in, set_message_language
from focuscrawl.output.summary.logs import TopicRecord
from focuscrawl.stores.redis import store as redis_store
from focuscrawl.template.template import language_of
from focuscrawl.verbs import trial
from tests.web import Answer, Asked, Web

for name in (*(feature.rpartition(".")[0] for feature in FEATURES), *ROWS, *TABLES):
    import_module(name)  # else the first command of a process takes a second more than others

ROOT = Path(__file__).parents[1]
CALL = 0.01
"""Seconds that pass before what a thread does: it begins later than what was stored before."""

TURN = 1e-6
"""Seconds that a turn of the loop takes: who sleeps till a moment that is nearer than a float can say, as a looping
call of .05 s does sooner or later, would else sleep for ever."""

MOST_AT_ONCE = 1 << 16
"""Bytes of a body that come at once, as from a socket: who reads may have seen enough."""

STARTS_IN = 1.0
"""Seconds that a program takes to begin: what was done before it, and what it does, have other times."""

LONGEST_RUN = 3 * 86_400.0
"""Seconds of its own time after which a command is taken for one that never ends."""


@dataclass(frozen=True)
class Ended:
    """A command that ended: its exit status (negative: the signal) and all that it said."""

    status: int
    said: str

    def line(self, words: str) -> str:
        """Return the first line that holds some words."""
        return next(line for line in self.said.splitlines() if words in line)


# Time -----------------------------------------------------------------------------------------------


class JumpingTime:
    """The time of all commands of a test, in seconds; it moves when a loop has nothing else to do."""

    def __init__(self, wall: float) -> None:
        self.steady = 1_000.0
        self._wall = wall - self.steady

    @property
    def wall(self) -> float:
        return self._wall + self.steady

    def jump(self, seconds: float) -> None:
        """Let some seconds pass."""
        self.steady += seconds


class JumpingSelector(selectors.DefaultSelector):
    """Waits for no socket: when none has something to say, the seconds that a loop would wait pass at once."""

    def __init__(self, now: JumpingTime) -> None:
        super().__init__()
        self._now = now
        self._last = now.steady + LONGEST_RUN

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._now.jump(TURN)
        events = super().select(0)
        if events or timeout == 0:
            return events
        if timeout is None:
            raise RuntimeError("the loop waits, and nothing is due any more")
        self._now.jump(max(0.0, timeout))
        if self._now.steady > self._last:
            raise RuntimeError(f"it has not ended by itself after {LONGEST_RUN:g} s of its time")
        return events


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop whose time is a ``JumpingTime``, and whose threads are function calls."""

    def __init__(self) -> None:
        self._jumping = _now.time
        super().__init__(JumpingSelector(self._jumping))

    def time(self) -> float:
        return self._jumping.steady

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> Any:
        """Call at once what else a thread would do: who waits for it goes on in the next turn."""
        self._jumping.jump(CALL)
        return asyncio.wrap_future(called(func, *args), loop=self)


def called(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Return what came of a call, as a thread gives it."""
    future: Future[Any] = Future()
    try:
        future.set_result(function(*arguments))
    except BaseException as error:  # noqa: BLE001 - whoever waits for the future gets it
        future.set_exception(error)
    return future


class CallsAtOnce:
    """Stands for a pool of one thread: what it is given is done before it is back."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        pass

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return called(function, *arguments)

    def shutdown(self) -> None:
        pass


# The web --------------------------------------------------------------------------------------------


class CutOff(Exception):
    """A body ends before its length."""


class WebHandler(BaseStreamingDownloadHandler[Answer]):
    """Answers requests from the web of the command that runs."""

    supports_per_request_bindaddress: ClassVar[bool] = True

    @asynccontextmanager
    async def _make_request(self, request: Request, timeout: float) -> AsyncIterator[Answer]:
        web = _now.web
        asked = asked_by(request)
        if asked.url.startswith("https:"):
            web.tunnels[asked.host] += 1
            if asked.host in web.without_https:
                raise TunnelError(f"Could not open CONNECT tunnel with proxy for {asked.host}")
        if asked.host in web.refuses:
            raise DownloadConnectionRefusedError(f"{asked.host} refuses connections")
        answer = web.answer_to(asked)
        try:
            async with asyncio.timeout(timeout):
                with web.answering(asked.host):
                    await asyncio.sleep(answer.delay or web.pause)
                if answer.fault == "silent":
                    await asyncio.Event().wait()
        except TimeoutError as error:
            told = f"Getting {request.url} took longer than {timeout} seconds."
            raise DownloadTimeoutError(told) from error
        if answer.raw:
            raise NotImplementedError(
                "what is sent byte for byte is for programs: it tests Scrapy's handler"
            )
        if answer.fault in {"drop", "hold"}:
            raise DownloadFailedError("[<twisted.python.failure.Failure ConnectionDone>]")
        yield answer

    @staticmethod
    def _extract_headers(response: Answer) -> Headers:
        head = response.head(len(response.content)).decode("latin-1").splitlines()[1:-1]
        pairs = [line.partition(": ") for line in head]
        return Headers([(name, value.encode("latin-1")) for name, _, value in pairs])

    @staticmethod
    def _build_base_response_args(
        response: Answer, request: Request, headers: Headers
    ) -> _BaseResponseArgs:
        return {
            "status": response.status,
            "url": request.url,
            "headers": headers,
            "ip_address": ip_address("127.0.0.1"),
            "protocol": "HTTP/1.1",
        }

    @staticmethod
    async def _iter_body_chunks(response: Answer) -> AsyncIterator[bytes]:
        is_short = response.fault == "short"
        content = response.content
        comes = content[: len(content) // 2] if is_short else content
        for start in range(0, len(comes), MOST_AT_ONCE):
            yield comes[start : start + MOST_AT_ONCE]
        if is_short:
            raise CutOff

    @staticmethod
    def _is_dataloss_exception(exc: Exception) -> bool:
        return isinstance(exc, CutOff)

    async def close(self) -> None:
        pass


def asked_by(request: Request) -> Asked:
    """Return a request as it would arrive at a proxy."""
    headers = {
        name.decode("latin-1").lower(): b",".join(values).decode("latin-1")
        for name, values in request.headers.items()
    }
    url, _, _ = request.url.partition("#")
    return Asked(_now.time.steady, request.method, url, headers, request.body)


# A command ------------------------------------------------------------------------------------------


@dataclass
class _Now:
    """What the command that runs has: Scrapy makes loop and handler, and knows neither web nor time."""

    time: JumpingTime
    web: Web


_now = _Now(JumpingTime(0.0), Web())


def run_command(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    web: Web,
    now: JumpingTime,
    *,
    one_worker: bool = False,
) -> Ended:
    """Run ``scrapy COMMAND`` in a folder; its pages are those of a web.

    ``one_worker``: who crawls over a Redis is the only one, who may write feeds that have one name for all.
    """
    said = io.BytesIO()
    output = io.TextIOWrapper(said, "utf-8", errors="backslashreplace", write_through=True)
    now.jump(STARTS_IN)
    with ExitStack() as stack:
        stack.enter_context(patch.multiple(_now, time=now, web=web))
        stack.enter_context(as_a_program(folder, environment, output))
        stack.enter_context(at_times(now))
        stack.enter_context(without_threads())
        stack.enter_context(patch.object(trial, "subprocess", SimpleNamespace(run=run_child)))
        stack.enter_context(without_turns_of_others())
        stack.enter_context(looked_up_once())
        if one_worker:
            stack.enter_context(patch.object(scheduler, "one_for_all", lambda settings: ""))
        status = copy_context().run(_status_of, ["scrapy", *command])
        output.flush()
    return Ended(status, said.getvalue().decode("utf-8"))


def run_child(words: Sequence[str], *, check: bool) -> subprocess.CompletedProcess[str]:
    """Run what a command of ours starts as a program: another scrapy command, which says its words for it."""
    python, *module = words[:3]
    assert (python, module, check) == (sys.executable, ["-m", "scrapy"], False), words
    _now.time.jump(STARTS_IN)
    with as_a_program(Path.cwd(), {**os.environ}, sys.stdout):
        status = copy_context().run(_status_of, ["scrapy", *words[3:]])
    return subprocess.CompletedProcess(words, status)


def _status_of(argv: list[str]) -> int:
    loop = JumpingLoop()  # which Scrapy takes, since it is of the class that the settings name
    asyncio.set_event_loop(loop)
    try:
        cmdline.execute(argv)
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
            return 1
        return error.code or 0
    except Exception:
        logging.getLogger(__name__).exception("the command has ended in an error")
        sys.excepthook(*sys.exc_info())
        return 1
    finally:
        asyncio.set_event_loop(None)
        if not loop.is_closed():
            loop.close()
    return 0


@contextmanager
def at_times(now: JumpingTime) -> Iterator[None]:
    """Let all that asks for the time get that of the test."""
    with (
        patch.object(time, "time", lambda: now.wall),
        patch.object(time, "monotonic", lambda: now.steady),
        patch.object(time, "sleep", now.jump),
        patch.object(downloader, "monotonic", lambda: now.steady),
    ):
        yield


@contextmanager
def without_turns_of_others() -> Iterator[None]:
    """Let no crawl before have asked the sites: a program begins with a site clock of its own.

    Crawls by the machine's clock share one. The time of each test begins anew, so one that came before was in a
    time to come, and sites were held back until then.
    """
    with patch.object(opening, "_site_clocks", {}):
        yield


@contextmanager
def without_threads() -> Iterator[None]:
    """Let the thread of a Redis store be calls, and Scrapy have no reactor."""
    here = __name__
    schemes = dict.fromkeys(("http", "https"), f"{here}.{WebHandler.__name__}")
    # As strong as the handlers that Scrapy itself takes without a reactor.
    handlers = BaseSettings(schemes, "project")
    with (
        patch.object(redis_store, "ThreadPoolExecutor", CallsAtOnce),
        patch.object(default_settings, "TWISTED_REACTOR_ENABLED", False),
        patch.object(default_settings, "ASYNCIO_EVENT_LOOP", f"{here}.{JumpingLoop.__name__}"),
        patch.object(default_settings, "DOWNLOAD_HANDLERS", handlers),
    ):
        yield


@contextmanager
def looked_up_once() -> Iterator[None]:
    """Let Scrapy look for commands of other packages, and for versions, once a process: .016 s of each command.

    Copies of all settings, levels of all loggers and signatures of middlewares were a quarter of the CPU of a
    day on which nothing is due.
    """
    with (
        patch.object(cmdline, "_get_commands_from_entry_points", PLUGGED_IN),
        patch.object(log, "get_versions", lambda software: VERSIONS()),
        patch.object(log, "dictConfig", configured_at_once),
        patch.object(BaseSettings, "copy", copied),
        patch.object(
            middleware,
            "argument_is_required",
            lambda method, name: REQUIRED(getattr(method, "__func__", method), name),
        ),
    ):
        yield


PLUGGED_IN = cache(cmdline._get_commands_from_entry_points)
VERSIONS = cache(get_versions)
REQUIRED = cache(argument_is_required)
SHARED = (str, int, float, bool, type(None), type, FunctionType)
"""Types of values of settings that a deep copy shares."""


def copied(settings: BaseSettings) -> BaseSettings:
    """Return what ``copy.deepcopy`` makes of settings, which looks at each of their 400 values four times."""
    made = settings.__class__.__new__(settings.__class__)
    made.__dict__.update(settings.__dict__)
    made.attributes = {}
    for name, one in settings.attributes.items():
        attribute = made.attributes[name] = SettingsAttribute.__new__(SettingsAttribute)
        attribute.priority = one.priority
        if isinstance(one.value, BaseSettings):
            attribute.value = copied(one.value)
        else:
            attribute.value = one.value if isinstance(one.value, SHARED) else deepcopy(one.value)
    return made


def configured_at_once(config: dict[str, Any]) -> None:
    """Configure the log; loggers forget what they remember once, not at each of a hundred levels that are set."""
    manager = logging.root.manager
    with patch.object(manager, "_clear_cache", lambda: None):
        dictConfig(config)
    manager._clear_cache()  # type: ignore[attr-defined]


@contextmanager
def as_a_program(folder: Path, environment: Mapping[str, str], output: TextIO) -> Iterator[None]:
    """Be a program that was started in a folder: afterwards all is as it was before."""
    before = Path.cwd()
    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    thresholds, path, modules = gc.get_threshold(), [*sys.path], frozenset(sys.modules)
    with (
        patch.dict(os.environ, environment, clear=True),
        patch.multiple(sys, stdout=output, stderr=output, stdin=io.StringIO()),
        patch.object(sys, "dont_write_bytecode", True),  # a module may be written twice in a second
        patch.object(os, "kill", only_others(os.kill)),
        warnings.catch_warnings(),
        own_log(),
    ):
        warnings.simplefilter("ignore")
        os.chdir(folder)
        sys.path[0:0] = [str(folder)]
        invalidate_caches()
        set_message_language(language_in(os.environ))
        try:
            yield
        finally:
            os.chdir(before)
            sys.path[:] = path
            gc.set_threshold(*thresholds)
            for number, handler in signals.items():
                signal.signal(number, handler)
            forget_modules(modules)
    set_message_language(language_in(os.environ))


def forget_modules(known: AbstractSet[str]) -> None:
    """Let modules of a project be imported anew: the next project has others of the same names.

    So are our settings, to whose dictionaries a project adds what is its own, and the language of its tables.
    """
    sys.modules.pop("focuscrawl.settings", None)
    language_of.cache_clear()
    for name in sys.modules.keys() - known:
        module = sys.modules[name]
        place = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "")
        if place and not Path(place).is_relative_to(ROOT) and not _is_installed(place):
            del sys.modules[name]


def _is_installed(place: str) -> bool:
    return "site-packages" in place or place.startswith(sys.base_prefix)


def only_others(kill: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """Return what keeps a command from killing the process of the tests."""

    def checked(pid: int, number: int) -> None:
        assert pid != os.getpid() or number != signal.SIGKILL, "only a program may kill itself"
        kill(pid, number)

    return checked


@contextmanager
def own_log() -> Iterator[None]:
    """Let Scrapy set up its log, and put everything back: what it adds to loggers, and what hears Twisted's."""
    root = logging.root
    found = [
        root,
        *(one for one in root.manager.loggerDict.values() if isinstance(one, logging.Logger)),
    ]
    before = [(one, one.level, [*one.handlers], [*one.filters]) for one in found]
    observers, factory = [*theLogPublisher.observers], logging.getLogRecordFactory()
    root.handlers[:] = []
    try:
        with (
            patch.object(log, "_get_formatter", log._get_formatter),
            patch.object(TopicRecord, "stands_alone", False),
        ):
            yield
    finally:
        logging.setLogRecordFactory(factory)
        log._uninstall_scrapy_root_handler()
        logging.captureWarnings(False)
        known = {one for one, *_ in before}
        new = (one for one in root.manager.loggerDict.values() if isinstance(one, logging.Logger))
        # Their level may be that of a library that was just imported.
        before += [(one, one.level, [], []) for one in new if one not in known]
        for one, level, handlers, filters in before:
            if one.level != level:  # to set it empties what all loggers remember
                one.setLevel(level)
            one.handlers[:], one.filters[:] = handlers, filters
        for observer in [*theLogPublisher.observers]:
            if observer not in observers:
                theLogPublisher.removeObserver(observer)  # type: ignore[no-untyped-call]
