"""Listings of programs stay in an article whole, the numbers of their lines do not."""

import pytest
from lxml import etree

from focuscrawl.features.articles.article import read_article
from focuscrawl.features.articles.boilerplate import taken_listings, unbox_listings
from focuscrawl.readers.pages.document import Document
from tests.tables import each_row

pytestmark = pytest.mark.listings

PROSE = [
    "这一节说明怎样用五行程序读出目录里的全部文件，并且把名字按修改的时间排好顺序再打印出来。",
    "读者需要先装好解释器，再把下面的程序存成文件；它只用标准库，所以在哪里都能直接运行起来。",
    "如果目录里还有目录，可以把函数改成递归的，或者换成标准库里现成的另一个函数，结果是一样的。",
]
CODE = [
    "from pathlib import Path",
    "def newest(folder: Path) -> list[Path]:",
    "    return sorted(folder.iterdir(), key=lambda one: one.stat().st_mtime)",
    "for one in newest(Path('.')):",
    "    print(one.name)",
]
PLAIN = "\n".join(CODE)
NUMBERS = [str(number) for number in range(1, len(CODE) + 1)]

LISTINGS = {
    "a pre alone": f"<pre>{PLAIN}</pre>",
    "Hexo": "<figure class='highlight python'><table><tr><td class='gutter'><pre>"
    + "<br>".join(f"<span class='line'>{number}</span>" for number in NUMBERS)
    + "</pre></td><td class='code'><pre>"
    + "<br>".join(f"<span class='line'>{line}</span>" for line in CODE)
    + "</pre></td></tr></table></figure>",
    "Pygments": "<div class='highlight'><table class='highlighttable'><tr><td class='linenos'><pre>"
    + "\n".join(NUMBERS)
    + f"</pre></td><td class='code'><pre>{PLAIN}</pre></td></tr></table></div>",
    "numbers that do not say so": f"<table><tr><td>{'<br>'.join(NUMBERS)}</td><td><pre>{PLAIN}</pre></td></tr></table>",
    "a figure": f"<figure><pre><code>{PLAIN}</code></pre></figure>",
}


def page(listing: str) -> str:
    return f"<title>按时间排列文件</title><h1>按时间排列文件</h1><article><p>{PROSE[0]}</p><p>{PROSE[1]}</p>{listing}<p>{PROSE[2]}</p></article>"


@each_row("name", LISTINGS)
def test_a_listing_is_in_the_text_without_the_numbers_of_its_lines(name: str) -> None:
    document = Document.read(page(LISTINGS[name]).encode(), url="http://blog.example/1")
    article = read_article(document, fetched=None, timezone="UTC", language="zh")
    assert article is not None
    expected = [*PROSE[:2], *(line.strip() for line in CODE), PROSE[2]]
    assert article.text.split("\n") == expected


def test_a_table_of_figures_keeps_its_figures() -> None:
    table = "<table><tr><td>12</td><td>31</td></tr><tr><td>1</td><td>2</td></tr></table>"
    block = etree.fromstring(f"<div>{table}<code>x</code></div>", etree.HTMLParser())
    taken_listings(block)
    assert "".join(map(str, block.itertext())) == "123112x"


def test_what_is_no_listing_is_left_alone() -> None:
    block = etree.fromstring("<div><ol><li>1<li>2<li>3</ol></div>", etree.HTMLParser())
    assert taken_listings(block) == ""
    assert "".join(map(str, block.itertext())) == "123"


def test_listings_of_one_line_stay_where_they_stand() -> None:
    """As in a list of commands: the extractor drops small tables."""

    def boxed(line: str) -> str:
        number = "<td class='gutter'><pre><span class='line'>1</span><br></pre></td>"
        return f"<figure class='highlight'><table><tr>{number}<td class='code'><pre>{line}</pre></td></tr></table></figure>"

    commands = {
        "统计文件夹下面文件个数": "ls | wc -l",
        "下载": "wget url",
        "解压": "tar -zxvf a.tar.gz",
    }
    items = "".join(f"<li><p>{said}</p>{boxed(line)}</li>" for said, line in commands.items())
    document = Document.read(page(f"<ol>{items}</ol>").encode(), url="http://blog.example/1")
    article = read_article(document, fetched=None, timezone="UTC", language="zh")
    assert article is not None
    lines = [line for said_and_line in commands.items() for line in said_and_line]
    assert article.text.split("\n") == [*PROSE[:2], *lines, PROSE[2]]


def test_a_table_with_a_listing_among_other_cells_stays_a_table() -> None:
    table = "<table><tr><td>名称</td><td><pre>a.py</pre></td></tr></table>"
    root = etree.fromstring(f"<div>{table}</div>", etree.HTMLParser())
    unbox_listings(root)
    assert root.find(".//table") is not None
