from focuscrawl.pages.document import Document
from focuscrawl.pages.entries import entry_dates
from focuscrawl.pages.links import find_links

NOW = 1_780_000_000.0
DAY = 86_400.0


def dates(markup: str) -> list[float]:
    page = f"<html><head><meta charset='utf-8'></head><body>{markup}</body></html>"
    document = Document.read(page.encode(), url="http://news.example/list/")
    return entry_dates(find_links(document), timezone="UTC", now=NOW)


def test_the_date_of_an_entry_stands_in_its_row() -> None:
    found = dates(
        "<ul><li><a href='/1.html'>成都抽检三批次食品不合格</a><span>2026-05-02</span></li>"
        "<li><a href='/2.html'>绵阳一食堂被责令整改</a> <i>2026-05-01</i></li></ul>"
    )
    assert [(second - found[1]) / DAY for second in found] == [1.0, 0.0]


def test_the_date_of_an_entry_may_stand_in_its_address() -> None:
    assert len(dates("<p><a href='/2026/05/02/a.html'>成都抽检三批次食品不合格</a></p>")) == 1


def test_clocks_and_copyright_lines_are_no_entries() -> None:
    found = dates(
        "<div>今天是2026年5月20日 <a href='/'>首页</a></div>"
        "<footer>© 2026-05-20 <a href='/about'>关于我们联系我们</a> " + "某某网站版权所有" * 20
    )
    assert found == []


def test_dates_in_the_future_do_not_count() -> None:
    assert dates("<li><a href='/1.html'>成都抽检三批次食品不合格</a>2031-01-01</li>") == []
