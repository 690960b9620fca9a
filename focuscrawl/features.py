"""The features of a crawl, as dotted names in the order of their turns: the only file that names them.

It imports nothing of ours, so that commands that load no feature pay for none.
"""

from __future__ import annotations

from collections.abc import Mapping

FEATURES = (
    "focuscrawl.links.feature.Addresses",
    "focuscrawl.withheld.feature.Withheld",
    "focuscrawl.revisit.missing.feature.SoftNotFound",
    "focuscrawl.revisit.feature.Revisit",
    "focuscrawl.baseline.feature.Baseline",
    "focuscrawl.articles.feature.Articles",
    "focuscrawl.explore.feature.Exploration",
    "focuscrawl.records.feature.Records",
    "focuscrawl.forums.feature.Forums",
    "focuscrawl.stories.feature.Stories",
    "focuscrawl.revisit.signals.feature.Signals",
    "focuscrawl.search.feature.Search",
    "focuscrawl.politeness.feature.SitePoliteness",
    "focuscrawl.relevance.feature.WordGroups",
    "focuscrawl.unrecognised.feature.Unrecognised",
    "focuscrawl.silent_sources.feature.Sources",
    "focuscrawl.report.document.feature.Report",
    "focuscrawl.export.feature.Exports",
    "focuscrawl.notify.feature.Notices",
    "focuscrawl.limits.feature.ArticleLimit",
)

ROWS = (
    "focuscrawl.results.kinds.pages",
    "focuscrawl.articles.rows.articles",
    "focuscrawl.records.rows",
    "focuscrawl.search.rows",
    "focuscrawl.forums.rows",
    "focuscrawl.stories.rows",
    "focuscrawl.results.kinds.runs",
    "focuscrawl.export.rows",
    "focuscrawl.notify.rows",
    "focuscrawl.results.kinds.history",
)
"""Modules with kinds of rows, in the order in which a commit window writes them: changes
come last, since writing the others decides what has changed."""

TABLES = (
    "focuscrawl.search.table",
    "focuscrawl.links.table",
    "focuscrawl.relevance.table",
    "focuscrawl.explore.table",
    "focuscrawl.articles.table",
    "focuscrawl.stories.table",
    "focuscrawl.records.table",
    "focuscrawl.frontier.table",
    "focuscrawl.revisit.table",
    "focuscrawl.politeness.table",
    "focuscrawl.pages.table",
    "focuscrawl.export.table",
    "focuscrawl.notify.table",
)
"""Modules with tables of the template, in the order of docs/template.md."""

STEP = 100
"""Our features stand at 100, 200, … among those of FOCUSCRAWL_FEATURES."""


def features_in_use(given: Mapping[str, int | None]) -> list[str]:
    """Return the features of a crawl, those of FOCUSCRAWL_FEATURES among ours by their numbers.

    None switches one off; ours may be named without ``feature``, as in ``focuscrawl.forums.Forums``.
    """
    places: dict[str, int | None] = {name: STEP * at for at, name in enumerate(FEATURES, start=1)}
    ours = {name.replace(".feature.", "."): name for name in FEATURES}
    places |= {ours.get(name, name): place for name, place in given.items()}
    numbered = [(place, name) for name, place in places.items() if place is not None]
    return [name for _, name in sorted(numbered, key=lambda one: one[0])]


def rows_in_use(given: Mapping[str, int | None]) -> list[str]:
    """Return where the kinds of rows are: our modules, and the features of a user's own.

    One of ours that is switched off keeps its tables, for what earlier runs have stored in them.
    """
    own = [name for name in features_in_use(given) if name not in FEATURES]
    return [*ROWS[:-1], *own, ROWS[-1]]
