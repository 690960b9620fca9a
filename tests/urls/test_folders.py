"""The first folder of an address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls.folders import LONGEST_FOLDER, NUMBERED, folder_named, folder_number, folder_of


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
        ("http://a.cn/2026/11/22/1.html", NUMBERED),
        ("http://a.cn/202611/1.html", NUMBERED),
        ("http://a.cn/2026-11-22/", NUMBERED),
        ("http://a.cn/2026_11.22/1.html", NUMBERED),
        ("http://a.cn/360/1.html", NUMBERED),
        ("http://a.cn/2026年/1.html", "/2026年"),
        ("http://a.cn/360news/1.html", "/360news"),
        ("http://a.cn/2026-/1.html", "/2026-"),
        ("http://a.cn/٢٠/1.html", "/٢٠"),
        ("http://a.cn/2026.php?id=1", "/2026.php"),
        ("http://a.cn/2026", ""),
    ],
)
def test_the_first_folder_or_the_script_is_the_folder(url: str, folder: str) -> None:
    assert folder_of(url) == folder


@given(st.text())
def test_no_address_is_too_odd_and_no_folder_too_long(url: str) -> None:
    assert len(folder_of(url)) <= LONGEST_FOLDER
    assert 0 <= folder_number(folder_of(url)) < 2**32


def test_the_folder_a_row_waits_in_may_be_a_number_or_date_in_older_crawl_files() -> None:
    url = "http://a.cn/2026/11/1.html"
    assert folder_named(url, folder_number("/2026")) == "/2026"
    assert folder_named(url, folder_number(NUMBERED)) == NUMBERED
    assert folder_named("http://a.cn/news/1.html", 1) == "/news"


def test_a_folder_has_the_same_number_in_every_process() -> None:
    assert folder_number("/news") == 0xB9240984
    assert folder_number("/新闻") != folder_number("/图片")
