"""What counts as a change, class by class, and what never does."""

import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.change.comparison import (
    ChangeKind,
    VisitVerdict,
    compare_fields,
    compare_links,
    compare_strictly,
    compare_text,
    fields_mark,
    links_mark,
    remembered,
    text_mark,
)
from focuscrawl.features.revisit.change.volatile import TextRules, noted, shapes_of_site
from focuscrawl.values import PageClass, PageState
from tests.tables import each_row

pytestmark = pytest.mark.what_changed

RULES = TextRules()
TEXT = "成都市市场监管局公布抽检结果。\n不合格食品共 20 批次,其中乳制品 3 批次。\n已责令下架。"


def page(digest: bytes = b"", details: bytes = b"") -> PageState:
    state = PageState(
        b"k" * 16, "http://a.example/", "a.example", PageClass.ARTICLE, 1, 0.0, 0.0, None, 1
    )
    return state._replace(digest=digest, details=details)


def read(
    state: PageState, text: str, *, title: str = "抽检", simhash: int = 0, rules: TextRules = RULES
) -> tuple[VisitVerdict, PageState]:
    verdict = compare_text(state, text_mark(title, text, simhash, rules))
    return verdict, remembered(state, verdict)


def kinds(texts: Iterable[str], rules: TextRules = RULES) -> list[ChangeKind]:
    """Read one version of a page after the other; return what each counted as."""
    state, found = page(), []
    for text in texts:
        verdict, state = read(state, text, rules=rules)
        found.append(verdict.kind)
    return found


# Records and threads


def test_a_price_or_status_that_differs_is_a_change() -> None:
    before = {"价格": 199, "状态": "在售", "名称": "甲"}
    after = {"价格": 149, "状态": "已下架", "名称": "甲"}
    state = remembered(page(), compare_fields(page(), fields_mark(before)))
    verdict = compare_fields(state, fields_mark(after))
    assert verdict.kind is ChangeKind.MAJOR
    assert verdict.changed
    state = remembered(state, verdict)
    assert compare_fields(state, fields_mark(after)).kind is ChangeKind.SAME


def test_white_space_width_and_counters_of_visitors_are_no_change_of_a_record() -> None:
    before = {"电话": "028-1234", "名称": "四川 软件公司", "浏览量": 12}
    after = {"电话": "028-1234", "名称": " 四川\n软件公司 ", "浏览量": 13}
    state = remembered(page(), compare_fields(page(), fields_mark(before)))
    assert not compare_fields(state, fields_mark(after)).changed
    assert compare_fields(
        remembered(page(), compare_fields(page(), fields_mark(before, ()))), fields_mark(after, ())
    ).changed


def test_a_field_that_is_found_or_lost_is_a_change_and_another_template_is_none() -> None:
    state = remembered(page(), compare_fields(page(), fields_mark({"电话": None, "邮箱": "a"})))
    assert compare_fields(state, fields_mark({"电话": "028", "邮箱": "a"})).changed
    other = compare_fields(state, fields_mark({"电话": "028", "邮箱": "b", "网址": "c"}))
    assert not other.changed
    assert other.mark.digest != state.digest


@given(st.dictionaries(st.text(), st.one_of(st.none(), st.text(), st.integers(), st.booleans())))
def test_fields_do_not_change_by_their_order(fields: dict[str, object]) -> None:
    turned = dict(reversed(fields.items()))
    assert fields_mark(fields) == fields_mark(turned)


# Boards


def keys(*numbers: int) -> list[bytes]:
    return [number.to_bytes(4, "big") * 4 for number in numbers]


def board(state: PageState, *numbers: int) -> tuple[VisitVerdict, PageState]:
    verdict = compare_links(state, links_mark(keys(*numbers)))
    return verdict, remembered(state, verdict)


def test_a_board_changes_by_links_it_never_showed() -> None:
    first, state = board(page(), 1, 2, 3)
    assert not first.changed
    verdict, state = board(state, 9, 8, 1)  # two in, two out
    assert (verdict.kind, verdict.new) == (ChangeKind.MAJOR, 2)
    assert not board(state, 8, 9, 1)[0].changed
    assert not board(state, 9)[0].changed
    assert not board(state, 3, 2, 9)[0].changed  # what was pushed off is no news


def test_a_board_whose_advertisements_take_turns_calms_down() -> None:
    state, changed = page(), []
    for visit in range(12):
        verdict, state = board(state, 1, 2, 3, 100 + visit % 4)
        changed.append(verdict.changed)
    assert changed == [False, True, True, True] + [False] * 8


@given(st.lists(st.sets(st.integers(0, 60), max_size=20), max_size=12))
def test_a_board_counts_exactly_what_it_never_showed(visits: list[set[int]]) -> None:
    state, shown = page(), set[int]()
    for visit, links in enumerate(visits):
        verdict, state = board(state, *links)
        assert verdict.new == (len(links - shown) if visit else 0)
        shown |= links


def test_what_is_remembered_of_a_huge_board_has_an_end() -> None:
    state = page()
    for visit in range(4):
        _, state = board(state, *range(visit * 5000, visit * 5000 + 5000))
    assert len(state.details) == 4000


def test_damaged_memories_of_a_board_do_no_harm() -> None:
    verdict = compare_links(page(digest=b"x", details=b"abcde"), links_mark(keys(1, 2)))
    assert verdict.new == 2


# Articles


def test_an_article_changes_a_little_or_much_by_its_simhash() -> None:
    _, state = read(page(), TEXT, simhash=0)
    edited = TEXT.replace("3 批次", "4 批次")
    verdict, _ = read(state, edited, simhash=0b11111)
    assert (verdict.kind, verdict.distance) == (ChangeKind.MINOR, 5)
    verdict, _ = read(state, edited, simhash=0b111111)
    assert (verdict.kind, verdict.distance) == (ChangeKind.MAJOR, 6)


def test_a_new_title_is_a_change_even_one_that_counts() -> None:
    _, state = read(page(), TEXT, title="阅读量 100 万")
    assert read(state, TEXT, title="阅读量 200 万")[0].changed


def test_an_article_set_anew_has_not_changed() -> None:
    _, state = read(page(), TEXT)
    anew = TEXT.replace("。\n", "。\n\n  \u3000").replace("20", "20").replace(",", ",")
    assert not read(state, anew)[0].changed


def test_slow_drift_adds_up_since_the_mark_moves_only_when_a_change_was_counted() -> None:
    _, state = read(page(), TEXT, simhash=0)
    verdict, after = read(state, TEXT, simhash=0b11)  # the same text: its SimHash does not matter
    assert after.simhash == 0
    assert not verdict.changed
    verdict, after = read(after, TEXT + "新", simhash=0b1)
    assert after.simhash == 1


@pytest.mark.volatile
@each_row(
    ("before", "after"),
    [
        ("阅读 123次", "阅读 124次"),
        ("浏览量:1.2万", "浏览量:1.3万"),
        ("评论(12)", "评论(13)"),
        ("12人点赞", "3,400人点赞"),
        ("已有 5 人参与", "已有 6 人参与"),
        ("1,024 views", "2k views"),
        ("Views: 10 | Comments: 3", "Views: 11 | Comments: 5"),
        ("现在时间:2026年11月20日 星期五 12:30:01", "现在时间:2026年11月21日 星期六 08:00"),
        ("今天是2026-11-20 星期五", "今天是2026-11-21 星期六"),
        ("来源:新华社 3小时前", "来源:新华社 2天前"),
        ("Posted 5 minutes ago", "Posted an hour ago"),
        ("Processed in 0.012 second(s), 5 queries", "Processed in 0.3 second(s), 9 queries"),
        ("广告", ""),
        ("Copyright © 2010-2025 某某公司", "Copyright © 2010-2026 某某公司"),
    ],
)
def test_clocks_counters_and_advertisements_are_no_change(before: str, after: str) -> None:
    assert kinds([f"{TEXT}\n{before}", f"{TEXT}\n{after}"]) == [ChangeKind.SAME, ChangeKind.SAME]


@each_row(
    ("before", "after"),
    [
        ("事故造成 12 人死亡,30 人受伤。", "事故造成 13 人死亡,30 人受伤。"),
        ("该视频播放 100 万次后被删除。", "该视频播放 200 万次后被删除。"),
        ("价格:199 元", "价格:149 元"),
        ("联系电话:028-1234", "联系电话:028-4321"),
        ("截至 11 月 20 日", "截至 11 月 21 日"),
    ],
)
def test_numbers_of_sentences_and_facts_are_changes(before: str, after: str) -> None:
    assert kinds([f"{TEXT}\n{before}", f"{TEXT}\n{after}"])[1].value in {"minor", "major"}


def test_what_a_template_ignores_is_cut_out_of_any_line() -> None:
    rules = TextRules(ignore=(re.compile("编号.{0,20}号"),))
    texts = [f"{TEXT}\n本文编号第{number}号,请注意。" for number in (1, 2)]
    assert kinds(texts, rules) == [ChangeKind.SAME, ChangeKind.SAME]
    assert kinds(texts)[1] is not ChangeKind.SAME


def test_other_rules_of_reading_are_no_change_of_the_page() -> None:
    _, state = read(page(), TEXT)
    rules = TextRules(ignore=(re.compile("乳制品"),))
    verdict, state = read(state, TEXT + "添一句。", rules=rules)
    assert not verdict.changed
    assert read(state, TEXT + "再添一句。", rules=rules)[0].changed


# Learning what always changes


def ticker(numbers: Iterable[int], line: str = "成都 气温 {} 度") -> list[str]:
    return [f"{TEXT}\n{line.format(number)}\n完" for number in numbers]


@pytest.mark.volatile
def test_a_line_whose_numbers_always_differ_stops_counting_after_three_visits() -> None:
    found = kinds(ticker(range(10)))
    assert [kind is not ChangeKind.SAME for kind in found] == [False, True, True, True] + [
        False
    ] * 6


def test_a_line_that_is_always_another_stops_counting() -> None:
    words = ["甲说好", "乙说不", "丙不说", "丁点头", "戊摇头", "己大笑", "庚离席", "辛回来"]
    found = kinds([f"{TEXT}\n{word}\n完" for word in words])
    assert [kind is not ChangeKind.SAME for kind in found[4:]] == [False] * 4


def test_real_edits_still_count_beside_a_learnt_line() -> None:
    texts = ticker(range(8))
    texts.append(texts[-1].replace("3 批次", "4 批次"))
    texts += ticker([99])
    found = kinds(texts)
    assert found[7] is ChangeKind.SAME
    assert found[8] is not ChangeKind.SAME
    assert found[9] is not ChangeKind.SAME  # the edit was taken back


def test_a_page_that_grows_at_every_visit_is_news_at_every_visit() -> None:
    grown, texts = "", []
    for number in range(10):
        grown = f"直播 第{number}条\n{grown}"
        texts.append(f"{grown}{TEXT}")
    assert all(kind is not ChangeKind.SAME for kind in kinds(texts)[1:])


def test_a_sentence_is_never_learnt_away() -> None:
    texts = ticker(range(10), "死亡人数升至 {} 人,救援仍在进行。")
    assert all(kind is not ChangeKind.SAME for kind in kinds(texts)[1:])


def test_a_line_that_rests_in_between_is_not_learnt() -> None:
    found = kinds(ticker([1, 2, 2, 3, 3, 4, 4, 5, 5, 6]))
    assert [kind is not ChangeKind.SAME for kind in found[1:]] == [True, False] * 4 + [True]


def test_what_two_pages_of_a_site_taught_holds_for_all_its_pages() -> None:
    site: dict[str, int] = {}
    for _ in range(2):
        state = page()
        for text in ticker(range(6)):
            verdict, state = read(state, text)
            site = noted(site, verdict.learnt)
    rules = TextRules(shapes=shapes_of_site(site))
    assert kinds(ticker(range(5)), rules) == [ChangeKind.SAME] * 5
    once = noted({}, [7])
    assert shapes_of_site(once) == frozenset()


def test_pages_that_rest_keep_no_lines() -> None:
    state = page()
    for text in [*ticker(range(2)), *ticker([1])]:
        _, state = read(state, text)
    assert state.details == b""


@given(st.binary(max_size=60))
def test_damaged_lessons_are_begun_anew(details: bytes) -> None:
    verdict, state = read(page(digest=b"x" * 18, details=details), TEXT)
    assert not verdict.changed
    assert not read(state, TEXT)[0].changed


lines = st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=8)


@given(st.lists(lines, max_size=8))
def test_the_same_text_twice_is_never_a_change(texts: list[list[str]]) -> None:
    state = page()
    for text in texts:
        _, state = read(state, "\n".join(text))
        verdict, state = read(state, "\n".join(text))
        assert not verdict.changed


# As published


@pytest.mark.B2
def test_strict_counts_a_distance_over_five_and_stores_every_hash() -> None:
    state = remembered(page(), compare_strictly(page(), 0))
    verdict = compare_strictly(state, 0b11111)
    assert (verdict.changed, verdict.distance, verdict.mark.simhash) == (False, 5, 0b11111)
    drifted = remembered(state, verdict)
    assert not compare_strictly(drifted, 0b1111111111).changed  # slow drift is never seen
    assert compare_strictly(state, 0b111111).changed
