"""The default order: one set of waiting URLs, four orders over it, and a bandit that chooses.

The best URL of the best folder where near ones are preferred; best-first; the best URL of the best
folder; the best URL of the best site (see offers). Each pick follows the first, unless another is
tried or its last picks gave measurably more relevant pages (Arms). Nothing is dropped: links
beyond so many irrelevant pages are parked until the crawl runs dry or its harvest falls, and a
banned folder keeps its URLs and is tried again now and then (see groups).

All orders draw from one set of URLs, so that what one of them finds the others fetch, too: in a good
stretch all pay alike, in a drought none pays. What tells them apart in the end, where they look next,
hardly shows in what they pay, and who draws among equals follows none of them to the end of
anything. So one order leads, each other is tried now and then, and takes over while its lead is
more than chance (decision 0049).
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from focuscrawl.features.explore.groups import (
    LATE_FIRST,
    RATHER_NEAR,
    Chances,
    code_of,
    codes_of,
    pop,
    push,
    sequence_in,
    step_in,
)
from focuscrawl.features.explore.ledger import BY_HAND, Ledger
from focuscrawl.features.explore.offers import BY_FOLDER, BY_LINK, BY_NEAR, BY_SITE, Offers

# .995 did as well in simulated crawls of seven kinds and seven topics of an archive.
DISCOUNT = 0.998
"""What every page judged so far counts after one more was judged, whichever arm chose it: the last five
hundred decide, and what an order gave in better times does not stand for it in a drought."""

# .1 cost up to 8 % of the area under recall there, where a page has a folder of its own.
RANDOM_SHARE = 0.05
"""Share of draws in which every arm has the same chance."""

# 1 cost a sixth where a page has a folder of its own.
CLEAR_LEAD = 2.0
"""By how many standard deviations of their difference another arm must have paid more to lead."""


class Arms:
    """Arms with the discounted numbers of their relevant and irrelevant pages; number 0 leads.

    ``random`` is the only source of chance, so a seeded one makes a crawl repeatable.
    """

    def __init__(self, count: int, random: Random) -> None:
        self._random = random
        self._seen = [[0.0, 0.0] for _ in range(count)]

    def draw(self) -> int:
        """Return the number of the arm to follow now."""
        if len(self._seen) == 1:
            return 0
        if self._random.random() < RANDOM_SHARE:
            return self._random.randrange(len(self._seen))
        (mean, variance), *others = map(_share, self._seen)
        best, most = 0, CLEAR_LEAD
        for arm, (its_mean, its_variance) in enumerate(others, 1):
            lead = (its_mean - mean) / (its_variance + variance) ** 0.5
            if lead > most:
                best, most = arm, lead
        return best

    def judged(self, arm: int, relevant: bool) -> None:
        """Count a page that this arm chose."""
        for seen in self._seen:
            seen[0] *= DISCOUNT
            seen[1] *= DISCOUNT
        self._seen[arm][0 if relevant else 1] += 1.0

    def to_json(self) -> list[list[float]]:
        """Return the counts as plain JSON."""
        return [[round(count, 4) for count in pair] for pair in self._seen]

    def restore(self, counts: Sequence[Sequence[float]]) -> None:
        """Take the counts of an earlier run; those of another number of arms are ignored."""
        if len(counts) == len(self._seen):
            self._seen = [[float(relevant), float(other)] for relevant, other in counts]


def _share(seen: Sequence[float]) -> tuple[float, float]:
    """Return mean and variance of the share of relevant pages (Beta, all shares alike before)."""
    relevant, irrelevant = seen[0] + 1.0, seen[1] + 1.0
    pages = relevant + irrelevant
    return relevant / pages, relevant * irrelevant / (pages * pages * (pages + 1.0))


PROBE = -1
"""The arm of a URL that was taken to try out a banned folder: no arm chose it."""

TOTALS = "totals"
"""What was judged and found relevant in all, in the facts of the order."""

FIRST_ORDERS = (BY_LINK, BY_FOLDER, BY_SITE)
"""Those whose counts stand in files that do not name the orders."""

RECENT, POOR = 300, 0.25
"""Parked links come back when of so many latest pages less than this share of the crawl's own harvest
was relevant: where one page in ten is, seven of 300 instead of the 30 to be expected."""

RELEASED_TOGETHER = 2_000
"""So many parked links come back at once, the best first; the next when these have been judged."""


@dataclass(frozen=True, slots=True)
class PortfolioRules:
    """``steps`` (K) and ``quota`` (R) as in the template; of the ``orders`` the first leads.

    ``trust`` is what folders are trusted with by their distance from relevant pages where links of
    one score are ranked, ``ties`` how those come that are equal in this, too (see groups).
    """

    # From 10 up nothing is gained, whether links are dropped or parked; with parking a K of 3 costs 7 %
    # of the area under recall, without it two thirds (simulated crawls).
    steps: int = 10
    quota: int = 15
    orders: tuple[int, ...] = (BY_NEAR, BY_LINK, BY_FOLDER, BY_SITE)
    trust: tuple[float, ...] = RATHER_NEAR
    ties: tuple[int, ...] = LATE_FIRST


class Portfolio:
    """Four orders over one set of URLs (method E, default form).

    An order in the sense of ``frontier.lines.Order``. ``arms`` has as many arms as the rules have
    orders. Sites are named by the frontier's numbers, folders by ``urls.sites.folder_number``.
    """

    def __init__(self, rules: PortfolioRules, ledger: Ledger, arms: Arms) -> None:
        self.rules = rules
        self.ledger = ledger
        self.arms = arms
        self._steps = rules.steps
        self._offers = Offers(rules.orders, rules.quota, ledger, rules.trust)
        self._groups = self._offers.groups
        self._parked = ParkedLinks()
        self._chances = Chances()
        self._probes = self._chances.probes
        self._flights: dict[int, tuple[int, int, int]] = {}
        self._recent: deque[bool] = deque(maxlen=RECENT)
        self._elsewhere = 0
        self._judged_since_release = 0

    # Adding -------------------------------------------------------------------------------------

    def refuses(self, url: str, site: str, step: int, wall: float) -> str | None:
        """Return why a link is not to wait at all: only sites named by hand are refused."""
        return f"ban:{BY_HAND}" if self.ledger.is_named(site) else None

    def add(self, sequence: int, site: int, name: str, folder: int, score: int, step: int) -> None:
        """Let a URL wait; it is parked when its ``step`` lies beyond the rules'."""
        group = self._offers.group(site, name, folder)
        code = code_of(sequence, score, step, self.rules.ties)
        if step > self._steps:
            self._parked.add(group, code)
        elif not self._offers.push(group, code):
            self._unblock_if_promising(group)

    def extend(self, site: int, name: str, folder: int, promises: list[int]) -> None:
        """Let many URLs of one folder wait (``values.Lane.promise`` of each)."""
        group = self._offers.group(site, name, folder)
        codes = codes_of(promises, self.rules.ties)
        parked = [code for code in codes if step_in(code) > self._steps]
        if parked:
            self._parked.extend(group, parked)
            codes = [code for code in codes if step_in(code) <= self._steps]
        self._offers.extend(group, codes)

    def _unblock_if_promising(self, group: int) -> None:
        if self._chances.is_promising(group, self._groups.top(group)):
            self._unblock(group)

    # Taking -------------------------------------------------------------------------------------

    def pick(self, is_ready: Callable[[int], bool], wall: float) -> tuple[int, int] | None:
        """Take the next URL among the sites that are ready: (sequence, site), or None.

        Folders that were banned meanwhile are found out here.
        """
        self._release_when_poor()
        arm = self.arms.draw()
        group = self._offered(self.rules.orders[arm], is_ready, wall)
        if group is None:
            return None
        probe = self._probes.due(lambda group: self._may_probe(group, is_ready))
        if probe is not None:
            self._unblock_if_free(probe, wall)  # bans end
            group, arm = probe, PROBE
        else:
            self._probes.picked()
        code = self._offers.take(group)
        sequence = sequence_in(code, self.rules.ties)
        self._chances.taken(group, sequence, code)
        self._flights[sequence] = (arm, group, step_in(code))
        return sequence, self._groups.sites[group]

    def is_over_quota(self, sequence: int) -> bool:
        """Whether a URL that was picked is one too many: R others of its unknown site are in flight (E4).

        What waits beyond R is not offered; so many at once are asked for where a site takes many requests at
        a time, or its quota was lowered.
        """
        flight = self._flights.get(sequence)
        if flight is None or self._offers.site_of(flight[1]).is_known:
            return False
        site, sites = self._groups.sites[flight[1]], self._groups.sites
        return (
            sum(sites[group] == site for _, group, _ in self._flights.values()) > self.rules.quota
        )

    def waits(self, is_ready: Callable[[int], bool], wall: float) -> bool:
        """Whether ``pick`` would return a URL."""
        return self._offered(self.rules.orders[0], is_ready, wall) is not None

    def _offered(self, order: int, is_ready: Callable[[int], bool], wall: float) -> int | None:
        """Return the group to take from, blocking those on the way that were banned."""
        while True:
            group = self._offers.first(order, is_ready)
            if group is None:
                if not self._release_when_dry():
                    return None
            elif not self._block_if_banned(group, wall):
                return group

    def wake(self, site: int, *, busy: bool = False) -> None:
        """Let a site be asked again; one that is ``busy`` only when no other can be."""
        self._offers.wake(site, busy=busy)

    def leave(self, site: int) -> None:
        """Let go of all that waits of a site."""
        for group in self._offers.leave(site):
            self._parked.leave(group)
            self._probes.unblock(group)

    # Parking ------------------------------------------------------------------------------------

    def _release_when_poor(self) -> None:
        """Let parked links wait when the recent harvest is under a quarter of the crawl's."""
        if self._judged_since_release < RECENT or not self._parked:
            return
        if sum(self._recent) < POOR * self.ledger.rate * RECENT:
            self._release()

    def _release_when_dry(self) -> bool:
        """Let parked links wait when nothing else does, then folders whose ban was relative.

        True when there were any. A folder that gave next to nothing stays banned even then, but
        the rest of a small one is read.
        """
        if self.offered or self._elsewhere:
            return False
        if self._parked:
            self._release()
            return True
        groups = self._groups
        for group in self._probes.groups():
            name = self._offers.site_of(group).name
            if groups.length(group) and self.ledger.give_back(name, groups.folders[group]):
                self._unblock(group)
        if not self._offers.open:
            for group in self._probes.groups():
                if self._chances.finishes(group, groups.length(group)):
                    self._unblock(group)
        return self._offers.open > 0

    @property
    def offered(self) -> int:
        """How many URLs wait that may be taken, or are in flight."""
        return self._offers.open + len(self._flights)

    def hear(self, offered: int) -> None:
        """Set how many URLs wait elsewhere, where several processes crawl: as long as there are some,
        nothing is let go for want of others."""
        self._elsewhere = offered

    @property
    def is_held_back(self) -> bool:
        """Whether there is nothing to take but what waits until there is nothing elsewhere, either."""
        return bool(self._elsewhere and not self.offered and (self._parked or self._offers.blocked))

    def _release(self) -> None:
        self._judged_since_release = 0
        for group, code in self._parked.release(RELEASED_TOGETHER):
            if not self._offers.push(group, code):
                self._unblock_if_promising(group)

    # Bans ---------------------------------------------------------------------------------------

    def _block_if_banned(self, group: int, wall: float) -> bool:
        groups = self._groups
        name = self._offers.site_of(group).name
        ban = self.ledger.ban_of(name, groups.folders[group], wall)
        if ban is None:
            return False
        if ban.why != BY_HAND:
            if self._chances.has(group, groups.top(group)):
                return False
            self._probes.block(group)
        self._offers.block(group)
        return True

    def _may_probe(self, group: int, is_ready: Callable[[int], bool]) -> bool:
        return self._groups.length(group) > 0 and is_ready(self._groups.sites[group])

    def unblock(self, name: str, wall: float) -> None:
        """Look again at the banned folders of a site, after its ban was lifted or has ended."""
        for site in self._offers.sites():
            if site.name == name:
                for group in site.groups.values():
                    self._unblock_if_free(group, wall)

    def _unblock_if_free(self, group: int, wall: float) -> None:
        if not self._groups.blocked[group]:
            return
        name = self._offers.site_of(group).name
        if self.ledger.ban_of(name, self._groups.folders[group], wall) is None:
            self._unblock(group)

    def _unblock(self, group: int) -> None:
        self._probes.unblock(group)
        self._offers.unblock(group)

    # What became of a URL -----------------------------------------------------------------------

    def judged(self, sequence: int, url: str, relevant: bool, wall: float) -> None:
        """Hear whether a page that was picked here is relevant; ``url`` as it was queued.

        Counts it in the ledger too. To be called once, before the URL's end.
        """
        flight = self._flights.pop(sequence, None)
        if flight is None:
            return
        arm, group, step = flight
        name, folder = self._offers.site_of(group).name, self._groups.folders[group]
        self.ledger.judged(url, name, relevant, wall, step, folder)
        self._offers.judged(group)
        self._chances.judged(group, sequence, relevant)
        if arm == PROBE:
            self._probes.judged(group, relevant)
            self._unblock_if_free(group, wall)
            return
        self.arms.judged(arm, relevant)
        self._recent.append(relevant)
        self._judged_since_release += 1

    def ended(self, sequence: int) -> None:
        """End the flight of a picked URL; a probe that was not judged counts as failed."""
        flight = self._flights.pop(sequence, None)
        self._chances.ended(sequence)
        if flight is not None and flight[0] == PROBE:
            self._probes.judged(flight[1], False)

    # Looking and keeping ------------------------------------------------------------------------

    def counts(self) -> tuple[int, int]:
        """Return how many URLs wait, and how many are parked: beyond steps or quota, or banned."""
        offers, behind = self._offers, self._offers.behind()
        return offers.open - behind, len(self._parked) + offers.blocked + behind

    def facts(self) -> dict[str, Any]:
        """Return what survives a restart beside the URLs and the ledger's records (JSON)."""
        return {
            "arms": self.arms.to_json(),
            "orders": [*self.rules.orders],
            "recent": [int(relevant) for relevant in self._recent],
            TOTALS: [self.ledger.pages, self.ledger.relevant],
        }

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Take the facts of an earlier run, after the ledger was loaded."""
        seen = dict(zip(facts.get("orders", FIRST_ORDERS), facts.get("arms", ()), strict=False))
        self.arms.restore([seen.get(order, (0.0, 0.0)) for order in self.rules.orders])
        self._recent.extend(bool(relevant) for relevant in facts.get("recent", ()))
        if TOTALS in facts and not self.ledger.pages_elsewhere:
            pages, relevant = facts[TOTALS]
            self.ledger.pages, self.ledger.relevant = int(pages), int(relevant)


class ParkedLinks:
    """Codes of parked links, by group."""

    def __init__(self) -> None:
        self._codes: dict[int, array[int]] = {}
        self._count = 0

    def __len__(self) -> int:
        """Return how many links are parked."""
        return self._count

    def add(self, group: int, code: int) -> None:
        """Park a link."""
        codes = self._codes.get(group)
        if codes is None:
            codes = self._codes[group] = array("q")
        push(codes, code)
        self._count += 1

    def extend(self, group: int, codes: list[int]) -> None:
        """Park links of one group that are sorted, as a heap is."""
        if group in self._codes:
            for code in codes:
                self.add(group, code)
            return
        self._codes[group] = array("q", codes)
        self._count += len(codes)

    def leave(self, group: int) -> None:
        """Let go of the links of a group."""
        self._count -= len(self._codes.pop(group, ()))

    def release(self, most: int) -> Iterator[tuple[int, int]]:
        """Give back the groups with the best links, until ``most`` links have come (group, code)."""
        for group in sorted(self._codes, key=lambda group: self._codes[group][0]):
            codes = self._codes[group]
            while codes and most > 0:
                most -= 1
                self._count -= 1
                yield group, pop(codes)
            if not codes:
                del self._codes[group]
            if most <= 0:
                return
