"""The verdict on stories counts copies and events, and shows a miss as a miss."""

from focuscrawl.demo.report import Finding, Kept
from focuscrawl.demo.stories import rightly_joined, telling
from focuscrawl.demo.truth import ArticleTruth

HOME = "http://news.example/"


def truth(name: str, event: str = "", copy_of: str = "") -> ArticleTruth:
    url = f"{HOME}{name}"
    of = f"{HOME}{copy_of}" if copy_of else ""
    return ArticleTruth(url, name, (name,), (url,), relevant=True, event=event, copy_of=of)


def member(story: str, relation: str = "first", like: str = "") -> dict[str, object]:
    like_url = f"{HOME}{like}" if like else None
    return {"story_id": story, "relation": relation, "like_url": like_url}


ARTICLES = {
    f"{HOME}{one.title}": one
    for one in (
        truth("a", "flood"),
        truth("b", "flood", "a"),
        truth("c", "flood"),
        truth("d", "quake"),
    )
}


def judged(**members: dict[str, object]) -> dict[str, Finding]:
    kept = Kept({}, {}, (), {f"{HOME}{name}": row for name, row in members.items()})
    return {finding.name: finding for finding in telling(ARTICLES, kept)}


def test_a_copy_joined_and_a_further_text_in_its_story_are_right() -> None:
    found = judged(
        a=member("1"), b=member("1", "copy", "a"), c=member("1", "event", "a"), d=member("2")
    )
    assert [(one.right, one.total) for one in found.values()] == [(1, 1), (3, 3), (1, 1), (3, 3)]
    assert not any(finding.misses for finding in found.values())


def test_whichever_copy_came_first_is_the_original() -> None:
    kept = Kept({}, {}, (), {f"{HOME}b": member("1"), f"{HOME}a": member("1", "copy", "b")})
    assert rightly_joined(ARTICLES, kept) == {f"{HOME}a"}
    assert judged(b=member("1"), a=member("1", "copy", "b"))["copies joined"].right == 1


def test_misses_show() -> None:
    found = judged(a=member("1"), b=member("2"), c=member("3"), d=member("1", "copy", "a"))
    assert found["copies joined"].misses == (f"{HOME}b",)
    assert found["no copies, not joined"].misses == (f"{HOME}d (like {HOME}a)",)
    assert found["further texts of an event in its story"].right == 0
    assert found["in a story of their event"].right == 3


def test_nothing_told_is_a_miss() -> None:
    assert judged()["copies joined"].misses == (f"{HOME}b",)
