"""Does one thing to the files of a folder again and again, and is killed each time a step later.

``python killed_steps.py WORK FOLDER EVERY``: for n = 1, 2, … (behind the twentieth only each EVERY-th)
copies FOLDER/before to FOLDER/n and forks a process that does WORK there and kills itself with SIGKILL
at its n-th step: a statement of SQLite (before it is executed), a file that is opened by SQLite,
renamed or removed. Prints the last n, with which the work has ended by itself.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from sqlite3 import dbapi2
from typing import Any

from scrapy.settings import Settings

from focuscrawl.config import read_config
from focuscrawl.features import ROWS
from focuscrawl.stores.results.kind import Kinds
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import SystemClock
from focuscrawl.verbs.data import Places, _write

FILES = frozenset({"os.rename", "os.remove", "sqlite3.connect"})


def open_crawl(folder: Path) -> None:
    store = SQLiteStore(folder / "news.crawl.db")
    store.own()
    store.release()


def open_results(folder: Path) -> None:
    Results.open(
        folder / "news.db",
        "news",
        kinds=Kinds.load(ROWS),
        clock=SystemClock(),
        text_index=True,
        records={"firm": ["name"]},
    ).close()


def back_up(folder: Path) -> None:
    config = read_config(Settings({"FOCUSCRAWL_DATA_DIR": str(folder)}), {}, folder)
    places = Places("news", config, folder / "news.crawl.db", folder / "news.db", Kinds.load(ROWS))
    _write(places, folder / "kept.zip")


WORKS: dict[str, Callable[[Path], None]] = {
    "open_crawl": open_crawl,
    "open_results": open_results,
    "back_up": back_up,
}


def kill_at(step: int) -> None:
    """Kill this process at one of its next steps."""
    left = step

    def count(_statement: str = "") -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    class Counted(sqlite3.Connection):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self.set_trace_callback(count)

    def hear(event: str, _arguments: tuple[Any, ...]) -> None:
        if event in FILES:
            count()

    sqlite3.connect = dbapi2.connect = partial(sqlite3.connect, factory=Counted)  # type: ignore[assignment]
    sys.addaudithook(hear)


def main(work: Callable[[Path], None], folder: Path, every: int) -> int:
    step = 0
    while True:
        step += 1 if step < 20 else every
        here = folder / str(step)
        shutil.copytree(folder / "before", here)
        pid = os.fork()
        if not pid:
            kill_at(step)
            work(here)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status != -signal.SIGKILL:
            return step if status == 0 else -step


if __name__ == "__main__":
    print(main(WORKS[sys.argv[1]], Path(sys.argv[2]), int(sys.argv[3])))
