"""``scrapy report``: what is new in topics, and how they went, as a page, a text or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from focuscrawl.config import STANDARD_OUTPUT
from focuscrawl.locale.messages import _, message_language
from focuscrawl.output.report.forms.page import page_text
from focuscrawl.output.report.forms.text import document_json, document_lines, listing_lines
from focuscrawl.output.report.forms.words import Vocabulary
from focuscrawl.output.report.output import (
    ALL_TOPICS,
    REPORT_SUFFIX,
    ReportSource,
    listing_named,
    write_report,
)
from focuscrawl.output.report.questions.news import ALWAYS_TOLD
from focuscrawl.output.report.questions.topics import TopicLine
from focuscrawl.output.summary.lines import size_text
from focuscrawl.stores.results.kinds.last_run import NEVER
from focuscrawl.stores.results.news import SinceError
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.template.load import NoSuchTopic
from focuscrawl.template.toml import TemplateErrors
from focuscrawl.verbs.call import USAGE_STATUS, Call, CannotDo

if TYPE_CHECKING:
    from focuscrawl.config import Config
    from focuscrawl.output.report.contents import ReportDocument
    from focuscrawl.template.template import Template


def report(call: Call, args: Sequence[str]) -> str:
    """Write the report of topics (NAME…, or --all), or print it (--text, --json, --list)."""
    opts = call.options
    if opts.all and args:
        raise UsageError(_("name topics, or write --all"))
    if sum(map(bool, (opts.json, opts.text, opts.list))) > 1 and not (opts.list and opts.json):
        raise UsageError(_("one of --text, --json and --list"))
    config = call.config()
    names = _names(call, args)
    if opts.list and len(names) != 1:
        raise UsageError(_("--list shows a listing of one topic: name it"))
    templates, unfit = _loaded(call, names)
    now = config.clock.wall()
    kinds = call.kinds()
    source = ReportSource(config, kinds, call.settings, now, opts.since, opts.list or "")
    unread: list[StoreError] = []
    try:
        document = source.document(templates, unfit, unread.append)
    except SinceError as error:
        raise CannotDo(str(error)) from None
    except StoreError as error:
        raise CannotDo(_("no report was made: {error}").format(error=error)) from None
    call.exit_status = USAGE_STATUS if unread else 0
    words = Vocabulary(opts.lang or message_language(), document.zone, now)
    if opts.list:
        return _listing(document, opts.list, words)
    if opts.json or opts.text:
        text = document_json(document) if opts.json else document_lines(document, words)
        return _told(text, opts.output)
    target = _target(opts.output, config, names, all_=opts.all)
    folder = target.absolute().parent if isinstance(target, Path) else None
    return _page(page_text(document, words, folder), target)


def _names(call: Call, args: Sequence[str]) -> list[str]:
    """Return the topics that are meant: those named, all, or the only one there is."""
    if args:
        return list(dict.fromkeys(args))
    known = sorted(call.topics())
    if not call.options.all and len(known) != 1:
        raise UsageError(_("name topics, or write --all"))
    return known


def _loaded(call: Call, names: Sequence[str]) -> tuple[list[Template], list[TopicLine]]:
    """Load topics; with --all a wrong file becomes a line of the table. Raises TemplateErrors, NoSuchTopic."""
    templates, unfit = [], []
    for name in names:
        try:
            templates.append(call.loaded([name], secrets=False).template)
        except (TemplateErrors, NoSuchTopic) as error:
            if not call.options.all:
                raise
            unfit.append(TopicLine(name, name, NEVER, why=str(error)))
    return templates, unfit


def _target(wish: str | None, config: Config, names: Sequence[str], *, all_: bool) -> str | Path:
    if wish == STANDARD_OUTPUT:
        return wish
    if wish:
        return Path(wish).expanduser()
    is_one = len(names) == 1 and not all_
    return config.data_dir / (f"{names[0]}{REPORT_SUFFIX}" if is_one else ALL_TOPICS)


def _page(page: str, target: str | Path) -> str:
    if not isinstance(target, Path):
        return page
    try:
        write_report(target, page)
    except OSError as error:
        raise CannotDo(
            _("{target} cannot be written ({reason}); name another with --output").format(
                target=target, reason=error.strerror
            )
        ) from None
    return _("{target} written ({size})").format(
        target=target.absolute(), size=size_text(len(page.encode()))
    )


def _told(text: str, output: str | None) -> str:
    """Return a text, or write it and say so."""
    if not output or output == STANDARD_OUTPUT:
        return text
    return _page(text + "\n", Path(output).expanduser())


def _listing(document: ReportDocument, name: str, words: Vocabulary) -> str:
    found = listing_named(document, name)
    if not found and name in ALWAYS_TOLD:
        return ""  # a first report has none of those that are empty
    if not found:
        raise CannotDo(
            _(
                "--list {name}: the topic has no such listing; the report names with each how to"
                " show it whole, as in --list articles"
            ).format(name=name)
        )
    return listing_lines(found, words)
