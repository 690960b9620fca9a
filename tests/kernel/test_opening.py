"""How a run begins, for who leads and for who comes to a crawl that another one leads."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from focuscrawl.kernel.opening import Opening
from focuscrawl.stores.state.sqlite import SQLiteStore
from tests.clock import StandingClock
from tests.kernel.kernels import kernel_over
from tests.kernel.test_partitions import RunOverKernel
from tests.kernel.test_template_changes import template

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.kernel.feature import Round

pytestmark = pytest.mark.B1


@pytest.mark.parametrize("leads", [True, False])
def test_only_who_leads_begins_a_round_and_others_look_at_what_is_due_in_what_they_took(
    tmp_path: Path, leads: bool
) -> None:
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    kernel: Any = kernel_over(store, template(), StandingClock(1_000.0), settings=Settings())
    called: list[str] = []

    async def begin(round_: Round) -> int:
        called.append(f"begin {round_.began}")
        return 0

    def go_on(round_: Round) -> None:
        called.append(f"go on {round_.began}")

    kernel.hooks.begin = (begin,)
    kernel.hooks.go_on = (go_on,)
    opening = Opening(RunOverKernel(kernel, leads=leads, counters=Counter()))  # type: ignore[arg-type]
    asyncio.run(opening.begin())
    store.release()
    assert called == (["begin 1000.0"] if leads else ["go on 1000.0"])
    waiting = kernel.frontier.counts().waiting
    assert (waiting > 0) == leads, "the sources are queued once for all"
