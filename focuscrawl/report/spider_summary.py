"""What is told at the end of a spider of a user's own: what it gave, by whom it was read, what was answered.

Such a spider has no topic, so nothing here names a key of one, nor a page class: it says what Scrapy's
users know, classes of items, callbacks, status codes and settings.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from focuscrawl.report.summary import MOST_FAILED, Summary, end_sentence, places
from focuscrawl.report.wording import counted, duration_text, most_frequent, size_text

_MOST = 8
"""Classes, callbacks, codes and reasons that are told each; the others are counted together."""

_SENTENCES = {
    "limit_pages": "Stopped at CLOSESPIDER_PAGECOUNT.",
    "limit_articles": "Stopped at CLOSESPIDER_ITEMCOUNT.",
    "limit_errors": "Stopped at CLOSESPIDER_ERRORCOUNT.",
    "limit_time": "Stopped at CLOSESPIDER_TIMEOUT.",
}
"""By ``end_reason``, where a topic has a key of its own for it."""


@dataclass(slots=True)
class SpiderCounts:
    """What a spider did: items by class (``dropped`` by pipelines), pages by callback, answers by
    status, what failed inside the spider and the pipelines by exception. Mutable."""

    items: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    callbacks: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)


def spider_summary_text(run: Summary, counts: SpiderCounts) -> str:
    """Return the summary, lines separated by line feeds; of ``run`` what a spider without a topic has."""
    sentence = _SENTENCES.get(run.end_reason) or end_sentence(run.end_reason, run.end_detail)
    answers = f"{counted(run.pages, 'page')} from {counted(run.requests, 'request')}"
    lines = [
        f"{run.topic}: {sentence}",
        f"  {answers} in {duration_text(run.seconds)}, {size_text(run.bytes)}",
    ]
    for title, found in (
        ("items", counts.items),
        ("dropped", counts.dropped),
        ("callbacks", counts.callbacks),
        ("statuses", counts.statuses),
        ("exceptions", counts.raised),
        ("failures", run.failures),
        ("not asked", run.page_reasons),
    ):
        if any(found.values()) or found is counts.items:
            lines.append(f"  {title:<10} {most_frequent(found, _MOST, 'of others') or 'none'}")
    waits = ((run.waiting, "waiting"), (run.failed, "failed, to be tried again"))
    if left := [f"{count:,} {words}" for count, words in waits if count]:
        lines.append(f"  left       {', '.join(left)}: the next run goes on with them")
    lines += [f"    {url}  ({reason})" for url, reason in run.failed_urls[:MOST_FAILED]]
    return "\n".join(lines + places(run))
