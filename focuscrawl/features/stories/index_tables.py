"""The index of stories in the results database, for a crawl that several workers share.

Two workers with an index each told one text as four stories. So all use one, and each tells and stores an
article in one transaction, under one lock a topic.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy import BigInteger, Index, delete, insert, inspect, select, text, update

from focuscrawl.features.stories.events import IS_COPY, story_id_of
from focuscrawl.features.stories.rows import MEMBER_ROWS, STORY_ROWS
from focuscrawl.features.stories.shared import IndexEnd
from focuscrawl.stores.results.columns import (
    BYTES_COLUMN,
    KEY_COLUMN,
    LineColumn,
    key_column,
    must,
    table,
)
from focuscrawl.stores.results.database import LOCKED, parts_of
from focuscrawl.stores.results.schema import SCHEMA_LOCK, add_tables
from focuscrawl.stores.results.upsert import AtOnce, Upsert
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoryArticle, StoryState, packed

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table, TextClause
    from sqlalchemy.engine import Dialect

    from focuscrawl.features.stories.shared import StoryRows

_T = TypeVar("_T")

INDEXED = table(
    "story_index",
    key_column("number", BigInteger),
    must("url_key", KEY_COLUMN),
    must("body", BYTES_COLUMN),
    Index("story_index_key", "topic", "url_key"),
    about="Articles that later ones are compared with.",
)
TERMS = table(
    "story_terms",
    key_column("term", BigInteger),
    key_column("at", BigInteger),
    key_column("article", BigInteger),
    about="By which words and pieces articles are found.",
)
STATES = table(
    "story_states",
    key_column("story_id", KEY_COLUMN),
    must("body", BYTES_COLUMN),
    about="What is known of stories to compare with.",
)
COUNTS = table(
    "story_counts",
    key_column("name", LineColumn(16)),
    must("value", BYTES_COLUMN),
    about="In how many articles words stand.",
)

COUNTED_WORDS = table(
    "story_counted",
    key_column("place", BigInteger),
    must("body", BYTES_COLUMN),
    about="Words of the articles that were counted last.",
)

INDEX_TABLES = (INDEXED, TERMS, STATES, COUNTS, COUNTED_WORDS)
FAR_FUTURE = 1 << 62  # further than any date in seconds

NEWEST_BY_TERM = """
SELECT term, ARRAY(SELECT article FROM story_terms WHERE topic = :topic AND term = wanted.term
    AND at BETWEEN :since AND :until ORDER BY at DESC, article DESC LIMIT :most)
FROM unnest(CAST(:terms AS bigint[])) WITH ORDINALITY AS wanted(term, place) ORDER BY place
"""
"""One question for all terms: with one each an article costs a hundred round trips. A row a term: 400 of an
article each cost .5 µs and more."""

NEWEST_OF_ONE = """
SELECT * FROM (SELECT term, at, article FROM story_terms WHERE topic = :topic AND term = :term{place}
    AND at BETWEEN :since AND :until ORDER BY at DESC, article DESC LIMIT :most) AS part{place}
"""
TERMS_AT_ONCE = 50
"""Where there is no LATERAL, terms that are asked for together: 25 take 1.0 ms of CPU, with a statement for
each 3.1, of which SQLite itself has .16 (2,000 articles in the index); an article asks some four times."""

INDEXED_AT_ONCE = text("""
INSERT INTO story_index (topic, number, url_key, body) SELECT CAST(:topic AS text), number, url_key, body
FROM unnest(CAST(:numbers AS bigint[]), CAST(:keys AS text[]), CAST(:bodies AS bytea[])) AS one(number, url_key, body)
ON CONFLICT (topic, number) DO UPDATE SET url_key = excluded.url_key, body = excluded.body
""")
COUNTED_AT_ONCE = text("""
INSERT INTO story_counted (topic, place, body) SELECT CAST(:topic AS text), place, body
FROM unnest(CAST(:places AS bigint[]), CAST(:counted AS bytea[])) AS one(place, body)
""")
FOUND_AT_ONCE = text("""
INSERT INTO story_terms (topic, term, at, article) SELECT CAST(:topic AS text), term, at, article
FROM unnest(CAST(:terms AS bigint[]), CAST(:moments AS bigint[]), CAST(:articles AS bigint[])) AS one(term, at, article)
""")
STATES_AT_ONCE = text("""
INSERT INTO story_states (topic, story_id, body) SELECT CAST(:topic AS text), story_id, body
FROM unnest(CAST(:ids AS text[]), CAST(:states AS bytea[])) AS one(story_id, body)
ON CONFLICT (topic, story_id) DO UPDATE SET body = excluded.body
""")
"""Each writes all rows of an article in one statement: it has a hundred terms."""

LOCKED_IN_POSTGRESQL = text("SELECT pg_advisory_xact_lock(:number)")
LOCKED_IN_MYSQL = text("""
INSERT INTO story_counts (topic, name, value) VALUES (:topic, 'lock', '') ON DUPLICATE KEY UPDATE value = ''
""")
"""It locks the row for itself, whether it makes it or finds it. INSERT IGNORE shares the lock of a row that is there:
two who then want it for themselves wait for each other."""

INDEX_END = text("""
SELECT (SELECT max(number) FROM story_index WHERE topic = :topic),
    (SELECT max(place) FROM story_counted WHERE topic = :topic)
""")

INDEX_END_AND_ARTICLE = text("""
SELECT (SELECT max(number) FROM story_index WHERE topic = :topic),
    (SELECT max(place) FROM story_counted WHERE topic = :topic),
    (SELECT body FROM story_index WHERE topic = :topic AND url_key = :key LIMIT 1),
    (SELECT body FROM story_states WHERE topic = :topic AND story_id = :story)
""")

COUNTED_SINCE = text(
    "SELECT place, body FROM story_counted WHERE topic = :topic AND place > :place ORDER BY place"
)
ARTICLES_BY_KEY = "SELECT body FROM story_index WHERE topic = :topic AND url_key {are}"
ARTICLES_BY_NUMBER = "SELECT body FROM story_index WHERE topic = :topic AND number {are}"
STORIES_BY_ID = "SELECT body FROM story_states WHERE topic = :topic AND story_id {are}"

_NEWEST_BY_TERM = text(NEWEST_BY_TERM)

_decode_article = msgspec.msgpack.Decoder(StoryArticle).decode
_decode_story = msgspec.msgpack.Decoder(StoryState).decode


@cache
def _newest_of(terms: int) -> TextClause:
    """Return the question for so many terms, which the driver keeps ready."""
    return text(" UNION ALL ".join(NEWEST_OF_ONE.format(place=place) for place in range(terms)))


@cache
def _those(question: str, dialect: str, values: int) -> TextClause:
    """Return a question about so many values: PostgreSQL takes them as one."""
    if dialect == "postgresql":
        kind = "bigint" if question == ARTICLES_BY_NUMBER else "text"
        return text(question.format(are=f"= ANY(CAST(:values AS {kind}[]))"))
    places = ", ".join(f":value{place}" for place in range(values))
    return text(question.format(are=f"IN ({places})"))


@cache
def _compiled(statement: TextClause, dialect: Dialect) -> tuple[str, Sequence[str] | None]:
    compiled = statement.compile(dialect=dialect)
    return str(compiled), getattr(compiled, "positiontup", None)


def _asked(connection: Connection, statement: TextClause, words: Mapping[str, Any]) -> Any:
    """Ask something as the driver takes it: SQLAlchemy's own part costs as much as the driver's, nine times an
    article.
    """
    sql, order = _compiled(statement, connection.dialect)
    given = words if order is None else tuple(words[name] for name in order)
    return connection.exec_driver_sql(sql, given)


@cache
def _upsert_of(one: Table, dialect: Dialect) -> Upsert:
    return Upsert(one, [column.name for column in one.columns], dialect)


def make_tables(connection: Connection, topic: str) -> tuple[None, ResultBatch]:
    """Make what is missing of the tables, also in a database of an earlier version; gives no rows."""
    if (
        connection.dialect.name == "postgresql"
    ):  # two that make one table at once fail, of any topic
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({SCHEMA_LOCK})")
    add_tables(connection, {one.name: one for one in INDEX_TABLES})
    return None, ResultBatch()


def end_of_index(connection: Connection, topic: str) -> IndexEnd:
    """Return how far an index goes."""
    number, counted = _asked(connection, INDEX_END, {"topic": topic}).one()
    return IndexEnd(number or 0, counted or 0)


def lock_number(topic: str) -> int:
    """Return the number of the lock of a topic's stories in PostgreSQL."""
    return zlib.crc32(f"focuscrawl stories {topic}".encode())


def lock(connection: Connection, topic: str) -> None:
    """Let no other worker tell stories of a topic until this transaction ends, if it has not begun so.

    SQLite has locked the whole file with its beginning (BEGIN IMMEDIATE).
    """
    dialect = connection.dialect.name
    if dialect == "postgresql":
        number = lock_number(topic)
        if connection.get_execution_options().get(LOCKED) != number:
            _asked(connection, LOCKED_IN_POSTGRESQL, {"number": number})
    elif dialect in ("mysql", "mariadb"):
        # A lock by name (GET_LOCK) outlives the transaction; one of a row ends with it.
        _asked(connection, LOCKED_IN_MYSQL, {"topic": topic})


def asked(
    connection: Connection,
    topic: str,
    work: Callable[[SharedStoryTables], tuple[_T, StoryRows]],
    *,
    looks: bool = False,
) -> tuple[_T, ResultBatch]:
    """Return what is found in the index under its topic's lock, and the rows to write with it.

    What only ``looks`` needs no lock. What the index writes last is written with these rows.
    """
    if not looks:
        lock(connection, topic)
    at_once = AtOnce()
    found, rows = work(SharedStoryTables(connection, topic, at_once))
    batch = ResultBatch(at_once=at_once)
    for row in rows:
        kind = MEMBER_ROWS if isinstance(row, StoryArticle) else STORY_ROWS
        batch.rows[kind.part].append(row)
    return found, batch


def forget_articles(connection: Connection, topic: str, keys: Sequence[str]) -> None:
    """Take articles out of the index, if there is one; what was the title of one is no story's any more.

    To be called before their members are deleted, whose stories then are as ``retell_story`` says.
    """
    if not inspect(connection).has_table(INDEXED.name):
        return
    lock(connection, topic)
    of_them = (INDEXED.c.topic == topic, INDEXED.c.url_key.in_(keys))
    numbers = connection.scalars(select(INDEXED.c.number).where(*of_them)).all()
    connection.execute(delete(TERMS).where(TERMS.c.topic == topic, TERMS.c.article.in_(numbers)))
    connection.execute(delete(INDEXED).where(*of_them))


def retell_story(
    connection: Connection, topic: str, story_id: str, keys: Sequence[str], relations: Sequence[str]
) -> None:
    """Let the index know a story by the members that are left, by their ``relations``; ``keys`` are gone."""
    if not inspect(connection).has_table(STATES.name):
        return
    this = (STATES.c.topic == topic, STATES.c.story_id == story_id)
    if not relations:
        connection.execute(delete(STATES).where(*this))
    elif body := connection.scalar(select(STATES.c.body).where(*this)):
        story = _decode_story(body)
        title = "" if story.first_key in keys else story.title
        copies = relations.count(IS_COPY)
        story = story._replace(title=title, articles=len(relations), copies=copies)
        connection.execute(update(STATES).where(*this).values(body=packed(story)))


class SharedStoryTables:
    """The index of one topic, inside the caller's transaction; it never waits, whatever its names say.

    With ``at_once`` the caller writes what is there in the end, if anything is; who reads before has it written.
    """

    def __init__(self, connection: Connection, topic: str, at_once: AtOnce | None = None) -> None:
        self._connection = connection
        self._topic = topic
        self._at_once = at_once
        self._last: int | None = None
        self._by_key: dict[bytes, StoryArticle | None] = {}
        self._by_id: dict[str, StoryState | None] = {}

    async def candidates(
        self, terms: Sequence[int], since: float, until: float, most: int
    ) -> list[tuple[int, int]]:
        """Return the newest articles of each term."""
        first, last = _second(since), _second(until)
        if self._connection.dialect.name == "postgresql":
            words = {
                "terms": [*terms],
                "topic": self._topic,
                "since": first,
                "until": last,
                "most": most,
            }
            by_term = self._ask(_NEWEST_BY_TERM, words).all()
            return [(term, number) for term, numbers in by_term for number in numbers]
        found: list[tuple[int, int]] = []
        words = {"topic": self._topic, "since": first, "until": last, "most": most}
        for some in parts_of(terms, TERMS_AT_ONCE):
            named = {f"term{place}": term for place, term in enumerate(some)}
            rows = self._ask(_newest_of(len(some)), words | named).all()
            # The order in which the parts of a union come is undefined.
            newest: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
            for term, at, article in rows:
                newest[term].append((at, article))
            found += [
                (term, article)
                for term in some
                for _, article in sorted(newest[term], reverse=True)
            ]
        return found

    async def story_articles(self, numbers: Sequence[int]) -> dict[int, StoryArticle]:
        """Return articles by their numbers."""
        articles = map(_decode_article, self._bodies(ARTICLES_BY_NUMBER, numbers))
        return {article.number: article for article in articles}

    async def story_article(self, key: bytes) -> StoryArticle | None:
        """Return an article by its key."""
        if key in self._by_key:
            return self._by_key[key]
        return next(map(_decode_article, self._bodies(ARTICLES_BY_KEY, [key.hex()])), None)

    async def stories(self, ids: Sequence[str]) -> dict[str, StoryState]:
        """Return stories."""
        open_ids = [one for one in ids if one not in self._by_id]
        found = {one: story for one in ids if (story := self._by_id.get(one))}
        stories = map(_decode_story, self._bodies(STORIES_BY_ID, open_ids))
        return found | {story.story_id: story for story in stories}

    async def last_story_article(self) -> int:
        """Return the highest number of an article."""
        return self.end().number

    def end(self) -> IndexEnd:
        """Return how far the index goes."""
        end = end_of_index(self._connection, self._topic)
        self._last = end.number
        return end

    def end_and(self, key: bytes) -> IndexEnd:
        """Return how far it goes, and look for an article, and a story that it has begun, with the same question."""
        story = story_id_of(key)
        words = {"topic": self._topic, "key": key.hex(), "story": story}
        number, counted, body, state = self._ask(INDEX_END_AND_ARTICLE, words).one()
        self._by_key[key] = _decode_article(body) if body else None
        self._by_id[story] = _decode_story(state) if state else None
        self._last = number or 0
        return IndexEnd(self._last, counted or 0)

    def counts(self) -> Any:
        """Return the frequencies, as they were written last; None when none were."""
        query = select(COUNTS.c.value).where(COUNTS.c.topic == self._topic, COUNTS.c.name == "all")
        value = self._connection.scalar(query)
        return msgspec.msgpack.decode(value) if value else None

    def write_counts(self, counts: Any) -> None:
        """Write the frequencies."""
        self._put(COUNTS, [{"topic": self._topic, "name": "all", "value": packed(counts)}])

    def counted_since(self, place: int) -> list[tuple[int, bytes]]:
        """Return what was counted behind a place, in order, as far as it is kept."""
        found = self._ask(COUNTED_SINCE, {"topic": self._topic, "place": place})
        return [(place, body) for place, body in found.all()]

    def forget_counted(self, place: int) -> None:
        """Forget what was counted up to a place."""
        before = (COUNTED_WORDS.c.topic == self._topic, COUNTED_WORDS.c.place <= place)
        self._connection.execute(delete(COUNTED_WORDS).where(*before))

    def write(
        self,
        articles: Iterable[StoryArticle],
        stories: Iterable[StoryState],
        counted: Sequence[tuple[int, bytes]] = (),
    ) -> None:
        """Write articles with their terms, in the place of what was known of them, and stories; and what was
        counted in which place."""
        if self._at_once:  # a statement cannot write a row twice
            self._at_once.write(self._connection)
        told = [*articles]
        old = [one.number for one in told if self._last is None or one.number <= self._last]
        if old:
            of_them = (TERMS.c.topic == self._topic, TERMS.c.article.in_(old))
            self._connection.execute(delete(TERMS).where(*of_them))
        self._by_key.clear()
        self._by_id.clear()
        found = [*stories]
        dialect = self._connection.dialect
        if dialect.name == "postgresql" and dialect.paramstyle == "pyformat":
            at_once = AtOnce() if self._at_once is None else self._at_once
            self._add(at_once, told, found, counted)
            if at_once is not self._at_once:
                at_once.write(self._connection)
            return
        rows = [self._body(one, number=one.number, url_key=one.key.hex()) for one in told]
        self._put(INDEXED, rows)
        terms = [
            {"topic": self._topic, "term": term, "at": at, "article": article}
            for term, at, article in _terms_of(told)
        ]
        if terms:
            self._connection.execute(insert(TERMS), terms)
        self._put(STATES, [self._body(one, story_id=one.story_id) for one in found])
        rows = [{"topic": self._topic, "place": place, "body": body} for place, body in counted]
        self._put(COUNTED_WORDS, rows)

    def _add(
        self,
        at_once: AtOnce,
        articles: Sequence[StoryArticle],
        stories: Sequence[StoryState],
        counted: Sequence[tuple[int, bytes]],
    ) -> None:
        terms = _terms_of(articles)
        indexed = {
            "numbers": [one.number for one in articles],
            "keys": [one.key.hex() for one in articles],
            "bodies": [packed(one) for one in articles],
        }
        places = {
            "places": [place for place, _ in counted],
            "counted": [body for _, body in counted],
        }
        found_by = {
            "terms": [term for term, _, _ in terms],
            "moments": [at for _, at, _ in terms],
            "articles": [article for _, _, article in terms],
        }
        states = {
            "ids": [one.story_id for one in stories],
            "states": [packed(one) for one in stories],
        }
        dialect, topic = self._connection.dialect, {"topic": self._topic}
        for statement, words, is_any in (
            (INDEXED_AT_ONCE, indexed, articles),
            (COUNTED_AT_ONCE, places, counted),
            (FOUND_AT_ONCE, found_by, terms),
            (STATES_AT_ONCE, states, stories),
        ):
            if is_any:
                at_once.add(_compiled(statement, dialect)[0], topic | words)

    def _body(self, one: StoryArticle | StoryState, **columns: object) -> dict[str, object]:
        return {"topic": self._topic, **columns, "body": packed(one)}

    def _put(self, one: Table, rows: list[dict[str, object]]) -> None:
        """Write rows, in the place of those that there are."""
        _upsert_of(one, self._connection.dialect).write(self._connection, rows)

    def _ask(self, statement: TextClause, words: Mapping[str, Any]) -> Any:
        """Ask something that has to see what was written before."""
        if self._at_once:
            self._at_once.write(self._connection)
        return _asked(self._connection, statement, words)

    def _bodies(self, question: str, values: Sequence[str] | Sequence[int]) -> Iterator[bytes]:
        dialect = self._connection.dialect.name
        for some in parts_of([*values]):
            words: dict[str, Any] = {"topic": self._topic}
            if dialect == "postgresql":
                words["values"] = some
            else:
                words |= {f"value{place}": value for place, value in enumerate(some)}
            yield from self._ask(_those(question, dialect, len(some)), words).scalars().all()


def _terms_of(articles: Iterable[StoryArticle]) -> list[tuple[int, int, int]]:
    """Return what articles are found by, as (term, second, number)."""
    return [
        (term, _second(one.at), one.number) for one in articles for term in sorted({*one.terms})
    ]


def _second(moment: float) -> int:
    return int(min(max(moment, -FAR_FUTURE), FAR_FUTURE))
