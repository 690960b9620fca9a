"""Of several readings of a page the one that is most likely its text is taken."""

import pytest

from focuscrawl.features.articles import main_text
from focuscrawl.features.articles.readings import (
    LEAST_BETTER,
    Readings,
    chosen,
    features_of,
    is_doubtful,
    most_promising,
)
from focuscrawl.readers.pages.document import Document
from tests.features.articles.test_agreement import STORY, text

pytestmark = pytest.mark.article_text

NO_LINKS: frozenset[str] = frozenset()
SECTIONS = [
    f"第{number}节说明如何在本地安装第{number}个组件，并且检查它的版本是否与服务器上的一致，以免升级之后无法启动。"
    for number in range(1, 9)
]
NAMES = [f"热门推荐的第{number}条消息" for number in range(12)]


def readings(agreed: str, complete: str, *links: str) -> Readings:
    return Readings(agreed, agreed, complete, complete, frozenset(links), len(complete))


def test_a_text_that_holds_most_of_the_complete_reading_is_not_doubted() -> None:
    assert not is_doubtful(text(*STORY[:4]), text(*STORY))
    assert is_doubtful(STORY[0], text(*STORY))
    assert not is_doubtful("", ""), "there is nothing else"


def test_one_section_of_many_gives_way_to_all_of_them() -> None:
    assert chosen(readings(SECTIONS[0], text(*SECTIONS))) in {"complete", "block"}


def test_a_text_stands_against_names_of_links() -> None:
    assert chosen(readings(text(*STORY), text(*STORY, *NAMES), *NAMES)) == "agreed"
    assert chosen(readings(STORY[0], text(STORY[0], *NAMES), *NAMES)) == "agreed"


def test_of_nothing_agreed_on_nothing_is_chosen() -> None:
    assert chosen(readings("", text(*STORY))) == "agreed"
    assert chosen(readings("", "")) == "agreed"


def test_what_is_weighed_are_shares_but_for_the_name_of_a_reading() -> None:
    found = features_of(readings(text(*STORY), text(*STORY, *NAMES), *NAMES))
    assert found["agreed"]["links"] == 0 < found["complete"]["links"]
    assert found["agreed"]["in_complete"] == 1
    assert found["complete"]["of_longest"] == 1 > found["agreed"]["of_longest"]
    assert found["complete"]["prose"] < found["agreed"]["prose"]
    assert {one["is_complete"] for one in found.values()} == {0, 1}


@pytest.mark.parametrize(("more", "found"), [(-0.01, "agreed"), (0.01, "complete")])
def test_another_reading_has_to_be_clearly_better(more: float, found: str) -> None:
    features = {"agreed": {"share": 0.2}, "complete": {"share": 0.2 + LEAST_BETTER + more}}
    assert most_promising(features, {"share": 1.0}) == found


@pytest.mark.parametrize(("is_article", "found"), [(True, text(*STORY)), (False, STORY[0])])
def test_only_of_what_says_that_it_is_an_article_another_reading_is_taken(
    monkeypatch: pytest.MonkeyPatch, is_article: bool, found: str
) -> None:
    body = f"<html><body><p>{'</p><p>'.join(STORY)}</p></body></html>".encode()
    document = Document.read(body, url="http://a.test/1.html")
    one = main_text.MainText(STORY[0], (), "readability")
    agreed = main_text.AgreedText(document, one, STORY[0], text(*STORY))
    monkeypatch.setattr(main_text, "read_both", lambda _document, _plain: agreed)
    assert main_text.read_main_text(document, is_article=is_article).text == found
