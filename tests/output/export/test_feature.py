"""Files that are written anew while a crawl runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.settings import Settings

from focuscrawl.output.export.feature import Exports
from tests.kernel.kernels import TopicRun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

TOPIC = """
topic.name = "x"
topic.keywords = ["食品"]
[[source]]
url = "http://a.cn/"
[output.exports."hourly.csv"]
every = "1h"
[output.exports."daily.csv"]
every = "1d"
"""


class Run(TopicRun):
    """A run that writes two files, in turns."""

    def open(self) -> None:
        self.make_kernel(settings=Settings())
        feature = Exports.of(self.kernel)
        assert feature is not None
        self.feature = feature


def test_each_file_is_written_anew_when_its_time_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, TOPIC)
    written: list[list[int]] = []
    monkeypatch.setattr(run.feature, "_write", lambda which: written.append([*which]))

    async def after(hours: Sequence[float]) -> None:
        for hour in hours:
            run.clock.now += hour * 3600
            run.feature.tick()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*others)

    asyncio.run(after([0.99, 0.01, 0.5, 0.5, 22.0]))
    run.store.release()
    assert written == [[0], [0], [0, 1]]
