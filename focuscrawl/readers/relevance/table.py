"""The table [relevance]: when a page belongs to the topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from focuscrawl.locale.messages import _
from focuscrawl.template.files import FileError
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import beside, share
from focuscrawl.template.kinds.words import Words
from focuscrawl.template.merge import Entry
from focuscrawl.template.toml import Problem, toml_text


# fmt: off
class RelevanceTable(Table, path="relevance", doc="when a page belongs to the topic"):
    """[relevance]: when a page belongs to the topic. ``model`` is where the file is."""

    threshold: float = key(share(), 0.3,
        "Score from 0 to 1 from which a page is relevant; with 0 one keyword anywhere is enough. `scrapy topic score` explains scores.",
        "threshold = 0.4")
    model: Path | None = key(beside(), None,
        "A file that `scrapy topic train` has written, relative to the template; it scores pages in the place of the keywords. `require` and `exclude` still hold.",
        'model = "cd-metro.model"', "none")
# fmt: on

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through what is wrong with the model, which a crawl needs."""
        given, around = entry.plain["model"], entry.around
        if not given or around.environment is None:
            return
        from focuscrawl.readers.relevance.model import ModelError, PageModel  # noqa: PLC0415 - few have one

        try:
            path = around.folder / Path(given).expanduser()
            if around.reach is not None:
                around.reach.check(path)
            PageModel.read(path)
        except (FileError, ModelError) as error:
            yield entry.problem("model", f" = {toml_text(given)}: {error}")

    @classmethod
    def warn(cls, entry: Entry) -> Iterator[Problem]:
        """Warn of a threshold that no page can reach by its keywords."""
        keywords = Words(entry.whole["topic"]["keywords"] or [])
        most, threshold = _most_by_keywords(keywords), entry.plain["threshold"]
        if most <= threshold and keywords and entry.plain["model"] is None:
            text = _("a page full of every keyword scores {most:.2g}: no page can be relevant").format(most=most)
            yield entry.problem("threshold", f" = {threshold:g}: {text}")


def _most_by_keywords(keywords: Words) -> float:
    """Return the score that no page can pass, however often it names every keyword."""
    evidence = sum(group.weight for group in keywords.groups)
    return evidence / (evidence + 1)
