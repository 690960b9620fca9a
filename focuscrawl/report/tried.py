"""What a trial run understood: every page with its class, title and date, its records, or why it was refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import create_engine, select

from focuscrawl.report.wording import counted, ranked
from focuscrawl.results.schema import ARTICLES, CRAWL_RUNS, PAGES, RECORDS
from focuscrawl.values import PageClass

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
    return ranked(reasons, _MOST_REASONS)
