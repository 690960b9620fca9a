"""What holds for the links into one host, and why a link is refused by how its address looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from focuscrawl.urls.canonical import Address
from focuscrawl.values import Link, PageClass

CONTINUED: Final = frozenset({PageClass.PAGING, PageClass.ARTICLE_PAGING})
NOT_TEXT: Final = frozenset({PageClass.FEED, PageClass.SITEMAP})


class Matcher(Protocol):
    """Address patterns."""

    def search(self, text: str, /) -> bool:
        """Whether one of the patterns is found."""


@dataclass(frozen=True, slots=True)
class LinkRules:
    """What holds for links into one host: [follow] with its [site], and article.pages.

    Patterns that are not given are None. ``paging`` is ``until-known``, ``all`` or ``none``, ``board_level`` the level of the host's
    boards (None: by rule A3). ``nofollow`` and ``actions``: whether links are refused that their page
    asks not to follow, and addresses that do something (``follow.refuse``).
    """

    skip: bool = False
    allow: Matcher | None = None
    deny: Matcher | None = None
    boards: Matcher | None = None
    articles: Matcher | None = None
    depth: int = 5
    paging: str = "until-known"
    pages: int = 20
    article_pages: int = 100
    board_level: int | None = None
    nofollow: bool = True
    actions: bool = True


class Look(NamedTuple):
    """How an address looks under the rules, whoever links to it.

    ``refused`` is the reason that holds for every link to it, ``refused_page`` the one for a link
    to an ordinary page (None: none).
    """

    address: Address
    rules: LinkRules
    refused: str | None = None
    refused_page: str | None = None
    page_class: PageClass | None = None


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
