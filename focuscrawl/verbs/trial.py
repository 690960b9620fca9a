"""Crawls into a store that is thrown away: what ``topic try`` has understood, and what ``score`` fetches."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import RowMapping, func, select

from focuscrawl.features.articles.rows.articles import ARTICLES
from focuscrawl.features.articles.table import ArticleTable
from focuscrawl.features.forums.rows import POSTS, THREADS
from focuscrawl.features.records.rows import RECORDS
from focuscrawl.locale.messages import N_, _, ngettext
from focuscrawl.output.explain.reasons import (
    STATUS_OF_PAGES,
    answer_words,
    class_name,
    outcome_name,
)
from focuscrawl.output.explain.scores import (
    groups_missed,
    missed_line,
    outcome_text,
    score_lines,
    text_score,
)
from focuscrawl.output.summary.advice import kept_findings, needs_lines
from focuscrawl.output.summary.lines import counted, listed_words, most_frequent
from focuscrawl.readers.text.characters import padded
from focuscrawl.readers.text.moments import moment_text
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.stores.results.kinds.runs import CRAWL_RUNS
from focuscrawl.template.files import FILE
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.template.merge import resolve
from focuscrawl.template.toml import toml_key, toml_text
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Json, PageClass
from focuscrawl.verbs.call import CannotDo
from focuscrawl.verbs.proposals import answers_kept_in

if TYPE_CHECKING:
    from focuscrawl.template.template import Template

TRIED_PAGES = 10  # pages of a trial by default

_SITE_KEYS_READ = frozenset(
    ("skip", "aliases", "encoding", "politeness", "request", "url", "select")
)
"""What of [site."HOST"] says how pages are fetched and read, not what becomes of them."""


_MOST_REASONS = 8
_TRIAL_INDENT = " " * 16
_BASES = (N_("json-ld"), N_("meta"), N_("rule"), N_("url"))
"""Where the dates of articles stand (articles.published_by)."""

_FIELD_NAMES = ((N_("author {name}"), "author"), (N_("source {name}"), "source_name"))
_CONTENT = frozenset({PageClass.ARTICLE, PageClass.ARTICLE_PAGING})
_READERS = {
    PageClass.ARTICLE: N_("read by articles"),
    PageClass.THREAD: N_("read by forums"),
    PageClass.RECORD: N_("read by records"),
}
_JUDGED = frozenset({"stored", "irrelevant", "short", "old", "part", "copy"})
"""Outcomes of pages that a reader took; a list, or a page that did not come, was taken by none."""


_TOLD = frozenset({"scripts", "goes_on"})
"""Findings that a trial lists; the rest it shows page by page."""

_OF_A_TRIAL = frozenset({"depth", "paging"})
"""Reasons of links that a trial does not follow, though the topic would."""

NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


def crawl_into(
    folder: Path, template: str, arguments: Sequence[str], settings: Mapping[str, str] = NO_SETTINGS
) -> int:
    """Crawl a template in a process of its own, its data in ``folder``; return the exit status."""
    options = {
        "FOCUSCRAWL_DATA_DIR": str(folder),
        "FOCUSCRAWL_RESULTS": "",
        "FOCUSCRAWL_LINGER": "5s",
        "FEEDS": "{}",
        "REDIS_URL": "",  # its data are thrown away: it must not join a crawl that others work on
        "REDIS_HOST": "",
        "LOG_LEVEL": "CRITICAL",
        **settings,
    }
    words = [sys.executable, "-m", "scrapy", "crawl", "topic", "-a", f"template={template}"]
    words += ["-a", "output.report=false"]
    words += [word for argument in arguments for word in ("-a", argument)]
    words += [word for name, value in options.items() for word in ("-s", f"{name}={value}")]
    return subprocess.run(words, check=False).returncode


def fetch(loaded: LoadedTemplate, urls: Sequence[str], folder: Path) -> list[FetchedPage]:
    """Fetch addresses as the topic would (robots.txt, pauses, proxy, cookies), and read each.

    What the topic looks for plays no part: every page that has a text has it here, and the class a
    crawl would take it for. Lists are read a second time as articles are, from what came the first.
    """
    answers = answers_kept_in(folder / "answers")
    pages = fetched_by(loaded, urls, folder / "found", "auto", answers)
    lists = [page.url for page in pages if not page.text and page.is_read]
    if not lists:
        return pages
    texts = {
        page.url: page for page in fetched_by(loaded, lists, folder / "read", "article", answers)
    }
    return [texts.get(page.url, page)._replace(page_class=page.page_class) for page in pages]


def fetched_by(
    loaded: LoadedTemplate,
    urls: Sequence[str],
    folder: Path,
    kind: str,
    settings: Mapping[str, str],
) -> list[FetchedPage]:
    """Fetch addresses as sources of a kind into a folder of their own."""
    folder.mkdir()
    name = loaded.template.name
    template = folder / f"{name}.toml"
    template.write_text(written(_fetching(loaded, urls, kind)), "utf-8")
    status = crawl_into(folder, str(template), (), settings)
    database = folder / f"{name}.db"
    if not database.exists():
        told = _("the crawl of {addresses} did not begin (exit status {status})")
        addresses = counted(len(urls), "address", "es")
        raise CannotDo(told.format(addresses=addresses, status=status))
    return fetched_pages(database)


def _fetching(loaded: LoadedTemplate, urls: Sequence[str], kind: str) -> Json:
    """Return a template that fetches addresses, follows nothing and keeps every text."""
    resolved = resolve(loaded.merged, loaded.template.name)  # with the passwords of proxies
    folder = loaded.template.path.parent if loaded.template.path else Path()
    topic = {key: resolved["topic"][key] for key in ("name", "language", "timezone")}
    polite = {key: value for key, value in resolved["politeness"].items() if key != "hours"}
    sites = {
        host: {key: value for key, value in site.items() if key in _SITE_KEYS_READ}
        for host, site in resolved["site"].items()
    }
    for site in sites.values():
        site["politeness"] = {**site.get("politeness", {})}
        site["politeness"].pop("hours", None)
    classes = (
        {key: resolved["follow"][key] for key in ("boards", "articles")} if kind == "auto" else {}
    )
    tree: Json = {
        "topic": topic,
        "source": [{"urls": list(urls), "kind": kind, "relevant": "all"}],
        "follow": {"scope": "sources", "depth": 0, **classes},
        "url": resolved["url"],
        "article": {"keep": "all", "min_length": 0},
        "politeness": polite,
        "request": resolved["request"],
        "limits": {"pages": len(urls)},
        "site": sites,
        "settings": resolved["settings"],
    }
    return placed(tree, folder.absolute())


def placed(plain: Json, folder: Path) -> Json:
    """Drop what is not given, and give files with secrets their whole path."""

    def at_home(value: object) -> object:
        if isinstance(value, dict):
            return {name: at_home(one) for name, one in value.items() if one is not None}
        if isinstance(value, list):
            return [at_home(one) for one in value]
        if isinstance(value, str) and value.startswith(FILE):
            return f"{FILE}{folder / Path(value.removeprefix(FILE)).expanduser()}"
        return value

    return {name: at_home(value) for name, value in plain.items()}


def written(tree: Json) -> str:
    """Return a template as a file has it."""
    lines: Iterable[str] = (f"{toml_key(name)} = {toml_text(one)}" for name, one in tree.items())
    return "\n".join(lines) + "\n"


# What a trial has understood --------------------------------------------------------------------


def tried_text(database: Path, template: Template, rounds: int = 0) -> str:
    """Return the report on a results file of one trial, in which the texts of all articles are kept.

    ``rounds`` in which its pages were chosen, 0: it was crawled as the topic would be.
    """
    trial = _read_trial(database)
    scores = {one["url_key"]: _score(one, template) for one in trial.articles}
    found = _said_of_items(trial, scores, template)
    pages = {page["url_key"]: page for page in trial.pages}
    lines = [
        line
        for key, page in sorted(pages.items(), key=lambda one: not found[one[0]])
        for line in _page(
            _as_judged(page, scores.get(key), template), _reader(page, pages), found[key]
        )
    ]
    counters = trial.run["counters"] if trial.run else {}
    refused = _refused(counters, _OF_A_TRIAL if rounds else frozenset())
    if refused:
        lines.append(_("links not followed: {reasons}").format(reasons=refused))
    unclear = [one for one in kept_findings(counters) if one.kind in _TOLD]
    lines += (line.removeprefix("  ") for line in needs_lines(unclear, template.name))
    read = counted(len(trial.pages), "page")
    if rounds:
        told = _("{pages} read in {rounds}")
        lines.append(told.format(pages=read, rounds=counted(rounds, "round")))
    elif trial.run:
        told = _("{pages}; {reason} {detail}")
        ended = {"reason": trial.run["end_reason"], "detail": trial.run["end_detail"] or ""}
        lines.append(told.format(pages=read, **ended))
    if scores:
        hits = [word for score in scores.values() for word in score["hits"]]
        missed = groups_missed(template, hits)
        lines.append(missed_line(missed, len(template.topic.keywords.groups), len(scores)))
    return "\n".join(line.rstrip() for line in lines)


class _Trial(NamedTuple):
    """The rows of a trial, its pages in the order of their fetches; ``posts`` of each thread that it has read."""

    pages: Sequence[RowMapping]
    articles: Sequence[RowMapping]
    records: Sequence[RowMapping]
    threads: Sequence[RowMapping]
    posts: Mapping[str, int]
    run: RowMapping | None


def _read_trial(database: Path) -> _Trial:
    with results_to_read(database) as connection:
        posts = select(POSTS.c.thread_key, func.count()).group_by(POSTS.c.thread_key)
        return _Trial(
            connection.execute(select(PAGES).order_by(PAGES.c.last_fetched)).mappings().all(),
            connection.execute(select(ARTICLES)).mappings().all(),
            connection.execute(select(RECORDS)).mappings().all(),
            connection.execute(select(THREADS)).mappings().all(),
            {row[0]: row[1] for row in connection.execute(posts)},
            connection.execute(select(CRAWL_RUNS)).mappings().first(),
        )


def _said_of_items(
    trial: _Trial, scores: Mapping[str, Json], template: Template
) -> defaultdict[str, list[str]]:
    """Return the lines about the items of each page, by its key; a thread has one on its board, too."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for article in trial.articles:
        found[article["url_key"]] += _article(article, template.topic.timezone)
        found[article["url_key"]] += _judged(scores[article["url_key"]], template)
    for record in trial.records:
        found[record["url_key"]] += _record(record)
    for thread in trial.threads:
        said = _thread(thread, trial.posts.get(thread["url_key"], 0))
        found[thread["url_key"]].append(_("thread: {counts}").format(counts=said))
        if thread["board_key"]:
            found[thread["board_key"]].append(f"{thread['title'] or thread['url']}: {said}")
    return found


def _score(article: RowMapping, template: Template) -> Json:
    """Return what an article scores, and whether it would be stored."""
    score = text_score(template, article["title"] or "", article["text"] or "").values
    source = {one.source_id: one for one in template.sources}.get(article["source_id"] or "")
    everything = (source is not None and source.relevant == "all") or (
        template.site(host_of(article["host"])).relevant == "all"
    )
    keeps = template.of(ArticleTable).keep
    is_stored = keeps == "all" or (keeps != "none" and (score["relevant"] or everything))
    return {**score, "stored": is_stored}


def _judged(score: Json, template: Template) -> Iterable[str]:
    if template.topic.keywords or template.topic.require:
        yield from score_lines(score)
    yield outcome_text(score["stored"])


def _as_judged(page: RowMapping, score: Json | None, template: Template) -> Mapping[str, Any]:
    """Return a page as a crawl would have judged it, which keeps no text of what is not relevant."""
    if score is None or score["stored"] or page["outcome"] != "stored":
        return dict(page)
    return {**page, "outcome": "irrelevant", "reason": score["reason"]}


def _reader(page: RowMapping, pages: Mapping[str, RowMapping]) -> str:
    """Return the reader of a page by its class; a later page of an article has that of the first."""
    for _step in pages:
        if page["page_class"] != PageClass.ARTICLE_PAGING or page["parent_key"] not in pages:
            break
        page = pages[page["parent_key"]]
    return _READERS.get(page["page_class"], "")


def _page(page: Mapping[str, Any], reader: str, found: Sequence[str]) -> Iterable[str]:
    yield f"{padded(class_name(page['page_class']), len(_TRIAL_INDENT) - 1)} {page['url']}"
    would = outcome_text(stored=True)
    said = [would if page["outcome"] == "stored" else outcome_name(page["outcome"], page["reason"])]
    if would in found:  # of an article its score says so
        said = []
    if reader and page["outcome"] in _JUDGED:
        said.append(_(reader))
    if page["status"] != STATUS_OF_PAGES:
        told = _("status {status}") if page["status"] else _("no answer")
        said.append(told.format(status=page["status"]))
    if page["title"]:
        said.append(_("title {title}").format(title=page["title"]))
    if not found and page["page_class"] in _CONTENT and page["encoding"]:
        said.append(page["encoding"])
    if said:
        yield f"{_TRIAL_INDENT}{listed_words(said)}"
    yield from (f"{_TRIAL_INDENT}{one}" for one in found)


def _article(article: RowMapping, timezone: ZoneInfo) -> Iterable[str]:
    said = [_date(article, timezone), counted(article["length"], "character")]
    said += [_(told).format(name=article[key]) for told, key in _FIELD_NAMES if article[key]]
    yield listed_words(said)


def _thread(thread: RowMapping, posts: int) -> str:
    """Return what a board says of a thread, and how many of its posts were read."""
    told = []
    if (replies := thread["replies"]) is not None:
        said = ngettext("{number:,} reply", "{number:,} replies", replies)
        told.append(said.format(number=replies))
    if (views := thread["views"]) is not None:
        told.append(counted(views, "view"))
    read = _("{posts} read").format(posts=counted(posts, "post"))
    return listed_words([*(told or [_("no counts")]), read])


def _record(record: RowMapping) -> Iterable[str]:
    told = _("{record_type}, missing: {fields}") if record["missing"] else "{record_type}"
    fields = listed_words(record["missing"] or ())
    yield told.format(record_type=record["record_type"], fields=fields)
    for name, value in record["data"].items():
        shown = "、".join(map(str, value)) if isinstance(value, list) else str(value)
        said = (record["evidence"] or {}).get(name, {})
        label = f"  ({said['label']})" if said.get("label") else ""
        yield f"  {name}: {shown}{label}"


def _date(article: RowMapping, timezone: ZoneInfo) -> str:
    published = article["published"]
    if published is None:
        return _("no date found")
    told = _("published {moment} (by {by})")
    by = article["published_by"] or ""
    return told.format(moment=moment_text(published, timezone), by=_(by))


def _refused(counters: Mapping[str, int], without: Collection[str]) -> str:
    reasons = {
        reason: count
        for name, count in counters.items()
        if name.startswith("refused/") and (reason := name.partition("/")[2]) not in without
    }
    return most_frequent(reasons, _MOST_REASONS)


class FetchedPage(NamedTuple):
    """A page that was fetched to be scored; ``text`` is "" when it has none, ``why`` says why.

    ``outcome``, ``reason`` and ``status`` are those of the log book (0: no answer). ``page_class`` is what a crawl
    would take it for; ``is_read``: it came, whatever it is.
    """

    url: str
    title: str
    text: str
    outcome: str
    reason: str
    status: int
    page_class: str = ""
    is_read: bool = True

    @property
    def why(self) -> str:
        """Why it has no text, for programs."""
        why = self.outcome + (f" ({self.reason})" if self.reason else "")
        if self.status == STATUS_OF_PAGES:
            return why
        return f"{why}, status {self.status}" if self.status else f"{why}, no answer"

    def why_in_words(self) -> str:
        """Say the same to people."""
        return answer_words(self.outcome, self.reason, self.status)


def fetched_pages(database: Path) -> list[FetchedPage]:
    """Return the pages of a results file of one run, in the order they came."""
    same = ARTICLES.c.url_key == PAGES.c.url_key
    query = (
        select(PAGES, ARTICLES.c.title.label("headline"), ARTICLES.c.text)
        .outerjoin(ARTICLES, same)
        .order_by(PAGES.c.last_fetched)
    )
    with results_to_read(database) as connection:
        return [_fetched(row) for row in connection.execute(query).mappings()]


def _fetched(row: RowMapping) -> FetchedPage:
    title, is_read = row["headline"] or row["title"] or "", row["outcome"] in {"list", "stored"}
    came = (row["outcome"], row["reason"] or "", row["status"] or 0)
    return FetchedPage(row["url"], title, row["text"] or "", *came, row["page_class"], is_read)
