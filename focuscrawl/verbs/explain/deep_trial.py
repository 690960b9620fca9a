"""``scrapy topic try NAME``: goes deep in a store that is thrown away: one list a site, then its likeliest articles.

Each round crawls the chosen addresses and follows nothing; the next one is chosen from what it read.
It ends when five articles, records or threads were read. A topic whose pages are found by a way of their own
(searches, layers, a forum) is crawled as it would be, ten pages a round, of a search the first results of its first
query; where records are wanted, results are followed, some at a time, until one was read. With a limit of its own it is
crawled once.
``--sites`` looks at each source instead, and prints a line for each.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from focuscrawl.features.records.rows import RECORDS
from focuscrawl.features.records.table import RecordTable
from focuscrawl.features.search.rows import SEEDS
from focuscrawl.features.search.table import SearchTable, search_texts
from focuscrawl.frontier.levels import CONTENT_CLASSES
from focuscrawl.locale.messages import _
from focuscrawl.readers.links.table import FollowTable
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.template.load import is_inline
from focuscrawl.template.toml import toml_text
from focuscrawl.urls.sites import site_of
from focuscrawl.values import PageClass
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.explain.source_trial import sources_text
from focuscrawl.verbs.explain.trial_rounds import ChosenLink, TrialRounds
from focuscrawl.verbs.proposals import answers_kept_in, proposals_text
from focuscrawl.verbs.trial import TRIED_PAGES, crawl_into, tried_text

if TYPE_CHECKING:
    from focuscrawl.template.load import LoadedTemplate
    from focuscrawl.template.template import Template

READ_WANTED = 5
"""Articles, records or threads that are read, so many that most keyword groups may have hit something."""

FEWEST_RESULTS = 10
"""Results of a search that are read: one page of an engine."""

AT_ONCE_FOLLOWED, ROUNDS_OF_SOME = 2, 2
"""Results that are followed together to the pages that hold records, and rounds of TRIED_PAGES for these: from a home
page it is two clicks, each among some ten links that may lead there.
"""

MOST_SITES, AT_ONCE, MOST_ROUNDS = 5, 6, 4
"""Sites whose lists are read; pages of one round; rounds, each of which costs two seconds to start."""

_READ = frozenset({"stored", "irrelevant", "short", "old", "copy", "unchanged"})


def try_out(call: Call, args: Sequence[str]) -> str:
    """Read a few pages, and explain each; or look at each source."""
    loaded = call.loaded(args, secrets=True)
    with tempfile.TemporaryDirectory(prefix="focuscrawl-try-") as name:
        trial = TrialRounds(loaded, Path(name), call.config().clock.wall())
        if call.options.sites:
            return sources_text(trial)
        if _goes_deep(loaded, call.options.arguments):
            status = _go_deep(trial)
        else:
            source = args[0] if is_inline(args[0]) else str(loaded.template.path)
            status = _go_its_way(trial, source, call.options.arguments)
        if not trial.database.exists():
            told = _("the trial crawl did not begin (exit status {status})")
            raise CannotDo(told.format(status=status))
        said = tried_text(trial.database, loaded.template, trial.number)
        proposed = proposals_text(trial.database, trial.answers, loaded.template)
        return "\n\n".join(filter(None, (said, proposed)))


def _goes_deep(loaded: LoadedTemplate, arguments: Sequence[str]) -> bool:
    """Whether a topic's pages are chosen from its lists; else it is crawled as it would be."""
    template = loaded.template
    has_own_way = (
        template.of(SearchTable).engines
        or template.of(FollowTable).layers
        or any(source.kind == "forum" for source in template.sources)
    )
    return bool(template.sources) and not has_own_way and not _is_limited(arguments)


def _is_limited(arguments: Sequence[str]) -> bool:
    return any(one.startswith("limits.") for one in arguments)


def _go_its_way(trial: TrialRounds, source: str, given: Sequence[str]) -> int:
    """Crawl a topic as it would be, some pages; return the exit status of the last round."""
    template, kept = trial.loaded.template, answers_kept_in(trial.answers)
    arguments = [
        f"limits.pages={TRIED_PAGES}",
        *_first_search(template),
        *given,
        "article.keep=all",
    ]
    status = crawl_into(trial.folder, source, arguments, kept)
    if not template.named(RecordTable) or _is_limited(given) or not trial.database.exists():
        return status
    named = [url for source in template.sources for url in source.urls]
    found = [] if _has_records(trial.database) else _results_found(trial.database) or named
    for begin in range(0, len(found), AT_ONCE_FOLLOWED):
        if trial.number >= MOST_ROUNDS or _has_records(trial.database):
            break
        for _time in range(ROUNDS_OF_SOME):
            status = trial.follow(found[begin : begin + AT_ONCE_FOLLOWED], given)
            if _has_records(trial.database):
                break
    return status


def _results_found(database: Path) -> list[str]:
    """Return the addresses that engines have answered, the first of each before the second of any."""
    query = select(SEEDS.c.url).order_by(SEEDS.c.rank, SEEDS.c.engine)
    with results_to_read(database) as connection:
        return [*dict.fromkeys(connection.scalars(query))]


def _has_records(database: Path) -> bool:
    with results_to_read(database) as connection:
        return connection.execute(select(RECORDS.c.record_id).limit(1)).first() is not None


def _first_search(template: Template) -> Iterator[str]:
    """Go through arguments that leave of a topic's searches the first: a hundred of them say no more of what is read."""
    search = template.resolved["search"]
    if search["engines"]:
        yield f"search.results={FEWEST_RESULTS}"
        if texts := search_texts(template.of(SearchTable), template.topic):
            yield f"search.queries={toml_text([texts[0]])}"  # by itself each keyword is one
            yield from (f"search.{name}=[]" for name in ("areas", "sites") if search[name])


def _go_deep(trial: TrialRounds) -> int:
    """Crawl round by round; returns the exit status of the last one."""
    status, choices = 0, _lists(trial.loaded)
    for number in range(MOST_ROUNDS):
        if not choices:
            break
        status = trial.crawl(choices, as_named=number == 0)
        if not trial.database.exists() or _count_read(trial.database) >= READ_WANTED:
            break
        choices = _likeliest(trial)
    return status


def _lists(loaded: LoadedTemplate) -> list[ChosenLink]:
    """Choose one address a site."""
    found: dict[str, ChosenLink] = {}
    for number, source in enumerate(loaded.template.sources):
        for url in source.urls:
            found.setdefault(site_of(url), ChosenLink(url, number))
    return [*found.values()][:MOST_SITES]


def _count_read(database: Path) -> int:
    """Count what was read that is no list."""
    classes = [one.value for one in CONTENT_CLASSES - {PageClass.ARTICLE_PAGING}]
    query = select(PAGES.c.outcome).where(PAGES.c.page_class.in_(classes))
    with results_to_read(database) as connection:
        return sum(outcome in _READ for outcome in connection.scalars(query))


def _likeliest(trial: TrialRounds) -> list[ChosenLink]:
    """Choose from the lists that were read, by turns, the links that are likeliest articles."""
    query = select(PAGES.c.url).where(PAGES.c.outcome == "list").order_by(PAGES.c.last_fetched)
    with results_to_read(trial.database) as connection:
        lists = [*connection.scalars(query)]
    rules = trial.rules()
    ranked = [
        [*trial.ranked(links, trial.chosen.get(url, 0), rules)]
        for url, links in trial.links_on(lists).items()
    ]
    by_turns = filter(None, chain.from_iterable(zip_longest(*ranked)))
    return [*dict.fromkeys(by_turns)][:AT_ONCE]
