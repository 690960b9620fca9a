"""The results database of a run, and what is written into it first."""

from __future__ import annotations

import json
import os
import platform
import socket
from typing import TYPE_CHECKING

import scrapy

from focuscrawl import __version__
from focuscrawl.records.table import RecordTable
from focuscrawl.results.kinds.runs import RunStart
from focuscrawl.results.results import Results

if TYPE_CHECKING:
    from focuscrawl.config import Config
    from focuscrawl.results.kind import Kinds
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock


def open_results(
    config: Config, name: str, template: Template | None, clock: Clock, kinds: Kinds
) -> Results:
    """Open the results of a topic, or of a user's own spider. Raises StoreError."""
    return Results.open(
        config.results or config.data_dir / f"{name}.db",
        name,
        kinds=kinds,
        clock=clock,
        timezone=str(template.topic.timezone) if template else "UTC",
        text=template.output.text if template else "full",
        history=template.output.history if template else "diff",
        text_index=config.text_index,
        synchronous=config.synchronous,
        records={
            name: [field.name for field in record.fields]
            for name, record in (template.named(RecordTable) if template else {}).items()
        },
    )


def run_start(run_id: str, template: Template | None) -> RunStart:
    """Return what is known of a run when it begins."""
    resolved = template.resolved if template else {}
    return RunStart(
        run_id=run_id,
        template=json.dumps(resolved, ensure_ascii=False, sort_keys=True),
        versions={
            "focuscrawl": __version__,
            "scrapy": scrapy.__version__,
            "python": platform.python_version(),
        },
        job=os.environ.get("SCRAPY_JOB") or os.environ.get("SHUB_JOBKEY") or "",
        worker=f"{socket.gethostname()}:{os.getpid()}",
    )
