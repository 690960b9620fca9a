"""Which links of a page are followed, and how each waits: the batch path from a LinkBatch to the frontier.

A link is chosen by the rules of its address, by its layer (C6), and by what its page says of it; then
placed: level, depth and class (A3); then it is expected to be what the patterns of its site say (D5),
and waits in a level or in the lane of exploration (E). A URL that waits is checked against the rules
once more when it is taken, for they may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from focuscrawl.frontier.levels import LOWEST, Levels, is_returned, level_of
from focuscrawl.readers.links.admission_rules import (
    CONTINUED,
    AdmissionRules,
    Look,
    UnknownSites,
    goes_on,
    is_unwanted,
    layer_of_link,
    refusal,
    view_of_list,
)
from focuscrawl.readers.links.continuations import LONGEST_LINK_TEXT, beyond, following_pages
from focuscrawl.urls.actions import is_print_of, is_source_of, source_start
from focuscrawl.urls.patterns.url_patterns import UNKNOWN
from focuscrawl.urls.side_pages import form_of_list, tail_behind
from focuscrawl.urls.sites import host_of
from focuscrawl.values import LISTS, Link, LinkBatch, PageClass, Waiting, is_signal_file

if TYPE_CHECKING:
    from focuscrawl.urls.patterns.url_patterns import Expected

Add = Callable[[Waiting, int], bool]
"""Adds a URL under its key number; False says that the frontier has it already, nothing else."""

Again = Callable[[Waiting], object]
"""Adds a URL whether the frontier knows it or not."""

COPIES = "trap:copies"
"""Why a link is refused, or a URL set aside, that is one of an endless row of copies."""

CROWDED = "crowded"
"""Why a link is refused into a site of which as many URLs wait as may (queues.waiting)."""

SIDE = "trap:views"
"""Why a URL is set aside that is a view of another page, of a kind that has given nothing on its site."""

LIKE_LISTS = "trap:lists"
"""Why a URL is set aside for a later run: on its site lists of its form have shown nothing that others did not."""

MOST_NESTED = 3
"""Sitemaps one inside the other: an index may hold no other index, but some sites nest one."""

MOST_SITEMAPS, MOST_NEW_SITEMAPS = 400, 20
"""Of one site in one run, the newest first, and so many of an index whenever it is read, for a run that stays: a year
by days, or 400,000 posts where WordPress puts 1,000 into each. A site of 2,551 took as many requests in one crawl
before the turn of its pages."""

MANY_SITEMAPS = "sitemaps"
"""Why the link of a sitemap is refused beyond these."""

MOST_VIEWS = 3
"""So many new links of a list may be views of it: its feeds. A column whose articles lie in its folder shows more."""

_MOST_AT_ONCE = 1_000  # links: longer, and nothing else would be fetched or answered meanwhile
LISTED = frozenset({PageClass.FEED, PageClass.SITEMAP})


class Admission(NamedTuple):
    """What became of a batch.

    ``added`` new links, ``views`` those of them that are views of the page, ``doubtful`` those that may be,
    ``continued`` further pages of the same board or article, ``duplicates`` known links, ``refused`` counts by reason.
    """

    added: int
    continued: int
    duplicates: int
    refused: dict[str, int]
    views: int = 0
    doubtful: int = 0

    @property
    def has_news(self) -> bool:
        """Whether a page has led to something new beside views of its own."""
        return self.added > self.views

    @property
    def is_sure(self) -> bool:
        """Whether it is known that a page has led to something new, or to nothing."""
        return self.added - self.views != self.doubtful or not 0 < self.doubtful <= MOST_VIEWS


class _Lane(NamedTuple):
    """Where the links of a page into unknown sites wait (E): ``found`` is what they have in common."""

    explorer: UnknownSites
    found: Any
    now: float


def admit(
    batch: LinkBatch,
    parent: Waiting,
    rules: AdmissionRules,
    add: Add,
    again: Again,
    now: float = 0.0,
    crowded: Collection[str] = (),
) -> Admission:
    """Send the links of a page that pass the rules to the frontier (A3, A8).

    ``parent`` is the page they were found on. Levels are counted from its ``passed_level``, depth
    in clicks (continuations and files are none). A link named twice counts once, with the first
    text it has. The pages of a board that is read again (``first_walk`` is false) are taken again.
    Links into unknown sites wait where the rules' ``explorer`` says, or not at all (E), those into ``crowded`` ones
    not; ``now`` is wall time.
    """
    refused: dict[str, int] = {}
    continuations = [*batch.continuations]
    chosen, duplicates = choose(batch, parent, rules, continuations, refused)
    known, patterns, explorer = rules.room_for_known(), rules.patterns, rules.explorer
    lane = None if explorer is None else _Lane(explorer, explorer.found_on(parent, batch), now)
    added = views = doubtful = 0
    ordinary = level_of(
        None,
        batch.page_class,
        Levels(parent.level, parent.passed_level),
        rules.top,
        strict=rules.strict,
    )
    for link, look in chosen.values():
        if crowded and look.address.site in crowded:
            refused[CROWDED] = refused.get(CROWDED, 0) + 1
            continue
        waiting = place(link, look, batch.page_class, parent, ordinary, rules)
        if patterns is not None and waiting.page_class is None and link.level is None:
            expected = patterns.class_of(waiting.url, waiting.site)
            if expected is not UNKNOWN or rules.news_only:
                placed = as_expected(waiting, look, rules, expected)
                if isinstance(placed, str):
                    refused[placed] = refused.get(placed, 0) + 1
                    continue
                waiting = placed
        if rules.layers is not None:
            waiting = waiting._replace(layer=layer_of(link, parent, rules) or parent.layer)
        if lane is not None and waiting.page_class is not PageClass.FILE:
            marked = link.nofollow and look.rules.nofollow
            placed = lane.explorer.in_lane(waiting, lane.found, now, marked=marked)
            if isinstance(placed, str):
                refused[placed] = refused.get(placed, 0) + 1
                continue
            waiting = placed
        if add(waiting, look.address.number):
            added += 1
            view = is_view_of(waiting, parent, rules)
            views += view is True
            doubtful += view is None
        else:
            duplicates += 1
        known.add(hash(link.url))
    continued = 0
    if continuations and not list_goes_on(batch, parent, rules):
        refused["layer"] = refused.get("layer", 0) + len(continuations)
    elif continuations:
        pages = following_pages(
            *(continuations, batch, parent, rules, added, refused), is_news=added > views
        )
        for waiting, number in pages:
            placed = _place_further(waiting, parent, batch, lane, crowded)
            if isinstance(placed, str):
                refused[placed] = refused.get(placed, 0) + 1
            elif add(placed, number):
                continued += 1
            elif parent.first_walk:
                duplicates += 1
            else:
                again(placed)
                continued += 1
    return Admission(added, continued, duplicates, refused, views, doubtful)


def _place_further(
    waiting: Waiting,
    parent: Waiting,
    batch: LinkBatch,
    lane: _Lane | None,
    crowded: Collection[str],
) -> Waiting | str:
    """Return a further page of a board or article as it waits, or the reason why it does not."""
    if crowded and waiting.site in crowded and parent.first_walk:
        return CROWDED
    if lane is None:
        return waiting
    if waiting.page_class is PageClass.ARTICLE_PAGING:
        return lane.explorer.further_part(waiting, parent, batch)
    return lane.explorer.in_lane(waiting, lane.found, lane.now)


def choose(
    batch: LinkBatch,
    parent: Waiting,
    rules: AdmissionRules,
    continuations: list[Link],
    refused: dict[str, int],
) -> tuple[dict[int, tuple[Link, Look]], int]:
    """Return the links that pass, each once, by key number, and how many were known before.

    Links that turn out to be further pages are added to ``continuations``: a link to what is one
    already is none of its own. Refusals are counted in ``refused``.
    """
    chosen: dict[int, tuple[Link, Look]] = {}
    duplicates = sitemaps = 0
    reserved: set[int] = set()
    for link in continuations:
        reserved.add(rules.look(link.url).address.number)
    depth, layers = parent.depth + 1, rules.layers
    known, traps, source = rules.known, rules.copies.traps, source_start(parent.url)
    for link in batch.links:
        url = link[0]
        if hash(url) in known:  # most links
            duplicates += 1
            continue
        page_class = link[2]
        look = rules.look(url)
        if page_class is None:
            reason = look.refused_page
        elif page_class in CONTINUED:
            continuations.append(link)
            continue
        else:
            reason = refusal(look, page_class)
        if reason is None and link[6] and is_unwanted(link, look, parent.site):
            reason = "nofollow"
        if reason is None and traps and rules.copies.refuses(look.address.url, look.address.site):
            reason = COPIES
        if reason is None and page_class is PageClass.SITEMAP:
            sitemaps += 1
            reason = _sitemap_refused(look, batch, parent, rules, sitemaps)
        if reason is None and ("/print" in url or (source and look.address.url.startswith(source))):
            reason = _form_refused(link, look, parent, source)
        if reason is None and (depth > look.rules.depth or layers is not None):
            reason = _too_far(link, look, parent, rules)
        if reason is None:
            number = look.address.number
            if number not in reserved and number not in chosen:
                chosen[number] = (link, look)
                continue
            reason = "repeated"
            _keep_text(chosen, number, link, look)
        refused[reason] = refused.get(reason, 0) + 1
    return chosen, duplicates


def is_view_of(waiting: Waiting, parent: Waiting, rules: AdmissionRules) -> bool | None:
    """Whether a new link is a view of the page on which it was found, its feed for one: no news of a list.

    None: it may be. What a view adds to an address recurs with other pages, the name of an article does not.
    """
    if waiting.page_class in LISTED:
        return True
    tail = tail_behind(waiting.url, parent.url)
    if not tail:
        return False
    return True if rules.side.recurs(tail, waiting.site) else None


def _sitemap_refused(
    look: Look, batch: LinkBatch, parent: Waiting, rules: AdmissionRules, place: int
) -> str | None:
    """Return why a sitemap is not read; ``place`` is its place in its index, the newest first."""
    if is_nested(batch, parent):
        return "trap:sitemaps"
    read = rules.sitemaps.setdefault(look.address.site, set())
    if look.address.number not in read and len(read) >= MOST_SITEMAPS and place > MOST_NEW_SITEMAPS:
        return MANY_SITEMAPS
    read.add(look.address.number)
    return None


def is_nested(batch: LinkBatch, parent: Waiting) -> bool:
    """Whether a sitemap leads deeper than sitemaps are nested; its ``page_number`` counts how deep."""
    return batch.page_class is PageClass.SITEMAP and parent.page_number >= MOST_NESTED


def _form_refused(link: Link, look: Look, parent: Waiting, source: str) -> str | None:
    """Return why an address is not read that is the page on which it was found once more: its print version,
    or the text that it was made from, of which no class is known; ``source`` is how that begins.
    """
    if not look.rules.actions:
        return None
    address = look.address
    if "/print" in link.url and address.site == parent.site and is_print_of(address.url, parent.url):  # fmt: skip
        return "action:print"
    is_asked_for = link.page_class is not None or look.page_class is not None
    return "suffix" if source and not is_asked_for and is_source_of(address.url, source) else None


def _keep_text(chosen: dict[int, tuple[Link, Look]], number: int, link: Link, look: Look) -> None:
    """Choose a link that has a text in place of one to the same address that has none."""
    before = chosen.get(number)
    if before is not None and link.anchor and not before[0].anchor:
        chosen[number] = (link, look)


def _too_far(link: Link, look: Look, parent: Waiting, rules: AdmissionRules) -> str | None:
    """Return why a link leads too far: in clicks, of which a file is none, or out of all layers."""
    if parent.depth + 1 > look.rules.depth and link.page_class is not PageClass.FILE:
        return "depth"
    if rules.layers is not None and layer_of(link, parent, rules) is None:
        return "layer"
    return None


def place(
    link: Link,
    look: Look,
    parent_class: PageClass,
    parent: Waiting,
    levels: Levels,
    rules: AdmissionRules,
) -> Waiting:
    """Return a link as it waits; ``levels`` are those of a link of no known class."""
    _, anchor, page_class, level, published, _, _ = link
    page_class = page_class or look.page_class
    depth, first_key, page_number = parent.depth + 1, b"", 1
    if level is not None:
        level = min(max(level, 1), rules.top)
        levels = Levels(level, level)
    elif page_class is None:  # most links
        pass
    elif page_class is PageClass.BOARD:
        if look.rules.board_level is not None:
            levels = Levels(look.rules.board_level, look.rules.board_level)
    elif page_class is PageClass.SITEMAP and parent_class is PageClass.SITEMAP:
        page_number = parent.page_number + 1
    elif page_class is PageClass.FILE and is_returned(page_class, parent_class):
        levels = Levels(rules.top, parent.passed_level)
    elif page_class is PageClass.FEED and parent_class in LISTS and parent.depth > 0:
        # What it says stands on its list, as a rule: behind all else it is seen whether it says more.
        levels = levels if rules.strict else Levels(LOWEST, LOWEST)
    if page_class is PageClass.FILE:
        depth, first_key = parent.depth, parent.first_key or parent.key
    baseline = parent.baseline
    if baseline and published is not None and published > baseline:
        baseline = 0  # a feed says that it came later, whether its page has a date or not
    address = look.address
    # tuple.__new__ is a third of the price of Waiting(…), and this is done for every new link
    return tuple.__new__(
        Waiting,
        (
            address.url,
            address.key,
            address.site,
            levels.level,
            levels.passed_level,
            page_class,
            depth,
            anchor[:LONGEST_LINK_TEXT],
            parent.key,
            parent.source_id,
            page_number,
            True,
            first_key,
            0,
            None,
            False,
            0,
            0.0,
            0,
            0,
            baseline,
        ),
    )


def layer_of(link: Link, parent: Waiting, rules: AdmissionRules) -> int | None:
    """Return the layer a link leads to; None when it belongs to none and is not followed.

    The files of a page belong to the page, whatever their name.
    """
    if rules.layers is None or link.page_class is PageClass.FILE:
        return parent.layer
    return layer_of_link(
        link.anchor, link.title, parent.layer, rules.layers, strict=rules.strict_layers
    )


def list_goes_on(batch: LinkBatch, parent: Waiting, rules: AdmissionRules) -> bool:
    """Whether the further pages of a page are followed: of an article always, of a list while the
    page matches its layer.
    """
    if rules.layers is None or batch.page_class in {PageClass.ARTICLE, PageClass.ARTICLE_PAGING}:
        return True
    pairs = ((link.anchor, link.title) for link in batch.links)
    return goes_on(parent.layer, batch.title, pairs, rules.layers)


def checked_again(waiting: Waiting, rules: AdmissionRules) -> str | None:
    """Return why a URL would be refused now, when it is taken: the rules may have changed.

    A source is asked for by name and only ``skip`` stops it; a whole Request is its maker's.
    """
    if waiting.request is not None:
        return None
    look = rules.look(waiting.url)
    if not waiting.parent_key:
        return "skip" if look.rules.skip else None
    if is_signal_file(waiting.source_id):
        return rules.refused_file(look)
    if rules.banned is not None and host_of(waiting.site) in rules.banned:
        return "banned"
    reason = refusal(look, waiting.page_class)
    if reason is None and waiting.depth > look.rules.depth:
        return "depth"
    if reason is None and waiting.page_class in CONTINUED:
        return beyond(look, waiting.page_class, waiting.page_number)
    return reason


NO_NEWS: Final = "pattern"
"""The reason of links that match no pattern of news, under the published rule."""


def as_expected(
    waiting: Waiting, look: Look, rules: AdmissionRules, expected: Expected
) -> Waiting | str:
    """Return a link of unknown class as it waits, or the reason why it does not.

    ``expected`` is what the patterns of its site say (UrlPatterns.class_of).
    What a person has pinned is its class; what was learnt only says when it is fetched, for its
    content is still to tell: lists where the site's lists are, what is nothing to read last. The
    published rule follows news only, as soon as the site has a pattern of news.
    """
    page_class = expected.page_class
    if expected.by_hand:
        waiting = waiting._replace(page_class=page_class)
    elif (
        rules.news_only
        and page_class is not PageClass.ARTICLE
        and rules.patterns is not None
        and rules.patterns.knows_news(waiting.site)
    ):
        return NO_NEWS
    if page_class is PageClass.BOARD and look.rules.board_level is not None:
        level = look.rules.board_level
        return waiting._replace(level=level, passed_level=level)
    if page_class is PageClass.OTHER and not rules.strict:
        return waiting._replace(level=LOWEST, passed_level=LOWEST)
    return waiting


def unless_twin(add: Add, rules: AdmissionRules) -> Add:
    """Return what adds a link unless its page was read by its other address: X/ and X/index.html."""

    def add_one(waiting: Waiting, number: int) -> bool:
        return not is_twin_of_read(waiting, rules) and add(waiting, number)

    return add_one


def is_twin_of_read(waiting: Waiting, rules: AdmissionRules) -> bool:
    """Whether a URL is the other address of a page that this run has read.

    That the other one is known, or waits, is not enough: it may be a stale link, be refused by
    robots.txt, or lead back here, and then the page would never be read.
    """
    if not waiting.first_walk or waiting.first_key:
        return False
    return any(map(rules.same.is_read, twin_numbers(waiting, rules)))


def is_view_left_alone(waiting: Waiting, rules: AdmissionRules) -> bool:
    """Whether a new URL is the view of a page, of a kind that gives nothing on its site."""
    if not rules.side.sites or waiting.request or not waiting.parent_key or not waiting.first_walk:
        return False
    if view := view_of_list(waiting):
        return rules.side.leaves(view, waiting.url, waiting.site)
    return waiting.page_class is None and rules.side.refuses(waiting.url, waiting.site)


def waits_for_later(waiting: Waiting, rules: AdmissionRules) -> bool:
    """Whether a new URL is a list of a form that gives nothing on its site, as far as its address says."""
    if not rules.side.sites or waiting.request or not waiting.parent_key or not waiting.first_walk:
        return False
    form = form_of_list(waiting.url) if waiting.page_class is None else ""
    return bool(form) and rules.side.leaves(form, waiting.url, waiting.site)


def twin_numbers(waiting: Waiting, rules: AdmissionRules) -> list[int]:
    """Return the key numbers of the other addresses of a URL's page."""
    twins = rules.same.twins(waiting.url, waiting.site)
    return [rules.look(twin).address.number for twin in twins]


def in_parts(batch: LinkBatch) -> Iterator[LinkBatch]:
    """Divide a batch so that none is admitted for long: a sitemap may name 50,000 pages.

    A board stays whole, since its new links are counted (A6).
    """
    if len(batch.links) <= _MOST_AT_ONCE or batch.page_class not in LISTED:
        yield batch
        return
    for first in range(0, len(batch.links), _MOST_AT_ONCE):
        yield replace(batch, links=batch.links[first : first + _MOST_AT_ONCE])
