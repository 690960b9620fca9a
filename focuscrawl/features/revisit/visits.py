"""The life of a page between visits: fetched, queued, answered, signalled, failed (B3).

Every step takes a PageState and returns the next one; nothing is kept here but the price of a
visit and what sites' signals are worth. The caller stores both, and decides what an answer means
(revisit.change, revisit.missing).

Dates are wall time. A clock that jumps back makes an interval of 0, never a negative one, and a
date too far ahead is pulled back (``replanned``); one that jumps forth teaches no more than the
longest interval would have.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import exp, inf, log
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.features.revisit.change.visit_comparison import UNFINISHED
from focuscrawl.features.revisit.hours import (
    HOURS,
    are_kept_in,
    hours_of,
    is_by_policy,
    kept_date,
    learn,
)
from focuscrawl.features.revisit.moved import COPY_SINCE
from focuscrawl.features.revisit.policies import (
    LEAST_PRICE,
    POLICIES,
    Watched,
    chance_of_change,
    moved_discount,
    starting_price,
)
from focuscrawl.features.revisit.signals.signals import Signal, Trust, is_news, is_possible
from focuscrawl.features.revisit.table import DAY, HOUR, SAME_AS, RevisitRules, scattered
from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.values import TRIED, Json, PageClass, PageState

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.frontier.rows import PageStates
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.stores.state.protocol import Store
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock

NO_TRUST = Trust()

ASKED_FOR = "asked_for"
"""Fact of a state: when a person has asked that its page be read anew."""

GONE_STATUS = frozenset({404, 410})
"""Statuses that say that there is no such page; what does not answer says nothing about its pages."""

RETRY_FIRST, RETRY_LONGEST = HOUR, DAY
"""Seconds after which a page that has not answered is tried again."""

LOOK_AFTER = 9
"""After so many visits in a row that found it changed, a page is looked at as soon as it may be …"""

LOOK_FIRST = 4
"""… or after so many, when no visit has ever found it as it was …"""

LOOKS = 4
"""… and when it has changed at so many looks, it is restless. A page that changes fifteen times a day
has changed nearly always when it is visited every four hours, but within half an hour one time in
four. Its visits were worth something, and in benchmarks.freshness a page in a hundred taken for
restless that is none costs as much as the restless ones. A restless page is looked at again after
each visit: one that was taken for restless, or has come to rest, changes between visits far apart,
and nothing else would show it."""


FACT, PRICE = "revisit", "price"

TRUST = "signals"
"""The part of a site's record that says what its signals are worth."""


OBJECTIVE = "stale"
"""What prices are for; crawl files of earlier versions may have those of others. Visits that make the
most pages fresh leave fast ones alone: with the true rates 198 of 2,000 were never visited at a tight
budget; those that shorten the sum of delays spend it on pages that change at every visit."""

FOR_CHANGES = frozenset({PageClass.BOARD, PageClass.FEED, PageClass.THREAD})
"""Classes that are visited for what is new on them, and never restless."""


def is_tried(looks: int) -> bool:
    """Whether a visit soon shall show if a page changes however soon it is visited."""
    return 0 <= looks < LOOKS or (looks > LOOKS and (looks - LOOKS) % 2 == 1)


class Visits:
    """What happens to pages under one topic's rules.

    ``price`` (ν) is what a visit must be worth, in seconds of staleness of an article; None starts
    it where every class waits exactly its first interval; ``is_priced``: visits have moved it. ``trusts`` holds each site's Trust; sites
    are added to it as they signal.

    ``discount`` divides what visits to restless pages are worth. A copy of one is out of date before
    the next visit however soon that comes, so that by its staleness alone it would take visits from
    pages that can be kept current. It follows the share of the budget that these pages take.
    """

    def __init__(
        self,
        rules: RevisitRules,
        *,
        price: float | None = None,
        trusts: SiteValues[Trust] | None = None,
    ) -> None:
        self.rules = rules
        self.policy = POLICIES[rules.name](rules)
        self._base = rules.times(PageClass.ARTICLE).first
        self.price = price or starting_price(self._base)
        self.is_priced = price is not None
        self.discount = 1.0
        self.trusts = (
            trusts if trusts is not None else SiteValues(TRUST, Trust.from_json, Trust.to_json)
        )
        self._bounds_restless = rules.budget is not None
        self._of = cache(rules.times)
        self._is_free = rules.strict or rules.name == "off"  # bounds do not hold

    def price_to_json(self) -> Json:
        """Return price and discount as plain JSON, a fact of the topic."""
        return {"objective": OBJECTIVE, "price": self.price, "discount": self.discount}

    def restore_price(self, kept: Json | None) -> None:
        """Take what ``price_to_json`` wrote, unless it was for another objective."""
        if kept and kept.get("objective") == OBJECTIVE:
            self.price = float(kept["price"])
            self.discount = float(kept.get("discount", 1.0))  # older files say none
            self.is_priced = True

    @property
    def price_number(self) -> int:
        """The price as a whole number that may be added to others': thousandths of its logarithm, from 0."""
        return round(1000 * log(self.price / LEAST_PRICE))

    def join(self, numbers: int, count: int) -> None:
        """Take the mean of what ``count`` others have learnt, whose ``numbers`` are added up, as long as
        nothing has been learnt here."""
        if count and not self.is_priced:
            self.price = LEAST_PRICE * exp(numbers / count / 1000)

    # One page -----------------------------------------------------------------------------------

    def first_seen(
        self,
        key: bytes,
        url: str,
        site: str,
        page_class: PageClass,
        now: float,
        *,
        level: int = 1,
        born: float | None = None,
        every: float | None = None,
        within: float = 0.0,
    ) -> PageState:
        """Return the state of a page after its first fetch: t = 0, x = 1, next = now + first.

        ``born`` is its date of publication, from which its age counts. ``every`` is a fixed interval
        that stands above policy and bounds (source.every). A page that is taken for old is seen again ``within``
        so many seconds, one sooner and one later, and looked back at from then on.
        """
        state = PageState(
            *(key, url, site, page_class, level, now, now, None, 1),
            born=born if born is not None and born < now else None,
            every=every,
        )
        times = self._of(page_class)
        if not within or every is not None or times.until == inf:
            return state._replace(next_visit=self._planned(state))
        later = max(0.0, within - times.first) * int.from_bytes(key[:2]) / 0xFFFF
        return state._replace(born=now - times.until - 1, next_visit=now + times.first + later)

    def is_look(self, state: PageState, now: float | None = None) -> bool:
        """Whether the next visit of a page is a look at one that was old when it was found, or is by ``now`` (wall time),
        with no sign that it has changed.
        """
        if state.born is None or state.every is not None or (now is None and state.visits > 1):
            return False
        at = state.first_fetched if now is None else now
        is_old = at - state.born > self._of(state.page_class).until
        return is_old and not self._has_sign(state)

    def is_young(self, state: PageState) -> bool:
        """Whether the next visit is one of a young article with no sign that it has changed."""
        is_planned = state.page_class is PageClass.ARTICLE and state.every is None
        return is_planned and not self._has_sign(state) and not self.is_look(state)

    @staticmethod
    def _has_sign(state: PageState) -> bool:
        is_told = state.signalled is not None or state.failing_since is not None
        is_told = is_told or state.facts.get(COPY_SINCE, 0.0) > state.last_fetched
        comes_whole = bool(state.facts.get(UNFINISHED))  # something of it is missing
        return is_told or comes_whole or ASKED_FOR in state.facts

    def taken(self, state: PageState, now: float) -> PageState:
        """Return the state of a page that is queued: its answer is waited for during the reservation."""
        until = now + self.rules.reservation
        return state._replace(next_visit=until, reserved=until)

    def is_reserved(self, state: PageState, now: float) -> bool:
        """Whether a page is queued. A reservation that ends too late is one of a clock that ran ahead."""
        return state.reserved is not None and now < state.reserved <= now + self.rules.reservation

    def visited(self, state: PageState, visit: int, now: float, changed: bool) -> PageState:
        """Return the state after an answer with the page in it.

        ``visit`` is ``visits`` of the state that was taken: of several answers to one visit (a
        reservation ran out, the first came late) the first counts, the others change nothing.
        """
        if state.visits != visit:
            return state
        times = self._of(state.page_class)
        waited = max(0.0, now - state.last_fetched)
        if not self.rules.strict:
            waited = min(waited, max(times.max, times.first))
        told = state.signalled if self.rules.signals else None
        told_after = None if told is None else max(0.0, told - state.last_fetched)
        observed, changes = self.policy.learn(
            self._watched(state), waited, changed, told_after=told_after
        )
        if self.rules.signals:
            self._learn_trust(state, changed)
        facts = state.facts
        if self._learns_hours(state) and (changed or HOURS in facts):
            hours = learn(
                hours_of(facts.get(HOURS)),
                state.last_changed or state.last_fetched,
                state.last_fetched,
                now,
                changed=changed,
            )
            facts = {**facts, HOURS: list(hours)}
        # That a page has changed after a signal announced it does not show how fast it changes.
        in_row = state.changed_in_row + (told is None) if changed else 0
        state = state._replace(
            last_fetched=now,
            facts=facts,
            visits=visit + 1,
            observed=observed,
            changes=changes,
            times_changed=state.times_changed + changed,
            last_changed=now if changed else state.last_changed,
            changed_in_row=in_row,
            reserved=None,
            failures=0,
            failing_since=None,
            gone=None,
            reason="",
            signalled=None,
        )
        return state._replace(next_visit=self._planned(state))

    def failed(
        self,
        state: PageState,
        visit: int,
        now: float,
        reason: str,
        *,
        says_gone: bool = False,
        confirms: bool = False,
        is_doubted: bool = False,
    ) -> PageState:
        """Return the state after an answer without the page in it: t and x stay as they are.

        ``is_doubted``: something else stood there, which its site is asked about: an old page is looked at once more
        then, before it is left to the next look back. ``says_gone``: the answer says that there is no such page (404, 410, a soft 404), else it
        says nothing about the page (time-outs, 5xx, refusals). A page is gone after ``gone_after``
        failures that say so, spread over ``gone_within`` seconds, or at once when it was no longer
        reached and this fetch ``confirms`` that (C8). Look at ``gone`` of what is returned.
        """
        if state.visits != visit:
            return state
        if says_gone and state.gone is not None:  # looked at again, and still gone
            return state._replace(next_visit=None, reserved=None)
        failures = state.failures + says_gone
        since = state.failing_since
        if since is None or since > now or (says_gone and not state.failures):
            since = now
        state = state._replace(failures=failures, failing_since=since, reserved=None)
        after, within = self.rules.gone_after, self.rules.gone_within
        if says_gone and (confirms or (failures >= after and now - since >= within)):
            return self.gone(state, now, reason)
        is_asked_about = is_doubted and state.facts.get(TRIED, 0.0) <= state.last_fetched
        if not says_gone and state.gone is None and self._is_old(state, now):
            # Nothing is to be missed on it: it is looked back at once more, behind all others.
            soon = now + RETRY_FIRST if is_asked_about else None
            return state._replace(next_visit=soon, facts={**state.facts, TRIED: now})
        times = self._of(state.page_class)
        if says_gone:  # spread evenly over the time, so that the last one decides
            left = max(since + within - now, 0.0) / max(1, after - failures)
            wait = max(left, times.min, 1.0)
        else:  # as long as it has not answered, within bounds
            silent = max(0.0, now - state.last_fetched)
            longest = min(RETRY_LONGEST, max(times.max, RETRY_FIRST))
            wait = min(max(silent / 2, RETRY_FIRST), longest)
        return state._replace(next_visit=now + wait)

    def gone(self, state: PageState, now: float, reason: str) -> PageState:
        """Return the tombstone of a page: no further visit, unless something says it is back."""
        return state._replace(
            gone=now, reason=reason, next_visit=None, reserved=None, signalled=None
        )

    def found_again(self, state: PageState, now: float) -> PageState:
        """Return the state of a gone page that something links to again: one look at once.

        When it answers, ``visited`` ends the tombstone; when not, ``failed`` leaves it.
        """
        if state.gone is None or self.is_reserved(state, now):
            return state
        return state._replace(next_visit=now)

    def signalled(self, state: PageState, signal: Signal, now: float) -> PageState:
        """Return the state after a signal about the page; the very state when it is no news."""
        if not self.rules.signals or self.rules.strict or self.rules.name == "off":
            return state
        if not is_news(state, signal, now):
            if state.told is None and is_possible(signal, now):
                return state._replace(told=signal.value)
            return state
        if state.gone is not None:
            return self.found_again(state, now)._replace(told=signal.value)
        state = state._replace(signalled=state.signalled or now, told=signal.value)
        worth = self.policy.worth_signalled(self._watched(state), self._trust(state).precision)
        if state.next_visit is None or worth < self.price or self.is_reserved(state, now):
            return state
        soonest = max(now, state.last_fetched + self._of(state.page_class).min)
        return state._replace(next_visit=min(state.next_visit, soonest))

    def left_alone(self, state: PageState, now: float) -> PageState:
        """Return the state after a list that counts its changes was read: it is visited as if it
        was seen now, but at most its longest interval after its last visit, or somewhat less by its
        key, for what is not counted. The very state where that is no later, and in the published forms.
        """
        watched_for = state.next_visit is not None and state.failing_since is None
        if not self.rules.signals or self._is_free or not watched_for or state.every is not None:
            return state
        if state.gone is not None or state.signalled is not None or self.is_reserved(state, now):
            return state
        times = self._of(state.page_class)
        planned = self._date(state, now)
        if planned is None or state.next_visit is None:
            return state
        longest = scattered(times.max, state.key, state.visits)
        latest = min(planned, state.last_fetched + longest)
        is_later = latest > max(now, state.next_visit)
        return state._replace(next_visit=latest) if is_later else state

    def counted(self, state: PageState, now: float) -> PageState:
        """Return the state of a page whose change was found after its visit ended."""
        changes, times = state.changes + 1, state.times_changed + 1
        state = state._replace(changes=changes, times_changed=times, last_changed=now)
        return self.replanned(state, now)

    def replanned(self, state: PageState, now: float) -> PageState:
        """Return the state with its next visit worked out anew: the rules or the clock changed."""
        if state.gone is not None or self.is_reserved(state, now):
            return state
        state = state._replace(last_fetched=min(state.last_fetched, now), reserved=None)
        if state.failing_since is not None and state.next_visit is not None:
            latest = now + max(self.rules.gone_within, RETRY_LONGEST)
            return state._replace(next_visit=min(state.next_visit, latest))
        return state._replace(next_visit=self._planned(state))

    def chance(self, state: PageState, now: float) -> float:
        """Return how likely it is, by what is known of a page, that a visit now finds it changed."""
        watched = self._watched(state)
        age = max(0.0, now - state.last_fetched)
        return chance_of_change(age, watched.changes, watched.observed + watched.first)

    # What it is worth ---------------------------------------------------------------------------

    def value(self, state: PageState, now: float) -> float:
        """Return what a visit now is worth, in terms of the price.

        A page whose longest interval is over, or that must show whether it is gone, is worth the
        price at least; one with a fixed interval is worth more than all others.
        """
        if state.every is not None:
            return inf
        age = max(0.0, now - state.last_fetched)
        looks = self._looks(state)
        watched = self._watched(state, looks)
        value = self.policy.worth(watched, age)
        if state.signalled is not None and self.rules.signals:
            value = max(value, self.policy.worth_signalled(watched, self._trust(state).precision))
        is_pressing = state.failures or age >= self._of(state.page_class).max or is_tried(looks)
        return max(value, self.price) if is_pressing and self.policy.by_value else value

    def may_visit(self, state: PageState, now: float) -> bool:
        """Whether a page may be taken before its date: not queued, not sooner than the minimum.

        A page with a fixed interval, one that failed and one that is gone wait for their dates.
        """
        if self.is_reserved(state, now):
            return False
        if state.failing_since is not None or state.gone is not None or state.every is not None:
            return state.next_visit is not None and state.next_visit <= now
        if state.signalled is None and self._keeps_hours(state):
            return state.next_visit is not None and state.next_visit <= now
        # A last visit well in the future is one of a clock that ran ahead.
        return abs(now - state.last_fetched) >= self._of(state.page_class).min

    def is_restless(self, state: PageState) -> bool:
        """Whether a budget is in force and the page's visits are bounded by what they may cost."""
        return state.every is None and self._looks(state) >= LOOKS

    def took(self, restless: int, visits: int) -> None:
        """Move the discount by how many of the visits of a period go to restless pages."""
        step = self.rules.price_step
        self.discount = moved_discount(self.discount, restless / visits, step)

    def plan_of(self, state: PageState, now: float, *, is_off: bool) -> Json:
        """Return when a page is visited next, wall time, and in a word why then; ``at`` None: no date is set.

        ``why``: off, queued (it waits, or is under way), source (its interval is given), failing, signal,
        first (nothing has been learnt yet), old (past ``until``: looked back at), shortest, longest (the
        bounds of its class), policy.
        """
        times = self._of(state.page_class)
        wait = self.policy.wait(self._watched(state), self.price)
        reasons = (
            (is_off, "off"),
            (self.is_reserved(state, now), "queued"),
            (state.every is not None, "source"),
            (state.failing_since is not None, "failing"),
            (state.signalled is not None, "signal"),
            (state.next_visit is None, "old"),
            (state.visits <= 1, "first"),
            (wait <= times.min, "shortest"),
            (wait >= times.max, "longest"),
        )
        why = next((word for holds, word in reasons if holds), "policy")
        at = None if why in ("off", "queued") else state.next_visit
        return {"at": at, "why": why, "every": state.every, "failures": state.failures}

    # Inside -------------------------------------------------------------------------------------

    def _watched(self, state: PageState, looks: int | None = None) -> Watched:
        first = self._of(state.page_class).first
        silence = self._silence(state.site) if state.signalled is None else 1.0
        weight = self._base / first  # what staleness costs on a page of this class
        if (self._looks(state) if looks is None else looks) >= LOOKS:
            weight /= self.discount
        return Watched(state.observed, state.changes, first, weight, silence)

    def _looks(self, state: PageState) -> int:
        """Return how often a page has changed in a row beyond what calls for a look, or -1."""
        in_row = state.changed_in_row
        if in_row < LOOK_FIRST or not self._bounds_restless:
            return -1
        if self._are_hours_kept(state):
            return -1  # it has changed at each visit, for they come behind its changes
        if SAME_AS.get(state.page_class, state.page_class) in FOR_CHANGES:
            return -1
        has_ever_rested = in_row < state.visits - 1
        return max(in_row - (LOOK_AFTER if has_ever_rested else LOOK_FIRST), -1)

    def _silence(self, site: str) -> float:
        """Return 1/(1-r): a page that is silent on a site that would have told may wait longer."""
        trust = self.trusts.get(site) if self.rules.signals else None
        return 1.0 / (1.0 - trust.recall) if trust else 1.0

    def _trust(self, state: PageState) -> Trust:
        return self.trusts.get(state.site) or NO_TRUST

    def _learn_trust(self, state: PageState, changed: bool) -> None:
        trust = self.trusts.get(state.site)
        if trust is None:
            if state.signalled is None:
                return  # a site without signals has no trust to learn
            trust = self.trusts.add(state.site, Trust())
        trust.learn(state.signalled is not None, changed)

    def _is_old(self, state: PageState, now: float) -> bool:
        """Whether a page is past ``until``, so that only looks back come to it."""
        if state.every is not None or self._is_free:
            return False
        born = state.first_fetched if state.born is None else state.born
        is_past = now - born > self._of(state.page_class).until
        return is_past or self._planned(state) is None

    def _keeps_hours(self, state: PageState) -> bool:
        """Whether its next visit comes by the hours at which it changes, and no sooner."""
        return self._are_hours_kept(state) and not is_by_policy(state.key, state.last_fetched)

    def _are_hours_kept(self, state: PageState) -> bool:
        kept = state.facts.get(HOURS)
        return kept is not None and are_kept_in(kept) and self._learns_hours(state)

    def _learns_hours(self, state: PageState) -> bool:
        return self.policy.by_value and not self._is_free and state.every is None

    def _hour_after(self, state: PageState, last: float, planned: float) -> float:
        """Return when the hour of a page is over that is nearest to a planned visit, or that visit itself."""
        if not self._are_hours_kept(state):
            return planned
        hours, times = hours_of(state.facts[HOURS]), self._of(state.page_class)
        by_policy = is_by_policy(state.key, last)
        at = kept_date(hours, last, last if by_policy else planned, last + times.min)
        if at is None or at > last + times.max:
            return planned
        return min(at, planned) if by_policy else at

    def _planned(self, state: PageState) -> float | None:
        return self._date(state, state.last_fetched)

    def _date(self, state: PageState, last: float) -> float | None:
        """Return the date of the visit after ``last``, by policy, bounds and age."""
        if state.every is not None:
            return last + state.every
        times = self._of(state.page_class)
        wait = self.policy.wait(self._watched(state), self.price)
        if self._is_free:
            return None if wait == inf else last + wait
        next_visit = last + min(max(wait, times.min), times.max)
        if is_tried(self._looks(state)):
            next_visit = last + times.min
        next_visit = self._hour_after(state, last, next_visit)
        born = state.first_fetched if state.born is None else state.born
        return next_visit if next_visit - born <= times.until else None


def visits_of(state: PageState) -> Json:
    """Return what visits have found, as plain values; dates are wall time."""
    return {
        "visits": state.visits,
        "changed": state.times_changed,
        "first": state.first_fetched,
        "last": state.last_fetched,
        "last_changed": state.last_changed,
        "gone": state.gone,
        "reason": state.reason,
    }


class VisitScope(NamedTuple):
    """What the visits of one run share: how they move states, where these are, and what the topic says."""

    visits: Visits
    states: PageStates
    template: Template
    store: Store
    frontier: Frontier
    clock: Clock
    rules: AdmissionRules
    sources: Mapping[str, Source]
