"""What helps: why nothing was found, for an empty crawl is never silent, and what was not recognised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.relevance.groups import EXCLUDE, KEYWORDS, REQUIRE
from focuscrawl.report.lines import counted, largest, most_frequent
from focuscrawl.urls.private import PRIVATE, PRIVATE_ADDRESS

if TYPE_CHECKING:
    from focuscrawl.report.summary import Summary

NO_PAGE = frozenset({"error", "refused", "parked", "gone", "alias"})
"""Outcomes of addresses that gave no page to judge."""

OPEN_PRIVATE = (
    'where that is meant, write their hosts into a source, follow.sites or a table [site."HOST"],'
    " or their network into FOCUSCRAWL_PRIVATE"
)

LINK_ADVICE = {
    PRIVATE: f"they lead to this machine or its own network; {OPEN_PRIVATE}",
    "scope": "follow.scope keeps the crawl on the hosts of its sources; name more, or widen it",
    "allow": "no link matched follow.allow; compare it with the addresses of real articles",
    "deny": "follow.deny refused them; one of its patterns may match too much",
    "depth": "follow.depth is reached before the articles are",
    "nofollow": "their own site asks robots not to follow them; follow.refuse says which links are left",
    "action": "they edit, log in, reply or print; follow.refuse says whether such are left",
    "skip": "their sites have skip = true",
    "suffix": "they lead to files, not to pages",
    "length": "their addresses are longer than URLLENGTH_LIMIT",
    "scheme": "they are no http or https addresses",
    "invalid": "their addresses cannot be read",
}
"""What to look at, by the rule that refused links."""

PAGE_ADVICE = {
    PRIVATE: f"they are on this machine or in its own network; {OPEN_PRIVATE}",
    "robots": "robots.txt forbids them; ask the site, or set politeness.robots = false where you may",
    "ban": "their sites are banned as irrelevant",
    "quota": "the quotas of their sites are used up",
}
"""What to look at, by the reason pages were not fetched."""

_MOST = 4
"""Likely reasons that are told."""


def likely_reasons(run: Summary) -> list[str]:
    """Return what probably kept a run empty and what to do, the first cause first, never nothing.

    What kept pages from being asked for goes before what became of those that came, unless more came;
    links count where no text was judged: of a page about the topic most are refused, too.
    """
    asked, judged = _not_fetched(run), _judged(run)
    later = (
        [*judged, *asked]
        if _came(run) > max(run.page_reasons.values(), default=0)
        else [*asked, *judged]
    )
    is_lists = largest(_texts(run))[0] in {"", "list"}
    found = [*_searched(run), *_no_answer(run), *_sources(run)]
    found += [*_links(run), *later] if is_lists and not asked else [*later, *_links(run)]
    return found[:_MOST] or [
        f"no page gave an article: run `scrapy topic try {run.topic}` to see what is understood"
    ]


def _texts(run: Summary) -> dict[str, int]:
    return {name: number for name, number in run.outcomes.items() if number and name not in NO_PAGE}


def _came(run: Summary) -> int:
    return largest(_texts(run))[1]


def _searched(run: Summary) -> list[str]:
    if run.end_reason != "search_blocked":
        return []
    return ["the search engines answered with a captcha or not at all; name sources instead"]


def _no_answer(run: Summary) -> list[str]:
    failed, found = sum(run.failures.values()), []
    if private := run.failures.get(PRIVATE_ADDRESS, 0):
        found.append(f"{counted(private, 'name')} led to a private address; {OPEN_PRIVATE}")
    if failed and failed >= run.pages:
        what = "no fetch got a page" if not run.pages else f"{failed:,} fetches got no page"
        found.append(
            f"{what} ({most_frequent(run.failures, 3)}): check the network, the proxy (request.proxy) and"
            " the addresses of the sources"
        )
    elif not (run.requests or run.pages or run.refused or run.page_reasons):
        found.append("nothing was asked for: the sources gave no address to fetch")
    return found


def _sources(run: Summary) -> list[str]:
    """Say that sources are not there, of a run that got nothing else."""
    gone = [found for found in run.unrecognised if found.kind == "sources"]
    if not gone or _texts(run):
        return []
    number, statuses = sum(found.number for found in gone), sorted({found.where for found in gone})
    example = next((f" ({url})" for found in gone for url in found.examples), "")
    said = f"{counted(number, 'source')} answered {', '.join(statuses)}{example}"
    return [f"{said}: correct their addresses in [[source]]"]


def _not_fetched(run: Summary) -> list[str]:
    reason, number = largest(run.page_reasons)
    if not number:
        return []
    rule, _, detail = reason.partition(":")
    advice = PAGE_ADVICE.get(rule, f"the rule {reason!r} refused them")
    return [f"{counted(number, 'page')} not fetched: {advice}" + (f" ({detail})" * bool(detail))]


def _judged(run: Summary) -> list[str]:
    name, number = largest(_texts(run))
    advice: dict[str, Callable[[str], str]] = {
        "irrelevant": lambda pages: f"{pages} judged irrelevant: {_why_irrelevant(run)}",
        "list": lambda pages: (
            f"{pages} only lists of links: the links to articles were refused, or"
            " follow.articles should name their addresses"
        ),
        "old": lambda pages: f"{pages} older than article.since",
        "short": lambda pages: f"{pages} too short for an article; see article.min_length",
        "dropped": lambda pages: f"{pages} dropped by an item pipeline of yours",
        "unchanged": lambda pages: f"{pages} the same as at the last visit",
    }
    if not number or name not in advice:
        return []
    return [advice[name](f"{counted(number, 'page')} {'was' if number == 1 else 'were'}")]


_MOST_GROUPS_TOLD = 8
"""Word groups of which an empty crawl tells the pages, those on the fewest first."""


def _why_irrelevant(run: Summary) -> str:
    """Say which rule judged most pages irrelevant, and where the words of that rule were found."""
    reason, _ = largest(run.irrelevant)
    rule, _, word = reason.partition(":")
    if rule == "keywords":
        return f"none of topic.keywords is there{_groups(run, KEYWORDS)}; look for other words, or elsewhere"
    if rule == "score":
        return (
            f"topic.keywords are there, too seldom for relevance.threshold{_groups(run, KEYWORDS)};"
            f" `scrapy topic score {run.topic} --near` shows by how much"
        )
    if rule == "require":
        return (
            f"{word} (topic.require) is not there{_groups(run, REQUIRE)}; all groups of topic.require must"
            " be, words that may stand for each other belong into one group, separated by |"
        )
    if rule == "exclude":
        return f"{word} (topic.exclude) is there{_groups(run, EXCLUDE)}"
    others = {
        "layer": "they are not behind links that follow.layers name",
        "language": f"they are written in another language ({word}) than article.languages has",
        "article.keep": 'article.keep = "none" keeps no article',
    }
    return others.get(
        rule,
        "compare topic.keywords, require, exclude and threshold with what"
        f" `scrapy topic try {run.topic}` shows",
    )


def _groups(run: Summary, key: str) -> str:
    """Return in brackets on how many pages the groups of a key were found; "" where none were counted."""
    groups = [group for group in run.groups if group.key == key and group.judged]
    told = sorted(groups, key=lambda group: group.pages, reverse=key == EXCLUDE)
    words = [str(group) for group in told[:_MOST_GROUPS_TOLD]]
    if rest := told[_MOST_GROUPS_TOLD:]:
        words.append(f"and {counted(len(rest), 'more group')}")
    return f" ({', '.join(words)})" if words else ""


def _links(run: Summary) -> list[str]:
    reason, number = largest(run.refused)
    if not number:
        return []
    rule, _, detail = reason.partition(":")
    if rule == "trap":
        advice = f"they look like a trap ({detail})"
    else:
        advice = LINK_ADVICE.get(rule, f"the rule {reason!r} refused them")
    return [f"{counted(number, 'link')} refused by {rule}: {advice}"]


# What was read and not recognised --------------------------------------------------------------

MOST_EXAMPLES = 2
MOST_OF_A_KIND = 3
"""Findings of one kind that are told each; the others are counted."""


class Finding(NamedTuple):
    """``number`` addresses of one ``kind`` (a key of KINDS), ``examples`` of them.

    ``where`` is what they have in common: the pattern of their addresses, their site. ``of`` counts
    all pages of that pattern or site, ``right`` those that were as expected.
    """

    kind: str
    number: int
    examples: Sequence[str]
    where: str = ""
    of: int = 0
    right: int = 0


class _Words(NamedTuple):
    says: Callable[[Finding], str]
    advice: Callable[[Finding, str], str]


def _lists(found: Finding) -> str:
    return (
        f"{counted(found.number, 'page')} read as lists, though {found.right:,} of {found.of:,} pages"
        f" of such an address are articles ({found.where})"
    )


KINDS: Mapping[str, _Words] = {
    "sources": _Words(
        lambda found: f"{counted(found.number, 'source')} answered {found.where}",
        lambda found, topic: "correct their addresses in [[source]], or take them out",
    ),
    "lists": _Words(
        _lists,
        lambda found, topic: (
            f"if they are, too: follow.articles = ['{found.where}'];"
            f" what speaks for it: scrapy topic score {topic} URL"
        ),
    ),
    "boards": _Words(
        lambda found: (
            f"{counted(found.number, 'source')} of kind forum without a thread that is counted"
        ),
        lambda found, topic: (
            f'[site."{found.where}".select] thread and replies say where the threads stand in the board'
        ),
    ),
    "threads": _Words(
        lambda found: (
            f"{counted(found.number, 'address')[:-1] + 'es' if found.number > 1 else '1 address'}"
            f" listed as {'threads' if found.number > 1 else 'a thread'} without a post"
        ),
        lambda found, topic: (
            f'[site."{found.where}".select] post, posted, poster and post_text say where the posts stand'
        ),
    ),
    "scripts": _Words(
        lambda found: (
            f"{found.where}: {found.number:,} of {counted(found.of, 'page')} without text, for it comes"
            " by JavaScript, which is not run"
        ),
        lambda found, topic: (
            f"look for its feed, sitemap or mobile pages as a source; else"
            f' [site."{found.where}"] parser = "module:function", or skip = true'
        ),
    ),
}
"""In the order they are told in."""


MOST_KEPT_FINDINGS = 200
"""Findings that are kept with a run: each is a pattern, a board or a site."""


def largest_found(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are kept with a run, most addresses first."""
    return sorted(findings, key=lambda one: (-one.number, one.where))[:MOST_KEPT_FINDINGS]


def unrecognised_lines(findings: Sequence[Finding], topic: str) -> list[str]:
    """Return the lines of a summary; none when there is nothing to tell."""
    lines: list[str] = []
    for kind, words in KINDS.items():
        own = sorted(
            (one for one in findings if one.kind == kind), key=lambda one: (-one.number, one.where)
        )
        for found in own[:MOST_OF_A_KIND]:
            lines.append(f"    - {words.says(found)}")
            lines += [f"        {url}" for url in found.examples[:MOST_EXAMPLES]]
            lines.append(f"      {words.advice(found, topic)}")
        if rest := own[MOST_OF_A_KIND:]:
            others = sum(one.number for one in rest)
            lines.append(f"    - and {others:,} more of that kind at {len(rest):,} other places")
    return ["  not recognised:", *lines] if lines else []
