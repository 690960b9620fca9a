"""What is new since a moment: stories and their sites, articles, what has changed, what is gone, records, threads.

What stood there when a topic or a source was first read (``known``) is no news.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import select

from focuscrawl.output.report.contents import (
    FIRST_ROWS,
    Anchor,
    Cell,
    Cells,
    Chapter,
    Hits,
    Listing,
    Moment,
    Term,
)
from focuscrawl.output.report.edits import difference_of
from focuscrawl.output.report.questions.inquiry import (
    EVERY_ROW,
    NAME_SHOWN,
    Inquiry,
    shorten,
    title_link,
)

if TYPE_CHECKING:
    from focuscrawl.stores.results.news import (
        Bounded,
        Changed,
        NewArticle,
        NewRecord,
        News,
        NewStory,
        NewThread,
        Teller,
    )

SITES_NAMED = 8
MOST_HITS = 8
"""Sites and words that are named of a story."""

FIELDS_NAMED = 6
MOST_VALUES = 60
"""Fields that are named of a record, and characters of their values."""

SEVERAL_SITES = 2
"""Sites that must tell a story, for it to stand among the stories: what one tells is an article."""

ALWAYS_TOLD = frozenset({"stories", "articles", "changed", "gone"})
"""Listings that are shown even when empty: that nothing is new is news, too, but in a first report."""


_RECORD = ("time", "type", "fields", "page")
_THREAD = ("time", "title", "author", "replies")


class _Question(NamedTuple):
    """What is asked: a listing by its name, of a table that it ``needs``, and how a row becomes cells."""

    name: str
    needs: str
    columns: tuple[str, ...]
    ask: Callable[[int], Bounded[Any]]
    row: Callable[[Any], tuple[Cell, ...]]
    shape: Literal["table", "entries"] = "table"


def news_of(inquiry: Inquiry) -> list[Chapter]:
    """Return what is new of a topic."""
    known = inquiry.baseline
    kept = [
        _Question("records_known", "records", _RECORD, known.new_records, _record),
        _Question("threads_known", "threads", _THREAD, known.new_threads, _thread),
    ]
    found = [
        *_answers(inquiry, [_stories(inquiry), *_questions(inquiry.news)]),
        *_baseline(inquiry),
        *_answers(inquiry, kept),
    ]
    always = frozenset[str]() if inquiry.is_first else ALWAYS_TOLD
    return [Chapter("news", [one for one in found if one.total or one.name in always])]


def _questions(news: News) -> list[_Question]:
    """Return all questions but the one about stories, in the order in which they are shown."""
    edits = ("title", "time", "kind", "fields", "difference")
    turns = ("time", "kind", "what", "title")
    replies = ("time", "title", "replies_new", "said")
    return [
        _Question("articles", "articles", ("time", "title", "medium", "hits"), news.articles, _article),
        _Question("changed", "changes", edits, news.changed_articles, _edit, "entries"),
        _Question("moved", "changes", ("time", "title", "before"), news.moved, _move),
        _Question("gone", "changes", turns, news.gone, _turn),
        _Question("redesigned", "changes", turns, news.redesigned, _turn),
        _Question("back", "changes", turns, news.back, _turn),
        _Question("records", "records", _RECORD, news.new_records, _record),
        _Question("records_changed", "changes", ("time", "kind", "title", "fields"), news.changed_records, _record_edit),
        _Question("threads", "threads", _THREAD, news.new_threads, _thread),
        _Question("replies", "changes", replies, news.replies, _reply),
    ]  # fmt: skip


def _stories(inquiry: Inquiry) -> _Question:
    """Return the question about stories; tellers are looked up for the shown ones only."""
    tellers: dict[str, list[Teller]] = {}

    def ask(most: int) -> Bounded[NewStory]:
        found = inquiry.news.stories(most, fewest_sites=SEVERAL_SITES)
        tellers.update(inquiry.news.tellers(story.story_id for story in found.rows))
        return found

    def row(story: NewStory) -> tuple[Cell, ...]:
        return _story(story, tellers.get(story.story_id, ()))

    columns = ("title", "sites", "hits", "articles", "first")
    return _Question("stories", "stories", columns, ask, row, "entries")


def _answers(inquiry: Inquiry, questions: Iterable[_Question]) -> Iterator[Listing]:
    for one in questions:
        if inquiry.has(one.needs) and inquiry.is_asked(one.name):
            yield _answer(inquiry, one)


def _answer(inquiry: Inquiry, question: _Question) -> Listing:
    found = question.ask(EVERY_ROW if inquiry.only else FIRST_ROWS)
    command = inquiry.command(question.name) if found.total else ""
    rows = [question.row(one) for one in found.rows]
    head = (question.name, found.total, question.columns)
    return Listing(*head, rows, command, shape=question.shape, is_first=True)


def _baseline(inquiry: Inquiry) -> Iterator[Listing]:
    """Return the articles that a first crawl found, the best first: no news, but what it was for."""
    if not inquiry.has("articles"):
        return
    articles = inquiry.table("articles")
    names = (
        "url",
        "title",
        "medium",
        "source_name",
        "host",
        "published",
        "published_date",
        "found",
        "score",
    )
    query = (
        select(*(inquiry.column("articles", name) for name in names))
        .where(
            articles.c.topic == inquiry.topic,
            articles.c.found >= inquiry.since,
            inquiry.column("articles", "known").is_(True),
            articles.c.is_copy.is_(False),
        )
        .order_by(articles.c.score.desc(), articles.c.found, articles.c.url_key)
    )

    def row(article: Any) -> tuple[Cell, ...]:
        return (
            _when(article),
            title_link(article.url, article.title),
            _publisher(article.medium or article.source_name, article.host),
            None if article.score is None else round(article.score, 2),
        )

    columns = ("time", "title", "medium", "score")
    yield inquiry.listing("baseline", columns, query, row, is_first=True)


def _story(story: NewStory, tellers: Sequence[Teller]) -> tuple[Cell, ...]:
    """Return a story as an entry: its first new article, who tells it, and the words that hit its new articles.

    The title is that of the page to which it leads: what a story was called first may stand on another one.
    """
    hits: Counter[str] = Counter()
    for article in story.new.rows:
        hits.update({shorten(word, NAME_SHOWN): 1 for word in article.hits})
    shown = [Anchor(one.url, _publisher(one.medium, one.host)) for one in tellers[:SITES_NAMED]]
    # Of as many each in the order of words: PostgreSQL keeps none.
    words = sorted(hits, key=lambda word: (-hits[word], word))[:MOST_HITS]
    return (
        title_link(story.new.rows[0].url, story.new.rows[0].title or story.title),
        Cells(tuple(shown), max(0, story.sites - len(shown))),
        Hits(tuple((word, 1) for word in words)),
        story.articles,
        Moment(story.first_at, story.first_date),
    )


def _article(article: NewArticle) -> tuple[Cell, ...]:
    hits = sorted(article.hits.items(), key=lambda one: (-_number(one[1]), one[0]))
    return (
        _when(article),
        title_link(article.url, article.title),
        _publisher(article.medium, article.host),
        Hits(
            tuple((shorten(word, NAME_SHOWN), _number(count)) for word, count in hits[:MOST_HITS])
        ),
    )


def _publisher(medium: str | None, host: str) -> str:
    """Return who is named as the publisher of a text, with the site that has it where that is another name."""
    site = shorten(host, NAME_SHOWN)
    return site if medium in (None, "", host) else f"{shorten(medium, NAME_SHOWN)} ({site})"


def _when(article: Any) -> Moment:
    """Return when an article was published, else when it was found."""
    if article.published is None:
        return Moment(article.found, is_found=True)
    return Moment(article.published, article.published_date or "")


def _edit(change: Changed) -> tuple[Cell, ...]:
    return (
        title_link(change.url, change.title),
        Moment(change.at),
        Term("change", change.kind),
        Cells(tuple(_fields(change.fields))),
        difference_of(change.diff),
    )


def _turn(change: Changed) -> tuple[Cell, ...]:
    kind, what = Term("change", change.kind), Term("what", change.what)
    return Moment(change.at), kind, what, title_link(change.url, change.title)


def _move(change: Changed) -> tuple[Cell, ...]:
    before, _now = change.fields.get("url") or ("", "")
    return Moment(change.at), title_link(change.url, change.title), shorten(before)


def _record(record: NewRecord) -> tuple[Cell, ...]:
    shown = [*record.data.items()][:FIELDS_NAMED]
    data = tuple(f"{shorten(name, NAME_SHOWN)}: {_value(value)}" for name, value in shown)
    return (
        Moment(record.found, is_found=True),
        record.record_type,
        Cells(data, len(record.data) - len(data)),
        Anchor(record.url, record.host or record.url),
    )


def _record_edit(change: Changed) -> tuple[Cell, ...]:
    kind, fields = Term("change", change.kind), Cells(tuple(_fields(change.fields)))
    return Moment(change.at), kind, title_link(change.url, change.title), fields


def _thread(thread: NewThread) -> tuple[Cell, ...]:
    return (
        Moment(thread.found, is_found=True) if thread.started is None else Moment(thread.started),
        title_link(thread.url, thread.title),
        shorten(thread.author, NAME_SHOWN),
        thread.replies,
    )


def _reply(change: Changed) -> tuple[Cell, ...]:
    before, now = change.fields.get("replies") or (0, 0)
    said = shorten(change.diff.lstrip("+ "), 2 * MOST_VALUES)
    return Moment(change.at), title_link(change.url, change.title), now - before, said


def _fields(fields: Mapping[str, Any]) -> Iterator[str]:
    """Go through fields with what they were and are."""
    for name, pair in [*fields.items()][:FIELDS_NAMED]:
        if isinstance(pair, list | tuple) and len(pair) > 1:
            yield f"{shorten(name, NAME_SHOWN)}: {_value(pair[0])} → {_value(pair[1])}"


def _value(value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    return shorten("、".join("–" if one is None else str(one) for one in values), MOST_VALUES)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
