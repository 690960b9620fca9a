"""What a run says of a template that is another than the last run's: what it does, what it offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.results.judging import JudgedCounts
    from focuscrawl.topic.changes import TemplateChanges


def offers(
    name: str, changes: TemplateChanges, counts: JudgedCounts, rescored: int
) -> Iterator[str]:
    """Yield lines; ``rescored`` waiting links have another score than before."""
    if changes.words:
        yield f"the words of the topic have changed: {rescored:,} waiting links have another score"
        if counts.articles:
            yield (
                f"{counts.articles:,} stored articles can be judged anew by their texts:"
                f" scrapy topic rejudge {name}"
            )
        if counts.refused:
            yield (
                f"{counts.refused:,} pages that were refused are not fetched again:"
                f" scrapy topic rejudge {name} --refetch would"
            )
    if changes.records:
        yield (
            f"the fields of records have changed: {counts.records:,} stored ones are read anew when"
            f" their pages are visited again; all at once: scrapy topic reread {name}"
        )
