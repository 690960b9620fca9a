"""What a person reads at the end of a crawl."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.output.summary.advice import KINDS, likely_reasons, needs_lines
from focuscrawl.output.summary.lines import counted, most_frequent, size_text
from focuscrawl.output.summary.summary import (
    END_SENTENCES,
    FoundRows,
    SiteLine,
    SpiderCounts,
    Summary,
    end_sentence,
    spider_summary_text,
    summary_text,
)
from focuscrawl.readers.relevance.groups import GroupPages
from focuscrawl.values import Finding
from tests.tables import each_row

NO_ARTICLES = FoundRows("articles", {"new": 0, "changed": 0}, always=True)
COUNTS = st.dictionaries(st.text(max_size=12), st.integers(0, 10**6), max_size=12)

RUN = Summary(
    topic="sc-food",
    title="四川食品安全",
    end_reason="limit_pages",
    end_detail="500 pages were allowed.",
    seconds=725,
    requests=520,
    pages=500,
    found=[FoundRows("articles", {"new": 120, "changed": 3}, always=True)],
    bytes=12_345_678,
    waiting=4000,
    failed=7,
    outcomes={"list": 300, "stored": 123, "irrelevant": 77},
    page_reasons={"robots": 5},
    refused={"scope": 9000, "allow": 200},
    failures={"TimeoutError": 6, "http 500": 1},
    failed_urls=[("http://slow.example/a", "TimeoutError")],
    sites=[SiteLine(f"site{number:02}.example", pages=number) for number in range(12)],
    results="/data/sc-food.db",
    feeds=["/data/sc-food.csv"],
)


def test_a_crawl_that_found_something_is_told_in_full() -> None:
    text = summary_text(RUN)
    assert text.startswith(
        "四川食品安全 (sc-food): Stopped at limits.pages. 500 pages were allowed.\n"
        "  500 pages from 520 requests in 12 min 5 s, 12.3 MB\n"
        "  articles   120 new, 3 changed\n"
        "  pages      list 300, stored 123, irrelevant 77\n"
        "  not fetched robots 5\n"
        "  refused    scope 9,000, allow 200\n"
        "  failures   TimeoutError 6, http 500 1\n"
        "  left       4,000 waiting, 7 failed, to be tried again: the next run goes on with them\n"
    )
    assert "http://slow.example/a  (TimeoutError)" in text
    assert text.endswith("  results    /data/sc-food.db\n  feed       /data/sc-food.csv")
    assert "Likely reasons" not in text


def test_a_spider_without_a_topic_is_told_of_by_classes_callbacks_and_codes() -> None:
    counts = SpiderCounts(
        items=Counter(Book=50, dict=11),
        callbacks=Counter({f"read_{number}": 1 for number in range(12)}),
        statuses=Counter({"200": 61, "404": 1}),
    )
    text = spider_summary_text(replace(RUN, topic="books", end_detail=""), counts)
    assert text == (
        "books: Stopped at CLOSESPIDER_PAGECOUNT.\n"
        "  500 pages from 520 requests in 12 min 5 s, 12.3 MB\n"
        "  items      Book 50, dict 11\n"
        "  callbacks  read_0 1, read_1 1, read_10 1, read_11 1, read_2 1, read_3 1, read_4 1,"
        " read_5 1, and 4 of others\n"
        "  statuses   200 61, 404 1\n"
        "  failures   TimeoutError 6, http 500 1\n"
        "  not asked  robots 5\n"
        "  left       4,000 waiting, 7 failed, to be tried again: the next run goes on with them\n"
        "    http://slow.example/a  (TimeoutError)\n"
        "  results    /data/sc-food.db\n"
        "  feed       /data/sc-food.csv"
    )
    empty = spider_summary_text(Summary(topic="books", end_reason="finished"), SpiderCounts())
    assert "\n  items      none" in empty


def test_a_forum_whose_threads_have_grown_gave_something() -> None:
    run = replace(RUN, found=[NO_ARTICLES, FoundRows("threads", {"new": 2, "grown": 31})])
    text = summary_text(run)
    assert "\n  threads    2 new, 31 grown\n" in text
    assert "Nothing new" not in text
    assert "Likely reasons" not in text


def test_the_ten_busiest_sites_are_named_and_the_others_counted() -> None:
    text = summary_text(RUN)
    assert "site11.example" in text
    assert "site02.example" in text
    assert "site01.example" not in text
    assert "and 2 more" in text


def test_a_site_in_trouble_says_so() -> None:
    site = SiteLine("a.example", pages=1, articles=1, errors=2, state="blocked", delay=2.5)
    text = summary_text(replace(RUN, sites=[site]))
    assert "a.example  1 page, 1 article, 2 errors, blocked, every 2.5 s" in text


def test_every_reason_the_results_know_has_a_sentence() -> None:
    assert set(END_SENTENCES) == {
        "finished",
        "nothing_due",
        "limit_pages",
        "limit_articles",
        "limit_errors",
        "limit_time",
        "outside_hours",
        "shutdown",
        "empty",
        "search_blocked",
        "sites_unreachable",
        "only_errors",
        "store_error",
        "crashed",
    }


def test_a_reason_of_scrapy_is_told_as_it_is() -> None:
    assert end_sentence("memusage_exceeded") == "Scrapy closed the crawl: memusage_exceeded."


def test_nothing_new_after_earlier_finds_is_no_alarm() -> None:
    text = summary_text(replace(RUN, found=[NO_ARTICLES], ever_found=True))
    assert "Nothing new this time" in text
    assert "Likely reasons" not in text


def test_an_empty_crawl_names_its_reasons() -> None:
    text = summary_text(replace(RUN, found=[NO_ARTICLES], ever_found=False))
    assert "Nothing was found. Likely reasons:" in text
    assert "robots.txt" in text


@each_row(
    ("run", "words"),
    [
        ({"pages": 0, "requests": 3, "failures": {"dns": 3}}, "no fetch got a page (dns 3)"),
        ({"pages": 2, "requests": 9, "failures": {"timeout": 7}}, "7 fetches got no page"),
        ({"requests": 4, "page_reasons": {"robots": 4}}, "4 pages not fetched: robots.txt forbids"),
        ({"page_reasons": {"quota": 1}}, "1 page not fetched: the quotas"),
        ({"page_reasons": {"odd:x": 1}}, "the rule 'odd:x' refused them (x)"),
        ({"pages": 9, "outcomes": {"irrelevant": 9}}, "9 pages were judged irrelevant"),
        ({"pages": 1, "outcomes": {"irrelevant": 1}}, "1 page was judged irrelevant"),
        ({"pages": 9, "outcomes": {"list": 8, "error": 50}}, "8 pages were only lists"),
        ({"pages": 9, "outcomes": {"old": 9}}, "older than article.since"),
        ({"pages": 9, "outcomes": {"short": 9}}, "too short for an article"),
        ({"pages": 9, "refused": {"allow": 512}}, "512 links refused by allow: no link matched"),
        ({"pages": 9, "refused": {"trap:calendar": 5}}, "look like a trap (calendar)"),
        ({"end_reason": "search_blocked"}, "captcha"),
        ({}, "nothing was asked for"),
        ({"requests": 5, "pages": 5}, "scrapy topic try food"),
    ],
)
def test_each_cause_of_an_empty_crawl_is_recognised(run: dict[str, object], words: str) -> None:
    known: dict[str, object] = {"topic": "food", "end_reason": "finished", **run}
    reasons = likely_reasons(Summary(**known))  # type: ignore[arg-type]
    assert words in reasons[0]


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("shutdown", "it was stopped by a signal or Ctrl-C"),
        ("outside_hours", "it was outside politeness.hours"),
        ("limit_pages", "it was stopped by limits.pages"),
        ("limit_time", "it was stopped by limits.time"),
    ],
)
def test_a_run_that_was_stopped_says_so_first_and_guesses_nothing(reason: str, cause: str) -> None:
    before = Summary("food", reason, waiting=1)
    told = "before {} that waited could be asked for: the next run goes on with them"
    assert likely_reasons(before) == [f"{cause} {told.format('1 address')}"]
    between = Summary(
        "food", reason, requests=1, pages=3, waiting=12, outcomes={"list": 1}, failures={"dns": 3}
    )
    reasons = likely_reasons(between)
    assert reasons[0] == f"{cause} {told.format('12 addresses')}"
    assert [one.partition(" (")[0] for one in reasons[1:]] == ["3 fetches got no page"]
    judged = replace(between, failures={}, outcomes={"irrelevant": 9})
    assert "9 pages were judged irrelevant" in likely_reasons(judged)[1]
    assert "only lists" in likely_reasons(replace(between, failures={}, waiting=0))[0]


WORDS = [
    GroupPages("keywords", "软件", 3, 54),
    GroupPages("keywords", "流计祘", 0, 54),
    GroupPages("require", "成都", 0, 54),
    GroupPages("exclude", "招聘", 50, 54),
]


@each_row(
    ("reason", "words"),
    [
        (
            "keywords",
            "none of topic.keywords occurs (流计祘: 0 of 54 pages, 软件: 3 of 54 pages)",
        ),
        (
            "score",
            "too seldom for relevance.threshold (流计祘: 0 of 54 pages, 软件: 3 of 54 pages)",
        ),
        ("require:成都", "成都 (topic.require) does not occur (成都: 0 of 54 pages)"),
        ("exclude:招聘", "招聘 (topic.exclude) occurs (招聘: 50 of 54 pages)"),
        ("layer", "not behind links that follow.layers name"),
        ("language:en", "another language (en) than article.languages has"),
        ("article.keep", 'article.keep = "none"'),
        ("", "compare topic.keywords"),
    ],
)
def test_pages_without_the_words_are_told_of_by_word_group(reason: str, words: str) -> None:
    run = Summary(
        "food", "empty", pages=60, outcomes={"irrelevant": 54, "list": 6}, groups=WORDS,
        irrelevant={reason: 54} if reason else {}, refused={"scope": 900}, page_reasons={"robots": 2},
    )  # fmt: skip
    reasons = likely_reasons(run)
    assert reasons[0].startswith("54 pages were judged irrelevant: ")
    assert words in reasons[0]
    assert [reason.partition(":")[0] for reason in reasons[1:]] == [
        "2 pages not fetched",
        "900 links refused by scope",
    ]


def test_of_many_word_groups_those_on_the_fewest_pages_are_told() -> None:
    many = [GroupPages("keywords", f"词{number}", number, 20) for number in range(20)]
    run = Summary("food", "empty", pages=20, outcomes={"irrelevant": 20}, groups=many,
                  irrelevant={"keywords": 20})  # fmt: skip
    first = likely_reasons(run)[0]
    assert "(词0: 0 of 20 pages, " in first
    assert "词7: 7 of 20 pages, and 12 more groups)" in first


def test_links_go_first_where_nothing_but_lists_was_read() -> None:
    run = Summary("food", "empty", pages=9, outcomes={"list": 9}, refused={"allow": 512})
    assert [reason.partition(":")[0] for reason in likely_reasons(run)] == [
        "512 links refused by allow",
        "9 pages were only lists of links",
    ]


def test_a_source_that_is_not_there_is_the_cause_where_nothing_else_came() -> None:
    gone = [Finding("sources", 1, ["http://a.cn/nwes/"], "404")]
    run = Summary("food", "empty", pages=1, outcomes={"gone": 1}, unrecognised=gone)
    assert likely_reasons(run)[0] == (
        "1 source answered 404 (http://a.cn/nwes/): correct their addresses in [[source]]"
    )
    others = replace(run, outcomes={"gone": 1, "short": 9})
    assert "too short" in likely_reasons(others)[0]


@given(st.integers(0, 99), st.integers(0, 99), COUNTS, COUNTS, COUNTS, COUNTS)
def test_an_empty_crawl_is_never_silent(
    requests: int,
    pages: int,
    outcomes: dict[str, int],
    page_reasons: dict[str, int],
    refused: dict[str, int],
    failures: dict[str, int],
) -> None:
    run = Summary(
        "food",
        "empty",
        requests=requests,
        pages=pages,
        outcomes=outcomes,
        page_reasons=page_reasons,
        refused=refused,
        failures=failures,
    )
    reasons = likely_reasons(run)
    assert 1 <= len(reasons) <= 4
    assert all(reasons)


def test_small_words() -> None:
    assert (counted(1, "page"), counted(1200, "page")) == ("1 page", "1,200 pages")
    assert [size_text(size) for size in (999, 1500, 2 * 10**9, 10**13)] == [
        "999 B",
        "1.5 kB",
        "2.0 GB",
        "10000.0 GB",
    ]
    assert most_frequent({"a": 1, "b": 3, "c": 2, "d": 0}, 2) == "b 3, c 2, and 1 for other reasons"


FINDINGS = st.lists(
    st.builds(
        Finding,
        st.sampled_from([*KINDS]),
        st.integers(1, 10**6),
        st.lists(st.text(max_size=20), min_size=1, max_size=4),
        st.text(max_size=20),
        st.integers(1, 10**6),
        st.integers(0, 10**6),
    ),
    max_size=30,
)


@given(FINDINGS)
def test_what_was_not_recognised_is_told_in_few_lines_with_a_way_out_each(
    findings: list[Finding],
) -> None:
    lines = needs_lines(findings, "x")
    assert len(lines) <= 1 + sum(words.most * 4 + 1 for words in KINDS.values())
    assert bool(lines) == bool(findings)
    kinds = {found.kind for found in findings}
    assert sum(line.startswith("    - ") for line in lines) >= len(kinds)


def test_a_crawl_that_finished_says_first_that_not_all_was_recognised() -> None:
    found = Finding("threads", 3, ["http://b.cn/t/1", "http://b.cn/t/2", "http://b.cn/t/3"], "b.cn")
    run = replace(RUN, end_reason="finished", end_detail="", unrecognised=[found])
    text = summary_text(run)
    assert "Finished, but something needs you; see below.\n" in text
    assert (
        "\n  what needs you:\n    - 3 addresses listed as threads without a post\n"
        "        http://b.cn/t/1\n        http://b.cn/t/2\n"
        '      [site."b.cn".select] post, posted, poster and post_text say where the posts stand\n'
    ) in text
    assert "1 address listed as a thread" in summary_text(
        replace(run, unrecognised=[found._replace(number=1)])
    )
    assert "Stopped at limits.pages" in summary_text(replace(RUN, unrecognised=[found]))
