from __future__ import annotations

import random

from focuscrawl.urls import copies
from focuscrawl.urls.copies import Copies

SITE = "a.cn"


def trap_page(number: int) -> tuple[str, bytes]:
    """Return one of endless addresses of five pages."""
    return f"http://a.cn/show?x={number * 7919 % 10**9:x}zz", b"page %d" % (number % 5)


def fetched(pages: int) -> tuple[Copies, list[str]]:
    """Return what is known after some pages of a trap that were all followed, and what was said."""
    learnt, said = Copies(), []
    for number in range(pages):
        url, text = trap_page(number)
        said.append(learnt.note(url, SITE, text))
    return learnt, [one for one in said if one]


def followed(learnt: Copies, links: int) -> int:
    """Return how many links of the trap are followed, each of which gives a copy."""
    count = 0
    for number in range(1000, 1000 + links):
        url, text = trap_page(number)
        if not learnt.refuses(url, SITE):
            count += 1
            learnt.note(url, SITE, text)
    return count


def test_endless_addresses_of_few_pages_cost_little_however_many_there_are() -> None:
    learnt, said = fetched(250)
    assert learnt.traps == {SITE}
    assert "trap:copies" in said[0]
    assert "other addresses" in said[0]
    few, many = followed(learnt, 2_000), followed(learnt, 50_000)
    assert few < 40
    assert many < 60


def test_a_site_of_another_form_or_another_site_is_not_touched() -> None:
    learnt, _ = fetched(40)
    assert not learnt.refuses("http://a.cn/news/123456.html", SITE)
    assert not learnt.refuses("http://b.cn/show?x=1zz", "b.cn")


def test_printed_and_mobile_versions_are_no_copies() -> None:
    learnt = Copies()
    for number in range(500):
        for path in ("news/", "print/", "m/", "amp/"):
            learnt.note(f"http://a.cn/{path}{number}.html", SITE, b"article %d" % number)
    assert not learnt.traps


def test_sites_that_show_the_same_as_each_other_are_no_traps() -> None:
    learnt = Copies()
    for host in ("a.cn", "b.cn", "c.cn", "d.cn", "e.cn", "f.cn", "g.cn"):
        for number in range(100):
            learnt.note(f"http://{host}/news/{number}.html", host, b"article %d" % number)
    assert not learnt.traps


def test_addresses_without_a_common_form_are_bounded_by_the_whole_site() -> None:
    learnt, luck = Copies(), random.Random(3)
    words = ["about", "news", "list", "team", "jobs", "press", "contact", "history"]
    for number in range(650):
        path = "/".join(luck.choices(words, k=6))
        learnt.note(f"http://a.cn/{path}/", SITE, b"page %d" % (number % 5))
    paths = ["/".join(luck.choices(words, k=6)) for _ in range(300)]
    assert sum(not learnt.refuses(f"http://a.cn/{path}/", SITE) for path in paths) < 30
    # What has shown new pages goes on.
    for number in range(6):
        learnt.note(f"http://a.cn/real/{number + 10}.html", SITE, b"article %d" % number)
    assert SITE in learnt.traps
    assert not learnt.refuses("http://a.cn/real/77.html", SITE)


def test_a_site_that_was_out_of_order_is_followed_again_when_new_pages_come() -> None:
    learnt = Copies()
    for number in range(60):
        learnt.note(f"http://a.cn/news/{number + 10}.html", SITE, b"please wait")
    assert learnt.traps
    tried = 0
    for number in range(100, 4_000):
        url = f"http://a.cn/news/{number}.html"
        if not learnt.refuses(url, SITE):
            tried += 1
            learnt.note(url, SITE, b"article %d" % number)
    assert not learnt.traps
    assert tried > 3_000


def test_a_trap_is_written_down_once_and_has_to_show_itself_anew() -> None:
    learnt, _ = fetched(100)
    assert learnt.changed() == {SITE: {"trap": True}}
    assert not learnt.changed()
    later = Copies()
    later.load({SITE: {"copies": {"trap": True}}, "b.cn": {"copies": {}}, "c.cn": {}})
    assert later.before == {SITE}
    assert not later.traps
    assert later.changed() == {SITE: {}}


def test_memory_is_bounded() -> None:
    learnt = Copies()
    for number in range(2 * copies.COUNTS_KEPT):
        learnt.note(f"http://{number}.cn/{number}/", f"{number}.cn", b"%d" % number)
    assert len(learnt._counts) <= copies.COUNTS_KEPT + 2
