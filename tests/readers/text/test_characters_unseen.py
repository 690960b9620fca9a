"""Characters that nobody sees leave titles; those that join letters of a script stay."""

from __future__ import annotations

from focuscrawl.readers.text.characters import without_unseen
from tests.tables import each_row


@each_row(
    ("text", "seen"),
    [
        ("食品\u200b抽检", "食品抽检"),
        ("\ufeff食品抽检\u200e", "食品抽检"),
        ("食\u00ad品\u2060抽检", "食品抽检"),
        ("食\u200d品\u200c抽检", "食品抽检"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("Food report", "Food report"),
        ("", ""),
    ],
)
def test_unseen_characters(text: str, seen: str) -> None:
    assert without_unseen(text) == seen
