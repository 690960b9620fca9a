"""Runs scrapy commands in processes that have imported and read everything already.

Reads commands from its standard input, one JSON object a line: ``command``, ``folder``,
``environment``, ``output`` (a file), ``stdout`` (another one, or none). For each it forks a process, which goes on as
``python -m scrapy COMMAND`` in that folder would, and writes ``{"pid": …}``; when one ends,
``{"ended": pid, "status": …}``. A whole crawl by a small web is over sooner than its imports: without
what is read here, half a second of its .75 of CPU went to them, the list of public suffixes and the dictionary,
and .2 more to the table of word frequencies and to expressions.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import sys
import threading
import time
from importlib import import_module
from typing import Any

from scrapy.utils.misc import walk_modules

from focuscrawl.features import FEATURES, ROWS, TABLES
from focuscrawl.locale.messages import language_in, set_message_language
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.text.keywords import general_idf
from focuscrawl.readers.text.words import splitter
from focuscrawl.template.load import load
from focuscrawl.urls.sites import registrable_domain

FOLDERS = (
    "focuscrawl.commands",
    "scrapy.commands",
    "scrapy.downloadermiddlewares",
    "scrapy.extensions",
    "scrapy.spidermiddlewares",
)
IMPORTED = (
    *(feature.rpartition(".")[0] for feature in FEATURES),
    *ROWS,
    *TABLES,
    "focuscrawl.bodies",
    "focuscrawl.output.explain.facts",
    "focuscrawl.extensions",
    "focuscrawl.hosts",
    "focuscrawl.middlewares",
    "focuscrawl.pipelines",
    "focuscrawl.output.report.forms.page",
    "focuscrawl.output.report.output",
    "focuscrawl.scheduler",
    "focuscrawl.spiders.loader",
    "focuscrawl.spiders.topic",
    "focuscrawl.stores.redis.connection",
    "focuscrawl.stores.redis.server",
    "focuscrawl.features.stories.shared",
    "focuscrawl.verbs.crawl",
    *(
        f"scrapy.core.downloader.handlers.{scheme}"
        for scheme in ("datauri", "file", "ftp", "http", "s3")
    ),
    "scrapy.crawler",
    "scrapy.logformatter",
    "scrapy.statscollectors",
)
TOPIC = """
[topic]
name = "food"
title = "食品"
keywords = ["食品"]
[search]
engines = ["baidu"]
"""
NO_READER = "no reader"
ONE_WORKER = "TESTS_HAVE_ONE_WORKER"
"""Says that a crawl over Redis is one worker's, who may write feeds that have one name for all."""


def prepare() -> None:
    """Import and read what every crawl imports and reads."""
    for name in IMPORTED:
        import_module(name)
    for folder in FOLDERS:
        walk_modules(folder)
    registrable_domain("shop.example.com")
    splitter().cut("食品安全")
    general_idf("食品")
    AdmissionRules.from_template(load(TOPIC, {}, {}).template, time.time())
    if "twisted.internet.reactor" in sys.modules:
        raise RuntimeError("an import has chosen the reactor already, which is Scrapy's to do")
    gc.collect()
    gc.freeze()  # so that no child writes to what all share


def become(asked: dict[str, Any]) -> None:
    """Turn this process into the command that was asked for."""
    output = os.open(asked["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for given, usual in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(given, usual)
    if asked["stdout"]:
        os.dup2(stdout_of(asked["stdout"]), 1)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    set_message_language(language_in(os.environ))  # the template above was read in another
    sys.path[0] = asked["folder"]
    sys.argv = ["scrapy", *asked["command"]]
    if ONE_WORKER in asked["environment"]:
        sys.modules["focuscrawl.scheduler"].__dict__["one_for_all"] = lambda settings: ""


def stdout_of(name: str) -> int:
    """Return a file that is open for writing, or a pipe whose reader has gone."""
    if name != NO_READER:
        return os.open(name, os.O_WRONLY)
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def leave(code: int | str | None) -> None:
    """End this process as Python does, but leave its memory as it is: to free what all share copies it, .09 s of CPU."""
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # what Python calls before anything else
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except OSError as error:
            os.write(2, f"at the end: {error}\n".encode())
            code = code or 120
    os._exit(code or 0)


def wait_for_commands() -> bool:
    """Start what is asked for; True in a process that was started, False when all is over."""
    ended, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *unused: None)
    lines = b""
    while True:
        ready, _, _ = select.select([0, ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            report()
        if 0 not in ready:
            continue
        arrived = os.read(0, 65536)
        if not arrived:
            return False
        lines += arrived
        while b"\n" in lines:
            line, _, lines = lines.partition(b"\n")
            pid = os.fork()
            if not pid:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                become(json.loads(line))
                return True
            say(pid=pid)


def report() -> None:
    """Say which processes have ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        say(ended=pid, status=os.waitstatus_to_exitcode(status))


def say(**words: int) -> None:
    """Write one line."""
    os.write(1, json.dumps(words).encode() + b"\n")


if __name__ == "__main__":
    prepare()
    if wait_for_commands():
        try:
            runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
        except SystemExit as end:
            leave(end.code)
