"""Which pages are read with the right characters, whatever their header and they themselves say.

Method. Each Chinese page of the labelled set (``--data DIR``, see ``benchmarks.parts.labelled``) is
answered under eight conditions: as it is; its meta elements removed; a wrong one in their place;
the same but after 6,000 bytes of script; under a header that says ISO-8859-1; one that says utf-8;
written anew as GBK without any declaration; turned into traditional characters and written as Big5
without any. ``ours`` is what a callback reads behind EncodingMiddleware, ``scrapy`` without it. Read
right is a page in which 98 % of the different characters of its labelled text are found. Pages that
say nothing are given without a header's charset.

The last line has ``pages`` and, for each condition, how many were read right by either; ``ms`` is
the CPU time of deciding, a page.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opencc import OpenCC
from scrapy.http import HtmlResponse

from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.labelled import Labelled, read
from focuscrawl.bodies import is_read_with
from focuscrawl.readers.pages.encodings import find_encoding

META = re.compile(rb"<meta[^>]*charset[^>]*>|<\?xml[^>]*\?>", re.IGNORECASE)
HAN = re.compile(r"[\u4e00-\u9fff]")
SHARE = 0.98
FEWEST_QUICK = 12
Answered = tuple[bytes, str]


def text_of(page: Labelled) -> str:
    """Decode a page by its label: the encoding that has most of the labelled characters."""
    tried = [page.body.decode(name, "replace") for name in ("utf-8", "gb18030", "big5hkscs")]
    return max(tried, key=lambda text: share(page.text, text))


def share(truth: str, text: str) -> float:
    """Return the share of the different Han characters of one text that are in the other."""
    wanted = set(HAN.findall(truth))
    return len(wanted & set(text)) / len(wanted) if wanted else 1.0


def _meta(body: bytes, charset: bytes, padding: int = 0) -> bytes:
    bare = META.sub(b"", body)
    script = b"<script>" + b"x" * padding + b"</script>" if padding else b""
    return b"<html><head>" + script + b'<meta charset="' + charset + b'">' + bare


def _wrong(body: bytes) -> bytes:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return b"utf-8"
    return b"gb2312"


def _bare(text: str, encoding: str) -> bytes:
    return META.sub(b"", text.encode(encoding, "ignore"))


CONDITIONS: dict[str, Callable[[Labelled], Answered]] = {
    "as_is": lambda page: (page.body, "text/html"),
    "no_meta": lambda page: (META.sub(b"", page.body), "text/html"),
    "wrong_meta": lambda page: (_meta(page.body, _wrong(page.body)), "text/html"),
    "late_meta": lambda page: (_meta(page.body, _wrong(page.body), 6_000), "text/html"),
    "header_latin1": lambda page: (page.body, "text/html; charset=ISO-8859-1"),
    "header_utf8": lambda page: (page.body, "text/html; charset=utf-8"),
    "gbk_bare": lambda page: (_bare(text_of(page), "gbk"), "text/html"),
    "big5_bare": lambda page: (_bare(_traditional(text_of(page)), "big5hkscs"), "text/html"),
}


def _traditional(text: str) -> str:
    return str(OpenCC("s2t").convert(text))


def run(pages: list[Labelled]) -> dict[str, Any]:
    """Read every page under every condition."""
    rows, result, spent = [], {"pages": len(pages)}, 0.0
    for name, answer in CONDITIONS.items():
        ours = scrapys = 0
        for page in pages:
            body, content_type = answer(page)
            truth = _traditional(page.text) if name == "big5_bare" else page.text
            if name in {"big5_bare", "gbk_bare"}:  # what the set cannot write is not looked for
                encoding = "big5hkscs" if name == "big5_bare" else "gbk"
                truth = truth.encode(encoding, "ignore").decode(encoding)
            response = HtmlResponse(page.url, headers={"Content-Type": content_type}, body=body)
            scrapys += share(truth, response.text) >= SHARE
            begun = time.process_time()
            found = find_encoding(body, content_type=content_type, url=page.url).name
            spent += time.process_time() - begun
            if not is_read_with(response, found):
                response = response.replace(encoding=found)
            ours += share(truth, response.text) >= SHARE
        rows.append((name, ours, scrapys, len(pages)))
        result[name] = ours
        result[f"{name}_scrapy"] = scrapys
    table(("condition", "ours", "scrapy", "pages"), rows)
    return result | {"ms": round(1000 * spent / len(pages) / len(CONDITIONS), 3)}


def main() -> None:
    """Run over the Chinese pages of a folder."""
    given = arguments(__doc__, "data")
    pages = read(Path(given.data), "zh*") if given.data else []
    pages = [page for page in pages if share(page.text, text_of(page)) >= SHARE]
    if not pages:
        print(
            "no labelled Chinese pages: --data DIR with zh*.jsonl.gz is needed (see the docstring)"
        )
    finish(run(pages[:FEWEST_QUICK] if given.quick else pages) if pages else {"pages": 0})


if __name__ == "__main__":
    main()
