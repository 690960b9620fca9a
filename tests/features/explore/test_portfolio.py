"""The default order: what is parked comes back, what is banned is tried again, the rest is best first."""

import itertools
import json
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.features.explore.groups import (
    ALL_ALIKE,
    LATE_FIRST,
    MOST_TRIES,
    NEAREST_FIRST,
    SMALL,
    SPACING,
    code_of,
    score_in,
    sequence_in,
    step_in,
)
from focuscrawl.features.explore.ledger import BAN, BanRules, Ledger
from focuscrawl.features.explore.offers import BY_FOLDER, BY_LINK, BY_NEAR, BY_SITE
from focuscrawl.features.explore.portfolio import RECENT, Arms, Portfolio, PortfolioRules
from focuscrawl.urls.sites import folder_number, folder_of
from focuscrawl.values import MOST_STEPS, Lane

Pick = tuple[int, int]


class Crawl:
    """A portfolio with what a frontier and a judge would do around it."""

    def __init__(
        self,
        *orders: int,
        steps: int = 10,
        quota: int = 15,
        bans: BanRules | None = None,
        ties: tuple[int, ...] = LATE_FIRST,
    ) -> None:
        rules = PortfolioRules(steps, quota, orders or (BY_LINK,), ties=ties)
        self.ledger = Ledger(bans or BanRules())
        self.order = Portfolio(rules, self.ledger, Arms(len(rules.orders), random.Random(3)))
        self.urls: dict[int, str] = {}
        self.busy: set[int] = set()
        self.wall = 0.0

    def put(
        self, sequence: int, site: int = 0, folder: str = "/f", score: int = 0, step: int = 1
    ) -> None:
        name = f"site{site}.example"
        self.urls[sequence] = f"http://{name}{folder}/{sequence}"
        self.order.add(sequence, site, name, folder_number(folder), score, step)

    def is_ready(self, site: int) -> bool:
        return site not in self.busy

    def take(self) -> int | None:
        picked = self.order.pick(self.is_ready, self.wall)
        if picked is None:
            assert not self.order.waits(self.is_ready, self.wall)
            return None
        sequence, site = picked
        assert self.urls[sequence].startswith(f"http://site{site}.example/")
        return sequence

    def fetch(self, judge: Callable[[str], bool] = lambda url: False) -> int | None:
        sequence = self.take()
        if sequence is not None:
            self.end(sequence, judge(self.urls[sequence]))
        return sequence

    def end(self, sequence: int, relevant: bool) -> None:
        url = self.urls[sequence]
        self.order.judged(sequence, url, relevant, self.wall)
        self.order.ended(sequence)
        self.order.wake(int(url.split("site")[1].split(".")[0]))

    def have_found(self, relevant: int, irrelevant: int) -> None:
        """Let the crawl have seen so many pages elsewhere: bans go by its rate."""
        for number in range(relevant + irrelevant):
            url = "http://elsewhere.example/"
            self.ledger.judged(url, "elsewhere.example", number < relevant, self.wall)

    def fetch_all(self, judge: Callable[[str], bool] = lambda url: False) -> list[int]:
        return list(iter(lambda: self.fetch(judge), None))


def test_best_first_takes_the_higher_score_then_the_older_near_by_and_the_later_far_away() -> None:
    crawl = Crawl()
    for number, (score, step) in enumerate([(5, 2), (5, 1), (900, 9), (5, 3), (5, 1), (5, 2)]):
        crawl.put(number, score=score, step=step)
    assert crawl.fetch_all() == [2, 1, 4, 5, 3, 0]


def test_ties_may_go_to_the_nearer_and_then_to_the_older() -> None:
    crawl = Crawl(ties=NEAREST_FIRST)
    for number, (score, step) in enumerate([(5, 2), (5, 1), (900, 9), (5, 3), (5, 1), (5, 2)]):
        crawl.put(number, score=score, step=step)
    assert crawl.fetch_all() == [2, 1, 4, 0, 5, 3]


@pytest.mark.portfolio
def test_a_tunnel_is_followed_although_a_whole_site_was_found_before_its_next_page() -> None:
    crawl = Crawl()
    for number in range(100):
        crawl.put(number, step=2)
    met = [crawl.fetch()]
    for length in range(3, 8):
        crawl.put(100 + length, step=length)
        met.append(crawl.fetch())
    assert met[1:] == [103, 104, 105, 106, 107]


@given(st.integers(0, 2**41 - 1), st.integers(0, 1023), st.integers(0, 63))
def test_a_code_tells_what_it_was_made_of(sequence: int, score: int, step: int) -> None:
    for ties in (LATE_FIRST, NEAREST_FIRST):
        code = code_of(sequence, score, step, ties)
        assert 0 <= code < 2**63
        assert (sequence_in(code, ties), score_in(code), step_in(code)) == (sequence, score, step)


def test_links_that_say_nothing_are_taken_from_the_better_folder_first() -> None:
    crawl = Crawl()
    for number in range(5):
        crawl.put(number, folder="/bad")
    crawl.put(10, folder="/good", score=1000)
    for number in range(11, 15):
        crawl.put(number, folder="/good")
    assert crawl.fetch(lambda url: "/good" in url) == 10
    assert crawl.fetch_all(lambda url: "/good" in url) == [11, 12, 13, 14, 0, 1, 2, 3, 4]


@pytest.mark.parametrize("order", [BY_LINK, BY_FOLDER, BY_SITE])
def test_every_order_hands_out_every_url_once(order: int) -> None:
    luck = random.Random(4)
    crawl = Crawl(order)
    for number in range(2000):
        score = luck.randrange(1024)
        crawl.put(number, luck.randrange(30), f"/f{luck.randrange(5)}", score, luck.randrange(9))
    taken = crawl.fetch_all(lambda url: luck.random() < 0.3)
    assert sorted(taken) == list(range(2000))


@settings(max_examples=60)
@given(
    told=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1023), st.integers(0, 63)),
        max_size=40,
    ),
    later=st.integers(0, 40),
)
def test_urls_that_come_together_wait_as_those_that_come_one_by_one(
    told: list[tuple[int, int, int, int]], later: int
) -> None:
    one, other = Crawl(BY_LINK, quota=3), Crawl(BY_LINK, quota=3)
    folders: dict[tuple[int, int, bool], list[int]] = {}
    for sequence, (site, folder, score, step) in enumerate(told, 1):
        one.put(sequence, site, f"/f{folder}", score, step)
        promise = Lane(0, score, step).promise(sequence)
        folders.setdefault((site, folder, sequence > later), []).append(promise)
    for (site, folder, _), promises in folders.items():
        number = folder_number(f"/f{folder}")
        other.order.extend(site, f"site{site}.example", number, promises)
    other.urls = one.urls
    assert other.order.counts() == one.order.counts()
    taken = [(one.fetch(), other.fetch()) for _ in range(len(told) + 1)]
    assert [first for first, _ in taken] == [second for _, second in taken]
    assert taken[-1] == (None, None)


def test_by_folder_a_folder_that_paid_is_preferred_to_higher_scores_elsewhere() -> None:
    crawl = Crawl(BY_FOLDER)
    for number in range(10):
        crawl.put(number, site=0, folder="/paid", score=10)
        crawl.put(100 + number, site=1, folder="/words", score=300)
    taken = crawl.fetch_all(lambda url: "/paid" in url)
    assert taken.index(9) < taken.index(105)


def test_by_site_the_best_url_of_a_site_that_paid_comes_from_any_folder() -> None:
    crawl = Crawl(BY_SITE)
    for number in range(10):
        crawl.put(number, site=0, folder=f"/day{number}", score=10)
        crawl.put(100 + number, site=1, folder=f"/day{number}", score=300)
    taken = crawl.fetch_all(lambda url: "site0" in url)
    assert taken.index(9) < taken.index(105)


@pytest.mark.portfolio
def test_more_of_what_relevant_pages_link_to_is_tried_than_of_what_lies_farther() -> None:
    crawl = Crawl(BY_NEAR)
    for number in range(60):
        crawl.put(number, site=number % 3, step=(0, 4, 0)[number % 3])
        crawl.put(100 + number, site=2, step=4, folder="/f")  # the same folder as the near ones
    tried = [crawl.fetch() or 0 for _ in range(30)]
    sites = [number % 3 if number < 100 else 2 for number in tried]
    assert sites.count(0) > 2 * sites.count(1) > 0
    assert sites.count(2) > 2 * sites.count(1)


@pytest.mark.parametrize("step", [MOST_STEPS, MOST_STEPS // 2])
def test_a_folder_at_the_farthest_step_there_is_is_tried_after_a_nearer_one(step: int) -> None:
    crawl = Crawl(BY_NEAR, steps=MOST_STEPS)
    for number in range(4):
        crawl.put(number, site=0, folder="/far", step=step)
        crawl.put(10 + number, site=1, folder="/near", step=step - 1)
    taken = crawl.fetch_all()
    assert sorted(taken) == [0, 1, 2, 3, 10, 11, 12, 13]
    assert max(taken.index(number) for number in range(10, 14)) < taken.index(0)


def test_a_folder_that_is_found_to_be_nearer_moves_up_whatever_its_best_link() -> None:
    crawl = Crawl(BY_NEAR)
    for number in range(4):
        crawl.put(number, site=number % 2, score=50 + number, step=5)
    assert [crawl.fetch(), crawl.fetch()] == [3, 2]  # one of each
    assert crawl.order.waits(crawl.is_ready, 0.0)
    crawl.put(4, site=0, score=0, step=0)
    assert [crawl.fetch(), crawl.fetch(), crawl.fetch()] == [0, 4, 1]


def test_where_every_page_has_a_folder_of_its_own_near_ones_come_as_their_links_do() -> None:
    crawl = Crawl(BY_NEAR, quota=100)
    for number in range(10, 16):
        crawl.put(number, site=number % 2, folder=f"/far{number}", step=4)
    for number in range(20, 26):
        crawl.put(number, site=number % 3, folder=f"/near{number}", step=0)
    taken = crawl.fetch_all()
    assert taken == [*range(20, 26), *range(15, 9, -1)]


@pytest.mark.portfolio
def test_a_tunnel_that_goes_from_folder_to_folder_is_followed_whatever_is_nearer() -> None:
    for order in (BY_LINK, BY_FOLDER, BY_NEAR):
        crawl = Crawl(order)
        for number in range(90):
            crawl.put(number, site=number % 3, step=0)
        near = [crawl.fetch() for _ in range(9)]
        assert all(number is not None and number < 90 for number in near)
        met = []
        for length in range(1, 8):
            crawl.put(100 + length, site=2 + length, folder=f"/way{length}", step=length)
            met.append(crawl.fetch())
        assert met == [100 + length for length in range(1, 8)]


def test_a_restart_knows_how_near_a_folder_is_though_its_near_links_are_fetched() -> None:
    crawl = Crawl(BY_NEAR)
    crawl.put(1, site=1, step=0)
    crawl.put(2, site=2, step=5)
    assert {crawl.fetch(), crawl.fetch()} == {1, 2}
    again = Crawl(BY_NEAR)
    again.ledger.load({site: {BAN: kept} for site, kept in crawl.ledger.changed().items()})
    again.put(4, site=2, step=5)
    again.put(3, site=1, step=5)
    assert again.fetch() == 3


def test_an_order_may_do_without_distance() -> None:
    ledger = Ledger(BanRules())
    for site in ("site1.example", "site2.example"):
        ledger.judged(f"http://{site}/f/", site, relevant=False, wall=0.0)
    for by in (BY_FOLDER, BY_LINK):
        rules = PortfolioRules(orders=(by,), trust=ALL_ALIKE, ties=NEAREST_FIRST)
        order = Portfolio(rules, ledger, Arms(1, random.Random(3)))
        order.add(1, 1, "site1.example", folder_number("/f"), 50, 5)
        order.add(2, 2, "site2.example", folder_number("/f"), 40, 0)
        assert order.pick(lambda site: True, 0.0) == (1, 1)


def test_of_an_unknown_site_with_few_folders_the_best_folder_is_on_offer_however_many_wait() -> (
    None
):
    crawl = Crawl(BY_FOLDER, quota=3)
    for number in range(20):
        crawl.put(number, folder="/read", score=20)
    assert crawl.fetch() == 0
    crawl.put(30, folder="/new", score=10)
    assert crawl.order.counts() == (3, 17)
    assert crawl.fetch() == 30


def test_pages_below_numbers_and_dates_are_one_folder_of_their_site() -> None:
    crawl = Crawl(BY_FOLDER, quota=100)
    for number in range(40):
        url = f"http://site1.example/2026{number % 12 + 1:02}/{number}"
        crawl.urls[number] = url
        crawl.order.add(number, 1, "site1.example", folder_number(folder_of(url)), 0, 1)
    for number in range(40, 43):
        crawl.put(number, site=2, folder="/news")
    taken = [crawl.fetch() or 0 for _ in range(6)]
    assert sum(number >= 40 for number in taken) == 3


def test_rows_of_an_older_crawl_file_count_for_the_folder_they_wait_in() -> None:
    crawl = Crawl(BY_FOLDER, quota=100)
    crawl.have_found(50, 50)
    url = "http://site1.example/2026/{}.html"
    for number in range(60):
        crawl.urls[number] = url.format(number)
        crawl.order.add(number, 1, "site1.example", folder_number("/2026"), 0, 1)
    taken = crawl.fetch_all()
    assert len(taken) == 21, "banned like any folder"
    record = crawl.ledger.get("site1.example")
    assert record is not None
    assert [counts.name for counts in record.folders.values()] == ["/2026"]


def test_counts_of_the_bandit_belong_to_orders_and_those_of_older_files_to_the_first_three() -> (
    None
):
    kept = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    crawl = Crawl(BY_LINK, BY_FOLDER, BY_SITE, BY_NEAR)
    crawl.order.restore({"arms": kept})
    assert crawl.order.facts()["arms"] == [*kept, [0.0, 0.0]]
    one = Crawl(BY_SITE)
    one.order.restore(json.loads(json.dumps(crawl.order.facts())))
    assert one.order.facts()["arms"] == [[5.0, 6.0]]
    again = Crawl(BY_NEAR, BY_SITE)
    again.order.restore(one.order.facts())
    assert again.order.facts()["arms"] == [[0.0, 0.0], [5.0, 6.0]]
    again.order.restore({})
    assert again.order.facts()["arms"] == [[0.0, 0.0], [0.0, 0.0]]


def test_a_busy_site_lets_others_pass_until_it_is_woken() -> None:
    crawl = Crawl(BY_LINK, BY_FOLDER, BY_SITE)
    crawl.put(1, site=0, score=900)
    crawl.put(2, site=0, score=800)
    crawl.put(3, site=1, score=1)
    crawl.busy = {0}
    assert crawl.take() == 3
    assert crawl.take() is None
    crawl.busy = set()
    assert crawl.take() is None  # nobody said so
    crawl.order.wake(0)
    assert crawl.take() == 1
    assert crawl.take() is None  # taken from: busy again
    crawl.order.wake(0)
    assert crawl.take() == 2


def test_links_beyond_the_steps_are_parked_and_come_back_when_nothing_else_waits() -> None:
    crawl = Crawl(steps=10)
    crawl.put(1, score=1000, step=11)
    crawl.put(2, score=900, step=12)
    crawl.put(3, score=0, step=10)
    assert crawl.order.counts() == (1, 2)
    sequence = crawl.take()
    assert sequence == 3
    crawl.put(4, site=1, step=11)
    assert crawl.take() is None  # what is on its way may still bring links
    crawl.end(sequence, False)
    assert crawl.fetch_all() == [1, 2, 4]


def test_parked_links_wait_as_long_as_others_have_something_to_explore() -> None:
    crawl = Crawl(steps=10)
    crawl.put(1, score=1000, step=11)
    assert not crawl.order.is_held_back
    crawl.order.hear(3)
    assert crawl.take() is None
    assert crawl.order.is_held_back
    crawl.order.hear(0)
    assert not crawl.order.is_held_back
    assert crawl.take() == 1


def test_links_beyond_the_steps_come_back_when_the_harvest_falls() -> None:
    crawl = Crawl(bans=BanRules(after=10**6))
    for number in range(1000):
        crawl.put(number, score=500)
    crawl.put(5000, score=900, step=11)
    for _ in range(300):
        crawl.fetch(lambda url: True)
    assert crawl.order.counts()[1] == 1
    taken = [crawl.fetch() for _ in range(RECENT)]
    assert 5000 in taken
    # Under a quarter of the lifetime's rate, which falls as well.
    assert 150 < taken.index(5000) < 300


def test_a_banned_folder_keeps_its_urls_and_the_rest_of_its_site_is_served() -> None:
    crawl = Crawl()
    crawl.have_found(50, 50)
    judge = lambda url: "/good" in url
    for number in range(60):
        crawl.put(number, folder="/good", score=500)
        crawl.put(100 + number, folder="/bad", score=600)
    taken = crawl.fetch_all(judge)
    assert sum(sequence >= 100 for sequence in taken) == 21 + 1  # and one probe
    assert crawl.order.counts() == (0, 38)


def test_probes_are_one_pick_in_fifty_and_rarer_the_more_of_them_fail() -> None:
    crawl = Crawl()
    crawl.have_found(50, 50)
    judge = lambda url: "/good" in url
    for number in range(3000):
        crawl.put(number, folder="/good", score=500)
        crawl.put(5000 + number, folder="/bad", score=600)
    taken = crawl.fetch_all(judge)
    probes = [place for place, sequence in enumerate(taken) if sequence >= 5000][21:]
    gaps = [later - earlier for earlier, later in itertools.pairwise(probes)]
    assert len(probes) == 5  # 50, 100, 200, … picks apart
    assert all(later > 1.9 * earlier for earlier, later in itertools.pairwise(gaps))
    assert gaps[0] >= SPACING


def test_what_a_probe_finds_is_no_orders_doing() -> None:
    crawl = Crawl(BY_LINK, BY_LINK)
    crawl.have_found(50, 50)
    for number in range(300):
        crawl.put(number, folder="/good", score=500)
        crawl.put(5000 + number, folder="/bad", score=600)
    while (sequence := crawl.take()) is not None:
        before = [[*one] for one in crawl.order.arms.to_json()]
        is_probe = sequence >= 5000 and crawl.ledger.why_not(
            crawl.urls[sequence], "site0.example", crawl.wall
        )
        crawl.end(sequence, sequence < 5000)
        after = [[*one] for one in crawl.order.arms.to_json()]
        assert (after == before) is bool(is_probe)
        if is_probe:
            break
    assert is_probe, "or the test says nothing"


def test_a_folder_banned_for_being_below_the_average_comes_back_when_nothing_else_waits() -> None:
    crawl = Crawl()
    crawl.have_found(100, 20)
    for number in range(300):
        crawl.put(number, site=0, folder="/some", score=500)
        crawl.put(1000 + number, site=0, folder="/trap", score=500)
    taken = crawl.fetch_all(lambda url: "/some" in url and url.endswith("0"))
    assert sorted(number for number in taken if number < 1000) == list(range(300))
    assert sum(number >= 1000 for number in taken) <= 30


def test_a_relevant_probe_opens_the_folder_again() -> None:
    crawl = Crawl(bans=BanRules(trusted=("site1.example",)))
    for number in range(200):
        crawl.put(number, site=1, folder="/some", score=500)
        crawl.put(1000 + number, site=0, folder="/late", score=600)
    crawl.have_found(100, 400)
    late = 0

    def judge(url: str) -> bool:
        nonlocal late
        late += "/late" in url
        return late > 21 if "/late" in url else url.endswith("0")

    taken = crawl.fetch_all(judge)
    assert sorted(taken) == [*range(200), *range(1000, 1200)]


def test_a_site_banned_by_hand_is_refused_and_what_waits_is_never_tried() -> None:
    crawl = Crawl(bans=BanRules(banned=("site1.example",)))
    assert crawl.order.refuses("http://site1.example/x", "site1.example", 0, 0.0) == "ban:hand"
    assert crawl.order.refuses("http://site0.example/x", "site0.example", 99, 0.0) is None
    for number in range(300):
        crawl.put(number, site=0)
    crawl.put(900, site=1, score=1000)
    assert 900 not in crawl.fetch_all()
    assert crawl.order.counts()[1] >= 1


def test_a_lifted_ban_gives_the_urls_back() -> None:
    crawl = Crawl()
    crawl.put(1, site=1)
    crawl.ledger.ban("site1.example")
    assert crawl.fetch_all() == []
    assert crawl.order.counts() == (0, 1)
    crawl.ledger.lift("site1.example")
    crawl.order.unblock("site1.example", crawl.wall)
    assert crawl.order.counts() == (1, 0)
    assert crawl.fetch_all() == [1]


def test_of_an_unknown_site_only_the_best_links_are_offered_and_the_rest_are_parked() -> None:
    crawl = Crawl(BY_FOLDER, quota=3)
    for number in range(5):
        crawl.put(number, folder=f"/f{number}", score=100 * number)
    assert crawl.order.counts() == (3, 2)
    assert [crawl.fetch() for _ in range(2)] == [4, 3]
    assert crawl.order.counts() == (3, 0)
    assert crawl.fetch(lambda url: True) == 2
    for number in range(10, 20):
        crawl.put(number)
    assert crawl.order.counts() == (12, 0)


def test_trusted_sites_have_no_quota() -> None:
    crawl = Crawl(quota=3, bans=BanRules(trusted=("site0.example",)))
    for number in range(10):
        crawl.put(number)
    assert crawl.order.counts() == (10, 0)


def test_a_fetch_without_a_verdict_leaves_no_trace() -> None:
    crawl = Crawl()
    crawl.put(1)
    crawl.put(2, step=20)
    assert crawl.take() == 1
    crawl.order.ended(1)
    crawl.order.wake(0)
    assert crawl.ledger.pages == 0
    assert crawl.fetch_all() == [2]


def test_verdicts_of_urls_that_nobody_picked_are_ignored() -> None:
    crawl = Crawl()
    crawl.order.judged(99, "http://site0.example/", True, 0.0)
    crawl.order.ended(99)
    assert crawl.ledger.pages == 0


def test_a_restart_forgets_nothing_that_matters() -> None:
    bans = BanRules(after=10**6)
    crawl = Crawl(BY_LINK, BY_FOLDER, BY_SITE, bans=bans)
    luck = random.Random(5)
    places = [
        (number, luck.randrange(9), f"/f{luck.randrange(4)}", luck.randrange(1024), number % 13)
        for number in range(800)
    ]
    for place in places:
        crawl.put(*place)
    done = {crawl.fetch(lambda url: "/f1" in url) for _ in range(400)}
    facts = json.loads(json.dumps(crawl.order.facts()))
    records = {site: {BAN: kept} for site, kept in crawl.ledger.changed().items()}
    again = Crawl(BY_LINK, BY_FOLDER, BY_SITE, bans=bans)
    again.ledger.load(records)
    again.order.restore(facts)
    assert again.order.facts() == facts
    assert (again.ledger.pages, again.ledger.rate) == (400, crawl.ledger.rate)
    for place in places:
        if place[0] not in done:
            again.put(*place)
    rest = again.fetch_all(lambda url: "/f1" in url)
    assert sorted([*rest, *(number for number in done if number is not None)]) == list(range(800))


def test_a_pick_stays_cheap_however_many_urls_wait() -> None:
    def looked_at(urls: int) -> float:
        crawl = Crawl(BY_LINK, BY_FOLDER, BY_SITE)
        luck = random.Random(6)
        for number in range(urls):
            crawl.put(number, luck.randrange(200), f"/f{luck.randrange(20)}", luck.randrange(50))
        asked = 0

        def is_ready(site: int) -> bool:
            nonlocal asked
            asked += 1
            return site not in crawl.busy

        for _ in range(300):
            picked = crawl.order.pick(is_ready, 0.0)
            assert picked is not None
            crawl.end(picked[0], False)
        return asked / 300

    assert looked_at(20_000) < 3 * looked_at(2_000) + 3


# Better than their folder ------------------------------------------------------------------------


def banned_folder(crawl: Crawl, waiting: int) -> None:
    """Let a folder be banned for 21 irrelevant pages, while so many more of its links wait."""
    crawl.have_found(90, 10)
    for number in range(21 + waiting):
        crawl.put(number)
    for _ in range(21):
        crawl.fetch()


def test_a_link_that_names_the_topic_is_taken_from_a_banned_folder() -> None:
    crawl = Crawl(quota=1000)
    banned_folder(crawl, 100)
    assert crawl.take() is None
    crawl.put(500, score=900)
    assert crawl.fetch(lambda url: True) == 500


def test_links_that_name_the_topic_in_vain_are_taken_no_more() -> None:
    crawl = Crawl(quota=1000)
    banned_folder(crawl, 100)
    for number in range(500, 600):
        crawl.put(number, score=900)
    taken = 0
    while crawl.fetch() is not None:
        taken += 1
    assert taken == MOST_TRIES


def test_what_is_left_of_a_small_banned_folder_is_read_before_the_end() -> None:
    crawl = Crawl(quota=1000)
    banned_folder(crawl, SMALL)
    assert {crawl.fetch() for _ in range(SMALL)} == set(range(21, 21 + SMALL))
    assert crawl.take() is None


def test_a_trap_that_grows_as_it_is_read_is_left_all_the_same() -> None:
    crawl = Crawl(quota=1000)
    banned_folder(crawl, 2)
    fetched = 0
    while crawl.fetch() is not None:
        fetched += 1
        crawl.put(1000 + fetched)
    assert fetched == 2


@pytest.mark.E4
def test_no_more_than_the_quota_of_an_unknown_site_is_in_flight_at_once() -> None:
    crawl = Crawl(quota=2)
    for number in range(5):
        crawl.put(number)

    def take() -> int:
        picked = crawl.order.pick(crawl.is_ready, 0.0)
        assert picked is not None
        crawl.order.wake(picked[1])
        return picked[0]

    first, second, third = take(), take(), take()
    assert crawl.order.is_over_quota(third), "it goes back and waits"
    crawl.order.ended(third)
    assert not crawl.order.is_over_quota(second)
    crawl.order.judged(first, crawl.urls[first], True, 0.0)
    fourth, fifth = take(), take()
    assert not crawl.order.is_over_quota(fourth), "the site is known now"
    assert not crawl.order.is_over_quota(fifth)
