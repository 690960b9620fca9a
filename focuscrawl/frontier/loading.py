"""What waits in a store taken into the lines of a frontier that starts."""

from __future__ import annotations

from focuscrawl.frontier.lines import Lines
from focuscrawl.frontier.order import Order
from focuscrawl.frontier.queue import order_of
from focuscrawl.frontier.sites import Site
from focuscrawl.store.protocol import Loaded
from focuscrawl.values import PROMISE_BITS, Lane

PROMISE_MASK = (1 << PROMISE_BITS) - 1


def load_lines(lines: Lines, loaded: Loaded, exploration: Order | None) -> list[Site]:
    """Take in what waits in a store, and return the store's sites in its order.

    They are not listed yet: ``schedule`` each when all is there.
    """
    sites = [lines.site(name) for name in loaded.sites]
    order = exploration
    for number, level, sequences in loaded.runs:
        sites[number].queue_of(lines.index(level)).extend(sequences)
    for number, folder, level, promises in loaded.folders:
        site = sites[number]
        if order:
            site.exploring += len(promises)
            order.extend(site.number, site.name, folder, promises)
        else:
            ascending = sorted(promise & PROMISE_MASK for promise in promises)
            site.queue_of(lines.index(level)).extend(ascending)
    for sequence, number, level, priority, lane in loaded.places:
        site = sites[number]
        if lane and order:
            site.exploring += 1
            order.add(sequence, site.number, site.name, *Lane.unpacked(lane))
        else:
            site.queue_of(lines.index(level)).push(order_of(sequence, priority))
    for site in sites:
        for index, queue in site.queues.items():
            site.waiting += len(queue)
            lines.lengths[index] += len(queue)
    return sites
