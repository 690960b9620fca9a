"""The table [stories]: articles of many sites that tell the same."""

from __future__ import annotations

from typing import Literal

from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import choice, flag
from focuscrawl.template.kinds.times import duration


# fmt: off
class StoryRules(Table, path="stories", doc="articles of many sites that tell the same"):
    """[stories]: what articles have in common (D). ``window`` is in seconds."""

    copies: Literal["join", "keep", "off"] = key(choice("join", "keep", "off"), "join",
        "What becomes of a text that an earlier article has, too: `join` makes it a member of that one's story and stores no second text; `keep` stores it and marks it; `off` does not look.",
        'copies = "keep"')
    events: bool = key(flag(), True,
        "Whether different texts about one event become one story.",
        "events = true")
    window: float = key(duration(), "7d",
        "What lies further apart is never one event. A copy may be of any age.",
        'window = "2d"')
    strict: bool = key(flag(), False,
        "The published form: articles with enough keywords at the same rank, in the title or else in the text, are duplicates; they are discarded, and their links are not followed.",
        "strict = false")
# fmt: on

    def on_links(self) -> dict[str, bool]:
        """Follow news only, where the published form can tell them."""
        return {"news_only": self.strict}
