"""Which pages are watched, how they are queued again, and what is a change of theirs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.crawl.compare import compare_article, compare_list, compare_records
from focuscrawl.crawl.visit_rules import is_off, rules_of
from focuscrawl.crawl.visits import (
    facts_of,
    is_list,
    is_watched,
    refused_visit,
    visit_of,
)
from focuscrawl.revisit.article_changes import change_of
from focuscrawl.revisit.changes import Kind, Verdict, remembered
from focuscrawl.revisit.diffs import LARGEST, is_much, sentence_diff
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.topic.load import load
from focuscrawl.topic.template import Template
from focuscrawl.values import (
    Article,
    Link,
    LinkBatch,
    Page,
    PageClass,
    PageState,
    Record,
    Waiting,
)

NOON = 1_795_147_200.0
HOME = "http://a.cn/"
WAITING = Waiting(HOME, b"k" * 16, "a.cn", 3, 3, source_id="a", parent_key=b"p" * 16)


def topic(text: str = "") -> Template:
    given = f'topic.name = "x"\n{text}\n[[source]]\nurl = "{HOME}"\nname = "a"\nlevel = 2\n'
    return load(given, {}, {}).template


def rules(template: Template | None = None) -> AdmissionRules:
    return AdmissionRules.from_template(template or topic(), NOON)


def sources(template: Template) -> dict[str, Any]:
    return {one.source_id: one for one in template.sources}


def page(page_class: PageClass, outcome: str) -> Page:
    return Page("", HOME, "a.cn", page_class, outcome)


def state(page_class: PageClass = PageClass.ARTICLE, **more: Any) -> PageState:
    made = PageState(b"k" * 16, HOME, "a.cn", page_class, 3, NOON, NOON, NOON, 1, "a")
    return made._replace(**more)


def test_the_rules_are_those_of_the_template() -> None:
    text = '[revisit]\nbudget = "3600/h"\ngone_after = 5\n[revisit.feed]\nmax = "20m"\n[politeness]\ntimeout = "300s"\nretries = 9'
    found = rules_of(topic(text))
    assert (found.budget, found.gone_after, found.name) == (1.0, 5, "index")
    assert found.times(PageClass.SITEMAP).longest == 1200
    assert found.times(PageClass.ARTICLE).until == 30 * 86400
    assert found.lease > 300 * 10, "longer than all tries of a fetch"
    assert rules_of(topic("revisit.strict = true")).name == "tx"
    assert is_off(topic('revisit.policy = "off"'))
    assert not is_off(topic('topic.strict = true\nrevisit.policy = "off"')), "published: tx"


@pytest.mark.parametrize(
    ("page_class", "outcome", "expected"),
    [
        (PageClass.BOARD, "list", True),
        (PageClass.FEED, "list", True),
        (PageClass.PAGING, "list", False),
        (PageClass.ARTICLE, "stored", True),
        (PageClass.RECORD, "stored", True),
        (PageClass.ARTICLE, "irrelevant", False),
        (PageClass.ARTICLE, "copy", False),
        (PageClass.ARTICLE_PAGING, "part", False),
        (PageClass.OTHER, "list", False),
        (PageClass.BOARD, "error", False),
    ],
)
def test_lists_and_what_is_stored_is_watched(
    page_class: PageClass, outcome: str, expected: bool
) -> None:
    known = sources(topic())
    assert is_watched(page(page_class, outcome), WAITING, known) is expected
    source = WAITING._replace(parent_key=b"")
    assert is_watched(page(PageClass.OTHER, "list"), source, known), "a source, whatever it is"
    article = source._replace(page_class=PageClass.ARTICLE)
    assert not is_watched(page(PageClass.ARTICLE, "irrelevant"), article, known)


@given(st.integers(1, 10), st.integers(1, 10))
def test_no_page_is_queued_above_the_top(levels: int, before: int) -> None:
    low = load(f'topic.name = "x"\nqueues.levels = {levels}\n[[source]]\nurl = "{HOME}"', {}, {})
    found = visit_of(state(level=before), {}, rules(low.template))
    assert found.level == min(before, levels)
    assert not found.first_walk


def test_a_source_is_queued_at_the_level_its_template_gives_it_now() -> None:
    template = topic()
    facts = facts_of(WAITING._replace(parent_key=b""), sources(template))
    found = visit_of(state(PageClass.BOARD, facts=facts), sources(template), rules())
    assert (found.level, found.parent_key, found.depth) == (2, b"", 0)
    assert is_list(state(PageClass.OTHER, facts=facts))


def test_pages_the_template_no_longer_wants_are_not_visited() -> None:
    template = topic('follow.deny = ["/secret/"]')
    known, admission = sources(template), rules(template)

    def refused(one: PageState) -> str | None:
        return refused_visit(one, visit_of(one, known, admission), known, admission)

    denied = state(url=f"{HOME}secret/1.html", facts={"parent": b"p" * 16})
    assert refused(denied) == "deny"
    removed = state(PageClass.BOARD, source_id="taken out", facts={"parent": b"p" * 16})
    assert refused(removed) == "source"
    assert refused(removed._replace(page_class=PageClass.ARTICLE)) is None
    assert refused(removed._replace(source_id="seed:abc")) is None


def article(text: str, title: str = "食品抽检结果") -> Article:
    return Article((b"k" * 16).hex(), HOME, "a.cn", title, text)


SENTENCES = [
    f"成都市场监管部门公布第{n}批食品安全抽检结果,不合格样品已下架召回。" for n in range(30)
]
TEXT = "\n".join(SENTENCES)


def test_an_article_changes_a_little_or_much() -> None:
    template = topic()
    first = compare_article(state(), article(TEXT), template, frozenset())
    assert first.kind is Kind.SAME, "there is nothing to compare with"
    known = remembered(state(), first)
    same = compare_article(known, article(f"{TEXT}\n阅读:7次"), template, frozenset())
    assert same.kind is Kind.SAME
    little = compare_article(known, article(TEXT.replace("第7批", "第八批")), template, frozenset())
    assert little.kind is Kind.MINOR
    much = compare_article(known, article("比赛将于周末在体育场举行。"), template, frozenset())
    assert much.kind is Kind.MAJOR
    assert much.distance
    strict = topic("revisit.strict = true")
    published = compare_article(state(simhash=0), article(TEXT), strict, frozenset())
    assert (published.kind, published.mark.digest) == (Kind.MAJOR, b"")


def test_what_a_site_ignores_is_no_change() -> None:
    template = topic('[revisit]\nignore = ["...", "汇率*元"]\n')
    known = remembered(
        state(), compare_article(state(), article(f"{TEXT}\n汇率 7.1 元"), template, frozenset())
    )
    other = article(f"{TEXT}\n汇率 9.9 元\n天气 雨")
    assert compare_article(known, other, template, frozenset()).changed
    assert not compare_article(known, other, template, frozenset(), ["天气 雨"]).changed


def test_records_change_field_by_field_unless_other_fields_are_asked_for() -> None:
    fields = '[record.firm]\nkey = ["name"]\n[record.firm.fields]\nname = "名称"\n'
    one = topic(fields)
    record = Record("firm", "1", "a.cn", "", HOME, {"name": "川味"})
    known = remembered(state(), compare_records(state(), [record], one))
    assert not compare_records(known, [record], one).changed
    other = Record("firm", "1", "a.cn", "", HOME, {"name": "蜀味"})
    assert compare_records(known, [other], one).kind is Kind.MAJOR
    assert compare_records(known, [], one).kind is Kind.MAJOR
    more = topic(fields + 'phone = "电话"\n')
    assert not compare_records(known, [other], more).changed


def test_a_list_changes_by_links_that_may_be_fetched() -> None:
    admission = rules()

    def batch(*paths: str) -> LinkBatch:
        return LinkBatch(PageClass.BOARD, tuple(Link(HOME + path) for path in paths))

    known = remembered(state(), compare_list(state(), batch("1.html", "2.html"), admission))
    assert not compare_list(known, batch("2.html"), admission).changed, "one is pushed off"
    elsewhere = LinkBatch(PageClass.BOARD, (Link(f"{HOME}1.html"), Link("http://other.cn/x.html")))
    assert not compare_list(known, elsewhere, admission).changed
    found = compare_list(known, batch("3.html", "1.html"), admission)
    assert (found.kind, found.new) == (Kind.MAJOR, 1)


def test_a_change_says_what_is_another_and_has_one_id_for_one_visit() -> None:
    verdict = Verdict(
        Kind.MINOR, compare_article(state(), article(TEXT), topic(), frozenset()).mark, 3
    )
    now = article(TEXT.replace("第7批", "第八批"), "抽检结果更正")
    found = change_of(now, verdict, 4, ("抽检结果", TEXT), NOON)
    assert (found.kind, found.what, found.distance) == ("minor", "article", 3)
    assert found.fields == {"title": ["抽检结果", "抽检结果更正"]}
    assert f"-{SENTENCES[7]}" in found.diff.splitlines()
    assert change_of(now, verdict, 4, None, NOON + 9).change_id == found.change_id
    assert change_of(now, verdict, 5, None, NOON).change_id != found.change_id
    assert change_of(now, verdict, 4, ("", ""), NOON).diff == "", "its text was not stored"


def test_a_paragraph_added_to_a_long_article_is_a_major_change_whatever_its_simhash_says() -> None:
    verdict = Verdict(
        Kind.MINOR, compare_article(state(), article(TEXT), topic(), frozenset()).mark, 1
    )
    news = (
        "最新进展:复检结果与初检结论一致,企业没有提出异议。涉事门店已停业整改,同批次产品全部下架。"
    )
    found = change_of(article(TEXT + "\n" + news), verdict, 4, ("抽检结果", TEXT), NOON)
    assert (found.kind, found.distance) == ("major", 1)
    told_again = change_of(article(TEXT + "\n" + news), verdict, 4, ("抽检结果", TEXT + news), NOON)
    assert told_again.change_id == found.change_id, "after a crash the old text is gone"


@pytest.mark.parametrize(
    ("after", "much"),
    [
        ("甲店昨日被查出问题,罚款五万元。乙店的抽检结果全部合格,没有发现问题。", False),
        ("乙店的抽检结果全部合格,没有发现问题。甲店昨日被查出问题,罚款三万元。", False),
        ("甲店昨日被查出问题,罚款三万元。乙店的抽检结果全部合格,没有发现问题。责任编辑:南星。来源:晚报。", False),
        ("甲店昨日被查出问题,罚款三万元。乙店的抽检结果全部合格,没有发现问题。另有三人因食物中毒住院观察。", False),
        ("甲店昨日被查出问题,罚款三万元。", False),
        ("今天凌晨全市范围内突降大雨。地铁一号线因此停运了两个小时。", True),
    ],
)  # fmt: skip
def test_edited_moved_and_short_lines_are_not_much_but_two_whole_sentences_are(
    after: str, much: bool
) -> None:
    before = "甲店昨日被查出问题,罚款三万元。乙店的抽检结果全部合格,没有发现问题。"
    assert is_much(before, after) is much
    assert is_much(after, before) is much
    assert not is_much(after, after)


def test_texts_that_have_little_in_common_are_told_apart_at_once() -> None:
    one, other = (
        "".join(f"第{n}段{letter * 40}。" for n in range(1_000)) for letter in ("甲", "乙")
    )
    assert is_much(one, other)


@given(st.text(max_size=200), st.text(max_size=200))
def test_differences_are_by_sentence(before: str, after: str) -> None:
    assert not sentence_diff(before, before)
    lines = sentence_diff(before, after).split("\n")
    assert all(line[:1] in {"", "+", "-", " ", "@"} for line in lines)


def test_differences_are_bounded() -> None:
    many = "".join(f"第{n}句在这里。" for n in range(3_000))
    assert sentence_diff(many, many + "再一句。") == "", "too many to compare"
    long = "\n".join(f"{n}" + "长" * 900 for n in range(100))
    assert 0 < len(sentence_diff(long, "").encode()) <= LARGEST
