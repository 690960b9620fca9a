"""What is a change of an article, of the records of a page and of a list, and how it is told."""

from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.features.revisit.change.comparison import (
    ChangeKind,
    VisitVerdict,
    change_of,
    remembered,
)
from focuscrawl.features.revisit.change.visit_comparison import (
    compare_article,
    compare_list,
    compare_records,
)
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.values import (
    Article,
    Link,
    LinkBatch,
    PageClass,
    PageState,
    Record,
)

NOON = 1_795_147_200.0
HOME = "http://a.cn/"


def topic(text: str = "") -> Template:
    given = f'topic.name = "x"\n{text}\n[[source]]\nurl = "{HOME}"\nname = "a"\nlevel = 2\n'
    return load(given, {}, {}).template


def rules(template: Template | None = None) -> AdmissionRules:
    return AdmissionRules.from_template(template or topic(), NOON)


def state(page_class: PageClass = PageClass.ARTICLE, **more: Any) -> PageState:
    made = PageState(b"k" * 16, HOME, "a.cn", page_class, 3, NOON, NOON, NOON, 1, "a")
    return made._replace(**more)


def article(text: str, title: str = "食品抽检结果") -> Article:
    return Article((b"k" * 16).hex(), HOME, "a.cn", title, text)


SENTENCES = [
    f"成都市场监管部门公布第{n}批食品安全抽检结果,不合格样品已下架召回。" for n in range(30)
]
TEXT = "\n".join(SENTENCES)


def test_an_article_changes_a_little_or_much() -> None:
    template = topic()
    first = compare_article(state(), article(TEXT), template, frozenset())
    assert first.kind is ChangeKind.SAME, "there is nothing to compare with"
    known = remembered(state(), first)
    same = compare_article(known, article(f"{TEXT}\n阅读:7次"), template, frozenset())
    assert same.kind is ChangeKind.SAME
    little = compare_article(known, article(TEXT.replace("第7批", "第八批")), template, frozenset())
    assert little.kind is ChangeKind.MINOR
    much = compare_article(known, article("比赛将于周末在体育场举行。"), template, frozenset())
    assert much.kind is ChangeKind.MAJOR
    assert much.distance
    strict = topic("revisit.strict = true")
    published = compare_article(state(simhash=0), article(TEXT), strict, frozenset())
    assert (published.kind, published.mark.digest) == (ChangeKind.MAJOR, b"")


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
    assert compare_records(known, [other], one).kind is ChangeKind.MAJOR
    assert compare_records(known, [], one).kind is ChangeKind.MAJOR
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
    assert (found.kind, found.new) == (ChangeKind.MAJOR, 1)


def test_a_change_says_what_is_another_and_has_one_id_for_one_visit() -> None:
    verdict = VisitVerdict(
        ChangeKind.MINOR, compare_article(state(), article(TEXT), topic(), frozenset()).mark, 3
    )
    now = article(TEXT.replace("第7批", "第八批"), "抽检结果更正")
    found = change_of(now, verdict, 4, ("抽检结果", TEXT), NOON)
    assert (found.kind, found.what, found.distance) == ("minor", "article", 3)
    assert found.fields == {"title": ["抽检结果", "抽检结果更正"]}
    assert f"-{SENTENCES[7]}" in found.diff.splitlines()
    assert change_of(now, verdict, 4, None, NOON + 9).change_id == found.change_id
    assert change_of(now, verdict, 5, None, NOON).change_id != found.change_id
    assert change_of(now, verdict, 4, ("", ""), NOON).diff == "", "its text was not stored"


@pytest.mark.major_changes
def test_a_paragraph_added_to_a_long_article_is_a_major_change_whatever_its_simhash_says() -> None:
    verdict = VisitVerdict(
        ChangeKind.MINOR, compare_article(state(), article(TEXT), topic(), frozenset()).mark, 1
    )
    news = (
        "最新进展:复检结果与初检结论一致,企业没有提出异议。涉事门店已停业整改,同批次产品全部下架。"
    )
    found = change_of(article(TEXT + "\n" + news), verdict, 4, ("抽检结果", TEXT), NOON)
    assert (found.kind, found.distance) == ("major", 1)
    told_again = change_of(article(TEXT + "\n" + news), verdict, 4, ("抽检结果", TEXT + news), NOON)
    assert told_again.change_id == found.change_id, "after a crash the old text is gone"
