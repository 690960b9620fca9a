"""The changes of an article as they are told: what it was before, that it is new, that it is whole."""

from __future__ import annotations

from focuscrawl.revisit.changes import Kind, Verdict
from focuscrawl.revisit.diffs import is_much, sentence_diff
from focuscrawl.values import ONCE, Article, PageChange, change_key


def change_of(
    article: Article, verdict: Verdict, visit: int, earlier: tuple[str, str] | None, now: float
) -> PageChange:
    """Return the change of an article; ``earlier`` are title and text of its version before.

    One that is minor by its SimHash is major when whole sentences came or went; where SimHashes
    could not be compared, that alone tells. Its id goes by the SimHash alone: after a crash the
    version before may be the new one already.
    """
    fields = {}
    diff = ""
    kind = verdict.kind
    if earlier is not None:
        title, text = earlier
        if title != article.title:
            fields["title"] = [title, article.title]
        diff = sentence_diff(text, article.text) if text else ""
        if text and (kind is Kind.MINOR or verdict.distance is None):
            kind = Kind.MAJOR if is_much(text, article.text) else Kind.MINOR
    key = article.url_key
    return PageChange(
        change_key(key, verdict.kind.value, visit),
        *(now, key, article.url, kind.value, "article"),
        *(fields, diff, verdict.distance, article.title),
    )


def begun(article: Article, complete: bool | None, now: float) -> PageChange | None:
    """Return the change that an article is new, or that its missing parts have come, if so.

    ``complete``: none was missing when it was stored last; None: it is not stored.
    """
    if complete or not (complete is None or article.complete):
        return None
    kind, key = "new" if complete is None else "completed", article.url_key
    return PageChange(
        change_key(key, kind, ONCE),
        *(article.fetched or now, key, article.url, kind, "article"),
        title=article.title,
        version=1,
    )
