"""A page that shows other pages whole is nobody's original, and tells no story with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.features.stories.events import StoryReading
from tests.features.stories.desk import Desk, reading, write
from tests.tables import each_row

pytestmark = pytest.mark.D2

POSTS = [write(seed, sentences) for seed, sentences in ((1, 9), (2, 14), (3, 6))]
HELD = "\n".join(f"第{number}篇的题目\n{text}" for number, text in enumerate(POSTS))


def told(folder: Path, *readings: StoryReading) -> list[tuple[bool, str]]:
    """Return of each article whether it is a copy, and its story."""
    desk = Desk(folder / "crawl.db")
    found = []
    for one in readings:
        article = desk.tell(one).article
        found.append((article.relation == "copy", article.story_id))
        desk.commit()
    desk.store.release()
    return found


def at(number: int, text: str, title: str, host: str = "a.test", on: int = 0) -> StoryReading:
    found = reading(number, text, title, host=host)
    return found._replace(found_on=on.to_bytes(16, "big") if on else b"")


@pytest.mark.parametrize("title", ["东湖的博客", "第0篇的题目"])
def test_posts_that_a_list_showed_whole_before_are_no_copies_of_it(
    tmp_path: Path, title: str
) -> None:
    posts = [at(number + 2, text, f"第{number}篇的题目", on=1) for number, text in enumerate(POSTS)]
    found = told(tmp_path, at(1, HELD, title), *posts)
    assert [is_copy for is_copy, _ in found] == [False] * 4
    assert len({story for _, story in found}) == 4, "and each tells its own"


def test_pages_of_single_comments_are_copies_of_their_thread(tmp_path: Path) -> None:
    thread = "\n".join(f"msg{81 + number} (view)\n{text}" for number, text in enumerate(POSTS))
    comments = [at(2 + n, text, f"Message {81 + n}", on=1) for n, text in enumerate(POSTS)]
    found = told(tmp_path, at(1, thread, "水泵在第二次启动时停机"), *comments)
    assert [is_copy for is_copy, _ in found] == [False, True, True, True]


def test_answers_to_one_mail_are_no_copies_of_it_nor_of_each_other(tmp_path: Path) -> None:
    quoted = "".join(f"> {line}。\n" for line in POSTS[1].split("。") if line)
    answers = [f"{quoted}{write(20 + number, 3)}" for number in range(3)]
    mails = [at(1, POSTS[1], "水泵停机"), *(at(2 + n, text, "Re: 水泵停机", host=f"{n % 2}.test") for n, text in enumerate(answers))]  # fmt: skip
    found = told(tmp_path, *mails, at(9, quoted, "Fwd: 水泵停机"))
    assert [is_copy for is_copy, _ in found] == [False] * 4 + [True]


@each_row(
    ("text", "title", "host"),
    [
        (POSTS[1], "第1篇的题目", "b.test"),  # another site's, shortened
        (HELD[:200], "东湖的博客", "a.test"),  # a teaser
        (HELD[:200], "东湖的博客(手机版)", "a.test"),
        (HELD[:-30], "第0篇的题目", "a.test"),  # hardly shorter
        (HELD, "别的题目", "a.test"),
    ],
)
def test_what_is_shorter_by_a_passage_or_elsewhere_is_a_copy(
    text: str, title: str, host: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("stories")
    found = told(folder, at(1, HELD, "东湖的博客"), at(2, text, title, host))
    assert [is_copy for is_copy, _ in found] == [False, True]
