"""How likely a link leads to the topic."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.relevance.scores import ANCHORS_KEPT, LinkScorer
from focuscrawl.template.load import load
from tests.steps import steps_of
from tests.tables import each_row

pytestmark = pytest.mark.link_score

PLAIN = "https://news.example.cn/2026/11/1234.html"


def scorer(*lines: str, **words: str) -> LinkScorer:
    rows = [f"{key} = {value}" for key, value in words.items()]
    rows = ["[topic]", 'name = "x"', *rows, "[relevance]", *lines]
    template = load("\n".join([*rows, "[[source]]", 'url = "https://a.cn/"'])).template
    return template.once(LinkScorer.of)


METRO = scorer(
    keywords="['地铁^3', '城轨', 'tunnel boring', 'BIM']",
    require="'成都'",
    exclude="'招聘'",
)


def test_text_and_address_are_one_half_and_the_page_it_stands_on_the_other() -> None:
    assert METRO.link_score("更多", PLAIN, 0.0) == 0
    assert METRO.link_score("更多", PLAIN, 0.8) == pytest.approx(0.4)
    own = METRO.link_score("城轨", PLAIN, 0.0)
    assert own == pytest.approx(0.5 * 1 / 1.5)
    assert METRO.link_score("城轨", PLAIN, 0.8) == pytest.approx(own + 0.4)


def test_links_stand_in_the_order_of_what_speaks_for_them() -> None:
    links = [
        ("地铁城轨", PLAIN),
        ("地铁", PLAIN),
        ("城轨成都", PLAIN),
        ("城轨", PLAIN),
        ("成都", PLAIN),
        ("更多", PLAIN),
    ]
    scores = [METRO.link_score(anchor, url, 0.3) for anchor, url in links]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


@each_row(
    "url",
    [
        f"https://a.cn/tags/{quote('城轨')}/",
        f"https://a.cn/tags/{quote('城軌')}/",
        "https://a.cn/tunnel-boring-machine/",
        "https://a.cn/tunnel_boring.html",
        "https://a.cn/posts/bim/",
        "https://a.cn/BIM-2026",
    ],
)
def test_an_address_speaks_for_a_link_by_words(url: str) -> None:
    assert METRO.link_score("更多", url, 0.0) == pytest.approx(0.25)


@each_row(
    "url",
    [
        "https://a.cn/bimbo/",
        "https://a.cn/tunnelboring",
        "https://a.cn/%E5%9C",
        "https://a.cn/%%%",
        "",
        "x",
        "mailto:a@b.cn",
    ],
)
def test_an_address_without_a_word_of_the_topic_says_nothing(url: str) -> None:
    assert METRO.link_score("更多", url, 0.0) == 0


def test_the_words_around_a_link_count_half_and_only_what_its_text_does_not_say() -> None:
    assert METRO.link_score("更多", PLAIN, 0.0, "城轨") == pytest.approx(0.25)
    assert METRO.link_score("城轨", PLAIN, 0.0, "城轨") == METRO.link_score("城轨", PLAIN, 0.0)


def test_an_excluded_word_leaves_little() -> None:
    assert METRO.link_score("地铁招聘", PLAIN, 0.0) == 0
    assert METRO.link_score("地铁招聘", PLAIN, 1.0) < METRO.link_score("更多", PLAIN, 0.2)


def test_on_a_site_where_everything_looks_relevant_the_links_still_differ() -> None:
    assert METRO.link_score("更多", PLAIN, 1.0) == 0.5
    assert METRO.link_score("地铁", PLAIN, 1.0) > 0.9


def test_without_keywords_required_words_speak_in_full() -> None:
    only = scorer(require="'成都'")
    assert only.link_score("成都", PLAIN) > METRO.link_score("成都", PLAIN)
    assert scorer().link_score("成都", PLAIN, 1.0) == 0.5


@given(st.text(max_size=50), st.text(max_size=80), st.floats(0, 1), st.text(max_size=50))
def test_a_score_is_a_share_whatever_the_page_says(
    anchor: str, url: str, parent: float, around: str
) -> None:
    assert 0 <= METRO.link_score(anchor, f"https://{url}", parent, around) <= 1


PIECES = st.lists(
    st.sampled_from(
        ["地", "铁", "鐵", "城轨", "tunnel", "boring", "BIM", "招聘", "-", " ", "x", "%E5"]
    )
)


@given(PIECES, PIECES, st.floats(0, 1))
def test_links_passed_over_at_a_glance_score_as_after_a_closer_look(
    anchor: list[str], path: list[str], parent: float
) -> None:
    text, url = "".join(anchor), f"https://a.cn/{''.join(path)}"
    assert METRO.link_score(text, url, parent) == METRO.link_score(text, url, parent, " ")


@given(st.sampled_from(["地铁", "更多", "招聘", "城轨成都"]), st.floats(0, 1), st.floats(0, 1))
def test_a_better_page_never_makes_a_link_worse(anchor: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert METRO.link_score(anchor, PLAIN, low) <= METRO.link_score(anchor, PLAIN, high)


def test_remembered_texts_do_not_grow_without_end() -> None:
    fresh = scorer(keywords="'地铁'")
    first = fresh.link_score("地铁 0", PLAIN)
    for number in range(ANCHORS_KEPT + 10):
        fresh.link_score(f"地铁 {number}", PLAIN)
    assert len(fresh._anchors) <= ANCHORS_KEPT
    assert fresh.link_score("地铁 0", PLAIN) == first


def test_a_link_takes_few_calls_and_a_hostile_one_some_hundreds() -> None:
    """18 of a usual link, 9 µs; of a hostile one 362, for no more than so much of each text is looked at."""

    def scores() -> None:
        for number in range(2_000):
            METRO.link_score(f"成都地铁{number % 100}", f"https://a.cn/{number}.html", 0.4)

    def hostile(length: int) -> int:
        text, path = "地" * length, "%E5%9C%B0" * (length // 10)
        return steps_of(lambda: METRO.link_score(text, f"https://a.cn/{path}", 0.4, "铁" * length))

    assert steps_of(scores) < 25 * 2_000
    assert hostile(10**6) == hostile(10**5) < 500
