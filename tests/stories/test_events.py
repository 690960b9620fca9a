"""Texts about one event are more alike than texts about another of its kind."""

import pytest

from focuscrawl.stories.events import (
    HEAVIEST_KEPT,
    DocumentCounts,
    StoryWords,
    heaviest_words,
    likeness_of,
    said_in,
)
from focuscrawl.text.words import splitter
from tests.tables import each_row

CUT = splitter().cut

QUAKE = {
    "title": "青川县发生4.2级地震",
    "text": "今天凌晨3时12分，广元市青川县发生4.2级地震，震源深度12公里。县应急管理局说，"
    "暂无人员伤亡报告，部分乡镇震感明显。",
}
QUAKE_AGAIN = {
    "title": "青川4.2级地震暂无伤亡",
    "text": "记者从广元市应急部门了解到，青川县4.2级地震发生后，消防救援队已赶到震中查看房屋，"
    "学校照常上课，居民情绪稳定。震源深度12公里。",
}
OTHER_QUAKE = {
    "title": "石棉县发生3.6级地震",
    "text": "昨天下午，雅安市石棉县发生3.6级地震，震源深度20公里。县应急管理局说，"
    "暂无人员伤亡报告，部分乡镇震感明显。",
}
FOOTBALL = {"title": "蓉城队主场取胜", "text": "昨晚蓉城队在凤凰山球场以二比零战胜来访的对手。"}


def words_of(document: dict[str, str], counts: DocumentCounts) -> StoryWords:
    return heaviest_words(said_in(document["title"], document["text"], CUT), counts)


def likeness_between(
    one: dict[str, str], other: dict[str, str], counts: DocumentCounts | None = None
) -> float:
    known = counts or DocumentCounts()
    words, others = words_of(one, known), words_of(other, known)
    return likeness_of(words, known.weights(words), others, known.weights(others))


def test_another_text_about_the_event_is_alike_and_another_event_of_its_kind_less() -> None:
    same = likeness_between(QUAKE, QUAKE_AGAIN)
    sibling = likeness_between(QUAKE, OTHER_QUAKE)
    assert same > sibling > likeness_between(QUAKE, FOOTBALL)


def test_likeness_is_the_same_both_ways_and_one_with_itself() -> None:
    assert likeness_between(QUAKE, QUAKE) == pytest.approx(1.0)
    assert likeness_between(QUAKE, FOOTBALL) == pytest.approx(likeness_between(FOOTBALL, QUAKE))


def test_what_the_whole_topic_talks_about_makes_nothing_alike() -> None:
    counts = DocumentCounts()
    before = likeness_between(QUAKE, OTHER_QUAKE)
    for number in range(200):
        text = f"{number}号县发生地震，震源深度{number}公里，县应急管理局说暂无人员伤亡报告。"
        counts.add(said_in("地震", text, CUT).strength)
    assert likeness_between(QUAKE, OTHER_QUAKE, counts) < 0.6 * before


def test_a_number_means_what_stands_near_it_on_either_side() -> None:
    before, behind = ("apples", "pears", "plums"), ("roads", "rivers", "ponds")
    said = set(
        said_in("", " ".join(("cows", *before, "1200", *behind, "hills")), CUT).words.values()
    )
    joined = {one.removeprefix("1200 ") for one in said if one.startswith("1200 ")}
    assert len(joined) == 6
    assert all(any(word.startswith(one) for one in joined) for word in (*before, *behind))


def test_names_weigh_double_and_words_at_the_beginning_of_sentences_are_no_names() -> None:
    text = "Yesterday the mayor of Springfield met reporters. Reporters asked the mayor little."
    strength = said_in("", text, CUT).strength
    usual = said_in("", text.lower(), CUT).strength
    doubled = {word for word in strength if strength[word] > 1.9 * usual[word]}
    assert len(doubled) == 1


def test_english_words_are_compared_without_their_endings() -> None:
    one = {"title": "Reactor stopped", "text": "Engineers stopped the reactors."}
    other = {"title": "Engineer stops reactor", "text": "The engineer is stopping the reactor."}
    assert likeness_between(one, other) > 0.9


@each_row(
    ("one", "other", "same"),
    [
        ("story", "stories", True),
        ("recall", "recalling", True),
        ("close", "closed", True),
        ("was", "wa", False),  # shorter than four letters: it stays
        ("sing", "s", False),
        ("blue", "blu", False),
        ("apple", "appl", True),  # of five letters and more the last e goes, too
        ("2030s", "2030", False),
    ],
)
def test_words_of_one_stem_count_as_one(one: str, other: str, *, same: bool) -> None:
    assert (said_in("", one, CUT).strength == said_in("", other, CUT).strength) is same


def test_only_the_heaviest_words_are_kept_and_they_are_sorted() -> None:
    text = " ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(300))
    words = heaviest_words(said_in("", text, CUT), DocumentCounts())
    assert len(words.hashes) == HEAVIEST_KEPT
    assert sorted(words.hashes.tolist()) == words.hashes.tolist()


@pytest.mark.parametrize("text", ["", "的 了 是", "!!!", "\ud800"])
def test_texts_without_words_are_alike_to_nothing(text: str) -> None:
    assert likeness_between({"title": "", "text": text}, QUAKE) == 0.0
