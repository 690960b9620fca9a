"""A real web out of WARC files, for ``python -m benchmarks.harvest --warc FILE``.

Every HTML page of the files is a page; links to others of them are its links. What is relevant is
said by the topic's own words (machine learning) on title and main text: truth and judge are one, so
the figure compares orders, not judges. The crawl begins at the page that leads to most others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from focuscrawl.features.articles.main_text import read_main_text
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.links import find_links
from focuscrawl.readers.relevance.scores import LinkScorer, PageScorer
from focuscrawl.template.load import load
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.urls.sites import folder_number, folder_of

TOPIC = """
[topic]
name = "archive"
keywords = [
    "机器学习|machine learning^3", "深度学习|神经网络|deep learning|neural network",
    "支持向量机|决策树|随机森林|逻辑回归|线性回归|聚类", "梯度下降|损失函数|过拟合|训练集",
]
[[source]]
url = "http://start.example/"
"""


class Archive:
    """The pages of WARC files as a web (see ``harvest.Web``)."""

    def __init__(self, files: list[str]) -> None:
        template = load(TOPIC).template
        self._canonical = Canonicalizer()
        self.urls: list[str] = []
        self.sites: list[str] = []
        self.folders: list[int] = []
        self.relevant: list[bool] = []
        self.community: list[int] = []
        self.links: list[list[tuple[int, int]]] = []
        self._verdicts: list[tuple[float, bool, list[float]]] = []
        documents: list[Document] = []
        numbers: dict[int, int] = {}
        for url, content_type, body in responses(files):
            address = self._canonical.address(url)
            if address is None or address.number in numbers or "html" not in content_type:
                continue
            numbers[address.number] = len(documents)
            documents.append(Document.read(body, url=url, content_type=content_type))
            self.urls.append(url)
            self.sites.append(address.site)
            self.folders.append(folder_number(folder_of(url)))
        for document in documents:
            self._judge(document, numbers, template)
        self.community = [self.sites.index(site) for site in self.sites]
        start, reached = self._start()
        self.starts = [start]
        self.pages_reached = len(reached)
        self.reachable = {page for page in reached if self.relevant[page]}

    def _judge(self, document: Document, numbers: dict[int, int], template: Any) -> None:
        verdict = template.once(PageScorer.of).score(document.title, read_main_text(document).text)
        links: list[tuple[int, int]] = []
        scores: list[float] = []
        for link in find_links(document):
            address = self._canonical.address(link.url)
            target = numbers.get(address.number) if address else None
            if target is not None:
                links.append((target, 0))
                score = template.once(LinkScorer.of).link_score(
                    link.anchor, link.url, verdict.score
                )
                scores.append(score)
        self.links.append(links)
        self.relevant.append(verdict.relevant)
        self._verdicts.append((verdict.score, verdict.relevant, scores))

    def fetched(self, page: int) -> tuple[float, bool, list[float]]:
        """Return score, verdict and link scores of a page."""
        return self._verdicts[page]

    def _start(self) -> tuple[int, set[int]]:
        """Return the page that leads to most others, and these."""
        best: set[int] = set()
        start = 0
        for page in range(len(self.urls)):
            if page not in best and len(found := self._reached(page)) > len(best):
                start, best = page, found
        return start, best

    def _reached(self, page: int) -> set[int]:
        seen, open_pages = {page}, [page]
        while open_pages:
            for target, _ in self.links[open_pages.pop()]:
                if target not in seen:
                    seen.add(target)
                    open_pages.append(target)
        return seen


def responses(files: list[str]) -> Iterator[tuple[str, str, bytes]]:
    """Go through (address, content type, body) of the answers in WARC files."""
    try:
        from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - only for --warc
    except ImportError as error:
        raise SystemExit("--warc needs warcio: pip install warcio") from error
    for name in files:
        if not Path(name).is_file():
            raise SystemExit(f"--warc {name}: no such file; give the path of a WARC file")
        with Path(name).open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "response":
                    content_type = record.http_headers.get_header("Content-Type") or "text/html"
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    yield url, content_type, record.content_stream().read()
