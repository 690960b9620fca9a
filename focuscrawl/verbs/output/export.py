"""``scrapy topic export NAME… -o FILE``: what is stored of topics, as a file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from scrapy.exceptions import UsageError

from focuscrawl.config import STANDARD_OUTPUT, beside_reports
from focuscrawl.locale.messages import _
from focuscrawl.output.export.files import (
    ExportError,
    ExportOrder,
    check_order,
    complete_until,
    file_form,
    files_text,
    topic_results,
    write_export,
)
from focuscrawl.output.export.rows import note_export
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.template.template import Template
from focuscrawl.verbs.call import Call, CannotDo, write_error
from focuscrawl.verbs.data import Places, complete_schema, places_of, results_to_write


def export(call: Call, args: Sequence[str]) -> str:
    """Write what is stored of topics (NAME… -o FILE) as csv, jsonl, xlsx or Atom."""
    opts = call.options
    if not args or not opts.output:
        raise UsageError(_("name topics and a file: scrapy topic export NAME… -o FILE.xlsx"))
    topics = [call.loaded([name], secrets=False) for name in dict.fromkeys(args)]
    found = [places_of(call, one, results=True) for one in topics]
    try:
        return _exported(_order(call), [one.template for one in topics], found)
    except ExportError as error:
        raise CannotDo(str(error)) from None
    except BrokenPipeError:  # the reader of `-o -` has gone, which is no mistake
        raise
    except OSError as error:
        raise write_error(Path(opts.output), error) from None


def _order(call: Call) -> ExportOrder:
    opts = call.options
    is_stdout = opts.output == STANDARD_OUTPUT
    file = Path(beside_reports(opts.output, call.config().data_dir)).expanduser().absolute()
    order = ExportOrder(
        path=STANDARD_OUTPUT if is_stdout else str(file),
        form=opts.form or ("csv" if is_stdout else file_form(opts.output)),
        sheet=opts.table or "",
        columns=tuple(one.strip() for one in (opts.columns or "").split(",") if one.strip()),
        where=opts.where or "",
        since=opts.since or "",
        language=opts.lang or "",
        one_per=opts.one_per or "",
    )
    if is_stdout and order.form not in ("csv", "jsonl"):
        raise UsageError(_("-o -: only csv and jsonl go to the standard output"))
    return order


def _exported(order: ExportOrder, templates: Sequence[Template], found: Sequence[Places]) -> str:
    fields = [
        name
        for template in templates
        for one in template.resolved.get("record", {}).values()
        for name in one["fields"]
    ]
    check_order(order, fields)
    now = found[0].config.clock.wall()
    for places in found:
        complete_schema(places)
    with ExitStack() as stack:
        topics = [
            topic_results(
                template,
                places.kinds.tables,
                stack.enter_context(results_to_read(places.results)),
            )
            for template, places in zip(templates, found, strict=True)
        ]
        until = [complete_until(one, now) for one in topics]
        files = write_export(order, topics, now)
    if order.path == STANDARD_OUTPUT:
        return ""
    for places, moment in zip(found, until, strict=True):
        with results_to_write(places) as connection:
            note_export(connection, places.name, order.destination, order.path, now, moment)
    return files_text(files) or _("{path}: nothing to write").format(path=order.path)
