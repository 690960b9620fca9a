"""Pages that somebody has spoilt: none stops a reader, none costs more than two seconds of CPU.

Method. Pages of the demo web and of ``benchmarks/pages``, or those of ``--data DIR`` (its ``*.html``
and the rows of its ``*.jsonl.gz`` that have html), are mutated: pieces cut out, repeated, moved,
nested, put into another page, bytes turned, quotation marks and tags broken. Each is judged with
all readers on (articles, lists, forums, records) and read as the answer of a search engine, by the
selectors of one that is shipped or by its looks alone. The same ``--seed`` makes the same pages; ``--pages`` is how many
(20,000; ``--quick``: 100).

*failed* counts pages on which a reader raised, whether that was caught or not, *slow* those that
cost more than two seconds; the first of each kind are kept in ``--keep DIR`` when it is given.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from scrapy.utils.test import get_crawler

from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.labelled import read
from benchmarks.parts.readers import engines
from benchmarks.quality import OWN_PAGES
from focuscrawl.demo.web import DemoWeb
from focuscrawl.features.search.result_page import read_results
from focuscrawl.kernel.run import Run
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.template.load import load
from focuscrawl.values import PageClass, Waiting

logger = logging.getLogger(__name__)

PAGES, QUICK_PAGES = 20_000, 100
SLOW = 2.0
MOST_BYTES = 3_000_000
MOST_KEPT = 20
NOW = 1.79e9
TOPIC = """
extends = "directory"
[topic]
name = "fuzz"
keywords = ["食品", "抽检", "公司", "the"]
[[source]]
name = "a"
url = "http://a.example/"
[[source]]
name = "b"
url = "http://b.example/"
kind = "forum"
[record.company]
pages = "all"
"""
CLASSES = (
    None,
    None,
    PageClass.ARTICLE,
    PageClass.BOARD,
    PageClass.THREAD,
    PageClass.ARTICLE_PAGING,
)

Mutation = Callable[[bytes, bytes, Random], bytes]


def _slice(body: bytes, random: Random, longest: int = 2_000) -> tuple[int, int]:
    """Return begin and end of a piece, mostly from one tag to another."""
    begin = random.randrange(len(body) + 1)
    end = min(len(body), begin + random.randint(1, longest))
    if random.random() < 0.7:
        begin = max(0, body.rfind(b"<", 0, begin + 1))
        end = max(begin, body.rfind(b"<", begin, end + 1))
    return begin, end


def cut_out(body: bytes, other: bytes, random: Random) -> bytes:
    begin, end = _slice(body, random)
    return body[:begin] + body[end:]


def cut_off(body: bytes, other: bytes, random: Random) -> bytes:
    return body[: random.randrange(len(body) + 1)]


def repeat(body: bytes, other: bytes, random: Random) -> bytes:
    begin, end = _slice(body, random, 400)
    times = int(10 ** random.uniform(0, 4))
    return body[:begin] + body[begin:end] * times + body[end:]


def move(body: bytes, other: bytes, random: Random) -> bytes:
    begin, end = _slice(body, random)
    rest = body[:begin] + body[end:]
    place, _ = _slice(rest, random)
    return rest[:place] + body[begin:end] + rest[place:]


def graft(body: bytes, other: bytes, random: Random) -> bytes:
    begin, end = _slice(other, random, 20_000)
    place, _ = _slice(body, random)
    return body[:place] + other[begin:end] + body[place:]


def turn_bytes(body: bytes, other: bytes, random: Random) -> bytes:
    turned = bytearray(body)
    for _ in range(random.randint(1, 50)):
        if turned:
            turned[random.randrange(len(turned))] = random.randrange(256)
    return bytes(turned)


def break_marks(body: bytes, other: bytes, random: Random) -> bytes:
    mark, put = random.choice(
        [(b'"', b""), (b">", b""), (b"</", b"<"), (b"-->", b""), (b"=", b" "), (b"</div>", b"")]
    )
    return body.replace(mark, put, random.randint(1, 200))


def nest(body: bytes, other: bytes, random: Random) -> bytes:
    place, _ = _slice(body, random)
    tag = random.choice(
        [b"<div>", b"<table><tr><td>", b"<ul><li>", b"<span>", b"<b>", b"<a href=/x>"]
    )
    return body[:place] + tag * int(10 ** random.uniform(0, 3.5)) + body[place:]


def swap_words(body: bytes, other: bytes, random: Random) -> bytes:
    word = random.choice(
        [
            "电话：",
            "2026-11-20 ",
            "下一页",
            "回复",
            "1",
            "作者：",
            "地址：",
            "\u3000",
            "\0",
            "（记者 ",
            "责编：",
            "2 小时前 ",
            "转",
            "<i class=hidden>",
            "<b itemprop=telephone>",
        ]
    )
    place, _ = _slice(body, random)
    return body[:place] + word.encode() * int(10 ** random.uniform(0, 4)) + body[place:]


MUTATIONS: tuple[Mutation, ...] = (
    cut_out, cut_off, repeat, repeat, move, graft, turn_bytes, break_marks, nest, swap_words,
)  # fmt: skip


def pages_of(data: str) -> list[bytes]:
    """Return the pages that are spoilt. Raises SystemExit where there are none."""
    if data:
        folder = Path(data)
        found = [page.body for page in read(folder)]
        found += [path.read_bytes() for path in sorted(folder.rglob("*.htm*"))]
        if not found:
            raise SystemExit(f"--data {folder}: no *.html and no *.jsonl.gz with html there")
        return found
    web = DemoWeb(size="small")
    found_by_url = web.walk(web.homes())
    found = [page.body for page in found_by_url.values() if b"<html" in page.body[:500]]
    return found + [path.read_bytes() for path in sorted(OWN_PAGES.rglob("*.html"))]


def mutated(pages: list[bytes], count: int, seed: str) -> Iterator[bytes]:
    """Go through spoilt pages; number n is the same for the same pages and seed."""
    for number in range(count):
        random = Random(f"{seed}/{number}")
        body = random.choice(pages)
        for _ in range(random.randint(1, 6)):
            body = random.choice(MUTATIONS)(body, random.choice(pages), random)[:MOST_BYTES]
        yield body


class Failures(logging.Handler):
    """Hears of the errors that judging catches."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1


def main() -> None:
    args = arguments(__doc__, "pages", "data", "seed", "keep")
    count = int(args.pages or (QUICK_PAGES if args.quick else PAGES))
    pages = pages_of(args.data)
    template = load(TOPIC, {}, {}).template
    rules = AdmissionRules.from_template(template, NOW)
    judge = Run.begin(get_crawler(), "fuzz", template).judge
    address = rules.canonicalizer.address("http://a.example/news/list_2.html")
    if address is None:
        raise RuntimeError("no address")
    asked = [engine for _, engine in sorted(engines().items())]
    failures = Failures()
    logging.getLogger().addHandler(failures)
    costs, raised, slow = [], [], []
    random = Random(args.seed or "1")
    for number, body in enumerate(mutated(pages, count, args.seed or "1")):
        waiting = Waiting(
            address.url, address.key, address.site, 3, 3, random.choice(CLASSES),
            source_id=random.choice(("a", "b")), parent_key=b"p" * 16,
        )  # fmt: skip
        caught, begun = failures.count, time.process_time()
        try:
            fetched = Fetched(address.url, 200, body, "text/html", NOW)
            judge.judge(fetched, waiting)
            read_results(fetched, asked[number % len(asked)])
            failed = failures.count > caught
        except Exception:
            logger.exception("page %s stopped the judge", number)
            failed = True
        costs.append(time.process_time() - begun)
        for kind, numbers in (("failed", raised), ("slow", slow)):
            if failed if kind == "failed" else costs[-1] > SLOW:
                numbers.append(number)
                if args.keep and len(numbers) <= MOST_KEPT:
                    Path(args.keep).mkdir(parents=True, exist_ok=True)
                    Path(args.keep, f"{kind}-{number}.html").write_bytes(body)
    costs.sort()
    figures = {
        "pages": len(costs),
        "of": len(pages),
        "failed": len(raised),
        "slow": len(slow),
        "median_ms": round(costs[len(costs) // 2] * 1000, 1),
        "slowest_s": round(costs[-1], 2),
    }
    table(["", "found"], [[name, value] for name, value in figures.items()])
    finish({"quick": args.quick, **figures, "first_failed": raised[:5], "first_slow": slow[:5]})


if __name__ == "__main__":
    main()
