"""A crawl that stays, on two workers: what happens on the sites of both is told once."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.crawls.test_partitions import HOSTS
from tests.crawls.test_shared import Workers, two, until, workers

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [
    pytest.mark.program,
    *(pytest.mark.B1, pytest.mark.change_rows, pytest.mark.of_a_file),
    pytest.mark.usefixtures("all_is_news"),
]
__all__ = ["workers"]  # a fixture

STAYS = """
every = "1s"
[politeness]
delay = "0s"
[settings]
RETRY_TIMES = 0
CONCURRENT_REQUESTS = 1
[revisit]
continuous = true
policy = "fixed"
gone_after = 2
gone_within = "1s"
[revisit.article]
first = "2s"
min = "2s"
max = "2s"
"""
"""It begins with a key of the source. One request at a time: a worker keeps sites that it asks just then, and the
second one is to get some.
"""

EDITED, REMOVED, QUIET, NEW = range(4)


def article(host: str, number: int) -> str:
    return f"http://{host}/news/{number}.html"


def write(web: Web, host: str, number: int, version: int = 1) -> None:
    """Put an article somewhere whose text is like no other's: neither a copy nor a small edit."""
    luck = random.Random(f"{host} {number} {version}")
    signs = [chr(one) for one in range(0x4E00, 0x5200)]
    said = ("食品" + "".join(luck.choices(signs, k=80)) + "。" for _ in range(5))
    title = f"{host}第{number}批食品抽检"
    body = "".join(f"<p>{sentence}</p>" for sentence in said)
    web.answers[article(host, number)] = web.page(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
        f"<p>发布时间：2026-11-18 08:00</p><div>{body}</div></body></html>"
    )


def told(project: Project, name: str) -> Counter[tuple[str, str]]:
    rows = project.rows("SELECT kind, url FROM changes WHERE what = 'article'", name)
    return Counter((row["kind"], row["url"]) for row in rows)


def test_what_changes_while_two_workers_stay_is_told_once(
    project: Project, web: Web, workers: Workers
) -> None:
    for host in HOSTS:
        web.board(f"http://{host}/", *(article(host, one) for one in (EDITED, REMOVED, QUIET)))
        for number in (EDITED, REMOVED, QUIET):
            write(web, host, number)
    sources = " ".join(f"http://{host}/" for host in HOSTS)
    workers.topic(STAYS, sources)
    new = {("new", article(host, number)) for host in HOSTS for number in (EDITED, REMOVED, QUIET)}
    started = two(web, workers)
    until(lambda: told(project, workers.name).keys() == new)

    for host in HOSTS:
        write(web, host, EDITED, version=2)
        del web.answers[article(host, REMOVED)]
        write(web, host, NEW)
        web.board(f"http://{host}/", *(article(host, number) for number in (EDITED, QUIET, NEW)))
    kinds = {EDITED: "major", REMOVED: "gone", NEW: "new"}
    later = {(kind, article(host, number)) for host in HOSTS for number, kind in kinds.items()}
    until(lambda: told(project, workers.name).keys() == new | later)
    before = len(web.asked())
    until(
        lambda: (
            {article(host, QUIET) for host in HOSTS} <= {one.url for one in web.asked()[before:]}
        )
    )
    for one in started:
        one.terminate()
    assert [workers.ended(one).status for one in started] == [0, 0]
    assert told(project, workers.name) == Counter([*new, *later])
    pages = [row["pages"] for row in project.rows("SELECT pages FROM crawl_runs", workers.name)]
    assert min(pages) > 3, "the sites of both have changed"
