"""What needs its user: why nothing was found, for an empty crawl is never silent; sources that gave nothing; what was
not recognised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.locale.messages import N_, NN_, _, ngettext
from focuscrawl.output.summary.lines import counted, largest, listed_words, most_frequent
from focuscrawl.readers.relevance.groups import EXCLUDE, KEYWORDS, REQUIRE
from focuscrawl.urls.private import PRIVATE, PRIVATE_ADDRESS
from focuscrawl.values import EMPTY_REASONS, MOST_EXAMPLES, UNCLEAR, Finding

if TYPE_CHECKING:
    from focuscrawl.output.summary.summary import Summary

NO_PAGE = frozenset({"error", "refused", "parked", "gone", "alias"})
"""Outcomes of addresses that gave no page to judge."""

OPEN_PRIVATE = N_(
    'where that is meant, write their hosts into a source, follow.sites or a table [site."HOST"],'
    " or their network into FOCUSCRAWL_PRIVATE"
)

LINK_ADVICE = {
    PRIVATE: N_("they lead to this machine or its own network; {how_to_open}"),
    "scope": N_("follow.scope keeps the crawl on the hosts of its sources; name more, or widen it"),
    "allow": N_("no link matched follow.allow; compare it with the addresses of real articles"),
    "deny": N_("follow.deny refused them; one of its patterns may match too much"),
    "depth": N_("follow.depth is reached before the articles are"),
    "nofollow": N_(
        "their own site asks robots not to follow them; follow.refuse says which links are left"
    ),
    "action": N_("they edit, log in, reply or print; follow.refuse says whether such are left"),
    "skip": N_("their sites have skip = true"),
    "sitemaps": N_("their sites have more sitemaps than are read in one run, the newest first"),
    "crowded": N_("as many URLs of their sites wait as may; queues.waiting allows more"),
    "suffix": N_("they lead to files, not to pages"),
    "length": N_("their addresses are longer than URLLENGTH_LIMIT"),
    "scheme": N_("they are no http or https addresses"),
    "invalid": N_("their addresses cannot be read"),
}
"""What to look at, by the rule that refused links."""

PAGE_ADVICE = {
    PRIVATE: N_("they are on this machine or in its own network; {how_to_open}"),
    "robots": N_(
        "robots.txt forbids them; ask the site, or set politeness.robots = false where you may"
    ),
    "ban": N_("their sites are banned as irrelevant"),
    "quota": N_("the quotas of their sites are used up"),
}
"""What to look at, by the reason pages were not fetched."""

STOPPED = {
    "shutdown": N_("it was stopped by a signal or Ctrl-C"),
    "outside_hours": N_("it was outside politeness.hours"),
    "limit_pages": N_("it was stopped by limits.pages"),
    "limit_articles": N_("it was stopped by limits.articles"),
    "limit_errors": N_("it was stopped by limits.errors"),
    "limit_time": N_("it was stopped by limits.time"),
}
"""What stopped a run, by its end reason, though there was more to do."""

_MOST = 4
"""Likely reasons that are named."""


def likely_reasons(run: Summary) -> list[str]:
    """Return what probably kept a run empty and what to do, the first cause first, never nothing.

    What kept pages from being asked for goes before what became of those that came, unless more came;
    links count where no text was judged: of a page about the topic most are refused, too. Of a run that was
    stopped while addresses waited, that is the first cause, and nothing is guessed from what did not come.
    """
    stopped = _stopped(run)
    asked, judged = _not_fetched(run), _judged(run)
    later = (
        [*judged, *asked]
        if _came(run) > max(run.page_reasons.values(), default=0)
        else [*asked, *judged]
    )
    is_lists = largest(_texts(run))[0] in {"", "list"}
    found = [*stopped, *_searched(run), *_no_answer(run), *_sources(run)]
    found += [*_links(run), *later] if is_lists and not asked else [*later, *_links(run)]
    return found[:_MOST] or [
        _(
            "no page gave an article: run `scrapy topic try {topic}` to see what is understood"
        ).format(topic=run.topic)
    ]


def _texts(run: Summary) -> dict[str, int]:
    return {name: number for name, number in run.outcomes.items() if number and name not in NO_PAGE}


def _came(run: Summary) -> int:
    return largest(_texts(run))[1]


def _stopped(run: Summary) -> list[str]:
    if not run.waiting or run.end_reason not in STOPPED:
        return []
    told = _(
        "{cause} before {addresses} that waited could be asked for: the next run goes on with them"
    )
    return [
        told.format(cause=_(STOPPED[run.end_reason]), addresses=counted(run.waiting, "address"))
    ]


def _searched(run: Summary) -> list[str]:
    if run.end_reason != "search_blocked":
        return []
    return [_("the search engines answered with a captcha or not at all; name sources instead")]


def _no_answer(run: Summary) -> list[str]:
    failed, found = sum(run.failures.values()), []
    if private := run.failures.get(PRIVATE_ADDRESS, 0):
        names = counted(private, "name")
        told = _("{names} led to a private address; {how_to_open}")
        found.append(told.format(names=names, how_to_open=_(OPEN_PRIVATE)))
    if failed and failed >= run.pages:
        what = _("{failed:,} fetches got no page") if run.pages else _("no fetch got a page")
        told = _(
            "{what} ({failures}): check the network, the proxy (request.proxy) and the addresses of the"
            " sources"
        )
        what = what.format(failed=failed)
        found.append(told.format(what=what, failures=most_frequent(run.failures, 3)))
    elif not (run.requests or run.pages or run.refused or run.page_reasons or _stopped(run)):
        found.append(_("nothing was asked for: the sources gave no address to fetch"))
    return found


def _sources(run: Summary) -> list[str]:
    """Say that sources are not there, of a run that got nothing else."""
    gone = [found for found in run.unrecognised if found.kind == "sources"]
    if not gone or _texts(run):
        return []
    number, statuses = sum(found.number for found in gone), sorted({found.where for found in gone})
    example = next((f" ({url})" for found in gone for url in found.examples), "")
    told = _("{sources} answered {statuses}{example}: correct their addresses in [[source]]")
    sources = counted(number, "source")
    return [told.format(sources=sources, statuses=listed_words(statuses), example=example)]


def _not_fetched(run: Summary) -> list[str]:
    reason, number = largest(run.page_reasons)
    if not number:
        return []
    rule, *more = reason.split(":", 1)
    advice = _advice(PAGE_ADVICE, rule, reason)
    told = _("{pages} not fetched: {advice}").format(pages=counted(number, "page"), advice=advice)
    return [told + "".join(f" ({detail})" for detail in more if detail)]


def _advice(advice: Mapping[str, str], rule: str, reason: str) -> str:
    if rule not in advice:
        return _("the rule {reason!r} refused them").format(reason=reason)
    return _(advice[rule]).format(how_to_open=_(OPEN_PRIVATE))


def _judged(run: Summary) -> list[str]:
    name, number = largest(_texts(run))
    forms = {
        "irrelevant": NN_(
            "{number:,} page was judged irrelevant: {why}",
            "{number:,} pages were judged irrelevant: {why}",
        ),
        "list": NN_(
            "{number:,} page was only lists of links: the links to articles were refused, or"
            " follow.articles should name their addresses",
            "{number:,} pages were only lists of links: the links to articles were refused, or"
            " follow.articles should name their addresses",
        ),
        "old": NN_(
            "{number:,} page was older than article.since",
            "{number:,} pages were older than article.since",
        ),
        "short": NN_(
            "{number:,} page was too short for an article; see article.min_length",
            "{number:,} pages were too short for an article; see article.min_length",
        ),
        "dropped": NN_(
            "{number:,} page was dropped by an item pipeline of yours",
            "{number:,} pages were dropped by an item pipeline of yours",
        ),
        "unchanged": NN_(
            "{number:,} page was the same as at the last visit",
            "{number:,} pages were the same as at the last visit",
        ),
    }
    if not number or name not in forms or (name == "list" and _stopped(run)):
        return []
    why = _why_irrelevant(run) if name == "irrelevant" else ""
    return [ngettext(*forms[name], number).format(number=number, why=why)]


_MOST_GROUPS_TOLD = 8
"""Word groups that an empty crawl names: those on the fewest pages, of exclude on the most."""


def _why_irrelevant(run: Summary) -> str:
    """Say which rule judged most pages irrelevant, and where the words of that rule were found."""
    rule, _colon, word = largest(run.irrelevant)[0].partition(":")
    told = {
        "keywords": _("none of topic.keywords occurs{groups}; look for other words, or elsewhere"),
        "score": _(
            "topic.keywords are there, too seldom for relevance.threshold{groups}; `scrapy topic score"
            " {topic} --near` shows by how much"
        ),
        "require": _(
            "{word} (topic.require) does not occur{groups}; all groups of topic.require must be, words that"
            " may stand for each other belong into one group, separated by |"
        ),
        "exclude": _("{word} (topic.exclude) occurs{groups}"),
        "layer": _("they are not behind links that follow.layers name"),
        "language": _("they are written in another language ({word}) than article.languages has"),
        "article.keep": _('article.keep = "none" keeps no article'),
    }
    other = _(
        "compare topic.keywords, require, exclude and threshold with what `scrapy topic try {topic}` shows"
    )
    keys = {"require": REQUIRE, "exclude": EXCLUDE}
    groups = _groups(run, keys.get(rule, KEYWORDS))
    return told.get(rule, other).format(word=word, groups=groups, topic=run.topic)


def _groups(run: Summary, key: str) -> str:
    """Return in brackets on how many pages the groups of a key were found; "" where none were counted."""
    groups = [group for group in run.groups if group.key == key and group.judged]
    told = sorted(groups, key=lambda group: group.pages, reverse=key == EXCLUDE)
    words = [str(group) for group in told[:_MOST_GROUPS_TOLD]]
    if rest := told[_MOST_GROUPS_TOLD:]:
        words.append(_("and {groups}").format(groups=counted(len(rest), "more group")))
    return _(" ({words})").format(words=listed_words(words)) if words else ""


def _links(run: Summary) -> list[str]:
    reason, number = largest(run.refused)
    if not number:
        return []
    rule, _colon, detail = reason.partition(":")
    if rule == "trap":
        advice = _("they look like a trap ({detail})").format(detail=detail)
    else:
        advice = _advice(LINK_ADVICE, rule, reason)
    told = _("{links} refused by {rule}: {advice}")
    return [told.format(links=counted(number, "link"), rule=rule, advice=advice)]


# What was read and not recognised --------------------------------------------------------------

MOST_OF_A_KIND = 3
"""Findings of one kind that are named each; the others are counted."""

MOST_REASONS = 10
"""Reasons of silent sources that are named each: ten sites of forty were broken in ten ways."""


class _Words(NamedTuple):
    says: Callable[[Finding], str]
    advice: Callable[[Finding, str], str]
    most: int = MOST_OF_A_KIND


def _lists(found: Finding) -> str:
    return _(
        "{pages} read as lists, though {right:,} of {of:,} pages of such an address are articles ({where})"
    ).format(pages=counted(found.number, "page"), right=found.right, of=found.of, where=found.where)


WHY_SILENT = {
    "robots": (N_("robots.txt forbids that"), PAGE_ADVICE["robots"]),
    "files": (
        N_("the links lead to files (PDF, Word and the like), which are not read"),
        N_("name a page of the same notices as a source, or remove them"),
    ),
    "scripts": (
        N_("the text needs JavaScript, which focuscrawl does not run"),
        N_(
            'name a feed, sitemap or mobile page of theirs as a source; else [site."HOST"] parser ='
            ' "module:function"'
        ),
    ),
    "empty": (
        N_("no link is on the page"),
        N_("open it in a browser: it may want a log-in, or stand at another address now"),
    ),
    "no_text": (
        N_("no page behind the links has a text"),
        N_("`scrapy topic score {topic} URL` says what a page was taken for"),
    ),
    "content type": (N_("a file is there, not a page"), N_("name the page that links to it")),
    "scope": (
        N_("the address or the links lead to other hosts"),
        N_("name those hosts in follow.sites, or their pages as sources"),
    ),
}
"""By reason why sources gave nothing, and what helps; other reasons are rules that refused their links."""


def _why_silent(found: Finding) -> str:
    """Say which sources gave nothing and why."""
    if found.where in WHY_SILENT:
        why = _(WHY_SILENT[found.where][0])
    else:
        why = _("the rule {rule!r} refused the address or the links").format(rule=found.where)
    sources = counted(found.number, "source")
    return _("{sources} gave nothing: {why}").format(sources=sources, why=why)


def _end_silence(found: Finding, topic: str) -> str:
    advice = WHY_SILENT.get(found.where, ("", ""))[1] or LINK_ADVICE.get(found.where, "")
    if not advice:
        advice = PAGE_ADVICE.get(found.where, N_("remove them where that is intended"))
    return _(advice).format(topic=topic, how_to_open=_(OPEN_PRIVATE))


KINDS: Mapping[str, _Words] = {
    "dead": _Words(
        lambda found: _("{sources} could not be fetched ({reason})").format(
            sources=counted(found.number, "source"), reason=found.where
        ),
        lambda found, topic: _(
            "they are asked again with the next run; if it stays so, correct their addresses or remove them"
        ),
    ),
    "silent": _Words(_why_silent, _end_silence, MOST_REASONS),
    "withheld": _Words(
        lambda found: ngettext(
            "{where}: something stands in front of {number:,} page, which is tried later",
            "{where}: something stands in front of {number:,} pages, which are tried later",
            found.number,
        ).format(where=found.where, number=found.number),
        lambda found, topic: _(
            'a log-in: cookies of yours in [site."HOST".request]; a challenge or a firewall: a longer'
            " politeness.delay there, or a feed of theirs as the source; maintenance passes by itself"
        ),
    ),
    "sources": _Words(
        lambda found: _("{sources} answered {where}").format(
            sources=counted(found.number, "source"), where=found.where
        ),
        lambda found, topic: _("correct their addresses in [[source]], or remove them"),
    ),
    "lists": _Words(
        _lists,
        lambda found, topic: _(
            "if they are, too: follow.articles = ['{where}']; what speaks for it: scrapy topic score {topic}"
            " URL"
        ).format(where=found.where, topic=topic),
    ),
    "boards": _Words(
        lambda found: _("{sources} of kind forum without a thread that is counted").format(
            sources=counted(found.number, "source")
        ),
        lambda found, topic: _(
            '[site."{where}".select] thread and replies say where the threads stand in the board'
        ).format(where=found.where),
    ),
    "threads": _Words(
        lambda found: ngettext(
            "{number:,} address listed as a thread without a post",
            "{number:,} addresses listed as threads without a post",
            found.number,
        ).format(number=found.number),
        lambda found, topic: _(
            '[site."{where}".select] post, posted, poster and post_text say where the posts stand'
        ).format(where=found.where),
    ),
    "scripts": _Words(
        lambda found: _(
            "{where}: {number:,} of {pages} without text: JavaScript is needed, which focuscrawl does not run"
        ).format(where=found.where, number=found.number, pages=counted(found.of, "page")),
        lambda found, topic: _(
            'look for its feed, sitemap or mobile pages as a source; else [site."{where}"] parser ='
            ' "module:function", or skip = true'
        ).format(where=found.where),
    ),
    "goes_on": _Words(
        lambda found: ngettext(
            "{where}: {number:,} list shows more by JavaScript after {shown:,} entries",
            "{where}: {number:,} lists show more by JavaScript after {shown:,} entries or more",
            found.number,
        ).format(where=found.where, number=found.number, shown=found.of),
        lambda found, topic: _(
            "name its feed or sitemap as a source; where the next pages have addresses,"
            ' [site."{where}".select] next says where they stand'
        ).format(where=found.where),
    ),
    "words": _Words(
        lambda found: _("{where} is on none of {pages}").format(
            where=found.where, pages=counted(found.number, "page")
        ),
        lambda found, topic: _(
            "compare it with how the articles write it: scrapy topic score {topic} --near"
        ).format(topic=topic),
    ),
    "mentions": _Words(
        lambda found: _("{number:,} of {articles} rest on one mention of one word").format(
            number=found.number, articles=counted(found.of, "article")
        ),
        lambda found, topic: _(
            "if they only brush the topic: a higher relevance.threshold, or topic.require; scrapy topic score"
            " {topic} --near shows them"
        ).format(topic=topic),
    ),
}
"""In the order of the summary."""


MOST_KEPT_FINDINGS = 200
"""Findings that are kept with a run: each is a pattern, a board or a site."""


def largest_found(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are kept with a run, most addresses first."""
    return sorted(findings, key=lambda one: (-one.number, one.where))[:MOST_KEPT_FINDINGS]


def _told_once(findings: Iterable[Finding]) -> list[Finding]:
    """Leave out sites that need JavaScript whose named pages are all among the sources silent for that."""
    found = [*findings]
    silent = [one for one in found if (one.kind, one.where) == ("silent", "scripts")]
    told = {url for one in silent for url in one.examples}
    return [one for one in found if one.kind != "scripts" or not told.issuperset(one.examples)]


def empty_reasons(counters: Mapping[str, Any]) -> list[str]:
    """Return what is kept with a run of why it was empty, each reason once; several workers may have the same."""
    kept = counters.get(EMPTY_REASONS)
    return list(dict.fromkeys(str(one) for one in kept)) if isinstance(kept, list) else []


def kept_findings(counters: Mapping[str, Any]) -> list[Finding]:
    """Return what is kept of a run's findings with its counters."""
    kept = counters.get(UNCLEAR)
    return [Finding(**one) for one in (kept if isinstance(kept, list) else ())]


def findings_of(counters: Mapping[str, Any]) -> list[Finding]:
    """Return the findings that the summary shows, in order."""
    found, order = _told_once(kept_findings(counters)), [*KINDS]
    return sorted(
        (one for one in found if one.kind in KINDS), key=lambda one: order.index(one.kind)
    )


def needs_lines(findings: Sequence[Finding], topic: str) -> list[str]:
    """Return the lines of a summary; none when there is nothing to tell."""
    lines: list[str] = []
    findings = _told_once(findings)
    for kind, words in KINDS.items():
        own = sorted(
            (one for one in findings if one.kind == kind), key=lambda one: (-one.number, one.where)
        )
        for found in own[: words.most]:
            lines.append(f"    - {words.says(found)}")
            lines += [f"        {url}" for url in found.examples[:MOST_EXAMPLES]]
            lines.append(f"      {words.advice(found, topic)}")
        if rest := own[words.most :]:
            others = sum(one.number for one in rest)
            more = _("    - and {others:,} more of that kind at {places:,} other places")
            lines.append(more.format(others=others, places=len(rest)))
    return [_("  what needs you:"), *lines] if lines else []
