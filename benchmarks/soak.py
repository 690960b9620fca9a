"""An hour of a crawl that stays, as fast as its web has news: does it keep its memory?

Method. One topic over ``SITES`` sites behind a proxy on loopback in this process, no delay, ``continuous``. A site shows
a list of its newest twenty articles and publishes one each ``EVERY`` seconds, of some 2,000 characters in words drawn at
random; one in ten gains a sentence after a minute, each is removed after ten. Lists are read every ``LISTS`` seconds,
articles may be visited from a minute on (``gone`` counts answers 404, one of each site for its robots.txt). Everything is
on: reading, relevance, copies and stories, changes, results, figures of each minute. The process is asked each ``SAMPLE`` seconds for its resident
memory and its open files (Linux).

``memory_mb`` is the mean of the sixth after ten minutes, ``memory_end_mb`` that of the last sixth, ``growth_mb_h`` the
slope between them; ``files`` and ``files_end`` are open files. ``pages`` and ``pages_min`` are answers, ``cpu`` the share
of one core that the crawl took. ``--minutes`` says how long (60); ``--quick``: one, where nothing is flat yet.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections import Counter
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.parts.children import arguments, finish, start_crawl, table
from benchmarks.parts.web import NOT_FOUND, Web, answer

SITES = 60
EVERY = 1.0
LISTS = 10
SHOWN = 20
EDITED_AFTER, REMOVED_AFTER = 60.0, 600.0
SAMPLE = 5.0
WARM_SHARE = 1 / 6
"""Of the time, before and behind which memory is compared: ten minutes of an hour."""

WORDS = [
    f"{a}{b}"
    for a in ("食品", "药监", "抽检", "通报", "企业", "安全", "地铁", "盾构", "施工")
    for b in ("部门", "公告", "情况", "结果", "单位", "进展", "措施", "标准")
]
"""Words of texts, which share none of their sentences."""

TOPIC = """[topic]
keywords = ["食品|地铁"]

[[source]]
urls = [{homes}]
every = "{lists}s"

[relevance]
threshold = 0

[revisit]
continuous = true

[revisit.article]
first = "1m"
min = "1m"

[politeness]
delay = "0ms"

[limits]
time = "{minutes}m"
"""


class Sites:
    """What the sites show by now; ``answers`` counts by status."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.answers: Counter[int] = Counter()

    def __call__(self, asked: str) -> bytes:
        """Answer a request of the proxy."""
        parts = urlsplit(asked)
        age = time.monotonic() - self.began + SHOWN * EVERY
        newest = int(age / EVERY)
        if parts.path == "/":
            self.answers[200] += 1
            return answer(_list(parts.hostname or "", newest))
        number = (
            int(parts.path.rpartition("/")[2].removesuffix(".html") or 0)
            if "news" in parts.path
            else -1
        )
        since = age - number * EVERY
        if number < 0 or since > REMOVED_AFTER:
            self.answers[404] += 1
            return NOT_FOUND
        self.answers[200] += 1
        return answer(
            _article(parts.hostname or "", number, number % 10 == 0 and since > EDITED_AFTER)
        )


def _list(host: str, newest: int) -> bytes:
    links = "".join(
        f'<li><a href="/news/{number}.html">{_title(host, number)}</a></li>'
        for number in range(newest, max(newest - SHOWN, 0), -1)
    )
    return f"<html><head><title>{host}</title></head><body><ul>{links}</ul></body></html>".encode()


def _title(host: str, number: int) -> str:
    return "".join(random.Random(f"{host} {number}").choices(WORDS, k=5)) + f" {number}"


@lru_cache(maxsize=20_000)
def _article(host: str, number: int, is_edited: bool) -> bytes:
    draw = random.Random(f"{number} {host}")
    sentences = [
        "，".join("".join(draw.choices(WORDS, k=3)) for _ in range(4)) + "。" for _ in range(40)
    ]
    sentences += ["以上情况有新的进展，" + "".join(draw.choices(WORDS, k=6)) + "。"] * is_edited
    text = "".join(
        f"<p>{''.join(sentences[at : at + 5])}</p>" for at in range(0, len(sentences), 5)
    )
    title = _title(host, number)
    return (
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><article>{text}</article></body></html>"
    ).encode()


class Sample(NamedTuple):
    """The crawl's process at a moment: minutes since it began, megabytes, open files, answers."""

    minutes: float
    megabytes: float
    files: int
    pages: int


def sample(process: int, minutes: float, pages: int) -> Sample:
    """Ask the kernel about a process. Raises OSError when it has ended."""
    held = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    files = sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())
    return Sample(round(minutes, 2), held * os.sysconf("SC_PAGE_SIZE") / 2**20, files, pages)


def run(minutes: float) -> dict[str, Any]:
    """Crawl for so long."""
    homes = ", ".join(f'"http://site{number}.test/"' for number in range(SITES))
    topic = TOPIC.format(homes=homes, lists=LISTS, minutes=max(1, round(minutes)))
    sites, samples = Sites(), list[Sample]()
    with tempfile.TemporaryDirectory() as name, Web(sites) as web:
        folder = Path(name)
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n", "utf-8")
        (folder / "soak.toml").write_text(topic, encoding="utf-8")
        environment = {"http_proxy": f"http://127.0.0.1:{web.port}", "FOCUSCRAWL_DATA_DIR": name}
        command = ["crawl", "topic", "-a", "template=soak.toml", "-s", "LOG_LEVEL=WARNING"]
        crawl = start_crawl(command, folder, folder / "log", environment)
        began = time.monotonic()
        while crawl.poll() is None:
            time.sleep(SAMPLE)
            try:
                samples.append(
                    sample(crawl.pid, (time.monotonic() - began) / 60, sites.answers.total())
                )
                ticks = (
                    Path(f"/proc/{crawl.pid}/stat").read_text("ascii").rpartition(")")[2].split()
                )
            except OSError:
                break
            if len(samples) % 12 == 0:
                print(samples[-1], flush=True)
        if status := crawl.wait():
            raise RuntimeError(f"status {status}:\n{(folder / 'log').read_text()[-3000:]}")
    cpu = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
    return figures(samples) | {
        "cpu": round(cpu / (samples[-1].minutes * 60), 2),
        "gone": sites.answers[404],
    }


def figures(samples: list[Sample]) -> dict[str, Any]:
    """Compare what a process held after the first sixth of its time with the last."""
    each = max(1, round(len(samples) * WARM_SHARE))
    first, last = samples[each : 2 * each] or samples, samples[-each:]
    before, after = (fmean(one.megabytes for one in some) for some in (first, last))
    hours = (fmean(one.minutes for one in last) - fmean(one.minutes for one in first)) / 60
    return {
        "minutes": samples[-1].minutes,
        "pages": samples[-1].pages,
        "pages_min": round(samples[-1].pages / samples[-1].minutes),
        "memory_mb": round(before, 1),
        "memory_end_mb": round(after, 1),
        "growth_mb_h": round((after - before) / hours, 1) if hours > 0 else 0.0,
        "files": max(one.files for one in first),
        "files_end": max(one.files for one in last),
    }


def main() -> None:
    """Run for an hour, or with ``--quick`` for a minute."""
    given = arguments(__doc__, "minutes")
    found = run(float(given.minutes or (1 if given.quick else 60)))
    table(tuple(found), [tuple(found.values())])
    finish({"quick": given.quick, **found})


if __name__ == "__main__":
    main()
