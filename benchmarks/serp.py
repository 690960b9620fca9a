"""How well result pages of search engines are read, for a scorer with labelled pages of its own.

``answer(body, engine)`` is what such a scorer calls: the names of engines are those of
``[search] engines`` (360 for so360), and the answer has ``status`` (results, empty or blocked;
a page that cannot be read counts as blocked: it never means "no results") and ``results`` with
``href`` as the page writes it, ``url``, ``title`` and ``rank``.

``python -m benchmarks.serp --data DIR`` times the reading of every *.html below DIR.
"""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.parts.children import arguments, finish, table
from focuscrawl.pages.content import Fetched
from focuscrawl.search.result_page import SearchStatus, read_results
from focuscrawl.search.table import EngineTable, SearchTable
from focuscrawl.template.load import load

NAMES = {"360": "so360", "so": "so360", "ddg": "duckduckgo", "ddg-lite": "duckduckgo-lite"}
STATUS = {SearchStatus.OK: "results", SearchStatus.EMPTY: "empty"}
SHIPPED = ("baidu", "baidu-news", "bing", "duckduckgo", "duckduckgo-lite", "so360", "sogou")
NOT_SHIPPED = """
[search.engine.google]
url = "https://www.google.com/search?q={query}&start={first}"
"""
"""Its results are read by their looks alone, as those of any engine without selectors."""
ENGINES = (*SHIPPED, "google")


@cache
def engines() -> dict[str, EngineTable]:
    names = ", ".join(f'"{name}"' for name in ENGINES)
    text = f'[topic]\nname = "serp"\n[search]\nqueries = ["-"]\nengines = [{names}]\n{NOT_SHIPPED}'
    return load(text).template.of(SearchTable).engine


def answer(body: bytes, engine: str) -> dict[str, Any]:
    known = engines()[NAMES.get(engine, engine)]
    url = known.url.of("-", 1) if known.url else ""
    read = read_results(Fetched(url, 200, body, "", 0.0), known)
    results = [
        {"href": one.href, "url": one.url, "title": one.title, "rank": one.rank}
        for one in read.results
    ]
    return {"status": STATUS.get(read.status, "blocked"), "results": results}


def main() -> None:
    given = arguments(__doc__, "data")
    pages = sorted(Path(given.data).glob("**/*.html")) if given.data else []
    if not pages:
        print("no result pages to read: name a folder with --data")
        finish({"pages": 0})
        return
    rows, spent = [], 0.0
    for page in pages:
        known = sorted((*NAMES, *ENGINES), key=len, reverse=True)
        name = next((one for one in known if page.stem.startswith(one)), "baidu")
        body = page.read_bytes()
        begun = time.process_time()
        read = answer(body, name)
        spent += time.process_time() - begun
        rows.append((page.name, read["status"], len(read["results"])))
    table(("page", "status", "results"), rows)
    finish({"pages": len(pages), "ms_per_page": 1000 * spent / len(pages)})


if __name__ == "__main__":
    main()
