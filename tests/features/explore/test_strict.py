"""The published form, by its golden numbers (E1–E5)."""

from math import inf

import pytest

from focuscrawl.features.explore.explorer import StrictOrder, found_at, step_of
from focuscrawl.features.explore.ledger import BanRules, Ledger
from focuscrawl.values import Lane

pytestmark = pytest.mark.E1

PAGES_K, PAGES_P, LINKS_R = 10, 20, 15


def published(**rules: tuple[str, ...]) -> StrictOrder:
    ledger = Ledger(BanRules(after=PAGES_P, lasting=inf, strict=True, **rules))  # type: ignore[arg-type]
    return StrictOrder(ledger, steps=PAGES_K, quota=LINKS_R)


def ready(site: int) -> bool:
    return True


def put(order: StrictOrder, sequence: int, *, site: int = 0, score: int = 0, step: int = 1) -> bool:
    """Add a link as a crawl does; False when it is dropped."""
    name = f"site{site}.example"
    if order.refuses(f"http://{name}/{sequence}", name, step, 0.0) is not None:
        return False
    order.add(sequence, site, name, 0, score, step)
    return True


def fetch(order: StrictOrder, *, relevant: bool = False) -> int:
    """Take the next URL and judge it; return its number."""
    picked = order.pick(ready, 0.0)
    assert picked is not None
    sequence, site = picked
    order.judged(sequence, f"http://site{site}.example/{sequence}", relevant, 0.0)
    order.ended(sequence)
    order.wake(site)
    return sequence


@pytest.mark.E5
def test_the_best_predicted_url_is_fetched_next_and_the_crawl_ends_when_none_waits() -> None:
    order = published()
    for sequence, score in enumerate([10, 900, 30, 900, 0]):
        put(order, sequence, site=sequence % 2, score=score)
    assert [fetch(order) for _ in range(5)] == [1, 3, 2, 0, 4]
    assert order.pick(ready, 0.0) is None
    assert not order.waits(ready, 0.0)


def test_urls_that_come_back_from_a_store_wait_as_before() -> None:
    again = published()
    promises = []
    for sequence, score in enumerate([10, 900, 30, 900, 0], 1):
        promises.append(Lane(0, score, 3).promise(sequence))
    again.extend(0, "site0.example", 0, promises)
    assert [fetch(again) for _ in range(5)] == [2, 4, 3, 1, 5]
    again.extend(1, "site1.example", 0, [Lane(0, 5, 1).promise(n) for n in range(6, 21)])
    assert not put(again, 21, site=1), "those from the store take the places of an unknown site"


@pytest.mark.E3
def test_of_a_chain_of_irrelevant_pages_the_tenth_gives_its_links_and_the_eleventh_does_not() -> (
    None
):
    order = published()
    found = 0  # the first irrelevant page hangs on a relevant one
    dropped = []
    for page in range(1, 13):
        found = step_of(False, found)
        dropped.append(not put(order, page, site=page, step=found))
    assert dropped == [False] * 10 + [True, True]


def test_a_start_page_counts_as_found_on_a_relevant_page() -> None:
    assert step_of(True, 0) == 0
    assert step_of(False, 0) == 1


def test_a_relevant_page_ends_the_count() -> None:
    assert step_of(True, 9) == 0


def test_only_by_default_does_paging_keep_the_step() -> None:
    assert found_at(4, 3, is_paging=True) == 3
    assert found_at(4, 3, is_paging=False) == 4
    assert found_at(4, 3, is_paging=True, strict=True) == 4


@pytest.mark.E4
def test_the_sixteenth_link_into_an_unknown_site_is_dropped_while_fifteen_wait() -> None:
    order = published()
    assert [put(order, number) for number in range(16)] == [True] * 15 + [False]
    assert put(order, 100, site=1)


@pytest.mark.E4
def test_a_fetched_link_frees_its_place() -> None:
    order = published()
    for number in range(15):
        put(order, number)
    fetch(order)
    assert put(order, 50)
    assert not put(order, 51)


def taken_over(order: StrictOrder) -> bool:
    """Take the next URL, and return whether it is one too many."""
    picked = order.pick(ready, 0.0)
    assert picked is not None
    sequence, site = picked
    is_over = order.is_over_quota(sequence)
    order.ended(sequence)
    order.wake(site)
    return is_over


@pytest.mark.E4
def test_the_sixteenth_that_waits_is_one_too_many_when_it_is_taken() -> None:
    order = published()
    for number in range(17):  # as if R was larger when they were found
        order.add(number, 0, "site0.example", 0, 0, 1)
    assert [taken_over(order) for _ in range(17)] == [True, True] + [False] * 15


@pytest.mark.E4
def test_links_of_relevant_pages_and_into_known_sites_are_taken_whatever_waits() -> None:
    order = published()
    for number in range(40):
        put(order, number, step=0)
    assert not taken_over(order)
    for number in range(100, 140):
        order.add(number, 1, "site1.example", 0, 9, 1)
    order.ledger.judged("http://site1.example/", "site1.example", True, 0.0)
    assert not taken_over(order)


def test_links_of_relevant_pages_are_unlimited_and_take_no_places() -> None:
    order = published()
    assert all(put(order, number, step=0) for number in range(40))
    assert [put(order, 100 + number) for number in range(16)] == [True] * 15 + [False]


def test_a_site_with_a_relevant_page_takes_all_links() -> None:
    order = published()
    put(order, 0)
    fetch(order, relevant=True)
    assert all(put(order, number) for number in range(1, 40))


@pytest.mark.E2
def test_the_twenty_first_irrelevant_page_bans_its_site() -> None:
    order = published()
    for number in range(PAGES_P):
        assert put(order, number, step=0)
        fetch(order)
    assert put(order, 100, step=0)
    fetch(order)
    assert order.refuses("http://site0.example/x", "site0.example", 0, 0.0) == "ban:count"
    assert order.refuses("http://site1.example/x", "site1.example", 0, 0.0) is None


def test_relevant_pages_do_not_help_a_site_in_the_published_form() -> None:
    order = published()
    for number in range(42):  # 21 of each kind
        put(order, number, step=0)
        fetch(order, relevant=number % 2 == 0)
    assert order.refuses("http://site0.example/x", "site0.example", 0, 0.0) == "ban:count"


def test_what_waited_before_the_ban_is_still_handed_out() -> None:
    order = published()
    for number in range(30):
        put(order, number, step=0)
    assert [fetch(order) for _ in range(30)] == list(range(30))


@pytest.mark.E4
@pytest.mark.parametrize(
    ("step", "waiting", "named", "why"),
    [(11, 15, True, "ban:hand"), (11, 15, False, "steps"), (10, 15, False, "quota")],
)
def test_tests_come_in_the_order_ban_steps_quota(
    step: int, waiting: int, named: bool, why: str
) -> None:
    order = published(banned=("site0.example",) if named else ())
    for number in range(waiting):
        order.add(number, 0, "site0.example", 0, 0, 1)
    assert order.refuses("http://site0.example/x", "site0.example", step, 0.0) == why


def test_a_site_that_is_not_ready_lets_others_pass_until_it_is_woken() -> None:
    order = published()
    put(order, 0, site=0, score=900)
    put(order, 1, site=1, score=10)
    assert order.pick(lambda site: site == 1, 0.0) == (1, 1)
    assert order.pick(ready, 0.0) is None
    order.wake(0)
    assert order.pick(ready, 0.0) == (0, 0)
