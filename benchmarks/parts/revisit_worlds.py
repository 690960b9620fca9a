"""Made-up pages that change, to try revisit policies on, and how well the copies of them were kept.

A world lasts 60 days in periods of half an hour; visits fall on the beginning of a period. Of its
pages 70 % are known on the first day, the others appear until nine tenths of the time are over.
40 sites have pages by Zipf's law. Rates are changes a second:

- *poisson*: constant rates, log-normal with a part common to the site (mean 0.64 changes a day,
  median 0.06); 15 % of the pages never change.
- *shift*: the same, but at half time 40 % of the pages draw a new rate.
- *restless*: as poisson, but 30 % of the pages have changed at every visit (four changes an hour or
  more); what counts are the other pages, which can be kept.
- *mixed*: boards with days and nights, news whose edits die down, threads with bursts, company
  pages, static pages, and 2 % that change four times an hour; 5 % are deleted at some time.

``known_rates`` are what an oracle is told: the true ones, but of threads their mean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

PAGES, SITES, DAYS = 2_000, 40, 60
PERIOD = 1_800.0
DAY = 86_400.0
PERIODS = round(DAYS * DAY / PERIOD)
NOT_SCORED = round(10 * DAY / PERIOD)
SITE_CAP = 16
WORLDS = ("poisson", "mixed", "shift")
RESTLESS, RESTLESS_SHARE = "restless", 0.3


@dataclass(frozen=True, slots=True)
class World:
    """Pages and what happens to them; times are numbers of periods.

    ``appears`` and ``dies`` are by page. ``counts[p, i]`` are the changes of page i during period
    p, ``changes[p, i]`` those before it, ``first`` when in the period the first falls (0 to 1).
    ``event_page``, ``event_at`` are all changes, in order of time. ``counted`` are the pages whose
    copies are scored.
    """

    name: str
    site: Ints
    appears: Ints
    dies: Ints
    known_rates: Floats
    counts: Ints
    changes: Ints
    first: Floats
    event_page: Ints
    event_at: Floats
    counted: Flags


def make_world(name: str, seed: int, pages: int = PAGES) -> World:
    """Return a world; the same for the same arguments."""
    luck = np.random.default_rng([seed, (*WORLDS, RESTLESS).index(name)])
    share = 1 / np.arange(1, SITES + 1)
    site = luck.choice(SITES, pages, p=share / share.sum())
    appears = luck.integers(0, round(DAY / PERIOD), pages)
    late = luck.random(pages) < 0.3
    appears[late] = luck.integers(0, round(PERIODS * 0.9), late.sum())
    dies = np.full(pages, PERIODS + 1)
    if name == "mixed":
        rates, known = mixed_rates(luck, site, appears)
        deleted = luck.random(pages) < 0.05
        dies[deleted] = luck.integers(appears[deleted] + 1, PERIODS + 1)
    else:
        rates = known = steady_rates(luck, site, shift=name == "shift")
    world = happen(name, luck, site, appears, dies, rates, known)
    return with_restless(luck, world) if name == RESTLESS else world


def with_restless(luck: np.random.Generator, world: World) -> World:
    """Let some pages change in every period, and count only the others."""
    restless = luck.random(len(world.site)) < RESTLESS_SHARE
    rates = np.where(restless, 96 / DAY, world.known_rates)
    made = happen(world.name, luck, world.site, world.appears, world.dies, rates, rates, restless)
    return replace(made, counted=~restless)


def happen(
    name: str,
    luck: np.random.Generator,
    site: Ints,
    appears: Ints,
    dies: Ints,
    rates: Floats,
    known: Floats,
    always: Flags | None = None,
) -> World:
    """Draw the changes of a world; pages that ``always`` change do so once a period at least."""
    counts = luck.poisson(rates * PERIOD)
    if always is not None:
        counts[:, always] = np.maximum(counts[:, always], 1)
    counts[np.arange(PERIODS)[:, None] < appears] = 0
    counts[np.arange(PERIODS)[:, None] >= dies] = 0
    period, page = np.nonzero(counts)
    times = counts[period, page]
    period, page = np.repeat(period, times), np.repeat(page, times)
    at = period + luck.random(len(period))
    order = np.argsort(at, kind="stable")
    first = np.ones(counts.shape)
    np.minimum.at(first, (period, page), at - period)
    changes = np.vstack([np.zeros((1, len(site)), np.int64), counts.cumsum(axis=0)])
    return World(
        *(name, site, appears, dies, known, counts, changes, first),
        event_page=page[order],
        event_at=at[order],
        counted=np.ones(len(site), bool),
    )


def steady_rates(luck: np.random.Generator, site: Ints, *, shift: bool) -> Floats:
    """Return constant rates, by period and page."""
    of_site = luck.normal(0, 1.4, SITES)

    def draw() -> Floats:
        found = np.exp(-2.35 + of_site[site] + luck.normal(0, 1.47, len(site))) / DAY
        found[luck.random(len(site)) < 0.15] = 0
        return np.minimum(found, 96 / DAY)

    before = draw()
    after = np.where(luck.random(len(site)) < 0.4, draw(), before) if shift else before
    late = np.arange(PERIODS)[:, None] >= PERIODS // 2
    return np.where(late, after, before)


def mixed_rates(luck: np.random.Generator, site: Ints, appears: Ints) -> tuple[Floats, Floats]:
    """Return the rates of a world of many kinds, and what an oracle is told of them."""
    kinds = ("board", "news", "thread", "company", "static", "noisy")
    kind = luck.choice(len(kinds), len(site), p=(0.08, 0.35, 0.22, 0.25, 0.08, 0.02))
    at = np.arange(PERIODS)[:, None]
    age = np.maximum(at - appears, 0) * PERIOD / DAY
    spread = np.exp(luck.normal(0, 1, len(site)) + luck.normal(0, 0.7, SITES)[site])
    hour = (at * PERIOD / 3600) % 24
    daylight = 1 + 0.9 * np.sin((hour - 7) / 24 * 2 * np.pi)
    bursts = burst_rates(luck, np.flatnonzero(kind == 2), len(site))
    usual = np.full_like(bursts, 1) * bursts.mean(axis=0)
    rates = np.select(
        [kind == number for number in range(len(kinds))],
        [
            4 * spread * daylight,
            3 * spread * np.exp(-age / 1.5) + 0.005,
            0.02 + bursts,
            np.broadcast_to(0.01 * spread, age.shape),
            np.zeros_like(age),
            np.full_like(age, 96),
        ],
    )
    known = np.where(kind == 2, 0.02 + usual, rates)
    return np.minimum(rates, 96) / DAY, np.minimum(known, 96) / DAY


def burst_rates(luck: np.random.Generator, threads: Ints, pages: int) -> Floats:
    """Return the rates of threads that wake up every ten days or so, a day changes a page.

    A burst begins with about a change an hour and dies down within a day.
    """
    rates = np.zeros((PERIODS, pages))
    fading = np.exp(-np.arange(round(4 * DAY / PERIOD)) * PERIOD / DAY)
    for thread in threads:
        for _ in range(luck.poisson(DAYS / 10)):
            start = int(luck.integers(0, PERIODS))
            end = min(PERIODS, start + len(fading))
            rates[start:end, thread] += luck.exponential(24) * fading[: end - start]
    return rates


def first_visits(world: World) -> list[Ints]:
    """Return the pages that appear in each period."""
    order = np.argsort(world.appears, kind="stable")
    bounds = np.searchsorted(world.appears[order], np.arange(PERIODS + 1))
    return [order[bounds[period] : bounds[period + 1]] for period in range(PERIODS)]


@dataclass(frozen=True, slots=True)
class Score:
    """How well copies were kept from day 10 on.

    ``freshness`` is the share of time that a copy was current, over pages known and not deleted;
    ``delay`` the mean hours until a change was seen, ``used`` the share of the budget spent,
    ``lost`` the pages without a visit in the last quarter.
    """

    freshness: float
    delay: float
    used: float
    lost: int = 0

    @property
    def staleness(self) -> float:
        """The share of time that a copy was out of date."""
        return 1 - self.freshness


def score(world: World, visited: Flags, budget: float, tried: Flags | None = None) -> Score:
    """Return the score of visits by period and page; ``tried`` are those that were not answered, too.

    ``budget`` is visits a period that were allowed; first visits are not counted.
    """
    shape = world.counts.shape
    periods = np.arange(PERIODS)[:, None]
    seen = np.maximum.accumulate(np.where(visited, world.changes[:-1], -1), axis=0)
    current = (seen == world.changes[:-1]) * world.first
    alive = (periods >= world.appears) & (periods < world.dies) & world.counted
    alive[:NOT_SCORED] = False
    freshness = float(current[alive].mean())
    next_visit = np.full((shape[0] + 1, shape[1]), PERIODS, np.int64)
    next_visit[:-1] = np.where(visited, periods, PERIODS)
    next_visit = np.minimum.accumulate(next_visit[::-1], axis=0)[::-1]
    scored = (world.event_at >= NOT_SCORED) & world.counted[world.event_page]
    page, at = world.event_page[scored], world.event_at[scored]
    waited = next_visit[np.floor(at).astype(np.int64) + 1, page] - at
    paid = (visited if tried is None else tried) & (periods > world.appears)
    quarter = PERIODS * 3 // 4
    there = (world.appears < quarter) & (world.dies > PERIODS)
    return Score(
        freshness,
        float(waited.mean()) * PERIOD / 3600,
        float(paid[NOT_SCORED:].sum() / (budget * (PERIODS - NOT_SCORED))),
        int((there & ~visited[quarter:].any(axis=0)).sum()),
    )
