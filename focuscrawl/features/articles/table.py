"""The table [article]: what is kept of articles."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal

from focuscrawl.locale.messages import _
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import Invalid, Kind, choice, listed, text, whole
from focuscrawl.template.kinds.times import since


def suffix() -> Kind:
    """The ending of a file name, with or without its dot; ``image`` stands for all images."""

    def read(value: object) -> str:
        found = str(value).strip().lower().removeprefix(".") if isinstance(value, str) else ""
        if not re.fullmatch(r"[a-z0-9]{1,10}", found):
            raise Invalid(_('the ending of a file name, like "pdf", or "image"'), value)
        return found

    return Kind("text", read, {"type": "string"})


# fmt: off
class ArticleTable(Table, path="article", doc="what is kept of articles"):
    """[article]: what is kept. ``since`` is an age in seconds or an aware moment, ``files`` are
    endings of file names, small and without dot, and "image".
    """

    keep: Literal["relevant", "all", "none"] = key(choice("relevant", "all", "none"), "relevant",
        "Which articles are stored.",
        'keep = "relevant"')
    since: float | datetime | None = key(since(), None,
        "What is older is noted but not stored, and ends the paging of a list.",
        'since = "60d"', "none")
    min_length: int = key(whole(), 60,
        "Texts with fewer characters count as `short`, unless there are images or attachments that the text names.",
        "min_length = 60")
    languages: tuple[str, ...] = key(listed(text(), "texts"), None,
        "Only articles in these languages.",
        'languages = ["zh"]', "any")
    pages: int = key(whole(1, 500), 100,
        "The most pages of one article that are put together.",
        "pages = 30")
    images: Literal["urls", "none"] = key(choice("urls", "none"), "urls",
        "Whether addresses of images are kept.",
        'images = "urls"')
    files: tuple[str, ...] = key(listed(suffix(), "texts"), None,
        "Attachments of stored articles that are fetched, by the endings of their names; `image`: the images of the text. Each has a row in `files`; bodies are not kept yet.",
        'files = ["pdf", "docx", "image"]', "none")

    def on_links(self) -> dict[str, int]:
        """Follow the pages of an article as far as they are put together."""
        return {"article_pages": self.pages}

    def oldest(self, now: float) -> float | None:
        """Return the wall time before which articles are not stored; None: all are."""
        if isinstance(self.since, datetime):
            return self.since.timestamp()
        return None if self.since is None else now - self.since
# fmt: on
