"""Soft 404: what a site answers, with a status of 200, for pages that do not exist.

Its error page is learnt by asking for a path that cannot exist, once in some days, and told by what it
looks like. That is a part of the site's record, so after a kill nothing is asked twice.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from hashlib import md5
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urljoin, urlsplit

from focuscrawl.features.articles.article import read_article
from focuscrawl.features.revisit.missing.notices import Notice, notice_of
from focuscrawl.features.revisit.table import DAY
from focuscrawl.readers.links.continuations import selectors_of
from focuscrawl.readers.pages.content import sniff
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.links import find_links
from focuscrawl.readers.text.keywords import simhash_words
from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.urls.sites import host_of
from focuscrawl.values import CONTENT, Json, PageClass

if TYPE_CHECKING:
    from random import Random

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.readers.pages.content import Fetched, Judged
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock, PageState

SEPARATE = re.compile(r"[\W_]+")
NEAR_BITS = 3
"""SimHash distance up to which a page is the error page, when their titles are the same."""

MOST_LINKS_OF_A_WALL = 12
"""Links on a page that stands in front of all others: help, privacy, languages."""

RENEWED, HONEST_FOR = DAY, 3 * DAY
"""Seconds after which a site may be asked again for a page that cannot exist; an honest site."""

ECHO = "*"
"""What stands in the place of an address that was asked for."""

MOST_NEIGHBOURS = 3
"""Known pages of a site that are asked for to see whether it leads all who ask for anything to one place: of several
that were deleted at once one may be among them."""

_RANDOM_DIGITS = 15
"""Digits of a number that no page has: no site counts that far."""


class PageLook(NamedTuple):
    """What a page looks like, to compare it with an error page.

    ``final_url`` is where redirects ended (see ``place_for``), ``simhash`` the value of its text, ``length`` the
    characters of the text.
    """

    final_url: str
    title: str
    digest: str
    simhash: int
    length: int


MOST_QUOTED = 3
"""How often an address is quoted at most that stands in one that stands in another."""


def look(final_url: str, title: str, text: str, simhash: int, asked: str) -> PageLook:
    """Return the look of a page; the address asked for is taken out where the page repeats it."""
    path = urlsplit(asked).path
    for echo in (asked, path, path.rpartition("/")[2]):  # the longest first
        if len(echo) > 3:  # shorter ones stand in any text
            title, text = title.replace(echo, ""), text.replace(echo, "")
    letters = SEPARATE.sub("", text).encode("utf-8", "replace")
    return PageLook(
        place_for(final_url, asked),
        " ".join(title.split()),
        md5(letters).hexdigest(),
        simhash,
        len(letters),
    )


def place_for(final_url: str, asked: str) -> str:
    """Return where an answer stands; what was asked for, or its name or its folder alone, is taken out where the address of
    that repeats it, as that of a log-in does (?next=/page/), or of a form (?slug=page), or of one behind the other, quoted
    twice.
    """
    path = unquote(urlsplit(asked).path)
    if final_url == asked or len(path) <= 3:
        return final_url
    place = final_url
    for _ in range(MOST_QUOTED):
        place = unquote(place)
    for echo in (unquote(asked), path):
        place = place.replace(echo, ECHO)
    folder, _, name = path.rstrip("/").rpartition("/")
    place = re.sub(rf"(?<=[/=]){re.escape(name)}(?=[/&?#]|$)", ECHO, place)
    return place.replace(f"{folder}/", f"/{ECHO}/") if folder else place


def impossible_path(token: str) -> str:
    """Return a path that no site has; ``token`` is random, at least eight letters or digits."""
    if len(token) < 8 or not token.isalnum():
        raise ValueError(f"a random token of at least 8 letters or digits, not {token!r}")
    return f"/{token}/{token[::-1]}.html"


def impossible_address(url: str, token: str) -> str:
    """Return an address beside ``url`` that no site has, for its error page may be that folder's own.

    The values of a query become random, without one the last name of the path; numbers stay numbers,
    since programs read them as such. ``token`` is random, at least eight hexadecimal digits.
    """
    parts = urlsplit(url)
    if parts.query:
        values = parse_qsl(parts.query, keep_blank_values=True)
        asked = [(name, _impossible(value, token)) for name, value in values]
        return parts._replace(query=urlencode(asked), fragment="").geturl()
    folder, _, name = parts.path.rstrip("/").rpartition("/")
    if not name:
        return urljoin(url, impossible_path(token))
    stem, dot, suffix = name.partition(".")
    slash = "/" if parts.path.endswith("/") else ""
    path = f"{folder}/{_impossible(stem, token)}{dot}{suffix}{slash}"
    return parts._replace(path=path, fragment="").geturl()


def _impossible(value: str, token: str) -> str:
    if not value.isdecimal():
        return token
    return f"9{int(token, 16):0{_RANDOM_DIGITS}d}"[:_RANDOM_DIGITS]


class ErrorPages:
    """The error pages of one site, learnt; its part ``soft_404`` of the site's record.

    ``asked`` is the date of the last probe, None before the first. A site that answers 404 to a
    path that cannot exist is honest and has no looks. ``walls`` are looks of what its front page
    shows as well: that stands in front of all its pages, and says nothing about one of them.
    """

    def __init__(
        self,
        looks: Sequence[PageLook] = (),
        asked: float | None = None,
        walls: Sequence[PageLook] = (),
    ) -> None:
        self.looks = list(looks)
        self.asked = asked
        self.walls = list(walls)

    def may_ask(self, now: float) -> bool:
        """Whether the site was not asked lately; a date to come is one of a clock that ran ahead."""
        lasts = RENEWED if self.looks else HONEST_FOR
        return self.asked is None or not 0 <= now - self.asked < lasts

    def learn(
        self, status: int, seen: PageLook | None, now: float, *, is_everywhere: bool = False
    ) -> None:
        """Take the answer to a path that cannot exist; ``seen`` is None without a page. ``is_everywhere``: known pages
        answer so, too."""
        self.asked = now
        looks = [seen] if seen is not None and 200 <= status < 300 else []
        # Its front page was looked at before: that it stands there is known until it answers otherwise.
        is_wall = is_everywhere or any(self.is_wall(one, one.final_url) for one in looks)
        self.looks, self.walls = ([], looks) if is_wall else (looks, [])

    def saw_home(self, home: PageLook) -> None:
        """Take how the front page looks: what it shows, too, says nothing about any page."""
        if self.is_error(home, home.final_url):
            self.looks, self.walls = [], self.looks

    def stands_at(self, url: str, asked: str) -> bool:
        """Whether the site sends those who ask for what it does not have to where it sends who asked for this."""
        return url != asked and any(
            known.final_url == place_for(url, asked) for known in self.looks
        )

    def is_error(self, seen: PageLook, asked: str) -> bool:
        """Whether a page that answered 200 is the site's error page.

        It is when it ended at the address where the error page stands (and that was not asked
        for), has the same text, or nearly the same under the same title.
        """
        return any(self._is_same(known, seen, asked) for known in self.looks)

    def is_wall(self, seen: PageLook, asked: str) -> bool:
        """Whether a page is what the site shows at every address, its front page among them."""
        return any(self._is_same(known, seen, asked) for known in self.walls)

    @staticmethod
    def _is_same(known: PageLook, seen: PageLook, asked: str) -> bool:
        redirected = seen.final_url != asked
        if redirected and seen.final_url == known.final_url:
            return True
        if seen.length and seen.digest == known.digest:
            return True
        near = (seen.simhash ^ known.simhash).bit_count() <= NEAR_BITS
        similar = abs(seen.length - known.length) * 10 <= known.length  # within a tenth
        return near and similar and bool(seen.length) and seen.title == known.title

    def to_json(self) -> Json:
        """Return everything as plain JSON."""
        kept = {"looks": [list(one) for one in self.looks], "asked": self.asked}
        return kept | ({"walls": [list(one) for one in self.walls]} if self.walls else {})

    @classmethod
    def from_json(cls, kept: Json) -> ErrorPages:
        """Read what ``to_json`` wrote."""
        looks, walls = (
            [PageLook(*one) for one in kept.get(name, ())] for name in ("looks", "walls")
        )
        return cls(looks, kept.get("asked"), walls)


# What of a page is compared ------------------------------------------------------------------------


class TitleAndText(NamedTuple):
    """Title and main text of a page."""

    title: str
    text: str


def gives_content(judged: Judged) -> bool:
    """Whether something of a page would be kept: an article or a part of one, a record, posts."""
    return bool(judged.article or judged.piece or judged.records or judged.read)


def is_another(before: PageState, judged: Judged) -> bool:
    """Whether a content page that is visited again is none any more, or one of another class."""
    if before.page_class not in CONTENT:
        return False
    return judged.page.page_class is not before.page_class or not gives_content(judged)


def said_by(judged: Judged) -> TitleAndText | None:
    """Return what a page says; None when that was not kept and it must be read again."""
    if judged.article is not None:
        return TitleAndText(judged.article.title, judged.article.text)
    if judged.piece is not None:
        return TitleAndText(judged.piece.title, judged.piece.text)
    return None


# A site is asked -----------------------------------------------------------------------------------


logger = logging.getLogger(__name__)

SOFT_404 = "soft_404"
"""The part of a site's record that keeps its error pages."""

REDIRECTS = range(300, 400)

_NO_PAGES = frozenset({PageClass.FEED, PageClass.SITEMAP, PageClass.FILE})


def _apart(one: str, other: str) -> int:
    """Return in how many folders and names two addresses differ."""
    names, others = one.split("/"), other.split("/")
    same = next(
        (n for n, pair in enumerate(zip(names, others, strict=False)) if len({*pair}) > 1), 0
    )
    return max(len(names), len(others)) - same


class ErrorPageProbe:
    """Asks the sites of a topic for what cannot exist, and reads what pages say.

    ``ask(site, url)`` returns a site's answer, None when there was none; ``known(site)`` addresses of pages that
    were there at their last visit. ``counters`` counts the sites that were asked as ``soft_404/asked``.
    """

    def __init__(
        self,
        template: Template,
        frontier: Frontier,
        clock: Clock,
        random: Random,
        counters: Counter[str],
        ask: Callable[[str, str], Awaitable[Fetched | None]],
        known: Callable[[str], Awaitable[Sequence[str]]],
    ) -> None:
        self._template = template
        self._frontier = frontier
        self._clock = clock
        self._random = random
        self._counters = counters
        self._ask = ask
        self._known = known
        self.sites = SiteValues(SOFT_404, ErrorPages.from_json, ErrorPages.to_json)
        """What is known of sites; one that is being asked when it is released is learnt in vain."""
        self._asking: dict[str, asyncio.Future[bool]] = {}

    def of(self, site: str) -> ErrorPages:
        """Return what is known of a site."""
        return self.sites.get(site) or ErrorPages()

    def may_ask(self, site: str) -> bool:
        """Whether a site was not asked lately."""
        return self.of(site).may_ask(self._clock.wall())

    def is_asking(self) -> bool:
        """Whether a site has not answered yet."""
        return bool(self._asking)

    def question(self, site: str, url: str) -> asyncio.Future[bool]:
        """Ask a site, once at a time; the future says whether it has answered."""
        asking = self._asking.get(site)
        if asking is None:
            asking = self._asking[site] = asyncio.ensure_future(self._learn(site, url))
        return asking

    async def _learn(self, site: str, url: str) -> bool:
        address = impossible_address(url, f"{self._random.getrandbits(64):016x}")
        pages = self.sites.get(site) or self.sites.add(site, ErrorPages())
        try:
            fetched = await self._ask(site, address)
            now = self._clock.wall()
            if fetched is None:
                pages.asked = now  # what is known of it stays
            else:
                seen = self._look_of(fetched, site, address)
                status, is_everywhere = fetched.status, False
                if seen is not None:
                    status = 200
                    is_led = fetched.url != address
                    is_everywhere = is_led and await self._leads_all(site, url, seen)
                pages.learn(status, seen, now, is_everywhere=is_everywhere)
        finally:
            del self._asking[site]
        self._counters["soft_404/asked"] += 1
        self.sites.touch(site)
        if pages.looks:
            logger.info("%s answers %s: what looks like that is gone", site, address)
        return fetched is not None

    async def _leads_all(self, site: str, url: str, seen: PageLook) -> bool:
        """Whether a site leads those who ask for its known pages, those beside ``url`` first, where it leads those who
        ask for what it does not have: a log-in, a notice that it is being kept up.
        """

        answers = 0
        for other in await self._neighbours(site, url):
            shown = await self._ask(site, other)
            if shown is not None and place_for(shown.url, other) != seen.final_url:
                return False
            answers += shown is not None
        return answers > 0

    async def shows_others(self, site: str, url: str) -> bool:
        """Whether a known page of a site, one of those beside ``url``, shows something else than its error page."""
        for other in await self._neighbours(site, url):
            shown = await self._ask(site, other)
            look = self._look_of(shown, site, other) if shown is not None else None
            if look is not None and not self.of(site).is_error(look, other):
                return True
        return False

    async def _neighbours(self, site: str, url: str) -> list[str]:
        others = sorted({*await self._known(site)} - {url}, key=lambda one: _apart(url, one))
        return others[:MOST_NEIGHBOURS]

    async def see_home(self, site: str, url: str) -> None:
        """Find out whether a site shows at its front page, too, what it shows in place of many pages.

        One with links is a front page, whatever it answers for: what leads there is gone.
        """
        front = urljoin(url, "/")
        shown = await self._ask(site, front)
        look = self._look_of(shown, site, front) if shown is not None else None
        pages = self.of(site)
        if shown is None or look is None or not look.length:
            return
        if len(find_links(self._document(shown, site), shown.robots)) <= MOST_LINKS_OF_A_WALL:
            pages.saw_home(look)
            self.sites.touch(site)

    def _look_of(self, fetched: Fetched, site: str, asked: str) -> PageLook | None:
        """Return how an answer looks; of a redirect that is not followed only its target is known."""
        if fetched.status in REDIRECTS:
            return PageLook(fetched.url, "", "", 0, 0)
        said = self.said_by(fetched, site) if 200 <= fetched.status < 300 else None
        return self.look(said, fetched.url, asked) if said is not None else None

    # What pages say -----------------------------------------------------------------------------

    def look(self, said: TitleAndText, final_url: str, asked: str) -> PageLook:
        """Return how a page looks that was asked for at ``asked`` and came from ``final_url``."""
        words = Counter(self._template.splitter.cut(said.text))
        return look(final_url, *said, simhash_words(words), asked)

    def said_by(self, fetched: Fetched, site: str) -> TitleAndText | None:
        """Read a page of a site as an article, whatever it is; None when it is no page at all."""
        if sniff(fetched.body, fetched.content_type, fetched.url) in _NO_PAGES:
            return None
        topic = self._template.topic
        try:
            document = self._document(fetched, site)
            text = read_article(
                document,
                fetched=fetched.at,
                timezone=str(topic.timezone),
                language=topic.language,
                selectors=selectors_of(self._template, site),
            )
        except Exception:
            # A library stumbled over the page; a page without a title and a text is no error page.
            logger.exception("cannot read %s", fetched.url)
            return None
        if text is None:
            return TitleAndText(document.title, "")
        return TitleAndText(text.title, text.text)

    def notice_of(self, fetched: Fetched, site: str) -> Notice | None:
        """Return what a page says in place of its content; None when it has more, or is no page."""
        try:
            return notice_of(self._document(fetched, site))
        except Exception:
            logger.exception("cannot read %s", fetched.url)
            return None

    def _document(self, fetched: Fetched, site: str) -> Document:
        return Document.read(
            fetched.body,
            url=fetched.url,
            content_type=fetched.content_type,
            forced=self._template.site(host_of(site)).encoding,
            found=fetched.encoding,
        )
