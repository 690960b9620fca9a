"""``scrapy topic forget``: delete what is stored of addresses, a site, or all that is old."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime, tzinfo
from typing import NamedTuple

from scrapy.exceptions import UsageError
from sqlalchemy import Connection

from focuscrawl.links.admission_rules import AdmissionRules
from focuscrawl.results.database import results_to_read
from focuscrawl.results.forgetting import (
    addresses_not_seen_since,
    addresses_of_site,
    addresses_without_page,
    count_rows,
    delete_addresses,
    with_further_pages,
)
from focuscrawl.results.kinds.pages import pages_by_key
from focuscrawl.store.protocol import StoreError
from focuscrawl.store.sqlite import SQLiteStore
from focuscrawl.store.sqlite_file import open_read_only
from focuscrawl.store.sqlite_forgetting import Held, held_of
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.data import Places, places_of, queue_again, results_to_write, site_named


class Wish(NamedTuple):
    """What is to be forgotten; ``words`` say it for people, ``numbers`` are those of ``keys`` in the
    seen set.
    """

    words: str
    keys: tuple[str, ...] = ()
    site: str = ""
    before: float = 0.0
    numbers: tuple[int, ...] = ()


def forget_pages(call: Call, args: Sequence[str]) -> str:
    """Delete what is stored of --url, --site or --before (NAME …); a dry run without --yes."""
    loaded, opts = call.loaded(args, secrets=False), call.options
    places = places_of(call, loaded, results=True)
    wish = _wish(loaded, opts, places.config.clock.wall())
    try:
        return _done(places, wish, opts) if opts.yes else _said(places, wish, opts)
    except StoreError as error:
        raise CannotDo(str(error)) from None


def _wish(loaded: LoadedTemplate, opts: argparse.Namespace, now: float) -> Wish:
    if sum(map(bool, (opts.url, opts.site, opts.before))) != 1:
        raise UsageError("say what: one of --url URL, --site HOST, --before DATE")
    if opts.before:
        moment = _moment(opts.before, loaded.template.topic.timezone)
        return Wish(
            f"what was last seen before {moment:%Y-%m-%d %H:%M %Z}", before=moment.timestamp()
        )
    rules = AdmissionRules.from_template(loaded.template, now)
    if opts.site:
        site = site_named(opts.site)
        return Wish(f"all of {site}", site=site)
    addresses = []
    for url in opts.url:
        address = rules.canonicalizer.address(url)
        if address is None:
            raise CannotDo(f"{url!r} is no address; write it as in http://www.example.com/a.html")
        addresses.append(address)
    keys = tuple(address.key.hex() for address in addresses)
    return Wish(", ".join(opts.url), keys, numbers=tuple(one.number for one in addresses))


def _moment(text: str, zone: tzinfo) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CannotDo(f"--before {text}: write a date, as in 2026-11-20") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


# Looking and doing ------------------------------------------------------------------------------


def _keys(connection: Connection, places: Places, wish: Wish) -> list[str]:
    """Return all addresses (hex) that the results know of a wish."""
    kinds, topic = places.kinds, places.name
    if wish.site:
        return addresses_of_site(connection, kinds, topic, wish.site)
    if wish.keys:
        return with_further_pages(connection, topic, wish.keys)
    found: dict[str, None] = {}
    for choose in (addresses_not_seen_since, addresses_without_page):
        after, is_over = "", False
        while not is_over:
            keys, after = choose(connection, kinds, topic, wish.before, after)
            found |= dict.fromkeys(keys)
            is_over = not after
    return list(found)


def _said(places: Places, wish: Wish, opts: argparse.Namespace) -> str:
    with results_to_read(places.results) as connection:
        keys = _keys(connection, places, wish)
        counts = count_rows(connection, places.kinds, places.name, keys)
    with closing(open_read_only(places.crawl)) as database:
        held = held_of(database, _as_bytes(keys), wish.site)
    lines = _lines(places, wish, counts, held, opts, done=False)
    return "\n".join([*lines, "Nothing was changed: add --yes to do it."])


def _done(places: Places, wish: Wish, opts: argparse.Namespace) -> str:
    """Forget, with the crawl held still: its file first, so that nothing is lost between the two.

    Cut off in between, the results are still there and it can be done again.
    """
    store = SQLiteStore(places.crawl)
    store.own()
    try:
        with results_to_write(places) as connection:
            keys = _keys(connection, places, wish)
            pages = pages_by_key(connection, places.name, keys) if opts.again else []
            held = store.forget(_as_bytes(keys), wish.site, wish.numbers, again=opts.again)
            asyncio.run(queue_again(store, pages))
            counts = delete_addresses(connection, places.kinds, places.name, keys, retell=True)
    finally:
        store.release()
    return "\n".join(_lines(places, wish, counts, held, opts, done=True))


def _as_bytes(keys: Sequence[str]) -> set[bytes]:
    return {bytes.fromhex(key) for key in keys if len(key) == 32}


def _lines(
    places: Places, wish: Wish, counts: Counter[str], held: Held, opts: argparse.Namespace, *, done: bool,
) -> Iterator[str]:  # fmt: skip
    """Say what was done, or would be."""
    rows = ", ".join(f"{count:,} {table}" for table, count in sorted(counts.items())) or "nothing"
    yield f"{places.name}: {wish.words}"
    yield f"  {'deleted' if done else 'to delete'} in the results: {rows}"
    waiting = f"{len(held.waiting):,} URLs that wait are taken out"
    yield f"  in the crawl: {waiting}, {len(held.keys):,} addresses leave its memory"
    if opts.again:
        yield "  pages that had been fetched wait to be fetched anew, others until a link leads to them"
        return
    yield "  these addresses are never fetched again (with --again they would be)"
    if wish.site:
        yield f"  new pages of it are still found: scrapy topic ban {places.name} {wish.site}"
