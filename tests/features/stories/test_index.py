"""What articles are told to belong to, over a real store."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from focuscrawl.features.stories.index import WORD_COUNTS
from tests.features.stories.desk import DAY, NOW, RULES, Desk, reading, write


def test_an_article_like_no_other_begins_a_story(desk: Desk) -> None:
    told = desk.tell(reading(1, write(1), "豆瓣酱抽检不合格"))
    (story,) = told.stories
    assert told.article.relation == "first"
    assert told.article.similarity == 1.0, "to itself"
    assert told.article.story_id == story.story_id
    assert (story.title, story.first_host, story.articles) == (
        "豆瓣酱抽检不合格",
        "site1.example",
        1,
    )


@pytest.mark.parametrize("committed", [False, True])
def test_a_copy_joins_the_story_of_its_original_whether_that_is_committed_or_not(
    desk: Desk, *, committed: bool
) -> None:
    text = write(1, 20)
    first = desk.tell(reading(1, text, "原来的标题"))
    desk.tell(reading(2, write(2, 20)))
    if committed:
        desk.commit()
    told = desk.tell(reading(3, f"本报讯（记者 某某）{text[:150]}责任编辑：某某", "转载的标题"))
    assert told.is_copy
    assert told.article.like_key == first.article.key.hex()
    assert told.article.story_id == first.article.story_id
    assert told.article.similarity > 0.7
    assert "% of its text in both" in told.article.because
    (story,) = told.stories
    assert (story.title, story.articles, story.copies) == ("原来的标题", 2, 1)
    assert story.sites == ("site1.example", "site0.example")


def test_a_text_that_says_much_more_than_the_one_it_contains_is_no_copy(desk: Desk) -> None:
    lead = write(1, 6)
    first = desk.tell(reading(1, lead))
    told = desk.tell(reading(2, lead + write(2, 20)))
    assert told.article.relation == "event"
    assert told.article.story_id == first.article.story_id
    assert "times as long" in told.article.because


def test_another_issue_of_a_series_is_no_copy_and_no_event(desk: Desk) -> None:
    """Notices by one form differ in their numbers: each of them is to be kept."""
    form = write(1)
    desk.tell(reading(1, form, "关于12批次食品抽检不合格的通告（2026年第7号）"))
    desk.commit()
    other = desk.tell(reading(2, form, "关于13批次食品抽检不合格的通告（2026年第8号）"))
    again = desk.tell(reading(3, form, "关于12批次食品抽检不合格的通告(2026年第7号)"))
    assert other.article.relation == "first"
    assert again.is_copy
    assert again.article.story_id != other.article.story_id


def test_texts_by_one_form_with_other_numbers_are_no_copies(desk: Desk) -> None:
    form = write(1, 20)
    prices = ["7300元", "15日", "1200台", "38%", "16号", "90天"]
    others = ["7450元", "22日", "800台", "41%", "17号", "60天"]
    desk.tell(reading(1, form + "，".join(prices)))
    assert desk.tell(reading(2, form + "，".join(others))).article.relation != "copy"
    assert desk.tell(reading(3, form + "，".join(prices[1:]))).is_copy


def test_an_article_seen_again_is_no_copy_of_itself(desk: Desk) -> None:
    text = write(1)
    before = desk.tell(reading(1, text))
    for _ in range(2):
        again = desk.tell(reading(1, text))
        assert again.again
        assert (again.article.relation, again.article.story_id, again.stories) == (
            "first",
            before.article.story_id,
            (),
        )
        desk.commit()


def test_an_article_that_has_grown_keeps_its_story_and_is_found_by_all_of_its_text(
    desk: Desk,
) -> None:
    part, rest = write(1), write(2)
    before = desk.tell(reading(1, part))
    desk.commit()
    grown = desk.tell(reading(1, part + rest))
    desk.commit()
    assert (grown.article.story_id, grown.article.number) == (
        before.article.story_id,
        before.article.number,
    )
    copied = desk.tell(reading(2, rest))
    assert copied.is_copy
    assert copied.article.story_id == before.article.story_id


def test_another_text_about_the_event_joins_its_story_and_another_event_does_not(
    desk: Desk,
) -> None:
    for n in range(40):
        desk.tell(reading(100 + n, f"{write(100 + n)}执法队封存了仓库，负责人被立案。"))
    event = "青川县37号仓库霉变花生1200公斤，负责人罗秋平被立案"
    first = desk.tell(reading(1, f"{event}。{write(1, 3)}罗秋平说花生来自外省。", "青川霉变花生案"))
    desk.commit()
    second = desk.tell(
        reading(
            2,
            f"昨天执法队封存了1200公斤花生。{write(2, 3)}37号仓库由罗秋平经营，在青川县。",
            "霉变花生被封存",
        )
    )
    third = desk.tell(
        reading(
            3, f"高县12号仓库过期腊肉800公斤，负责人何小川被立案。{write(3, 4)}", "高县过期腊肉"
        )
    )
    assert second.article.relation == "event"
    assert second.article.story_id == first.article.story_id
    assert "花生" in second.article.because
    assert third.article.relation == "first"


def test_articles_further_apart_than_the_window_tell_no_common_event(tmp_path: Path) -> None:
    texts = ("青川县霉变花生1200公斤，罗秋平被立案。", "罗秋平的1200公斤霉变花生在青川县被封存。")
    relations = []
    for days in (6, 8):
        desk = Desk(tmp_path / f"{days}.crawl.db")
        desk.tell(reading(1, texts[0], "霉变花生", NOW - days * DAY))
        desk.commit()
        relations.append(desk.tell(reading(2, texts[1], "霉变花生", NOW)).article.relation)
        desk.store.release()
    assert relations == ["event", "first"]


def test_a_copy_is_a_copy_however_old_its_original_is(desk: Desk) -> None:
    text = write(1)
    desk.tell(reading(1, text, at=NOW - 400 * DAY))
    desk.commit()
    assert desk.tell(reading(2, text)).is_copy


def test_an_article_published_earlier_becomes_the_first_source_of_its_story(desk: Desk) -> None:
    text = write(1)
    desk.tell(reading(1, text, "转载", NOW - DAY, "late.example"))
    told = desk.tell(reading(2, text, "首发", NOW - 2 * DAY, "early.example"))
    (story,) = told.stories
    assert (story.first_host, story.title, story.first_at) == (
        "early.example",
        "首发",
        NOW - 2 * DAY,
    )
    assert story.last_at == NOW - DAY


def test_two_stories_that_turn_out_to_be_one_are_merged(desk: Desk) -> None:
    one = "青川县霉变花生1200公斤，罗秋平被立案，37号仓库封存。"
    two = "武引水库78米坝体渗漏，工程师钱守义连夜排查，应急响应启动。"
    first = desk.tell(reading(1, one * 2, "霉变花生", NOW - 2 * DAY))
    second = desk.tell(reading(2, two * 2, "水库渗漏", NOW - DAY))
    assert first.article.story_id != second.article.story_id
    desk.commit()
    for n in range(20):
        desk.tell(reading(50 + n, write(50 + n)))
    desk.index.rules = replace(RULES, copies="off")
    both = desk.tell(
        reading(
            3,
            "罗秋平1200公斤霉变花生，青川县37号仓库封存立案。钱守义武引水库78米坝体渗漏排查，应急响应启动，工程师连夜。",
            "霉变花生 水库渗漏",
        )
    )
    elder, younger = both.stories
    assert (elder.story_id, elder.articles) == (first.article.story_id, 3)
    assert younger.merged_into == elder.story_id
    desk.commit()
    later = desk.tell(reading(4, two * 2, "水库渗漏"))
    assert later.article.story_id == elder.story_id


def test_a_date_in_the_future_counts_as_the_day_it_was_found(desk: Desk) -> None:
    assert desk.tell(reading(1, write(1), at=NOW + 900 * DAY)).article.at == NOW


@pytest.mark.parametrize("text", ["", "。", "短讯", "a" * 200_000, "\ud800字" * 50])
def test_odd_texts_are_told_without_harm(desk: Desk, text: str) -> None:
    assert desk.tell(reading(1, text)).article.relation == "first"
    desk.commit()
    assert desk.tell(reading(2, write(2))).article.relation == "first"


def test_without_copies_and_events_everything_begins_its_own_story(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "topic.crawl.db", replace(RULES, copies="off", events=False))
    assert desk.tell(reading(1, write(1))).article.relation == "first"
    assert desk.tell(reading(2, write(1))).article.relation == "first"
    desk.store.release()


# The published form --------------------------------------------------------------------------------


def test_how_often_words_are_used_is_written_often_enough_and_never_at_every_article(
    desk: Desk,
) -> None:
    written = []
    for number in range(260):
        desk.tell(reading(number, f"第{number}篇短文"))
        changes = desk.index.drain()
        desk.index.committed()
        facts = changes.facts.get((WORD_COUNTS, "all"))
        if facts is not None:
            written.append(number + 1)
    assert 3 <= len(written) <= 8
    for last, now in pairwise([0, *written, 260]):
        assert now - last <= max(60, 0.1 * now), "what a kill costs"
    more = desk.index.drain(closing=True)
    assert ((WORD_COUNTS, "all") in more.facts) == (written[-1] < 260)
    assert (WORD_COUNTS, "all") not in desk.index.drain(closing=True).facts


def test_strict_duplicates_share_keywords_at_the_same_rank(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "topic.crawl.db", replace(RULES, strict=True))
    title = "青川县霉变花生仓库被封存"
    text = "执法人员在青川县检查仓库时查封霉变花生，商家负责人接受调查，花生样品送往实验室检测。"
    first = desk.tell(reading(1, text, title))
    desk.commit()
    by_title = desk.tell(reading(2, write(2), title))
    by_content = desk.tell(reading(3, text, "水库渗漏"))
    other = desk.tell(reading(4, write(4), "水库渗漏排查"))
    assert by_title.is_copy
    assert "keywords of the title at the same rank" in by_title.article.because
    assert by_content.is_copy
    assert by_content.article.because == "10 of 10 keywords at the same rank"
    assert by_content.article.like_key == first.article.key.hex()
    assert other.article.relation == "first"
    desk.store.release()
