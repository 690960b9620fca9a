"""A report as a page: it stands alone, stays small, and whatever pages said is text in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.locale.messages import MESSAGE_LANGUAGES, MessageLanguage
from focuscrawl.output.report.contents import (
    Anchor,
    Bar,
    BarChart,
    Chapter,
    Chart,
    Curve,
    Hits,
    LineChart,
    Listing,
    Moment,
    ReportDocument,
    TopicReport,
)
from focuscrawl.output.report.forms.page import LONGEST_HREF, page_text, visible_text
from focuscrawl.output.report.forms.words import Vocabulary
from focuscrawl.output.report.questions.topics import document_of
from focuscrawl.output.summary.markup import is_link
from tests.clock import NOON
from tests.output.report.conftest import ADDRESSES, HOSTILE, Stored, check_page
from tests.tables import each_row


def wording(language: MessageLanguage = "en") -> Vocabulary:
    return Vocabulary(language, "Asia/Shanghai", NOON)


def of_rows(*rows: tuple[str, str]) -> ReportDocument:
    """Return a report with one listing of titles that lead somewhere."""
    cells = [(Anchor(url, said), said) for url, said in rows]
    listing = Listing(
        "articles", len(cells), ("title", "medium"), cells, "scrapy report", is_first=True
    )
    return ReportDocument(
        NOON, "UTC", [TopicReport("food", "食品", "UTC", 0.0, [], [Chapter("news", [listing])], [])]
    )


@pytest.mark.parametrize("language", MESSAGE_LANGUAGES)
def test_a_report_is_a_page_that_needs_nothing_else(
    stored: Stored, language: MessageLanguage
) -> None:
    seen = check_page(page_text(stored.report(stored.topic()), wording(language)))
    words = {"en": ("New", "About the crawl"), "zh": ("新动态", "运行情况")}
    assert all(word in seen.text for word in words[language])
    assert "四川食品安全" in seen.text
    assert [one["lang"] for one in seen.of("html")] == [{"en": "en", "zh": "zh-Hans"}[language]]
    assert len([*seen.of("details")]) >= 15
    assert len([*seen.of("svg")]) > 5
    assert all(one.get("role") == "img" and one["aria-labelledby"] for one in seen.of("svg"))


def test_each_number_opens_its_rows_and_names_the_command_for_all(stored: Stored) -> None:
    text = check_page(page_text(stored.report(stored.topic(articles=800)), wording())).text
    assert "The first 50 of 80. All of them: scrapy report food --list articles" in text


@pytest.mark.parametrize("scheme", ["", "@media (prefers-color-scheme:dark)", "@media print"])
def test_a_change_is_named_and_coloured_by_its_class_in_light_dark_and_print(
    stored: Stored, scheme: str
) -> None:
    page = page_text(stored.report(stored.topic()), wording())
    assert '<b class="kind major">changed</b>' in page
    assert '<b class="kind gone">gone</b>' in page
    inks = set(re.findall(r"\.(?:minor|major|gone|back|moved)[^{]*{--k:var\((--[a-z-]+)\)", page))
    assert len(inks) == 4
    own = page.partition(scheme or "<style>")[2].partition("}")[0]
    assert all(f"{ink}:#" in own for ink in inks)


def test_formulas_stand_behind_a_fold(stored: Stored) -> None:
    page = page_text(stored.report(stored.topic()), wording())
    formula = page.partition("weight = waiting ÷ factor")[0].rpartition("<details")[2]
    assert 'class="how"' in formula
    assert "</details>" not in formula
    assert "÷" not in re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL)


def test_a_first_report_says_that_what_it_shows_was_there_before(stored: Stored) -> None:
    page = page_text(stored.report(stored.first()), wording())
    assert "This is the first report of this topic" in check_page(page).text
    assert "found 20 Nov 11:30" in check_page(page).text  # records have no date of their own
    later = page_text(stored.report(stored.topic("later")), wording())
    assert "first report" not in check_page(later).text


def test_several_topics_link_their_own_reports_where_they_have_some(stored: Stored) -> None:
    templates = [stored.topic("one", articles=20), stored.topic("two", articles=20)]
    (stored.folder / "one.report.html").write_text("")
    document = stored.report(*templates)
    page = page_text(document, wording(), stored.folder)
    assert '<a href="one.report.html">' in page
    assert "scrapy report two</code>" in page
    assert '<a href="../one.report.html">' in page_text(document, wording(), stored.folder / "x")
    assert f'<a href="{(stored.folder / "one.report.html").as_uri()}">' in page_text(
        document, wording()
    )


def test_what_pages_said_is_text(stored: Stored) -> None:
    document = stored.report(stored.topic(hostile=True))
    seen = check_page(page_text(document, wording("zh")))
    assert "<script>alert('出事了')</script>" in seen.text
    assert "invoice[U+202E]gpj.exe[U+2066]" in seen.text
    assert "{{ 7 * 7 }}" in seen.text
    assert "长长长" in seen.text
    assert not any(character in seen.text for character in "\x00\x1b\u202e\u2066\u200f")


def test_words_in_front_of_a_link_stand_apart_from_what_is_around_them() -> None:
    page = page_text(
        of_rows(("http://a.example/", "\u0645\u0631\u062d\u0628\u0627 abc")), wording()
    )
    assert "<bdi>\u0645\u0631\u062d\u0628\u0627 abc</bdi></a>" in page


@each_row("url", [one for one in ADDRESSES if not one.startswith("http://site0")])
def test_other_addresses_than_those_of_http_lead_nowhere(url: str) -> None:
    assert not is_link(url, LONGEST_HREF)
    seen = check_page(page_text(of_rows((url, url)), wording()))
    assert all(one["href"].startswith("#") for one in seen.of("a"))
    assert url in seen.text


def test_an_address_of_http_leads_there_without_telling_from_where() -> None:
    seen = check_page(page_text(of_rows(("https://a.example/x?y=1&z=2", "题")), wording()))
    link = next(one for one in seen.of("a") if one["href"].startswith("https"))
    assert link == {"href": "https://a.example/x?y=1&z=2", "rel": "noopener noreferrer nofollow"}


@given(
    st.lists(st.tuples(st.text(max_size=200), st.sampled_from([*HOSTILE, *ADDRESSES])), max_size=8)
)
def test_any_text_gives_a_page_without_errors(rows: list[tuple[str, str]]) -> None:
    check_page(page_text(of_rows(*rows), wording()))


@given(st.text())
def test_characters_that_turn_others_around_are_told_by_their_code(text: str) -> None:
    assert not any(
        one in visible_text(text) for one in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200f\x00"
    )


def test_a_page_stays_small_whatever_is_stored(stored: Stored) -> None:
    document = stored.report(stored.topic(pages=600, articles=900, hostile=True))
    check_page(page_text(document, wording()))


def test_hundreds_of_topics_are_told_in_one_small_page(stored: Stored) -> None:
    template = stored.topic(articles=400)
    report, line = stored.source().topic(template, news_only=True)
    assert report is not None
    lines = [
        line._replace(topic=f"topic-{number}", title=HOSTILE[number % 9][:300])
        for number in range(500)
    ]
    document = document_of([report._replace(topic=one.topic) for one in lines], lines, NOON, "UTC")
    seen = check_page(page_text(document, wording()))
    assert "500" in seen.text


def test_a_chart_says_in_words_what_it_shows() -> None:
    lines = [Curve("pages", [(NOON + 60 * one, one * 10.0) for one in range(9)])]
    bars = [
        Bar(Moment(NOON), (("new", 3.0), ("changed", 1.0)), 9),
        Bar(Moment(NOON), (("new", 0.0),), 0),
    ]
    charts: list[Chart] = [
        LineChart("harvest", lines),
        BarChart("runs", bars, "gain", upright=True),
        BarChart("visits", bars, "visit"),
    ]
    topic = TopicReport("food", "", "UTC", 0.0, [], [Chapter("news", (), charts)], [])
    page = page_text(ReportDocument(NOON, "UTC", [topic]), wording())
    check_page(page)
    assert '<title id="t1">pages 80</title>' in page
    assert ">new 3, changed 1</title>" in page


def test_words_that_hit_are_told_with_how_often() -> None:
    listing = Listing("articles", 1, ("hits",), [(Hits((("食品<b>", 3), ("抽检", 1))),)])
    topic = TopicReport("food", "", "UTC", 0.0, [], [Chapter("news", [listing])], [])
    text = check_page(page_text(ReportDocument(NOON, "UTC", [topic]), wording())).text
    assert "食品<b> ×3" in text
