"""How well records are read off contact pages (C7), by pages whose truth is known.

``python -m benchmarks.records`` draws pages: layouts, spellings, clutter and encodings. Its last
line is JSON: ``f1`` over all values, each a field of a record; ``records_right`` is the share of
pages with as many records as there are; ``ms`` a page with its parsing, ``read_ms`` without.
``--floor`` ends with status 1 below that f1.

``contact_records(body, url)`` is for a scorer with labelled pages of its own.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from functools import cache, partial
from typing import Any

from benchmarks.parts.children import finish, table
from benchmarks.parts.contact_pages import ContactPage, Values, pages
from focuscrawl.articles.article import is_dated
from focuscrawl.pages.document import Document
from focuscrawl.records.field_values import squeezed
from focuscrawl.records.reader import FoundRecord, read_records
from focuscrawl.records.table import RecordTable
from focuscrawl.template.load import load

PAGES, QUICK_PAGES = 720, 240
SHOWN = 12
Told = tuple[str, str]


@cache
def rules() -> RecordTable:
    """Return the rules of the shipped template ``directory``."""
    return load("directory").template.named(RecordTable)["company"]


def records_of(document: Document) -> list[FoundRecord]:
    """Read the records of a page, dates in UTC."""
    dated = partial(is_dated, document, fetched=None, timezone="UTC")
    return read_records(document, rules(), is_dated=dated)


def contact_records(body: bytes, url: str) -> list[dict[str, Any]]:
    """Return the records of a page as plain dicts; the field website is called url."""
    found = []
    for record in records_of(Document.read(body, url=url)):
        values = {
            "url" if name == "website" else name: [one.value for one in many]
            if rules().by_name[name].many
            else many[0].value
            for name, many in record.items()
        }
        found.append(values)
    return found


def told(record: Values) -> set[Told]:
    return {(name, squeezed(value)) for name, values in record.items() for value in values}


def plain(record: FoundRecord) -> Values:
    many = rules().by_name
    return {
        name: [str(one.value) for one in (values if many[name].many else values[:1])]
        for name, values in record.items()
    }


def compare(page: ContactPage, found: list[FoundRecord]) -> tuple[Counter[str], list[str]]:
    """Count right, missed and made-up values: each true record against the one most like it."""
    counts: Counter[str] = Counter()
    said = []
    left = [told(plain(record)) for record in found]
    for truth in map(told, page.records):
        best = max(left, key=lambda one: len(one & truth), default=set[Told]())
        if best in left:
            left.remove(best)
        counts["right"] += len(best & truth)
        counts["missed"] += len(truth - best)
        counts["extra"] += len(best - truth)
        said += [f"{page.layout}: missed {name} {value}" for name, value in sorted(truth - best)]
        said += [f"{page.layout}: extra {name} {value}" for name, value in sorted(best - truth)]
    counts["extra"] += sum(map(len, left))
    said += [f"{page.layout}: extra record {sorted(one)}" for one in left]
    counts["alike"] += len(found) == len(page.records)
    return counts, said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a third of the pages")
    parser.add_argument("--pages", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--floor", type=float, default=0.0)
    asked = parser.parse_args()
    drawn = asked.pages or (QUICK_PAGES if asked.quick else PAGES)
    total: Counter[str] = Counter()
    by_layout: dict[str, Counter[str]] = {}
    said: list[str] = []
    spent = reading = 0.0
    for page in pages(asked.seed, drawn):
        began = time.process_time()
        document = Document.read(page.body, url="http://a.example/", content_type=page.content_type)
        parsed = time.process_time()
        found = records_of(document)
        ended = time.process_time()
        spent, reading = spent + ended - began, reading + ended - parsed
        counts, lines = compare(page, found)
        total += counts
        by_layout.setdefault(page.layout, Counter()).update(counts)
        said += lines
    print("\n".join(said[:SHOWN]))
    rows = [
        (name, counts["right"], counts["missed"], counts["extra"], f"{f1(counts):.4f}")
        for name, counts in sorted(by_layout.items(), key=lambda item: f1(item[1]))
    ]
    table(("layout", "right", "missed", "extra", "f1"), rows)
    result = {
        "f1": round(f1(total), 4),
        "records_right": round(total["alike"] / drawn, 4),
        "values": total["right"] + total["missed"],
        "pages": drawn,
        "ms": round(spent / drawn * 1000, 2),
        "read_ms": round(reading / drawn * 1000, 2),
    }
    finish(result)
    sys.exit(result["f1"] < asked.floor)


def f1(counts: Counter[str]) -> float:
    return 2 * counts["right"] / max(1, 2 * counts["right"] + counts["missed"] + counts["extra"])


if __name__ == "__main__":
    main()
