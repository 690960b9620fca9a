"""``scrapy topic try NAME``: goes deep in a store that is thrown away: one list a site, then its likeliest articles.

Each round is a crawl of what was chosen, and follows nothing; what it read tells what the next one reads.
It ends when five articles, records or threads were read. A topic whose pages are found by a way of their own
(searches, layers, a forum), or for which somebody says how many pages, is crawled as it would be for ten pages.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from focuscrawl.frontier.levels import CONTENT_CLASSES
from focuscrawl.links.admission_rules import AdmissionRules
from focuscrawl.links.table import FollowTable
from focuscrawl.locale.messages import _
from focuscrawl.relevance.scores import LinkScorer
from focuscrawl.results.database import results_to_read
from focuscrawl.results.kinds.pages import PAGES
from focuscrawl.search.table import SearchTable
from focuscrawl.template.load import is_inline
from focuscrawl.template.merge import resolve
from focuscrawl.urls.sites import site_of
from focuscrawl.values import PageClass
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.explain.list_links import ListLink, links_shown
from focuscrawl.verbs.proposals import answer_of, answers_in, answers_kept_in, proposals_text
from focuscrawl.verbs.trial import TRIED_PAGES, crawl_into, placed, tried_text, written

if TYPE_CHECKING:
    from focuscrawl.template.load import LoadedTemplate

READ_WANTED = 5
"""Articles, records or threads that are read, so many that most keyword groups may have hit something."""

MOST_SITES, AT_ONCE, MOST_ROUNDS = 5, 6, 4
"""Sites whose lists are read; pages of one round; rounds, each of which costs two seconds to start."""

_HEADLINE = 8
"""Characters from which on the text of a link is rather a headline than a place in a menu."""

_READ = frozenset({"stored", "irrelevant", "short", "old", "copy", "unchanged"})


def try_out(call: Call, args: Sequence[str]) -> str:
    """Read a few pages, and explain each."""
    loaded = call.loaded(args, secrets=True)
    with tempfile.TemporaryDirectory(prefix="focuscrawl-try-") as name:
        folder = Path(name)
        answers, rounds = folder / "answers", 0
        if _goes_deep(loaded, call.options.arguments):
            trial = DeepTrial(loaded, folder, answers, call.config().clock.wall())
            status, rounds = trial.read(), trial.rounds
        else:
            source = args[0] if is_inline(args[0]) else str(loaded.template.path)
            arguments = [f"limits.pages={TRIED_PAGES}", *call.options.arguments, "article.keep=all"]
            status = crawl_into(folder, source, arguments, answers_kept_in(answers))
        database = folder / f"{loaded.template.name}.db"
        if not database.exists():
            told = _("the trial crawl did not begin (exit status {status})")
            raise CannotDo(told.format(status=status))
        said = tried_text(database, loaded.template, rounds)
        return "\n\n".join(filter(None, (said, proposals_text(database, answers, loaded.template))))


def _goes_deep(loaded: LoadedTemplate, arguments: Sequence[str]) -> bool:
    """Whether a topic's pages are chosen from its lists; else it is crawled as it would be."""
    template = loaded.template
    has_own_way = (
        template.of(SearchTable).engines
        or template.of(FollowTable).layers
        or any(source.kind == "forum" for source in template.sources)
    )
    is_told = any(one.startswith("limits.") for one in arguments)
    return bool(template.sources) and not has_own_way and not is_told


class ChosenLink(NamedTuple):
    """An address of a round, and the number of the source that has led to it."""

    url: str
    source: int


@dataclass(slots=True)
class DeepTrial:
    """A trial under way; ``now`` is wall time, ``chosen`` are all addresses so far."""

    loaded: LoadedTemplate
    folder: Path
    answers: Path
    now: float
    chosen: dict[str, int] = field(default_factory=dict)
    rounds: int = 0

    def read(self) -> int:
        """Crawl round by round; returns the exit status of the last one."""
        status, choices, kinds = 0, self._lists(), True
        for _round in range(MOST_ROUNDS):
            if not choices:
                break
            self.chosen |= {choice.url: choice.source for choice in choices}
            status = self._crawl(choices, as_named=kinds)
            kinds = False
            self.rounds += 1
            database = self.folder / f"{self.loaded.template.name}.db"
            if not database.exists() or self._count_read(database) >= READ_WANTED:
                break
            choices = self._likeliest(database)
        return status

    def _lists(self) -> list[ChosenLink]:
        """Choose one address a site."""
        found: dict[str, ChosenLink] = {}
        for number, source in enumerate(self.loaded.template.sources):
            for url in source.urls:
                found.setdefault(site_of(url), ChosenLink(url, number))
        return [*found.values()][:MOST_SITES]

    def _crawl(self, choices: Sequence[ChosenLink], *, as_named: bool) -> int:
        """Crawl addresses, each as its source says; ``as_named``: as what the source is, too."""
        loaded = self.loaded
        tree = resolve(loaded.merged, loaded.template.name)  # with the passwords of proxies
        urls: defaultdict[int, list[str]] = defaultdict(list)
        for choice in choices:
            urls[choice.source].append(choice.url)
        tree["source"] = [
            {**tree["source"][number], "urls": some}
            | ({} if as_named else {"kind": "auto", "level": None})
            for number, some in urls.items()
        ]
        tree["follow"] |= {"depth": 0, "paging": "none"}
        tree["revisit"] = {"policy": "off"}
        tree["article"]["keep"] = "all"  # judged by its words below, where the reasons are told
        tree["output"] = {}
        folder = loaded.template.path.parent if loaded.template.path else Path()
        template = self.folder / f"{loaded.template.name}.toml"
        template.write_text(written(placed(tree, folder.absolute())), "utf-8")
        return crawl_into(self.folder, str(template), (), answers_kept_in(self.answers))

    def _count_read(self, database: Path) -> int:
        """Count what was read that is no list."""
        classes = [one.value for one in CONTENT_CLASSES - {PageClass.ARTICLE_PAGING}]
        query = select(PAGES.c.outcome).where(PAGES.c.page_class.in_(classes))
        with results_to_read(database) as connection:
            return sum(outcome in _READ for outcome in connection.scalars(query))

    def _likeliest(self, database: Path) -> list[ChosenLink]:
        """Choose from the lists that were read, by turns, the links that are likeliest articles."""
        query = select(PAGES.c.url).where(PAGES.c.outcome == "list").order_by(PAGES.c.last_fetched)
        with results_to_read(database) as connection:
            lists = [*connection.scalars(query)]
        rules = AdmissionRules.from_template(self.loaded.template, self.now)
        kept = answers_in(self.answers)
        ranked = []
        for url in lists:
            if url in kept and (answer := answer_of(url, kept[url])):
                source = self.chosen.get(url, 0)
                links = links_shown(answer, self.loaded)
                ranked.append([*self._ranked(links, source, rules)])
        by_turns = filter(None, chain.from_iterable(zip_longest(*ranked)))
        return [*dict.fromkeys(by_turns)][:AT_ONCE]

    def _ranked(
        self, links: Iterator[ListLink], source: int, rules: AdmissionRules
    ) -> Iterator[ChosenLink]:
        scorer = self.loaded.template.once(LinkScorer.of)
        found: dict[str, tuple[bool, bool, float, int]] = {}
        for place, link in enumerate(links):
            look = rules.look(link.url)
            if look.refused_page or link.nofollow or look.address.url in self.chosen:
                continue
            is_article = look.page_class is PageClass.ARTICLE
            is_likely = is_article or len(link.text) >= _HEADLINE
            is_list = look.page_class is PageClass.BOARD
            score = scorer.link_score(link.text, look.address.url)
            rank = (is_list, not is_likely, -score, place)
            before = found.get(look.address.url)
            found[look.address.url] = min(before, rank) if before else rank
        yield from (ChosenLink(url, source) for url in sorted(found, key=found.__getitem__))
