from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.links import admission_rules
from focuscrawl.readers.links.admission import (
    MOST_NEW_SITEMAPS,
    MOST_SITEMAPS,
    Admission,
    admit,
    checked_again,
    in_parts,
)
from focuscrawl.readers.links.admission_rules import AdmissionRules, LinkRules
from focuscrawl.template.kinds.addresses import Matches
from focuscrawl.template.kinds.words import Words
from focuscrawl.template.load import load
from focuscrawl.urls.canonical import Canonicalizer, UrlRules
from focuscrawl.urls.sites import Hosts
from focuscrawl.values import Link, LinkBatch, PageClass, Waiting
from tests.tables import each_row

TOP = 5
NEWS = "http://news.example.cn"
CANONICALIZER = Canonicalizer()


class Frontier:
    """The two doors of a frontier, and everything that went through them."""

    def __init__(self) -> None:
        self.numbers: set[int] = set()
        self.waiting: list[Waiting] = []
        self.asked = 0

    def add(self, waiting: Waiting, number: int) -> bool:
        self.asked += 1
        if number in self.numbers:
            return False
        self.numbers.add(number)
        self.waiting.append(waiting)
        return True

    def again(self, waiting: Waiting) -> int:
        self.waiting.append(waiting)
        return len(self.waiting)

    def take(self) -> list[Waiting]:
        taken, self.waiting = self.waiting, []
        return taken


def make_rules(
    links: LinkRules | None = None, scope: Hosts | None = None, **more: Any
) -> AdmissionRules:
    link_rules = links or LinkRules()
    values: dict[str, Any] = {
        "canonicalizer": CANONICALIZER,
        "for_host": lambda host: link_rules,
        "scope": scope,
        "top": TOP,
        "year": 2026,
    }
    return AdmissionRules(**(values | more))


def page(url: str = f"{NEWS}/", **values: Any) -> Waiting:
    address = CANONICALIZER.address(url)
    assert address is not None
    waiting = Waiting(address.url, address.key, address.site, 4, 4, PageClass.BOARD)
    return waiting._replace(source_id="news", **values)


def links(*urls: str) -> tuple[Link, ...]:
    return tuple(Link(url, "标题") for url in urls)


def run(
    found: tuple[Link, ...],
    rules: AdmissionRules | None = None,
    parent: Waiting | None = None,
    frontier: Frontier | None = None,
    **batch: Any,
) -> tuple[Admission, list[Waiting]]:
    frontier = frontier or Frontier()
    page_class = batch.pop("page_class", PageClass.BOARD)
    admission = admit(
        LinkBatch(page_class, found, **batch),
        parent or page(),
        rules or make_rules(),
        frontier.add,
        frontier.again,
    )
    return admission, frontier.take()


# What a new link carries -------------------------------------------------------------------------


def test_a_new_link_carries_where_it_came_from() -> None:
    parent = page(depth=2, page_number=3, first_walk=False, first_key=b"x")
    found = (Link("HTTPS://News.Example.CN/a/../b?utm_source=x&id=1#top", "  抽检结果"),)
    admission, [waiting] = run(found, parent=parent)
    assert admission[:4] == (1, 0, 0, {})
    assert waiting == Waiting(
        url="https://news.example.cn/b?id=1",
        key=CANONICALIZER.key("http://news.example.cn/b?id=1") or b"",
        site="news.example.cn",
        level=3,
        passed_level=3,
        page_class=None,
        depth=3,
        anchor="  抽检结果",
        parent_key=parent.key,
        source_id="news",
    )


def test_what_waits_is_a_whole_value() -> None:
    _, [waiting] = run(links(f"{NEWS}/a"))
    assert isinstance(waiting, Waiting)
    assert len(waiting) == len(Waiting._fields)


def test_long_link_texts_are_cut() -> None:
    _, [waiting] = run((Link(f"{NEWS}/a", "字" * 1000),))
    assert waiting.anchor == "字" * 300


@each_row(("given_level", "level"), [(None, 3), (1, 1), (5, 5), (0, 1), (-3, 1), (99, TOP)])
def test_a_level_named_by_the_finder_wins(given_level: int | None, level: int) -> None:
    _, [waiting] = run((Link(f"{NEWS}/a", level=given_level),))
    assert (waiting.level, waiting.passed_level) == (level, level)


def test_links_are_levelled_from_the_level_their_page_passes_on() -> None:
    parent = page(level=TOP, passed_level=2, page_class=PageClass.ARTICLE_PAGING)
    _, [waiting] = run(links(f"{NEWS}/a"), parent=parent, page_class=PageClass.ARTICLE)
    assert waiting.level == 1


def test_templates_tell_boards_and_articles() -> None:
    rules = make_rules(
        LinkRules(boards=Matches(["/list"]), articles=Matches(["/t2026"]), board_level=4)
    )
    found = links(f"{NEWS}/list_1.html", f"{NEWS}/t2026_1.html", f"{NEWS}/other.html")
    _, waiting = run(found, rules, parent=page(level=3, passed_level=3))
    assert [(one.page_class, one.level) for one in waiting] == [
        (PageClass.BOARD, 4),
        (PageClass.ARTICLE, 2),
        (None, 2),
    ]


def test_what_the_finder_knows_of_a_link_is_kept() -> None:
    rules = make_rules(LinkRules(boards=Matches(["/feed"])))
    _, [waiting] = run((Link(f"{NEWS}/feed.xml", page_class=PageClass.FEED),), rules)
    assert waiting.page_class is PageClass.FEED


# Twice the same ----------------------------------------------------------------------------------


def test_a_link_named_twice_counts_once_with_the_text_it_has() -> None:
    found = (
        Link(f"{NEWS}/a", ""),
        Link(f"{NEWS}/b", "乙"),
        Link(f"{NEWS}/a/?utm_source=picture", "标题"),
        Link("https://news.example.cn/a", "更多"),
    )
    admission, waiting = run(found)
    assert admission[:4] == (2, 0, 0, {"repeated": 2})
    assert [one.anchor for one in waiting] == ["标题", "乙"]


def test_known_links_are_counted_and_the_frontier_is_asked_once() -> None:
    rules, frontier = make_rules(), Frontier()
    found = links(f"{NEWS}/a", f"{NEWS}/b")
    first, _ = run(found, rules, frontier=frontier)
    assert (first.added, first.duplicates, frontier.asked) == (2, 0, 2)
    second, waiting = run((*found, *links(f"{NEWS}/c")), rules, frontier=frontier)
    assert (second.added, second.duplicates, frontier.asked) == (1, 2, 3)
    assert [one.url for one in waiting] == [f"{NEWS}/c"]


def test_what_another_process_admitted_is_known_to_the_frontier() -> None:
    frontier = Frontier()
    run(links(f"{NEWS}/a"), make_rules(), frontier=frontier)
    admission, waiting = run(links(f"{NEWS}/a/"), make_rules(), frontier=frontier)
    assert (admission.added, admission.duplicates, waiting) == (0, 1, [])


def test_a_refused_link_may_be_admitted_from_elsewhere() -> None:
    rules = make_rules(LinkRules(depth=2))
    deep, _ = run(links(f"{NEWS}/a"), rules, parent=page(depth=2))
    assert deep.refused == {"depth": 1}
    shallow, _ = run(links(f"{NEWS}/a"), rules, parent=page(depth=1))
    assert shallow.added == 1


def test_looks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission_rules, "LOOKS_KEPT", 10)
    rules, frontier = make_rules(), Frontier()
    for number in range(50):
        run(links(f"http://s{number}.cn/a"), rules, frontier=frontier)
        assert len(rules.looks) <= 10
        assert len(rules.hosts) <= 10
    again, _ = run(links("http://s0.cn/a"), rules, frontier=frontier)
    assert again.duplicates == 1


def test_known_addresses_are_bounded_and_stay_known_to_the_frontier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(admission_rules, "KNOWN_KEPT", 10)
    rules, frontier = make_rules(), Frontier()
    for number in range(50):
        run(links(f"{NEWS}/{number}"), rules, frontier=frontier)
        run(links(f"{NEWS}/{number}"), rules, frontier=frontier)
        assert len(rules.known) <= 11
    again, _ = run(links(f"{NEWS}/0"), rules, frontier=frontier)
    assert again.duplicates == 1


# Refusals ----------------------------------------------------------------------------------------


@each_row(
    ("url", "reason"),
    [
        ("mailto:a@example.cn", "scheme"),
        ("javascript:void(0)", "scheme"),
        ("ftp://news.example.cn/a", "scheme"),
        ("/relative", "scheme"),
        ("", "scheme"),
        ("http://", "invalid"),
        (" HTTP://a..cn/", "invalid"),
        ("http://news.example.cn/\ud800", "invalid"),
        ("http://news.example.cn/" + "x" * 2083, "length"),
        ("mailto:" + "x" * 20000, "length"),
        ("http://other.cn/", "scope"),
        ("http://example.cn/", "scope"),
        ("http://news.example.cn.evil.cn/", "scope"),
        ("http://news.example.cn@evil.cn/", "scope"),
        (f"{NEWS}/english/a", "deny"),
        (f"{NEWS}/news/english/a", "deny"),
        (f"{NEWS}/blog/a", "allow"),
        (f"{NEWS}/news/a.jpg", "suffix"),
        (f"{NEWS}/blog/a.ZIP?x=1", "suffix"),
        (f"{NEWS}/news/a/b/a/b/a/b", "trap:repetition"),
        (f"{NEWS}/news/cal?date=2050-01-01", "trap:calendar"),
        (f"{NEWS}/news/sessionid=0123456789abcdef0", "trap:session"),
    ],
)
def test_every_refusal_has_its_reason(url: str, reason: str) -> None:
    rules = make_rules(
        LinkRules(allow=Matches(["/news/"]), deny=Matches(["/english/"])),
        scope=Hosts(["news.example.cn"]),
    )
    admission, waiting = run(links(url, url), rules)
    assert admission[:4] == (0, 0, 0, {reason: 2})
    assert waiting == []


def test_subdomains_belong_and_a_single_host_does_not_extend() -> None:
    rules = make_rules(scope=Hosts(["example.cn", "=single.cn"]))
    found = links("http://a.b.example.cn/", "http://single.cn:8080/", "http://www.single.cn/")
    admission, waiting = run(found, rules)
    assert [one.site for one in waiting] == ["a.b.example.cn", "single.cn:8080"]
    assert admission.refused == {"scope": 1}


def test_an_alias_belongs_with_its_site_and_follows_its_rules() -> None:
    rules = make_rules(
        canonicalizer=Canonicalizer(aliases={"m.example.cn": "www.example.cn"}),
        scope=Hosts(["www.example.cn"]),
        for_host=lambda host: LinkRules(skip=host != "www.example.cn"),
    )
    _, [waiting] = run(links("http://m.example.cn/a"), rules)
    assert (waiting.url, waiting.site) == ("http://m.example.cn/a", "www.example.cn")


def test_a_skipped_site_is_never_fetched_not_even_its_files_or_pages() -> None:
    rules = make_rules(LinkRules(skip=True))
    found = (Link(f"{NEWS}/a"), Link(f"{NEWS}/a.pdf", page_class=PageClass.FILE))
    admission, waiting = run(found, rules, continuations=(Link(f"{NEWS}/list_2.html", "2"),))
    assert admission.refused == {"skip": 3}
    assert waiting == []


def test_sites_differ_in_their_rules() -> None:
    rules = make_rules(for_host=lambda host: LinkRules(depth=0 if host == "a.cn" else 5))
    admission, [waiting] = run(links("http://a.cn/", "http://b.cn/"), rules)
    assert (waiting.url, admission.refused) == ("http://b.cn/", {"depth": 1})


def test_the_length_is_that_of_what_would_be_fetched() -> None:
    rules = make_rules(max_length=40)
    tracked = f"{NEWS}/a?utm_source={'x' * 100}"
    admission, waiting = run(links(tracked, f"{NEWS}/{'x' * 30}"), rules)
    assert ([one.url for one in waiting], admission.refused) == ([f"{NEWS}/a"], {"length": 1})


@each_row(
    ("url", "page_class", "admitted"),
    [
        (f"{NEWS}/sitemap.xml.gz", PageClass.SITEMAP, True),
        (f"{NEWS}/sitemap.xml.gz", None, False),
        (f"{NEWS}/report.pdf", PageClass.FILE, True),
        (f"{NEWS}/report.pdf", None, False),
        ("http://cdn.cn/report.pdf", PageClass.FILE, True),
        ("http://other.cn/feed.xml", PageClass.FEED, False),
        (f"{NEWS}/english/report.pdf", PageClass.FILE, False),
    ],
)
def test_files_and_feeds_have_rules_of_their_own(
    url: str, page_class: PageClass | None, admitted: bool
) -> None:
    rules = make_rules(LinkRules(deny=Matches(["/english/"])), scope=Hosts(["news.example.cn"]))
    _, waiting = run((Link(url, page_class=page_class),), rules)
    assert bool(waiting) is admitted


def test_the_files_of_an_article_come_first_and_cost_no_click() -> None:
    parent = page(f"{NEWS}/a.html", level=2, passed_level=2, depth=5)
    found = (Link(f"{NEWS}/a.jpg", page_class=PageClass.FILE), Link(f"{NEWS}/b.html"))
    admission, [waiting] = run(found, parent=parent, page_class=PageClass.ARTICLE)
    assert (waiting.level, waiting.passed_level, waiting.depth) == (TOP, 2, 5)
    assert waiting.first_key == parent.key
    assert admission.refused == {"depth": 1}


# Paging ------------------------------------------------------------------------------------------


def pages(*numbers: int, name: str = "list") -> tuple[Link, ...]:
    return tuple(Link(f"{NEWS}/{name}_{number}.html", str(number)) for number in numbers)


def test_the_next_page_of_a_board_waits_with_its_board() -> None:
    parent = page(depth=4, page_number=3)
    further = (Link(f"{NEWS}/l_4", "下一页"),)
    admission, [_, waiting] = run(links(f"{NEWS}/a.html"), parent=parent, continuations=further)
    assert (admission.added, admission.continued) == (1, 1)
    assert (waiting.level, waiting.depth, waiting.page_number) == (4, 4, 4)
    assert (waiting.page_class, waiting.first_walk) == (PageClass.PAGING, True)
    assert waiting.first_key == b""


@pytest.mark.parametrize(
    ("depth", "found", "strict", "level"),
    [
        (0, (), False, TOP),
        (0, ("a.html",), False, TOP),
        (2, ("a.html",), False, 4),
        (2, (), False, 1),
        (2, ("feed/rss/", "feed/atom/"), False, 1),
        (2, ("feed/rss/", "one/"), False, 4),
        (0, (), True, 4),
        (2, (), True, 4),
    ],
)
def test_the_source_s_list_is_read_first_and_that_of_a_list_without_news_last(
    depth: int, found: tuple[str, ...], strict: bool, level: int
) -> None:
    """What stands behind its own address, and that of others too, is no news of a list: its feeds."""
    found_links = links(*(f"{NEWS}/tag/six/{one}" for one in found))
    rules = make_rules(strict=strict)
    for tail in ("2 feed/rss", "2 feed/atom"):
        rules.side.recurs(tail, "news.example.cn")
    _, waiting = run(
        found_links,
        rules,
        page(f"{NEWS}/tag/six/", depth=depth),
        continuations=(Link(f"{NEWS}/tag/six/?page=2", "下一页"),),
    )
    assert waiting[-1].level == level


@pytest.mark.parametrize(("depth", "level"), [(0, 3), (1, 1)])
def test_the_feed_of_a_list_beside_the_source_s_waits_behind_all_else(
    depth: int, level: int
) -> None:
    feed = (Link(f"{NEWS}/feed.xml", page_class=PageClass.FEED),)
    assert run(feed, parent=page(depth=depth))[1][0].level == level


def test_the_pages_of_an_article_come_first_and_know_page_one() -> None:
    first = page(f"{NEWS}/a.html", level=2, passed_level=2)
    _, parts = run(
        (), parent=first, page_class=PageClass.ARTICLE, continuations=pages(2, 3, name="a")
    )
    assert [(part.page_number, part.level, part.passed_level) for part in parts] == [
        (2, TOP, 2),
        (3, TOP, 2),
    ]
    assert {part.first_key for part in parts} == {first.key}
    assert {part.page_class for part in parts} == {PageClass.ARTICLE_PAGING}
    _, [fourth] = run(
        (), parent=parts[1], page_class=PageClass.ARTICLE, continuations=pages(4, name="a")
    )
    assert (fourth.first_key, fourth.page_number, fourth.passed_level) == (first.key, 4, 2)


def test_strict_levels_what_a_continuation_links_to_from_the_top() -> None:
    parent = page(level=2, passed_level=2)
    _, [part] = run(
        (),
        make_rules(strict=True),
        parent=parent,
        page_class=PageClass.ARTICLE,
        continuations=pages(2, name="a"),
    )
    assert (part.level, part.passed_level) == (TOP, TOP)


@pytest.mark.parametrize(
    ("links_of_page", "continued"), [((), 0), ((f"{NEWS}/old",), 0), ((f"{NEWS}/new",), 1)]
)
def test_a_board_is_read_on_only_behind_a_new_link(
    links_of_page: tuple[str, ...], continued: int
) -> None:
    rules, frontier = make_rules(), Frontier()
    run(links(f"{NEWS}/old"), rules, frontier=frontier)
    admission, _ = run(
        links(*links_of_page),
        rules,
        frontier=frontier,
        continuations=pages(2),
        until_known=True,
    )
    assert admission.continued == continued
    assert admission.refused == ({} if continued else {"until-known": 1})


def test_a_new_link_elsewhere_than_on_the_board_is_no_reason_to_read_on() -> None:
    """A pager's own links are not news: they must neither wait as pages nor count as new."""
    found = links(f"{NEWS}/list_2.html", f"{NEWS}/list_3.html")
    admission, waiting = run(found, continuations=pages(2, 3), until_known=True)
    assert waiting == []
    assert admission.refused == {"repeated": 2, "until-known": 2}


def test_a_board_with_an_unknown_end_is_read_page_by_page() -> None:
    admission, waiting = run(links(f"{NEWS}/a"), continuations=pages(9, 3, 2), until_known=True)
    assert [one.url for one in waiting] == [f"{NEWS}/a", f"{NEWS}/list_2.html"]
    assert admission.refused == {"paging": 2}


def test_all_pages_of_a_board_are_taken_at_once_when_all_are_wanted() -> None:
    admission, waiting = run((), continuations=pages(2, 3, 9))
    assert [one.page_number for one in waiting] == [2, 3, 9]
    assert admission.continued == 3


@each_row(
    ("anchor", "number"),
    [("7", 7), ("[7]", 7), (" 第7页 ", 7), ("下一页", 3), ("Next", 3), ("", 3), ("下10页", 3)],
)
def test_page_numbers_are_read_from_the_link(anchor: str, number: int) -> None:
    _, [waiting] = run((), parent=page(page_number=2), continuations=(Link(f"{NEWS}/l", anchor),))
    assert waiting.page_number == number


def test_boards_and_articles_end_at_their_last_page() -> None:
    rules = make_rules(LinkRules(pages=3, article_pages=2))
    board, _ = run((), rules, continuations=pages(2, 3, 4))
    assert (board.continued, board.refused) == (2, {"paging": 1})
    article, _ = run((), rules, page_class=PageClass.ARTICLE, continuations=pages(2, 3, name="a"))
    assert (article.continued, article.refused) == (1, {"paging": 1})


def test_no_paging_means_page_one_of_boards_but_whole_articles() -> None:
    rules = make_rules(LinkRules(paging="none"))
    assert run((), rules, continuations=pages(2))[0].continued == 0
    article, _ = run((), rules, page_class=PageClass.ARTICLE, continuations=pages(2, name="a"))
    assert article.continued == 1


def test_continuations_need_not_match_allow_but_deny_holds() -> None:
    rules = make_rules(LinkRules(allow=Matches(["/t2026"]), deny=Matches(["_3."])))
    admission, waiting = run(links(f"{NEWS}/x"), rules, continuations=pages(2, 3))
    assert [one.url for one in waiting] == [f"{NEWS}/list_2.html"]
    assert admission.refused == {"allow": 1, "deny": 1}


def test_continuations_stay_in_scope() -> None:
    rules = make_rules(scope=Hosts(["news.example.cn"]))
    admission, _ = run((), rules, continuations=(Link("http://other.cn/2", "2"),))
    assert admission.refused == {"scope": 1}


def test_a_continuation_among_the_links_is_treated_as_one() -> None:
    found = (Link(f"{NEWS}/list_2.html", "2", PageClass.PAGING),)
    admission, [waiting] = run(found)
    assert (admission.added, admission.continued) == (0, 1)
    assert (waiting.level, waiting.page_number) == (TOP, 2), "it goes on with the source's own list"


def test_a_page_does_not_continue_itself() -> None:
    parent = page(f"{NEWS}/list_2.html", page_number=2)
    admission, _ = run((), parent=parent, continuations=pages(2))
    assert admission.refused == {"repeated": 1}


def walk(rules: AdmissionRules, frontier: Frontier, board: Waiting, last: int) -> list[str]:
    """Read a board of ``last`` pages, each with a new link and the numbers of all pages."""
    read, todo = [], [board]
    while todo:
        at = todo.pop(0)
        read.append(at.url)
        if len(read) > 10 * last:
            break
        batch = LinkBatch(
            PageClass.BOARD,
            links(f"{NEWS}/article{len(frontier.numbers)}.html"),
            pages(*(n for n in range(1, last + 1) if n != at.page_number)),
            until_known=True,
        )
        admit(batch, at, rules, frontier.add, frontier.again)
        todo += [one for one in frontier.take() if one.page_class is PageClass.PAGING]
    return read


def test_a_board_that_is_read_again_is_read_from_front_to_end_once() -> None:
    rules, frontier = make_rules(), Frontier()
    board = page(f"{NEWS}/list_1.html")
    frontier.numbers.add(rules.look(board.url).address.number)
    whole = [f"{NEWS}/list_{number}.html" for number in range(1, 7)]
    assert walk(rules, frontier, board, 6) == whole
    assert walk(rules, frontier, board._replace(first_walk=False), 6) == whole


def test_articles_on_a_board_that_is_read_again_are_new_to_the_walk() -> None:
    _, [link, following] = run(
        links(f"{NEWS}/a"), parent=page(first_walk=False), continuations=pages(2)
    )
    assert (link.first_walk, following.first_walk) == (True, False)


# Taken again -------------------------------------------------------------------------------------


def test_what_was_admitted_is_admitted_when_it_is_taken() -> None:
    rules = make_rules(LinkRules(allow=Matches(["/a"])), scope=Hosts(["news.example.cn"]))
    _, waiting = run(links(f"{NEWS}/a", f"{NEWS}/a2"), rules, continuations=pages(2, 3))
    assert len(waiting) == 4
    assert [checked_again(one, rules) for one in waiting] == [None] * 4


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (LinkRules(deny=Matches(["/a"])), "deny"),
        (LinkRules(allow=Matches(["/b"])), "allow"),
        (LinkRules(depth=0), "depth"),
        (LinkRules(skip=True), "skip"),
    ],
)
def test_a_changed_rule_holds_when_a_link_is_taken(changed: LinkRules, reason: str) -> None:
    _, [waiting] = run(links(f"{NEWS}/a"))
    assert checked_again(waiting, make_rules(changed)) == reason


def test_a_narrower_scope_and_fewer_pages_hold_when_a_link_is_taken() -> None:
    _, [link, continuation] = run(links(f"{NEWS}/a"), continuations=pages(7))
    assert checked_again(link, make_rules(scope=Hosts(["other.cn"]))) == "scope"
    assert checked_again(continuation, make_rules(LinkRules(pages=5))) == "paging"


def test_only_skip_stops_a_source() -> None:
    source = page(f"{NEWS}/english/list.jpg")
    strict = LinkRules(deny=Matches(["/english/"]), allow=Matches(["/x"]), depth=0)
    assert checked_again(source, make_rules(strict, scope=Hosts(["other.cn"]))) is None
    assert checked_again(source, make_rules(LinkRules(skip=True))) == "skip"


def test_a_whole_request_is_its_makers_affair() -> None:
    waiting = page(parent_key=b"k" * 16, request={"method": "POST"})
    assert checked_again(waiting, make_rules(LinkRules(skip=True))) is None


# From a template ---------------------------------------------------------------------------------

TEMPLATE = """
[topic]
name = "rules"
[[source]]
url = "http://news.example.cn/list/"
[follow]
sites = ["other.cn"]
allow = ["/news/"]
deny = ["/english/"]
articles = ['re:/t\\d+\\.html']
depth = 3
pages = 7
[article]
pages = 9
[queues]
levels = 4
[url]
drop = ["...", "t"]
[site."blog.example.cn"]
aliases = ["m.example.cn"]
level = 4
[site."blog.example.cn".follow]
depth = 1
[site."blog.example.cn".url]
keep = ["t"]
[site."other.cn"]
skip = true
[settings]
URLLENGTH_LIMIT = 100
"""


def test_rules_are_read_out_of_a_template() -> None:
    template = load(TEMPLATE).template
    rules = AdmissionRules.from_template(template, 1_800_000_000.0)
    assert (rules.top, rules.max_length, rules.year, rules.strict) == (4, 100, 2027, False)
    general = rules.for_host("news.example.cn")
    assert (general.depth, general.pages, general.article_pages) == (3, 7, 9)
    assert general.boards is None
    assert (rules.for_host("blog.example.cn").depth, rules.for_host("other.cn").skip) == (1, True)
    found = links(
        f"{NEWS}/news/t1.html?t=5",
        f"{NEWS}/news/english/",
        f"{NEWS}/sport/",
        "http://other.cn/news/",
        "http://third.cn/news/",
    )
    admission, [waiting] = run(found, rules)
    assert (waiting.url, waiting.page_class) == (f"{NEWS}/news/t1.html", PageClass.ARTICLE)
    assert admission.refused == {"deny": 1, "allow": 1, "skip": 1, "scope": 1}


def test_a_sites_own_address_rules_hold_for_its_aliases() -> None:
    text = TEMPLATE.replace("sites = [", 'sites = ["blog.example.cn", ')
    rules = AdmissionRules.from_template(load(text).template, 1_800_000_000.0)
    found = links(
        "http://blog.example.cn/news/a",
        "http://m.example.cn/news/a",
        "http://m.example.cn/news/a?t=1",
    )
    admission, waiting = run(found, rules)
    assert [one.url for one in waiting] == [found[0].url, found[2].url]
    assert admission.refused == {"repeated": 1}


# Whatever comes ----------------------------------------------------------------------------------

ANY_URL = st.one_of(
    st.text(max_size=20),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["http://", "https://", "HTTP://", "//", "mailto:"]),
        st.sampled_from(["news.example.cn", "a.cn", "a.cn:8080", "", "中国.cn", "[::1]"]),
        st.text("ab/.?=&%#; 页", max_size=12),
    ),
)
ANY_LINK = st.builds(
    Link,
    ANY_URL,
    st.sampled_from(["", "标题", "2", "下一页"]),
    st.sampled_from([None, *PageClass]),
    st.sampled_from([None, None, 0, 3, 99]),
)
BATCHES = st.builds(
    LinkBatch,
    st.sampled_from(list(PageClass)),
    st.lists(ANY_LINK, max_size=8).map(tuple),
    st.lists(ANY_LINK, max_size=4).map(tuple),
    st.booleans(),
)
PARENTS = st.builds(
    lambda depth, number, first: page(depth=depth, page_number=number, first_walk=first),
    st.integers(0, 6),
    st.integers(1, 25),
    st.booleans(),
)


@given(BATCHES, PARENTS, st.booleans(), st.booleans())
def test_every_link_is_accounted_for_and_what_waits_can_be_fetched(
    batch: LinkBatch, parent: Waiting, strict: bool, twice: bool
) -> None:
    frontier = Frontier()
    rules = replace(make_rules(scope=Hosts(["news.example.cn", "a.cn"]), strict=strict))
    for _ in range(1 + twice):
        admission = admit(batch, parent, rules, frontier.add, frontier.again)
        accounted = admission.added + admission.continued + admission.duplicates
        accounted += sum(admission.refused.values())
        assert accounted == len(batch.links) + len(batch.continuations)
        waiting = frontier.take()
        assert len(waiting) == admission.added + admission.continued
    for one in waiting:
        assert CANONICALIZER.canonical(one.url) == one.url
        assert CANONICALIZER.key(one.url) == one.key
        assert 1 <= one.level <= TOP
        assert 1 <= one.passed_level <= TOP
        assert one.parent_key == parent.key
        assert one.depth in (parent.depth, parent.depth + 1)


@given(st.lists(ANY_URL, max_size=6), st.booleans())
def test_the_order_of_rules_does_not_let_anything_out_of_scope(
    urls: list[str], distinct: bool
) -> None:
    canonicalizer = Canonicalizer(UrlRules(scheme_same=not distinct))
    rules = make_rules(scope=Hosts(["a.cn"]), canonicalizer=canonicalizer)
    _, waiting = run(links(*urls), rules)
    assert all(one.site in ("a.cn", "a.cn:8080") for one in waiting)


# Layers ------------------------------------------------------------------------------------------


LAYERS = Words(["关于我们|公司简介", "联系我们|联系方式"])


def layered(
    *found: Link, layer: int = 0, strict: bool = False, **batch: Any
) -> tuple[Admission, dict[str, int]]:
    """Admit links of a page in a layer; what waits, by the end of its address."""
    rules = make_rules(layers=LAYERS, strict_layers=strict)
    admission, waiting = run(found, rules, page(layer=layer), **batch)
    return admission, {each.url.rpartition("/")[2]: each.layer for each in waiting}


def test_only_links_of_a_later_layer_are_followed() -> None:
    admission, layers = layered(
        Link(f"{NEWS}/a", "关 于 我 们"),
        Link(f"{NEWS}/c", "联 系 我 们"),
        Link(f"{NEWS}/t", "", title="聯繫我們"),
        Link(f"{NEWS}/n", "新闻中心"),
    )
    assert layers == {"a": 1, "c": 2, "t": 2}
    assert admission.refused == {"layer": 1}


def test_strict_layers_follow_one_after_the_other() -> None:
    found = (Link(f"{NEWS}/a", "关于我们"), Link(f"{NEWS}/c", "联系我们"))
    assert layered(*found, strict=True)[1] == {"a": 1}
    assert layered(*found, strict=True, layer=1)[1] == {"c": 2}


def test_nothing_is_followed_from_the_last_layer() -> None:
    admission, layers = layered(Link(f"{NEWS}/c", "联系我们"), layer=2)
    assert not layers
    assert admission.refused == {"layer": 1}


def test_a_link_without_a_layer_does_not_hide_the_same_address_with_one() -> None:
    found = (Link(f"{NEWS}/c", "地图"), Link(f"{NEWS}/c", "联系方式"))
    assert layered(*found)[1] == {"c": 2}


@pytest.mark.parametrize(
    ("title", "anchor", "goes_on"),
    [
        ("公司简介_甲公司", "新闻", True),
        ("企业名录", "联系我们", True),
        ("企业名录", "新闻", False),
    ],
)
def test_a_list_is_paged_through_while_it_matches_its_layer(
    title: str, anchor: str, goes_on: bool
) -> None:
    next_page = (Link(f"{NEWS}/list_2", "2", PageClass.PAGING),)
    admission, layers = layered(
        Link(f"{NEWS}/x", anchor), layer=1, title=title, continuations=next_page
    )
    assert admission.continued == goes_on
    assert layers.get("list_2") == (1 if goes_on else None)


def test_files_belong_to_their_page_and_parts_to_their_article() -> None:
    found = (Link(f"{NEWS}/a.pdf", "附件", PageClass.FILE),)
    parts = (Link(f"{NEWS}/a_2", "2", PageClass.ARTICLE_PAGING),)
    _, layers = layered(*found, layer=2, page_class=PageClass.ARTICLE, continuations=parts)
    assert layers == {"a.pdf": 2, "a_2": 2}


def test_a_sitemap_is_admitted_in_parts_and_a_board_as_a_whole() -> None:
    links = tuple(Link(f"http://a.test/{number}") for number in range(2_500))
    parts = list(in_parts(LinkBatch(PageClass.SITEMAP, links)))
    assert [len(part.links) for part in parts] == [1_000, 1_000, 500]
    assert tuple(link for part in parts for link in part.links) == links
    for whole in (LinkBatch(PageClass.BOARD, links), LinkBatch(PageClass.FEED, links[:9])):
        assert list(in_parts(whole)) == [whole]


def test_links_into_a_crowded_site_are_refused_and_come_when_it_is_crowded_no_more() -> None:
    rules, added = make_rules(), list[str]()

    def add(waiting: Waiting, number: int) -> bool:
        added.append(waiting.url)
        return True

    batch = LinkBatch(PageClass.BOARD, links(f"{NEWS}/1.html", f"{NEWS}/2.html"))
    site = rules.look(f"{NEWS}/1.html").address.site
    again = list[Waiting]().append
    first = admit(batch, page(), rules, add, again, crowded={site})
    assert (first.added, first.refused, added) == (0, {"crowded": 2}, [])
    assert admit(batch, page(), rules, add, again, crowded={"b.cn"}).added == 2


def test_of_a_sites_sitemaps_so_many_are_read_in_a_run_and_the_first_of_an_index_always() -> None:
    rules, most = make_rules(), MOST_SITEMAPS

    def index(first: int, count: int) -> LinkBatch:
        urls = (f"{NEWS}/map-{number}.xml" for number in range(first, first + count))
        return LinkBatch(
            PageClass.SITEMAP, tuple(Link(url, page_class=PageClass.SITEMAP) for url in urls)
        )

    def refused(batch: LinkBatch) -> dict[str, int]:
        parent = page(f"{NEWS}/map.xml")._replace(page_class=PageClass.SITEMAP)
        return admit(batch, parent, rules, lambda *_: True, lambda _: None).refused

    assert refused(index(0, most + 51)) == {"sitemaps": 51}
    assert refused(index(0, most)) == {}, "they are read already"
    assert refused(index(9_000, 100)) == {"sitemaps": 100 - MOST_NEW_SITEMAPS}
