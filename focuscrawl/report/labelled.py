"""Pages that people have called relevant or irrelevant, for training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import Connection, Engine, select

from focuscrawl.results.kinds.articles import ARTICLES
from focuscrawl.results.kinds.pages import PAGES
from focuscrawl.results.kinds.sites import LABELS

MEANING = {"relevant": True, "irrelevant": False, "starred": True}
"""Labels that say something about the topic."""

_AT_A_TIME = 500


class LabelledPage(NamedTuple):
    """A page and its label; ``text`` is None when the text was not stored."""

    url: str
    title: str
    text: str | None
    relevant: bool


def labelled_pages(engine: Engine, topic: str) -> list[LabelledPage]:
    """Return the labelled pages of a topic, by key.

    The table ``labels`` is the strongest (the newest there), then the label of the article, then
    that of the page.
    """
    with engine.connect() as connection:
        verdicts: dict[str, bool] = {}
        for table in (PAGES, ARTICLES):
            query = select(table.c.url_key, table.c.label).where(
                table.c.topic == topic, table.c.label.in_(MEANING)
            )
            verdicts |= {key: MEANING[label] for key, label in connection.execute(query)}
        query = (
            select(LABELS.c.target_key, LABELS.c.label)
            .where(
                LABELS.c.topic == topic,
                LABELS.c.target.in_(("page", "article")),
                LABELS.c.label.in_(MEANING),
            )
            .order_by(LABELS.c.at)
        )
        verdicts |= {key: MEANING[label] for key, label in connection.execute(query)}
        return list(_pages(connection, topic, verdicts))


def _pages(connection: Connection, topic: str, verdicts: dict[str, bool]) -> Iterator[LabelledPage]:
    same = (ARTICLES.c.topic == PAGES.c.topic) & (ARTICLES.c.url_key == PAGES.c.url_key)
    for keys in _slices(sorted(verdicts)):
        query = (
            select(
                PAGES.c.url_key,
                PAGES.c.url,
                PAGES.c.title,
                ARTICLES.c.title.label("headline"),
                ARTICLES.c.text,
            )
            .outerjoin(ARTICLES, same)
            .where(PAGES.c.topic == topic, PAGES.c.url_key.in_(keys))
            .order_by(PAGES.c.url_key)
        )
        for key, url, title, headline, text in connection.execute(query):
            yield LabelledPage(url, headline or title or "", text or None, verdicts[key])


def _slices(keys: list[str]) -> Iterable[list[str]]:
    return (keys[start : start + _AT_A_TIME] for start in range(0, len(keys), _AT_A_TIME))
