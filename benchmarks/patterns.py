"""How many links of the demo web are classed before they are fetched, and how many rightly (D5).

The web is read breadth first; every page teaches what it really is. Before that, the patterns
learnt so far are asked what its address leads to.

Keys: ``classed``, the share of pages of which something was said, ``right``, the share of that which is true,
``article_precision`` and ``article_recall`` of what is said to be an article, ``class_us`` and
``learn_us``, microseconds of CPU for a question and for a lesson, ``record_bytes``, the largest
record of a site. The run is deterministic but for the times.
"""

from __future__ import annotations

import json
from collections import Counter
from time import process_time
from urllib.parse import urlsplit

from benchmarks.parts.children import arguments, finish, table
from focuscrawl.demo.web import DemoWeb
from focuscrawl.template.kinds.addresses import Matches
from focuscrawl.urls.patterns.url_patterns import UrlPatterns
from focuscrawl.values import PageClass

MIXED = {PageClass.PAGING: PageClass.BOARD}


def main() -> None:
    """Read the web and print the table."""
    options = arguments(__doc__)
    web = DemoWeb(1, "small" if options.quick else "full")
    known = UrlPatterns(lambda written: Matches([written]))
    pairs: Counter[tuple[PageClass, PageClass | None]] = Counter()
    asking = learning = 0.0
    for url, page in web.walk(web.homes()).items():
        if page.status != 200 or page.redirect:
            continue
        site, truth = urlsplit(url).netloc, MIXED.get(page.page_class, page.page_class)
        began = process_time()
        said = known.class_of(url, site).page_class
        asked = process_time()
        known.judged(url, site, page.page_class)
        asking, learning = asking + asked - began, learning + process_time() - asked
        pairs[truth, said] += 1
    classes = sorted({truth for truth, _ in pairs})
    table(
        ["what it is", "pages", "nothing said", "right", "wrong"],
        [
            (
                truth,
                sum(row.values()),
                row[None],
                row[truth],
                sum(row.values()) - row[None] - row[truth],
            )
            for truth in classes
            for row in [Counter({said: n for (is_it, said), n in pairs.items() if is_it is truth})]
        ],
    )
    pages = pairs.total()
    said_something = sum(n for (_, said), n in pairs.items() if said is not None)
    article = PageClass.ARTICLE
    found = pairs[article, article]
    finish(
        {
            "pages": pages,
            "classed": said_something / pages,
            "right": sum(n for (truth, said), n in pairs.items() if truth is said) / said_something,
            "article_precision": found
            / sum(n for (_, said), n in pairs.items() if said is article),
            "article_recall": found / sum(n for (truth, _), n in pairs.items() if truth is article),
            "class_us": asking / pages * 1e6,
            "learn_us": learning / pages * 1e6,
            "record_bytes": max(
                len(json.dumps(record)) for record in known.changed(all_of_it=True).values()
            ),
        }
    )


if __name__ == "__main__":
    main()
