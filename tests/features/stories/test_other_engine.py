"""Stories when words are cut in another way than when the first articles came (D)."""

import asyncio
from pathlib import Path

import pytest

from focuscrawl.features.stories.events import StoryReading
from focuscrawl.features.stories.index import StoryIndex, StoryTold
from focuscrawl.readers.text.words import Splitter
from focuscrawl.stores.state.sqlite import SQLiteStore
from tests.features.stories.desk import RULES

pytestmark = pytest.mark.other_engine

NOW = 86_400_000.0
NAMES = ("青石桥站", "赵文博")
FIRST = (
    "青石桥站早高峰信号故障",
    (
        "昨日早上七点四十分，地铁九号线青石桥站附近的信号设备发生故障，双向列车降速运行。运营公司负责人赵文博说，故障由一块受潮的"
        "电路板引起，抢修人员八点五十五分更换完毕，约两万三千名乘客受到影响，延误最长四十一分钟。"
    ),
)
OTHER = (
    "九号线信号故障延误四十一分钟",
    (
        "因信号设备故障，地铁九号线昨天早高峰在青石桥站一带限速，乘客最多被耽搁了四十一分钟。赵文博在下午的发布会上致歉：一块电路板"
        "受潮，抢修用了七十五分钟，两万三千名乘客可以凭车票领取延误证明。"
    ),
)
APART = (
    "植物园郁金香开放",
    "市植物园的十八万株郁金香本周进入盛花期，园方把闭园时间推迟到晚上九点，并且在东门加开了两条免费的接驳线路，花期预计到月底。",
)


def tell(store: SQLiteStore, cut: Splitter, number: int, text: tuple[str, str]) -> StoryTold:
    """Tell an article to an index that begins with what the store has."""

    async def told() -> StoryTold:
        index = StoryIndex(store, RULES, cut.cut)
        await index.load()
        found = await index.tell(StoryReading(number.to_bytes(16, "big"), "a.cn", *text, NOW, NOW))
        store.commit({0: index.drain(closing=True)})
        return found

    return asyncio.run(told())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Splitter(engine="rjieba"), Splitter(engine="jieba")),
        (Splitter(), Splitter(NAMES)),
        (Splitter(NAMES), Splitter()),
    ],
    ids=["another engine", "names are added", "names are taken out"],
)
def test_copies_and_events_of_articles_cut_before_are_still_found(
    before: Splitter, after: Splitter, tmp_path: Path
) -> None:
    assert before.engine != after.engine
    store = SQLiteStore(tmp_path / "topic.crawl.db")
    store.own()
    first = tell(store, before, 1, FIRST).article
    again = tell(store, after, 2, FIRST).article
    other = tell(store, after, 3, OTHER).article
    apart = tell(store, after, 4, APART).article
    store.release()
    assert (again.relation, again.story_id) == ("copy", first.story_id), "letters, not words"
    assert (other.relation, other.story_id) == ("event", first.story_id)
    assert apart.relation == "first"
