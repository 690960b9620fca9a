"""Many topics in one process cost less than a process for each, and share sites politely."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Printed

pytestmark = pytest.mark.program


def test_topics_together_cost_less_and_miss_nothing(printed: Printed) -> None:
    figures = printed("many_topics", "--quick", "--topics", "3", "--pages", "6")
    assert figures["delay_violations"] == 0
    assert figures["missing"] == 0
    assert figures["memory_mb"] <= figures["one_mb"] + 15 * 3
    assert figures["cpu_ratio"] < 0.8
