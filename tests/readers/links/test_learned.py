from __future__ import annotations

from focuscrawl.features.addresses.feature import learn_likeness
from focuscrawl.readers.links.admission import is_twin_of_read, unless_twin
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.pages.content import Fetched, Judged, page_of
from focuscrawl.urls.same_pages import other_address
from focuscrawl.values import PageClass, Waiting
from tests.readers.links.test_admission import Frontier, make_rules

SITE = "a.cn"
HOME = f"http://{SITE}"


def waiting_for(path: str) -> Waiting:
    return Waiting(f"{HOME}{path}", path.encode(), SITE, 3, 3, parent_key=b"p")


def read(rules: AdmissionRules, pages: dict[str, str], status: int = 200) -> None:
    """Read pages that show some texts, in order."""
    for path, text in pages.items():
        waiting = waiting_for(path)
        fetched = Fetched(waiting.url, status, b"", "text/html", 0.0)
        page = page_of(fetched, waiting, PageClass.OTHER)
        learn_likeness(Judged(page, shown=text.encode()), fetched.url, waiting, rules)


def with_index_files() -> AdmissionRules:
    """Return the rules of a site that was found to have index files."""
    rules = make_rules()
    read(rules, {"/": "1", "/index.html": "1", "/b/": "2", "/b/index.html": "2"})
    assert rules.same.files == {SITE: ("index.html",)}
    return rules


def test_an_address_gives_way_to_its_twin_when_that_was_read_whichever_it_is() -> None:
    rules = with_index_files()
    for one, other in (("/c/", "/c/index.html"), ("/d/index.html", "/d/")):
        assert not is_twin_of_read(waiting_for(one), rules)
        assert not is_twin_of_read(waiting_for(other), rules)
        read(rules, {one: one})
        assert is_twin_of_read(waiting_for(other), rules)
        again = waiting_for(other)._replace(first_walk=False)
        assert not is_twin_of_read(again, rules), "what was kept is read again"


def test_an_address_whose_twin_only_waits_is_added() -> None:
    rules, frontier = with_index_files(), Frontier()
    add = unless_twin(frontier.add, rules)
    for path in ("/c/index.html", "/c/"):
        assert add(waiting_for(path), rules.look(f"{HOME}{path}").address.number)
    read(rules, {"/d/": "4"})
    assert not add(waiting_for("/d/index.html"), 1)
    assert len(frontier.waiting) == 2


def test_an_address_does_not_give_way_to_a_twin_that_is_not_there() -> None:
    rules = with_index_files()
    read(rules, {"/c/index.html": "not found"}, status=404)
    assert not is_twin_of_read(waiting_for("/c/"), rules)


def test_links_are_looked_at_again_when_what_was_learnt_of_their_site_changes() -> None:
    rules = with_index_files()
    rules.known.add(hash(f"{HOME}/x/index.html"))
    read(rules, {"/e/": "5", "/e/index.html": "6"})
    assert rules.same.files == {SITE: ()}
    assert not rules.known
    sessions = {f"/s?id={n}&sid=a{n}f{v}c9": str(n) for n in range(3) for v in range(3)}
    read(rules, sessions)
    assert rules.same.dropped == {SITE: frozenset({"sid"})}
    rules.known.add(hash(f"{HOME}/s?id=7&sid=zz11zz"))
    read(rules, {"/s?id=1&sid=b1f8c8": "another"})
    assert rules.same.dropped == {SITE: frozenset()}
    assert not rules.known


def test_a_few_addresses_keep_their_own_key_whatever_was_learnt_of_their_site() -> None:
    rules = make_rules()
    read(rules, {f"/s?id={n}&sid=a{n}f{v}c9": str(n) for n in range(3) for v in range(3)})
    urls = [f"{HOME}/s?id=7&sid=z{number}" for number in range(400)]
    keys = [rules.look(url).address.key for url in urls]
    plain = rules.look(f"{HOME}/s?id=7").address.key
    own = [key for key in keys if key != plain]
    assert 1 < len(own) == len(set(own)) < 60


def test_a_page_with_a_parameter_that_changes_nothing_has_an_address_by_the_other_scheme() -> None:
    rules = make_rules()
    read(rules, {f"/s?id={n}&sid=a{n}f{v}c9": str(n) for n in range(3) for v in range(3)})
    address = rules.look(f"{HOME}/s?id=7&sid=zz11zz").address
    assert address.key == rules.look(f"{HOME}/s?id=7").address.key
    other = other_address(rules.canonicalizer, address.url)
    assert other == "https://a.cn/s?id=7&sid=zz11zz"
