"""The first folder of an address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls.folders import LONGEST_FOLDER, folder_number, folder_of


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("http://a.cn/news/2026/11/1.html", "/news"),
        ("https://a.cn:8080/news/", "/news"),
        ("http://a.cn/news", ""),
        ("http://a.cn/1.html", ""),
        ("http://a.cn/", ""),
        ("http://a.cn", ""),
        ("http://a.cn/?c=food", ""),
        ("http://a.cn?c=food", ""),
        ("http://a.cn/list.php?page=2", "/list.php"),
        ("http://a.cn/list.php?back=/x/y", "/list.php"),
        ("http://a.cn/news/list.php?back=/x/", "/news"),
        ("http://a.cn//double/slash", ""),
    ],
)
def test_the_first_folder_or_the_script_is_the_folder(url: str, folder: str) -> None:
    assert folder_of(url) == folder


@given(st.text())
def test_no_address_is_too_odd_and_no_folder_too_long(url: str) -> None:
    assert len(folder_of(url)) <= LONGEST_FOLDER
    assert 0 <= folder_number(folder_of(url)) < 2**32


def test_a_folder_has_the_same_number_in_every_process() -> None:
    assert folder_number("/news") == 0xB9240984
    assert folder_number("/新闻") != folder_number("/图片")
