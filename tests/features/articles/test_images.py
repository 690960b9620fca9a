"""The images of an article are those that a browser shows in the end, however late they are loaded."""

from __future__ import annotations

import pytest

from focuscrawl.features import articles
from tests.tables import each_row

pytestmark = pytest.mark.A2

SENTENCES = [
    f"市水务局昨天介绍，东湖片区第{number}段供水管道已经用了二十六年，今年要换掉的一段长四公里，施工分三期进行。"
    for number in range(1, 5)
]
SHOWN = "http://a.test/i/ok.jpg"
EMPTY = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


def images_of(*images: str) -> tuple[str, ...]:
    lines = [f"<p>{line}</p>" for line in SENTENCES]
    lines[1:1] = [f"<p>{image}</p>" for image in images]
    markup = f"<title>东湖换管</title><body><div class='a'><h1>东湖换管</h1><div>{''.join(lines)}</div></div>"
    return articles.read(markup.encode(), "http://a.test/1.html").images


@each_row(
    "image",
    [
        "<img src='/i/ok.jpg'>",
        f"<img src='{EMPTY}' data-src='/i/ok.jpg'>",
        f"<img src='{EMPTY}' data-lazy-src='/i/ok.jpg' width=600>",
        "<img src='/loading.gif' data-lazyload='/i/ok.jpg' width=600>",
        "<img src='/static/none.gif' zoomfile='/i/big.jpg' file='/i/ok.jpg' id=aimg_1>",
        "<img data-original='/i/ok.jpg'>",
        "<img data-actualsrc='/i/ok.jpg' src='/assets/p.png'>",
        f"<img src='{EMPTY}' srcset='/i/ok.jpg 1x, /i/big.jpg 2x'>",
        f"<img src='{EMPTY}' data-srcset='/i/ok.jpg 640w, /i/big.jpg 1280w'>",
        f"<picture><source srcset='/i/ok.jpg'><img src='{EMPTY}'></picture>",
        "<picture><source type='image/webp' srcset='/i/a.webp'><img src='/i/ok.jpg'></picture>",
        "<img src='/i/ok.jpg' srcset='/i/ok.jpg 1x, /i/big.jpg 2x' data-thumb='/i/t.jpg'>",
        f"<img class=lazy src='{EMPTY}'><noscript><img src='/i/ok.jpg'></noscript>",
        "<img src='/assets/p.png'><noscript><img src='/i/ok.jpg'></noscript>",
        "<img src='/assets/p.png' data-src='/i/ok.jpg'><noscript><img src='/i/ok.jpg'></noscript>",
        f"<img src='{EMPTY}' data-big='http://a.test/i/ok.jpg'>",
        f"<img src='{EMPTY}' data-src='{EMPTY}' data-lazy='/i/ok.jpg'>",
        "<img src='/i/ok.jpg' data-id='77' data-page='/photo/7.jpg'>",
    ],
)
def test_the_image_that_is_shown_is_kept_and_no_placeholder(image: str) -> None:
    assert images_of(image) == (SHOWN,)


def test_one_file_for_many_images_is_a_placeholder() -> None:
    images = [f"<img src='/assets/p.png' data-full='/i/{number}.jpg'>" for number in range(4)]
    assert images_of(*images) == tuple(f"http://a.test/i/{number}.jpg" for number in range(4))


@each_row("image", [f"<img src='{EMPTY}'>", "<img src='/loading.gif'>", "<img>", "<img src='#'>"])
def test_a_placeholder_alone_is_no_image(image: str) -> None:
    assert images_of(image) == ()
