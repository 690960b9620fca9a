"""``scrapy topic score|train``: explain scores, and learn them from labels."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from scrapy.exceptions import UsageError
from sqlalchemy import Connection, RowMapping, func, not_, or_, select

from focuscrawl.features.articles.rows.articles import ARTICLES
from focuscrawl.locale.messages import N_, _
from focuscrawl.output.summary.lines import counted
from focuscrawl.readers.relevance.model import ModelError, Sample, train
from focuscrawl.readers.relevance.scores import PageScore, PageScorer, ScorePart
from focuscrawl.readers.relevance.table import RelevanceTable
from focuscrawl.stores.results.database import missing_file, parts_of, results_to_read
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.stores.results.kinds.runs import LABELS
from focuscrawl.template.load import LoadedTemplate, shown
from focuscrawl.template.template import Template
from focuscrawl.values import PageClass
from focuscrawl.verbs.call import Call, CannotDo, write_error
from focuscrawl.verbs.trial import FetchedPage, fetch

FETCHED_AT_MOST = 200  # addresses of one call; each is a request

_MOST_NEAR = 20  # stored pages that are listed

INDENT = " " * 8
READ_FOR_TEXT = frozenset({PageClass.ARTICLE, PageClass.ARTICLE_PAGING, PageClass.THREAD})

MEANING = {"relevant": True, "irrelevant": False, "starred": True}
"""Labels that say something about the topic."""


HOW_TO_LABEL = N_(
    "label pages in the results, as in UPDATE pages SET label = 'relevant' WHERE url = …"
)


def score(call: Call, args: Sequence[str]) -> str:
    """Fetch pages (NAME URL…) and explain their scores; --near lists stored pages instead."""
    name, urls = args[:1], args[1:]
    if bool(urls) == bool(call.options.near):
        raise UsageError(_("scrapy topic score NAME URL…, or scrapy topic score NAME --near"))
    loaded = call.loaded(name, secrets=True)
    if call.options.near:
        with _results(call, loaded) as results:
            return near_text(loaded.template, results)
    _check_addresses(urls)
    with tempfile.TemporaryDirectory(prefix="focuscrawl-score-") as folder:
        return scored_text(loaded.template, fetch(loaded, urls, Path(folder)))


def learn_model(call: Call, args: Sequence[str]) -> str:
    """Train relevance.model from labels in the results (extra ml); --fetch for missing texts."""
    loaded = call.loaded(args, secrets=call.options.fetch)
    template = loaded.template
    with _results(call, loaded) as results:
        labelled = labelled_pages(results, template.name)
    samples = [Sample(one.title, one.text, one.relevant) for one in labelled if one.text]
    without = {one.url: one.relevant for one in labelled if not one.text}
    if without and call.options.fetch:
        samples += _fetched(loaded, without)
    left = _left_out(len(without))
    try:
        trained = train(samples, template.name)
    except ModelError as error:
        raise CannotDo(f"{error}{left}; {_(HOW_TO_LABEL)}") from None
    path = (template.path.parent if template.path else Path.cwd()) / f"{template.name}.model"
    try:
        trained.model.write(path)
    except OSError as error:
        raise write_error(path, error) from None
    told = _(
        "{path} written: trained on {relevant} relevant and {irrelevant} irrelevant pages;"
        " of unseen ones it found {recall:.0%} of the relevant, and {precision:.0%} of what"
        " it found was relevant{left}"
    ).format(
        path=shown(path),
        relevant=trained.relevant,
        irrelevant=trained.irrelevant,
        recall=trained.recall,
        precision=trained.precision,
        left=left,
    )
    lines = [
        told,
        _('To use it write into the topic:\n  [relevance]\n  model = "{name}"').format(
            name=path.name
        ),
    ]
    return "\n".join(
        [*lines, _("warning: {warning}").format(warning=trained.warning)]
        if trained.warning
        else lines
    )


def _fetched(loaded: LoadedTemplate, without: dict[str, bool]) -> list[Sample]:
    """Fetch labelled pages, and take those that have a text out of ``without``."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-train-") as folder:
        pages = fetch(loaded, list(without)[:FETCHED_AT_MOST], Path(folder))
    return [
        Sample(page.title, page.text, without.pop(page.url))
        for page in pages
        if page.text and page.url in without
    ]


def _left_out(count: int) -> str:
    if not count:
        return ""
    return _(
        "; {pages} without a stored text left out (--fetch fetches {most} of them,"
        ' article.keep = "all" keeps texts of irrelevant pages)'
    ).format(pages=counted(count, "labelled page"), most=FETCHED_AT_MOST)


def _check_addresses(urls: Sequence[str]) -> None:
    if len(urls) > FETCHED_AT_MOST:
        raise CannotDo(
            _("{count} addresses; at most {most} at a time").format(
                count=len(urls), most=FETCHED_AT_MOST
            )
        )
    for url in urls:
        if not url.startswith(("http://", "https://")):
            raise CannotDo(
                _("{url!r}: no address; write it whole, with http:// or https://").format(url=url)
            )


@contextmanager
def _results(call: Call, loaded: LoadedTemplate) -> Iterator[Connection]:
    """Open a topic's results to read them."""
    config = call.config()
    place = config.results_of(loaded.template.name)
    if file := missing_file(place):
        raise CannotDo(
            _("{file} is not there: no results yet; run scrapy crawl {name}").format(
                file=shown(file), name=loaded.template.name
            )
        )
    with results_to_read(place) as connection:
        yield connection


# Scores in words --------------------------------------------------------------------------------


def scored_text(template: Template, pages: Sequence[FetchedPage]) -> str:
    """Explain the score of each page."""
    blocks = []
    for page in pages:
        if not page.text:
            blocks.append(
                "\n".join(
                    [
                        _("no text {url}").format(url=page.url),
                        f"{INDENT}{page.why_in_words()}",
                        *_class(page),
                    ]
                )
            )
        else:
            score = template.once(PageScorer.of).score(page.title, page.text)
            blocks.append("\n".join(_explained(template, page, score)))
    return "\n".join(blocks)


def _explained(template: Template, page: FetchedPage, score: PageScore) -> Iterator[str]:
    yield f"{score.score:<7.3f} {page.url}"
    yield f"{INDENT}{verdict(score, template.of(RelevanceTable).threshold)}"
    title = _("title {title}; {characters}").format(
        title=page.title or _("(none)"), characters=counted(len(page.text), "character")
    )
    yield f"{INDENT}{title}"
    yield from _class(page)
    for part in score.parts:
        yield f"{INDENT}+ {part.contribution:.3f} {_part(part)}"
    if not score.parts and not template.topic.keywords:
        yield INDENT + _("+ 1.000 nothing is weighed: topic.keywords is empty")
    told = {word for part in score.parts for word in part.words.split("|")}
    others = [f"{word} {times}" for word, times in score.hits.items() if word not in told]
    if others:
        yield INDENT + _("also found: {words}").format(words=", ".join(others))


def _class(page: FetchedPage) -> Iterator[str]:
    """Say what a crawl takes a page for, and what to write where that is wrong."""
    if page.page_class in READ_FOR_TEXT:
        yield INDENT + _("class {page_class}").format(page_class=page.page_class)
    elif page.is_read or page.text:
        yield INDENT + _(
            "class {page_class}: a crawl reads its links, not its text; if that is wrong, name such"
            " addresses in follow.articles"
        ).format(page_class=page.page_class)


def verdict(score: PageScore, threshold: float) -> str:
    """Say in words what a score means."""
    rule, _colon, word = score.reason.partition(":")
    if rule == "require":
        return _(
            "not relevant: {word} (topic.require) does not occur, which holds the score down"
        ).format(word=word)
    if rule == "exclude":
        return _("not relevant: {word} (topic.exclude) occurs").format(word=word)
    if rule == "keywords":
        return _("not relevant: none of topic.keywords occurs in it")
    told = _("not relevant: {score:g} < {threshold:g}")
    if score.relevant:
        told = _("relevant: {score:g} ≥ {threshold:g}")
    return told.format(score=score.score, threshold=threshold)


def _part(part: ScorePart) -> str:
    if part.words == "model":
        return "relevance.model"
    places = [
        place.format(times=times)
        for place, times in (
            (_("{times} in the title"), part.in_title),
            (_("{times} in the text"), part.in_text),
        )
        if times
    ]
    return _("{words}: {places}, weight {weight:g}").format(
        words=part.words, places=", ".join(places), weight=part.weight
    )


def near_text(template: Template, connection: Connection) -> str:
    """List the stored pages whose score lies nearest to the threshold, and count both sides.

    Where the text is stored, the page is scored again with the template as it is now. Pages that
    required or excluded words decided are left out: their scores say nothing about the threshold.
    """
    threshold = template.of(RelevanceTable).threshold
    by_score = not_(or_(PAGES.c.reason.like("require:%"), PAGES.c.reason.like("exclude:%")))
    weighed = (
        (PAGES.c.topic == template.name)
        & PAGES.c.score.is_not(None)
        & func.coalesce(by_score, True)
    )
    same = (ARTICLES.c.topic == PAGES.c.topic) & (ARTICLES.c.url_key == PAGES.c.url_key)
    nearest = (
        select(PAGES, ARTICLES.c.text)
        .outerjoin(ARTICLES, same)
        .where(weighed)
        .order_by(func.abs(PAGES.c.score - threshold), PAGES.c.url_key)
        .limit(_MOST_NEAR)
    )
    above = select(func.count()).select_from(PAGES).where(weighed, PAGES.c.score >= threshold)
    below = select(func.count()).select_from(PAGES).where(weighed, PAGES.c.score < threshold)
    rows = connection.execute(nearest).mappings().all()
    counts = connection.scalar(above) or 0, connection.scalar(below) or 0
    if not rows:
        return _("no page has a score yet: the crawl has not read an article")
    rows = sorted(rows, key=lambda row: -row["score"])
    lines = [line for row in rows for line in _near(template, row)]
    sides = _("{pages} at or above {threshold:g}, {below:,} below").format(
        pages=counted(counts[0], "page"), threshold=threshold, below=counts[1]
    )
    told = _("{sides}; relevance.threshold = {threshold:g}")
    return "\n".join([*lines, told.format(sides=sides, threshold=threshold)])


def _near(template: Template, row: RowMapping) -> Iterator[str]:
    why = f" ({row['reason']})" if row["reason"] else ""
    label = _(", labelled {label}").format(label=row["label"]) if row["label"] else ""
    title = row["title"] or _("(no title)")
    yield f"{row['score']:<7.3f} {title}"
    yield f"{INDENT}{row['url']}"
    yield f"{INDENT}{row['outcome']}{why}{label}"
    if row["text"]:
        score = template.once(PageScorer.of).score(row["title"] or "", row["text"])
        words = "; ".join(_part(part) for part in score.parts) or verdict(
            score, template.of(RelevanceTable).threshold
        )
        yield INDENT + _("now {score:.3f}: {words}").format(score=score.score, words=words)


# Labels ----------------------------------------------------------------------------------------


class LabelledPage(NamedTuple):
    """A page and its label; ``text`` is "" when the text was not stored."""

    url: str
    title: str
    text: str
    relevant: bool


def labelled_pages(connection: Connection, topic: str) -> list[LabelledPage]:
    """Return the labelled pages of a topic, by key.

    The table ``labels`` is the strongest (the newest there), then the label of the article, then
    that of the page.
    """
    of_pages, of_articles = (
        select(table.c.url_key, table.c.label).where(table.c.topic == topic)
        for table in (PAGES, ARTICLES)
    )
    by_people = (
        select(LABELS.c.target_key, LABELS.c.label)
        .where(LABELS.c.topic == topic, LABELS.c.target.in_(("page", "article")))
        .order_by(LABELS.c.at)
    )
    verdicts: dict[str, bool] = {}
    for query in (of_pages, of_articles, by_people):
        meant = query.where(query.selected_columns.label.in_(MEANING))
        verdicts |= {key: MEANING[label] for key, label in connection.execute(meant)}
    same = (ARTICLES.c.topic == PAGES.c.topic) & (ARTICLES.c.url_key == PAGES.c.url_key)
    pages = (
        select(PAGES, ARTICLES.c.title.label("headline"), ARTICLES.c.text)
        .outerjoin(ARTICLES, same)
        .where(PAGES.c.topic == topic)
        .order_by(PAGES.c.url_key)
    )
    return [
        LabelledPage(
            row.url, row.headline or row.title or "", row.text or "", verdicts[row.url_key]
        )
        for keys in parts_of(sorted(verdicts))
        for row in connection.execute(pages.where(PAGES.c.url_key.in_(keys)))
    ]
