"""Pages that only a browser's scripts fill."""

import pytest

from focuscrawl.pages.document import Document
from focuscrawl.pages.scripted import needs_script

SCRIPT = "<script src='/static/main.js'></script>"
PROSE = (
    "<p>成都市场监管部门昨日公布食品安全抽检结果，共抽检粮食加工品、乳制品等样品一百二十批次。</p>"
    * 6
)


def is_frame(body: str) -> bool:
    markup = f"<html><head><title>门户</title></head><body>{body}</body></html>"
    return needs_script(Document.read(markup.encode(), url="http://a.cn/"))


@pytest.mark.parametrize(
    "body",
    [
        f"<div id='app'></div>{SCRIPT}",
        f"<div id='root'>Loading…</div>{SCRIPT}",
        f"<app-root></app-root>{SCRIPT}",
        f"<div><div id='__next'></div></div>{SCRIPT}",
        f"<noscript>You need to enable JavaScript to run this app.</noscript>{SCRIPT}",
        f"<noscript><p>请开启JS脚本</p></noscript><p>加载中</p>{SCRIPT}",
        f"<div id='app'></div><script>{'x=1;' * 40}</script><p>© 2026 门户</p>",
    ],
)
def test_a_frame_without_text_needs_its_script(body: str) -> None:
    assert is_frame(body)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<div id='app'></div>",
        f"<p>404</p>{SCRIPT}",
        f"<div id='app'>{PROSE}</div>{SCRIPT}",
        f"{PROSE}<noscript>JavaScript is off</noscript>{SCRIPT}",
        f"<div id='app'><img src='a.png' alt=''><p>这一天，我们在门外拍下这张照片，没有多写一个字；它说的比字多，留给大家自己看看。</p></div>{SCRIPT}",
        f"<noscript><img src='//count.example/1.gif'></noscript><p>短讯</p>{SCRIPT}",
        f"<div id='application-form'></div><p>报名已经结束</p>{SCRIPT}",
    ],
)
def test_a_page_with_text_or_without_a_sign_of_scripts_needs_none(body: str) -> None:
    assert not is_frame(body)
