"""What reading an article costs beside the libraries it stands on; how well is benchmarks.quality.

Method. Every page of the labelled sets (``--data DIR``, see ``benchmarks.parts.labelled``) is read
by ``focuscrawl.features.articles.read`` from its bytes. CPU times are taken page by page in turns, the least of three rounds
(``--quick``: one), and summed: ``article_vs_readability`` is article over readability-lxml's
summary of the page's decoded text, ``fast_vs_resiliparse`` is fast over resiliparse's own way from
bytes: detect the encoding, parse, extract.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from readability import Document as ReadabilityDocument
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree

from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.labelled import Labelled, read
from focuscrawl.features import articles
from focuscrawl.features.articles.main_text import read_plain_text
from focuscrawl.readers.pages.document import Document

ROUNDS, QUICK_PAGES = 3, 24


def fast(body: bytes, url: str) -> str:
    """Read a page as a crawl does that only wants to know what it is about."""
    return read_plain_text(Document.read(body, url=url))


def by_resiliparse(page: Labelled) -> str:
    """Read a page as resiliparse's documentation does."""
    tree = HTMLTree.parse_from_bytes(page.body, detect_encoding(page.body) or "utf-8")
    return str(extract_plain_text(tree, main_content=True))


def by_readability(text: str) -> str:
    """Read a page as readability's documentation does."""
    return str(ReadabilityDocument(text).summary(html_partial=True))


def seconds(call: Callable[[], object]) -> float:
    """Return the CPU seconds of one call."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def cost(pages: list[Labelled], rounds: int) -> dict[str, float]:
    """Return milliseconds a page for each way of reading."""
    spent = dict.fromkeys(("article", "readability", "fast", "resiliparse"), 0.0)
    for page in pages:
        text = page.body.decode(detect_encoding(page.body) or "utf-8", "replace")
        ways: dict[str, Callable[[], object]] = {
            "article": partial(articles.read, page.body, page.url),
            "readability": partial(by_readability, text),
            "fast": partial(fast, page.body, page.url),
            "resiliparse": partial(by_resiliparse, page),
        }
        for name, way in ways.items():
            spent[name] += min(seconds(way) for _ in range(rounds))
    return {name: 1000 * one / len(pages) for name, one in spent.items()}


def main() -> None:
    """Read the pages of a folder."""
    given = arguments(__doc__, "data")
    pages = read(Path(given.data)) if given.data else []
    if given.quick:
        pages = pages[:: max(1, len(pages) // QUICK_PAGES)]
    if not pages:
        print("no labelled pages: --data DIR with *.jsonl.gz is needed (see the docstring)")
        finish({"pages": 0})
        return
    spent = cost(pages, 1 if given.quick else ROUNDS)
    table(("way", "ms a page"), list(spent.items()))
    finish(
        {f"{name}_ms": round(one, 2) for name, one in spent.items()}
        | {
            "article_vs_readability": round(spent["article"] / spent["readability"], 2),
            "fast_vs_resiliparse": round(spent["fast"] / spent["resiliparse"], 2),
            "pages": len(pages),
        }
    )


if __name__ == "__main__":
    main()
