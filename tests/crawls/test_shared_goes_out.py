"""What goes out of a crawl on a Redis with its results in PostgreSQL, and of crawls that do not end."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import openpyxl
import pytest

from tests.crawls.days import DAY
from tests.crawls.test_partitions import HOSTS
from tests.crawls.test_shared import Workers, two, until, workers
from tests.crawls.test_shared_changes import article, write
from tests.output.notify.conftest import hook

if TYPE_CHECKING:
    from tests.databases import Database
    from tests.output.notify.receivers import Hook
    from tests.programs import Running
    from tests.project import Project
    from tests.web import Web

__all__ = ["hook", "workers"]  # fixtures

pytestmark = [pytest.mark.B1, pytest.mark.of_a_file, pytest.mark.program]

GOES_OUT = """
[[notify]]
to = "env:NEWS_HOOK"
every = "1s"
[output.exports."out/new.csv"]
since = "last-export"
columns = ["url"]
[output.exports."out/all.xlsx"]
every = "1m"
"""
ONE_BY_ONE = """
[politeness]
delay = "0s"
[settings]
RETRY_TIMES = 0
CONCURRENT_REQUESTS = 1
"""
STAYS = f"""
every = "1m"
{ONE_BY_ONE}
[revisit]
continuous = true
"""
HURRIED = """
import time

BEGAN = time.time()


class Hurried:
    '''A minute of wall time is a second.'''

    def wall(self):
        return BEGAN + (time.time() - BEGAN) * 60

    def steady(self):
        return time.monotonic()


clock = Hurried()
"""


@pytest.fixture
def server(postgresql_database: Database, hook: Hook) -> dict[str, str]:
    """Return the environment of crawls with results on a server, which tell the hook."""
    results = postgresql_database.url
    return {"FOCUSCRAWL_RESULTS": results, "NEWS_HOOK": hook.url, "no_proxy": "127.0.0.1"}


def publish(web: Web, *numbers: int) -> set[str]:
    """Put so many articles on each site; return the addresses."""
    for host in HOSTS:
        for number in numbers:
            write(web, host, number)
        web.board(f"http://{host}/", *(article(host, number) for number in numbers))
    return {article(host, number) for host in HOSTS for number in numbers}


def listed(path: Path) -> list[str]:
    """Return the addresses that a file has."""
    return sorted(path.read_text("utf-8-sig").splitlines()[1:])


def in_workbook(path: Path) -> set[str]:
    """Return the addresses of the articles of a workbook, which has a sheet for what there is alone."""
    workbook = openpyxl.load_workbook(path)
    if "文章" not in workbook.sheetnames:
        return set()
    heads, *rows = workbook["文章"].iter_rows(values_only=True)
    return {str(row[heads.index("网址")]) for row in rows}


def test_two_workers_tell_and_write_once_what_is_new(
    project: Project, web: Web, workers: Workers, hook: Hook, server: dict[str, str]
) -> None:
    known = publish(web, 1)
    workers.topic(ONE_BY_ONE + GOES_OUT, " ".join(f"http://{host}/" for host in HOSTS))
    first = workers.ended(workers.start(**server))
    assert first.status == 0, first.said
    out = project.folder / "out"
    assert listed(out / "new.csv") == sorted(known)
    assert hook.taken == []

    new = publish(web, 1, 2) - known
    later = {**server, "FOCUSCRAWL_SHIFT": str(1.1 * DAY)}
    ended = [workers.ended(one) for one in two(web, workers, **later)]
    assert [one.status for one in ended] == [0, 0], ended
    assert hook.told == dict.fromkeys(new, 1)
    assert listed(out / "new.csv") == sorted(new)
    assert in_workbook(out / "all.xlsx") == known | new
    for name in ("export", "notify"):
        assert sum(f"\n  {name}" in one.said for one in ended) == 1, name


def stay(
    project: Project, workers: Workers, *, is_shared: bool, **environment: str
) -> list[Running]:
    """Start a crawl that stays: alone over a file, or two workers over a Redis."""
    project.write("hurried.py", HURRIED)
    environment["FOCUSCRAWL_CLOCK"] = "hurried:clock"
    if is_shared:
        return [*two(workers.project.web, workers, **environment)]
    running = project.start("crawl", workers.name, **environment)
    workers.started.append(running)
    return [running]


@pytest.mark.parametrize("is_shared", [False, True], ids=["file", "shared"])
def test_a_crawl_that_does_not_end_tells_and_writes_meanwhile(
    project: Project,
    web: Web,
    workers: Workers,
    hook: Hook,
    server: dict[str, str],
    is_shared: bool,
) -> None:
    known = publish(web, 1)
    workers.topic(STAYS + GOES_OUT, " ".join(f"http://{host}/" for host in HOSTS))
    if not is_shared:
        server.pop("FOCUSCRAWL_RESULTS")
    running = stay(project, workers, is_shared=is_shared, **server)
    book = project.folder / "out" / "all.xlsx"
    until(lambda: book.exists() and in_workbook(book) == known)
    assert hook.taken == []

    new = publish(web, 1, 2) - known
    until(lambda: hook.told.keys() == new)
    until(lambda: in_workbook(book) == known | new)
    assert all(one.poll() is None for one in running)
    for one in running:
        one.send_signal(signal.SIGINT)
    ended = [workers.ended(one) for one in running]
    assert [one.status for one in ended] == [0] * len(ended), ended
    assert hook.told == dict.fromkeys(new, 1)
    assert in_workbook(book) == known | new
