"""The benchmark of what revisits cost runs at a small size and prints what is promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Printed

pytestmark = pytest.mark.program


def test_costs_of_revisits_are_printed(printed: Printed) -> None:
    figures = printed("revisit_cost", "--quick", "--pages", "10000")
    assert figures["pages"] == 10_000
    assert 0 < figures["rule_us"] < figures["update_us"]
    assert 0 < figures["due_us"] < figures["taken_us"]
    assert 0 < figures["bare_bytes"] < figures["page_bytes"] < 2_000
