"""Links are classed by the patterns of their site before they are fetched (D5)."""

from collections import Counter
from urllib.parse import urlsplit

import pytest

from focuscrawl.demo.web import DemoWeb
from focuscrawl.features.addresses.feature import learn_pattern
from focuscrawl.frontier.levels import LOWEST
from focuscrawl.readers.links.admission import Admission, admit
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.template.kinds.addresses import Matches
from focuscrawl.template.load import load
from focuscrawl.urls.patterns.url_patterns import UrlPatterns
from focuscrawl.values import Link, LinkBatch, Page, PageClass, Waiting
from tests.tables import each_row

pytestmark = pytest.mark.D5

SITE = "a.example.cn"
TOPIC = f'topic.name = "metro"\n[[source]]\nurl = "http://{SITE}/"\n'
MIXED = {PageClass.PAGING: PageClass.BOARD}


def waiting(url: str, level: int = 4) -> Waiting:
    return Waiting(url, b"k" * 16, urlsplit(url).netloc, level, level)


def rules(text: str = "") -> AdmissionRules:
    """The rules of a topic whose site has lists, articles and pages that are nothing to read."""
    made = AdmissionRules.from_template(load(TOPIC + text).template, 1.8e9)
    assert made.patterns is not None
    for number in range(10_000, 10_030):
        for form, page_class in (
            ("/news/{}.html", PageClass.ARTICLE),
            ("/list/{}.html", PageClass.BOARD),
            ("/user/{}.html", PageClass.OTHER),
        ):
            made.patterns.judged(f"http://{SITE}{form.format(number)}", SITE, page_class)
    return made


def admitted(
    made: AdmissionRules, *links: Link, page_class: PageClass = PageClass.BOARD
) -> tuple[dict[str, Waiting], Admission]:
    """What waits after a page with these links, by path."""
    found: dict[str, Waiting] = {}

    def add(one: Waiting, number: int) -> bool:
        found[urlsplit(one.url).path] = one
        return True

    def again(one: Waiting) -> None:
        raise AssertionError(one)

    parent = waiting(f"http://{SITE}/")
    return found, admit(LinkBatch(page_class, links), parent, made, add, again)


def link(path: str, page_class: PageClass | None = None, level: int | None = None) -> Link:
    return Link(f"http://{SITE}{path}", "anchor", page_class, level)


def test_what_is_nothing_to_read_waits_last_and_its_class_stays_open() -> None:
    paths = ("/news/99999.html", "/list/99999.html", "/user/99999.html", "/about.html")
    found, _ = admitted(rules(), *map(link, paths))
    levels = {path: (one.level, one.passed_level) for path, one in found.items()}
    assert levels == {
        "/news/99999.html": (3, 3),
        "/list/99999.html": (3, 3),
        "/user/99999.html": (LOWEST, LOWEST),
        "/about.html": (3, 3),
    }
    assert all(one.page_class is None for one in found.values())  # the content will tell


def test_expected_lists_wait_where_the_lists_of_their_site_do() -> None:
    found, _ = admitted(rules(f'[site."{SITE}"]\nlevel = 5\n'), link("/list/99999.html"))
    assert found["/list/99999.html"].level == 5


def test_what_the_finder_or_the_template_says_comes_first() -> None:
    made = rules('[follow]\narticles = ["/user/"]\n')
    found, _ = admitted(
        made,
        link("/user/99999.html"),
        link("/user/88888.html", level=5),
        link("/user/", PageClass.FEED),
    )
    assert found["/user/99999.html"].page_class is PageClass.ARTICLE
    assert found["/user/99999.html"].level == 3
    assert found["/user/88888.html"].level == 5
    assert found["/user/"].page_class is PageClass.FEED


def test_a_pinned_pattern_is_the_class_of_a_link() -> None:
    made = rules()
    assert made.patterns is not None
    made.patterns.pin(SITE, "/user/", PageClass.ARTICLE)
    found, _ = admitted(made, link("/user/99999.html"))
    assert (found["/user/99999.html"].page_class, found["/user/99999.html"].level) == (
        PageClass.ARTICLE,
        3,
    )


def test_the_published_rule_follows_news_only_where_there_is_a_pattern_of_news() -> None:
    made = rules('[follow]\nscope = "web"\n[stories]\nstrict = true\n')
    further = link("/list/2.html", PageClass.PAGING)
    found, admission = admitted(
        made,
        link("/news/99999.html"),
        link("/list/99999.html"),
        link("/about.html"),
        further,
        Link("http://b.example.cn/x"),
    )
    assert set(found) == {"/news/99999.html", "/list/2.html", "/x"}  # nothing is known of b
    assert admission.refused == {"pattern": 2}


@each_row(
    ("page_class", "outcome", "learnt"),
    [
        (PageClass.ARTICLE, "stored", PageClass.ARTICLE),
        (PageClass.ARTICLE, "irrelevant", PageClass.ARTICLE),
        (PageClass.ARTICLE, "copy", PageClass.ARTICLE),
        (PageClass.ARTICLE, "short", PageClass.OTHER),
        (PageClass.BOARD, "list", PageClass.BOARD),
        (PageClass.PAGING, "list", PageClass.BOARD),
        (PageClass.ARTICLE, "error", None),
        (PageClass.OTHER, "gone", None),
        (PageClass.FILE, "refused", None),
    ],
)
def test_only_what_was_read_teaches(
    page_class: PageClass, outcome: str, learnt: PageClass | None
) -> None:
    made = AdmissionRules.from_template(load(TOPIC).template, 1.8e9)
    assert made.patterns is not None
    for number in range(20):
        one = waiting(f"http://{SITE}/x/{number}")
        learn_pattern(Page("", one.url, SITE, page_class, outcome), one, made)
    assert made.patterns.class_of(f"http://{SITE}/x/77", SITE).page_class is learnt


def test_on_the_demo_web_three_links_of_four_are_classed_before_and_nearly_all_rightly() -> None:
    web = DemoWeb(1)
    pages = web.walk(web.homes())
    known = UrlPatterns(lambda written: Matches([written]))
    said: Counter[bool] = Counter()
    articles: Counter[str] = Counter()
    for url, page in pages.items():
        if page.status != 200 or page.redirect:
            continue
        site = urlsplit(url).netloc
        truth = MIXED.get(page.page_class, page.page_class)
        expected = known.class_of(url, site).page_class
        if expected is not None:
            said[expected is truth] += 1
        if truth is PageClass.ARTICLE:
            articles["all"] += 1
            articles["found"] += expected is truth
        articles["said"] += expected is PageClass.ARTICLE
        known.judged(url, site, page.page_class)
    read = sum(page.status == 200 and not page.redirect for page in pages.values())
    assert said.total() / read > 0.72
    assert said[True] / said.total() > 0.97
    assert articles["found"] / articles["said"] > 0.97
    assert articles["found"] / articles["all"] > 0.86
