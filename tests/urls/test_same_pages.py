from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls import same_pages
from focuscrawl.urls.same_pages import SamePages
from tests.tables import each_row

pytestmark = pytest.mark.A8

SITE = "a.cn"
HOME = "http://a.cn"


def shown(pages: dict[str, str]) -> SamePages:
    """Return what is learnt from pages that show some texts, in order."""
    same = SamePages()
    for path, text in pages.items():
        same.note(HOME + path, SITE, text.encode())
    return same


def twins(same: SamePages, path: str) -> list[str]:
    return [url.removeprefix(HOME) for url in same.twins(HOME + path, SITE)]


def test_folder_and_index_file_are_one_page_where_two_folders_have_shown_it() -> None:
    same = shown({"/": "home", "/index.html": "home", "/news/index.html": "news"})
    assert twins(same, "/x/") == twins(same, "/x/index.html") == []
    same.note(f"{HOME}/news/", SITE, b"news")
    assert twins(same, "/x/") == ["/x/index.html"]
    assert twins(same, "/x/index.html") == ["/x/"]
    assert twins(same, "/x/index.php") == twins(same, "/x/1.html") == twins(same, "/x/?p=1") == []
    assert list(same.twins("http://b.cn/x/", "b.cn")) == []


def test_one_folder_that_differs_is_enough_to_keep_both_whatever_else_was_alike() -> None:
    alike = {"/": "1", "/index.html": "1", "/b/": "2", "/b/index.html": "2"}
    assert twins(shown(alike), "/x/") == ["/x/index.html"]
    assert twins(shown({"/c/": "3", "/c/index.html": "4", **alike}), "/x/") == []
    assert twins(shown({**alike, "/c/": "3", "/c/index.html": "4"}), "/x/") == []


def test_a_site_that_answers_everything_alike_has_shown_nothing() -> None:
    everything = dict.fromkeys(["/", "/index.php", "/b/", "/b/index.php", "/c/", "/c/index.php"], "x")  # fmt: skip
    assert twins(shown(everything), "/x/") == []


def test_each_index_file_is_learnt_by_itself() -> None:
    same = shown(
        {
            "/index.html": "1", "/default.aspx": "1", "/": "1",
            "/b/": "2", "/b/index.html": "other", "/b/Default.aspx": "2", "/b/default.aspx": "2",
        }
    )  # fmt: skip
    assert twins(same, "/x/") == ["/x/default.aspx"]


def test_several_index_files_of_one_site_are_known_at_the_same_time() -> None:
    names = ("index.html", "default.aspx")
    same = shown(
        {
            f"{folder}{name}": folder
            for folder in ("/", "/b/")
            for name in (*names, "")  # the folder itself comes last
        }
    )
    assert sorted(twins(same, "/x/")) == ["/x/default.aspx", "/x/index.html"]


def sessions(pages: int, visits: int, name: str = "sid") -> dict[str, str]:
    return {
        f"/show.asp?id={page}&{name}=a{page}f{visit}c9": f"text {page}"
        for page in range(pages)
        for visit in range(visits)
    }


def test_a_parameter_changes_nothing_where_pages_show_the_same_whatever_its_value() -> None:
    same = shown(sessions(3, 3))
    assert same.dropped == {SITE: frozenset({"sid"})}
    assert same.plain(f"{HOME}/show.asp?id=7&sid=zz1", SITE) == f"{HOME}/show.asp?id=7"
    assert same.plain(f"{HOME}/show.asp?sid=zz1", SITE) == f"{HOME}/show.asp"
    assert same.plain(f"{HOME}/show.asp?id=7", SITE) == f"{HOME}/show.asp?id=7"
    assert same.plain("http://b.cn/show.asp?sid=zz1", "b.cn") == "http://b.cn/show.asp?sid=zz1"


def test_a_parameter_matters_as_soon_as_two_of_its_values_show_different_pages() -> None:
    same = shown(sessions(3, 3) | {"/list.asp?sid=sports1": "x", "/list.asp?sid=news22": "y"})
    assert not same.dropped.get(SITE)


def test_a_folder_that_numbers_visits_is_found_out_like_a_parameter() -> None:
    visits = [f"{number:x}0a1b2c3d4e5f" for number in range(3)]
    same = shown({f"/s/{visit}/{n}.html": f"text {n}" for n in range(4) for visit in visits})
    assert same.dropped == {SITE: frozenset({"/2"})}
    plain = same.plain(f"{HOME}/s/99ff99ff99ff99ab/7.html", SITE)
    assert plain == same.plain(f"{HOME}/s/77ff99ff99ff99ab/7.html", SITE)
    assert plain != same.plain(f"{HOME}/s/99ff99ff99ff99ab/8.html", SITE)
    assert same.plain(f"{HOME}/s/news/7.html", SITE) == f"{HOME}/s/news/7.html"
    articles = {f"/s/{visit}/text.html": visit for visit in visits}
    assert not shown(articles | {f"/s/{visit}/print.html": "x" for visit in visits}).dropped


def test_a_slash_too_many_changes_nothing_where_two_pages_have_shown_the_same() -> None:
    same = shown({"/news//1.html": "one", "/news/1.html": "one", "//news/2.html": "two"})
    assert not same.dropped
    assert same.plain(f"{HOME}/news//9.html", SITE) == f"{HOME}/news//9.html"
    same.note(f"{HOME}/news/2.html", SITE, b"two")
    assert same.plain(f"{HOME}//news///9.html?to=//x", SITE) == f"{HOME}/news/9.html?to=//x"
    assert not same.is_tried(f"{HOME}/news/9.html", SITE), "nothing of it is left out"
    same.note(f"{HOME}/list//", SITE, b"an empty name")
    same.note(f"{HOME}/list/", SITE, b"all names")
    assert same.plain(f"{HOME}/news//9.html", SITE) == f"{HOME}/news//9.html"
    same_everywhere = {f"/{one}{number}": "x" for one in ("a//", "a/") for number in range(4)}
    assert not shown(same_everywhere).dropped


def test_what_was_learnt_of_slashes_goes_on_with_the_next_run() -> None:
    same = shown({"//1": "one", "/1": "one", "/2": "two", "//2": "two"})
    again = SamePages()
    again.load({SITE: {same_pages.SAME_PAGES: same.changed()[SITE]}})
    assert again.plain(f"{HOME}//3", SITE) == f"{HOME}/3"


def test_too_few_texts_or_pairs_teach_nothing() -> None:
    assert not shown(sessions(2, 9)).dropped
    assert not shown(sessions(3, 2)).dropped


@each_row(
    "values",
    [
        [str(page) for page in range(9)],
        ["zh", "english", "deutsch", "fr"],
        [f"2026-{month:02}" for month in range(1, 13)],
        [f"202611{day:02}" for day in range(1, 13)],
        ["newest", "oldest", "score"],
        [f"20240101{number:02}" for number in range(11, 20)],
        ["1700000000", "1700000007", "1700000009"],
    ],
)
def test_an_untranslated_an_empty_or_a_last_page_says_nothing_about_its_parameter(
    values: list[str],
) -> None:
    pages = {f"/tag?name=t{tag}&p={value}": f"tag {tag}" for tag in range(9) for value in values}
    assert not shown(pages).dropped


def test_a_visit_says_that_its_parameter_changes_nothing() -> None:
    values = ["a1f3c9", "0b77d2", "x_9_y1"]
    pages = {f"/show?n=t{tag}&_={value}": f"tag {tag}" for tag in range(5) for value in values}
    assert shown(pages).dropped == {SITE: frozenset({"_"})}


def test_a_few_addresses_are_tried_ever_fewer_as_their_pages_go_on_being_alike() -> None:
    urls = [f"{HOME}/show.asp?id=7&sid=z{number}" for number in range(4000)]
    same = shown(sessions(3, 3))
    first = {url for url in urls if same.is_tried(url, SITE)}
    assert 100 < len(first) < 400, "one in twenty after six pairs"
    for page, visit in ((page, visit) for page in range(9, 30) for visit in range(2)):
        same.note(f"{HOME}/show.asp?id={page}&sid=b{page}f{visit}c9", SITE, b"%d" % page)
    later = {url for url in urls if same.is_tried(url, SITE)}
    assert later < first, "what is no page of its own does not become one"
    assert len(later) < 20
    same.note(f"{HOME}/show.asp?id=1&sid=b9f9c9", SITE, b"another page")
    assert not same.dropped[SITE]


def test_what_was_learnt_is_kept_between_runs_and_undone_by_one_page() -> None:
    same = shown(sessions(3, 3) | {"/": "1", "/index.htm": "1", "/b/": "2", "/b/index.htm": "2"})
    record = same.changed()[SITE]
    assert record == {"files": ["index.htm"], "dropped": ["sid"]}
    assert not same.changed()
    later = SamePages()
    later.load({SITE: {"same_pages": record}, "b.cn": {"patterns": {}}})
    assert twins(later, "/x/") == ["/x/index.htm"]
    assert later.dropped == {SITE: frozenset({"sid"})}
    assert not later.changed()
    later.note(f"{HOME}/c/", SITE, b"3")
    later.note(f"{HOME}/c/index.htm", SITE, b"4")
    assert later.changed() == {SITE: {"files": [], "dropped": ["sid"]}}


def test_memory_is_bounded() -> None:
    same = SamePages()
    for number in range(3 * same_pages.PAGES_KEPT):
        same.note(f"{HOME}/{number}?a=x{number}", f"{number}.cn", b"x")
    assert len(same._shown) <= same_pages.PAGES_KEPT
    assert len(same._evidence) <= same_pages.PAGES_KEPT


PATHS = st.sampled_from(
    ["/", "/index.html", "/a/", "/a/index.html", "/a/b.html", "/a", "/a/index.php"]
)
QUERIES = st.sampled_from(["", "?", "?sid=x1y2", "?sid=z9&id=4", "?id=4&sid=z8", "?=&&", "?sid"])


@given(st.lists(st.tuples(PATHS, QUERIES, st.binary(min_size=1, max_size=1)), max_size=40))
def test_twins_are_each_others_and_plain_addresses_stay_plain(
    pages: list[tuple[str, str, bytes]],
) -> None:
    same = SamePages()
    for path, query, text in pages:
        same.note(HOME + path + query, SITE, text)
    for path, query, _ in pages:
        url = HOME + path + query
        for twin in same.twins(url, SITE):
            assert url in same.twins(twin, SITE)
        plain = same.plain(url, SITE)
        assert same.plain(plain, SITE) == plain
