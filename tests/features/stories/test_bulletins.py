"""Bulletins of one mould tell an event each; an event grows by its core, not by its last member."""

from collections import Counter
from dataclasses import replace
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.stories.copies import numbers_contradict, numbers_of
from focuscrawl.features.stories.events import (
    Core,
    DocumentCounts,
    core_of,
    heaviest_words,
    joint_core,
    likeness_of,
    mean_likeness,
    said_in,
)
from focuscrawl.features.stories.matches import Sketch
from focuscrawl.stores.state.protocol import Changes, StoryState
from tests.features.stories.bulletins import MOULDS, Mould, fires, quakes
from tests.features.stories.desk import CUT, DAY, NOW, Desk, reading, write
from tests.tables import each_row

pytestmark = pytest.mark.event_core

BULLETINS = 32
MOST_TOGETHER = 3
"""Some bulletins say the same by chance: small numbers of two days agree."""


@pytest.mark.parametrize("days_between", [0.1, 1.0], ids=["hourly", "daily"])
@pytest.mark.parametrize("others", [0, 30], ids=["alone", "among others"])
@pytest.mark.parametrize("mould", MOULDS, ids=lambda mould: mould.__name__)
def test_bulletins_of_one_mould_are_no_story(
    desk: Desk, mould: Mould, others: int, days_between: float
) -> None:
    for number in range(others):
        desk.tell(reading(1000 + number, write(1000 + number)))
    random = Random(3)
    told = []
    for number in range(BULLETINS):
        title, text = mould(random)
        at = NOW - (BULLETINS - number) * days_between * DAY
        told.append(desk.tell(reading(number + 1, text, title, at)).article)
    sizes = Counter(article.story_id for article in told)
    assert max(sizes.values()) <= MOST_TOGETHER, sizes
    assert len(sizes) >= 0.7 * BULLETINS
    assert sum(article.relation == "copy" for article in told) <= 1


def test_another_report_about_what_a_bulletin_tells_joins_it_and_the_next_bulletin_does_not(
    desk: Desk,
) -> None:
    for number in range(60):
        desk.tell(reading(1000 + number, write(1000 + number)))
    (title, text), (other_title, other_text) = quakes(Random(1)), quakes(Random(2))
    place = title.removeprefix("四川").removesuffix("发生地震")
    told = desk.tell(reading(1, text, title))
    report = desk.tell(
        reading(
            2, f"{text[text.index('在四川') : text.index('。')]}，{place}居民称震感明显。", title
        )
    )
    later = desk.tell(reading(3, other_text, other_title))
    assert report.article.story_id == told.article.story_id
    assert later.article.relation == "first"


def test_bulletins_stay_apart_over_commits_and_restarts(desk: Desk) -> None:
    stories = set()
    for number in range(6):
        title, text = fires(Random(number))
        stories.add(desk.tell(reading(number + 1, text, title)).article.story_id)
        desk.commit()
        desk.restart()
    assert len(stories) == 6


def test_an_event_does_not_grow_from_member_to_member(desk: Desk) -> None:
    """Each text shares half of its words with the one before, and none with the one before that."""
    names = [
        "".join(chr(0x4E00 + Random(n).randrange(5000)) for _ in range(3)) for n in range(1000)
    ]
    words = [name + "，" for name in names]

    def text(place: int) -> str:
        return "".join(words[40 * place : 40 * place + 80])

    desk.index.rules = replace(desk.index.rules, copies="off")
    told = [desk.tell(reading(place + 1, text(place))).article for place in range(20)]
    sizes = Counter(article.story_id for article in told)
    assert told[1].story_id == told[0].story_id
    assert max(sizes.values()) <= 4, "a chain"


def test_stories_and_sketches_of_earlier_files_are_read(desk: Desk) -> None:
    """They have no core and no form, and do not say what their numbers are the numbers of."""
    event = "青川县37号仓库霉变花生1200公斤，罗秋平被立案，执法队封存花生。"
    told = desk.tell(reading(1, event, "青川霉变花生案"))
    sketch = Sketch.unpacked(told.article.sketch)
    early = msgspec.msgpack.decode(told.article.sketch)[:8]
    early[-1] = early[-1][:3]
    article = told.article._replace(sketch=msgspec.msgpack.encode(early))
    assert Sketch.unpacked(article.sketch).numbers == sketch.numbers._replace(stated={})
    (story,) = told.stories
    plain = msgspec.msgpack.encode(tuple(story)[:-1])
    assert msgspec.msgpack.decode(plain, type=StoryState) == story
    desk.store.commit({0: Changes(story_articles=[article], stories=[story])})
    desk.restart()
    report = desk.tell(reading(2, "罗秋平在青川县37号仓库的霉变花生被执法队封存。", "霉变花生"))
    assert report.article.story_id == story.story_id
    assert report.stories[0].core


# The rules ---------------------------------------------------------------------------------------


@each_row(
    ("other", "does"),
    [
        ("最高气温19℃，最低气温3℃，相对湿度71%", True),
        ("最高气温16℃，最低气温7℃，相对湿度71%", False),
        ("最高气温16℃，最低气温7℃，相对湿度60%。图为市民带伞出行", False),
        ("市民说昨夜气温只有3度，湿度71%", False),
        ("", False),
    ],
)
def test_texts_contradict_each_other_when_they_state_other_numbers_of_the_same_things(
    other: str, *, does: bool
) -> None:
    one = numbers_of("", "今日最高气温16℃，最低气温7℃，相对湿度60%。")
    assert numbers_contradict(one, numbers_of("", f"今日{other}。")) is does
    assert numbers_contradict(numbers_of("", f"今日{other}。"), one) is does


@given(st.integers(0, 8), st.integers(0, 8))
def test_texts_contradict_each_other_in_two_numbers_that_are_half_of_those_both_state(
    same: int, other: int
) -> None:
    kinds = "温度计压力表含水量抽样数合格率批次号生产线仓储区出口额进货价折旧费毛利率上座率达标率投诉量退货数"
    places = [kinds[3 * number : 3 * number + 3] for number in range(same + other)]
    one = "，".join(f"该厂{place}为{10 + number}左右" for number, place in enumerate(places))
    two = "，".join(
        f"该厂{place}为{10 + number + 50 * (number < other)}左右"
        for number, place in enumerate(places)
    )
    contradict = other >= 2 and other >= same
    assert numbers_contradict(numbers_of("", one), numbers_of("", two)) is contradict


def test_what_a_text_states_twice_with_different_numbers_contradicts_nothing() -> None:
    one = numbers_of("", "较昨日上涨3%，较昨日上涨5%。数量共计12吨整，数量共计19吨整")
    other = numbers_of("", "较昨日上涨4%，数量共计30吨整")
    assert not numbers_contradict(one, other)


def test_a_bare_number_is_no_keyword() -> None:
    def words(text: str) -> set[str]:
        return set(said_in("", text, CUT).words.values())

    assert not {word for word in words("16 7 2026 3.5") if word.strip("0123456789.") == ""}
    assert "1200 公斤" in words("封存花生1200公斤")
    assert words("花生1200公斤") & words("仓库里1200公斤")
    assert not words("花生1200公斤") & words("坝体1200米")


def test_the_likeness_to_a_core_is_the_mean_likeness_to_its_texts() -> None:
    counts = DocumentCounts()

    def words(*places: int):  # type: ignore[no-untyped-def]
        text = " ".join(f"word{chr(97 + place)}" for place in places)
        return heaviest_words(said_in("", text, CUT), counts)

    texts = [words(*range(8)), words(*range(4, 12)), words(*range(6, 10))]
    core = joint_core((core_of(one, counts) for one in texts), counts)
    core = Core.unpacked(core.packed())
    asked = words(*range(5, 13))
    weights = counts.weights(asked)
    mean = sum(likeness_of(asked, weights, one, counts.weights(one)) for one in texts) / len(texts)
    assert core.texts == 3
    assert mean_likeness(asked, core, counts) == pytest.approx(mean, abs=0.01)
