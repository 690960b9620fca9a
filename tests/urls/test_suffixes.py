from __future__ import annotations

import pytest

from focuscrawl.urls.suffixes import NO_PAGES, suffix_of


@pytest.mark.parametrize(
    ("url", "suffix"),
    [
        ("http://example.cn/a/b.JPG", "jpg"),
        ("http://example.cn/b.tar.gz?x=1", "gz"),
        ("http://example.cn/x.php?file=a.zip", "php"),
        ("http://example.zip/", ""),
        ("http://example.cn/v1.2/news", ""),
        ("http://example.cn/news.", ""),
    ],
)
def test_a_suffix_belongs_to_the_last_part_of_the_path(url: str, suffix: str) -> None:
    assert suffix_of(url) == suffix


@pytest.mark.parametrize(
    "suffix", ["html", "shtml", "php", "aspx", "jsp", "do", "xml", "rss", "cn", ""]
)
def test_pages_and_feeds_are_asked_for(suffix: str) -> None:
    assert suffix not in NO_PAGES


@pytest.mark.parametrize("suffix", ["jpg", "zip", "rar", "mp4", "pdf", "doc", "css", "js", "apk"])
def test_files_are_not(suffix: str) -> None:
    assert suffix in NO_PAGES
