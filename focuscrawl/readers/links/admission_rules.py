"""The rules a link must pass: how its address looks under them (A8), and the layer it leads to (C6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, Protocol

from focuscrawl.frontier.levels import LOWEST
from focuscrawl.frontier.table import QueuesTable
from focuscrawl.readers.links.table import FollowTable, UrlTable
from focuscrawl.template.kinds.addresses import Matches, host_of_checked
from focuscrawl.template.kinds.words import Words
from focuscrawl.template.template import Template
from focuscrawl.urls.actions import NO_PAGES, TAILS, action_in, suffix_of, tail_of
from focuscrawl.urls.canonical import LONGEST_URL, Address, Canonicalizer, UrlOrigin
from focuscrawl.urls.patterns.url_patterns import UrlPatterns
from focuscrawl.urls.private import PRIVATE, PrivateHosts
from focuscrawl.urls.same_pages import SamePages, Schemes
from focuscrawl.urls.side_pages import SidePages, tail_of_view
from focuscrawl.urls.sites import Hosts, host_of
from focuscrawl.urls.traps import HARMLESS, Copies, Months, harmless_in, trap_in
from focuscrawl.values import Link, LinkBatch, PageClass, QuotaOutcome, Waiting

LOOKS_KEPT, KNOWN_KEPT = 25_000, 25_000
"""Addresses that were looked at, hosts and starts of addresses that are remembered; addresses that the frontier has reported
as known, some 65 bytes each. As texts they took 130, and a bound of 10,000 for it let a crawl of 20,000 pages look at each link
twice: a seventh of what admission costs (throughput)."""

LONGEST_ASKED = 2083
"""Characters of an address: Scrapy's URLLENGTH_LIMIT, which a template may set in [settings]."""

SHORTEST_START = 9  # http:// and a host

_PAGE_ENDINGS = (".html", "/", ".htm", ".shtml", ".php")
"""Endings of addresses that are pages at first sight."""


CONTINUED: Final = frozenset({PageClass.PAGING, PageClass.ARTICLE_PAGING})
LIST_VIEWS: Final = {PageClass.FEED: "its feed", PageClass.PAGING: "its further pages"}
"""The names of views of lists: with spaces, which no tail of an address has that is no number of folders."""

NOT_TEXT: Final = frozenset({PageClass.FEED, PageClass.SITEMAP})


@dataclass(frozen=True, slots=True)
class LinkRules:
    """What holds for links into one host: [follow] with its [site], and article.pages.

    Patterns that are not given are None. ``paging`` is ``until-known``, ``all`` or ``none``, ``board_level`` the level of the host's
    boards (None: by rule A3). ``nofollow`` and ``actions``: whether links are refused that their page
    asks not to follow, and addresses that do something (``follow.refuse``).
    """

    skip: bool = False
    allow: Matches | None = None
    deny: Matches | None = None
    boards: Matches | None = None
    articles: Matches | None = None
    depth: int = 5
    paging: str = "until-known"
    pages: int = 20
    article_pages: int = 100
    board_level: int | None = None
    nofollow: bool = True
    actions: bool = True


class Look(NamedTuple):
    """How an address looks under the rules, whatever page links to it.

    ``refused`` is the reason that holds for every link to it, ``refused_page`` the one for a link
    to an ordinary page (None: none).
    """

    address: Address
    rules: LinkRules
    refused: str | None = None
    refused_page: str | None = None
    page_class: PageClass | None = None


class UnknownSites(Protocol):
    """Where links wait that lead into the unknown (E), and which of them do not wait at all.

    What ``found_on`` says of a page is handed on for each of its links.
    """

    def found_on(self, parent: Waiting, batch: LinkBatch) -> Any:
        """Return what the links of a page have in common."""

    def in_lane(
        self, waiting: Waiting, found: Any, now: float, *, marked: bool = False
    ) -> Waiting | str:
        """Return a link as it waits, or why it does not; ``marked``: its page says nofollow."""

    def further_part(self, waiting: Waiting, parent: Waiting, batch: LinkBatch) -> Waiting:
        """Return the next page of an article as it waits."""

    def seed(self, waiting: Waiting, promise: float, words: list[tuple[str, str]]) -> Waiting:
        """Return a search result as it waits, which ``promise``s (0 … 1) to be relevant; ``words`` are the titles
        and texts it was shown with.
        """

    def why_banned(self, waiting: Waiting, wall: float) -> str:
        """Return why a URL that waited is not asked for (E2); "": it is."""

    def over_quota(self, waiting: Waiting, sequence: int) -> QuotaOutcome:
        """Return what becomes of a URL that waited when its unknown site has given its share R (E4)."""


class Start(NamedTuple):
    """What addresses with the same scheme, host and port have in common.

    ``open``: nothing but an address's length, form and ending can be against it.
    """

    origin: UrlOrigin
    rules: LinkRules
    open: bool


NOWHERE = Address("", b"", 0, "", "")


@dataclass(slots=True)
class AdmissionRules:
    """The rules of one run.

    ``for_host`` gives the rules of a host (after aliases), ``scope`` holds the hosts that belong
    (None: every host), ``private`` those of the own machine and network that may be asked, so that
    no page on the web can send us to others (None: all), ``top`` is the highest level, ``year`` the
    present one (calendar traps).
    ``layers`` are those links must belong to (None: any link), ``strict_layers`` one after the other.
    ``patterns`` are those learnt of sites (D5); ``news_only``: where there are patterns of news no
    other link is followed. ``banned`` are hosts of explore.banned: never fetched.
    ``same`` are addresses of one page, ``copies`` endless rows of copies, ``side`` views of pages, as learnt of sites.
    ``schemes`` hears which of http and https the addresses of each site that belongs are written with.
    ``explorer`` is who says where links wait that lead into the unknown.
    ``sitemaps`` are the key numbers of those that this run reads, by site.
    ``months``, ``looks``, ``known``, ``starts`` and ``hosts`` remember between pages; all are bounded and may be lost.
    """

    canonicalizer: Canonicalizer
    for_host: Callable[[str], LinkRules]
    scope: Hosts | None
    top: int
    year: int
    strict: bool = False
    max_length: int = LONGEST_ASKED
    private: PrivateHosts | None = None
    layers: Words | None = None
    strict_layers: bool = False
    patterns: UrlPatterns | None = field(default=None, compare=False, repr=False)
    news_only: bool = False
    banned: Hosts | None = None
    same: SamePages = field(default_factory=SamePages, compare=False, repr=False)
    copies: Copies = field(default_factory=Copies, compare=False, repr=False)
    side: SidePages = field(default_factory=SidePages, compare=False, repr=False)
    schemes: Schemes = field(default_factory=Schemes, compare=False, repr=False)
    explorer: UnknownSites | None = field(default=None, compare=False, repr=False)
    months: Months = field(default_factory=Months, compare=False, repr=False)
    looks: dict[str, Look] = field(default_factory=dict, compare=False, repr=False)
    known: set[int] = field(default_factory=set, compare=False, repr=False)
    sitemaps: dict[str, set[int]] = field(default_factory=dict, compare=False, repr=False)
    starts: dict[str, Start] = field(default_factory=dict, compare=False, repr=False)
    hosts: dict[tuple[str, str], tuple[LinkRules, bool]] = field(
        default_factory=dict, compare=False, repr=False
    )
    harmless: Callable[[str, int], object] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Make what tells most addresses at first sight."""
        self.harmless = harmless_in(self.year).fullmatch

    @classmethod
    def from_template(
        cls, template: Template, now: float, private: PrivateHosts | None = None
    ) -> AdmissionRules:
        """Read the rules out of a topic's template; ``now`` is wall time.

        ``private`` are the private hosts that are open, None: those the template names.
        """
        follow, queues = template.of(FollowTable), template.of(QueuesTable)
        said: dict[str, Any] = {}
        for table in template.tables.values():
            said |= table.on_links()
        article_pages = said.pop("article_pages", LinkRules().article_pages)

        def for_host(host: str) -> LinkRules:
            site = template.site(host)
            follow = site.of(FollowTable)
            return LinkRules(
                skip=site.skip,
                allow=follow.allow or None,
                deny=follow.deny or None,
                boards=follow.boards or None,
                articles=follow.articles or None,
                depth=follow.depth,
                paging=follow.paging,
                pages=follow.pages,
                article_pages=article_pages,
                board_level=site.level,
                nofollow="nofollow" in follow.refuse,
                actions="actions" in follow.refuse,
            )

        return cls(
            canonicalizer=Canonicalizer(
                template.of(UrlTable).rules,
                for_host=lambda host: template.site(host).of(UrlTable).rules,
                aliases=template.aliases,
            ),
            for_host=for_host,
            scope=scope_of(template),
            top=queues.levels,
            year=datetime.fromtimestamp(now, UTC).year,
            strict=queues.strict,
            max_length=int(template.settings.get("URLLENGTH_LIMIT", LONGEST_ASKED)),
            private=private or PrivateHosts.of(template.named_hosts()),
            layers=follow.layers or None,
            patterns=UrlPatterns(lambda written: Matches([written])),
            **said,
        )

    def look(self, url: str) -> Look:
        """Look at an absolute address; one that is refused is remembered for the next page."""
        # Most addresses are plain ones of a host that was seen: they take the short way. Those it
        # leads to are not remembered, since they are known as soon as they are added.
        end = url.find("/", SHORTEST_START)
        start = self.starts.get(url[:end]) if end > 0 else None
        if (
            start is not None
            and start.open
            and url.endswith(_PAGE_ENDINGS)
            and "?" not in url
            and (HARMLESS.fullmatch(url, end) or self.harmless(url, end))
            and len(url) <= self.max_length
            and url[url.rfind("/", 0, -1) + 1 :] not in TAILS
        ):
            # tuple.__new__ is a third of the price of Look(…)
            return tuple.__new__(Look, (start.origin.address(url), start.rules, None, None, None))
        look = self.looks.get(url)
        if look is None:
            look = self._look(url, start, end)
            if look.refused_page is not None:
                if len(self.looks) >= LOOKS_KEPT:
                    self.looks.clear()
                self.looks[url] = look
        return look

    def refused_file(self, look: Look) -> str | None:
        """Return why a file that a site names is not read for its signals; None when it is.

        ``allow`` and the scope choose pages; a site's files may lie on a host of its own for them.
        """
        if self.banned is not None and host_of(look.address.site) in self.banned:
            return "banned"
        return PRIVATE if look.refused_page == PRIVATE else look.refused

    def address(self, url: str) -> Address | None:
        """Return an address with its names; what changes nothing on its site is not in its key.

        A few keep their own key, so that pages can speak against what was learnt.
        """
        found = self.canonicalizer.address(url)
        if found is None or found.site not in self.same.dropped:
            return found
        plain = self.same.plain(found.url, found.site)
        if plain == found.url or self.same.is_tried(found.url, found.site):
            return found
        other = self.canonicalizer.address(plain)
        return found._replace(key=other.key, number=other.number) if other else found

    def plain_key(self, url: str, site: str) -> bytes | None:
        """Return the key of an address without what changes nothing on its site; None: it is none."""
        return self.canonicalizer.key(self.same.plain(url, site))

    def tail_of(self, waiting: Waiting) -> str:
        """Return which view of the page on which it was found a URL is; "" for none."""
        if not waiting.parent_key or not waiting.first_walk:
            return ""
        if waiting.page_class is not None:
            return view_of_list(waiting)
        return tail_of_view(waiting.url, waiting.parent_key, self.canonicalizer.key)

    def room_for_known(self) -> set[int]:
        """Return Python's hashes of the addresses, as pages write them, that the frontier has reported as known: of 64 bits,
        by a key that no page knows. Two of 25,000 are alike once in 10^10 crawls."""
        if len(self.known) >= KNOWN_KEPT:
            self.known.clear()
        return self.known

    def _look(self, url: str, start: Start | None, end: int) -> Look:
        if (
            start is not None
            and "?" not in url
            and (HARMLESS.fullmatch(url, end) or self.harmless(url, end))
        ):
            return self._judged(start.origin.address(url), harmless=True)
        found = self.address(url)
        if found is None:
            why = _unreadable(url)
            return Look(NOWHERE, LinkRules(), why, why)
        if start is None and end > 0:  # once for most sites: the others' addresses are rewritten
            if self._host(found)[1]:
                self.schemes.written(found.site, found.url)
            if origin_seen := self.canonicalizer.origin(url[:end]):
                self._start(url[:end], origin_seen, found)
        return self._judged(found)

    def _start(self, text: str, origin: UrlOrigin, address: Address) -> None:
        """Remember how addresses begin that are like this one."""
        if self.same.dropped.get(address.site):
            return  # its keys are not those that an origin gives
        if len(self.starts) >= LOOKS_KEPT:
            self.starts.clear()
        rules, belongs = self._host(address)
        choosy = rules.skip or rules.deny or rules.allow or rules.articles or rules.boards
        self.starts[text] = Start(origin, rules, belongs and not choosy)

    def _judged(self, address: Address, *, harmless: bool = False) -> Look:
        rules, belongs = self._host(address)
        refused, refused_page = None, None
        found = address.url
        if rules.skip:
            refused = "skip"
        elif len(found) > self.max_length:
            refused = "length"
        elif not belongs:
            refused_page = PRIVATE if self._is_closed(address) else "scope"
        elif rules.deny and rules.deny.search(found):
            refused = "deny"
        elif not harmless and (trap := trap_in(found, self.year, self.months)):
            refused = f"trap:{trap}"
        elif (
            rules.actions
            and (not harmless or tail_of(found) in TAILS)
            and (action := action_in(found)) is not None
        ):
            refused = f"action:{action}"
        elif suffix_of(found) in NO_PAGES:
            refused_page = "suffix"
        elif rules.allow and not rules.allow.search(found):
            refused_page = "allow"
        page_class = _class_of(found, rules) if rules.articles or rules.boards else None
        return Look(address, rules, refused, refused or refused_page, page_class)

    def _host(self, address: Address) -> tuple[LinkRules, bool]:
        """Return the rules of an address's host and whether it belongs to the crawl."""
        known = self.hosts.get(names := address[3:])
        if known is None:
            if len(self.hosts) >= LOOKS_KEPT:
                self.hosts.clear()
            main = host_of(address.site)
            belongs = not self._is_closed(address) and (
                self.scope is None or main in self.scope or address.host in self.scope
            )
            known = self.hosts[names] = (self.for_host(main), belongs)
        return known

    def _is_closed(self, address: Address) -> bool:
        return self.private is not None and not self.private.admits_name(address.host)


def view_of_list(waiting: Waiting) -> str:
    """Return as which view of a list a URL waits behind all else, by the name under which sites show whether such give
    anything: the feed of a list beside the source's, or a further page of one that has shown nothing new; "": none.
    """
    if waiting.page_class is None or waiting.level != LOWEST:
        return ""
    return LIST_VIEWS.get(waiting.page_class, "")


def scope_of(template: Template) -> Hosts | None:
    """Return the hosts that belong, by follow.scope; None: any. Aliases belong with their site."""
    follow = template.of(FollowTable)
    if follow.scope == "web":
        return None
    hosts = list(follow.sites.written)
    if follow.scope == "sources":
        hosts += [host_of_checked(url) for source in template.sources for url in source.urls]
    belongs = Hosts(hosts)
    return Hosts(hosts + [alias for alias, host in template.aliases.items() if host in belongs])


def _unreadable(url: str) -> str:
    if len(url) > LONGEST_URL:
        return "length"
    scheme = url.lstrip()[:6].lower()
    return "invalid" if scheme.startswith(("http:", "https:")) else "scheme"


def _class_of(url: str, rules: LinkRules) -> PageClass | None:
    if rules.articles and rules.articles.search(url):
        return PageClass.ARTICLE
    if rules.boards and rules.boards.search(url):
        return PageClass.BOARD
    return None


def is_unwanted(link: Link, look: Look, site: str) -> bool:
    """Whether a page of a site asks not to follow a link that stays on it (rel=nofollow).

    Of another site it says little: wikis and forums mark their best references so.
    """
    return link.nofollow and look.rules.nofollow and look.address.site == site


def refusal(look: Look, page_class: PageClass | None) -> str | None:
    """Return why a link of this class is refused, whatever its depth; None when it is not.

    Files of a page may lie on other hosts and have any ending. Feeds and sitemaps may be packed.
    ``allow`` chooses pages; the continuation of a page that was chosen needs not match it.
    """
    if look.refused or look.refused_page is None:
        return look.refused
    why = look.refused_page
    if page_class is PageClass.FILE:
        return None
    if why == "suffix" and page_class in NOT_TEXT:
        return None
    if why in ("suffix", "allow") and page_class in CONTINUED:
        return None
    return why


def because(look: Look, reason: str) -> str:
    """Return which part of an address, or which limit, a rule refuses it by; "" when the reason says so."""
    rules, url = look.rules, look.address.url
    if reason == "deny" and rules.deny:
        return next((one for one in rules.deny.written if Matches([one]).search(url)), "")
    if reason == "allow" and rules.allow:
        return ", ".join(rules.allow.written)
    if reason == "suffix":
        return suffix_of(url)
    if reason == "depth":
        return str(rules.depth)
    return look.address.host if reason in ("scope", "skip", PRIVATE) else ""


def layer_of_link(
    text: str, title: str, parent_layer: int, layers: Words, *, strict: bool = False
) -> int | None:
    """Return the layer a link leads to, None when it is not followed.

    Seeds are layer 0, the first group of follow.layers is layer 1.
    ``text`` is the link's text and ``title`` its title attribute; case, width, inner spaces and
    script do not matter. Published (strict) is the layer after the parent's; by default a link that
    matches a later one leads there, since many sites show 联系我们 on their first page.
    """
    found = layers.groups_found(text, title)
    last = parent_layer + 1 if strict else len(layers.groups)
    for layer in range(parent_layer + 1, last + 1):
        if layer - 1 in found:
            return layer
    return None


def is_last(layer: int, layers: Words) -> bool:
    """Whether pages of a layer are the ones to read; without layers every page is."""
    return layer >= len(layers.groups)


def goes_on(layer: int, title: str, links: Iterable[tuple[str, str]], layers: Words) -> bool:
    """Whether a page's next page (下一页) is followed; it belongs to the page's own layer.

    It is while the page matches: its title has a word of its layer, or one of its ``links``, pairs
    of text and title attribute, leads to the next.
    """
    own = layer - 1
    if own >= 0 and own in layers.groups_found(title):
        return True
    return any(layer in layers.groups_found(text, hint) for text, hint in links)
