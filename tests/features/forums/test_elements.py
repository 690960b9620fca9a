"""Elements of boards and threads: where they stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from focuscrawl.features.forums.elements import inside


@given(
    st.lists(st.sampled_from(["<div>", "</div>", "<p>", "</p>", "<a>x</a>"]), max_size=40),
    st.data(),
)
def test_what_stands_inside_is_told_as_by_its_ancestors(
    parts: list[str], data: st.DataObject
) -> None:
    every = list(html.fromstring(f"<div>{''.join(parts)}</div>").iter())
    roots = data.draw(st.lists(st.sampled_from(every), max_size=3))
    known = {*roots}
    asked = data.draw(st.permutations(every))
    assert list(inside(asked, roots)) == [
        not known.isdisjoint((one, *one.iterancestors())) for one in asked
    ]
