"""What has changed in a text, sentence by sentence, for people; whether that is much; and how it is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher, unified_diff

from focuscrawl.revisit.change.comparison import ChangeKind, VisitVerdict
from focuscrawl.values import ONCE, Article, PageChange, change_key

LARGEST_DIFF = 64 * 1024
"""Bytes of a difference, as UTF-8."""

MOST_SENTENCES = 2_000
"""Sentences of a text up to which differences are looked for: it costs their square at worst."""

MUCH = 2
"""Whole sentences that came or went from which on a text has changed much."""

SHORTEST_SENTENCE = 15
"""Characters below which a line is a label or a signature, not a sentence."""

ALIKE = 0.5
"""The part of its characters that a sentence shares at least with what it was before an edit."""

_LONGEST_COMPARED = 200
"""Characters of a sentence that are compared: it costs their square at worst."""

_MOST_PAIRS = 400
"""Pairs of sentences that are looked at; where more differ, much has changed."""

_END = re.compile(r"(?<=[。!?;…])|(?<=[.!?])\s+|\n+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line."""
    return [one for raw in _END.split(text) if (one := " ".join(raw.split()))]


def sentence_diff(before: str, after: str) -> str:
    """Return the unified difference of two texts by sentence, without a head.

    It is cut at 64 KB between two lines; "" for texts too long to compare.
    """
    old, new = sentences(before), sentences(after)
    if max(len(old), len(new)) > MOST_SENTENCES:
        return ""
    lines = list(unified_diff(old, new, n=1, lineterm=""))[2:]
    kept, size = [], 0
    for line in lines:
        size += len(line.encode("utf-8", "replace")) + 1
        if size > LARGEST_DIFF:
            break
        kept.append(line)
    return "\n".join(kept)


def is_much(before: str, after: str) -> bool:
    """Whether two whole sentences at least have come or gone, not only been edited or moved.

    A SimHash does not see that in a long text: there a new paragraph is a few bits at most.
    """
    old, new = sentences(before), sentences(after)
    went, came = _only_in(old, new), _only_in(new, old)
    if len(went) * len(came) > _MOST_PAIRS:
        return True
    for sentence in came[:]:
        edited = next((one for one in went if _is_alike(one, sentence)), None)
        if edited is not None:
            went.remove(edited)
            came.remove(sentence)
    return len(went) + len(came) >= MUCH


def _only_in(these: Sequence[str], others: Sequence[str]) -> list[str]:
    known = frozenset(others)
    return [one for one in these if len(one) >= SHORTEST_SENTENCE and one not in known]


def _is_alike(one: str, other: str) -> bool:
    matcher = SequenceMatcher(None, one[:_LONGEST_COMPARED], other[:_LONGEST_COMPARED], False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def change_of(
    article: Article, verdict: VisitVerdict, visit: int, earlier: tuple[str, str] | None, now: float
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
        if text and (kind is ChangeKind.MINOR or verdict.distance is None):
            kind = ChangeKind.MAJOR if is_much(text, article.text) else ChangeKind.MINOR
    key = article.url_key
    return PageChange(
        change_key(key, verdict.kind.value, visit),
        *(now, key, article.url, kind.value, "article"),
        *(fields, diff, verdict.distance, article.title),
    )


def first_change(article: Article, complete: bool | None, now: float) -> PageChange | None:
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
