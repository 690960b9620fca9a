"""``scrapy topic patterns``: what was learnt of addresses, and a person's word on it (D5)."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from focuscrawl.commands.crawl_file import crawl_file, site_named
from focuscrawl.commands.trial import CannotDo
from focuscrawl.template.kinds.addresses import Matches, check_match
from focuscrawl.urls.patterns import PART, UrlPatterns
from focuscrawl.values import PageClass

if TYPE_CHECKING:
    from focuscrawl.commands.topic import Command

SITES_SHOWN = 200
PINNED = (PageClass.ARTICLE, PageClass.BOARD, PageClass.OTHER)
"""Classes an address can be told to have."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb ``patterns``."""
    parser.add_argument(
        "--pin",
        action="append",
        default=[],
        metavar="CLASS=PATTERN",
        help="patterns: what addresses of the hosts are, as in --pin article=/news/*.html",
    )
    parser.add_argument(
        "--veto",
        action="append",
        default=[],
        metavar="PATTERN",
        help="patterns: never class such addresses of the hosts by what was learnt",
    )
    parser.add_argument(
        "--forget",
        action="append",
        default=[],
        metavar="PATTERN",
        help="patterns: take a pin or veto of the hosts back",
    )


def patterns(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """List the address patterns learnt of sites (NAME [HOST…]), or --pin, --veto, --forget some."""
    loaded = command.loaded(args[:1], opts, secrets=False)
    hosts = [site_named(host) for host in args[1:]]
    wishes = [*map(_pin, opts.pin), *map(_pattern, opts.veto), *map(_pattern, opts.forget)]
    if wishes and not hosts:
        raise UsageError("name the hosts, too: scrapy topic patterns NAME HOST… --veto PATTERN")
    known = UrlPatterns(lambda written: Matches([written]))
    with crawl_file(command, loaded) as crawl:
        known.load(crawl.records)
        said = [line for site in hosts for line in _follow(known, site, opts)]
        if wishes:
            crawl.write(PART, known.changed())
    if said:
        return "\n".join(said)
    sites = hosts or list(known.sites())
    lines = [line for site in sites[:SITES_SHOWN] for line in _site(known, site)]
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


def _site(known: UrlPatterns, site: str) -> Iterator[str]:
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
