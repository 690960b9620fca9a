"""A small web whose pages try to be more than text where people look at what was found."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tests.web import SENTENCE, Answer

if TYPE_CHECKING:
    from tests.web import Web

TITLES = (
    "<script>document.title='食品'</script>食品抽检",
    '"><img src=http://elsewhere.test/x onerror=alert(1)>食品',
    "食品\u202egpj.exe\u2066抽检",
    "{{ 7 * 7 }} {% raw %} 食品抽检",
    "食品" + "长" * 1_000_000,
    "食品 &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
)


def write_hostile_pages(web: Web) -> None:
    """Put a list of such articles somewhere, and what is none among them."""
    urls = [f"http://a.test/news/{number}.html" for number in range(len(TITLES))]
    for number, (url, title) in enumerate(zip(urls, TITLES, strict=True)):
        text = "".join(f"<p>{SENTENCE.format(number, number + part)}</p>" for part in range(4))
        said = escape(title) if number < len(TITLES) - 1 else title
        web.answers[url] = Answer(
            f"<html><head><title>{said}</title></head><body><h1>{said}</h1>"
            f"<p>发布时间:2026-11-18 08:00 来源:<b>&lt;b&gt;四川日报&lt;/b&gt;</b></p><div>{text}</div></body></html>"
        )
    more = '<a href="javascript:alert(1)">食品抽检通告的全文在这里</a><a href="data:text/html,x">食品抽检通告</a>'
    web.board("http://a.test/", *urls, more=more)
