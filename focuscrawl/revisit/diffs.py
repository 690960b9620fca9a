"""What has changed in a text, sentence by sentence, for people."""

from __future__ import annotations

import re
from difflib import unified_diff

LARGEST = 64 * 1024
"""Bytes of a difference, as UTF-8."""

MOST_SENTENCES = 2_000
"""Sentences of a text up to which differences are looked for: it costs their square at worst."""

END = re.compile(r"(?<=[。!?;…])|(?<=[.!?])\s+|\n+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line."""
    return [one for raw in END.split(text) if (one := " ".join(raw.split()))]


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
        if size > LARGEST:
            break
        kept.append(line)
    return "\n".join(kept)
