"""What the deployment tests share: a copy of the checkout, its egg, and a small web to crawl."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from pathlib import Path

import pytest

ARTICLES = 24
"""Articles of the small web, all linked from its front page."""

SHIPPED = (
    "focuscrawl",
    "tests",
    "pyproject.toml",
    "setup.py",
    "scrapy.cfg",
    "README.md",
    "LICENSE",
)
"""What of the checkout a build sees; tests too, so that one that slips into the egg is noticed."""

FRONT = "<html><head><title>四川食品安全网</title></head><body><h1>今日要闻</h1><ul>{}</ul></body></html>"
ARTICLE = """<html><head><meta charset="utf-8"><title>第{number}批食品抽检结果公布</title></head>
<body><h1>第{number}批食品抽检结果公布</h1><p>发布时间:2026-11-{day:02} 08:00 来源:四川日报</p>
<p>成都市场监管部门昨日公布第{number}批食品安全抽检结果,共抽检粮食加工品、乳制品等样品一百二十批次。</p>
<p>抽检发现第{number}号样品的菌落总数超过食品安全国家标准,监管部门已责令企业立即下架并召回全部产品。</p>
</body></html>"""


def page(path: str) -> str | None:
    """Write the page of a path, None where there is none."""
    if path == "/":
        numbers = range(1, ARTICLES + 1)
        return FRONT.format(
            "".join(
                f'<li><a href="/news/{n}.html">第{n}批食品抽检结果公布</a></li>' for n in numbers
            )
        )
    stem = path.removeprefix("/news/").removesuffix(".html")
    if stem.isdecimal():
        return ARTICLE.format(number=int(stem), day=int(stem) % 19 + 1)
    return None


class Gate:
    """Lets a test say how many pages the small web answers before it waits."""

    def __init__(self) -> None:
        self._most = inf
        self._changed = threading.Condition()

    def hold_after(self, most: float) -> None:
        """Leave all requests after so many without an answer, until more are let through."""
        with self._changed:
            self._most = most
            self._changed.notify_all()

    def open(self) -> None:
        """Answer all requests."""
        self.hold_after(inf)

    def pass_through(self, number: int) -> None:
        """Wait, as the request of a number, until it may be answered."""
        with self._changed:
            self._changed.wait_for(lambda: number <= self._most)


@pytest.fixture(scope="session")
def shared_gate() -> Gate:
    """The gate of the small web."""
    return Gate()


@pytest.fixture
def gate(shared_gate: Gate) -> Iterator[Gate]:
    """The gate of the small web, for one test; open at its end."""
    yield shared_gate
    shared_gate.open()


@pytest.fixture(scope="session")
def asked() -> list[str]:
    """Paths the small web was asked for by all tests."""
    return []


@pytest.fixture
def requested(asked: list[str]) -> list[str]:
    """Paths the small web was asked for by one test, in order, without robots.txt."""
    asked.clear()
    return asked


@pytest.fixture(scope="session")
def site(asked: list[str], shared_gate: Gate) -> Iterator[str]:
    """Serve the small web on loopback; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/robots.txt":
                asked.append(self.path)
                shared_gate.pass_through(len(asked))
            text = page(self.path)
            body = (text or "not here").encode()
            self.send_response(200 if text else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the tests' output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def template(site: str) -> str:
    """Return a topic over the small web."""
    return (
        '[topic]\nname = "food"\ntitle = "四川食品安全"\nkeywords = ["食品安全|抽检"]\n'
        f'[[source]]\nurl = "{site}"\n'
        '[politeness]\ndelay = "100ms"\ncontact = "https://example.com/bot.html"\n'
    )


@pytest.fixture(scope="session")
def topics(tmp_path_factory: pytest.TempPathFactory, template: str) -> Path:
    """Write the topic into a folder, as it would lie on a server."""
    folder = tmp_path_factory.mktemp("topics")
    (folder / "food.toml").write_text(template, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def checkout(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the checkout, so that a build leaves nothing in it; our settings get a name of their own.

    The bot's name in a job's log tells that the deployed code ran, not the checkout.
    """
    copy = tmp_path_factory.mktemp("checkout")
    for name in SHIPPED:
        source = pytestconfig.rootpath / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            shutil.copy(source, copy)
    with (copy / "focuscrawl/settings.py").open("a") as settings:
        settings.write('\nBOT_NAME = "deployed"\n')
    return copy


@pytest.fixture(scope="session")
def egg(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the egg as scrapyd-deploy and shub do."""
    return build(checkout, "bdist_egg", tmp_path_factory.mktemp("egg"))


@pytest.fixture(scope="session")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    return build(checkout, "bdist_wheel", tmp_path_factory.mktemp("wheel"))


def build(checkout: Path, command: str, target: Path) -> Path:
    """Run one setuptools command; the file it made."""
    subprocess.run(
        [sys.executable, "setup.py", "-q", command, "-b", str(target / "build"), "-d", str(target)],
        cwd=checkout,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (built,) = (file for file in target.iterdir() if file.is_file())
    return built
