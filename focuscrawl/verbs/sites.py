"""``scrapy topic sites|ban|unban|patterns``: what a crawl knows of sites, and a person's word on it (D5)."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from scrapy.exceptions import UsageError

from focuscrawl.explore.ledger import BAN, Ban, BanRules, JudgedPages, Ledger, SiteRecord
from focuscrawl.template.kinds.addresses import Matches, check_match
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.urls.patterns.url_patterns import PATTERNS as PATTERNS_PART
from focuscrawl.urls.patterns.url_patterns import UrlPatterns
from focuscrawl.values import PageClass
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.data import CrawlFile, crawl_file, site_named

SITES_SHOWN = 200
EVIDENCE_SHOWN = 3
PINNED = (PageClass.ARTICLE, PageClass.BOARD, PageClass.OTHER)
"""Classes an address can be told to have."""


def sites(call: Call, args: Sequence[str]) -> str:
    """List the sites exploration has judged, worst first, with bans and what speaks for them."""
    loaded = call.loaded(args[:1], secrets=False)
    with _ledger(call, loaded) as (ledger, _):
        records = sorted(ledger.records(), key=lambda entry: (not entry[1].has_bans, entry[0]))
    if not records:
        return f"{loaded.template.name}: no site was judged yet; known sources are not"
    lines = [line for site, record in records[:SITES_SHOWN] for line in _site(site, record)]
    if len(records) > SITES_SHOWN:
        lines.append(f"and {len(records) - SITES_SHOWN} more")
    return "\n".join(lines)


def ban(call: Call, args: Sequence[str]) -> str:
    """Ban sites (NAME HOST…) until they are unbanned: nothing of them is fetched."""
    return _change(call, args, banning=True)


def unban(call: Call, args: Sequence[str]) -> str:
    """Lift the bans of sites (NAME HOST…); they have their whole patience again."""
    return _change(call, args, banning=False)


def _change(call: Call, args: Sequence[str], *, banning: bool) -> str:
    if len(args) < 2:
        raise UsageError("name the topic and the hosts: scrapy topic ban NAME HOST…")
    loaded = call.loaded(args[:1], secrets=False)
    lines = []
    with _ledger(call, loaded) as (ledger, crawl):
        for site in map(site_named, args[1:]):
            if banning:
                ledger.ban(site)
                lines.append(f"{site}: banned until it is unbanned")
            elif ledger.lift(site):
                lines.append(f"{site}: no longer banned")
            else:
                lines.append(f"{site}: was not banned")
        crawl.write(BAN, ledger.changed())
    return "\n".join(lines)


@contextmanager
def _ledger(call: Call, loaded: LoadedTemplate) -> Iterator[tuple[Ledger, CrawlFile]]:
    """Open the topic's crawl and read what exploration knows."""
    with crawl_file(call, loaded) as crawl:
        ledger = Ledger(BanRules())
        ledger.load(crawl.records)
        yield ledger, crawl


def _site(site: str, record: SiteRecord) -> Iterator[str]:
    """Say what was judged of a site and its banned folders, each with what speaks for its ban; what
    speaks for that of the whole site comes last.
    """
    yield _judged(f"{site:<40}", record.whole)
    for folder in record.folders.values():
        if folder.ban:
            yield _judged(f"  {folder.name or '/':<38}", folder)
            yield from _evidence(folder.ban)
    if record.whole.ban:
        yield from _evidence(record.whole.ban)


def _judged(name: str, pages: JudgedPages) -> str:
    said = f"{name} {pages.pages} pages, {pages.relevant} relevant"
    if not pages.ban:
        return said
    until = pages.ban.until
    when = f"{datetime.fromtimestamp(until, UTC):%Y-%m-%d}" if until else "it is unbanned"
    return f"{said}, banned by {pages.ban.why} until {when}"


def _evidence(ban: Ban) -> Iterator[str]:
    return (f"    {url}" for url in ban.evidence[:EVIDENCE_SHOWN])


# The patterns of addresses ---------------------------------------------------------------------


def patterns(call: Call, args: Sequence[str]) -> str:
    """List the address patterns learnt of sites (NAME [HOST…]), or --pin, --veto, --forget some."""
    loaded, opts = call.loaded(args[:1], secrets=False), call.options
    hosts = [site_named(host) for host in args[1:]]
    wishes = [*map(_pin, opts.pin), *map(_pattern, opts.veto), *map(_pattern, opts.forget)]
    if wishes and not hosts:
        raise UsageError("name the hosts, too: scrapy topic patterns NAME HOST… --veto PATTERN")
    known = UrlPatterns(lambda written: Matches([written]))
    with crawl_file(call, loaded) as crawl:
        known.load(crawl.records)
        said = [line for site in hosts for line in _follow(known, site, opts)]
        if wishes:
            crawl.write(PATTERNS_PART, known.changed())
    if said:
        return "\n".join(said)
    sites = hosts or list(known.sites())
    lines = [line for site in sites[:SITES_SHOWN] for line in _patterns_of(known, site)]
    if len(sites) > SITES_SHOWN:
        lines.append(f"and {len(sites) - SITES_SHOWN} more sites")
    return "\n".join(lines) or f"{loaded.template.name}: no pattern was learnt yet"


def _follow(known: UrlPatterns, site: str, opts: argparse.Namespace) -> Iterator[str]:
    for page_class, written in map(_pin, opts.pin):
        known.pin(site, written, page_class)
        yield f"{site}: {written} is {page_class}, whatever is learnt"
    for written in opts.veto:
        known.veto(site, written)
        yield f"{site}: {written} is never classed by what is learnt"
    for written in opts.forget:
        there = known.forget(site, written)
        yield f"{site}: {written} " + ("forgotten" if there else "was neither pinned nor vetoed")


def _patterns_of(known: UrlPatterns, site: str) -> Iterator[str]:
    learnt = known.learnt(site)
    pins, vetoes = known.by_hand(site)
    if not (learnt or pins or vetoes):
        return
    asked, right = known.answers(site)
    yield f"{site:<40} {asked} links classed before they were fetched, {right} rightly"
    for one in learnt:
        later = f", since then {one.right} of {one.seen}" if one.seen else ""
        support = f"{one.support} pages, {one.precision:.0%} right{later}"
        yield f"  {one.page_class:<15} {one.written}  ({support})"
    for written, page_class in pins.items():
        yield f"  {page_class:<15} {written}  (pinned)"
    for written in vetoes:
        yield f"  {'vetoed':<15} {written}"


def _pin(wish: str) -> tuple[PageClass, str]:
    name, _, written = wish.partition("=")
    if name not in PINNED or not written:
        allowed = ", ".join(PINNED)
        raise CannotDo(
            f"--pin {wish}: write CLASS=PATTERN with a class of {allowed}, as in article=/news/*.html"
        )
    return PageClass(name), _pattern(written)


def _pattern(written: str) -> str:
    """Check an entry of the kind *match*; it is kept as it is written."""
    try:
        return check_match(written)
    except ValueError as error:
        raise CannotDo(f"{written}: {error}") from None
