"""What a run learns of addresses and passes on to the next: patterns, same pages, traps, schemes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.template_changes import expected_list, is_put_off
from focuscrawl.output.explain.facts import Fact, Question
from focuscrawl.readers.links.admission import COPIES
from focuscrawl.readers.links.admission_rules import AdmissionRules, because, refusal
from focuscrawl.stores.state.protocol import PARKED
from focuscrawl.urls.patterns.url_patterns import UNKNOWN
from focuscrawl.urls.side_pages import form_of_list
from focuscrawl.urls.sites import host_of
from focuscrawl.values import LISTS, Page, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.readers.links.admission import Admission
    from focuscrawl.readers.pages.content import Judged
    from focuscrawl.urls.site_memory import SiteMemory
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import LinkBatch

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Side:
    """Whether a flight's page ``gives`` anything by itself: text, records, new links; ``doubtful``: these may be views
    of it.
    """

    gives: bool = False
    doubtful: bool = False


class Addresses(Feature):
    """The addresses of one run: pages teach their patterns, sites how they can be reached."""

    name = "addresses"
    needs_topic = False

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._awake: set[str] = set()

    def memories(self) -> list[SiteMemory]:
        """Remember what was learnt of sites."""
        rules = self.kernel.rules
        learnt = (rules.schemes, rules.patterns, rules.same, rules.copies, rules.side)
        return [one for one in learnt if one is not None]

    def release(self, partitions: Partitions) -> None:
        """Forget the links of all sites that were looked up by the rules learnt for some partitions."""
        self.kernel.rules.starts.clear()
        self.kernel.rules.known.clear()

    def judged(self, flight: Flight | None, judged: Judged) -> Iterator[Any]:
        """Learn what pages of such an address are, and which addresses are one page."""
        if flight is not None:
            rules, waiting = self.kernel.rules, flight.waiting
            if told := learn_likeness(judged, flight.request.url, waiting, rules):
                logger.warning("%s", told)
            if waiting.first_walk and not judged.by_pattern:
                learn_pattern(judged.page, waiting, rules)
            flight.of(Side).gives |= _gives(judged)
        return iter(())

    def admitted(self, flight: Flight, batch: LinkBatch, admission: Admission) -> None:
        """Note whether a page has led to something new; where a known list has, those that were put off are read."""
        flight.of(Side).gives |= admission.has_news
        flight.of(Side).doubtful |= not admission.is_sure
        waiting = flight.waiting
        if admission.has_news and not waiting.first_walk and batch.page_class in LISTS:
            self._read_put_off(waiting.site)

    def _read_put_off(self, site: str) -> None:
        kernel = self.kernel
        if site in self._awake or not kernel.rules.side.puts_off(site):
            return
        self._awake.add(site)  # the rows of the store are looked through once for each site
        for row in [row for row in kernel.store.rows(PARKED) if is_put_off(row)]:
            if row.waiting.site == site:
                kernel.frontier.unpark(expected_list(row))

    def settle(self, flight: Flight, page: Page | None, *, comes_back: bool) -> None:
        """Learn what the view of another page has given."""
        rules, waiting = self.kernel.rules, flight.waiting
        outcome = flight.page.outcome if flight.page is not None else flight.outcome
        if comes_back or flight.failed or outcome not in KNOWN_ENDS or rules.strict:
            return
        if flight.page is not None and flight.page.page_class is PageClass.SITEMAP:
            return  # what it says it says of other pages
        gives = flight.of(Side).gives and outcome not in WITHOUT_GAIN
        if tail := rules.tail_of(waiting):
            rules.side.note(tail, waiting.site, has_given=gives, is_copy=outcome == "copy")
        is_board = flight.page is not None and flight.page.page_class is PageClass.BOARD
        is_known = (outcome == "list" and is_board) or gives
        if is_known and waiting.parent_key and not flight.of(Side).doubtful:
            form = form_of_list(waiting.url) if gives or waiting.first_walk else ""
            if form:
                rules.side.note(form, waiting.site, has_given=gives)

    async def explain(self, question: Question) -> Iterable[Fact]:
        """Say which rule refuses a link to the address now; a source is asked for whatever it is."""
        return explained_by_rules(question, self.kernel.rules)


def explained_by_rules(question: Question, rules: AdmissionRules) -> Iterator[Fact]:
    """Go through what the rules for links say of an address, whatever page links to it."""
    look, page_class = rules.look(question.url), question.page_class
    waiting = question.row.waiting if question.row else None
    reason = refusal(look, page_class)
    if rules.banned is not None and host_of(question.site) in rules.banned:
        reason = "banned"
    if reason is None and rules.copies.refuses(question.url, question.site):
        reason = COPIES
    if reason is None and waiting is not None and waiting.depth > look.rules.depth:
        reason = "depth"
    if question.is_source:
        reason = "skip" if look.rules.skip else None
    if reason is not None:
        yield Fact("rule", {"reason": reason, "because": because(look, reason)}, stops=True)
    elif rules.layers is not None and not question.is_source:
        yield Fact("layers", {"layers": len(rules.layers.groups)})
    if reason is None and rules.patterns is not None:
        expected = rules.patterns.class_of(question.url, question.site)
        if expected is not UNKNOWN:
            expectation = {"class": expected.page_class, "by_hand": expected.by_hand}
            yield Fact("pattern", expectation)


JUDGED: Final = frozenset(
    {"list", "stored", "irrelevant", "old", "part", "copy", "short", "dropped"}
)
"""Outcomes of pages whose content was looked at."""

WITHOUT_GAIN: Final = frozenset({"copy", "short", "refused", "alias", "gone", "unchanged"})
"""Outcomes of pages that have given nothing by themselves, whatever stood on them."""

KNOWN_ENDS: Final = JUDGED | WITHOUT_GAIN

SHORTEST_OF_ITS_OWN = 300
"""Characters from which the text of a view counts: what says that there is nothing, with the name of the page that it
is of, has some 120 in django-wiki."""

HTTP_OK = 200


def _gives(judged: Judged) -> bool:
    """Whether a page holds something of its own, as far as it can be seen before it is compared with others."""
    has_text = judged.article is not None and len(judged.article.text) >= SHORTEST_OF_ITS_OWN
    return bool(has_text or judged.records or judged.read or judged.piece)


def learn_pattern(page: Page, waiting: Waiting, rules: AdmissionRules) -> None:
    """Teach the patterns of a site what an address turned out to be.

    ``page`` is its row of the log book. Nothing is learnt where the content was not looked at; an
    article without text is none.
    """
    if rules.patterns is None or page.outcome not in JUDGED or page.page_class is PageClass.FILE:
        return
    without_text = page.page_class is PageClass.ARTICLE and page.outcome == "short"
    page_class = PageClass.OTHER if without_text else page.page_class
    rules.patterns.judged(waiting.url, waiting.site, page_class)


def learn_likeness(judged: Judged, url: str, waiting: Waiting, rules: AdmissionRules) -> str:
    """Learn from a page that came from ``url`` for the first time; returns a sentence when it tells a trap.

    What scripts are to fill looks alike everywhere and says nothing.
    """
    same, site = rules.same, waiting.site
    if judged.page.status == HTTP_OK and same.may_have_twin(url):
        same.note_read(rules.look(url).address.number)
    if not judged.shown or judged.is_scripted:
        return ""
    dropped, files = same.dropped.get(site), same.files.get(site)
    same.note(url, site, judged.shown)
    if same.dropped.get(site) != dropped:
        rules.starts.clear()  # addresses of this site have other keys from now on
        rules.known.clear()  # a link that was held for another page is looked at again
    elif same.files.get(site) != files:
        rules.known.clear()
    return rules.copies.note(url, waiting.site, judged.shown)
