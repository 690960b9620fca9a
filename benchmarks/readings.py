"""The weights by which one of four readings of a page is taken for its text, made from labelled pages.

``python -m benchmarks.readings --data DIR`` reads the sets of articles and of typed pages below DIR (as quality.py does), of
these what is dated or calls itself an article, finds the weights of the features of a reading that tell its F1 best (linear, ridge ``RIDGE``), and prints: what choosing by
weights that four other fifths of the pages gave would change in each set, the same without choosing, and with the best
reading each time; then the table for ``focuscrawl/features/articles/readings.py``, made from all pages.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Mapping, Sequence
from multiprocessing import Pool
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple

import numpy as np

from benchmarks.parts.children import table
from benchmarks.parts.labelled import precision_and_recall
from benchmarks.parts.scores import f1_of, f1_of_words
from benchmarks.parts.world_pages import Row
from benchmarks.quality import sets_of
from focuscrawl.features.articles.article import read_metadata
from focuscrawl.features.articles.boilerplate import trimmed
from focuscrawl.features.articles.main_text import (
    read_both,
    readings_of,
)
from focuscrawl.features.articles.readings import (
    features_of,
    is_doubtful,
    most_promising,
)
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.kind import says_article
from focuscrawl.readers.text.dates import DateReader

SETS = ("en", "zh-news", "zh-old", "pages2", "fundus", "world", "zh3", "wcxb")
RIDGE = 10.0
FIFTHS = 5


class Read(NamedTuple):
    """What became of one page: its set, or type of pages, F1 of what is stored by each reading, what is weighed of each, and
    whether that is done."""

    kind: str
    f1: Mapping[str, float]
    features: Mapping[str, Mapping[str, float]]
    is_doubted: bool


def read_page(kind: str, row: Row) -> Read | None:
    """Read a page in all ways; None for one without a text in its label, that is no article as far as it says, or whose
    readings agree on nothing."""
    _, body, label = row
    if not label.get("text"):
        return None
    document = Document.read(body, url=label.get("url") or "http://nowhere.test/")
    said = read_metadata(document, DateReader("Asia/Shanghai", None))
    if said.published is None and not says_article(document):
        return None
    agreed = read_both(document)
    readings = readings_of(agreed)
    features = features_of(readings)
    if "agreed" not in features:
        return None

    def f1(text: str) -> float:
        text = trimmed(text, said.title)
        if "type" in label:
            return f1_of_words(label["text"], text)
        return f1_of(*precision_and_recall(label["text"], text, chinese=label["chinese"]))

    kind = f"{kind} {label['type']}" if "type" in label else kind
    by_name = {name: f1(getattr(readings, name)) for name in features}
    return Read(kind, by_name, features, is_doubtful(agreed.main.text, agreed.complete))


def weights_of(pages: Sequence[Read]) -> dict[str, float]:
    """Return the weights of the features that tell best, by least squares, what F1 a reading has."""
    names = list(next(iter(pages[0].features.values())))
    rows = np.array([[*one.values()] for page in pages for one in page.features.values()])
    scores = np.array([page.f1[name] for page in pages for name in page.features])
    spread = rows.std(axis=0) + 1e-9
    scaled = (rows - rows.mean(axis=0)) / spread
    ridge = scaled.T @ scaled + RIDGE * np.eye(len(names))
    found = np.linalg.solve(ridge, scaled.T @ (scores - scores.mean())) / spread
    return dict(zip(names, map(float, found), strict=True))


def taken(page: Read, weights: Mapping[str, float]) -> float:
    """Return the F1 of the reading that is chosen by weights."""
    return page.f1[most_promising(page.features, weights) if page.is_doubted else "agreed"]


def main() -> None:
    """Print the table of gains and that of weights."""
    options = ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True, help="folder with the labelled sets")
    sets = sets_of(options.parse_args().data, SETS)
    asked = [(name, row) for name in SETS for row in sets[name].rows]
    with Pool() as pool:
        pages = [one for one in pool.starmap(read_page, asked, chunksize=4) if one is not None]
    fifths = [Random(number).randrange(FIFTHS) for number in range(len(pages))]
    by_fifth = [
        weights_of([page for page, own in zip(pages, fifths, strict=True) if own != fifth])
        for fifth in range(FIFTHS)
    ]
    kinds = defaultdict[str, list[tuple[float, float, float]]](list)
    for page, fifth in zip(pages, fifths, strict=True):
        figures = page.f1["agreed"], taken(page, by_fifth[fifth]), max(page.f1.values())
        kinds[page.kind].append(figures)
        if " " in page.kind:
            kinds[page.kind.split()[0]].append(figures)
    table(
        ("set", "pages", "agreed", "chosen", "best reading"),
        [(kind, len(rows), *map(fmean, zip(*rows, strict=True))) for kind, rows in kinds.items()],
    )
    for name, weight in weights_of(pages).items():
        print(f'    "{name}": {weight:.3f},')


if __name__ == "__main__":
    main()
