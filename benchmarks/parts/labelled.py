"""Labelled pages for benchmarks: rows of *.jsonl.gz with html (base64), text, and perhaps date and url."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

DAY = re.compile(r"((?:19|20)\d\d)\D{1,3}(\d{1,2})\D{1,3}(\d{1,2})")
TOKEN = {True: re.compile(r"[A-Za-z0-9]+|[^\W_A-Za-z0-9]"), False: re.compile(r"\w+")}
RUN = 4


class Labelled(NamedTuple):
    """A page and what a person says is its text; ``date`` and ``author`` are None where
    nobody looked for one."""

    name: str
    body: bytes
    url: str
    text: str
    date: str | None
    author: str | None

    @property
    def is_chinese(self) -> bool:
        return self.name.startswith("zh")


def read(folder: Path, names: str = "*") -> list[Labelled]:
    """Read the sets of a folder, ``names`` is a pattern of file names without .jsonl.gz."""
    found = []
    for path in sorted(folder.glob(f"**/{names}.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if "html" in row:
                    body = base64.b64decode(row["html"])
                    url = row.get("url") or "http://example.com/"
                    name = path.name.partition(".")[0]
                    found.append(
                        Labelled(name, body, url, row["text"], row.get("date"), row.get("author"))
                    )
    return found


def day(text: str) -> str | None:
    """Return the first day a text names as 2026-11-20."""
    found = DAY.search(text)
    return f"{int(found[1]):04}-{int(found[2]):02}-{int(found[3]):02}" if found else None


def precision_and_recall(truth: str, found: str, *, chinese: bool) -> tuple[float, float]:
    """Compare runs of four words (Chinese: characters), each as often as it occurs."""
    right, mine = _runs(truth, chinese), _runs(found, chinese)
    if not right and not mine:
        return 1.0, 1.0
    both = (right & mine).total()
    return (both / mine.total() if mine else 0.0), (both / right.total() if right else 0.0)


def _runs(text: str, chinese: bool) -> Counter[tuple[str, ...]]:
    words = TOKEN[chinese].findall(text)
    last = max(1, len(words) - RUN + 1)
    return Counter(tuple(words[at : at + RUN]) for at in range(last)) if words else Counter()
