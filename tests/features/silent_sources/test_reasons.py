"""Why a source is silent, and which pages speak for one."""

from __future__ import annotations

from focuscrawl.features.silent_sources.reasons import (
    NO_TEXT,
    SilentSource,
    SilentSources,
    SourcePage,
    why_silent,
)
from focuscrawl.values import Waiting


def test_the_reason_is_what_became_of_most_links() -> None:
    assert why_silent(SourcePage()) == "empty"
    assert why_silent(SourcePage(is_scripted=True)) == "scripts"
    assert why_silent(SourcePage(refused={"repeated": 9})) == "empty"
    assert why_silent(SourcePage(refused={"scope": 4, "allow": 2, "repeated": 9})) == "scope"
    assert why_silent(SourcePage(refused={"trap:calendar": 4})) == "trap"
    assert why_silent(SourcePage(refused={"suffix": 2}, followed=1)) == NO_TEXT
    assert why_silent(SourcePage(refused={"suffix": 3}, followed=9)) == "files"


def page(site: str, number: int, parent: int = 0, source_id: str = "all") -> Waiting:
    key, parent_key = number.to_bytes(16), parent.to_bytes(16) if parent else b""
    url = f"http://{site}/{number}"
    return Waiting(url, key, site, 3, 3, parent_key=parent_key, source_id=source_id)


def silent(**why: str) -> SilentSources:
    """Sources a, b … of one id, each the page 1, 2 … of a site of its own."""
    sources = SilentSources()
    for number, (name, reason) in enumerate(why.items(), start=1):
        one = page(f"{name}.test", number)
        sources.put(one.key.hex(), SilentSource(reason, one.url, one.site, one.source_id))
    return sources


def test_a_page_speaks_for_the_source_that_links_to_it_whatever_its_reason() -> None:
    sources = silent(a="files", b="files")
    assert [*sources.given_by(page("x.test", 9, parent=2))] == [(2).to_bytes(16).hex()]
    assert [*sources.given_by(page("b.test", 9, parent=8))] == []


def test_a_page_speaks_for_the_sources_of_its_site_whose_links_were_followed() -> None:
    sources = silent(a=NO_TEXT, b=NO_TEXT)
    assert [*sources.given_by(page("b.test", 9, parent=8))] == [(2).to_bytes(16).hex()]


def test_a_page_of_a_site_without_a_source_speaks_for_all_of_its_source_s_id() -> None:
    sources = silent(a=NO_TEXT, b=NO_TEXT)
    assert len([*sources.given_by(page("x.test", 9, parent=8))]) == 2
    assert [*sources.given_by(page("x.test", 9, parent=8, source_id="other"))] == []


def test_what_has_given_something_is_not_silent_again() -> None:
    sources = silent(a=NO_TEXT)
    (key,) = sources.given_by(page("a.test", 9))
    sources.put(key, sources.known[key]._replace(why=""))
    assert [*sources.given_by(page("a.test", 9))] == []
    sources.drop(key)
    sources.drop(key)
    assert not sources.known
