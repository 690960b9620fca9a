"""``scrapy topic sites|ban|unban``: what exploration knows of sites, and a person's word on it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from math import isinf
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from focuscrawl.commands.crawl_file import CrawlFile, crawl_file, site_named
from focuscrawl.explore.ledger import PART, Ban, BanRules, Counts, Ledger, SiteRecord
from focuscrawl.topic.load import Loaded

if TYPE_CHECKING:
    from focuscrawl.commands.topic import Command

SITES_SHOWN = 200
EVIDENCE_SHOWN = 3


def sites(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """List the sites exploration has judged, worst first, with bans and what speaks for them."""
    loaded = command.loaded(args[:1], opts, secrets=False)
    with _ledger(command, loaded) as (ledger, _):
        records = sorted(ledger.records(), key=lambda entry: (-_banned(entry[1]), entry[0]))
    if not records:
        return f"{loaded.template.name}: no site was judged yet; known sources are not"
    lines = [line for site, record in records[:SITES_SHOWN] for line in _site(site, record)]
    if len(records) > SITES_SHOWN:
        lines.append(f"and {len(records) - SITES_SHOWN} more")
    return "\n".join(lines)


def ban(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """Ban sites (NAME HOST…) until they are unbanned: nothing of them is fetched."""
    return _change(command, args, opts, banning=True)


def unban(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """Lift the bans of sites (NAME HOST…); they have their whole patience again."""
    return _change(command, args, opts, banning=False)


def _change(
    command: Command, args: Sequence[str], opts: argparse.Namespace, *, banning: bool
) -> str:
    if len(args) < 2:
        raise UsageError("name the topic and the hosts: scrapy topic ban NAME HOST…")
    loaded = command.loaded(args[:1], opts, secrets=False)
    lines = []
    with _ledger(command, loaded) as (ledger, crawl):
        for site in map(site_named, args[1:]):
            if banning:
                ledger.ban(site)
                lines.append(f"{site}: banned until it is unbanned")
            elif ledger.lift(site):
                lines.append(f"{site}: no longer banned")
            else:
                lines.append(f"{site}: was not banned")
        crawl.write(PART, ledger.changed())
    return "\n".join(lines)


@contextmanager
def _ledger(command: Command, loaded: Loaded) -> Iterator[tuple[Ledger, CrawlFile]]:
    """Open the topic's crawl and read what exploration knows."""
    with crawl_file(command, loaded) as crawl:
        ledger = Ledger(BanRules())
        ledger.load(crawl.records)
        yield ledger, crawl


def _banned(record: SiteRecord) -> int:
    return int(record.has_bans)


def _site(site: str, record: SiteRecord) -> Iterator[str]:
    whole = record.whole
    yield f"{site:<40} {whole.pages} pages, {whole.relevant} relevant{_ban(whole.ban)}"
    for folder in record.folders.values():
        if folder.ban is not None:
            yield from _folder(folder)
    if whole.ban is not None:
        yield from _evidence(whole.ban)


def _folder(folder: Counts) -> Iterator[str]:
    name = folder.name or "/"
    yield f"  {name:<38} {folder.pages} pages, {folder.relevant} relevant{_ban(folder.ban)}"
    if folder.ban is not None:
        yield from _evidence(folder.ban)


def _evidence(ban: Ban) -> Iterator[str]:
    for url in ban.evidence[:EVIDENCE_SHOWN]:
        yield f"    {url}"


def _ban(ban: Ban | None) -> str:
    if ban is None:
        return ""
    if isinf(ban.until):
        return f", banned by {ban.why} until it is unbanned"
    return f", banned by {ban.why} until {datetime.fromtimestamp(ban.until, UTC):%Y-%m-%d}"
