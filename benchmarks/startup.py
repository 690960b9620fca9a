"""What small commands and the first second of a crawl cost, over what Scrapy alone takes for them.

Method. A plain project of Scrapy's with one spider, one of ours with one topic, and one of ours with
``TOPICS`` more. Each command runs in a process of its own, in turn with plain Scrapy's of the same name;
its CPU (user and system) is taken, and of all its runs the least counts: what else a machine does only
adds. Bytecode is kept in a folder of the benchmark's own, which the first runs fill: it counts as it does
for people, whatever the environment says. ``crawl`` is ended at the first request that arrives on loopback; robots.txt is not asked for, so
that both ask for the same. ``topic check`` has no like in Scrapy and is held against ``list``.

``topic_ms`` is what each further topic adds to ``list``.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.parts.children import arguments, finish, table

RUNS, QUICK_RUNS = 9, 3
TOPICS = 50
TOPIC = """[topic]
title = "成都地铁建设{number}"
keywords = ["地铁^3", "轨道交通|城轨", "盾构|站点", "线路规划"]
require = ["成都|天府新区"]
exclude = ["招聘", "二手房"]

[[source]]
urls = ["{url}"]
tags = ["市级"]

[[source]]
url = "https://www.example.com/chengdu/"

[follow]
scope = "sources"
depth = 4

[article]
since = "2026-01-01"

[limits]
pages = 1000
"""
SPIDER = """import scrapy

class Metro(scrapy.Spider):
    name = "metro"
    start_urls = ["{url}"]
"""
TICKS = os.sysconf("SC_CLK_TCK")


class Case(NamedTuple):
    """A command of ours and the one of plain Scrapy's it is held against."""

    name: str
    ours: tuple[str, ...]
    plain: tuple[str, ...]


CASES = (
    Case("version", ("version",), ("version",)),
    Case("list", ("list",), ("list",)),
    Case("check", ("topic", "check", "metro"), ("list",)),
    Case("crawl", ("crawl", "metro"), ("crawl", "metro")),
)


def projects(folder: Path, url: str) -> tuple[Path, Path, Path]:
    """Write the plain project, ours with one topic and ours with many; return their folders."""
    plain, ours, many = (folder / name for name in ("plain", "ours", "many"))
    (plain / "bare" / "spiders").mkdir(parents=True)
    for name in ("__init__", "spiders/__init__"):
        (plain / "bare" / f"{name}.py").touch()
    (plain / "bare" / "settings.py").write_text('SPIDER_MODULES = ["bare.spiders"]\n', "utf-8")
    (plain / "bare" / "spiders" / "metro.py").write_text(SPIDER.format(url=url), "utf-8")
    (plain / "scrapy.cfg").write_text("[settings]\ndefault = bare.settings\n", "utf-8")
    for own, topics in ((ours, 0), (many, TOPICS)):
        (own / "topics").mkdir(parents=True)
        (own / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n", "utf-8")
        for number in range(topics + 1):
            name = f"metro{number}" if number else "metro"
            text = TOPIC.format(number=number, url=url)
            (own / "topics" / f"{name}.toml").write_text(text, "utf-8")
    return plain, ours, many


def whole(folder: Path, command: tuple[str, ...]) -> float:
    """Run a command and return the seconds of CPU it took. Raises CalledProcessError."""
    before = os.times()
    subprocess.run(
        _words(command), cwd=folder, env=_environment(folder), check=True, capture_output=True
    )
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def to_first_request(server: socket.socket) -> Callable[[Path, tuple[str, ...]], float]:
    """Return what runs a command until it asks the server something, and gives its CPU until then."""

    def run(folder: Path, command: tuple[str, ...]) -> float:
        words = [*_words(command), "-s", "ROBOTSTXT_OBEY=False", "-s", "LOG_ENABLED=False"]
        with subprocess.Popen(words, cwd=folder, env=_environment(folder)) as process:
            try:
                server.accept()[0].close()
                # The name in brackets may hold blanks; behind it utime and stime come 12th and 13th.
                fields = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2]
            finally:
                process.kill()
        return sum(map(int, fields.split()[11:13])) / TICKS

    return run


def _words(command: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "scrapy", *command]


def _environment(folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder.parent / "bytecode")}


def run(runs: int) -> dict[str, float]:
    """Measure all; print the table and return the keys."""
    figures: dict[str, float] = {}
    rows = []
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        plain, ours, many = projects(Path(name), url)
        for case in CASES:
            cost = to_first_request(server) if case.name == "crawl" else whole
            pairs = [(cost(plain, case.plain), cost(ours, case.ours)) for _ in range(runs)]
            theirs, own = (min(seconds) for seconds in zip(*pairs, strict=True))
            figures |= {
                f"{case.name}_cpu": round(own, 3),
                f"{case.name}_ratio": round(own / theirs, 3),
            }
            rows.append((f"scrapy {' '.join(case.ours)}", own, theirs, own / theirs))
        lists = min(whole(many, ("list",)) for _ in range(runs))
        figures["topic_ms"] = round((lists - figures["list_cpu"]) / TOPICS * 1000, 2)
    table(("command", "ours, s of CPU", "Scrapy alone", "ratio"), rows)
    return figures


def main() -> None:
    """Run."""
    given = arguments(__doc__, "runs")
    finish(run(int(given.runs or (QUICK_RUNS if given.quick else RUNS))))


if __name__ == "__main__":
    main()
