"""Articles read for a topic: is a page about it, is it kept ([article]), and what is made of it.

Also the further parts of an article (A2): which of them a page names, of what article it is itself a
later one, and what the article is by all that is there; and the files of one, which are returned pages
and wait in the top level (A3).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from focuscrawl.features.articles.article import ArticleText, is_dated, read_article
from focuscrawl.features.articles.main_text import at_first_sight, is_attachment
from focuscrawl.features.articles.places import SitePlaces
from focuscrawl.features.articles.several_pages.assembly import Outcome
from focuscrawl.features.articles.several_pages.chapters import Chapters
from focuscrawl.features.articles.several_pages.parts import LONGEST_TEXT, Gathered, Piece
from focuscrawl.features.articles.table import ArticleTable
from focuscrawl.features.articles.titles import all_titles
from focuscrawl.readers.links.admission_rules import AdmissionRules, is_unwanted, refusal
from focuscrawl.readers.links.continuations import beyond, page_number, selectors_of, told_apart
from focuscrawl.readers.links.criteria import (
    Content,
    OpenPage,
    PageReader,
    PageVerdict,
    may_change,
    verdict_of,
)
from focuscrawl.readers.pages.content import Fetched, Judged, page_of
from focuscrawl.readers.pages.first_page import find_first_page
from focuscrawl.readers.pages.links import FoundLink
from focuscrawl.readers.pages.paging import WHOLE
from focuscrawl.readers.pages.selectors import PageSelectors
from focuscrawl.readers.relevance.scores import NO_WORD, PageScore
from focuscrawl.readers.relevance.table import RelevanceTable
from focuscrawl.readers.text.dates import DateReader
from focuscrawl.readers.text.keywords import keywords
from focuscrawl.urls.actions import suffix_of
from focuscrawl.values import Article, File, Link, LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.readers.links.criteria import Criteria
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

LONGEST_PART = 200_000  # characters that one of several pages gives to an article
_LONGEST_REASON = 40  # characters of the column pages.reason
IMAGE = "image"  # what stands for all images of a text among the endings of article.files
SHORTEST_ATTACHMENT = 4  # characters of what names an attachment: 下载 names none
MOST_FILES = 200  # files of one page
# Nothing that was matched is given back: each of many comments could else be read in many ways, and
# 24 empty ones took seconds.
MARKUP = re.compile(
    rb"\s*+(?:<!--(?:(?!-->).){0,2000}+-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)


class ArticleReader(PageReader):
    """Reads articles, their further parts, and files that belong to them; ``places`` and ``chapters`` are what
    their sites have taught.
    """

    def __init__(
        self, criteria: Criteria, places: SitePlaces | None = None, chapters: Chapters | None = None
    ) -> None:
        super().__init__(criteria)
        self._places = SitePlaces() if places is None else places  # one without sites yet is empty
        self._chapters = Chapters() if chapters is None else chapters

    def take(self, fetched: Fetched, waiting: Waiting, found: PageClass | None) -> Judged | None:
        """Take what was fetched as a file of an article: it is one unless a page came instead."""
        if waiting.page_class is not PageClass.FILE or not waiting.first_key:
            return None
        row = page_of(fetched, waiting, PageClass.FILE)
        if MARKUP.match(fetched.body):
            row.outcome, row.reason = "refused", "a page instead of a file"
            return Judged(row, why="a page instead of a file")
        row.outcome = "stored"
        file = File(
            file_key=waiting.key.hex(),
            url=waiting.url,
            parent_key=waiting.first_key.hex(),
            sha256=sha256(fetched.body).hexdigest(),
            content_type=fetched.content_type,
            bytes=len(fetched.body),
            fetched=fetched.at,
        )
        return Judged(row, why="a file of an article", file=file)

    def is_dated(self, page: OpenPage) -> bool:
        """Whether a page says when it was published, as an article does."""
        zone = str(self.criteria.template.topic.timezone)
        return is_dated(page.document, fetched=page.fetched.at, timezone=zone)

    def judge(self, page: OpenPage) -> Judged | None:
        """Judge a content page or one of its further parts."""
        if page.kind.page_class not in (PageClass.ARTICLE, PageClass.ARTICLE_PAGING):
            return None
        row, criteria = page.row, self.criteria
        later = self._later_part(page) if row.page_class is PageClass.ARTICLE else None
        if later is not None:
            page, row.page_class = replace(page, waiting=later[0]), PageClass.ARTICLE_PAGING
        waiting, document = page.waiting, page.document
        selectors = selectors_of(criteria.template, waiting.site)
        links = told_apart(document, page.links, row.page_class, selectors)
        ordinary, further, missed, is_numbered = links
        is_first = row.page_class is PageClass.ARTICLE and later is None
        if is_first and not is_numbered and not selectors.next:
            ordinary, further = self._chapters.told_apart(waiting.site, ordinary, further)
        if waiting.page_number == WHOLE:
            further = ()  # what shows all has no further pages
        if later is not None:
            ordinary = (*ordinary, later[1])
        batch = LinkBatch(row.page_class, ordinary, further, title=document.title)
        judged = Judged(row, batch, why=page.kind.reason, part=waiting if later else None)
        try:
            text = self._read(page, selectors, is_alone=not further)
        except Exception as error:
            # A library stumbled over the page: its links are still good, and others must not wait.
            logger.exception("cannot read %s", page.fetched.url)
            row.outcome, row.reason = "error", f"reading: {type(error).__name__}"
            return judged
        if isinstance(text, PageVerdict):
            _note_verdict(text, judged)
            return judged
        judged.missed = missed + (text.missed if text else ())
        if row.page_class is PageClass.ARTICLE_PAGING:
            images, wanted = text.images if text else (), criteria.template.of(ArticleTable).files
            judged.batch, _ = with_files(batch, images, wanted, criteria.rules)
            row.outcome = "part"
            judged.piece = self._piece(page, text, further)
            if later is not None and text is not None:
                judged.piece = judged.piece._replace(page=row, own=self._own(page, text))
        elif text is None and not further:
            row.outcome, row.reason = "short", "no text"
        else:
            self._judge_first(page, text or ArticleText(document.title), batch, judged)
        return judged

    def _later_part(self, page: OpenPage) -> tuple[Waiting, Link] | None:
        """Return a page that came as an article of its own as the later part it is, and a link to the
        first; None when it is no later part, or the first may not be fetched.
        """
        waiting, rules = page.waiting, self.criteria.rules
        first = None if waiting.first_key else find_first_page(page.document, page.links)
        look = rules.look(first.url) if first is not None else None
        if first is None or look is None or refusal(look, PageClass.ARTICLE):
            return None
        part = waiting._replace(
            page_class=PageClass.ARTICLE_PAGING,
            first_key=look.address.key,
            page_number=first.page_number or 2,
        )
        level = min(waiting.passed_level + 1, rules.top)
        return part, Link(first.url, "1", PageClass.ARTICLE, level=level)

    def _read(
        self, page: OpenPage, selectors: PageSelectors, *, is_alone: bool
    ) -> ArticleText | PageVerdict | None:
        """Read a page; the verdict on one that has no word of the topic, which needs no reading.

        What is seen of it at first sight has next to nothing of its text missing, and more around it:
        where that and everything like a title holds no word, the careful reading would find none.
        """
        document, template, seen = page.document, self.criteria.template, None
        if page.row.page_class is PageClass.ARTICLE and is_alone and not any(selectors):
            seen = at_first_sight(document)
        if seen is not None and template.of(RelevanceTable).model is None:
            said = f"{seen.plain}\n{seen.listings}"
            verdict = self._verdict(page, ArticleText(all_titles(document), said))
            if verdict.outcome == "irrelevant" and verdict.reason == NO_WORD:
                return verdict
        zone = str(template.topic.timezone)
        text = read_article(
            document,
            fetched=page.fetched.at,
            timezone=zone,
            language=template.topic.language,
            selectors=selectors,
            plain=seen.plain if seen else None,
        )
        if text is None or page.row.page_class is not PageClass.ARTICLE:
            return text
        dates = DateReader(zone, page.fetched.at)
        return self._places.read(page.waiting.site, document, text, dates, selectors)

    def _verdict(self, page: OpenPage, text: ArticleText) -> PageVerdict:
        waiting, criteria = page.waiting, self.criteria
        has_files = bool(text.images) or names_attachment(text.text, page.links)
        content = Content(
            text.title, text.text, text.published, text.language, has_files, waiting.layer
        )
        source = criteria.sources.get(waiting.source_id)
        return verdict_of(content, criteria.template, source, waiting.site, page.fetched.at)

    def _judge_first(
        self, page: OpenPage, text: ArticleText, batch: LinkBatch, judged: Judged
    ) -> None:
        """Judge an article, or the first page of one: then it is kept when its other parts are there."""
        row, criteria = page.row, self.criteria
        row.title = text.title or row.title
        verdict = self._verdict(page, text)
        article = self._article(page, text, verdict.score)
        if verdict.outcome == "stored":
            wanted = criteria.template.of(ArticleTable).files
            judged.batch, article.files = with_files(batch, text.images, wanted, criteria.rules)
        _note_verdict(verdict, judged)
        piece = self._piece(page, text, batch.continuations)
        if piece.named and may_change(verdict):
            judged.piece = piece._replace(article=article, page=row)
        elif verdict.outcome == "stored":
            if piece.left_out:
                article.complete, row.reason = False, "article.pages"
            judged.article = article

    def _own(self, page: OpenPage, text: ArticleText) -> Article | None:
        """Return the article that a later page is if its first page shows that it is none, without its text."""
        verdict = self._verdict(page, text)
        if verdict.outcome != "stored":
            return None
        return replace(self._article(page, text, verdict.score), text="")

    def _piece(self, page: OpenPage, text: ArticleText | None, further: Sequence[Link]) -> Piece:
        """Return what a page gives to an article of several pages."""
        waiting, said = page.waiting, text or ArticleText("")
        named, left_out = parts_named(further, waiting, self.criteria.rules)
        longest = LONGEST_TEXT if waiting.page_number == WHOLE else LONGEST_PART
        return Piece(
            first_key=(waiting.first_key or waiting.key).hex(),
            key=waiting.key.hex(),
            number=waiting.page_number,
            at=page.fetched.at,
            url=waiting.url,
            title=said.title,
            text=said.text[:longest],
            images=said.images,
            named={key.hex(): number for key, number in named.items()},
            left_out=left_out,
            layer=waiting.layer,
        )

    def _article(self, page: OpenPage, text: ArticleText, score: PageScore) -> Article:
        waiting, template = page.waiting, self.criteria.template
        source = self.criteria.sources.get(waiting.source_id)
        site = template.site(waiting.site)
        tags = [*template.topic.tags, *(source.tags if source else ()), *site.tags]
        return Article(
            url_key=waiting.key.hex(),
            url=waiting.url,
            host=waiting.site,
            title=text.title,
            text=text.text,
            published=text.published,
            published_raw=text.published_raw,
            published_by=text.published_by,
            published_date=text.date,
            source_name=text.source_name,
            medium=text.source_name or (source.name if source else "") or text.site_name,
            author=text.author,
            language=text.language,
            tags=list(dict.fromkeys(tags)),
            hits=score.hits,
            score=score.score,
            images=list(text.images) if template.of(ArticleTable).images == "urls" else [],
            fetched=page.fetched.at,
            source_id=waiting.source_id,
            known=waiting.knows(text.published),
        )


def names_attachment(text: str, links: Iterable[FoundLink]) -> bool:
    """Whether a text names a document that its page links to."""
    return any(
        len(link.anchor) >= SHORTEST_ATTACHMENT
        and is_attachment(link.url, link.anchor)
        and link.anchor in text
        for link in links
    )


def _note_verdict(verdict: PageVerdict, judged: Judged) -> None:
    """Note what a verdict says of a page, and of its links by its score."""
    row, score = judged.page, verdict.score
    row.relevant, row.score = score.relevant, score.score
    row.outcome, row.reason = verdict.outcome, verdict.reason
    judged.groups = score.groups
    if judged.batch is not None:
        judged.batch = replace(judged.batch, score=score.score, relevant=score.relevant)


def parts_named(
    links: Sequence[Link], parent: Waiting, rules: AdmissionRules
) -> tuple[dict[bytes, int], bool]:
    """Return which further parts of an article a page names: their numbers by key (0: all on one
    page), and whether it names others that are not fetched (article.pages, a rule of [follow]).
    """
    found: dict[bytes, int] = {}
    left_out = False
    for link in links:
        look = rules.look(link.url)
        page = page_number(link, PageClass.ARTICLE_PAGING, parent)
        if look.address.key in {parent.key, parent.first_key}:
            continue
        if (
            refusal(look, PageClass.ARTICLE_PAGING)
            or is_unwanted(link, look, parent.site)
            or beyond(look, PageClass.ARTICLE_PAGING, page)
        ):
            left_out = True
        else:
            found.setdefault(look.address.key, page)
    if WHOLE in found.values() and not parent.first_walk:  # then nothing else is fetched again
        found = {key: page for key, page in found.items() if page == WHOLE}
    return found, left_out


def put_together(gathered: Gathered, template: Template, source: Source | None) -> Outcome | None:
    """Return what the article is by all that is there of it now; None without its first page.

    A first page that is good enough alone stays so; else the whole text is judged.
    """
    first = gathered.first
    if first is None or first.article is None or first.page is None:
        return None
    joined, pages = gathered.joined()
    why = gathered.why_incomplete()
    article = replace(
        first.article,
        text=joined.text,
        images=list(joined.images) if template.of(ArticleTable).images == "urls" else [],
        page_count=pages,
        complete=not why,
        fetched=max(piece.at for piece in gathered.pieces.values()),
    )
    row, has_files = first.page, bool(joined.images)
    content = Content(
        article.title, article.text, article.published, article.language, has_files, first.layer
    )
    verdict = verdict_of(content, template, source, row.host, row.last_fetched or 0.0)
    row.score = article.score = verdict.score.score
    article.hits = verdict.score.hits
    if row.outcome != "stored":
        row.relevant, row.outcome, row.reason = verdict.score.relevant, *verdict[1:]
    if row.outcome != "stored":
        return Outcome(row, None)
    row.reason = why[:_LONGEST_REASON]
    return Outcome(row, article)


def with_files(
    batch: LinkBatch, images: Iterable[str], wanted: tuple[str, ...], rules: AdmissionRules
) -> tuple[LinkBatch, list[str]]:
    """Return the links of an article with its files as such, and the keys of these (hex).

    What its page links to counts by the ending of its name, images when they stand in the text.
    """
    if not wanted:
        return batch, []
    shown = dict.fromkeys(images) if IMAGE in wanted else {}
    files: dict[str, Link] = {}
    others: list[Link] = []
    for link in batch.links:
        is_file = link.url in shown or suffix_of(link.url.partition("#")[0]) in wanted
        if is_file and len(files) < MOST_FILES:
            files.setdefault(link.url, link._replace(page_class=PageClass.FILE))
        else:
            others.append(link)
    for url in shown:
        if len(files) < MOST_FILES:
            files.setdefault(url, Link(url, page_class=PageClass.FILE))
    looks = [rules.look(url) for url in files]
    keys = list(dict.fromkeys(look.address.key.hex() for look in looks if not look.refused))
    return replace(batch, links=(*files.values(), *others)), keys


def keywords_of(article: Article, template: Template) -> list[tuple[str, float]]:
    """Return what an article is about: its heaviest words, title and text together, with weights."""
    cut = template.splitter.cut
    return keywords(cut(article.title) + cut(article.text))
