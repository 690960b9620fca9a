"""``scrapy topic sites|ban|unban|patterns``: what a crawl knows of sites, and a person's word on it (D5)."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from scrapy.exceptions import UsageError

from focuscrawl.features.explore.ledger import (
    BAN,
    BAN_ORDER,
    UNBAN_ORDER,
    Ban,
    BanRules,
    JudgedPages,
    Ledger,
    SiteRecord,
)
from focuscrawl.features.explore.table import ExploreTable
from focuscrawl.locale.messages import _, ngettext
from focuscrawl.output.summary.lines import counted
from focuscrawl.readers.text.characters import padded
from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.stores.state.topic_store import is_shared, open_server
from focuscrawl.template.kinds.addresses import Matches, check_match
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.urls.patterns.url_patterns import PATTERNS as PATTERNS_PART
from focuscrawl.urls.patterns.url_patterns import UrlPatterns
from focuscrawl.values import Json, PageClass
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.data import CrawlFile, crawl_file, site_named
from focuscrawl.verbs.explain.site import LearntSite, learnt_sites

SITES_SHOWN = 200
EVIDENCE_SHOWN = 3
HEARD_WITHIN, LOOK_AGAIN = 10.0, 0.1
"""Seconds to wait until workers have followed an order: two beats of half a second each, and more on a busy
machine; and seconds between two looks."""

PINNED = (PageClass.ARTICLE, PageClass.BOARD, PageClass.OTHER)
"""Classes that --pin can give an address."""


def sites(call: Call, args: Sequence[str]) -> str:
    """List the sites exploration has judged (NAME), worst first, with bans and what speaks for them, or say what was
    learnt of some (NAME HOST…).
    """
    loaded = call.loaded(args[:1], secrets=False)
    if args[1:]:
        found = learnt_sites(call, loaded, [*map(site_named, args[1:])])
        if call.options.json:
            return _as_json(_site_plain(one) for one in found)
        return "\n".join(line for one in found for line in _learnt_lines(one))
    with _ledger(call, loaded) as (ledger, _crawl):
        records = sorted(ledger.records(), key=lambda entry: (not entry[1].has_bans, entry[0]))
    if call.options.json:
        return _as_json({"site": site, "judged": _judged_plain(record)} for site, record in records)
    if not records:
        return _("{name}: no site was judged yet; known sources are not").format(
            name=loaded.template.name
        )
    lines = [line for site, record in records[:SITES_SHOWN] for line in _site(site, record)]
    if len(records) > SITES_SHOWN:
        lines.append(_("and {number} more").format(number=len(records) - SITES_SHOWN))
    return "\n".join(lines)


def _learnt_lines(found: LearntSite) -> Iterator[str]:
    judged = found.record.get(BAN)
    if not judged:
        yield _("{site:<40} not judged by exploration; known sources are not").format(
            site=found.site
        )
    else:
        yield from _site(found.site, SiteRecord.from_json(judged))
    yield from (f"  {line}" for line in found.lines)


def _site_plain(found: LearntSite) -> Json:
    judged = found.record.get(BAN)
    plain = _judged_plain(SiteRecord.from_json(judged)) if judged else None
    return {"site": found.site, "judged": plain, **found.learnt}


def _judged_plain(record: SiteRecord) -> Json:
    """Return what was judged of a site, and its banned folders, as plain values; times are seconds since 1970 UTC."""

    def plain(pages: JudgedPages) -> Json:
        ban = pages.ban._asdict() if pages.ban else None
        return {"pages": pages.pages, "relevant": pages.relevant, "ban": ban}

    folders = {one.name or "/": plain(one) for one in record.folders.values() if one.ban}
    return {**plain(record.whole), "banned_folders": folders}


def _as_json(found: Iterable[Json]) -> str:
    return json.dumps([*found], ensure_ascii=False, indent=2)


def ban(call: Call, args: Sequence[str]) -> str:
    """Ban sites (NAME HOST…) until they are unbanned: nothing of them is fetched."""
    return _change(call, args, banning=True)


def unban(call: Call, args: Sequence[str]) -> str:
    """Lift the bans of sites (NAME HOST…); they have their whole patience again."""
    return _change(call, args, banning=False)


def _change(call: Call, args: Sequence[str], *, banning: bool) -> str:
    if len(args) < 2:
        raise UsageError(_("name the topic and the hosts: scrapy topic ban NAME HOST…"))
    loaded = call.loaded(args[:1], secrets=False)
    if not loaded.template.of(ExploreTable).enabled:
        raise CannotDo(
            _(
                "{name} has [explore] enabled = false, and bans belong to exploration: refuse the"
                " site's addresses with [follow] deny, which holds from the next crawl on"
            ).format(name=loaded.template.name)
        )
    lines = []
    if is_shared(call.settings):
        lines = _order(call, loaded.template.name, [*map(site_named, args[1:])], banning=banning)
        if lines:
            return "\n".join(lines)
    with _ledger(call, loaded) as (ledger, crawl):
        for site in map(site_named, args[1:]):
            if banning:
                ledger.ban(site)
                lines.append(_("{site}: banned until it is unbanned").format(site=site))
            elif ledger.lift(site):
                lines.append(_("{site}: no longer banned").format(site=site))
            else:
                lines.append(_("{site}: was not banned").format(site=site))
        crawl.write(BAN, ledger.changed())
    return "\n".join(lines)


def _order(call: Call, name: str, sites: Sequence[str], *, banning: bool) -> list[str]:
    """Order the workers of a topic to ban sites, or to lift bans; returns lines to print, none without a worker."""
    from focuscrawl.stores.redis.workers import (  # noqa: PLC0415 - brings redis
        crawl_seen,
        give_order,
        is_followed,
    )

    order, other, what = BAN_ORDER, UNBAN_ORDER, _("banned until it is unbanned")
    if not banning:
        order, other, what = UNBAN_ORDER, BAN_ORDER, _("not banned any more")
    with open_server(name, call.settings) as server:
        count = sum(one.left >= 0 for one in crawl_seen(server, PARTITIONS).workers)
        if not count:
            for site in sites:  # else the next worker would follow an older order
                if not is_followed(server, site, other):
                    give_order(server, site, order)
            return []
        for site in sites:
            give_order(server, site, order)
        until = time.monotonic() + HEARD_WITHIN
        while waits := [one for one in sites if not is_followed(server, one, order)]:
            if time.monotonic() >= until:
                break
            time.sleep(LOOK_AGAIN)
    who = counted(count, "worker")
    heard = ngettext(
        "{site}: {what}, and the {who} at work knows",
        "{site}: {what}, and the {who} at work know",
        count,
    )
    return [
        _(
            "{site}: said to the {who}; it is followed as soon as one of them has taken over the"
            " site"
        ).format(site=site, who=who)
        if site in waits
        else heard.format(site=site, what=what, who=who)
        for site in sites
    ]


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
    said = _("{name} {pages} pages, {relevant} relevant").format(
        name=name, pages=pages.pages, relevant=pages.relevant
    )
    if not pages.ban:
        return said
    until = pages.ban.until
    when = f"{datetime.fromtimestamp(until, UTC):%Y-%m-%d}" if until else _("it is unbanned")
    return _("{said}, banned by {why} until {when}").format(said=said, why=pages.ban.why, when=when)


def _evidence(ban: Ban) -> Iterator[str]:
    return (f"    {url}" for url in ban.evidence[:EVIDENCE_SHOWN])


# The patterns of addresses ---------------------------------------------------------------------


def patterns(call: Call, args: Sequence[str]) -> str:
    """List the address patterns learnt of sites (NAME [HOST…]), or --pin, --veto, --forget some."""
    loaded, opts = call.loaded(args[:1], secrets=False), call.options
    hosts = [site_named(host) for host in args[1:]]
    wishes = [*map(_pin, opts.pin), *map(_pattern, opts.veto), *map(_pattern, opts.forget)]
    if wishes and not hosts:
        raise UsageError(_("name the hosts, too: scrapy topic patterns NAME HOST… --veto PATTERN"))
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
        lines.append(_("and {number} more sites").format(number=len(sites) - SITES_SHOWN))
    return "\n".join(lines) or _("{name}: no pattern was learnt yet").format(
        name=loaded.template.name
    )


def _follow(known: UrlPatterns, site: str, opts: argparse.Namespace) -> Iterator[str]:
    for page_class, written in map(_pin, opts.pin):
        known.pin(site, written, page_class)
        yield _("{site}: {written} is {page_class}, whatever is learnt").format(
            site=site, written=written, page_class=page_class
        )
    for written in opts.veto:
        known.veto(site, written)
        yield _("{site}: {written} is never classed by what is learnt").format(
            site=site, written=written
        )
    for written in opts.forget:
        there = known.forget(site, written)
        yield f"{site}: {written} " + (
            _("forgotten") if there else _("was neither pinned nor vetoed")
        )


def _patterns_of(known: UrlPatterns, site: str) -> Iterator[str]:
    learnt = known.learnt(site)
    pins, vetoes = known.by_hand(site)
    if not (learnt or pins or vetoes):
        return
    asked, right = known.answers(site)
    yield _("{site:<40} {asked} links classed before they were fetched, {right} rightly").format(
        site=site, asked=asked, right=right
    )
    for one in learnt:
        later = (
            _(", since then {right} of {seen}").format(right=one.right, seen=one.seen)
            if one.seen
            else ""
        )
        support = _("{support} pages, {precision:.0%} right{later}").format(
            support=one.support, precision=one.precision, later=later
        )
        yield f"  {one.page_class:<15} {one.written}  ({support})"
    for written, page_class in pins.items():
        pinned = _("pinned")
        yield f"  {page_class:<15} {written}  ({pinned})"
    for written in vetoes:
        vetoed = padded(_("vetoed"), 15)
        yield f"  {vetoed} {written}"


def _pin(wish: str) -> tuple[PageClass, str]:
    name, _sign, written = wish.partition("=")
    if name not in PINNED or not written:
        allowed = ", ".join(PINNED)
        raise CannotDo(
            _(
                "--pin {wish}: write CLASS=PATTERN with a class of {allowed}, as in"
                " article=/news/*.html"
            ).format(wish=wish, allowed=allowed)
        )
    return PageClass(name), _pattern(written)


def _pattern(written: str) -> str:
    """Check an entry of the kind *match*; it is kept as it is written."""
    try:
        return check_match(written)
    except ValueError as error:
        raise CannotDo(f"{written}: {error}") from None
