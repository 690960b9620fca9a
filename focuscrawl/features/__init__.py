"""The features of a crawl, as dotted names in the order of their turns: the only file that names them.

It imports nothing of ours, so that commands that load no feature pay for none.
"""

from __future__ import annotations

from collections.abc import Mapping

FEATURES = (
    "focuscrawl.features.addresses.feature.Addresses",
    "focuscrawl.features.withheld.feature.Withheld",
    "focuscrawl.features.revisit.missing.feature.SoftNotFound",
    "focuscrawl.features.revisit.feature.Revisit",
    "focuscrawl.features.baseline.feature.Baseline",
    "focuscrawl.features.articles.feature.Articles",
    "focuscrawl.features.site_layouts.feature.Layouts",
    "focuscrawl.features.explore.feature.Exploration",
    "focuscrawl.features.records.feature.Records",
    "focuscrawl.features.forums.feature.Forums",
    "focuscrawl.features.stories.feature.Stories",
    "focuscrawl.features.revisit.signals.feature.Signals",
    "focuscrawl.features.search.feature.Search",
    "focuscrawl.features.politeness.feature.SitePoliteness",
    "focuscrawl.features.word_groups.feature.WordGroups",
    "focuscrawl.features.unrecognised.feature.Unrecognised",
    "focuscrawl.features.silent_sources.feature.Sources",
    "focuscrawl.output.report.feature.Report",
    "focuscrawl.output.export.feature.Exports",
    "focuscrawl.output.notify.feature.Notices",
    "focuscrawl.features.article_limit.feature.ArticleLimit",
)

ROWS = (
    "focuscrawl.stores.results.kinds.pages",
    "focuscrawl.features.articles.rows.articles",
    "focuscrawl.features.records.rows",
    "focuscrawl.features.search.rows",
    "focuscrawl.features.forums.rows",
    "focuscrawl.features.stories.rows",
    "focuscrawl.stores.results.kinds.runs",
    "focuscrawl.output.export.rows",
    "focuscrawl.output.notify.rows",
    "focuscrawl.stores.results.kinds.history",
)
"""Modules with kinds of rows, in the order in which a commit window writes them: changes
come last, since writing the others decides what has changed."""

TABLES = (
    "focuscrawl.features.search.table",
    "focuscrawl.readers.links.table",
    "focuscrawl.readers.relevance.table",
    "focuscrawl.features.explore.table",
    "focuscrawl.features.articles.table",
    "focuscrawl.features.stories.table",
    "focuscrawl.features.records.table",
    "focuscrawl.frontier.table",
    "focuscrawl.features.revisit.table",
    "focuscrawl.features.politeness.table",
    "focuscrawl.readers.pages.table",
    "focuscrawl.output.export.table",
    "focuscrawl.output.notify.table",
)
"""Modules with tables of the template, in the order of docs/template.md."""

STEP = 100
"""Our features stand at 100, 200, … among those of FOCUSCRAWL_FEATURES."""


def features_in_use(given: Mapping[str, int | None]) -> list[str]:
    """Return the features of a crawl, those of FOCUSCRAWL_FEATURES among ours by their numbers.

    None switches one off; ours have a short name, too: ``focuscrawl.forums.Forums``.
    """
    places: dict[str, int | None] = {name: STEP * at for at, name in enumerate(FEATURES, start=1)}
    ours = {short_name(name): name for name in FEATURES}
    places |= {ours.get(name, name): place for name, place in given.items()}
    numbered = [(place, name) for name, place in places.items() if place is not None]
    return [name for _, name in sorted(numbered, key=lambda one: one[0])]


def short_name(name: str) -> str:
    """Return the name by which settings may call one of our features: without where its folder stands, and its file."""
    package, _, rest = name.replace(".feature.", ".").split(".", 2)
    return f"{package}.{rest}"


def rows_in_use(given: Mapping[str, int | None]) -> list[str]:
    """Return where the kinds of rows are: our modules, and the features of a user's own.

    One of ours that is switched off keeps its tables, for what earlier runs have stored in them.
    """
    own = [name for name in features_in_use(given) if name not in FEATURES]
    return [*ROWS[:-1], *own, ROWS[-1]]
