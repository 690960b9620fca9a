"""``scrapy topic forget|rejudge|reread``: what is stored, deleted or seen by what the topic says now."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime, tzinfo
from itertools import count
from typing import NamedTuple

from scrapy.exceptions import UsageError
from sqlalchemy import Connection, and_

from focuscrawl.features.articles.rows.articles import (
    ArticleToJudge,
    Judgement,
    all_articles,
    count_refused,
    write_judgements,
)
from focuscrawl.features.politeness.table import PolitenessTable
from focuscrawl.features.revisit.visits import ASKED_FOR
from focuscrawl.locale.messages import _
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.relevance.scores import PageScorer
from focuscrawl.readers.text.moments import read_moment
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.results.forgetting import (
    addresses_not_seen_since,
    addresses_of_site,
    addresses_without_page,
    count_rows,
    delete_addresses,
    with_further_pages,
)
from focuscrawl.stores.results.kinds.pages import (
    PAGES,
    KnownPage,
    known_pages,
    pages_by_key,
    refused_by_words,
)
from focuscrawl.stores.state.protocol import (
    FAILED,
    PARKED,
    PARTITIONS,
    WAITING,
    Changes,
    Row,
    Store,
)
from focuscrawl.stores.state.sqlite_file import open_read_only
from focuscrawl.stores.state.sqlite_maintenance import Held, held_of
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.template.template import Template
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, PageState, Waiting
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.data import (
    NO_LINKS,
    Places,
    crawl_held_still,
    places_of,
    results_to_write,
    site_named,
)

SHOWN = 5
"""Articles that are named when their relevance changes."""

# Forgetting -------------------------------------------------------------------------------------


class Wish(NamedTuple):
    """What is to be forgotten; ``words`` say it for people, ``numbers`` are those of ``keys`` in the
    seen set.
    """

    words: str
    keys: tuple[str, ...] = ()
    site: str = ""
    before: float = 0.0
    numbers: tuple[int, ...] = ()


def forget_pages(call: Call, args: Sequence[str]) -> str:
    """Delete what is stored of --url, --site or --before (NAME …); a dry run without --yes."""
    loaded, opts = call.loaded(args, secrets=False), call.options
    places = places_of(call, loaded, results=True)
    wish = _wish(loaded, opts, places.config.clock.wall())
    return _done(places, wish, opts) if opts.yes else _said(places, wish, opts)


def _wish(loaded: LoadedTemplate, opts: argparse.Namespace, now: float) -> Wish:
    if sum(map(bool, (opts.url, opts.site, opts.before))) != 1:
        raise UsageError(_("say what: one of --url URL, --site HOST, --before DATE"))
    if opts.before:
        zone = loaded.template.topic.timezone
        before = _moment(opts.before, zone)
        moment = datetime.fromtimestamp(before, zone)
        return Wish(
            _("what was last seen before {moment:%Y-%m-%d %H:%M %Z}").format(moment=moment),
            before=before,
        )
    rules = AdmissionRules.from_template(loaded.template, now)
    if opts.site:
        site = site_named(opts.site)
        return Wish(_("all of {site}").format(site=site), site=site)
    addresses = [found for url in opts.url if (found := rules.canonicalizer.address(url))]
    if wrong := [url for url in opts.url if not rules.canonicalizer.key(url)]:
        raise CannotDo(
            _("{wrong!r} is no address; write it as in http://www.example.com/a.html").format(
                wrong=wrong[0]
            )
        )
    keys = tuple(address.key.hex() for address in addresses)
    return Wish(", ".join(opts.url), keys, numbers=tuple(one.number for one in addresses))


def _moment(text: str, zone: tzinfo) -> float:
    try:
        return read_moment(text, zone)
    except ValueError:
        raise CannotDo(
            _("--before {text}: write a date, as in 2026-11-20").format(text=text)
        ) from None


def _keys(connection: Connection, places: Places, wish: Wish) -> list[str]:
    """Return all addresses (hex) that the results know of a wish."""
    kinds, topic = places.kinds, places.name
    if wish.site:
        return addresses_of_site(connection, kinds, topic, wish.site)
    if wish.keys:
        return with_further_pages(connection, topic, wish.keys)
    found: dict[str, None] = {}
    for choose in (addresses_not_seen_since, addresses_without_page):
        after, is_over = "", False
        while not is_over:
            keys, after = choose(connection, kinds, topic, wish.before, after)
            found |= dict.fromkeys(keys)
            is_over = not after
    return list(found)


def _said(places: Places, wish: Wish, opts: argparse.Namespace) -> str:
    with results_to_read(places.results) as connection:
        keys = _keys(connection, places, wish)
        counts = count_rows(connection, places.kinds, places.name, keys)
    if not places.settings:  # it may be running
        with closing(open_read_only(places.crawl)) as database:
            held = held_of(database, _as_bytes(keys), wish.site)
    else:
        with crawl_held_still(places) as store:
            held = store.held(_as_bytes(keys), wish.site)
    lines = _lines(places, wish, counts, held, opts, done=False)
    return "\n".join([*lines, _("Nothing was changed: add --yes to do it.")])


def _done(places: Places, wish: Wish, opts: argparse.Namespace) -> str:
    """Forget, with the crawl held still: its file first, so that nothing is lost between the two.

    Cut off in between, the results are still there and it can be done again.
    """
    with crawl_held_still(places) as store, results_to_write(places) as connection:
        keys = _keys(connection, places, wish)
        pages = pages_by_key(connection, places.name, keys) if opts.again else []
        held = store.forget(_as_bytes(keys), wish.site, wish.numbers, again=opts.again)
        asyncio.run(queue_again(store, pages, places.config.clock.wall()))
        counts = delete_addresses(connection, places.kinds, places.name, keys, retell=True)
    return "\n".join(_lines(places, wish, counts, held, opts, done=True))


def _as_bytes(keys: Sequence[str]) -> set[bytes]:
    return {bytes.fromhex(key) for key in keys if len(key) == 32}


def _lines(
    places: Places, wish: Wish, counts: Counter[str], held: Held, opts: argparse.Namespace, *, done: bool,
) -> Iterator[str]:  # fmt: skip
    """Say what was done, or would be."""
    rows = ", ".join(f"{count:,} {table}" for table, count in sorted(counts.items())) or _(
        "nothing"
    )
    yield _("{name}: {sentence}").format(name=places.name, sentence=wish.words)
    told = (
        _("  deleted in the results: {rows}") if done else _("  to delete in the results: {rows}")
    )
    yield told.format(rows=rows)
    yield _(
        "  in the crawl: {waiting:,} URLs that wait are taken out, {keys:,} addresses leave its memory"
    ).format(waiting=len(held.waiting), keys=len(held.keys))
    if opts.again:
        yield _("  fetched pages wait to be fetched anew, others until a link leads to them")
        return
    yield _("  these addresses are never fetched again (with --again they would be)")
    if wish.site:
        yield _("  new pages of it are still found: scrapy topic ban {name} {site}").format(
            name=places.name, site=wish.site
        )


# Pages that a person wants fetched again, though nothing leads to them any more -------------------

_FOUND_OUT = frozenset({PageClass.RECORD, PageClass.OTHER})
"""Classes a page has only after it was read."""

_FURTHER = frozenset({*NO_LINKS, PageClass.FILE})
"""Classes of what another page leads to, when it is fetched again."""

READ = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.THREAD})
"""Classes of pages that are read for what they say."""


async def queue_again(
    store: Store, pages: Iterable[KnownPage], now: float, waiting: Collection[bytes] = ()
) -> int:
    """Let pages of the log book wait again, behind all that waits; returns how many do now.

    ``now`` is wall time, ``waiting`` are keys of those that wait already.
    """
    numbers = _free_numbers(store, (await store.load(range(PARTITIONS))).next_sequence)
    changes: dict[int, Changes] = {}
    queued = 0
    for page in pages:
        url = as_waiting(page, now)
        if not url or url.key in waiting:
            continue
        partition = partition_of(url.site)
        part = changes.setdefault(partition, Changes())
        part.added.append(Row(next(numbers), url))
        part.seen.append(key_number(url.key, partition))
        queued += 1
    if changes:
        store.commit(changes)
    return queued


def as_waiting(page: KnownPage, now: float) -> Waiting | None:
    """Return a page as a URL that waits; None for one that comes with another.

    What it gives is known, unless it is dated behind ``now`` (wall time): the page is not new.
    """
    page_class = PageClass(page.page_class)
    if page_class in _FURTHER:
        return None
    return Waiting(
        url=page.url,
        key=bytes.fromhex(page.url_key),
        site=page.host,
        level=page.level,
        passed_level=page.level,
        page_class=None if page_class in _FOUND_OUT else page_class,
        depth=page.depth,
        anchor=page.anchor,
        parent_key=bytes.fromhex(page.parent_key),
        source_id=page.source_id,
        first_walk=False,
        baseline=int(now),
    )


def keys_waiting(store: Store) -> set[bytes]:
    """Return the keys of all URLs that stand in a store."""
    return {row.waiting.key for state in (WAITING, FAILED, PARKED) for row in store.rows(state)}


def make_due(store: Store, keys: Iterable[bytes], now: float) -> set[bytes]:
    """Let pages that are watched be visited at once, and asked for whatever their version.

    Returns the keys of those there are: the others are not watched.
    """
    states = asyncio.run(store.pages(list(keys)))
    changes: dict[int, Changes] = {}
    for state in states.values():
        partition = partition_of(state.site)
        changes.setdefault(partition, Changes()).pages.append(due_at_once(state, now))
    if changes:
        store.commit(changes)
    return set(states)


def due_at_once(state: PageState, now: float) -> PageState:
    """Return a page that is due, and comes whole whether it has changed or not."""
    facts = {**state.facts, ASKED_FOR: now}
    return state._replace(etag="", modified="", next_visit=now, reserved=None, facts=facts)


def _free_numbers(store: Store, first: int) -> Iterator[int]:
    """Go through sequence numbers that no row has; ``first`` is the next one of a crawl file."""
    if not store.is_shared:
        yield from count(first)
    while block := store.draw():
        yield from block
    raise CannotDo(
        _("so many pages cannot wait at once: do it for some of them, and then for others")
    )


# Judging and reading anew -------------------------------------------------------------------------


def rejudge_stored(call: Call, args: Sequence[str]) -> str:
    """Judge stored articles (NAME) by the words and threshold the topic has now; deletes nothing."""
    loaded = call.loaded(args, secrets=False)
    places = places_of(call, loaded, results=True)
    with crawl_held_still(places) as store:
        judged, refused = _rejudge(places, loaded.template)
        again = _refetch(places, store) if call.options.refetch else 0
    lines = [
        _("{name}: {count:,} articles judged anew by their stored texts").format(
            name=places.name, count=len(judged)
        ),
        *_rejudged_lines(judged),
    ]
    if call.options.refetch:
        lines.append(
            _("  {again:,} pages that were refused are fetched anew by the next crawl").format(
                again=again
            )
        )
    elif refused:
        lines.append(
            _(
                "  {refused:,} pages were refused by its earlier words, and no text of them is"
                " stored: --refetch fetches them anew"
            ).format(refused=refused)
        )
    return "\n".join(lines)


def reread(call: Call, args: Sequence[str]) -> str:
    """Let the next crawl read every stored article and record (NAME) once more, as after new fields."""
    loaded = call.loaded(args, secrets=False)
    places = places_of(call, loaded, results=True)
    with crawl_held_still(places) as store:
        with results_to_write(places) as connection:
            stored = and_(
                PAGES.c.outcome.in_(("stored", "unchanged")),
                PAGES.c.page_class.in_([one.value for one in READ]),
            )
            pages = known_pages(connection, places.name, stored)
        keys = [bytes.fromhex(page.url_key) for page in pages]
        now = places.config.clock.wall()
        watched = make_due(store, keys, now)
        queued = asyncio.run(queue_again(store, pages, now, watched | keys_waiting(store)))
    return _(
        "{name}: {number:,} pages are due now; there is no archive of them, so the next"
        " crawl fetches them again ({delay:g} s between two of a site) and reads them anew"
    ).format(
        name=places.name,
        number=len(watched) + queued,
        delay=loaded.template.of(PolitenessTable).delay,
    )


class Rejudged(NamedTuple):
    """An article judged anew, and whether that changes what is stored of it."""

    article: ArticleToJudge
    judgement: Judgement
    changed: bool

    @property
    def is_another(self) -> bool:
        """Whether it belongs to the topic now and did not, or the reverse."""
        return bool(self.article.relevant) != self.judgement.relevant


def rejudge(articles: Iterable[ArticleToJudge], template: Template) -> list[Rejudged]:
    """Judge articles by their stored texts; those without are left out."""
    unjudged = {source.source_id for source in template.sources if source.relevant == "all"}
    found = []
    for article in articles:
        if article.text is None:
            continue
        score = template.once(PageScorer.of).score(article.title, article.text)
        relevant = score.relevant or template.site(article.host).relevant == "all"
        relevant = relevant or article.source_id in unjudged
        stored = (article.score, article.relevant, dict(article.hits))
        judged = Judgement(article.url_key, score.score, relevant, score.hits)
        found.append(Rejudged(article, judged, stored != (score.score, relevant, score.hits)))
    return found


def _rejudge(places: Places, template: Template) -> tuple[list[Rejudged], int]:
    """Judge and write articles, a few at a time; returns them without texts, and the count of refused pages."""
    judged: list[Rejudged] = []
    with results_to_write(places) as connection:
        for articles in all_articles(connection, places.name):
            some = rejudge(articles, template)
            changed = [one.judgement for one in some if one.changed]
            write_judgements(connection, places.name, changed)
            judged += [one._replace(article=one.article._replace(text=None)) for one in some]
        return judged, count_refused(connection, places.name)


def _refetch(places: Places, store: Store) -> int:
    with results_to_write(places) as connection:
        pages = known_pages(connection, places.name, refused_by_words())
    now = places.config.clock.wall()
    return asyncio.run(queue_again(store, pages, now, keys_waiting(store)))


def _rejudged_lines(judged: Sequence[Rejudged]) -> list[str]:
    """Say whose relevance has changed."""
    lines = []
    for relevant, one_way, stays in (
        (True, _("  {count:,} belong to the topic now"), ""),
        (
            False,
            _("  {count:,} do not belong to it any more"),
            _("  {count:,} do not belong to it any more, but stay stored"),
        ),
    ):
        others = [
            one.article for one in judged if one.is_another and one.judgement.relevant is relevant
        ]
        told = stays if others and stays else one_way
        lines.append(told.format(count=len(others)))
        lines += [f"    {article.title} {article.url}" for article in others[:SHOWN]]
    return lines
