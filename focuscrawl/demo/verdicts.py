"""Judges what a crawl of the demo web stored, and how politely it asked."""

from __future__ import annotations

import codecs
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise

from focuscrawl.demo.report import Finding, Kept, Request, plain
from focuscrawl.demo.stories import rightly_joined, telling
from focuscrawl.demo.truth import ArticleTruth, Page
from focuscrawl.values import PageClass

Row = Mapping[str, object]

CHINESE_ENCODINGS = frozenset({"gb2312", "gbk", "gb18030"})
"""One encoding and its supersets: the larger ones read all of it."""

PLAIN_CLASSES = frozenset(
    (
        PageClass.BOARD,
        PageClass.PAGING,
        PageClass.ARTICLE,
        PageClass.ARTICLE_PAGING,
        PageClass.FEED,
        PageClass.SITEMAP,
    )
)
"""Classes about which two people would agree; a company's home or contact page is a matter of taste."""

TRUE_FIELDS = {"url": "website"}
"""What fields of the truth are called in the topic."""

CLOCK_ERROR = 0.003
"""Seconds by which two log times may be wrong against each other."""


def squeezed(text: object) -> str:
    """The text without any white space: what must be equal."""
    return "".join(str(text or "").split())


def stored(row: Row) -> datetime | None:
    """Read a stored time; None when there is none."""
    text = row["published"]
    if text is None:
        return None
    read = datetime.fromisoformat(str(text))
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _plainly(name: str) -> str:
    name = name.rstrip("!").lower()
    try:
        name = codecs.lookup(name).name
    except LookupError:
        return name
    return "gb18030" if name in CHINESE_ENCODINGS else name


def storing(expected: Mapping[str, Page], log: list[Request], kept: Kept) -> list[Finding]:
    """Judge the articles: all there, text, title, date; joined where they have several parts."""
    articles = {
        plain(url): page.article
        for url, page in expected.items()
        if page.article and page.page_class is PageClass.ARTICLE and _to_be_had(page)
    }
    told = {url: article for url, article in articles.items() if article.relevant}
    copies = rightly_joined(told, kept)
    relevant = {url: article for url, article in told.items() if url not in copies}
    have = {url: (relevant[url], kept.articles[url]) for url in relevant if url in kept.articles}
    lost = sorted(relevant.keys() - have.keys())
    wrongly = sorted(url for url in kept.articles if url in articles and url not in told)
    good = {plain(request.url) for request in log if request.good}
    multi = {url: article for url, article in relevant.items() if len(article.parts) > 1}
    torn = sorted(
        f"{url} ({len(have_parts)} of {len(article.parts)} parts)"
        for url, article in multi.items()
        if len(have_parts := [part for part in article.part_urls if plain(part) in good])
        < len(article.parts)
    )
    further = {plain(url) for article in articles.values() for url in article.part_urls[1:]}
    loose = sorted(further & kept.articles.keys())
    joined = {url for url in multi if url in have and _joined(*have[url])}

    def check(name: str, is_right: Callable[[ArticleTruth, Row], bool]) -> Finding:
        wrong = sorted(url for url, pair in have.items() if not is_right(*pair))
        return Finding(name, len(have) - len(wrong), len(have), tuple(wrong))

    return [
        Finding("relevant articles stored", len(have), len(relevant), tuple(lost), fatal=True),
        Finding("irrelevant articles left out", len(articles) - len(told) - len(wrongly), len(articles) - len(told), tuple(wrongly)),
        check("text right and whole", _whole),
        check("title right", lambda truth, row: squeezed(row["title"]) == squeezed(truth.title)),
        check("date right, or rightly none", lambda truth, row: stored(row) == truth.published),
        Finding("all parts fetched", len(multi) - len(torn), len(multi), tuple(torn), fatal=True),
        Finding("parts joined into one article", len(joined), len(multi), tuple(sorted(multi.keys() - joined)), fatal=True),
        Finding("parts that are no articles", len(further) - len(loose), len(further), tuple(loose)),
        *telling(told, kept),
    ]  # fmt: skip


def _to_be_had(page: Page) -> bool:
    return page.trouble is None or page.trouble.times is not None


def _whole(truth: ArticleTruth, row: Row) -> bool:
    return squeezed(row["text"]) == squeezed(truth.text)


def _joined(truth: ArticleTruth, row: Row) -> bool:
    """Whether all parts are there, each once and in order, whatever else is."""
    text, at = squeezed(row["text"]), 0
    for part in truth.parts:
        found = text.find(squeezed(part), at)
        if found < 0:
            return False
        at = found + len(squeezed(part))
    return bool(row["complete"]) and row["page_count"] == len(truth.parts)


def recording(expected: Mapping[str, Page], kept: Kept) -> list[Finding]:
    """Judge the records: one for each company, its values neither more nor less than they are."""
    truths = {plain(url): page.record for url, page in expected.items() if page.record}
    found: dict[str, list[Row]] = defaultdict(list)
    for row in kept.records:
        found[plain(str(row["url"]))].append(row["data"])
    wrong = []
    for url, truth in sorted(truths.items()):
        records = found.get(url, [])
        if len(records) != 1:
            wrong.append(f"{url} ({len(records)} records)")
        elif different := _different(truth.fields, records[0]):
            wrong.append(f"{url} ({', '.join(different)})")
    none = sorted(url for url in found if url not in truths)
    right = len(truths) - len(wrong)
    return [
        Finding("company records equal to their truth", right, len(truths), tuple(wrong)),
        Finding("records that are none", len(none), len(kept.records), tuple(none)),
    ]


def _different(truth: Mapping[str, str | list[str]], data: Row) -> list[str]:
    """Return the fields that are missing, made up, or have another value."""
    known = {TRUE_FIELDS.get(name, name): value for name, value in truth.items()}
    names = [*known, *(name for name in data if name not in known)]
    return [name for name in names if _listed(known.get(name)) != _listed(data.get(name))]


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def understanding(expected: Mapping[str, Page], kept: Kept) -> list[Finding]:
    """Judge what was understood of each page: its class, where it has a plain one, its encoding."""
    known = {
        plain(url): (page, kept.pages[plain(url)])
        for url, page in expected.items()
        if plain(url) in kept.pages and not page.redirect and _to_be_had(page)
    }
    classes = sorted(
        f"{url} ({row['page_class']}, is {page.page_class})"
        for url, (page, row) in known.items()
        if page.page_class in PLAIN_CLASSES and row["page_class"] != page.page_class
    )
    plainly = sum(page.page_class in PLAIN_CLASSES for page, _ in known.values())
    encodings = sorted(
        f"{url} ({row['encoding']}, is {page.encoding})"
        for url, (page, row) in known.items()
        if row["encoding"] and _plainly(str(row["encoding"])) != _plainly(page.encoding)
    )
    return [
        Finding("page class right", plainly - len(classes), plainly, tuple(classes)),
        Finding("encoding right", len(known) - len(encodings), len(known), tuple(encodings)),
    ]


def politeness(log: list[Request], delays: Mapping[str, float], delay: float) -> Finding:
    """Judge the gaps between requests to one host; ``delays`` are those of robots.txt, in seconds."""
    tight, smallest = [], float("inf")
    gaps = list(_gaps(log))
    for host, gap, url in gaps:
        least = max(delay, delays.get(host, 0.0))
        smallest = min(smallest, gap / least if least else smallest)
        if gap < least - CLOCK_ERROR:
            tight.append(f"{url} ({gap * 1000:.0f} ms after the one before, of {least * 1000:.0f})")
    note = f"smallest gap {smallest:.0%} of the delay asked for" if gaps else ""
    return Finding("delay kept", len(gaps) - len(tight), len(gaps), tuple(tight), note=note)


def _gaps(log: list[Request]) -> Iterator[tuple[str, float, str]]:
    by_host: dict[str, list[Request]] = defaultdict(list)
    for request in log:
        by_host[request.host].append(request)
    for host, requests in by_host.items():
        requests.sort(key=lambda request: request.at)
        for first, second in pairwise(requests):
            yield host, second.at - first.at, second.url
