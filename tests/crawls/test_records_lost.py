"""The page of a record that stays, without the record: the row stays, and says since when its data is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import run_on
from tests.crawls.test_records import DIRECTORY, SOURCE, company

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.B1

CONTACT = "http://a.test/contact.html"
DAILY = '[revisit]\npolicy = "fixed"\ngone_after = 2\ngone_within = "1d"\n[revisit.record]\nfirst = "1d"\n'
WITHOUT = {
    "nothing": "<h3>联系我们</h3><p>本页正在编写，暂时没有内容。</p>",
    "article": "<h1>联系我们</h1>"
    + "".join(
        f"<p>我们的第{n}间办公室正在搬家，新的地方定下来之后会在这里写明，请各位客户耐心等一等，谢谢理解和支持。</p>"
        for n in range(9)
    ),
    "list": "<ul>"
    + "".join(f"<li><a href='/p.html?{n}'>产品的说明和下载 {n}</a></li>" for n in range(12))
    + "</ul>",
}


@pytest.mark.parametrize("kind", WITHOUT)
def test_a_record_whose_page_shows_it_no_more_is_gone_and_its_row_stays(
    project: Project, web: Web, kind: str
) -> None:
    company(web, "a.test", "云杉软件有限公司", "028-55501111", about=False)
    company(web, "b.test", "青禾软件有限公司", "028-55502222")
    project.write("topics/news.toml", DIRECTORY + DAILY + SOURCE)
    run_on(project, 0)
    whole = web.answers[CONTACT]
    web.answers[CONTACT] = web.page(f"<html><body>{WITHOUT[kind]}</body></html>")
    gone = "SELECT host, gone_at IS NOT NULL AS gone FROM records ORDER BY host"
    for day in (1.1, 2.3, 3.5):
        run_on(project, day)
    assert [tuple(row) for row in project.rows(gone)] == [("a.test", 1), ("b.test", 0)]
    web.answers[CONTACT] = whole
    run_on(project, 9)
    run_on(project, 20)
    assert [tuple(row) for row in project.rows(gone)] == [("a.test", 0), ("b.test", 0)]
