"""How fast texts are cut, keywords ranked and values of SimHash made, beside the packages' own ways.

The texts are the articles of the demo web. ``python -m benchmarks.words --data FILE`` takes those
of a file instead: JSON lines (or .gz) with a field ``text``.

Keys, texts a second of CPU: ``cut`` (rjieba and what is done around it), ``cut_jieba`` (the
fallback), ``keywords`` (cutting included) and ``keywords_jieba`` (jieba.analyse),
``simhash`` of counted words; ``cut_vs_jieba`` and ``keywords_vs_jieba`` are how many times as fast
ours is. ``same``: the share of texts that both engines cut alike; ``same_words``: the share of words.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.parts.children import arguments, finish, table
from focuscrawl.demo.web import DemoWeb
from focuscrawl.readers.text.keywords import keywords, simhash_words
from focuscrawl.readers.text.words import Splitter, load_jieba, quietly

with quietly():
    from jieba.analyse import extract_tags

ROUNDS = 3


def texts(data: str, most: int) -> list[str]:
    """Return the texts of a file, or of the demo web."""
    if not data:
        return [article.text for article in DemoWeb(1).articles()][:most]
    raw = Path(data).read_bytes()
    lines = (gzip.decompress(raw) if data.endswith(".gz") else raw).decode("utf-8").splitlines()
    return [text for line in lines if (text := json.loads(line).get("text"))][:most]


def rate(work: Callable[[Any], object], values: Sequence[Any]) -> float:
    """Return how many values are worked on in a second, at best."""
    best = float("inf")
    for _ in range(ROUNDS):
        began = process_time()
        for value in values:
            work(value)
        best = min(best, process_time() - began)
    return len(values) / best


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__, "data")
    jieba = load_jieba()
    said = texts(options.data, 60 if options.quick else 400)
    fast, plain = Splitter(engine="rjieba"), Splitter(engine="jieba")
    jieba.dt.FREQ, jieba.dt.total = jieba.dt.gen_pfdict(jieba.dt.get_dict_file())
    jieba.dt.initialized = True
    cuts = [(fast.cut(text), plain.cut(text)) for text in said]
    same = sum((Counter(one) & Counter(other)).total() for one, other in cuts)
    counted = [Counter(one) for one, _ in cuts]
    result = {
        "texts": len(said),
        "characters": sum(map(len, said)) / len(said),
        "cut": rate(fast.cut, said),
        "cut_jieba": rate(plain.cut, said),
        "keywords": rate(lambda text: keywords(fast.cut(text)), said),
        "keywords_jieba": rate(extract_tags, said),
        "simhash": rate(simhash_words, counted),
        "same": sum(one == other for one, other in cuts) / len(cuts),
        "same_words": same / sum(len(other) for _, other in cuts),
    }
    result |= {
        "cut_vs_jieba": result["cut"] / result["cut_jieba"],
        "keywords_vs_jieba": result["keywords"] / result["keywords_jieba"],
    }
    table(["key", "seen"], list(result.items()))
    finish(result)


if __name__ == "__main__":
    main()
