"""Pages explained: what a trial understood of each, why each has its score, which lie near the threshold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Engine, create_engine, func, not_, or_, select

from focuscrawl.relevance.page_score import PageScore, ScorePart
from focuscrawl.report.wording import counted, most_frequent
from focuscrawl.results.kinds.articles import ARTICLES
from focuscrawl.results.kinds.pages import PAGES
from focuscrawl.results.kinds.records import RECORDS
from focuscrawl.results.kinds.runs import CRAWL_RUNS
from focuscrawl.values import PageClass

if TYPE_CHECKING:
    from focuscrawl.template.template import Template

_MOST_REASONS = 8
_CONTENT = frozenset({PageClass.ARTICLE, PageClass.ARTICLE_PAGING})


def tried_text(database: Path, timezone: ZoneInfo) -> str:
    """Return the report on a results file of one run; dates are in the topic's timezone."""
    engine = create_engine(f"sqlite:///{database}")
    try:
        with engine.connect() as connection:
            pages = connection.execute(select(PAGES).order_by(PAGES.c.last_fetched)).mappings()
            rows = [dict(page) for page in pages]
            articles = {
                article["url_key"]: dict(article)
                for article in connection.execute(select(ARTICLES)).mappings()
            }
            records: dict[str, list[Mapping[str, Any]]] = {}
            for record in connection.execute(select(RECORDS)).mappings():
                records.setdefault(record["url_key"], []).append(dict(record))
            run = connection.execute(select(CRAWL_RUNS)).mappings().first()
    finally:
        engine.dispose()
    lines = [line for page in rows for line in _page(page, articles, timezone, records)]
    refused = _refused(run["counters"] if run else {})
    if refused:
        lines.append(f"links not followed: {refused}")
    if run is not None:
        lines.append(f"{counted(len(rows), 'page')}; {run['end_reason']} {run['end_detail'] or ''}")
    return "\n".join(line.rstrip() for line in lines)


def _page(
    page: Mapping[str, Any],
    articles: Mapping[str, Mapping[str, Any]],
    timezone: ZoneInfo,
    records: Mapping[str, Sequence[Mapping[str, Any]]],
) -> Iterable[str]:
    yield f"{page['page_class']:<15} {page['url']}"
    found = [f"{page['outcome']}" + (f" ({page['reason']})" if page["reason"] else "")]
    if page["status"] != 200:
        found.append(f"status {page['status']}" if page["status"] else "no answer")
    if page["title"]:
        found.append(f"title {page['title']}")
    article = articles.get(page["url_key"])
    if article is not None:
        found.append(_date(article, timezone))
        found.append(counted(article["length"], "character"))
    elif page["page_class"] in _CONTENT and page["encoding"]:
        found.append(page["encoding"])
    yield f"                {', '.join(found)}"
    for record in records.get(page["url_key"], ()):
        yield from _record(record)


def _record(record: Mapping[str, Any]) -> Iterable[str]:
    missing = ", ".join(record["missing"] or ())
    yield f"                {record['record_type']}" + (f", missing: {missing}" if missing else "")
    for name, value in record["data"].items():
        shown = "、".join(map(str, value)) if isinstance(value, list) else str(value)
        said = (record["evidence"] or {}).get(name, {})
        label = f"  ({said['label']})" if said.get("label") else ""
        yield f"                  {name}: {shown}{label}"


def _date(article: Mapping[str, Any], timezone: ZoneInfo) -> str:
    published = article["published"]
    if published is None:
        return "no date found"
    moment = datetime.fromtimestamp(float(published), timezone)
    return f"published {moment:%Y-%m-%d %H:%M} (by {article['published_by']})"


def _refused(counters: Mapping[str, int]) -> str:
    reasons = {
        name.partition("/")[2]: count
        for name, count in counters.items()
        if name.startswith("refused/")
    }
    return most_frequent(reasons, _MOST_REASONS)


# Scores ----------------------------------------------------------------------------------------

_MOST_NEAR = 20
"""Stored pages that are listed."""

INDENT = " " * 8
READ_FOR_TEXT = frozenset({PageClass.ARTICLE, PageClass.ARTICLE_PAGING, PageClass.THREAD})


class FetchedPage(NamedTuple):
    """A page that was fetched to be scored; ``text`` is None when it has none, ``why`` says why.

    ``page_class`` is what a crawl would take it for; ``is_read``: it came, whatever it is.
    """

    url: str
    title: str
    text: str | None
    why: str = ""
    page_class: str = ""
    is_read: bool = True


def fetched_pages(database: Path) -> list[FetchedPage]:
    """Return the pages of a results file of one run, in the order they came."""
    engine = create_engine(f"sqlite:///{database}")
    same = ARTICLES.c.url_key == PAGES.c.url_key
    query = (
        select(PAGES, ARTICLES.c.title.label("headline"), ARTICLES.c.text)
        .outerjoin(ARTICLES, same)
        .order_by(PAGES.c.last_fetched)
    )
    try:
        with engine.connect() as connection:
            return [_fetched(dict(row)) for row in connection.execute(query).mappings()]
    finally:
        engine.dispose()


def _fetched(row: dict[str, Any]) -> FetchedPage:
    why = row["outcome"] + (f" ({row['reason']})" if row["reason"] else "")
    if row["status"] != 200:
        why += f", status {row['status']}" if row["status"] else ", no answer"
    title, is_read = row["headline"] or row["title"] or "", row["outcome"] in {"list", "stored"}
    return FetchedPage(row["url"], title, row["text"], why, row["page_class"], is_read)


def scored_text(template: Template, pages: Sequence[FetchedPage]) -> str:
    """Explain the score of each page."""
    blocks = []
    for page in pages:
        if page.text is None:
            blocks.append("\n".join([f"no text {page.url}", f"{INDENT}{page.why}", *_class(page)]))
        else:
            score = template.page_scorer.score(page.title, page.text)
            blocks.append("\n".join(_explained(template, page, score)))
    return "\n".join(blocks)


def _explained(template: Template, page: FetchedPage, score: PageScore) -> Iterator[str]:
    yield f"{score.score:<7.3f} {page.url}"
    yield f"{INDENT}{verdict(score, template.relevance.threshold)}"
    yield f"{INDENT}title {page.title or '(none)'}; {counted(len(page.text or ''), 'character')}"
    yield from _class(page)
    for part in score.parts:
        yield f"{INDENT}+ {part.contribution:.3f} {_part(part)}"
    if not score.parts and not template.topic.keywords:
        yield f"{INDENT}+ 1.000 nothing is weighed: topic.keywords is empty"
    told = {word for part in score.parts for word in part.words.split("|")}
    others = [f"{word} {times}" for word, times in score.hits.items() if word not in told]
    if others:
        yield f"{INDENT}also found: {', '.join(others)}"


def _class(page: FetchedPage) -> Iterator[str]:
    """Say what a crawl takes a page for, and what to write where that is wrong."""
    if page.page_class in READ_FOR_TEXT:
        yield f"{INDENT}class {page.page_class}"
    elif page.is_read or page.text is not None:
        yield (
            f"{INDENT}class {page.page_class}: a crawl reads its links, not its text; if that is wrong,"
            " name such addresses in follow.articles"
        )


def verdict(score: PageScore, threshold: float) -> str:
    """Say in words what a score means."""
    rule, _, word = score.reason.partition(":")
    if rule == "require":
        return f"not relevant: {word} (topic.require) is not there, which holds the score down"
    if rule == "exclude":
        return f"not relevant: {word} (topic.exclude) is there"
    if rule == "keywords":
        return "not relevant: none of topic.keywords is there"
    sign = "≥" if score.relevant else "<"
    return f"{'' if score.relevant else 'not '}relevant: {score.score:g} {sign} {threshold:g}"


def _part(part: ScorePart) -> str:
    if part.words == "model":
        return "relevance.model"
    places = [
        f"{times} in the {place}"
        for place, times in (("title", part.in_title), ("text", part.in_text))
        if times
    ]
    return f"{part.words}: {', '.join(places)}, weight {part.weight:g}"


def near_text(template: Template, engine: Engine) -> str:
    """List the stored pages whose score lies nearest to the threshold, and count both sides.

    Where the text is stored, the page is scored again with the template as it is now. Pages that
    required or excluded words decided are left out: their scores say nothing about the threshold.
    """
    threshold = template.relevance.threshold
    by_score = not_(or_(PAGES.c.reason.like("require:%"), PAGES.c.reason.like("exclude:%")))
    weighed = (
        (PAGES.c.topic == template.name)
        & PAGES.c.score.is_not(None)
        & func.coalesce(by_score, True)
    )
    same = (ARTICLES.c.topic == PAGES.c.topic) & (ARTICLES.c.url_key == PAGES.c.url_key)
    nearest = (
        select(PAGES, ARTICLES.c.text)
        .outerjoin(ARTICLES, same)
        .where(weighed)
        .order_by(func.abs(PAGES.c.score - threshold), PAGES.c.url_key)
        .limit(_MOST_NEAR)
    )
    above = select(func.count()).select_from(PAGES).where(weighed, PAGES.c.score >= threshold)
    below = select(func.count()).select_from(PAGES).where(weighed, PAGES.c.score < threshold)
    with engine.connect() as connection:
        rows = [dict(row) for row in connection.execute(nearest).mappings()]
        counts = connection.scalar(above) or 0, connection.scalar(below) or 0
    if not rows:
        return "no page has a score yet: the crawl has not read an article"
    rows.sort(key=lambda row: -row["score"])
    lines = [line for row in rows for line in _near(template, row)]
    sides = f"{counted(counts[0], 'page')} at or above {threshold:g}, {counts[1]:,} below"
    return "\n".join([*lines, f"{sides}; relevance.threshold = {threshold:g}"])


def _near(template: Template, row: dict[str, Any]) -> Iterator[str]:
    why = f" ({row['reason']})" if row["reason"] else ""
    label = f", labelled {row['label']}" if row["label"] else ""
    yield f"{row['score']:<7.3f} {row['title'] or '(no title)'}"
    yield f"{INDENT}{row['url']}"
    yield f"{INDENT}{row['outcome']}{why}{label}"
    if row["text"]:
        score = template.page_scorer.score(row["title"] or "", row["text"])
        words = "; ".join(_part(part) for part in score.parts) or verdict(
            score, template.relevance.threshold
        )
        yield f"{INDENT}now {score.score:.3f}: {words}"
