"""What is on offer: whatever happens, the lazily kept orders name the site a plain search would."""

import math
import random

import pytest

from focuscrawl.features.explore.groups import code_of, score_in
from focuscrawl.features.explore.ledger import BanRules, Ledger
from focuscrawl.features.explore.offers import (
    BY_FOLDER,
    BY_LINK,
    BY_NEAR,
    BY_SITE,
    OfferingSite,
    Offers,
)

ORDERS = (BY_LINK, BY_FOLDER, BY_SITE, BY_NEAR)
SITES, FOLDERS, QUOTA = 6, 6, 4


KEY_OF = {BY_LINK: 0, BY_FOLDER: 1, BY_NEAR: 2}


class Plain:
    """Offers with what is told about them, and the same question answered by looking at all."""

    def __init__(self, luck: random.Random) -> None:
        self.luck = luck
        self.ledger = Ledger(BanRules())
        self.offers = Offers(ORDERS, QUOTA, self.ledger)
        self.sequence = 0

    def add(self) -> None:
        site, folder = self.luck.randrange(SITES), self.luck.randrange(FOLDERS)
        group = self.offers.group(site, f"s{site}", folder)
        self.sequence += 1
        score, step = self.luck.choice((0, 0, 300, 900)), self.luck.randrange(12)
        self.offers.push(group, code_of(self.sequence, score, step))

    def take(self) -> None:
        group = self.offers.first(self.luck.choice(ORDERS), lambda site: True)
        if group is not None:
            self.offers.take(group)
            site = self.offers.site_of(group)
            url = f"http://{site.name}/f{self.offers.groups.folders[group]}/"
            self.ledger.judged(url, site.name, self.luck.random() < 0.2, 0.0)
            self.offers.judged(group)

    def turn(self) -> None:
        """Ban a group, or lift its ban."""
        groups = [group for site in self.offers.sites() for group in site.groups.values()]
        if groups:
            group = self.luck.choice(groups)
            blocked = self.offers.groups.blocked[group]
            (self.offers.unblock if blocked else self.offers.block)(group)

    def wake(self) -> None:
        self.offers.wake(self.luck.randrange(SITES))

    def best(self, order: int) -> float | None:
        """Return the value of what an order should offer first, by looking at everything."""
        values = []
        for site in self.offers.sites():
            groups = self.offers.groups
            ranked = [(groups.keys(group), group) for group in site.groups.values()]
            offering = [(*keys, group) for keys, group in ranked if keys is not None]
            if site.asleep or not offering:
                continue
            *best, first = min(offering)
            full = site.open > QUOTA and not site.relevant and len(site.groups) > QUOTA
            if order == BY_SITE:
                values.append(-self._worth(site, groups.top(first)))
            elif order == BY_LINK or full:
                values.append(float(best[KEY_OF[order]]))
            else:
                values.append(float(min(keys[KEY_OF[order]] for keys in offering)))
        return min(values, default=None)

    def offered(self, order: int) -> float | None:
        """Return the same value of what is offered."""
        group = self.offers.first(order, lambda site: True)
        if group is None:
            return None
        groups, site = self.offers.groups, self.offers.site_of(group)
        if order == BY_SITE:
            return -self._worth(site, groups.top(group))
        return float((groups.keys(group) or (0, 0, 0))[KEY_OF[order]])

    def _worth(self, site: OfferingSite, code: int) -> float:
        known = site.pages + 1
        success = 0.7 * (site.relevant + 0.3) / known
        return round(success + 0.3 * score_in(code) / 1023 + 0.3 / math.sqrt(known), 5)


@pytest.mark.parametrize("seed", range(12))
def test_each_order_offers_what_a_search_through_everything_finds(seed: int) -> None:
    luck = random.Random(seed)
    plain = Plain(luck)
    for _ in range(250):
        luck.choice((plain.add, plain.add, plain.add, plain.take, plain.wake, plain.turn))()
        for order in ORDERS if luck.random() < 0.7 else ():
            best, offered = plain.best(order), plain.offered(order)
            assert offered == (best if best is None else pytest.approx(best, abs=2e-5))


def test_urls_are_counted_where_they_are() -> None:
    offers = Offers(ORDERS, 2, Ledger(BanRules()))
    group = offers.group(0, "s0", 7)
    offers.extend(group, sorted(code_of(sequence, 0, 0) for sequence in range(5)))
    assert (offers.open, offers.blocked, offers.behind()) == (5, 0, 3)
    offers.block(group)
    offers.push(group, code_of(9, 0, 0))
    assert (offers.open, offers.blocked, offers.behind()) == (0, 6, 0)
    offers.unblock(group)
    offers.take(group)
    assert (offers.open, offers.blocked, offers.behind()) == (5, 0, 3)
    assert offers.first(BY_LINK, lambda site: True) is None  # busy until woken
    offers.wake(0)
    assert offers.first(BY_LINK, lambda site: False) is None
    assert offers.first(BY_LINK, lambda site: True) is None  # nobody said that it is ready now
    offers.wake(0)
    assert offers.first(BY_LINK, lambda site: True) == group


@pytest.mark.parametrize("order", ORDERS)
def test_a_site_that_is_busy_comes_when_no_other_is_ready(order: int) -> None:
    offers = Offers(ORDERS, 100, Ledger(BanRules()))
    better, other = offers.group(0, "s0", 7), offers.group(1, "s1", 7)
    for sequence in range(3):
        offers.push(better, code_of(sequence, 900, 0))
        offers.push(other, code_of(10 + sequence, 100, 0))
    assert offers.first(order, lambda site: True) == better
    offers.take(better)
    offers.wake(0, busy=True)  # it takes two at once
    assert offers.first(order, lambda site: True) == other
    offers.take(other)
    assert offers.first(order, lambda site: True) == better, "nothing else can be asked"
    offers.take(better)
    offers.wake(0, busy=True)
    offers.wake(0)  # its page has come
    offers.wake(1)
    assert offers.first(order, lambda site: True) == better
